//===- ImportLinalg.cpp - relax-import-linalg -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// What computes stays as it is, in a tensor program of its own; what moves
// whole tensors becomes graph ops. Extents that indexing maps relate are equal,
// or are compared.
//
//===----------------------------------------------------------------------===//
#include "IndexRules.h"
#include "RelaxDialect/Conversion/FrontendPasses.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::relax {
#define GEN_PASS_DEF_IMPORTLINALGPASS
#include "RelaxDialect/Conversion/FrontendPasses.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;
using Emit = ForeignImporter::Emit;

//===----------------------------------------------------------------------===//
// Moving tensors
//===----------------------------------------------------------------------===//

/// The memory is that of a result; only its extents are known.
static void emitEmpty(ForeignImporter &w, Operation *op) {
  w.setElements(op->getResult(0), getIndices(w, cast<tensor::EmptyOp>(op).getMixedSizes()));
}

static void emitCast(ForeignImporter &w, Operation *op) {
  // What the result type says more is compared, what it says less stays known.
  w.set(op->getResult(0), w.get(op->getOperand(0)));
}

static void emitCollapse(ForeignImporter &w, Operation *op) {
  auto collapse = cast<tensor::CollapseShapeOp>(op);
  Value x = w.get(collapse.getSrc());
  Dims own = w.dims(x), wanted;
  if (w.failed())
    return;
  for (const ReassociationIndices &group : collapse.getReassociationIndices())
    wanted.push_back(w.product(llvm::map_to_vector(group, [&](int64_t axis) { return own[axis]; })));
  w.set(op->getResult(0), w.reshape(x, wanted));
}

static void emitExpand(ForeignImporter &w, Operation *op) {
  auto expand = cast<tensor::ExpandShapeOp>(op);
  Value x = w.get(expand.getSrc());
  Dims wanted = getIndices(w, expand.getMixedOutputShape()), own = w.dims(x);
  if (w.failed())
    return;
  for (auto [dim, group] : llvm::zip_equal(own, expand.getReassociationIndices()))
    w.requireEqual(dim, w.product(llvm::map_to_vector(group, [&](int64_t axis) { return wanted[axis]; })));
  w.set(op->getResult(0), w.reshape(x, wanted));
}

static void emitReshape(ForeignImporter &w, Operation *op) {
  auto reshape = cast<tensor::ReshapeOp>(op);
  w.set(op->getResult(0), w.reshape(w.get(reshape.getSource()), w.requireExtents(reshape.getShape())));
}

static void emitConcat(ForeignImporter &w, Operation *op) {
  auto concat = cast<tensor::ConcatOp>(op);
  int64_t axis = concat.getDim();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(w.get(operand));
    for (auto [index, one, other] : llvm::enumerate(w.dims(operands[0]), w.dims(operands.back())))
      if (static_cast<int64_t>(index) != axis)
        w.requireEqual(one, other);
  }
  w.set(op->getResult(0),
        operands.size() == 1 ? operands[0] : w.create<graph::ConcatOp>(operands, w.attr("axis", axis)));
}

static void emitPad(ForeignImporter &w, Operation *op) {
  auto pad = cast<tensor::PadOp>(op);
  Value constant = pad.getConstantPaddingValue();
  TypedAttr fill;
  if (!constant || !matchPattern(constant, m_Constant(&fill)))
    return w.fail("has a value that is not constant");
  auto scalar = DenseElementsAttr::get(RankedTensorType::get({}, fill.getType()), Attribute(fill));
  Dims low = getIndices(w, pad.getMixedLowPad()), high = getIndices(w, pad.getMixedHighPad());
  for (SymExpr amount : llvm::concat<SymExpr>(low, high))
    w.require({w.expr(0), sym::Fact::Op::LessEqual, amount}, "a tensor is padded by less than nothing");
  w.set(op->getResult(0), w.pad(w.get(pad.getSource()), w.constant(scalar), low, high));
}

