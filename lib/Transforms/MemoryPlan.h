//===- MemoryPlan.h - Which tensors share memory ---------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The plan of one function: a list of tenants with life times and, of each one
// in the arena, the tenants that it lies above of. A tenant begins where the
// highest of those ends, so that the plan holds for every valuation without any
// proof: what cannot be compared while compiling is compared at entry. That is
// also how one of a few plans is chosen there. Decides only; relax-plan-memory
// rewrites the function.
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
  Result,      // inside of a result that is made later
  Separate,    // the size is found in the outermost block
  Growing,     // the size is found inside of a branch or loop
  Alternating, // a loop hands it to the next iteration
};

/// Something that needs memory: a destination, or the scratch memory of a library function.
struct Tenant {
  Operation *op = nullptr; // relax.alloc, or the call
  sym::SymExpr bytes;      // over symbols known at entry when it is in the arena
  /// The same, a multiple of the alignment: what it takes in the arena.
  sym::SymExpr padded;
  /// The facts that are checked at entry do not exclude a size below zero.
  bool mayBeNegative = false;
  Home home = Home::Arena;
  unsigned result = 0; // whose memory it is in
  /// Positions in the outermost block, both inclusive.
  unsigned start = 0, end = 0;
  /// Tenants of the same memory that end where this one begins, or earlier; others that live at the same time lie below
  /// them or above this one.
  SmallVector<unsigned> below;
  /// Scratch memory lies at the bottom, at a place that is an expression.
  sym::SymExpr offset;

  bool isScratch() const { return static_cast<bool>(offset); }
};

/// A tensor that the function returns, in memory of its own: from where it is made, or copied to at the end.
struct PlannedResult {
  RankedTensorType type;
  sym::SymExpr bytes; // null where an extent is not known
  unsigned start;
  /// Where it is made, unless it is copied; the extents are known at entry and not negative.
  Operation *alloc = nullptr;
  bool isKnownAtEntry = false;
  /// The argument whose elements it begins with.
  std::optional<int64_t> extends = std::nullopt;
  /// The argument in whose memory it may be.
  std::optional<int64_t> donated = std::nullopt;
  /// Those that lie in its memory, each after those below it.
  SmallVector<unsigned> tenants = {};
  /// That they end inside of it is not proved: it is compared at entry.
  bool isCompared = false;
};

struct MemoryPlan {
  SmallVector<Tenant> tenants;
  SmallVector<PlannedResult> results;
  SmallVector<unsigned> order; // of the tenants in the arena: what is below comes first
  SmallVector<unsigned> top;   // those with nothing above them: the highest end is the size of the arena
};

/// For each sample: padded sizes of all tenants, bytes of all results.
struct SampleSizes {
  SmallVector<SmallVector<int64_t>> tenants, results;
};

/// Orders the tenants in the arena of `plan` so that little memory is needed at the sizes of all `samples`: padded
/// sizes of all tenants, in their order. Bytes of the arena for each sample. Orders are tried that suit all samples, or
/// only the one named `suited`.
SmallVector<int64_t> layOutTenants(MemoryPlan &plan, ArrayRef<SmallVector<int64_t>> samples,
                                   std::optional<unsigned> suited = std::nullopt);

/// Moves tenants of the arena into results that are made after their life, as far as they are proved to fit.
void lendResults(MemoryPlan &plan, sym::Prover &entryProver, const SampleSizes &sizes);

/// The same, as far as they fit at one sample; at entry it is compared whether they do.
void lendResultsAt(MemoryPlan &plan, const SampleSizes &sizes, unsigned sample);

/// Adds a few plans that take less than the first one at some sample; that one takes `bytes` at each. `collected` has
/// the same tenants, not laid out.
void addAlternatives(std::vector<MemoryPlan> &plans, SmallVector<int64_t> bytes, const MemoryPlan &collected,
                     const SampleSizes &sizes);

/// Of a function of the planned phase: its report, as JSON. The host phase has them in a table of the module, which
/// ModuleTables.h names.
inline constexpr StringLiteral kFunctionReportAttrName = "relax.memory_report";

/// Plans a function of the destination phase; reports why it cannot. Outputs are not tenants. Without `share`
/// everything in the arena but scratch memory lives as long as the call. Several plans differ in what lies where, in
/// the arena or in results: the first fits at all sizes, each other one is used where it fits and takes a smaller
/// arena.
FailureOr<std::vector<MemoryPlan>> planFunctionMemory(func::FuncOp function, bool share = true);

/// Puts the destinations of a function of the destination phase into memory; reports why it cannot. For a function
/// without any nothing is done.
LogicalResult planMemory(func::FuncOp function, bool share = true);

/// JSON for the memory report: what is in the arena, the lower ones first, numbered from 0; `planned_bytes`, of the
/// first plan, is null where the expression would be too long.
std::string printMemoryReport(func::FuncOp function, ArrayRef<MemoryPlan> plans);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_MEMORYPLAN_H
