//===- RowStage.cpp - Reductions along rows -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A run of ops over the same rows is one function: reductions along a row, what
// is computed of their results, and elementwise ops over the row. Results of
// reductions stay in registers. Each element of a row belongs to one invocation
// in all of the ops, so that only reductions synchronize.
//
//===----------------------------------------------------------------------===//
#include "StageBuilder.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::relax;

namespace {

enum class RowKind { Reduction, Scalar, Vector };

struct RowOp {
  StageLoops loops;
  RowKind kind;
  SmallVector<unsigned> rows, columns; // loops
  SmallVector<Operation *> combiners;
};

/// Which row and column loop a dimension of a buffer follows: loops of rows are counted from 0, those of columns from
/// kColumn, and nothing else is there.
using Lanes = SmallVector<unsigned>;
constexpr unsigned kColumn = 1u << 16;

/// Finds the ops of one function.
class RowMatcher {
public:
  RowMatcher(const StageQueue &queue, DeviceScope &scope) : queue(queue), scope(scope) {}

  bool match();
  SmallVector<RowOp, 0> ops;
  /// Roots with one element for each row that never leave registers.
  DenseSet<unsigned> kept;
  DenseSet<unsigned> scalars; // roots with one element for each row

private:
  bool start(linalg::GenericOp op);
  bool join(linalg::GenericOp op);
  bool followRows(RowOp &op, OpOperand &operand);
  bool isScalarAccess(RowOp &op, OpOperand &operand);
  std::optional<Lanes> getLanes(RowOp &op, OpOperand &operand);
  bool reach(Value memref, const std::optional<Lanes> &its, bool isWrite);
  bool accept(RowOp op);

  const StageQueue &queue;
  DeviceScope &scope;
  DenseMap<Value, Lanes> lanes; // memrefs of which each invocation reaches elements of its own only
  DenseSet<unsigned> loose;     // other roots that are read
  DenseSet<unsigned> written;   // roots of `lanes`
};

bool RowMatcher::isScalarAccess(RowOp &op, OpOperand &operand) {
  const DeviceView *view = scope.find(operand.get());
  return view && view->isWhole() && getPlainDims(op.loops.op.getMatchingIndexingMap(&operand), view) == op.rows;
}

std::optional<Lanes> RowMatcher::getLanes(RowOp &op, OpOperand &operand) {
  std::optional<SmallVector<unsigned>> dims = getPlainDims(op.loops.op.getMatchingIndexingMap(&operand));
  if (!dims)
    return std::nullopt;
  Lanes lanes;
  for (unsigned dim : *dims) {
    auto *row = llvm::find(op.rows, dim), *column = llvm::find(op.columns, dim);
    lanes.push_back(row != op.rows.end() ? row - op.rows.begin() : kColumn + (column - op.columns.begin()));
  }
  return lanes.size() == op.rows.size() + op.columns.size() ? std::optional(lanes) : std::nullopt;
}

/// Says that the op reads or writes an element of each lane, or any element where there are no lanes. False when an
/// invocation could then see what another one has written.
bool RowMatcher::reach(Value memref, const std::optional<Lanes> &its, bool isWrite) {
  unsigned root = scope.find(memref)->root;
  bool isLoose = !its || loose.contains(root);
  for (const auto &[other, others] : lanes)
    if (scope.find(other)->root == root)
      isLoose |= other != memref || others != *its;
  if (isLoose) {
    if (isWrite || written.contains(root))
      return false;
    loose.insert(root);
    return true;
  }
  lanes.try_emplace(memref, *its);
  if (isWrite)
    written.insert(root);
  return true;
}

/// Adds the op when no invocation can see what another one has written.
bool RowMatcher::accept(RowOp op) {
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op.loops.op.getRegion(), above);
  for (Value value : above) {
    if (!isa<MemRefType>(value.getType()))
      continue;
    const DeviceView *view = scope.find(value);
    if (!view || scalars.contains(view->root) || !reach(value, std::nullopt, /*isWrite=*/false))
      return false;
  }
  for (OpOperand *in : op.loops.op.getDpsInputOperands()) {
    const DeviceView *view = scope.find(in->get());
    if (!view)
      continue;
    if (scalars.contains(view->root) ? !isScalarAccess(op, *in) : !reach(in->get(), getLanes(op, *in), false))
      return false;
  }
  for (OpOperand &out : op.loops.op.getDpsInitsMutable()) {
    unsigned root = scope.find(out.get())->root;
    if (op.kind == RowKind::Vector) {
      if (scalars.contains(root) || !reach(out.get(), getLanes(op, out), /*isWrite=*/true))
        return false;
      continue;
    }
    bool isReached =
        loose.contains(root) || llvm::any_of(lanes, [&](const auto &it) { return scope.find(it.first)->root == root; });
    if (isReached || !isScalarAccess(op, out))
      return false;
    scalars.insert(root);
  }
  ops.push_back(std::move(op));
  return true;
}

