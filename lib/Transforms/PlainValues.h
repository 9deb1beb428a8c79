//===- PlainValues.h - Between symbolic and plain types --------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_PLAINVALUES_H
#define RELAXDIALECT_LIB_TRANSFORMS_PLAINVALUES_H

#include "mlir/IR/Builders.h"

namespace mlir::relax {

/// A tensor whose integers have another sign or none: a cast between types that are the same once relax-strip-shapes
/// has replaced both.
Value emitRetyped(OpBuilder &builder, Location loc, Value tensor, Type elementType);
/// The tensor without its extents. Static dimensions stay.
Value emitPlain(OpBuilder &builder, Location loc, Value tensor);

/// The index values of a shape's entries; none without a shape.
SmallVector<Value> emitEntries(OpBuilder &builder, Location loc, Value shape);

/// The result with the type of the call's result: by a check, or a cast that cannot fail where there are no symbols.
Value emitResult(OpBuilder &builder, Location loc, Value value, Type type);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_PLAINVALUES_H
