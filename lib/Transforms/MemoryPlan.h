//===- MemoryPlan.h - Which tensors share memory ---------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The plan of one function: a list of tenants with life times, put into
// storages that lie one after the other in the function's arena. Decides only;
// relax-plan-memory rewrites the function.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_MEMORYPLAN_H
#define RELAXDIALECT_LIB_TRANSFORMS_MEMORYPLAN_H

#include "MemoryUtils.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::relax {

inline constexpr int64_t kArenaAlignment = 64;

/// Where a tensor lives.
enum class Home {
  Arena,       // the size is known at entry, or has a bound there
  Separate,    // the size is found in the outermost block
  Growing,     // the size is found inside of a branch or loop
  Alternating, // a loop hands it to the next iteration
};

/// Something that needs memory: a destination, or the scratch memory of a library function.
struct Tenant {
  Operation *op;      // relax.alloc, or the call
  sym::SymExpr bytes; // over symbols known at entry when it is in the arena
  Home home = Home::Arena;
  /// Positions in the outermost block, both inclusive.
  unsigned start = 0, end = 0;
  unsigned storage = 0;
};

/// Memory that tenants use one after the other.
struct PlannedStorage {
  sym::SymExpr bytes, offset;
  SmallVector<unsigned> tenants;
};

/// A reuse that was not proved.
struct BlockedReuse {
  unsigned tenant, storage;
};

struct MemoryPlan {
  SmallVector<Tenant> tenants;
  SmallVector<PlannedStorage> storages;
  SmallVector<BlockedReuse> blocked;
  sym::SymExpr total;              // bytes of the arena
  SmallVector<sym::SymExpr> peaks; // their maximum is a lower bound for `total` without sharing of parts
};

/// Plans a function of the destination phase; reports why it cannot. Outputs are not tenants.
FailureOr<MemoryPlan> planFunctionMemory(func::FuncOp function);

/// JSON for the memory report.
std::string printMemoryReport(const MemoryPlan &plan);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_MEMORYPLAN_H
