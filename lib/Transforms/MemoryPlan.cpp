//===- MemoryPlan.cpp - Which tensors share memory ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "MemoryPlan.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "SymbolBounds.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;
using sym::Verdict;

namespace {

class Planner {
public:
  explicit Planner(func::FuncOp function)
      : function(function), block(&function.getBody().front()), prover(function.getContext(), sym::getScope(function)),
        bounds(function) {}

  FailureOr<MemoryPlan> run() {
    for (auto [index, op] : llvm::enumerate(*block))
      positions[&op] = index;
    if (failed(collect()))
      return failure();
    for (unsigned tenant = 0; tenant < plan.tenants.size(); ++tenant)
      if (plan.tenants[tenant].home == Home::Arena)
        place(tenant);
    if (failed(layOut()))
      return failure();
    findPeaks();
    return std::move(plan);
  }

private:
  LogicalResult collect();
  LogicalResult addTenant(Operation *op, SymExpr bytes, unsigned start, unsigned end);
  LogicalResult collectAlloc(AllocOp alloc);
  LogicalResult collectWorkspace(CallDPSOp call);
  void place(unsigned tenant);
  bool isFree(const PlannedStorage &storage, const Tenant &tenant) const;
  LogicalResult layOut();
  void findPeaks();

  /// Position of the op of the outermost block that holds `op`.
  unsigned getPosition(Operation *op) const { return positions.lookup(block->findAncestorOpInBlock(*op)); }

  func::FuncOp function;
  Block *block;
  sym::Prover prover;
  SymbolBounds bounds;
  DenseMap<Operation *, unsigned> positions;
  MemoryPlan plan;
};

} // namespace

/// Life time of what is stored at `root`: every use of it, of results that are tied to it and of names for it.
static std::pair<unsigned, unsigned> findLifeTime(Value root, function_ref<unsigned(Operation *)> position) {
  unsigned start = ~0u, end = 0;
  SmallVector<Value> worklist = {root};
  llvm::SmallPtrSet<Value, 8> seen = {root};
  auto follow = [&](Value value) {
    if (seen.insert(value).second)
      worklist.push_back(value);
  };
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      start = std::min(start, position(use.getOwner()));
      end = std::max(end, position(use.getOwner()));
      llvm::for_each(getAliases(use), follow);
    }
  }
  return {start, end};
}

