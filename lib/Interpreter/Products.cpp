//===- Products.cpp - Products of many factors ----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Products.h"
#include "NeuralOps.h"
#include "RelaxDialect/Interpreter/Tensor.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::interp;

Product::Product(Type elementType) : accumulator(getWideType(elementType)) {}

void Product::add(double factor) {
  product = roundToType(accumulator, product * factor);
  ++count;
  hasNaN |= std::isnan(factor);
  hasInfinity |= std::isinf(factor);
  hasZero |= factor == 0;
  if (factor == 0 || !std::isfinite(factor))
    return;
  double exponent = std::log2(std::fabs(factor));
  (exponent > 0 ? above : below) += exponent;
  int unused = 0;
  auto mantissa = static_cast<uint64_t>(std::ldexp(std::frexp(std::fabs(factor), &unused), 53));
  int used = 53 - llvm::countr_zero(mantissa);
  digits += used == 1 ? 0 : used;
}

double Product::getError() const {
  constexpr double anything = std::numeric_limits<double>::infinity();
  // NaN in every order.
  if (hasNaN || (hasZero && hasInfinity))
    return 0;
  const llvm::fltSemantics &semantics = cast<FloatType>(accumulator).getFloatSemantics();
  double epsilon = getEpsilon(accumulator);
  double margin = 2 * static_cast<double>(count) * epsilon + 1e-9; // of the roundings, as an exponent
  int lowest = APFloat::semanticsMinExponent(semantics), highest = APFloat::semanticsMaxExponent(semantics) + 1;
  bool mayOverflow = above > highest - margin, mayVanish = below < lowest + margin;
  if (hasInfinity)
    return mayVanish ? anything : 0; // 0 * infinity
  if (hasZero)
    return mayOverflow ? anything : 0;
  if (mayOverflow)
    return below == 0 && above > highest + margin ? 0 : anything; // what only grows overflows in every order
  double error =
      digits <= APFloat::semanticsPrecision(semantics) ? 0 : static_cast<double>(count) * epsilon * std::fabs(product);
  // What is lost below the normal numbers is magnified by later factors.
  if (mayVanish)
    error += static_cast<double>(count) * std::exp2(lowest + above);
  return error;
}
