//===- Samples.h - Inputs for validation ------------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_OPT_SAMPLES_H
#define RELAX_OPT_SAMPLES_H

#include "RelaxDialect/Interpreter/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace relax_opt {

/// Inputs of one run.
struct Sample {
  std::string sizes; // "n = 3, m = 0"
  std::vector<mlir::relax::interp::Tensor> inputs;
};

/// Inputs of different sizes that satisfy the facts: everything 0, everything 1, then odd, prime and boundary sizes.
/// The same for the same seed. Empty when no such sizes were found or an argument has an unsupported type.
std::vector<Sample> makeSamples(mlir::func::FuncOp function, unsigned count, uint64_t seed);

} // namespace relax_opt

#endif // RELAX_OPT_SAMPLES_H
