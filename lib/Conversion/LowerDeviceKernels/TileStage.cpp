//===- TileStage.cpp - Products by tiles ----------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A workgroup makes one tile of the result. Steps of the reduction are taken in
// blocks: what they read is brought to memory of the workgroup once, then each
// invocation works on its part of the tile in registers. Rows, columns and steps
// are any number of loops, so that a convolution is a product too. Elementwise
// ops over the result are computed before it is written.
//
//===----------------------------------------------------------------------===//
#include "StageBuilder.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::relax;

namespace {

/// Steps of a block, bytes of the workgroup's memory that every device has.
constexpr int64_t kSteps = 16, kSharedBytes = 16384;

/// One side of the product: rows or columns of the result.
struct TileSide {
  SmallVector<unsigned> loops;
  SmallVector<OpOperand *> operands; // brought to memory of the workgroup
  std::optional<int64_t> size;
  int64_t threads = 8, registers = 4;

  int64_t tile() const { return threads * registers; }
};

struct TileEpilogue {
  StageLoops loops;
  SmallVector<unsigned> products; // the product's loop for each of these loops
};

struct TileMatch {
  StageLoops loops;
  Operation *combiner = nullptr;
  SmallVector<unsigned> batch;
  TileSide rows, columns;
  SmallVector<TileEpilogue, 0> epilogues;
  DenseSet<unsigned> kept;

  bool match(const StageQueue &queue, const DeviceScope &scope);

private:
  bool findSides();
  bool addOperands();
  bool chooseTile(const DeviceScope &scope);
  bool isFast(OpOperand *operand) const;
  void addEpilogues(const StageQueue &queue, const DeviceScope &scope);
};

SmallVector<unsigned> getLoopsOf(linalg::GenericOp op, OpOperand *operand) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  SmallVector<unsigned> loops;
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
    if (map.isFunctionOfDim(dim))
      loops.push_back(dim);
  return loops;
}

bool contains(ArrayRef<unsigned> loops, unsigned loop) { return llvm::is_contained(loops, loop); }

/// The body uses nothing but its arguments and constants.
bool isClosed(linalg::GenericOp op) {
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op.getRegion(), above);
  return op.getBody()->getOps<linalg::IndexOp>().empty() &&
         llvm::none_of(above, [](Value value) { return isa<MemRefType>(value.getType()); });
}

/// Columns are the side of the result's fastest loop, so that neighbours write together.
bool TileMatch::findSides() {
  unsigned fastest = loops.parallel.back();
  OpOperand *right = nullptr, *left = nullptr;
  for (OpOperand *in : loops.op.getDpsInputOperands()) {
    if (!isa<MemRefType>(in->get().getType()))
      continue;
    SmallVector<unsigned> its = getLoopsOf(loops.op, in);
    if (llvm::none_of(its, [&](unsigned loop) { return contains(loops.reduction, loop); }))
      continue;
    OpOperand *&side = contains(its, fastest) ? right : left;
    if (!side)
      side = in;
  }
  if (!left || !right)
    return false;
  SmallVector<unsigned> lefts = getLoopsOf(loops.op, left), rights = getLoopsOf(loops.op, right);
  for (unsigned loop : loops.parallel) {
    bool isLeft = contains(lefts, loop), isRight = contains(rights, loop);
    if (!isLeft && !isRight)
      return false;
    (isLeft && isRight ? batch : isLeft ? rows.loops : columns.loops).push_back(loop);
  }
  return contains(columns.loops, fastest);
}

bool TileMatch::addOperands() {
  for (OpOperand *in : loops.op.getDpsInputOperands()) {
    if (!isa<MemRefType>(in->get().getType()))
      continue;
    bool isRow = false, isColumn = false;
    for (unsigned loop : getLoopsOf(loops.op, in)) {
      isRow |= contains(rows.loops, loop);
      isColumn |= contains(columns.loops, loop);
    }
    if (isRow && isColumn)
      return false;
    (isColumn ? columns : rows).operands.push_back(in);
  }
  return true;
}

/// Neighbours in the operand's memory are neighbours in the reduction.
bool TileMatch::isFast(OpOperand *operand) const {
  linalg::GenericOp op = loops.op;
  AffineMap map = op.getMatchingIndexingMap(operand);
  return map.getNumResults() && map.getResults().back().isFunctionOfDim(loops.reduction.back());
}