/// Neighbours in the reduction are neighbours in memory: only then do invocations of a row read together.
bool hasContiguousRows(const RowOp &op) {
  unsigned most = 0;
  AffineMap main;
  linalg::GenericOp generic = op.loops.op;
  for (OpOperand *in : generic.getDpsInputOperands()) {
    AffineMap map = generic.getMatchingIndexingMap(in);
    if (isa<MemRefType>(in->get().getType()) && map.getNumResults() >= most) {
      most = map.getNumResults();
      main = map;
    }
  }
  return most && main.getResults().back() == getAffineDimExpr(op.columns.back(), main.getContext());
}

bool RowMatcher::start(linalg::GenericOp generic) {
  std::string reason;
  RowOp op;
  op.kind = RowKind::Reduction;
  std::optional<SmallVector<Operation *>> combiners = matchCombiners(generic);
  if (!combiners || failed(readLoops(generic, scope, op.loops, reason)) || op.loops.reduction.empty())
    return false;
  op.combiners = *combiners;
  op.rows = op.loops.parallel;
  op.columns = op.loops.reduction;
  return hasContiguousRows(op) && accept(std::move(op));
}

/// Takes the rows from an operand whose elements the function has written.
bool RowMatcher::followRows(RowOp &op, OpOperand &operand) {
  auto known = lanes.find(operand.get());
  if (known == lanes.end() || !written.contains(scope.find(operand.get())->root))
    return false;
  std::optional<SmallVector<unsigned>> dims = getPlainDims(op.loops.op.getMatchingIndexingMap(&operand));
  if (!dims || dims->size() != known->second.size())
    return false;
  op.rows.assign(ops[0].rows.size(), 0);
  for (auto [dim, lane] : llvm::zip_equal(*dims, known->second))
    if (lane < kColumn)
      op.rows[lane] = dim;
  return true;
}

bool RowMatcher::join(linalg::GenericOp generic) {
  std::string reason;
  RowOp op;
  if (failed(readLoops(generic, scope, op.loops, reason)))
    return false;
  bool isJoined = false;
  for (OpOperand &operand : generic->getOpOperands()) {
    const DeviceView *view = scope.find(operand.get());
    if (!view || !scalars.contains(view->root))
      continue;
    std::optional<SmallVector<unsigned>> dims = getPlainDims(generic.getMatchingIndexingMap(&operand), view);
    if (!view->isWhole() || !dims || (isJoined && *dims != op.rows))
      return false;
    op.rows = *dims;
    isJoined = true;
  }
  for (OpOperand &operand : generic->getOpOperands())
    if (!isJoined)
      isJoined = followRows(op, operand);
  auto isRow = [&](unsigned loop) { return llvm::is_contained(op.rows, loop); };
  if (!isJoined || llvm::any_of(op.loops.reduction, isRow))
    return false;
  if (!op.loops.reduction.empty()) {
    std::optional<SmallVector<Operation *>> combiners = matchCombiners(generic);
    if (!combiners || op.loops.parallel != op.rows)
      return false;
    op.kind = RowKind::Reduction;
    op.combiners = *combiners;
    op.columns = op.loops.reduction;
  } else {
    for (unsigned loop : op.loops.parallel)
      if (!isRow(loop))
        op.columns.push_back(loop);
    op.kind = op.columns.empty() ? RowKind::Scalar : RowKind::Vector;
  }
  return accept(std::move(op));
}

