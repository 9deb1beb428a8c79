//===- CallExtents.h - Extents of calls that are fused ---------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_CALLEXTENTS_H
#define RELAXDIALECT_LIB_TRANSFORMS_CALLEXTENTS_H

#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/IR/TypeRange.h"

namespace mlir::relax {

/// Every divisor in the extents of `types` is proved positive. Host code reports a divisor that is not; inside of a
/// program nobody would.
bool haveProvedDivisors(TypeRange types, sym::Prover &prover);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_CALLEXTENTS_H
