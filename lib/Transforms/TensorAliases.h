//===- TensorAliases.h - Which tensors are the same memory -----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The one place that knows which ops give a tensor that is another one's memory:
// names (match_cast, refine, erase_shape), views (reshape), calls that write to
// an operand, calls of functions, control flow. Destinations, planning and growth in place ask
// here; relax-verify-planned does not (MemoryPlaces.h), so that it finds what is
// wrong here.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_TENSORALIASES_H
#define RELAXDIALECT_LIB_TRANSFORMS_TENSORALIASES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::relax {

/// What a walk from a tensor to what it is made of goes through.
enum class Through {
  Names,     // ops without code that keep extents
  SameShape, // and results of calls with the extents of the operand that they write to
  Calls,     // and all results of calls that write to an operand, and views of another shape
};

/// The tensor whose memory `tensor` certainly is, one step back; null when there is none.
Value getAliasSource(Value tensor, Through through);
/// The same, as far as it goes: a destination, an argument, a weight, a result of control flow...
Value getAliasRoot(Value tensor, Through through);

/// Values that may be the memory of `use` behind its owner: names, results of calls that write there or give back what
/// they were given, and what control flow hands on.
SmallVector<Value> getAliases(OpOperand &use);

/// Calls `visit` with every use of what may be the memory of `root`.
void forEachAliasUse(Value root, llvm::function_ref<void(OpOperand &)> visit);

/// The roots of all tensors of a function, through control flow.
class TensorAliases {
public:
  explicit TensorAliases(func::FuncOp function);

  /// Tensors that are no other's memory and that `tensor` may be the memory of; itself when it is one.
  ArrayRef<Value> getRoots(Value tensor) const;
  bool mayAlias(Value a, Value b) const;
  ArrayRef<Value> getTensors() const { return tensors; }

private:
  SmallVector<Value> tensors; // in program order
  DenseMap<Value, llvm::SmallSetVector<Value, 4>> roots;
};

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_TENSORALIASES_H