std::optional<int64_t> countConstant(const StageLoops &loops, ArrayRef<unsigned> which) {
  int64_t product = 1;
  for (unsigned loop : which) {
    std::optional<int64_t> size = getConstantIntValue(loops.sizes[loop]);
    if (!size || llvm::MulOverflow(product, *size, product))
      return std::nullopt;
  }
  return product;
}

bool TileMatch::chooseTile(const DeviceScope &scope) {
  rows.size = countConstant(loops, rows.loops);
  columns.size = countConstant(loops, columns.loops);
  std::optional<int64_t> steps = countConstant(loops, loops.reduction);
  if ((steps && *steps < kSteps) || (columns.size && *columns.size < 8))
    return false;
  // Rows of workgroups are better where they read what is contiguous, and nothing is read twice.
  if (rows.size && *rows.size <= 1 && llvm::all_of(columns.operands, [&](OpOperand *it) { return isFast(it); }))
    return false;
  if (rows.size && *rows.size <= 8) {
    rows.threads = 1;
    rows.registers = std::max<int64_t>(*rows.size, 1);
    columns.threads = kWorkgroup;
    columns.registers = 1;
  }
  int64_t bytes = 0;
  for (TileSide *side : {&rows, &columns})
    for (OpOperand *operand : side->operands) {
      Type type = scope.rootTypes[scope.find(operand->get())->root];
      bytes += (side->tile() + 1) * kSteps * std::max(type.getIntOrFloatBitWidth() / 8, 4u);
    }
  return bytes <= kSharedBytes;
}

void TileMatch::addEpilogues(const StageQueue &queue, const DeviceScope &scope) {
  DenseSet<unsigned> touched;
  DenseMap<Value, SmallVector<unsigned>> values; // memrefs of the result, the product's loop of each dimension
  auto add = [&](linalg::GenericOp op, const DenseMap<Value, SmallVector<unsigned>> &results) {
    for (Value operand : op->getOperands())
      if (const DeviceView *view = scope.find(operand))
        touched.insert(view->root);
    values.insert(results.begin(), results.end());
  };
  std::optional<SmallVector<unsigned>> dims =
      getPlainDims(loops.op.getMatchingIndexingMap(loops.op.getDpsInitOperand(0)));
  if (!dims)
    return;
  add(loops.op, {{loops.op.getDpsInits()[0], *dims}});
  for (linalg::GenericOp op : queue.ops.drop_front()) {
    TileEpilogue next;
    std::string reason;
    if (failed(readLoops(op, scope, next.loops, reason)) || !next.loops.reduction.empty() || !isClosed(op))
      break;
    bool isFine = true, isReader = false;
    DenseSet<unsigned> read;
    for (OpOperand *in : op.getDpsInputOperands()) {
      const DeviceView *view = scope.find(in->get());
      auto found = values.find(in->get());
      if (view)
        read.insert(view->root);
      if (found == values.end()) {
        // Reading what the function writes in another way would see half of it.
        isFine &=
            !view || llvm::none_of(values, [&](const auto &it) { return scope.find(it.first)->root == view->root; });
        continue;
      }
      std::optional<SmallVector<unsigned>> from = getPlainDims(op.getMatchingIndexingMap(in));
      if (!from || from->size() != next.loops.sizes.size()) {
        isFine = false;
        break;
      }
      SmallVector<unsigned> products(from->size());
      for (auto [loop, product] : llvm::zip_equal(*from, found->second))
        products[loop] = product;
      isFine &= !isReader || products == next.products;
      next.products = products;
      isReader = true;
    }
    // Elements that the function has may be replaced where they are.
    DenseMap<Value, SmallVector<unsigned>> results;
    for (OpOperand &out : op.getDpsInitsMutable()) {
      unsigned root = scope.find(out.get())->root;
      std::optional<SmallVector<unsigned>> to = getPlainDims(op.getMatchingIndexingMap(&out));
      auto found = values.find(out.get());
      bool isReplaced = found != values.end();
      if (isFine && to && isReplaced && to->size() == next.loops.sizes.size()) {
        SmallVector<unsigned> products(to->size());
        for (auto [loop, product] : llvm::zip_equal(*to, found->second))
          products[loop] = product;
        isFine &= !isReader || products == next.products;
        next.products = products;
        isReader = true;
      }
      isFine = isFine && isReader && to && !results.contains(out.get()) &&
               (isReplaced ? to->size() == next.loops.sizes.size() : !read.contains(root) && !touched.contains(root));
      if (!isFine)
        break;
      SmallVector<unsigned> &its = results[out.get()];
      for (unsigned loop : *to)
        its.push_back(next.products[loop]);
      touched.insert(root);
    }
    if (!isFine)
      break;
    add(op, results);
    epilogues.push_back(std::move(next));
  }
  // What only the epilogues read stays in registers.
  DenseSet<unsigned> made;
  auto keep = [&](linalg::GenericOp op, OpOperand &out) {
    unsigned its = scope.find(out.get())->root;
    bool isRead = !op.getMatchingBlockArgument(&out).use_empty() && !scope.initial.contains(&out);
    if (made.insert(its).second && its >= scope.numBuffers && !isRead && queue.users[its].front() >= queue.position &&
        queue.users[its].back() <= queue.position + epilogues.size())
      kept.insert(its);
  };
  keep(loops.op, *loops.op.getDpsInitOperand(0));
  for (TileEpilogue &it : epilogues)
    for (OpOperand &out : it.loops.op.getDpsInitsMutable())
      keep(it.loops.op, out);
}

