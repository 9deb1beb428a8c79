//===- SumTiles.cpp - Tiles of sums in registers --------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "SumTiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace mlir::relax;

/// Copies of the body for the loops that are written out: enough for the constants of a block of numbers to be shared.
constexpr int64_t kCopies = 8;

bool relax::isLaneableSum(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1)
    return false;
  OpOperand *init = op.getDpsInitOperand(0);
  BlockArgument sum = op.getRegionOutputArgs()[0];
  Operation *combiner = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || !sum.hasOneUse() || *sum.user_begin() != combiner || !isa<MemRefType>(init->get().getType()) ||
      !op.getMatchingIndexingMap(init).isProjectedPermutation())
    return false;
  if (auto add = dyn_cast<arith::AddFOp>(combiner))
    return arith::bitEnumContainsAll(add.getFastmath(), arith::FastMathFlags::reassoc);
  return isa<arith::AddIOp>(combiner) && sum.getType().isSignlessInteger();
}

DenseMap<Value, llvm::SmallBitVector> relax::findLoopsOfValues(linalg::GenericOp op) {
  unsigned numLoops = op.getNumLoops();
  DenseMap<Value, llvm::SmallBitVector> loops;
  for (OpOperand &operand : op->getOpOperands()) {
    llvm::SmallBitVector used(numLoops);
    for (unsigned loop = 0; loop < numLoops; ++loop)
      if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop))
        used.set(loop);
    loops[op.getMatchingBlockArgument(&operand)] = used;
  }
  for (Operation &inner : op.getBody()->without_terminator()) {
    llvm::SmallBitVector used(numLoops);
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      used.set(index.getDim());
    for (Value operand : inner.getOperands())
      if (auto known = loops.find(operand); known != loops.end())
        used |= known->second;
    for (Value result : inner.getResults())
      loops[result] = used;
  }
  return loops;
}

int64_t relax::countSideWork(linalg::GenericOp op, ArrayRef<unsigned> group, unsigned firstLane) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  DenseMap<Value, llvm::SmallBitVector> loops = findLoopsOfValues(op);
  int64_t work = 0;
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (inner.getNumResults() == 0)
      continue;
    const llvm::SmallBitVector &used = loops.find(inner.getResult(0))->second;
    bool inside = used.find_last() >= static_cast<int>(firstLane);
    for (unsigned loop : used.set_bits())
      inside &= iterators[loop] == utils::IteratorType::reduction || llvm::is_contained(group, loop);
    work += inside;
  }
  return work;
}

std::optional<SumSides> relax::chooseSides(linalg::GenericOp op, unsigned firstLane) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<AffineMap> moving;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool moves = false;
    for (unsigned loop = firstLane; loop < iterators.size(); ++loop)
      moves |= map.isFunctionOfDim(loop);
    if (moves)
      moving.push_back(map);
  }
  if (moving.size() < 2)
    return std::nullopt;

  // Loops that one operand knows of belong to the same side; those that all know of share nothing.
  llvm::EquivalenceClasses<unsigned> classes;
  auto isShared = [&](unsigned loop) {
    return iterators[loop] == utils::IteratorType::parallel &&
           llvm::any_of(moving, [&](AffineMap map) { return !map.isFunctionOfDim(loop); }) &&
           llvm::any_of(moving, [&](AffineMap map) { return map.isFunctionOfDim(loop); });
  };
  for (AffineMap map : moving) {
    std::optional<unsigned> first;
    for (unsigned loop = 0; loop < iterators.size(); ++loop) {
      if (!isShared(loop) || !map.isFunctionOfDim(loop))
        continue;
      classes.insert(loop);
      classes.unionSets(first ? *first : loop, loop);
      first = loop;
    }
  }
  SmallVector<SmallVector<unsigned>> groups;
  for (const auto *leader : classes) {
    if (!leader->isLeader())
      continue;
    groups.emplace_back(classes.member_begin(*leader), classes.member_end());
    llvm::sort(groups.back());
  }
  if (groups.empty() || groups.size() > 2)
    return std::nullopt;
  // Between equals the order of the loops decides, not that of the classes.
  llvm::sort(groups);
  if (groups.size() == 2 && countSideWork(op, groups[1], firstLane) > countSideWork(op, groups[0], firstLane))
    std::swap(groups[0], groups[1]);
  return SumSides{groups[0], groups.size() == 2 ? groups[1] : SmallVector<unsigned>()};
}

