//===- CountWork.cpp - What a tensor program moves and computes -----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/TensorProgram/IR/KernelRange.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::relax::tp;

namespace mlir::relax::tp {
#define GEN_PASS_DEF_COUNTWORKPASS
#include "RelaxDialect/Dialect/TensorProgram/Transforms/Passes.h.inc"
} // namespace mlir::relax::tp

namespace {

/// Counts are expressions over the scalars of a launch; null: not known.
class WorkCounter {
public:
  explicit WorkCounter(ProgramOp program) : context(program.getContext()), body(&program.getBody().front()) {
    for (BlockArgument argument : body->getArguments()) {
      firstScalar.push_back(numScalars);
      auto shaped = dyn_cast<ShapedType>(argument.getType());
      numScalars += shaped ? shaped.getNumDynamicDims() : 1;
    }
  }

  AffineMap count(ProgramOp program) {
    AffineExpr bytes = constant(0);
    for (BlockArgument argument : program.getInputs())
      bytes = add(bytes, countInput(argument));
    for (BlockArgument argument : program.getOuts())
      bytes = add(bytes, countBytes(argument));
    AffineExpr operations = countBlock(*body);
    AffineExpr unknown = constant(-1);
    return AffineMap::get(0, numScalars, {bytes ? bytes : unknown, operations ? operations : unknown}, context);
  }

private:
  AffineExpr constant(int64_t value) const { return getAffineConstantExpr(value, context); }
  static AffineExpr add(AffineExpr a, AffineExpr b) { return a && b ? a + b : AffineExpr(); }
  static AffineExpr multiply(AffineExpr a, AffineExpr b) { return a && b ? a * b : AffineExpr(); }
  static bool isZero(AffineExpr a) {
    auto number = dyn_cast_or_null<AffineConstantExpr>(a);
    return number && number.getValue() == 0;
  }

  /// A size at the border of the program; null for everything else.
  AffineExpr getScalar(Value value, std::optional<int64_t> dim) const {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != body)
      return AffineExpr();
    unsigned first = firstScalar[argument.getArgNumber()];
    if (!dim)
      return isa<IndexType>(argument.getType()) ? getAffineSymbolExpr(first, context) : AffineExpr();
    auto type = cast<ShapedType>(argument.getType());
    if (!type.isDynamicDim(*dim))
      return constant(type.getDimSize(*dim));
    return getAffineSymbolExpr(first + type.getDynamicDimIndex(*dim), context);
  }

  AffineExpr getSize(const ValueBoundsConstraintSet::Variable &variable) const {
    AffineMap map;
    ValueDimList operands;
    auto stop = [&](Value value, std::optional<int64_t> dim, ValueBoundsConstraintSet &) {
      return static_cast<bool>(getScalar(value, dim));
    };
    if (failed(ValueBoundsConstraintSet::computeBound(map, operands, presburger::BoundType::EQ, variable, stop)) ||
        map.getNumResults() != 1)
      return AffineExpr();
    SmallVector<AffineExpr> scalars;
    for (auto [value, dim] : operands)
      if (scalars.emplace_back(getScalar(value, dim)); !scalars.back())
        return AffineExpr();
    return map.getResult(0).replaceDimsAndSymbols(ArrayRef(scalars).take_front(map.getNumDims()),
                                                  ArrayRef(scalars).drop_front(map.getNumDims()));
  }

  AffineExpr getExtent(Value shaped, int64_t dim) const {
    auto type = cast<ShapedType>(shaped.getType());
    return type.isDynamicDim(dim) ? getSize({shaped, dim}) : constant(type.getDimSize(dim));
  }

  AffineExpr getSize(OpFoldResult size) const {
    if (std::optional<int64_t> number = getConstantIntValue(size))
      return constant(*number);
    return getSize(ValueBoundsConstraintSet::Variable(cast<Value>(size)));
  }

  static int64_t getElementBytes(Value shaped) {
    Type element = getElementTypeOrSelf(shaped.getType());
    return element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  }

  AffineExpr countBytes(Value shaped) const {
    AffineExpr bytes = constant(getElementBytes(shaped));
    for (int64_t dim = 0, rank = cast<ShapedType>(shaped.getType()).getRank(); dim < rank; ++dim)
      bytes = multiply(bytes, getExtent(shaped, dim));
    return bytes;
  }

