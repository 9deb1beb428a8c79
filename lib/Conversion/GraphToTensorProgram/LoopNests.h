//===- LoopNests.h - linalg.generic for the patterns -----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_LOOPNESTS_H
#define RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_LOOPNESTS_H

#include "RelaxDialect/Conversion/GraphToTensorProgram/ProgramLibrary.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::relax {

/// How a tensor is read by loops over a larger shape, as broadcasting wants it.
struct BroadcastAccess {
  /// For each dimension of the tensor: the loop that runs along it, or -1 where it has extent 1.
  SmallVector<int64_t> loops;
  /// Dimensions whose extent is 1 or the loop's, which only run time decides.
  SmallVector<bool> ambiguous;

  bool isAmbiguous() const { return llvm::is_contained(ambiguous, true); }
  AffineMap getMap(unsigned numLoops, MLIRContext *context) const;
};

/// Access of a tensor with extents `dims` by loops over `target`, aligned at the last of `target`.
BroadcastAccess getBroadcastAccess(sym::Prover &prover, ArrayRef<sym::SymExpr> dims, ArrayRef<sym::SymExpr> target);

/// Extents of the ambiguous dimensions, read in front of the loops.
SmallVector<Value> readAmbiguousExtents(ProgramBody &body, Value tensor, const BroadcastAccess &access);
/// The element that the loops' present iteration reads: for tensors with ambiguous dimensions.
Value readElement(OpBuilder &builder, Location loc, Value tensor, const BroadcastAccess &access,
                  ArrayRef<Value> extents);

/// `linalg.generic` with one output; the body gives the element from those of inputs and output.
Value createGeneric(ProgramBody &body, ValueRange inputs, ArrayRef<AffineMap> inputMaps, Value output,
                    AffineMap outputMap, ArrayRef<utils::IteratorType> iterators,
                    function_ref<Value(OpBuilder &, Location, ValueRange)> element);
/// The same where all loops are parallel and run over the output.
Value createParallel(ProgramBody &body, ValueRange inputs, ArrayRef<AffineMap> inputMaps, Value output,
                     function_ref<Value(OpBuilder &, Location, ValueRange)> element);
/// Copies `input`, read through `map`, to `output`.
Value createCopy(ProgramBody &body, Value input, AffineMap map, Value output);
/// Copies the part of `input` with the out's extents that starts at `offsets`, which has been checked to lie inside.
Value createSliceCopy(ProgramBody &body, Value input, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> strides);
/// Every element becomes the same.
Value createFill(ProgramBody &body, Value output, Value scalar);
/// `tensor` with extents `dims` broadcast to `target`, written to `output`.
Value createBroadcast(ProgramBody &body, Value tensor, ArrayRef<sym::SymExpr> dims, ArrayRef<sym::SymExpr> target,
                      Value output);

} // namespace mlir::relax

#endif // RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_LOOPNESTS_H
