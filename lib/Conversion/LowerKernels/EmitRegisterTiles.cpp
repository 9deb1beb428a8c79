//===- EmitRegisterTiles.cpp - Contractions in vector registers -----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The loops of a contraction become
//
//   other parallel loops                  one after another
//     blocks of columns
//       blocks of the first reduction     what all rows read is copied, as wide as it is multiplied: contiguous, one
//                                         page after another; for one tile of rows blocks are short and not copied
//         tiles of columns, tiles of rows
//           load results; reduction loops with the results in registers; store results
//
// An operand that lies in panels of columns is read where it is, without copy;
// with fewer rows than a tile has, a tile takes several panels instead, so that
// they are read at once. Columns in panels need not be neighbours in the result:
// out channels of a convolution are gathered and scattered, once for all steps.
//
// The scalar body is cloned on vectors along the columns; a value that does not
// depend on the column stays scalar until it meets one that does.
//
//===----------------------------------------------------------------------===//
#include "PanelLayout.h"
#include "RegisterTiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::relax;

Value relax::getRowExtent(OpBuilder &builder, Location loc, ArrayRef<unsigned> loops, ValueRange extents) {
  Value product = arith::ConstantIndexOp::create(builder, loc, 1);
  for (unsigned loop : loops)
    product = builder.createOrFold<arith::MulIOp>(loc, extents[loop], product);
  return product;
}

SmallVector<RowIndices> relax::getRowIndices(OpBuilder &builder, Location loc, ArrayRef<unsigned> loops,
                                             ValueRange extents, Value first, int64_t count) {
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); };
  SmallVector<RowIndices> rows;
  RowIndices row(loops.size());
  for (size_t i = row.size(); i-- > 0;) {
    bool split = i > 0 && getConstantIntValue(first) != 0;
    Value extent = extents[loops[i]];
    row[i] = split ? builder.createOrFold<arith::RemUIOp>(loc, first, extent) : i > 0 ? Value(constant(0)) : first;
    first = split ? builder.createOrFold<arith::DivUIOp>(loc, first, extent) : first;
  }
  while (true) {
    rows.push_back(row);
    if (static_cast<int64_t>(rows.size()) == count)
      return rows;
    Value carry;
    for (size_t i = row.size(); i-- > 0;) {
      Value next = builder.createOrFold<arith::AddIOp>(loc, row[i], constant(1));
      next = carry ? builder.createOrFold<arith::SelectOp>(loc, carry, next, row[i]) : next;
      if (i > 0) {
        carry = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, next, extents[loops[i]]);
        next = arith::SelectOp::create(builder, loc, carry, constant(0), next);
      }
      row[i] = next;
    }
  }
}

SmallVector<Value> relax::getAccessIndices(OpBuilder &builder, linalg::GenericOp op, OpOperand &operand,
                                           ArrayRef<Value> at) {
  SmallVector<OpFoldResult> loops;
  for (Value index : at)
    loops.push_back(index ? getAsOpFoldResult(index) : OpFoldResult(builder.getIndexAttr(0)));
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return getValueOrCreateConstantIndexOp(
      builder, op.getLoc(), affine::makeComposedFoldedMultiResultAffineApply(builder, op.getLoc(), map, loops));
}

namespace {

class TileEmitter {
public:
  TileEmitter(OpBuilder &builder, linalg::GenericOp op, const RegisterTile &tile, ValueRange extents, Value scratch)
      : builder(builder), op(op), tile(tile), loc(op.getLoc()), extents(extents), scratch(scratch), at(extents.size()) {
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
      if (iterator == utils::IteratorType::reduction)
        reductions.push_back(loop);
      else if (loop != tile.column && !llvm::is_contained(tile.rowLoops, loop))
        others.push_back(loop);
    }
    if (tile.packed)
      packedValue = getPackedValue(op, tile);
    // Where nothing is copied there is one tile of rows.
    rowExtent = tile.packed && !scratch ? constant(tile.rows) : getRowExtent(builder, loc, tile.rowLoops, extents);
    OpOperand &init = *op.getDpsInitOperand(0);
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (isUnitStride(init.get(), map, tile.column))
      return;
    unsigned dim = *map.getResultPosition(getAffineDimExpr(tile.column, op.getContext()));
    auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, init.get());
    auto type = VectorType::get(tile.lanes, builder.getIndexType());
    Value distance = getValueOrCreateConstantIndexOp(builder, loc, metadata.getConstifiedMixedStrides()[dim]);
    laneOffsets = arith::MulIOp::create(builder, loc, vector::StepOp::create(builder, loc, type),
                                        vector::BroadcastOp::create(builder, loc, type, distance));
  }

  void emit() { emitOthers(0); }