bool RowMatcher::match() {
  if (!start(queue.ops[0]))
    return false;
  for (linalg::GenericOp op : queue.ops.drop_front())
    if (!join(op))
      break;
  // What no one else uses need not be in memory.
  DenseSet<unsigned> made;
  for (RowOp &op : ops)
    for (OpOperand &out : op.loops.op.getDpsInitsMutable()) {
      unsigned root = scope.find(out.get())->root;
      bool isLoaded = !op.loops.op.getMatchingBlockArgument(&out).use_empty() && !scope.initial.contains(&out);
      if (!made.insert(root).second)
        continue;
      if (scalars.contains(root) && !isLoaded && root >= scope.numBuffers &&
          queue.users[root].front() >= queue.position && queue.users[root].back() < queue.position + ops.size())
        kept.insert(root);
    }
  return true;
}

class RowEmitter {
public:
  RowEmitter(RowMatcher &rows, DeviceScope &scope, gpu::GPUModuleOp module, std::string &reason)
      : rows(rows), scope(scope), module(module), stage(scope, rows.ops[0].loops.op.getLoc(), reason) {}

  LogicalResult emit();

private:
  void chooseLanes();
  LogicalResult emitOp(RowOp &op);
  LogicalResult emitReduction(RowOp &op, MutableArrayRef<Value> coordinates);
  LogicalResult emitScalar(RowOp &op, ArrayRef<Value> coordinates);
  LogicalResult emitVector(RowOp &op, MutableArrayRef<Value> coordinates);
  Value reduce(Operation *combiner, Value partial);
  LogicalResult setScalar(RowOp &op, OpOperand &out, Value value, ArrayRef<Value> coordinates);
  scf::ForOp openColumns(RowOp &op, ValueRange values, MutableArrayRef<Value> coordinates);
  Value getInitial(RowOp &op, OpOperand &out, ArrayRef<Value> coordinates) {
    Value value = atHand(out);
    return value ? value : stage.loadInitial(op.loops, out, coordinates);
  }
  Value atHand(OpOperand &operand) {
    const DeviceView *view = scope.find(operand.get());
    return view ? registers.lookup(view->root) : Value();
  }

  RowMatcher &rows;
  DeviceScope &scope;
  gpu::GPUModuleOp module;
  StageBuilder stage;
  int64_t lanes = kWorkgroup; // invocations of a row
  Value row, lane, isActive;
  DenseMap<unsigned, Value> registers;        // by root
  llvm::MapVector<Type, Value> partialMemory; // of the workgroup
};

/// Short rows need fewer invocations: others of the workgroup make other rows.
void RowEmitter::chooseLanes() {
  std::optional<int64_t> most = 1;
  for (RowOp &op : rows.ops) {
    int64_t columns = 1;
    for (unsigned loop : op.columns) {
      std::optional<int64_t> size = getConstantIntValue(op.loops.sizes[loop]);
      if (!size || *size >= kWorkgroup)
        return;
      columns *= std::max<int64_t>(*size, 1);
    }
    most = std::max(*most, columns);
  }
  // An invocation has two columns at least.
  while (lanes > 1 && lanes > *most / 2)
    lanes /= 2;
}

scf::ForOp RowEmitter::openColumns(RowOp &op, ValueRange values, MutableArrayRef<Value> coordinates) {
  auto loop = scf::ForOp::create(stage.builder, stage.loc, lane, stage.countSteps(op.loops, op.columns),
                                 stage.constant(lanes), values);
  stage.builder.setInsertionPointToStart(loop.getBody());
  stage.decompose(op.loops, op.columns, loop.getInductionVar(), coordinates);
  return loop;
}

