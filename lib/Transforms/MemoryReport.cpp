//===- MemoryReport.cpp - What the memory plan costs ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "MemoryPlan.h"

#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::relax;

/// What a tenant is, for a reader: its type, or the library function it works for.
static std::string describe(const Tenant &tenant) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto alloc = dyn_cast<graph::AllocOp>(tenant.op))
    os << alloc.getType();
  else
    os << "scratch memory of " << cast<graph::CallDPSOp>(tenant.op).getCallee();
  return text;
}

std::string relax::printMemoryReport(const MemoryPlan &plan) {
  llvm::json::Array storages, peaks, blocked;
  for (const PlannedStorage &storage : plan.storages)
    storages.push_back(llvm::json::Object{{"bytes", storage.bytes.str()},
                                          {"offset", storage.offset.str()},
                                          {"tensors", static_cast<int64_t>(storage.tenants.size())}});
  for (sym::SymExpr peak : plan.peaks)
    peaks.push_back(peak.str());
  for (const BlockedReuse &reuse : plan.blocked) {
    const Tenant &tenant = plan.tenants[reuse.tenant];
    sym::SymExpr storage = plan.storages[reuse.storage].bytes;
    blocked.push_back(llvm::json::Object{{"tensor", describe(tenant)},
                                         {"storage", static_cast<int64_t>(reuse.storage)},
                                         {"unproved", tenant.bytes.str() + " <= " + storage.str()}});
  }
  auto count = [&](Home home) {
    return static_cast<int64_t>(
        llvm::count_if(plan.tenants, [&](const Tenant &tenant) { return tenant.home == home; }));
  };
  llvm::json::Object report{{"planned_bytes", plan.total.str()},
                            {"lower_bound", std::move(peaks)},
                            {"tensors", static_cast<int64_t>(plan.tenants.size())},
                            {"sized_while_running", count(Home::Separate)},
                            {"growing", count(Home::Growing)},
                            {"carried_by_loops", count(Home::Alternating)},
                            {"storages", std::move(storages)},
                            {"blocked_reuse", std::move(blocked)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(report));
  return text;
}