private:
  using Body = function_ref<void(Value)>;

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
  Value add(Value a, int64_t b) { return b == 0 ? a : add(a, constant(b)); }
  Value subtract(Value a, Value b) { return builder.createOrFold<arith::SubIOp>(loc, a, b); }
  Value multiply(Value a, int64_t b) { return builder.createOrFold<arith::MulIOp>(loc, a, constant(b)); }
  Value minimum(Value a, Value b) { return builder.createOrFold<arith::MinUIOp>(loc, a, b); }
  /// `value - value mod step`, for value >= 0.
  Value roundDown(Value value, int64_t step) {
    return subtract(value, builder.createOrFold<arith::RemUIOp>(loc, value, constant(step)));
  }

  void forEach(Value from, Value to, int64_t step, Body body) {
    auto loop = scf::ForOp::create(builder, loc, from, to, constant(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  void emitOthers(unsigned number) {
    if (number != others.size())
      return forEach(constant(0), extents[others[number]], 1, [&](Value index) {
        at[others[number]] = index;
        emitOthers(number + 1);
      });
    // Rows of a strided result are places of an image, seldom few.
    if (tile.inPanels && !laneOffsets)
      return emitByRows();
    emitManyRows();
  }

  void emitManyRows() {
    int64_t width = tile.panels * getWidth();
    forEach(constant(0), extents[tile.column], width, [&](Value column) {
      Value columns = minimum(subtract(extents[tile.column], column), constant(width));
      if (!tile.packed && !tile.inPanels)
        return emitColumns(column, columns, constant(0), extents[reductions[0]]);
      int64_t steps = getBlockSteps();
      forEach(constant(0), extents[reductions[0]], steps, [&](Value from) {
        Value to = minimum(extents[reductions[0]], add(from, steps));
        if (scratch)
          emitPack(column, columns, from, to);
        emitColumns(column, columns, from, to);
      });
    });
  }

  /// A block that is not copied stays in the first cache while its tiles of columns pass.
  int64_t getBlockSteps() const {
    if (!tile.packed || scratch)
      return tile.blockSteps;
    constexpr int64_t kNearBytes = 24576;
    int64_t bytes =
        tile.packedElements * getElementTypeOrSelf(op->getOperand(*tile.packed)).getIntOrFloatBitWidth() / 8;
    return std::clamp<int64_t>(tile.blockSteps * kNearBytes / bytes, 1, tile.blockSteps);
  }

  /// Operands in panels: one code for each number of rows below that of a tile.
  void emitByRows() {
    if (std::optional<int64_t> known = getConstantIntValue(rowExtent))
      return *known < tile.rows ? emitFewRows(*known) : emitManyRows();
    SmallVector<int64_t> cases = llvm::to_vector(llvm::seq<int64_t>(1, tile.rows));
    auto choice = scf::IndexSwitchOp::create(builder, loc, TypeRange(), rowExtent, cases, cases.size());
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&choice.getDefaultRegion());
    emitManyRows();
    scf::YieldOp::create(builder, loc);
    for (auto [rows, region] : llvm::zip(cases, choice.getCaseRegions())) {
      builder.createBlock(&region);
      emitFewRows(rows);
      scf::YieldOp::create(builder, loc);
    }
  }

  /// As many sums as registers hold, from several panels at once; then single panels, then single vectors.
  void emitFewRows(int64_t rows) {
    if (rows == 0)
      return;
    Value zero = constant(0), end = extents[tile.column], to = extents[reductions[0]];
    Value wide = roundDown(end, tile.rows / rows * getWidth()), whole = roundDown(end, getWidth());
    auto emitRange = [&](Value first, Value last, int64_t vectors) {
      forEach(first, last, vectors * tile.lanes, [&](Value column) {
        emitTile(zero, rows, column, column, vectors, vectors == 1 ? createMask(column) : Value(), zero, to);
      });
    };
    emitRange(zero, wide, tile.rows / rows * tile.vectors);
    if (tile.rows / rows > 1)
      emitRange(wide, whole, tile.vectors);
    emitRange(whole, end, 1);
  }

  //===--------------------------------------------------------------------===//
  // Copy of a block: [tile of columns][reduction step][column]
  //===--------------------------------------------------------------------===//

  int64_t getWidth() const { return tile.vectors * tile.lanes; }

  /// Position in the block's reduction steps of the current loop indices.
  Value getStep(Value from) {
    Value step = subtract(at[reductions[0]], from);
    for (unsigned loop : ArrayRef<unsigned>(reductions).drop_front())
      step = add(multiply(step, op.getStaticLoopRanges()[loop]), at[loop]);
    return step;
  }

  /// All steps of a block, for reading `packed`.
  Value getScratchPosition(Value column, Value firstColumn, Value from) {
    // column = firstColumn + tile * width + rest
    Value offset = subtract(column, firstColumn);
    Value rest = builder.createOrFold<arith::RemUIOp>(loc, offset, constant(getWidth()));
    Value base = multiply(subtract(offset, rest), tile.packedElements / (tile.panels * getWidth()));
    return add(add(base, rest), multiply(getStep(from), getWidth()));
  }

  /// The packed value of elements of the packed operand.
  Value widen(Value value) {
    SmallVector<Operation *> chain;
    for (Operation *inner = packedValue.getDefiningOp(); inner; inner = inner->getOperand(0).getDefiningOp())
      chain.push_back(inner);
    for (Operation *inner : llvm::reverse(chain)) {
      Type type = inner->getResult(0).getType();
      if (isa<VectorType>(value.getType()))
        type = getVectorType(type);
      value = builder.create(loc, inner->getName().getIdentifier(), value, type, inner->getAttrs())->getResult(0);
    }
    return value;
  }

  void emitReductions(unsigned number, Value from, Value to, function_ref<void()> body) {
    if (number == reductions.size())
      return body();
    unsigned loop = reductions[number];
    forEach(number == 0 ? from : constant(0), number == 0 ? to : extents[loop], 1, [&](Value index) {
      at[loop] = index;
      emitReductions(number + 1, from, to, body);
    });
  }

  void emitPack(Value column, Value columns, Value from, Value to) {
    OpOperand &operand = op->getOpOperand(*tile.packed);
    if (!isUnitStride(operand.get(), op.getMatchingIndexingMap(&operand), tile.column)) {
      // Along the reduction, which is where such an operand is contiguous. Columns that are not there stay as they are:
      // what is computed from them is not stored.
      return forEach(column, add(column, columns), 1, [&](Value position) {
        emitReductions(0, from, to, [&] {
          at[tile.column] = position;
          Value value = widen(memref::LoadOp::create(builder, loc, operand.get(), getIndices(operand)));
          memref::StoreOp::create(builder, loc, value, scratch, getScratchPosition(position, column, from));
        });
      });
    }
    Value whole = roundDown(columns, tile.lanes), last = add(column, whole), end = add(column, columns);
    emitReductions(0, from, to, [&] {
      auto copy = [&](Value position, Value mask) {
        at[tile.column] = position;
        Value value = widen(loadVector(operand, mask));
        vector::StoreOp::create(builder, loc, value, scratch, getScratchPosition(position, column, from));
      };
      forEach(column, last, tile.lanes, [&](Value position) { copy(position, Value()); });
      forEach(last, end, tile.lanes, [&](Value position) { copy(position, createMask(position)); });
    });
  }

  //===--------------------------------------------------------------------===//
  // Tiles
  //===--------------------------------------------------------------------===//

  Value createMask(Value column) {
    auto type = VectorType::get(tile.lanes, builder.getI1Type());
    return vector::CreateMaskOp::create(builder, loc, type, subtract(extents[tile.column], column));
  }

  /// Whole tiles, then single vectors, the last of which may be partial.
  void emitColumns(Value column, Value columns, Value from, Value to) {
    Value whole = add(column, roundDown(columns, getWidth())), end = add(column, columns);
    forEach(column, whole, getWidth(),
            [&](Value position) { emitRows(position, column, tile.vectors, Value(), from, to); });
    forEach(whole, end, tile.lanes,
            [&](Value position) { emitRows(position, column, 1, createMask(position), from, to); });
  }

  void emitRows(Value column, Value firstColumn, int64_t vectors, Value mask, Value from, Value to) {
    Value whole = roundDown(rowExtent, tile.rows);
    forEach(constant(0), whole, tile.rows,
            [&](Value row) { emitTile(row, tile.rows, column, firstColumn, vectors, mask, from, to); });
    Value rest = subtract(rowExtent, whole);
    if (std::optional<int64_t> known = getConstantIntValue(rest)) {
      if (*known > 0)
        emitTile(whole, *known, column, firstColumn, vectors, mask, from, to);
      return;
    }
    SmallVector<int64_t> cases = llvm::to_vector(llvm::seq<int64_t>(1, tile.rows));
    auto choice = scf::IndexSwitchOp::create(builder, loc, TypeRange(), rest, cases, cases.size());
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&choice.getDefaultRegion());
    scf::YieldOp::create(builder, loc);
    for (auto [rows, region] : llvm::zip(cases, choice.getCaseRegions())) {
      builder.createBlock(&region);
      emitTile(whole, rows, column, firstColumn, vectors, mask, from, to);
      scf::YieldOp::create(builder, loc);
    }
  }

  SmallVector<Value> getIndices(OpOperand &operand) { return getAccessIndices(builder, op, operand, at); }

  void moveTo(const RowIndices &row, Value column) {
    for (auto [loop, index] : llvm::zip_equal(tile.rowLoops, row))
      at[loop] = index;
    at[tile.column] = column;
  }

  VectorType getVectorType(Type element) { return VectorType::get(tile.lanes, element); }

  Value loadVector(OpOperand &operand, Value mask) {
    auto type = getVectorType(cast<MemRefType>(operand.get().getType()).getElementType());
    SmallVector<Value> indices = getIndices(operand);
    if (!mask)
      return vector::LoadOp::create(builder, loc, type, operand.get(), indices);
    Value nothing = arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
    return vector::MaskedLoadOp::create(builder, loc, type, operand.get(), indices, mask, nothing);
  }

  Value getAllLanes() {
    auto type = VectorType::get(tile.lanes, builder.getI1Type());
    return arith::ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, true));
  }

  Value loadResult(OpOperand &init, Value mask) {
    if (!laneOffsets)
      return loadVector(init, mask);
    auto type = getVectorType(cast<MemRefType>(init.get().getType()).getElementType());
    Value nothing = arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
    return vector::GatherOp::create(builder, loc, type, init.get(), getIndices(init), laneOffsets,
                                    mask ? mask : getAllLanes(), nothing);
  }

  void storeResult(OpOperand &init, Value mask, Value value) {
    SmallVector<Value> indices = getIndices(init);
    if (laneOffsets)
      vector::ScatterOp::create(builder, loc, Type(), init.get(), indices, laneOffsets, mask ? mask : getAllLanes(),
                                value);
    else if (mask)
      vector::MaskedStoreOp::create(builder, loc, init.get(), indices, mask, value);
    else
      vector::StoreOp::create(builder, loc, value, init.get(), indices);
  }

  void emitTile(Value row, int64_t rows, Value column, Value firstColumn, int64_t vectors, Value mask, Value from,
                Value to) {
    OpOperand &init = *op.getDpsInitOperand(0);
    SmallVector<RowIndices> rowIndices = getRowIndices(builder, loc, tile.rowLoops, extents, row, rows);
    SmallVector<Value> columnIndices, sums;
    for (int64_t i = 0; i < vectors; ++i)
      columnIndices.push_back(add(column, i * tile.lanes));
    auto forEachVector = [&](function_ref<void(unsigned)> body) {
      unsigned number = 0;
      for (const RowIndices &rowIndex : rowIndices)
        for (Value columnIndex : columnIndices) {
          moveTo(rowIndex, columnIndex);
          body(number++);
        }
    };
    for (unsigned loop : reductions)
      at[loop] = Value();
    forEachVector([&](unsigned) { sums.push_back(loadResult(init, mask)); });
    sums = emitSums(0, sums, from, to, [&](ValueRange values) {
      return emitStep(values, rowIndices, columnIndices, firstColumn, mask, from);
    });
    for (unsigned loop : reductions)
      at[loop] = Value();
    forEachVector([&](unsigned number) { storeResult(init, mask, sums[number]); });
  }

  /// The reduction loops, which hand on the results.
  SmallVector<Value> emitSums(unsigned number, ValueRange sums, Value from, Value to,
                              function_ref<SmallVector<Value>(ValueRange)> step) {
    if (number == reductions.size())
      return step(sums);
    unsigned loop = reductions[number];
    auto range = scf::ForOp::create(builder, loc, number == 0 ? from : constant(0), number == 0 ? to : extents[loop],
                                    constant(1), sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(range.getBody());
    at[loop] = range.getInductionVar();
    SmallVector<Value> next = emitSums(number + 1, range.getRegionIterArgs(), from, to, step);
    scf::YieldOp::create(builder, loc, next);
    return range.getResults();
  }

  /// The body for each row and vector. What does not depend on the row is loaded once for all.
  SmallVector<Value> emitStep(ValueRange sums, ArrayRef<RowIndices> rowIndices, ArrayRef<Value> columnIndices,
                              Value firstColumn, Value mask, Value from) {
    llvm::SmallDenseMap<std::pair<unsigned, unsigned>, Value> shared;
    SmallVector<Value> results;
    for (auto [row, rowIndex] : llvm::enumerate(rowIndices)) {
      llvm::SmallDenseMap<unsigned, Value> scalars;
      for (auto [vector, columnIndex] : llvm::enumerate(columnIndices)) {
        moveTo(rowIndex, columnIndex);
        IRMapping mapping;
        for (OpOperand *input : op.getDpsInputOperands()) {
          BlockArgument argument = op.getMatchingBlockArgument(input);
          if (argument.use_empty())
            continue;
          AffineMap map = op.getMatchingIndexingMap(input);
          unsigned number = input->getOperandNumber();
          if (!map.isFunctionOfDim(tile.column)) {
            Value &value = scalars[number];
            if (!value)
              value = isa<MemRefType>(input->get().getType())
                          ? memref::LoadOp::create(builder, loc, input->get(), getIndices(*input)).getResult()
                          : input->get();
            mapping.map(argument, value);
            continue;
          }
          Value &value = shared[{number, vector}];
          bool ofRow = llvm::any_of(tile.rowLoops, [&](unsigned loop) { return map.isFunctionOfDim(loop); });
          bool isPacked = number == tile.packed;
          if (!value || ofRow) {
            value = isPacked && scratch ? loadPacked(columnIndex, firstColumn, from)
                                        : loadVector(*input, getPanelAccess(map, tile.column) ? Value() : mask);
            if (isPacked && !scratch)
              value = widen(value);
          }
          mapping.map(isPacked ? packedValue : argument, value);
        }
        mapping.map(op.getRegionOutputArgs()[0], sums[results.size()]);
        results.push_back(cloneBody(mapping));
      }
    }
    return results;
  }

  Value loadPacked(Value column, Value firstColumn, Value from) {
    auto type = getVectorType(packedValue.getType());
    return vector::LoadOp::create(builder, loc, type, scratch, getScratchPosition(column, firstColumn, from));
  }

  Value splat(Value value) {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(builder, loc, getVectorType(value.getType()), value);
  }

  Value cloneBody(IRMapping &mapping) {
    llvm::SmallPtrSet<Operation *, 2> widened;
    for (Operation *inner = packedValue ? packedValue.getDefiningOp() : nullptr; inner;
         inner = inner->getOperand(0).getDefiningOp())
      widened.insert(inner);
    for (Operation &inner : op.getBody()->without_terminator()) {
      if (widened.contains(&inner))
        continue;
      if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
        mapping.map(index.getResult(), at[index.getDim()]);
        continue;
      }
      bool onVectors = llvm::any_of(inner.getOperands(), [&](Value operand) {
        return isa<VectorType>(mapping.lookupOrDefault(operand).getType());
      });
      if (!onVectors) {
        builder.clone(inner, mapping);
        continue;
      }
      SmallVector<Value> operands;
      for (Value operand : inner.getOperands())
        operands.push_back(splat(mapping.lookupOrDefault(operand)));
      SmallVector<Type> types;
      for (Type type : inner.getResultTypes())
        types.push_back(getVectorType(type));
      Operation *copy = builder.create(loc, inner.getName().getIdentifier(), operands, types, inner.getAttrs());
      mapping.map(inner.getResults(), copy->getResults());
    }
    return splat(mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0)));
  }

  OpBuilder &builder;
  linalg::GenericOp op;
  const RegisterTile &tile;
  Location loc;
  SmallVector<Value> extents;
  Value scratch, packedValue, rowExtent;
  /// How far the results of the lanes are from the first, where they are not neighbours.
  Value laneOffsets;
  SmallVector<unsigned> reductions, others;
  /// Current index of each loop.
  SmallVector<Value> at;
};

} // namespace

void relax::emitRegisterTiles(OpBuilder &builder, linalg::GenericOp op, const RegisterTile &tile, ValueRange extents,
                              Value scratch) {
  TileEmitter(builder, op, tile, extents, scratch).emit();
}