static void emitExtractSlice(ForeignImporter &w, Operation *op) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  Value x = w.get(slice.getSource());
  Dims starts = getIndices(w, slice.getMixedOffsets()), sizes = getIndices(w, slice.getMixedSizes()), ends,
       own = w.dims(x);
  SmallVector<int64_t> strides;
  for (OpFoldResult stride : slice.getMixedStrides()) {
    std::optional<int64_t> number = getIndex(w, stride).getConstant();
    if (!number || *number < 1)
      return w.fail("has a stride that is no positive constant");
    strides.push_back(*number);
  }
  if (w.failed())
    return;
  for (auto [start, size, stride, dim] : llvm::zip_equal(starts, sizes, strides, own)) {
    // Behind the last element; nothing is read where the size is 0.
    SymExpr reach = SymExpr::max({w.expr(0), (size - 1) * stride + 1});
    ends.push_back(stride == 1 ? start + size : reach ? start + reach : SymExpr());
    w.require({w.expr(0), sym::Fact::Op::LessEqual, start}, "a slice begins before its tensor");
    w.require({ends.back(), sym::Fact::Op::LessEqual, dim}, "a slice is larger than its tensor");
  }
  Value result = w.slice(x, starts, ends, strides);
  SmallVector<int64_t> dropped;
  llvm::SmallBitVector droppedDims = slice.getDroppedDims();
  for (int64_t axis : droppedDims.set_bits())
    dropped.push_back(axis);
  w.set(op->getResult(0), w.squeeze(result, dropped));
}