unsigned relax::countUnrolled(linalg::GenericOp op, unsigned firstLane, int64_t copies) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  unsigned unrolled = copies <= kCopies ? iterators.size() - firstLane : 0;
  for (unsigned loop = firstLane; unrolled > 0 && loop-- > 0 && iterators[loop] == utils::IteratorType::reduction;
       ++unrolled)
    if (ShapedType::isDynamic(ranges[loop]) || ranges[loop] == 0 || llvm::MulOverflow(copies, ranges[loop], copies) ||
        copies > kCopies)
      break;
  return unrolled;
}

/// Rows that are used together make it worth to keep made ones in a cache.
constexpr int64_t kManyUsed = 4;
/// Rows that are made before they are made again for the next tile of used ones: what they are made of stays in the
/// first or second cache.
constexpr int64_t kPart = 32;

SumTileEmitter::SumTileEmitter(OpBuilder &builder, linalg::GenericOp op, const SumSides &sides, ValueRange extents,
                               ArrayRef<SumTileShape> shapes, int64_t lanes, unsigned unrolled)
    : builder(builder), op(op), sides(sides), loc(op.getLoc()), extents(extents), at(extents.size()),
      loopsOf(findLoopsOfValues(op)), combiner(op.getBody()->getTerminator()->getOperand(0).getDefiningOp()),
      shapes(shapes), lanes(lanes), unrolled(unrolled) {
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator == utils::IteratorType::reduction)
      reductions.push_back(loop);
    else if (!llvm::is_contained(sides.made, loop) && !llvm::is_contained(sides.used, loop))
      others.push_back(loop);
  }
}

Value SumTileEmitter::constant(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(op->getBlock());
    known = arith::ConstantIndexOp::create(builder, loc, value);
  }
  return known;
}

