//===- DeviceSizes.h - What the host computes for a launch -----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICESIZES_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICESIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::relax {

/// A constant (an index attribute), or a value of the function that computes sizes.
using Size = OpFoldResult;

/// Writes `relax_device_<kernel>(scalars, out)`. Products that leave 64 bits become the largest number, which no launch
/// accepts.
class DeviceSizes {
public:
  explicit DeviceSizes(func::FuncOp kernel);

  func::FuncOp getFunction() { return function; }
  /// What a scalar value of the kernel is; null when it is not known on the host.
  Size lookup(Value value);
  void map(Value value, Size size) { known[value] = size; }
  /// Repeats a scalar operation of the kernel here; false when it has an operand that is not known.
  bool repeat(Operation *op);

  Size constant(int64_t value) { return builder.getIndexAttr(value); }
  /// Extent `dim` of argument `argument` of the kernel.
  Size getExtent(unsigned argument, int64_t dim);
  Size add(Size a, Size b);
  Size multiply(Size a, Size b);
  Size multiply(ArrayRef<Size> factors);
  /// The number of parts of `divisor` that cover `size`.
  Size divideUp(Size size, int64_t divisor);

  /// The next word of `out`.
  void append(Size size);
  void finish();

private:
  Value materialize(Size size);
  Value loadScalar(int64_t position);

  func::FuncOp kernel, function;
  Location loc;
  OpBuilder builder;
  DenseMap<Value, Size> known;
  int64_t nextWord = 0;
};

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICESIZES_H
