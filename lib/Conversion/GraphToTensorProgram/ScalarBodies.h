//===- ScalarBodies.h - What elementwise ops do to scalars -----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_SCALARBODIES_H
#define RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_SCALARBODIES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace mlir::relax {

/// The scalar computation of an elementwise op; null when `op` is none. May contain `relax_tp.assert`; what follows a
/// failed assertion is harmless.
Value buildScalarBody(Operation *op, OpBuilder &builder, Location loc, ValueRange operands);

/// The element type in which sums of `type` are accumulated: f32 for f16 and bf16.
Type getAccumulatorType(Type type);
/// Between a type and its accumulator type, either way; the value itself when they are equal.
Value convertFloat(OpBuilder &builder, Location loc, Value value, Type type);

/// f64 to f32 such that rounding the result to fewer digits rounds once: toward zero, with the last bit set where that
/// was inexact.
Value roundToOddF32(OpBuilder &builder, Location loc, Value value);

/// An f32 as the code of a float format of up to 8 bits (`f8e4m3fn`), in an i32: rounded to nearest, ties to even. What
/// is too large becomes infinity, NaN where there is none, else the largest number.
Value encodeFloat(OpBuilder &builder, Location loc, Value value, StringRef format);

/// A constant of a float or integer type of the graph, as programs see it.
Value createScalar(OpBuilder &builder, Location loc, Type type, double value);
/// Infinity or the highest integer, minus infinity or the lowest, of a type of the graph.
Value createExtreme(OpBuilder &builder, Location loc, Type type, bool isHighest);
/// Of two elements of a type of the graph; NaN if one is NaN.
Value createMax(OpBuilder &builder, Location loc, Type type, Value a, Value b);
Value createMin(OpBuilder &builder, Location loc, Type type, Value a, Value b);

} // namespace mlir::relax

#endif // RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_SCALARBODIES_H