  /// Steps of all loops around `op`.
  AffineExpr countSteps(Operation *op) const {
    AffineExpr steps = constant(1);
    for (Operation *parent = op->getParentOp(); parent != body->getParentOp(); parent = parent->getParentOp())
      steps = multiply(steps, countIterations(parent));
    return steps;
  }

  /// How often the region of `op` runs.
  AffineExpr countIterations(Operation *op) const {
    AffineExpr steps = constant(1);
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      SmallVector<int64_t> ranges = linalgOp.getStaticLoopRanges();
      for (auto [loop, range] : llvm::enumerate(ranges))
        steps = multiply(steps, ShapedType::isDynamic(range) ? getLoopRange(linalgOp, loop) : constant(range));
      return steps;
    }
    if (isa<tensor::PadOp, tensor::GenerateOp>(op)) {
      for (int64_t dim = 0, rank = cast<ShapedType>(op->getResult(0).getType()).getRank(); dim < rank; ++dim)
        steps = multiply(steps, getExtent(op->getResult(0), dim));
      return steps;
    }
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    std::optional<SmallVector<OpFoldResult>> from, to, by;
    if (!loop || !(from = loop.getLoopLowerBounds()) || !(to = loop.getLoopUpperBounds()) ||
        !(by = loop.getLoopSteps()))
      return AffineExpr();
    for (auto [lower, upper, step] : llvm::zip_equal(*from, *to, *by)) {
      AffineExpr first = getSize(lower), last = getSize(upper);
      std::optional<int64_t> stride = getConstantIntValue(step);
      if (!first || !last || !stride || *stride <= 0)
        return AffineExpr();
      steps = multiply(steps, (last - first).ceilDiv(*stride));
    }
    return steps;
  }

  AffineExpr getLoopRange(linalg::LinalgOp op, unsigned loop) const {
    AffineExpr wanted = getAffineDimExpr(loop, context);
    for (OpOperand &operand : op->getOpOperands()) {
      std::optional<unsigned> dim = op.getMatchingIndexingMap(&operand).getResultPosition(wanted);
      if (!dim)
        continue;
      if (AffineExpr extent = getExtent(operand.get(), *dim))
        return extent;
    }
    return AffineExpr();
  }

  /// Of an input whose elements are only fetched one by one or slice by slice, those count; else all do, once.
  AffineExpr countInput(BlockArgument input) const {
    AffineExpr bytes = constant(0);
    for (Operation *user : input.getUsers()) {
      AffineExpr read;
      if (isa<tensor::DimOp>(user))
        continue;
      if (auto extract = dyn_cast<tensor::ExtractOp>(user)) {
        read = multiply(countSteps(extract), constant(getElementBytes(input)));
      } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user)) {
        read = multiply(countSteps(slice), constant(getElementBytes(input)));
        for (OpFoldResult size : slice.getMixedSizes())
          read = multiply(read, getSize(size));
      } else {
        return countBytes(input);
      }
      bytes = add(bytes, read);
    }
    return bytes;
  }

  /// Arithmetic on elements: neither indices, nor comparisons, nor conversions.
  static bool isArithmetic(Operation &op) {
    return isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) && op.getNumResults() == 1 &&
           getElementTypeOrSelf(op.getResult(0).getType()).isIntOrFloat() &&
           !getElementTypeOrSelf(op.getResult(0).getType()).isInteger(1) && !op.hasTrait<OpTrait::ConstantLike>() &&
           !isa<CastOpInterface, arith::SelectOp>(op);
  }

  AffineExpr countBlock(Block &block) const {
    AffineExpr operations = constant(0);
    for (Operation &op : block) {
      if (isArithmetic(op)) {
        operations = add(operations, constant(1));
        continue;
      }
      AffineExpr inside = constant(0);
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          inside = add(inside, countBlock(nested));
      // Nothing is nothing, however often it is done.
      if (!isZero(inside))
        inside = multiply(inside, countIterations(&op));
      operations = add(operations, inside);
    }
    return operations;
  }

  MLIRContext *context;
  Block *body;
  SmallVector<unsigned> firstScalar;
  unsigned numScalars = 0;
};

struct CountWorkPass final : mlir::relax::tp::impl::CountWorkPassBase<CountWorkPass> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    program->setAttr(kWorkAttrName, AffineMapAttr::get(WorkCounter(program).count(program)));
  }
};
} // namespace
