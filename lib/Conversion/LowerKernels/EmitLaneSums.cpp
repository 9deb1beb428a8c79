//===- EmitLaneSums.cpp - Contractions added up in vector lanes -----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The loops of a contraction become
//
//   other parallel loops            one after another
//     tiles of `used` rows          8 at a time, what is left by 4, 2 and 1
//       tiles of `made` rows        more of them when there are few used ones
//         reduction loops with one vector of sums for each result
//         lanes added, result stored
//
// The scalar body is cloned on vectors along the innermost loop. A value is
// computed once for all places of the tile that do not tell it apart: weights
// that are decoded from blocks once for all rows they are multiplied with, their
// scales once for all lanes.
//
//===----------------------------------------------------------------------===//
#include "LaneSums.h"
#include "RegisterTiles.h"

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

/// Rows of a tile: at most 8 sums, which leaves half of 16 registers for what is added.
struct TileShape {
  int64_t used, made;
};
constexpr TileShape kTiles[] = {{8, 1}, {4, 2}, {2, 4}, {1, 4}};

class LaneSumEmitter {
public:
  LaneSumEmitter(OpBuilder &builder, linalg::GenericOp op, const LaneSum &sum, ValueRange extents)
      : builder(builder), op(op), sum(sum), loc(op.getLoc()), extents(extents), at(extents.size()),
        lane(extents.size() - 1), loopsOf(findLoopsOfValues(op)),
        combiner(op.getBody()->getTerminator()->getOperand(0).getDefiningOp()) {
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
      if (iterator == utils::IteratorType::reduction)
        reductions.push_back(loop);
      else if (!llvm::is_contained(sum.made, loop) && !llvm::is_contained(sum.used, loop))
        others.push_back(loop);
    }
  }

  void emit() { emitOthers(0); }