bool TileMatch::match(const StageQueue &queue, const DeviceScope &scope) {
  linalg::GenericOp op = queue.ops[0];
  std::string reason;
  std::optional<SmallVector<Operation *>> combiners = matchCombiners(op);
  if (!combiners || combiners->size() != 1 || !isClosed(op) || failed(readLoops(op, scope, loops, reason)) ||
      loops.reduction.empty() || loops.parallel.empty())
    return false;
  combiner = combiners->front();
  unsigned out = scope.find(op.getDpsInits()[0])->root;
  for (OpOperand *in : op.getDpsInputOperands())
    if (const DeviceView *view = scope.find(in->get()); view && view->root == out)
      return false;
  if (!findSides() || !addOperands() || !chooseTile(scope))
    return false;
  addEpilogues(queue, scope);
  return true;
}

/// An element of a staged operand that an invocation brings.
struct TileSlot {
  OpOperand *operand;
  Value memory, place, step; // in the workgroup's memory; of the block
  Value isNeeded;            // null: always
  SmallVector<Value> coordinates;
};

class TileEmitter {
public:
  TileEmitter(TileMatch &match, DeviceScope &scope, gpu::GPUModuleOp module, std::string &reason)
      : match(match), scope(scope), module(module), stage(scope, match.loops.op.getLoc(), reason) {}

  LogicalResult emit();

private:
  void openTile();
  void addSlots(const TileSide &side, Value first);
  LogicalResult bring(Value firstStep, bool isLast);
  FailureOr<SmallVector<Value>> emitBlock(Value firstStep, Value steps, bool isLast, ValueRange sums);
  FailureOr<SmallVector<Value>> emitSteps();
  LogicalResult emitResult(ValueRange sums);
  LogicalResult emitElement(Value sum, ArrayRef<Value> coordinates);
  /// Where in the tile part `part` of this invocation is.
  Value getPlace(const TileSide &side, int64_t part) {
    Value thread = &side == &match.rows ? threadRow : threadColumn;
    return stage.make<arith::AddIOp>(thread, stage.constant(part * side.threads));
  }
  static int64_t getStride(const TileSide &side) { return side.tile() + 1; } // banks differ along the steps
  Value clamp(Value index, Value size) {
    return stage.make<arith::MinUIOp>(index, stage.make<arith::SubIOp>(size, stage.constant(1)));
  }

  TileMatch &match;
  DeviceScope &scope;
  gpu::GPUModuleOp module;
  StageBuilder stage;
  SmallVector<TileSlot> slots;
  DenseMap<OpOperand *, Value> memories;
  SmallVector<Value> base; // coordinates of batches
  Value threadRow, threadColumn, firstRow, firstColumn, numSteps;
};

