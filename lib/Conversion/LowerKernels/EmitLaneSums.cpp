//===- EmitLaneSums.cpp - Contractions added up in vector lanes -----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A tile (SumTiles.h) is the reduction loops with one vector of sums for each
// result; then lanes are added and results stored. The scalar body is cloned on
// vectors along the innermost loop. A value is computed once for all places of
// the tile that do not tell it apart: weights that are decoded from blocks once
// for all rows they are multiplied with, their scales once for all lanes.
//
//===----------------------------------------------------------------------===//
#include "LaneSums.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <map>

using namespace mlir;
using namespace mlir::relax;

namespace {

/// At most 8 sums, which leaves half of 16 registers for what is added.
constexpr SumTileShape kTiles[] = {{8, 1}, {4, 2}, {2, 4}, {1, 4}};
/// At most 16 of 32 registers.
constexpr SumTileShape kWideTiles[] = {{8, 2}, {4, 4}, {2, 4}, {1, 4}};

ArrayRef<SumTileShape> getTiles(linalg::GenericOp op, int64_t lanes) {
  bool isWide = lanes * getElementTypeOrSelf(op.getDpsInitOperand(0)->get()).getIntOrFloatBitWidth() >= 512;
  return isWide ? ArrayRef(kWideTiles) : ArrayRef(kTiles);
}

class LaneSumEmitter final : public SumTileEmitter {
public:
  LaneSumEmitter(OpBuilder &builder, linalg::GenericOp op, const LaneSum &sum, ValueRange extents)
      : SumTileEmitter(builder, op, sum.sides, extents, getTiles(op, sum.lanes), sum.lanes, sum.unrolled), sum(sum),
        lane(extents.size() - 1) {}

private:
  using Loops = llvm::SmallBitVector;

  int64_t getStep(unsigned loop) const override { return loop == lane ? sum.lanes : 1; }

  void addTerms(unsigned number, MutableArrayRef<Value> sums) override {
    values.clear();
    // Row by row: what is loaded for one is used up before the next one needs registers.
    for (auto [row, madeRow] : llvm::enumerate(made)) {
      moveTo(sides.made, madeRow);
      emitCopies(number, row, sums);
    }
  }

  /// The loops that are written out.
  void emitCopies(unsigned number, size_t row, MutableArrayRef<Value> sums) {
    if (number == reductions.size())
      return forEachUsed(row, [&](size_t place) { sums[place] = addTo(sums[place], splat(evaluate(getAddend()))); });
    unsigned loop = reductions[number];
    for (int64_t index = 0; index < op.getStaticLoopRanges()[loop]; index += getStep(loop)) {
      at[loop] = constant(index);
      emitCopies(number + 1, row, sums);
    }
  }

  //===--------------------------------------------------------------------===//
  // The body
  //===--------------------------------------------------------------------===//

  VectorType getVectorType(Type element) { return VectorType::get(sum.lanes, element); }

  Value splat(Value value) {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(builder, loc, getVectorType(value.getType()), value);
  }

  /// A value of the body at the present place, from an earlier place where they are the same.
  Value evaluate(Value value) {
    auto loops = loopsOf.find(value);
    if (loops == loopsOf.end())
      return value; // from outside
    std::vector<void *> key = getKey(value, loops->second);
    if (auto known = values.find(key); known != values.end())
      return known->second;
    Value result = compute(value, loops->second);
    values[key] = result;
    return result;
  }

  Value compute(Value value, const Loops &loops) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      OpOperand &operand = op->getOpOperand(argument.getArgNumber());
      if (!isa<MemRefType>(operand.get().getType()))
        return operand.get();
      SmallVector<Value> indices = getIndices(operand);
      if (!loops.test(lane))
        return memref::LoadOp::create(builder, loc, operand.get(), indices);
      auto type = cast<MemRefType>(operand.get().getType());
      if (isUnitStride(operand.get(), op.getMatchingIndexingMap(&operand), lane))
        return vector::LoadOp::create(builder, loc, getVectorType(value.getType()), operand.get(), indices);
      return loadInterleaved(operand, type, indices);
    }
    Operation *inner = value.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      return index.getDim() == lane ? getLaneIndices() : at[index.getDim()];

    SmallVector<Value> operands;
    for (Value operand : inner->getOperands())
      operands.push_back(evaluate(operand));
    bool onVectors = llvm::any_of(operands, [](Value operand) { return isa<VectorType>(operand.getType()); });
    if (onVectors)
      for (Value &operand : operands)
        operand = splat(operand);
    SmallVector<Type> types;
    for (Type type : inner->getResultTypes())
      types.push_back(onVectors ? Type(getVectorType(type)) : type);
    Operation *copy = builder.create(loc, inner->getName().getIdentifier(), operands, types, inner->getAttrs());
    return copy->getResult(cast<OpResult>(value).getResultNumber());
  }

  /// Groups of elements, of each the one that is asked for.
  Value loadInterleaved(OpOperand &operand, MemRefType type, MutableArrayRef<Value> indices) {
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < type.getRank() - 1; ++dim)
      groups.push_back({dim});
    groups.back().push_back(type.getRank() - 1);
    Value flat = memref::CollapseShapeOp::create(builder, loc, operand.get(), groups);
    int64_t size = type.getShape().back(), first = *getConstantIntValue(indices.back());
    indices = indices.drop_back();
    indices.back() = builder.createOrFold<arith::MulIOp>(loc, indices.back(), constant(size));
    auto all = VectorType::get(sum.lanes * size, type.getElementType());
    Value elements = vector::LoadOp::create(builder, loc, all, flat, indices);
    SmallVector<int64_t> chosen;
    for (int64_t i = 0; i < sum.lanes; ++i)
      chosen.push_back(first + i * size);
    return vector::ShuffleOp::create(builder, loc, elements, elements, chosen);
  }

  Value getLaneIndices() {
    auto type = getVectorType(builder.getIndexType());
    SmallVector<int64_t> steps = llvm::to_vector(llvm::seq<int64_t>(0, sum.lanes));
    Value indices = arith::ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, ArrayRef(steps)));
    return arith::AddIOp::create(builder, loc, splat(at[lane]), indices);
  }

  const LaneSum &sum;
  unsigned lane;
  /// Values of the body, with the indices of the loops that they depend on.
  std::map<std::vector<void *>, Value> values;
};

} // namespace

void relax::emitLaneSum(OpBuilder &builder, linalg::GenericOp op, const LaneSum &sum, ValueRange extents) {
  LaneSumEmitter(builder, op, sum, extents).emit();
}