LogicalResult Planner::collect() {
  WalkResult result = function.walk([&](Operation *op) -> WalkResult {
    if (auto alloc = dyn_cast<AllocOp>(op))
      return WalkResult(alloc->hasAttr(kOutputAttrName) ? success() : collectAlloc(alloc));
    if (auto call = dyn_cast<CallDPSOp>(op))
      return WalkResult(collectWorkspace(call));
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// A loop hands the tensor to its next iteration, which reads it while the same op makes the next one.
static bool isCarried(AllocOp alloc) {
  Operation *parent = alloc->getParentOp();
  if (alloc->getBlock() != getLoopBody(parent))
    return false;
  return llvm::any_of(alloc->getBlock()->getTerminator()->getOperands(),
                      [&](Value value) { return getMemoryRoot(value) == alloc.getResult(); });
}

LogicalResult Planner::addTenant(Operation *op, SymExpr bytes, unsigned start, unsigned end) {
  if (!bytes)
    return op->emitOpError("needs more memory than 64 bits can count");
  // Extents are checked where they are used, after the arena was sized: none may make a size negative.
  std::optional<int64_t> least = prover.lowerBound(bytes);
  if (!least || *least < 0)
    bytes = SymExpr::max({bytes, SymExpr::constant(op->getContext(), 0)});
  Tenant tenant{op, bytes};
  tenant.start = start;
  tenant.end = end;
  auto alloc = dyn_cast<AllocOp>(op);
  if (alloc && isCarried(alloc)) {
    tenant.home = Home::Alternating;
  } else if (SymExpr bounded = bounds.getEntryBound(bytes)) {
    tenant.bytes = bounded;
  } else if (alloc) {
    tenant.home = op->getBlock() == block ? Home::Separate : Home::Growing;
  } else {
    return op->emitOpError("needs ") << bytes.str()
                                     << " bytes, whose symbols are found while running and have no bound";
  }
  plan.tenants.push_back(tenant);
  return success();
}

LogicalResult Planner::collectAlloc(AllocOp alloc) {
  auto [start, end] = findLifeTime(alloc, [&](Operation *op) { return getPosition(op); });
  if (start == ~0u)
    start = end = getPosition(alloc); // never used
  return addTenant(alloc, getByteSize(cast<RankedTensorType>(alloc.getType())), start, end);
}

LogicalResult Planner::collectWorkspace(CallDPSOp call) {
  Operation *callee = SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr());
  auto program = dyn_cast_or_null<sym::TensorProgramInterface>(callee);
  auto bytes = callee ? callee->getAttrOfType<sym::ExprAttr>("workspace_bytes") : sym::ExprAttr();
  if (!program || !bytes)
    return success();
  FailureOr<CallUnification> unification = unifyProgramCall(call, program, prover);
  if (failed(unification))
    return failure();
  SymExpr mapped = applyMapping(bytes.getValue(), unification->mapping);
  if (!mapped)
    return call.emitOpError("needs scratch memory whose size is not known: ") << bytes.getValue().str();
  unsigned position = getPosition(call);
  return addTenant(call, mapped, position, position);
}

bool Planner::isFree(const PlannedStorage &storage, const Tenant &tenant) const {
  return llvm::none_of(storage.tenants, [&](unsigned other) {
    return plan.tenants[other].start <= tenant.end && tenant.start <= plan.tenants[other].end;
  });
}

void Planner::place(unsigned index) {
  Tenant &tenant = plan.tenants[index];
  std::optional<unsigned> best, smaller;
  SmallVector<unsigned> unproved;
  for (auto [number, storage] : llvm::enumerate(plan.storages)) {
    if (!isFree(storage, tenant))
      continue;
    if (prover.isLessEqual(tenant.bytes, storage.bytes) == Verdict::True) {
      // The tightest one that is large enough.
      if (!best || prover.isLessEqual(storage.bytes, plan.storages[*best].bytes) == Verdict::True)
        best = number;
    } else if (prover.isLessEqual(storage.bytes, tenant.bytes) == Verdict::True) {
      // Growing the largest of the smaller ones costs least.
      if (!smaller || prover.isLessEqual(plan.storages[*smaller].bytes, storage.bytes) == Verdict::True)
        smaller = number;
    } else {
      unproved.push_back(number);
    }
  }
  if (!best && smaller) {
    best = smaller;
    plan.storages[*best].bytes = tenant.bytes;
  }
  if (!best) {
    for (unsigned number : unproved)
      plan.blocked.push_back({index, number});
    best = plan.storages.size();
    plan.storages.push_back({tenant.bytes, SymExpr(), {}});
  }
  tenant.storage = *best;
  plan.storages[*best].tenants.push_back(index);
}

LogicalResult Planner::layOut() {
  MLIRContext *context = function.getContext();
  SymExpr alignment = SymExpr::constant(context, kArenaAlignment);
  SymExpr offset = SymExpr::constant(context, 0);
  for (PlannedStorage &storage : plan.storages) {
    storage.offset = offset;
    SymExpr padded = storage.bytes;
    if (prover.isDivisible(padded, alignment) != Verdict::True)
      padded = SymExpr::floordiv(padded + (kArenaAlignment - 1), alignment) * kArenaAlignment;
    offset = offset + padded;
  }
  if (!offset)
    return function.emitError("needs more memory than 64 bits can count");
  plan.total = offset;
  return success();
}

void Planner::findPeaks() {
  for (unsigned position = 0, e = positions.size(); position < e; ++position) {
    SymExpr live = SymExpr::constant(function.getContext(), 0);
    for (const Tenant &tenant : plan.tenants)
      if (tenant.home == Home::Arena && tenant.start <= position && position <= tenant.end)
        live = live + tenant.bytes;
    if (!live ||
        llvm::any_of(plan.peaks, [&](SymExpr peak) { return prover.isLessEqual(live, peak) == Verdict::True; }))
      continue;
    llvm::erase_if(plan.peaks, [&](SymExpr peak) { return prover.isLessEqual(peak, live) == Verdict::True; });
    plan.peaks.push_back(live);
  }
}

FailureOr<MemoryPlan> relax::planFunctionMemory(func::FuncOp function) { return Planner(function).run(); }
