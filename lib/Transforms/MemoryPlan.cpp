//===- MemoryPlan.cpp - Which tensors share memory ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "MemoryPlan.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDonation.h"
#include "SampleSizes.h"
#include "SymbolBounds.h"
#include "TensorAliases.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;
using sym::Verdict;

namespace {

class Planner {
public:
  Planner(func::FuncOp function, bool share)
      : function(function), share(share), block(&function.getBody().front()),
        prover(function.getContext(), sym::getScope(function)), bounds(function),
        entryProver(function.getContext(), bounds.getEntryFacts()) {}

  FailureOr<std::vector<MemoryPlan>> run() {
    for (auto [index, op] : llvm::enumerate(*block))
      positions[&op] = index;
    if (failed(collect()))
      return failure();
    collectCopiedResults();
    return layOut();
  }

private:
  LogicalResult collect();
  LogicalResult addTenant(Operation *op, SymExpr bytes, ArrayRef<SymExpr> factors, unsigned start, unsigned end);
  LogicalResult collectAlloc(AllocOp alloc);
  void collectCopiedResults();
  void addResult(RankedTensorType type, unsigned start, Operation *alloc = nullptr);
  LogicalResult collectWorkspace(CallDPSOp call);
  SmallVector<int64_t> getSizes(const SampleValues &values) const;
  SmallVector<int64_t> getResultSizes(const SampleValues &values) const;
  std::vector<MemoryPlan> layOut();

  /// Position of the op of the outermost block that holds `op`.
  unsigned getPosition(Operation *op) const { return positions.lookup(block->findAncestorOpInBlock(*op)); }

  func::FuncOp function;
  bool share;
  Block *block;
  sym::Prover prover;
  SymbolBounds bounds;
  sym::Prover entryProver; // knows only what is checked before the arena is made
  DenseMap<Operation *, unsigned> positions;
  MemoryPlan plan;
};

} // namespace

/// Life time of what is stored at `root`: every use of it, of results that are tied to it and of names for it.
static std::pair<unsigned, unsigned> findLifeTime(Value root, function_ref<unsigned(Operation *)> position) {
  unsigned start = ~0u, end = 0;
  forEachAliasUse(root, [&](OpOperand &use) {
    start = std::min(start, position(use.getOwner()));
    end = std::max(end, position(use.getOwner()));
  });
  return {start, end};
}

/// Sizes found while running count with their bound, as in the arena.
void Planner::addResult(RankedTensorType type, unsigned start, Operation *alloc) {
  SymExpr bytes = getByteSize(type);
  SymExpr bounded = bytes ? bounds.getEntryBound(bytes) : SymExpr();
  SymExpr zero = SymExpr::constant(function.getContext(), 0);
  // What begins with an argument, or is in its memory, holds that from the start.
  auto getArgument = [&](StringRef name) -> std::optional<int64_t> {
    auto number = alloc ? alloc->getAttrOfType<IntegerAttr>(name) : IntegerAttr();
    return number ? std::optional<int64_t>(number.getInt()) : std::nullopt;
  };
  std::optional<int64_t> extends = getArgument(kExtendsAttrName), donated = getArgument(kDonatedAttrName);
  bool isKnownAtEntry =
      alloc && !extends && !donated && bytes && llvm::all_of(sym::getSymbolicDims(type), [&](SymExpr dim) {
        return bounds.getEntryBound(dim) == dim && entryProver.isLessEqual(zero, dim) == Verdict::True;
      });
  plan.results.push_back({type, bounded ? bounded : bytes, start, alloc, isKnownAtEntry, extends, donated});
}

/// Results that are not made in their place.
void Planner::collectCopiedResults() {
  Operation *terminator = block->getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    bool isMadeThere = llvm::any_of(block->getOps<AllocOp>(), [&, index = index](AllocOp alloc) {
      auto output = alloc->getAttrOfType<IntegerAttr>(kOutputAttrName);
      return output && output.getInt() == static_cast<int64_t>(index);
    });
    if (!type || isMadeThere)
      continue;
    addResult(type, getPosition(terminator));
  }
}

