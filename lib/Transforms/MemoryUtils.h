//===- MemoryUtils.h - Shared by the memory passes -------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_MEMORYUTILS_H
#define RELAXDIALECT_LIB_TRANSFORMS_MEMORYUTILS_H

#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"

namespace mlir::relax {

/// `relax.alloc` and the storage made from it: number of the function's result that lives there.
inline constexpr StringLiteral kOutputAttrName = "relax.output";
/// The same ops, of an output: number of the function's argument whose elements it begins with.
inline constexpr StringLiteral kExtendsAttrName = "relax.extends";
/// `relax.call_dps`: byte offset of the library function's scratch memory in the function's arena.
inline constexpr StringLiteral kWorkspaceAttrName = "relax.workspace_offset";
/// Names of memory in `relax.storage` (Spec.md 3.2).
inline constexpr StringLiteral kArenaSpace = "arena", kOutputSpace = "output", kGrowingSpace = "growing",
                               kAlternatingSpace = "alternating";

/// `relax.shape_of`.
Value createShapeOf(OpBuilder &builder, Location loc, Value tensor);

/// Shapes whose symbols include those of `type`, taken from the operands of `call`. Emits an error when there are none.
FailureOr<SmallVector<Value>> getShapesFor(OpBuilder &builder, graph::ProgramCallOpInterface call, Type type);

/// The type of out or workspace `index` in the caller's symbols. Emits an error when an extent is not known.
FailureOr<Type> getDestinationType(graph::ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                                   const graph::CallUnification &unification, unsigned index);

/// The block whose terminator hands tensors to the next iteration of `op`; null when `op` is not a loop.
Block *getLoopBody(Operation *op);

/// Bytes of a tensor with known extents; null when they do not fit a coefficient.
sym::SymExpr getByteSize(RankedTensorType type);

/// `bytes` rounded up to a multiple of `alignment`; null on overflow.
sym::SymExpr roundUp(sym::SymExpr bytes, int64_t alignment);

/// A sum of products of symbols without negative coefficients, which is not negative.
bool isSumOfProducts(sym::SymExpr expr);

/// The graph ops that compute are calls from the mixed phase on. False for an op of `relax` that has no place there.
bool isAllowedAfterLegalization(Operation *op);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_MEMORYUTILS_H