void TileEmitter::openTile() {
  const StageLoops &loops = match.loops;
  Size rows = stage.countStepsOnHost(loops, match.rows.loops),
       columns = stage.countStepsOnHost(loops, match.columns.loops);
  Value across = stage.getNumber(scope.sizes.divideUp(columns, match.columns.tile()));
  Value down = stage.getNumber(scope.sizes.divideUp(rows, match.rows.tile()));
  Value tile = stage.openUnits();
  Value rest = stage.make<arith::DivUIOp>(tile, across);
  firstColumn =
      stage.make<arith::MulIOp>(stage.make<arith::RemUIOp>(tile, across), stage.constant(match.columns.tile()));
  firstRow = stage.make<arith::MulIOp>(stage.make<arith::RemUIOp>(rest, down), stage.constant(match.rows.tile()));
  base.assign(loops.sizes.size(), Value());
  stage.decompose(loops, match.batch, stage.make<arith::DivUIOp>(rest, down), base);
  Value width = stage.constant(match.columns.threads);
  threadColumn = stage.make<arith::RemUIOp>(stage.getThread(), width);
  threadRow = stage.make<arith::DivUIOp>(stage.getThread(), width);
}

/// Elements of a block are dealt out to the invocations in the order in which they lie in device memory.
void TileEmitter::addSlots(const TileSide &side, Value first) {
  Value size = stage.countSteps(match.loops, side.loops);
  for (OpOperand *operand : side.operands) {
    AffineMap map = match.loops.op.getMatchingIndexingMap(operand);
    bool isFast = map.getNumResults() && map.getResults().back().isFunctionOfDim(match.loops.reduction.back());
    Value memory =
        stage.shareMemory(cast<MemRefType>(operand->get().getType()).getElementType(), getStride(side) * kSteps);
    memories[operand] = memory;
    Value divisor = stage.constant(isFast ? kSteps : side.tile());
    for (int64_t begin = 0, total = side.tile() * kSteps; begin < total; begin += kWorkgroup) {
      Value element = stage.make<arith::AddIOp>(stage.getThread(), stage.constant(begin));
      TileSlot slot{operand, memory, {}, {}, {}, base};
      if (total - begin < kWorkgroup) {
        slot.isNeeded = stage.less(element, stage.constant(total));
        element = stage.make<arith::MinUIOp>(element, stage.constant(total - 1));
      }
      Value fast = stage.make<arith::RemUIOp>(element, divisor), slow = stage.make<arith::DivUIOp>(element, divisor);
      slot.step = isFast ? fast : slow;
      Value across = isFast ? slow : fast;
      slot.place =
          stage.make<arith::AddIOp>(stage.make<arith::MulIOp>(slot.step, stage.constant(getStride(side))), across);
      // What is behind the edge is read once more and never written.
      stage.decompose(match.loops, side.loops, clamp(stage.make<arith::AddIOp>(first, across), size), slot.coordinates);
      slots.push_back(std::move(slot));
    }
  }
}

LogicalResult TileEmitter::bring(Value firstStep, bool isLast) {
  SmallVector<Value> loaded;
  // All loads first: they wait for each other otherwise.
  for (TileSlot &slot : slots) {
    Value step = stage.make<arith::AddIOp>(firstStep, slot.step);
    if (isLast)
      step = clamp(step, numSteps);
    SmallVector<Value> coordinates = slot.coordinates;
    stage.decompose(match.loops, match.loops.reduction, step, coordinates);
    Value address = stage.getAddress(match.loops, *slot.operand, coordinates);
    if (!address)
      return failure();
    OpBuilder::InsertionGuard guard(stage.builder);
    if (slot.isNeeded) {
      auto branch = scf::IfOp::create(stage.builder, stage.loc, slot.isNeeded);
      stage.builder.setInsertionPointToStart(&branch.getThenRegion().front());
      stage.storeShared(stage.load(slot.operand->get(), address), slot.memory, slot.place);
      loaded.push_back({});
    } else {
      loaded.push_back(stage.load(slot.operand->get(), address));
    }
  }
  for (auto [slot, value] : llvm::zip_equal(slots, loaded))
    if (value)
      stage.storeShared(value, slot.memory, slot.place);
  return success();
}