/// A tree over the lanes of a row.
Value RowEmitter::reduce(Operation *combiner, Value partial) {
  if (lanes == 1)
    return partial;
  Type type = partial.getType();
  Value &memory = partialMemory[type];
  if (!memory)
    memory = stage.shareMemory(type, kWorkgroup);
  Value thread = stage.getThread();
  stage.storeShared(partial, memory, thread);
  stage.synchronize();
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    auto branch = scf::IfOp::create(stage.builder, stage.loc, stage.less(lane, stage.constant(half)));
    stage.builder.setInsertionPointToStart(&branch.getThenRegion().front());
    Value mine = stage.loadShared(memory, thread, type);
    Value other = stage.loadShared(memory, stage.make<arith::AddIOp>(thread, stage.constant(half)), type);
    stage.storeShared(stage.combine(combiner, mine, other), memory, thread);
    stage.builder.setInsertionPointAfter(branch);
    stage.synchronize();
  }
  Value total = stage.loadShared(memory, stage.make<arith::SubIOp>(thread, lane), type);
  stage.synchronize(); // before the next reduction writes
  return total;
}

LogicalResult RowEmitter::setScalar(RowOp &op, OpOperand &out, Value value, ArrayRef<Value> coordinates) {
  unsigned root = scope.find(out.get())->root;
  registers[root] = value;
  if (rows.kept.contains(root))
    return success();
  Value address = stage.getAddress(op.loops, out, coordinates);
  if (!address)
    return failure();
  Value isFirst = arith::CmpIOp::create(stage.builder, stage.loc, arith::CmpIPredicate::eq, lane, stage.constant(0));
  auto branch = scf::IfOp::create(stage.builder, stage.loc, stage.make<arith::AndIOp>(isFirst, isActive));
  OpBuilder::InsertionGuard guard(stage.builder);
  stage.builder.setInsertionPointToStart(&branch.getThenRegion().front());
  stage.store(value, out.get(), address);
  return success();
}

LogicalResult RowEmitter::emitReduction(RowOp &op, MutableArrayRef<Value> coordinates) {
  SmallVector<Value> initial, partials;
  for (auto [out, combiner] : llvm::zip_equal(op.loops.op.getDpsInitsMutable(), op.combiners)) {
    initial.push_back(getInitial(op, out, coordinates));
    if (!initial.back())
      return failure();
    partials.push_back(stage.makeNeutral(combiner));
  }
  scf::ForOp loop = openColumns(op, partials, coordinates);
  FailureOr<SmallVector<Value>> values =
      stage.emitBody(op.loops, coordinates, loop.getRegionIterArgs(), [&](OpOperand &it) { return atHand(it); });
  if (failed(values))
    return failure();
  stage.builder.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(stage.builder, stage.loc, *values);
  stage.builder.setInsertionPointAfter(loop);
  SmallVector<Value> totals;
  for (auto [combiner, partial, first] : llvm::zip_equal(op.combiners, loop.getResults(), initial))
    totals.push_back(stage.combine(combiner, first, reduce(combiner, partial)));
  for (auto [out, total] : llvm::zip_equal(op.loops.op.getDpsInitsMutable(), totals))
    if (failed(setScalar(op, out, total, coordinates)))
      return failure();
  return success();
}

LogicalResult RowEmitter::emitScalar(RowOp &op, ArrayRef<Value> coordinates) {
  SmallVector<Value> initial;
  for (OpOperand &out : op.loops.op.getDpsInitsMutable()) {
    bool isRead = !op.loops.op.getMatchingBlockArgument(&out).use_empty();
    initial.push_back(isRead ? getInitial(op, out, coordinates) : Value());
    if (isRead && !initial.back())
      return failure();
  }
  FailureOr<SmallVector<Value>> values =
      stage.emitBody(op.loops, coordinates, initial, [&](OpOperand &it) { return atHand(it); });
  if (failed(values))
    return failure();
  for (auto [out, value] : llvm::zip_equal(op.loops.op.getDpsInitsMutable(), *values))
    if (failed(setScalar(op, out, value, coordinates)))
      return failure();
  return success();
}

