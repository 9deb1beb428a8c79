//===- Execute.h - Running what is validated --------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_OPT_EXECUTE_H
#define RELAX_OPT_EXECUTE_H

#include "RelaxDialect/Interpreter/Interpreter.h"
#include "Samples.h"

namespace relax_opt {

using Tensors = std::vector<mlir::relax::interp::Tensor>;

/// What a sample gives in the original module.
struct Reference {
  std::string error; // not empty: the run is an error, and so may be every other
  Tensors results;
  /// How far each element may be away; infinite where rounding decides. Empty: rounding decides even the shape.
  std::vector<std::vector<double>> tolerances;
  bool isComparable() const { return error.empty() && tolerances.size() == results.size(); }
};

/// One function and its samples.
struct Entry {
  std::string name;
  std::vector<std::string> inputNames, resultNames;
  std::vector<Sample> samples;
  std::vector<Reference> references;
};

/// Runs a function in the interpreter. False and `error` when the run fails.
bool interpret(mlir::ModuleOp module, llvm::StringRef function, const Sample &sample, Tensors &results,
               mlir::relax::interp::RunError &error, uint64_t perturbation = 0);

/// The results of the original module, and the tolerances: what runs show whose roundings are moved.
Reference makeReference(mlir::ModuleOp module, llvm::StringRef function, const Sample &sample);

/// Empty when results agree, else where they do not.
std::string compare(const Reference &reference, const Tensors &results, const std::vector<std::string> &names);

/// Runs samples of a function of an artifact with relax-run, in a process of its own, on a device or, where that is
/// empty, on the CPU.
bool runArtifact(mlir::MLIRContext *context, const std::string &artifact, const Entry &entry,
                 const std::vector<unsigned> &samples, const std::string &device, std::vector<Tensors> &results,
                 std::string &error);

/// Where relax-run is: beside this program.
void setProgramPath(const char *argv0);

} // namespace relax_opt

#endif // RELAX_OPT_EXECUTE_H
