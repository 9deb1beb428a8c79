//===- MemoryReport.cpp - What the memory plan costs ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "MemoryPlan.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"

#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;

static std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// What a tenant is, for a reader: its type, or the library function it works for.
static std::string describe(const Tenant &tenant) {
  if (auto call = dyn_cast<graph::CallDPSOp>(tenant.op))
    return "scratch memory of " + call.getCallee().str();
  return printType(tenant.op->getResult(0).getType());
}

/// Keeps those that no other one exceeds whatever the symbols are.
static void addGreatest(SmallVectorImpl<SymExpr> &greatest, SymExpr expr) {
  auto exceeds = [](SymExpr a, SymExpr b) {
    SymExpr difference = a - b;
    return difference && isSumOfProducts(difference);
  };
  if (llvm::any_of(greatest, [&](SymExpr other) { return exceeds(other, expr); }))
    return;
  llvm::erase_if(greatest, [&](SymExpr other) { return exceeds(expr, other); });
  greatest.push_back(expr);
}

/// The highest end of some tenants; null when it is too long to be read.
static SymExpr getHighest(MLIRContext *context, ArrayRef<unsigned> indices, ArrayRef<SymExpr> ends) {
  constexpr size_t kMaxCases = 4, kMaxTerms = 12;
  SmallVector<SymExpr> greatest = {SymExpr::constant(context, 0)};
  for (unsigned index : indices) {
    if (!ends[index] || sym::getTerms(ends[index]).size() > kMaxTerms)
      return SymExpr();
    addGreatest(greatest, ends[index]);
  }
  return greatest.size() > kMaxCases ? SymExpr() : SymExpr::max(greatest);
}

static SymExpr getPlannedBytes(MLIRContext *context, const MemoryPlan &plan) {
  SmallVector<SymExpr> ends(plan.tenants.size());
  for (unsigned index : plan.order) {
    const Tenant &tenant = plan.tenants[index];
    ends[index] = getHighest(context, tenant.below, ends) + tenant.padded;
  }
  return getHighest(context, plan.top, ends);
}

/// Bytes of tenants that live at the same time, at the positions where those are most.
static SmallVector<SymExpr> getLiveBytes(MLIRContext *context, const MemoryPlan &plan) {
  constexpr size_t kMaxSums = 8;
  SmallVector<unsigned> byStart(plan.order);
  llvm::sort(byStart, [&](unsigned a, unsigned b) {
    return std::make_pair(plan.tenants[a].start, a) < std::make_pair(plan.tenants[b].start, b);
  });
  SmallVector<SymExpr> sums;
  SmallVector<unsigned> live;
  auto close = [&] {
    SymExpr sum = SymExpr::constant(context, 0);
    for (unsigned index : live)
      sum = sum + plan.tenants[index].bytes;
    if (sum && sums.size() <= kMaxSums)
      addGreatest(sums, sum);
  };
  for (unsigned index : byStart) {
    unsigned start = plan.tenants[index].start;
    auto isOver = [&](unsigned other) { return plan.tenants[other].end < start; };
    if (llvm::any_of(live, isOver))
      close();
    llvm::erase_if(live, isOver);
    live.push_back(index);
  }
  close();
  if (sums.size() > kMaxSums)
    sums.clear(); // too many to be read; they follow from the tensors
  return sums;
}

/// Tenants of one memory, numbered from 0 in this order.
static llvm::json::Array printTenants(const MemoryPlan &plan, ArrayRef<unsigned> order) {
  DenseMap<unsigned, int64_t> numbers;
  for (auto [number, index] : llvm::enumerate(order))
    numbers[index] = number;
  llvm::json::Array tenants;
  for (unsigned index : order) {
    const Tenant &tenant = plan.tenants[index];
    llvm::json::Array below;
    for (unsigned other : tenant.below)
      below.push_back(numbers.lookup(other));
    tenants.push_back(llvm::json::Object{{"tensor", describe(tenant)},
                                         {"bytes", tenant.bytes.str()},
                                         {"from", static_cast<int64_t>(tenant.start)},
                                         {"to", static_cast<int64_t>(tenant.end)},
                                         {"above", std::move(below)}});
  }
  return tenants;
}

/// What is known of the sizes.
static llvm::json::Array printFacts(func::FuncOp function) {
  llvm::json::Array facts;
  if (sym::ScopeAttr scope = sym::getScope(function))
    for (const sym::Fact &fact : scope.getFacts())
      facts.push_back(graph::formatFact(fact));
  return facts;
}

/// What lies where in one plan.
static llvm::json::Object printLayout(const MemoryPlan &plan) {
  llvm::json::Array results;
  for (const PlannedResult &result : plan.results) {
    llvm::json::Object printed{{"tensor", printType(result.type)},
                               {"bytes", result.bytes ? result.bytes.str() : "?"},
                               {"from", static_cast<int64_t>(result.start)},
                               {"holds", printTenants(plan, result.tenants)}};
    if (result.extends)
      printed["continues"] = *result.extends;
    if (result.donated)
      printed["donated"] = *result.donated;
    results.push_back(std::move(printed));
  }
  return llvm::json::Object{{"arena", printTenants(plan, plan.order)}, {"results", std::move(results)}};
}

std::string relax::printMemoryReport(func::FuncOp function, ArrayRef<MemoryPlan> plans) {
  MLIRContext *context = function.getContext();
  const MemoryPlan &plan = plans.front();
  llvm::json::Array live;
  for (SymExpr sum : getLiveBytes(context, plan))
    live.push_back(sum.str());
  auto count = [&](Home home) {
    return static_cast<int64_t>(
        llvm::count_if(plan.tenants, [&](const Tenant &tenant) { return tenant.home == home; }));
  };
  SymExpr planned = getPlannedBytes(context, plan);
  llvm::json::Object report = printLayout(plan);
  report["planned_bytes"] = planned ? llvm::json::Value(planned.str()) : nullptr;
  report["lower_bound"] = std::move(live);
  report["tensors"] = static_cast<int64_t>(plan.tenants.size());
  report["sized_while_running"] = count(Home::Separate);
  report["growing"] = count(Home::Growing);
  report["carried_by_loops"] = count(Home::Alternating);
  report["alignment"] = kArenaAlignment;
  report["facts"] = printFacts(function);
  llvm::json::Array alternatives;
  for (const MemoryPlan &other : plans.drop_front())
    alternatives.push_back(printLayout(other));
  if (!alternatives.empty())
    report["alternatives"] = std::move(alternatives);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(report));
  return text;
}