/// The source where it is put, the destination elsewhere.
static void emitInsertSlice(ForeignImporter &w, Operation *op) {
  auto insert = cast<tensor::InsertSliceOp>(op);
  Value source = w.get(insert.getSource()), dest = w.get(insert.getDest());
  Dims starts = getIndices(w, insert.getMixedOffsets()), sizes = getIndices(w, insert.getMixedSizes()),
       own = w.dims(dest), behind;
  if (w.failed())
    return;
  for (OpFoldResult stride : insert.getMixedStrides())
    if (getIndex(w, stride).getConstant() != 1)
      return w.fail("has a stride that is not 1, which is not supported");
  for (auto [start, size, dim] : llvm::zip_equal(starts, sizes, own)) {
    if (!start || !size)
      return w.fail("has an offset or a size that is not known");
    behind.push_back(dim - (start + size));
    w.require({w.expr(0), sym::Fact::Op::LessEqual, start}, "a slice begins before its tensor");
    w.require({start + size, sym::Fact::Op::LessEqual, dim}, "a slice is larger than its tensor");
  }
  Dims kept;
  llvm::SmallBitVector dropped = insert.getDroppedDims();
  for (auto [axis, size] : llvm::enumerate(sizes))
    if (!dropped.test(axis))
      kept.push_back(size);
  for (auto [extent, size] : llvm::zip_equal(w.dims(source), kept))
    w.requireEqual(extent, size);
  Type boolean = w.builder.getI1Type();
  Value inside = w.pad(w.broadcast(w.scalar(1, boolean), sizes), w.scalar(0, boolean), starts, behind);
  Value moved = w.pad(w.reshape(source, sizes), w.scalarLike(0, source), starts, behind);
  w.set(op->getResult(0), w.select(inside, moved, dest));
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {
/// A linalg op as a tensor program with its call.
class ProgramWriter {
public:
  ProgramWriter(ForeignImporter &w, linalg::LinalgOp op) : w(w), op(op), builder(op.getContext()) {}

  void write() {
    collectOperands();
    relateExtents();
    collectSymbols();
    if (w.failed())
      return;
    tp::ProgramOp program = createProgram();
    writeBody(program);
    if (w.failed()) {
      program.erase();
      return;
    }
    writeCall(program);
  }

private:
  static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

  /// What an init is: memory that nothing reads, one scalar everywhere, or a tensor.
  linalg::FillOp getFill(Value init) { return init.getDefiningOp<linalg::FillOp>(); }

  Dims getDims(Value foreign) {
    if (foreign.getDefiningOp<tensor::EmptyOp>())
      return w.getElements(foreign).value_or(Dims());
    if (linalg::FillOp fill = getFill(foreign))
      if (fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>())
        return w.getElements(fill.getOutputs()[0]).value_or(Dims());
    return w.getDims(foreign);
  }

  bool isFillOfEmpty(Value init) {
    linalg::FillOp fill = getFill(init);
    return fill && fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>() && isConstant(fill.getInputs()[0]);
  }
  static bool isConstant(Value scalar) { return matchPattern(scalar, m_Constant()); }

  void collectOperands() {
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (!isTensor(value)) {
        if (!isConstant(value))
          w.fail("has a scalar operand that is not constant");
        continue;
      }
      if (op.isDpsInit(&operand)) {
        resultDims.push_back(getDims(value));
        if (value.getDefiningOp<tensor::EmptyOp>() || isFillOfEmpty(value))
          continue;
      }
      inputs.insert(value);
    }
    // Captured by the payload.
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (inner != op.getOperation() && !op->isAncestor(operand.getParentRegion()->getParentOp())) {
          if (isTensor(operand))
            inputs.insert(operand);
          else if (isConstant(operand))
            captured.insert(operand.getDefiningOp());
          else
            w.fail("uses a scalar from outside that is not constant");
        }
    });
  }

  /// Dimensions that one loop walks are equal; other places stay inside of their tensor.
  void relateExtents() {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    Dims loops(op.getNumLoops());
    SmallVector<std::pair<OpOperand *, Dims>> shapes;
    for (OpOperand &operand : op->getOpOperands())
      if (isTensor(operand.get()))
        shapes.push_back({&operand, getDims(operand.get())});
    if (w.failed())
      return;
    for (auto &[operand, dims] : shapes)
      for (auto [result, extent] : llvm::zip_equal(maps[operand->getOperandNumber()].getResults(), dims))
        if (auto dim = dyn_cast<AffineDimExpr>(result)) {
          SymExpr &loop = loops[dim.getPosition()];
          if (loop)
            w.requireEqual(extent, loop);
          else
            loop = extent;
        }
    if (llvm::is_contained(loops, SymExpr()))
      return w.fail("has a loop whose extent no operand shows");
    Dims last = llvm::map_to_vector(loops, [](SymExpr extent) { return extent - 1; });
    for (auto &[operand, dims] : shapes)
      for (auto [result, extent] : llvm::zip_equal(maps[operand->getOperandNumber()].getResults(), dims))
        if (!isa<AffineDimExpr>(result)) {
          SymExpr reach = getAffine(w, result, last, {});
          w.require({reach, sym::Fact::Op::Less, extent}, "an element outside of a tensor is read");
        }
  }

  void collectSymbols() {
    llvm::SetVector<StringRef> used;
    llvm::StringMap<char> shown;
    auto visit = [&](ArrayRef<SymExpr> dims, bool isInput) {
      for (SymExpr dim : dims) {
        if (!dim)
          continue;
        if (isInput && dim.getSymbol())
          shown[*dim.getSymbol()] = 1;
        used.insert_range(dim.getSymbols());
      }
    };
    for (Value input : inputs)
      visit(w.getDims(input), /*isInput=*/true);
    for (const Dims &dims : resultDims)
      visit(dims, /*isInput=*/false);
    for (StringRef symbol : used)
      if (!shown.contains(symbol))
        scalars.push_back(SymExpr::symbol(w.getContext(), symbol));
  }

  tp::ProgramOp createProgram() {
    auto module = op->getParentOfType<ModuleOp>();
    SmallVector<Type> inputTypes;
    for (Value input : inputs)
      inputTypes.push_back(w.get(input).getType());
    for (auto [dims, init] : llvm::zip_equal(resultDims, op.getDpsInits()))
      resultTypes.push_back(sym::getTensorType(dims, getElementTypeOrSelf(init.getType())));
    auto function = op->getParentOfType<func::FuncOp>();
    builder.setInsertionPoint(function);
    std::string base = op->getName().stripDialect().str(), name = base;
    llvm::replace(base, '.', '_');
    name = base;
    for (unsigned count = 1; SymbolTable::lookupSymbolIn(module, name); ++count)
      name = base + "_" + std::to_string(count);
    auto program = tp::ProgramOp::create(builder, op.getLoc(), name, inputTypes, resultTypes, TypeRange(), scalars);
    builder.setInsertionPointToEnd(&program.getBody().front());
    return program;
  }

  void writeBody(tp::ProgramOp program) {
    IRMapping mapping;
    for (auto [input, argument] : llvm::zip_equal(inputs, program.getInputs()))
      mapping.map(input, argument);
    auto cloneConstant = [&](Value scalar) {
      if (!mapping.contains(scalar))
        builder.clone(*scalar.getDefiningOp(), mapping);
    };
    for (Value operand : op->getOperands())
      if (!isTensor(operand))
        cloneConstant(operand);
    for (Operation *constant : captured)
      cloneConstant(constant->getResult(0));
    for (auto [init, out] : llvm::zip_equal(op.getDpsInits(), program.getOuts())) {
      if (isFillOfEmpty(init)) {
        Value scalar = getFill(init).getInputs()[0];
        cloneConstant(scalar);
        IRMapping fillMapping;
        mapping.map(init, linalg::FillOp::create(builder, op.getLoc(), mapping.lookup(scalar), out).getResult(0));
      } else if (init.getDefiningOp<tensor::EmptyOp>()) {
        mapping.map(init, out);
      }
    }
    Operation *copy = builder.clone(*op, mapping);
    // Types say what is known now.
    auto computed = cast<linalg::LinalgOp>(copy);
    SmallVector<Value> results;
    for (auto [result, init, out] : llvm::zip_equal(copy->getResults(), computed.getDpsInits(), program.getOuts())) {
      result.setType(init.getType());
      results.push_back(result.getType() == out.getType()
                            ? Value(result)
                            : tensor::CastOp::create(builder, op.getLoc(), out.getType(), result).getResult());
    }
    tp::YieldOp::create(builder, op.getLoc(), results);
  }

  void writeCall(tp::ProgramOp program) {
    SmallVector<Value> arguments;
    for (Value input : inputs)
      arguments.push_back(w.get(input));
    Value shape = scalars.empty() ? Value() : w.makeShape(scalars);
    if (w.failed())
      return;
    auto call = graph::CallTPOp::create(w.builder, op.getLoc(), resultTypes,
                                        FlatSymbolRefAttr::get(program.getSymNameAttr()), arguments, shape,
                                        /*destinations=*/ValueRange());
    for (auto [foreign, result] : llvm::zip_equal(op->getResults(), call.getResults()))
      w.set(foreign, result);
  }

  ForeignImporter &w;
  linalg::LinalgOp op;
  OpBuilder builder;
  llvm::SetVector<Value> inputs;
  llvm::SetVector<Operation *> captured;
  SmallVector<Dims> resultDims;
  SmallVector<Type> resultTypes;
  Dims scalars;
};
} // namespace

