//===- RegisterTiles.cpp - Contractions in vector registers ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The loops of a contraction become
//
//   other parallel loops                  one after another
//     blocks of columns
//       blocks of the first reduction     what all rows read is copied: contiguous, one page after another
//         tiles of columns, tiles of rows
//           load results; reduction loops with the results in registers; store results
//
// The scalar body is cloned on vectors along the columns; a value that does not
// depend on the column stays scalar until it meets one that does.
//
//===----------------------------------------------------------------------===//
#include "RegisterTiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::relax;

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// 4 rows of 3 vectors, 3 factors and 1 broadcast fill 16 registers.
constexpr int64_t kRows = 4, kVectors = 3;
/// Steps of the reduction and tiles of columns in a copied block: 96 KiB of f32, which fit the second cache.
constexpr int64_t kBlockSteps = 256, kPanels = 4;

static bool isByteSized(Type type) { return type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0; }

/// True when one step of loop `dim` moves this access by one element: `dim` plus terms without it, in the last
/// position.
static bool isUnitStride(Value buffer, AffineMap map, unsigned dim) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || map.getNumResults() == 0 || !isByteSized(type.getElementType()) || !type.isLastDimUnitStride())
    return false;
  if (llvm::any_of(map.getResults().drop_back(), [&](AffineExpr expr) { return expr.isFunctionOfDim(dim); }))
    return false;
  AffineExpr self = getAffineDimExpr(dim, map.getContext());
  return !simplifyAffineExpr(map.getResults().back() - self, map.getNumDims(), 0).isFunctionOfDim(dim);
}

/// True when the body can run on vectors along `column`, also for lanes that are not there.
static bool isVectorizable(linalg::GenericOp op, unsigned column) {
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      if (index.getDim() == column)
        return false;
      continue;
    }
    if (inner.getNumRegions() != 0 || !isPure(&inner))
      return false;
    bool constant = inner.getNumOperands() == 0;
    if (!constant && !OpTrait::hasElementwiseMappableTraits(&inner))
      return false;
  }
  return true;
}

/// Copies blocks of `input` when the size of a block is known: all reduction loops but the first are static and short.
static bool choosePacking(linalg::GenericOp op, OpOperand *input, RegisterTile &tile) {
  AffineMap map = op.getMatchingIndexingMap(input);
  if (!isa<MemRefType>(input->get().getType()) ||
      !isByteSized(cast<MemRefType>(input->get().getType()).getElementType()))
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t steps = kBlockSteps;
  bool first = true;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator != utils::IteratorType::reduction)
      continue;
    if (!map.isFunctionOfDim(loop))
      return false;
    if (!std::exchange(first, false))
      steps = ShapedType::isDynamic(ranges[loop]) || ranges[loop] == 0 ? 0 : steps / ranges[loop];
  }
  if (steps == 0)
    return false;
  tile.packed = input->getOperandNumber();
  tile.blockSteps = steps;
  return true;
}

