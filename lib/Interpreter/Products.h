//===- Products.h - Products of many factors ------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_INTERPRETER_PRODUCTS_H
#define RELAXDIALECT_LIB_INTERPRETER_PRODUCTS_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::relax::interp {

/// Multiplies from the left in an accumulator, and says how far other orders may be away: what Sum is for additions.
class Product {
public:
  /// Of a float type; the accumulator is at least f32.
  explicit Product(Type elementType);

  void add(double factor);
  double get() const { return product; }
  /// 0 when every order gives the same; infinite when a partial product of some order may overflow, or be 0 beside an
  /// infinite factor, and of others not.
  double getError() const;

private:
  Type accumulator;
  double product = 1;
  // Binary logarithms of the product of all factors beyond 1, and below 1: no partial product leaves them.
  double above = 0, below = 0;
  int64_t count = 0, digits = 0; // digits of the factors: what an exact product needs
  bool hasZero = false, hasInfinity = false, hasNaN = false;
};

} // namespace mlir::relax::interp

#endif // RELAXDIALECT_LIB_INTERPRETER_PRODUCTS_H