private:
  using Loops = llvm::SmallBitVector;

  Value constant(int64_t value) {
    Value &known = constants[value];
    if (!known) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(op->getBlock());
      known = arith::ConstantIndexOp::create(builder, loc, value);
    }
    return known;
  }

  void forEach(Value from, Value to, int64_t step, function_ref<void(Value)> body) {
    if (std::optional<int64_t> first = getConstantIntValue(from); first && first == getConstantIntValue(to))
      return;
    auto loop = scf::ForOp::create(builder, loc, from, to, constant(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  /// `value - value mod step`, for value >= 0.
  Value roundDown(Value value, int64_t step) {
    if (step == 1)
      return value;
    Value rest = builder.createOrFold<arith::RemUIOp>(loc, value, constant(step));
    return builder.createOrFold<arith::SubIOp>(loc, value, rest);
  }

  void emitOthers(unsigned number) {
    if (number == others.size())
      return emitTiles();
    forEach(constant(0), extents[others[number]], 1, [&](Value index) {
      at[others[number]] = index;
      emitOthers(number + 1);
    });
  }

  void emitTiles() {
    Value usedEnd = getRowExtent(builder, loc, sum.used, extents), usedRow = constant(0);
    Value madeEnd = getRowExtent(builder, loc, sum.made, extents);
    for (TileShape shape : kTiles) {
      Value end = roundDown(usedEnd, shape.used);
      forEach(usedRow, end, shape.used, [&](Value row) {
        used = getRowIndices(builder, loc, sum.used, extents, row, shape.used);
        // Far apart, the rows of a tile are long streams each, which hardware fetches ahead.
        Value distance = builder.createOrFold<arith::DivUIOp>(loc, madeEnd, constant(shape.made));
        forEach(constant(0), distance, 1, [&](Value first) { emitMade(first, distance, shape.made); });
        Value rest = builder.createOrFold<arith::MulIOp>(loc, distance, constant(shape.made));
        forEach(rest, madeEnd, 1, [&](Value first) { emitMade(first, distance, 1); });
      });
      usedRow = end;
    }
  }

  void emitMade(Value first, Value distance, int64_t count) {
    made.clear();
    for (int64_t i = 0; i < count; ++i) {
      if (i != 0)
        first = builder.createOrFold<arith::AddIOp>(loc, first, distance);
      llvm::append_range(made, getRowIndices(builder, loc, sum.made, extents, first, 1));
    }
    emitTile();
  }

  //===--------------------------------------------------------------------===//
  // Tiles
  //===--------------------------------------------------------------------===//

  void moveTo(ArrayRef<unsigned> loops, const RowIndices &row) {
    for (auto [loop, index] : llvm::zip_equal(loops, row))
      at[loop] = index;
  }

  /// The sums of the present `made` row, number `row`.
  void forEachUsed(size_t row, function_ref<void(size_t)> body) {
    for (auto [number, usedRow] : llvm::enumerate(used)) {
      moveTo(sum.used, usedRow);
      body(row * used.size() + number);
    }
  }

  void emitTile() {
    OpOperand &init = *op.getDpsInitOperand(0);
    auto type = VectorType::get(sum.lanes, getElementTypeOrSelf(init.get()));
    Value zero = arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
    SmallVector<Value> sums = emitLoops(0, SmallVector<Value>(used.size() * made.size(), zero));
    auto flags = arith::FastMathFlags::none;
    if (auto add = dyn_cast<arith::AddFOp>(combiner))
      flags = add.getFastmath();
    for (auto [row, madeRow] : llvm::enumerate(made)) {
      moveTo(sum.made, madeRow);
      forEachUsed(row, [&](size_t number) {
        SmallVector<Value> indices = getIndices(init);
        Value value = memref::LoadOp::create(builder, loc, init.get(), indices);
        value = vector::ReductionOp::create(builder, loc, vector::CombiningKind::ADD, sums[number], value, flags);
        memref::StoreOp::create(builder, loc, value, init.get(), indices);
      });
    }
  }

  /// The reduction loops from `number` on, which hand on the sums.
  SmallVector<Value> emitLoops(unsigned number, SmallVector<Value> sums) {
    if (number + sum.unrolled == reductions.size()) {
      values.clear();
      // Row by row: what is loaded for one is used up before the next one needs registers.
      for (auto [row, madeRow] : llvm::enumerate(made)) {
        moveTo(sum.made, madeRow);
        emitCopies(number, row, sums);
      }
      return sums;
    }
    unsigned loop = reductions[number];
    auto range =
        scf::ForOp::create(builder, loc, constant(0), extents[loop], constant(loop == lane ? sum.lanes : 1), sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(range.getBody());
    at[loop] = range.getInductionVar();
    SmallVector<Value> next = emitLoops(number + 1, llvm::to_vector_of<Value>(range.getRegionIterArgs()));
    scf::YieldOp::create(builder, loc, next);
    return range.getResults();
  }

  /// The loops that are written out.
  void emitCopies(unsigned number, size_t row, MutableArrayRef<Value> sums) {
    if (number == reductions.size())
      return forEachUsed(row, [&](size_t place) { emitStep(sums[place]); });
    unsigned loop = reductions[number];
    for (int64_t index = 0; index < op.getStaticLoopRanges()[loop]; index += loop == lane ? sum.lanes : 1) {
      at[loop] = constant(index);
      emitCopies(number + 1, row, sums);
    }
  }

  void emitStep(Value &total) {
    unsigned place = combiner->getOperand(0) == op.getRegionOutputArgs()[0] ? 1 : 0;
    Value operands[2] = {total, splat(evaluate(combiner->getOperand(place)))};
    total = builder
                .create(loc, combiner->getName().getIdentifier(), ValueRange(operands), TypeRange(total.getType()),
                        combiner->getAttrs())
                ->getResult(0);
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

  SmallVector<Value> getIndices(OpOperand &operand) { return getAccessIndices(builder, op, operand, at); }

  /// A value of the body at the present place, from an earlier place where they are the same.
  Value evaluate(Value value) {
    auto loops = loopsOf.find(value);
    if (loops == loopsOf.end())
      return value; // from outside
    std::vector<void *> key = {value.getAsOpaquePointer()};
    for (unsigned loop : loops->second.set_bits())
      key.push_back(at[loop].getAsOpaquePointer());
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

  OpBuilder &builder;
  linalg::GenericOp op;
  const LaneSum &sum;
  Location loc;
  SmallVector<Value> extents;
  /// Current index of each loop.
  SmallVector<Value> at;
  unsigned lane;
  /// Which loops tell values of the body apart.
  DenseMap<Value, Loops> loopsOf;
  Operation *combiner;
  SmallVector<unsigned> reductions, others;
  /// Rows of the present tile.
  SmallVector<RowIndices> made, used;
  /// Values of the body, with the indices of the loops that they depend on.
  std::map<std::vector<void *>, Value> values;
  std::map<int64_t, Value> constants;
};

} // namespace

void relax::emitLaneSum(OpBuilder &builder, linalg::GenericOp op, const LaneSum &sum, ValueRange extents) {
  LaneSumEmitter(builder, op, sum, extents).emit();
}