LogicalResult RowEmitter::emitVector(RowOp &op, MutableArrayRef<Value> coordinates) {
  if (lanes != kWorkgroup) {
    auto branch = scf::IfOp::create(stage.builder, stage.loc, isActive);
    stage.builder.setInsertionPointToStart(&branch.getThenRegion().front());
  }
  openColumns(op, {}, coordinates);
  SmallVector<Value> initial, addresses;
  for (OpOperand &out : op.loops.op.getDpsInitsMutable()) {
    addresses.push_back(stage.getAddress(op.loops, out, coordinates));
    if (!addresses.back())
      return failure();
    bool isRead = !op.loops.op.getMatchingBlockArgument(&out).use_empty();
    initial.push_back(isRead ? getInitial(op, out, coordinates) : Value());
  }
  FailureOr<SmallVector<Value>> values =
      stage.emitBody(op.loops, coordinates, initial, [&](OpOperand &it) { return atHand(it); });
  if (failed(values))
    return failure();
  for (auto [out, value, address] : llvm::zip_equal(op.loops.op.getDpsInits(), *values, addresses))
    stage.store(value, out, address);
  return success();
}

LogicalResult RowEmitter::emitOp(RowOp &op) {
  SmallVector<Value> coordinates(op.loops.sizes.size());
  stage.decompose(op.loops, op.rows, row, coordinates);
  OpBuilder::InsertionGuard guard(stage.builder);
  if (op.kind == RowKind::Scalar)
    return emitScalar(op, coordinates);
  return op.kind == RowKind::Reduction ? emitReduction(op, coordinates) : emitVector(op, coordinates);
}

LogicalResult RowEmitter::emit() {
  for (RowOp &op : rows.ops)
    if (failed(stage.use(op.loops, rows.kept)))
      return failure();
  chooseLanes();
  stage.create(module, "rows");
  Value unit = stage.openUnits();
  for (RowOp &op : rows.ops)
    if (failed(stage.capture(op.loops)))
      return failure();
  RowOp &first = rows.ops[0];
  Size rowsOnHost = stage.countStepsOnHost(first.loops, first.rows);
  int64_t together = kWorkgroup / lanes; // rows of a workgroup
  row = unit;
  lane = stage.getThread();
  isActive = arith::ConstantOp::create(stage.builder, stage.loc, stage.builder.getBoolAttr(true));
  if (together > 1) {
    // Those behind the last row make it once more, and write nothing.
    Value width = stage.constant(lanes), end = stage.getNumber(rowsOnHost);
    lane = stage.make<arith::RemUIOp>(stage.getThread(), width);
    Value mine = stage.make<arith::DivUIOp>(stage.getThread(), width);
    row = stage.make<arith::AddIOp>(stage.make<arith::MulIOp>(unit, stage.constant(together)), mine);
    isActive = stage.less(row, end);
    row = stage.make<arith::MinUIOp>(row, stage.make<arith::SubIOp>(end, stage.constant(1)));
  }
  Block *body = stage.builder.getInsertionBlock();
  for (RowOp &op : rows.ops) {
    stage.builder.setInsertionPoint(body->getTerminator());
    if (failed(emitOp(op)))
      return failure();
  }
  stage.finish(scope.sizes.multiply(scope.sizes.divideUp(rowsOnHost, together), scope.sizes.constant(kWorkgroup)));
  return success();
}

} // namespace

unsigned relax::emitRowStage(const StageQueue &queue, DeviceScope &scope, gpu::GPUModuleOp module) {
  RowMatcher rows(queue, scope);
  std::string reason; // the serial stage has the same one
  if (!rows.match() || failed(RowEmitter(rows, scope, module, reason).emit()))
    return 0;
  return rows.ops.size();
}
