//===- SampleSizes.h - Sizes at which choices are compared -----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Valuations of the symbols of a function's arguments, for choices that only
// cost memory or time. Nothing may be concluded from them.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_SAMPLESIZES_H
#define RELAXDIALECT_LIB_TRANSFORMS_SAMPLESIZES_H

#include "RelaxDialect/Dialect/Sym/IR/Prover.h"

namespace mlir::relax {

/// A value for each symbol, in the order of the symbols.
using SampleValues = SmallVector<std::pair<StringRef, int64_t>>;

/// A few different valuations, the same for the same symbols and facts. Those that violate facts are left out as long
/// as there are others. At least one.
SmallVector<SampleValues> getSamples(sym::Prover &prover, ArrayRef<StringRef> symbols, ArrayRef<sym::Fact> facts);

std::optional<int64_t> getSampleValue(const SampleValues &values, StringRef symbol);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_SAMPLESIZES_H