static void emitLinalg(ForeignImporter &w, Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics())
    return w.fail("is no structured operation on tensors");
  if (op->getNumResults() == 1 && isa<linalg::FillOp>(op)) {
    // It goes into the programs that read it as their start.
    bool isOnlyStart = llvm::all_of(op->getUses(), [](OpOperand &use) {
      auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
      return user && user.isDpsInit(&use);
    });
    if (isOnlyStart && op->getOperand(1).getDefiningOp<tensor::EmptyOp>() &&
        matchPattern(op->getOperand(0), m_Constant()))
      return;
  }
  ProgramWriter(w, linalgOp).write();
}

static Emit getRule(StringRef name) {
  if (Emit emit = llvm::StringSwitch<Emit>(name)
                      .Case("tensor.cast", emitCast)
                      .Case("tensor.collapse_shape", emitCollapse)
                      .Case("tensor.concat", emitConcat)
                      .Case("tensor.empty", emitEmpty)
                      .Case("tensor.expand_shape", emitExpand)
                      .Case("tensor.extract_slice", emitExtractSlice)
                      .Case("tensor.insert_slice", emitInsertSlice)
                      .Case("tensor.pad", emitPad)
                      .Case("tensor.reshape", emitReshape)
                      .Default(nullptr))
    return emit;
  if (name.starts_with("linalg."))
    return emitLinalg;
  return getIndexRule(name);
}

namespace {
struct ImportLinalgPass final : relax::impl::ImportLinalgPassBase<ImportLinalgPass> {
  void runOnOperation() override {
    // Graph functions and kernels are none of it.
    auto isForeign = [](func::FuncOp function) {
      bool isPlain = !function->hasAttr(sym::kScopeAttrName) && function.getBody().hasOneBlock() &&
                     llvm::all_of(function.getArgumentTypes(), llvm::IsaPred<RankedTensorType>) &&
                     function.getNumResults() > 0 &&
                     llvm::all_of(function.getResultTypes(), llvm::IsaPred<RankedTensorType>);
      return isPlain && !usesDialect(function, "relax") &&
             (usesDialect(function, "linalg") || usesDialect(function, "tensor") || usesDialect(function, "arith"));
    };
    if (failed(inlineForeignCalls(getOperation(), isForeign)))
      return signalPassFailure();
    OpPassManager elementwise(func::FuncOp::getOperationName());
    elementwise.addPass(createConvertElementwiseToLinalgPass());
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && isForeign(function) && failed(runPipeline(elementwise, function)))
        return signalPassFailure();
    if (failed(importForeignFunctions(getOperation(), isForeign, getRule)))
      signalPassFailure();
  }
};
} // namespace