FailureOr<SmallVector<Value>> TileEmitter::emitBlock(Value firstStep, Value steps, bool isLast, ValueRange sums) {
  if (failed(bring(firstStep, isLast)))
    return failure();
  stage.synchronize();
  auto loop = scf::ForOp::create(stage.builder, stage.loc, stage.constant(0), steps, stage.constant(1), sums);
  {
    OpBuilder::InsertionGuard guard(stage.builder);
    stage.builder.setInsertionPointToStart(loop.getBody());
    DenseMap<std::pair<OpOperand *, int64_t>, Value> values;
    for (const TileSide *side : {&match.rows, &match.columns}) {
      Value row = stage.make<arith::MulIOp>(loop.getInductionVar(), stage.constant(getStride(*side)));
      for (int64_t part = 0; part < side->registers; ++part) {
        Value place = stage.make<arith::AddIOp>(row, getPlace(*side, part));
        for (OpOperand *operand : side->operands)
          values[{operand, part}] =
              stage.loadShared(memories[operand], place, cast<MemRefType>(operand->get().getType()).getElementType());
      }
    }
    SmallVector<Value> next;
    for (int64_t i = 0; i < match.rows.registers; ++i)
      for (int64_t j = 0; j < match.columns.registers; ++j) {
        auto atHand = [&](OpOperand &operand) {
          Value ofRow = values.lookup({&operand, i}), ofColumn = values.lookup({&operand, j});
          return llvm::is_contained(match.rows.operands, &operand) ? ofRow : ofColumn;
        };
        Value sum = loop.getRegionIterArg(next.size());
        FailureOr<SmallVector<Value>> made = stage.emitBody(match.loops, base, ValueRange(sum), atHand);
        if (failed(made))
          return failure();
        next.push_back(made->front());
      }
    scf::YieldOp::create(stage.builder, stage.loc, next);
  }
  stage.synchronize();
  return llvm::to_vector_of<Value>(loop.getResults());
}