std::optional<RegisterTile> relax::chooseRegisterTile(linalg::GenericOp op, int64_t vectorBits) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (iterators.size() < 3 || op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return std::nullopt;
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap outMap = op.getMatchingIndexingMap(init);
  if (outMap.getNumResults() < 2 || !outMap.isProjectedPermutation())
    return std::nullopt;
  RegisterTile tile;
  tile.column = outMap.getDimPosition(outMap.getNumResults() - 1);
  if (!isUnitStride(init->get(), outMap, tile.column) || !isVectorizable(op, tile.column))
    return std::nullopt;

  Type sumType = cast<MemRefType>(init->get().getType()).getElementType();
  tile.rows = kRows;
  tile.vectors = kVectors;
  tile.panels = kPanels;
  tile.lanes = vectorBits / sumType.getIntOrFloatBitWidth();
  tile.packedElements = kBlockSteps * kPanels * kVectors * tile.lanes;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto isShort = [&](unsigned loop, int64_t least) {
    return !ShapedType::isDynamic(ranges[loop]) && ranges[loop] < least;
  };
  if (tile.lanes < 2 || isShort(tile.column, tile.lanes))
    return std::nullopt;

  // What has another stride along the columns can only be read from a copy.
  OpOperand *strided = nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!isa<MemRefType>(input->get().getType()) && !input->get().getType().isIntOrFloat())
      return std::nullopt;
    if (!map.isFunctionOfDim(tile.column) || isUnitStride(input->get(), map, tile.column))
      continue;
    if (strided)
      return std::nullopt;
    strided = input;
  }
  // Rows: a parallel loop whose steps read the same vector of some input.
  for (unsigned loop = iterators.size(); loop-- > 0;) {
    if (iterators[loop] != utils::IteratorType::parallel || loop == tile.column || isShort(loop, kRows))
      continue;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (map.isFunctionOfDim(loop) || !map.isFunctionOfDim(tile.column) || (strided && strided != input))
        continue;
      tile.row = loop;
      if (!choosePacking(op, input, tile) && strided)
        return std::nullopt;
      return tile;
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

namespace {

class TileEmitter {
public:
  TileEmitter(OpBuilder &builder, linalg::GenericOp op, const RegisterTile &tile, ValueRange extents, Value scratch)
      : builder(builder), op(op), tile(tile), loc(op.getLoc()), extents(extents), scratch(scratch), at(extents.size()) {
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
      if (iterator == utils::IteratorType::reduction)
        reductions.push_back(loop);
      else if (loop != tile.row && loop != tile.column)
        others.push_back(loop);
    }
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
    int64_t width = tile.vectors * tile.lanes;
    forEach(constant(0), extents[tile.column], tile.panels * width, [&](Value column) {
      Value columns = minimum(subtract(extents[tile.column], column), constant(tile.panels * width));
      if (!tile.packed)
        return emitColumns(column, columns, constant(0), extents[reductions[0]]);
      forEach(constant(0), extents[reductions[0]], tile.blockSteps, [&](Value from) {
        Value to = minimum(extents[reductions[0]], add(from, tile.blockSteps));
        emitPack(column, columns, from, to);
        emitColumns(column, columns, from, to);
      });
    });
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
    Value base = multiply(subtract(offset, rest), kBlockSteps);
    return add(add(base, rest), multiply(getStep(from), getWidth()));
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
          Value value = memref::LoadOp::create(builder, loc, operand.get(), getIndices(operand));
          memref::StoreOp::create(builder, loc, value, scratch, getScratchPosition(position, column, from));
        });
      });
    }
    Value whole = roundDown(columns, tile.lanes), last = add(column, whole), end = add(column, columns);
    emitReductions(0, from, to, [&] {
      auto copy = [&](Value position, Value mask) {
        at[tile.column] = position;
        Value value = loadVector(operand, mask);
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
    Value extent = extents[tile.row], whole = roundDown(extent, tile.rows);
    forEach(constant(0), whole, tile.rows,
            [&](Value row) { emitTile(row, tile.rows, column, firstColumn, vectors, mask, from, to); });
    Value rest = subtract(extent, whole);
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

  SmallVector<Value> getIndices(OpOperand &operand) {
    // A loop that does not run here is one that the map does not mention.
    SmallVector<OpFoldResult> loops;
    for (Value index : at)
      loops.push_back(index ? OpFoldResult(index) : OpFoldResult(builder.getIndexAttr(0)));
    return getValueOrCreateConstantIndexOp(
        builder, loc,
        affine::makeComposedFoldedMultiResultAffineApply(builder, loc, op.getMatchingIndexingMap(&operand), loops));
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

  void emitTile(Value row, int64_t rows, Value column, Value firstColumn, int64_t vectors, Value mask, Value from,
                Value to) {
    OpOperand &init = *op.getDpsInitOperand(0);
    SmallVector<Value> rowIndices, columnIndices, sums;
    for (int64_t i = 0; i < rows; ++i)
      rowIndices.push_back(add(row, i));
    for (int64_t i = 0; i < vectors; ++i)
      columnIndices.push_back(add(column, i * tile.lanes));
    auto forEachVector = [&](function_ref<void(unsigned)> body) {
      unsigned number = 0;
      for (Value rowIndex : rowIndices)
        for (Value columnIndex : columnIndices) {
          at[tile.row] = rowIndex;
          at[tile.column] = columnIndex;
          body(number++);
        }
    };
    for (unsigned loop : reductions)
      at[loop] = Value();
    forEachVector([&](unsigned) { sums.push_back(loadVector(init, mask)); });
    sums = emitSums(0, sums, from, to, [&](ValueRange values) {
      return emitStep(values, rowIndices, columnIndices, firstColumn, mask, from);
    });
    for (unsigned loop : reductions)
      at[loop] = Value();
    forEachVector([&](unsigned number) {
      SmallVector<Value> indices = getIndices(init);
      if (mask)
        vector::MaskedStoreOp::create(builder, loc, init.get(), indices, mask, sums[number]);
      else
        vector::StoreOp::create(builder, loc, sums[number], init.get(), indices);
    });
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
  SmallVector<Value> emitStep(ValueRange sums, ArrayRef<Value> rowIndices, ArrayRef<Value> columnIndices,
                              Value firstColumn, Value mask, Value from) {
    llvm::SmallDenseMap<std::pair<unsigned, unsigned>, Value> shared;
    SmallVector<Value> results;
    for (auto [row, rowIndex] : llvm::enumerate(rowIndices)) {
      llvm::SmallDenseMap<unsigned, Value> scalars;
      for (auto [vector, columnIndex] : llvm::enumerate(columnIndices)) {
        at[tile.row] = rowIndex;
        at[tile.column] = columnIndex;
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
          if (!value || map.isFunctionOfDim(tile.row))
            value =
                number == tile.packed ? loadPacked(*input, columnIndex, firstColumn, from) : loadVector(*input, mask);
          mapping.map(argument, value);
        }
        mapping.map(op.getRegionOutputArgs()[0], sums[results.size()]);
        results.push_back(cloneBody(mapping));
      }
    }
    return results;
  }

  Value loadPacked(OpOperand &operand, Value column, Value firstColumn, Value from) {
    auto type = getVectorType(cast<MemRefType>(operand.get().getType()).getElementType());
    return vector::LoadOp::create(builder, loc, type, scratch, getScratchPosition(column, firstColumn, from));
  }

  Value splat(Value value) {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(builder, loc, getVectorType(value.getType()), value);
  }

  Value cloneBody(IRMapping &mapping) {
    for (Operation &inner : op.getBody()->without_terminator()) {
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
  Value scratch;
  SmallVector<unsigned> reductions, others;
  /// Current index of each loop.
  SmallVector<Value> at;
};

} // namespace

void relax::emitRegisterTiles(OpBuilder &builder, linalg::GenericOp op, const RegisterTile &tile, ValueRange extents,
                              Value scratch) {
  TileEmitter(builder, op, tile, extents, scratch).emit();
}