void SumTileEmitter::forEach(Value from, Value to, int64_t step, function_ref<void(Value)> body) {
  if (std::optional<int64_t> first = getConstantIntValue(from); first && first == getConstantIntValue(to))
    return;
  auto loop = scf::ForOp::create(builder, loc, from, to, constant(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// `value - value mod step`, for value >= 0.
Value SumTileEmitter::roundDown(Value value, int64_t step) {
  if (step == 1)
    return value;
  Value rest = builder.createOrFold<arith::RemUIOp>(loc, value, constant(step));
  return builder.createOrFold<arith::SubIOp>(loc, value, rest);
}

void SumTileEmitter::emitOthers(unsigned number) {
  if (number == others.size())
    return emitTiles();
  forEach(constant(0), extents[others[number]], 1, [&](Value index) {
    at[others[number]] = index;
    emitOthers(number + 1);
  });
}

void SumTileEmitter::emitTile() {
  auto type = VectorType::get(lanes, getElementTypeOrSelf(op.getDpsInitOperand(0)->get()));
  Value zero = arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  storeSums(emitReductions(0, SmallVector<Value>(used.size() * made.size(), zero)));
}

SmallVector<Value> SumTileEmitter::emitReductions(unsigned number, SmallVector<Value> sums) {
  if (number + unrolled == reductions.size()) {
    addTerms(number, sums);
    return sums;
  }
  unsigned loop = reductions[number];
  auto range = scf::ForOp::create(builder, loc, constant(0), extents[loop], constant(getStep(loop)), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(range.getBody());
  at[loop] = range.getInductionVar();
  SmallVector<Value> next = emitReductions(number + 1, llvm::to_vector_of<Value>(range.getRegionIterArgs()));
  scf::YieldOp::create(builder, loc, next);
  return range.getResults();
}

void SumTileEmitter::emitTiles() {
  Value usedEnd = getRowExtent(builder, loc, sides.used, extents), usedRow = firstUsed ? firstUsed : constant(0);
  Value madeEnd = getRowExtent(builder, loc, sides.made, extents);
  for (SumTileShape shape : shapes) {
    Value end = roundDown(usedEnd, shape.used);
    if (firstUsed)
      end = builder.createOrFold<arith::MaxUIOp>(loc, end, usedRow);
    auto forEachTile = [&](function_ref<void()> body) {
      forEach(usedRow, end, shape.used, [&](Value row) {
        used = getRowIndices(builder, loc, sides.used, extents, row, shape.used);
        body();
      });
    };
    // One tile of all that is used reads what is made once.
    std::optional<int64_t> all = getConstantIntValue(usedEnd);
    if (shape.used < kManyUsed || (all && *all == shape.used)) {
      forEachTile([&] { emitStreams(madeEnd, shape.made); });
    } else {
      forEach(constant(0), madeEnd, kPart, [&](Value part) {
        Value partEnd = builder.createOrFold<arith::AddIOp>(loc, part, constant(kPart));
        partEnd = builder.createOrFold<arith::MinUIOp>(loc, partEnd, madeEnd);
        forEachTile([&] { emitNeighbours(part, partEnd, shape.made); });
      });
    }
    usedRow = end;
  }
}

void SumTileEmitter::emitNeighbours(Value from, Value to, int64_t count) {
  Value size = builder.createOrFold<arith::SubIOp>(loc, to, from);
  Value whole = builder.createOrFold<arith::AddIOp>(loc, from, roundDown(size, count));
  forEach(from, whole, count, [&](Value first) { emitMade(first, constant(1), count); });
  if (count > 1)
    forEach(whole, to, 1, [&](Value first) { emitMade(first, constant(1), 1); });
}

void SumTileEmitter::emitStreams(Value end, int64_t count) {
  // Far apart, the rows of a tile are long streams each, which hardware fetches ahead.
  Value distance = builder.createOrFold<arith::DivUIOp>(loc, end, constant(count));
  forEach(constant(0), distance, 1, [&](Value first) { emitMade(first, distance, count); });
  Value rest = builder.createOrFold<arith::MulIOp>(loc, distance, constant(count));
  forEach(rest, end, 1, [&](Value first) { emitMade(first, distance, 1); });
}

void SumTileEmitter::emitMade(Value first, Value distance, int64_t count) {
  made.clear();
  for (int64_t i = 0; i < count; ++i) {
    if (i != 0)
      first = builder.createOrFold<arith::AddIOp>(loc, first, distance);
    llvm::append_range(made, getRowIndices(builder, loc, sides.made, extents, first, 1));
  }
  emitTile();
}

void SumTileEmitter::forEachUsed(size_t row, function_ref<void(size_t)> body) {
  for (auto [number, usedRow] : llvm::enumerate(used)) {
    moveTo(sides.used, usedRow);
    body(row * used.size() + number);
  }
}

void SumTileEmitter::storeSums(ArrayRef<Value> sums) {
  OpOperand &init = *op.getDpsInitOperand(0);
  auto flags = arith::FastMathFlags::none;
  if (auto add = dyn_cast<arith::AddFOp>(combiner))
    flags = add.getFastmath();
  for (auto [row, madeRow] : llvm::enumerate(made)) {
    moveTo(sides.made, madeRow);
    forEachUsed(row, [&](size_t number) {
      SmallVector<Value> indices = getIndices(init);
      Value value = memref::LoadOp::create(builder, loc, init.get(), indices);
      value = vector::ReductionOp::create(builder, loc, vector::CombiningKind::ADD, sums[number], value, flags);
      memref::StoreOp::create(builder, loc, value, init.get(), indices);
    });
  }
}

Value SumTileEmitter::getAddend() {
  return combiner->getOperand(combiner->getOperand(0) == op.getRegionOutputArgs()[0] ? 1 : 0);
}

Value SumTileEmitter::addTo(Value total, Value addend) {
  Value operands[2] = {total, addend};
  return builder
      .create(loc, combiner->getName().getIdentifier(), ValueRange(operands), TypeRange(total.getType()),
              combiner->getAttrs())
      ->getResult(0);
}

std::vector<void *> SumTileEmitter::getKey(Value value, const llvm::SmallBitVector &loops) const {
  std::vector<void *> key = {value.getAsOpaquePointer()};
  for (unsigned loop : loops.set_bits())
    key.push_back(at[loop].getAsOpaquePointer());
  return key;
}