LogicalResult Planner::collect() {
  WalkResult result = function.walk([&](Operation *op) -> WalkResult {
    if (auto alloc = dyn_cast<AllocOp>(op))
      return WalkResult(collectAlloc(alloc));
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
                      [&](Value value) { return getAliasRoot(value, Through::Calls) == alloc.getResult(); });
}

LogicalResult Planner::addTenant(Operation *op, SymExpr bytes, ArrayRef<SymExpr> factors, unsigned start,
                                 unsigned end) {
  if (!bytes)
    return op->emitOpError("needs more memory than 64 bits can count");
  Tenant tenant;
  tenant.op = op;
  tenant.bytes = bytes;
  tenant.start = start;
  tenant.end = end;
  auto alloc = dyn_cast<AllocOp>(op);
  SymExpr zero = SymExpr::constant(function.getContext(), 0);
  auto mayBeNegative = [&](SymExpr expr) { return entryProver.isLessEqual(zero, expr) != Verdict::True; };
  if (alloc && isCarried(alloc)) {
    tenant.home = Home::Alternating;
  } else if (SymExpr bounded = bounds.getEntryBound(bytes)) {
    // The factors are easier to judge than their product.
    tenant.bytes = bounded;
    tenant.padded = roundUp(bounded, kArenaAlignment);
    tenant.mayBeNegative = bounded == bytes && alloc ? llvm::any_of(factors, mayBeNegative)
                                                     : !tenant.padded || mayBeNegative(tenant.padded);
  }
  if (tenant.home == Home::Arena && !tenant.padded) {
    if (!alloc)
      return op->emitOpError("needs ") << bytes.str()
                                       << " bytes, whose symbols are found while running and have no bound";
    tenant.home = op->getBlock() == block ? Home::Separate : Home::Growing;
  }
  if (tenant.home == Home::Arena && !alloc) {
    // Above other scratch memory that is needed at the same time.
    tenant.offset = zero;
    for (const Tenant &other : plan.tenants)
      if (other.isScratch() && other.start <= end && start <= other.end)
        tenant.offset = tenant.offset + other.padded;
    if (tenant.mayBeNegative)
      tenant.padded = SymExpr::max({tenant.padded, zero});
    tenant.mayBeNegative = false;
    if (!tenant.offset || !tenant.padded)
      return op->emitOpError("needs more scratch memory than 64 bits can count");
  }
  plan.tenants.push_back(std::move(tenant));
  return success();
}

LogicalResult Planner::collectAlloc(AllocOp alloc) {
  auto [start, end] = findLifeTime(alloc, [&](Operation *op) { return getPosition(op); });
  if (start == ~0u)
    start = end = getPosition(alloc); // never used
  auto type = cast<RankedTensorType>(alloc.getType());
  if (alloc->hasAttr(kOutputAttrName)) {
    addResult(type, start, alloc);
    return success();
  }
  return addTenant(alloc, getByteSize(type), sym::getSymbolicDims(type), start, end);
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
  return addTenant(call, mapped, {}, position, position);
}

static int64_t getSize(SymExpr bytes, const SampleValues &values) {
  std::optional<int64_t> size =
      bytes ? bytes.evaluate([&](StringRef name) { return getSampleValue(values, name); }) : std::nullopt;
  // Far from overflow, however many are added.
  return std::clamp<int64_t>(size.value_or(0), 0, int64_t(1) << 44);
}

SmallVector<int64_t> Planner::getSizes(const SampleValues &values) const {
  return llvm::map_to_vector(plan.tenants, [&](const Tenant &tenant) { return getSize(tenant.padded, values); });
}

SmallVector<int64_t> Planner::getResultSizes(const SampleValues &values) const {
  return llvm::map_to_vector(plan.results, [&](const PlannedResult &result) { return getSize(result.bytes, values); });
}

/// Memory of results is used where that makes the arena smaller at some sizes and at none larger. What it makes smaller
/// at some and larger at others, or what fits at some only, is a plan of its own.
std::vector<MemoryPlan> Planner::layOut() {
  SampleSizes sizes;
  for (const SampleValues &values : getSamples(entryProver, bounds.getEntrySymbols(), bounds.getEntryFacts())) {
    sizes.tenants.push_back(getSizes(values));
    sizes.results.push_back(getResultSizes(values));
  }
  std::vector<MemoryPlan> plans = {plan};
  if (!share) {
    for (Tenant &tenant : plans.front().tenants)
      if (tenant.home == Home::Arena && !tenant.isScratch())
        std::tie(tenant.start, tenant.end) = std::make_pair(0u, getPosition(block->getTerminator()));
    (void)layOutTenants(plans.front(), sizes.tenants);
    return plans;
  }
  MemoryPlan lent = plan;
  lendResults(lent, entryProver, sizes);
  SmallVector<int64_t> bytes = layOutTenants(plans.front(), sizes.tenants);
  if (llvm::any_of(lent.results, [](const PlannedResult &result) { return !result.tenants.empty(); })) {
    SmallVector<int64_t> lentBytes = layOutTenants(lent, sizes.tenants);
    bool isNeverLarger = llvm::all_of(llvm::zip_equal(lentBytes, bytes),
                                      [](auto pair) { return std::get<0>(pair) <= std::get<1>(pair); });
    if (isNeverLarger && lentBytes != bytes) {
      plans.front() = std::move(lent);
      bytes = lentBytes;
    }
  }
  if (!bounds.getEntrySymbols().empty())
    addAlternatives(plans, bytes, plan, sizes);
  return plans;
}

FailureOr<std::vector<MemoryPlan>> relax::planFunctionMemory(func::FuncOp function, bool share) {
  return Planner(function, share).run();
}
