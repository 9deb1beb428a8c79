//===- Tosa.h - Rules for ops of TOSA --------------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_IMPORTDIALECTS_TOSA_H
#define RELAX_LIB_CONVERSION_IMPORTDIALECTS_TOSA_H

#include "ForeignImporter.h"

namespace mlir::relax::tosa_import {

//===- Rules, by family; null for other ops ---------------------------------===//
ForeignImporter::Emit getElementwiseRule(StringRef name);
ForeignImporter::Emit getTensorRule(StringRef name);
ForeignImporter::Emit getScalingRule(StringRef name);

/// NaN is not ignored and operands from `first` on, zero points or shifts, are 0; anything else is an error.
bool isPlain(ForeignImporter &w, Operation *op, unsigned first);

/// The constant 0.
bool isZero(Value value);

/// x - zero in `type`.
Value withoutZeroPoint(ForeignImporter &w, Value x, Value zero, Type type);

} // namespace mlir::relax::tosa_import

#endif // RELAX_LIB_CONVERSION_IMPORTDIALECTS_TOSA_H
