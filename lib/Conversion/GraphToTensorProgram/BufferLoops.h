//===- BufferLoops.h - Loops of programs over buffers ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_BUFFERLOOPS_H
#define RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_BUFFERLOOPS_H

#include "RelaxDialect/Conversion/GraphToTensorProgram/ProgramLibrary.h"

namespace mlir::relax {

/// Extents as values.
SmallVector<Value> getIndices(ProgramBody &body, ArrayRef<sym::SymExpr> dims);

/// Nested loops, the last dimension innermost. `inside` gets an index for each extent and the carried values, and gives
/// their next values.
SmallVector<Value> createLoops(ProgramBody &body, ArrayRef<Value> extents, ValueRange carried,
                               function_ref<SmallVector<Value>(ArrayRef<Value>, ValueRange)> inside);
/// The same where nothing is carried.
void createLoops(ProgramBody &body, ArrayRef<Value> extents, function_ref<void(ArrayRef<Value>)> inside);
/// Loops over all dimensions but `axis`; `inside` gets the indices with a null in place of the axis.
void createLoopsAround(ProgramBody &body, ArrayRef<sym::SymExpr> dims, int64_t axis,
                       function_ref<void(ArrayRef<Value>)> inside);

/// Results of one of two branches.
SmallVector<Value> createIf(ProgramBody &body, Value condition, TypeRange types,
                            function_ref<SmallVector<Value>()> whenTrue, function_ref<SmallVector<Value>()> whenFalse);

/// The order of sorting: a goes before b. NaN is larger than every number, false less than true.
Value createLess(OpBuilder &builder, Location loc, Type type, Value a, Value b);

} // namespace mlir::relax

#endif // RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_BUFFERLOOPS_H