FailureOr<SmallVector<Value>> TileEmitter::emitSteps() {
  SmallVector<Value> sums(match.rows.registers * match.columns.registers, stage.makeNeutral(match.combiner));
  Size host = stage.countStepsOnHost(match.loops, match.loops.reduction);
  numSteps = stage.getNumber(host);
  Value block = stage.constant(kSteps);
  Value rest = stage.make<arith::RemUIOp>(numSteps, block);
  Value full = stage.make<arith::SubIOp>(numSteps, rest);
  auto loop = scf::ForOp::create(stage.builder, stage.loc, stage.constant(0), full, block, sums);
  {
    OpBuilder::InsertionGuard guard(stage.builder);
    stage.builder.setInsertionPointToStart(loop.getBody());
    auto made = emitBlock(loop.getInductionVar(), block, false, loop.getRegionIterArgs());
    if (failed(made))
      return failure();
    scf::YieldOp::create(stage.builder, stage.loc, *made);
  }
  if (std::optional<int64_t> constant = getConstantIntValue(host); constant && *constant % kSteps == 0)
    return llvm::to_vector_of<Value>(loop.getResults());
  Value isLeft = arith::CmpIOp::create(stage.builder, stage.loc, arith::CmpIPredicate::ne, rest, stage.constant(0));
  auto branch = scf::IfOp::create(stage.builder, stage.loc, loop.getResultTypes(), isLeft, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(stage.builder);
  stage.builder.setInsertionPointToStart(&branch.getElseRegion().front());
  scf::YieldOp::create(stage.builder, stage.loc, loop.getResults());
  stage.builder.setInsertionPointToStart(&branch.getThenRegion().front());
  auto made = emitBlock(full, rest, true, loop.getResults());
  if (failed(made))
    return failure();
  scf::YieldOp::create(stage.builder, stage.loc, *made);
  return llvm::to_vector_of<Value>(branch.getResults());
}

LogicalResult TileEmitter::emitElement(Value sum, ArrayRef<Value> coordinates) {
  DenseMap<Value, Value> values;
  DenseMap<Value, OpOperand *> last; // what is replaced need not be written
  last[match.loops.op.getDpsInits()[0]] = match.loops.op.getDpsInitOperand(0);
  for (TileEpilogue &epilogue : match.epilogues)
    for (OpOperand &out : epilogue.loops.op.getDpsInitsMutable())
      last[out.get()] = &out;
  auto finish = [&](const StageLoops &loops, OpOperand &out, Value value, ArrayRef<Value> at) -> LogicalResult {
    values[out.get()] = value;
    if (last.lookup(out.get()) != &out || match.kept.contains(scope.find(out.get())->root))
      return success();
    Value address = stage.getAddress(loops, out, at);
    if (!address)
      return failure();
    stage.store(value, out.get(), address);
    return success();
  };
  OpOperand &out = *match.loops.op.getDpsInitOperand(0);
  Value initial = stage.loadInitial(match.loops, out, coordinates);
  if (!initial || failed(finish(match.loops, out, stage.combine(match.combiner, initial, sum), coordinates)))
    return failure();
  for (TileEpilogue &epilogue : match.epilogues) {
    SmallVector<Value> at, initials;
    for (unsigned product : epilogue.products)
      at.push_back(coordinates[product]);
    linalg::GenericOp op = epilogue.loops.op;
    for (OpOperand &result : op.getDpsInitsMutable()) {
      bool isRead = !op.getMatchingBlockArgument(&result).use_empty();
      Value atHand = values.lookup(result.get());
      initials.push_back(!isRead ? Value() : atHand ? atHand : stage.loadInitial(epilogue.loops, result, at));
    }
    FailureOr<SmallVector<Value>> made =
        stage.emitBody(epilogue.loops, at, initials, [&](OpOperand &operand) { return values.lookup(operand.get()); });
    if (failed(made))
      return failure();
    for (auto [result, value] : llvm::zip_equal(op.getDpsInitsMutable(), *made))
      if (failed(finish(epilogue.loops, result, value, at)))
        return failure();
  }
  return success();
}

LogicalResult TileEmitter::emitResult(ValueRange sums) {
  Value numRows = stage.countSteps(match.loops, match.rows.loops);
  Value numColumns = stage.countSteps(match.loops, match.columns.loops);
  for (int64_t i = 0; i < match.rows.registers; ++i)
    for (int64_t j = 0; j < match.columns.registers; ++j) {
      Value row = stage.make<arith::AddIOp>(firstRow, getPlace(match.rows, i));
      Value column = stage.make<arith::AddIOp>(firstColumn, getPlace(match.columns, j));
      Value isInside = stage.make<arith::AndIOp>(stage.less(row, numRows), stage.less(column, numColumns));
      auto branch = scf::IfOp::create(stage.builder, stage.loc, isInside);
      OpBuilder::InsertionGuard guard(stage.builder);
      stage.builder.setInsertionPointToStart(&branch.getThenRegion().front());
      SmallVector<Value> coordinates = base;
      stage.decompose(match.loops, match.rows.loops, row, coordinates);
      stage.decompose(match.loops, match.columns.loops, column, coordinates);
      if (failed(emitElement(sums[i * match.columns.registers + j], coordinates)))
        return failure();
    }
  return success();
}

LogicalResult TileEmitter::emit() {
  if (failed(stage.use(match.loops, match.kept)))
    return failure();
  for (TileEpilogue &epilogue : match.epilogues)
    if (failed(stage.use(epilogue.loops, match.kept)))
      return failure();
  stage.create(module, "tiles");
  openTile();
  if (failed(stage.capture(match.loops)))
    return failure();
  for (TileEpilogue &epilogue : match.epilogues)
    if (failed(stage.capture(epilogue.loops)))
      return failure();
  addSlots(match.rows, firstRow);
  addSlots(match.columns, firstColumn);
  FailureOr<SmallVector<Value>> sums = emitSteps();
  if (failed(sums) || failed(emitResult(*sums)))
    return failure();
  Size rows = stage.countStepsOnHost(match.loops, match.rows.loops);
  Size columns = stage.countStepsOnHost(match.loops, match.columns.loops);
  stage.finish(scope.sizes.multiply(
      {stage.countStepsOnHost(match.loops, match.batch), scope.sizes.divideUp(rows, match.rows.tile()),
       scope.sizes.divideUp(columns, match.columns.tile()), scope.sizes.constant(kWorkgroup)}));
  return success();
}

} // namespace

unsigned relax::emitTileStage(const StageQueue &queue, DeviceScope &scope, gpu::GPUModuleOp module) {
  TileMatch match;
  std::string reason; // the serial stage has the same one
  if (!match.match(queue, scope) || failed(TileEmitter(match, scope, module, reason).emit()))
    return 0;
  return 1 + match.epilogues.size();
}
