//===- MemoryPlaces.h - Where the contents of a tensor may be --*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// For relax-verify-planned; shares no code with relax-plan-memory.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_MEMORYPLACES_H
#define RELAXDIALECT_LIB_TRANSFORMS_MEMORYPLACES_H

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::relax {

/// The op that stands for a place: a tensor_at, a call whose result or scratch memory it is, a shape_to_tensor, or the
/// storage in the memory of a donated argument, for what that holds at entry. The
/// flag says that the contents are those of the iteration before, for a tensor_at whose storage alternates.
using MemoryPlace = llvm::PointerIntPair<Operation *, 1, bool>;
using PlaceSet = llvm::SmallSetVector<MemoryPlace, 8>;

/// Space of the storage of a tensor_at, empty when that is no `relax.storage`.
StringRef getStorageSpace(graph::TensorAtOp at);

/// Every place that may hold the contents of a tensor, through control flow.
class MemoryPlaces {
public:
  explicit MemoryPlaces(func::FuncOp function);

  const PlaceSet &get(Value tensor) const;
  /// What the iterations of a loop read of earlier ones.
  PlaceSet getCarried(Operation *loop) const;
  /// What `op` and the ops inside of it write.
  PlaceSet getWritten(Operation *op) const;
  PlaceSet getRead(Operation *op) const;

private:
  bool update(Operation *op);
  bool add(Value to, const PlaceSet &places);
  bool addRotated(Value to, Value yielded, Operation *loop);

  DenseMap<Value, PlaceSet> places;
};

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_MEMORYPLACES_H
