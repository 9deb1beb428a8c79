//===- TensorFiles.h - Tensors of the interpreter in .npz files -*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_INTERPRET_TENSORFILES_H
#define RELAX_INTERPRET_TENSORFILES_H

#include "RelaxDialect/Interpreter/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include <string>

namespace relax_interpret {

struct NamedTensor {
  std::string name;
  mlir::relax::interp::Tensor tensor;
};

/// Reads every array of an untrusted .npz file. False and `error` on failure.
bool readTensors(mlir::MLIRContext *context, const std::string &path, std::vector<NamedTensor> &tensors,
                 std::string &error);
/// Writes what numpy.savez would write.
bool writeTensors(const std::string &path, const std::vector<NamedTensor> &tensors, std::string &error);

} // namespace relax_interpret

#endif // RELAX_INTERPRET_TENSORFILES_H
