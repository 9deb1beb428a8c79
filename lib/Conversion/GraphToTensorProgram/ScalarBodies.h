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

/// The element type in which sums of `type` are accumulated: f32 for f16.
Type getAccumulatorType(Type type);
/// Between a type and its accumulator type, either way; the value itself when they are equal.
Value convertFloat(OpBuilder &builder, Location loc, Value value, Type type);

/// f64 to f32 such that rounding the result to fewer digits rounds once: toward zero, with the last bit set where that
/// was inexact.
Value roundToOddF32(OpBuilder &builder, Location loc, Value value);

/// A constant of a float or integer type.
Value createScalar(OpBuilder &builder, Location loc, Type type, double value);

} // namespace mlir::relax

#endif // RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_SCALARBODIES_H
