//===- ArtifactCompiler.h - From a module to an artifact -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// What relax-compile and the C API have in common: the names of targets, the
// default pipeline for all of them, and code for several levels of CPU.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_COMPILER_ARTIFACTCOMPILER_H
#define RELAXDIALECT_COMPILER_ARTIFACTCOMPILER_H

#include "RelaxDialect/Pipelines/Pipelines.h"
#include "RelaxDialect/Target/Artifact.h"

#include <functional>
#include <memory>
#include <string>

namespace mlir {
class PassManager;
} // namespace mlir

namespace mlir::relax {

/// Compiles modules for one list of targets. Every level of CPU gets code of its own behind one interface; the pipeline
/// runs once up to where CPUs differ.
class ArtifactCompiler {
public:
  /// `targets` is a list like "x86-64-v3,x86-64-v4,vulkan": levels of CPU (getCodeTarget; none: "cpu"), and devices to
  /// make kernels for as well. On failure `error` says which name is unknown.
  static FailureOr<std::unique_ptr<ArtifactCompiler>> create(StringRef targets, std::string &error);

  /// From low to high.
  ArrayRef<CodeTarget> getLevels() const { return levels; }

  /// Options of the default pipeline. Vector width and devices follow from the targets.
  KernelPipelineOptions &getOptions() { return options; }
  /// Sets options from text, "fuse=false quantize-weights=q8_0", as relax-opt reads them.
  LogicalResult setOptions(StringRef text, std::string &error);

  /// Called with each pass manager that `write` runs.
  void onPassManager(std::function<void(PassManager &)> fn) { prepare = std::move(fn); }

  /// The default pipeline: to LLVM dialect for one level of CPU, to the place where CPUs differ for several.
  void buildPipeline(OpPassManager &manager);

  /// Writes the artifact of a module that the pipeline has run on; several levels are lowered first. A blob's relative
  /// file name starts at `blobDirectory`. Errors are reported at ops.
  LogicalResult write(ModuleOp module, StringRef blobDirectory, StringRef path);
  LogicalResult write(ModuleOp module, StringRef blobDirectory, llvm::raw_pwrite_stream &stream);

private:
  ArtifactCompiler() = default;
  LogicalResult lowerLevels(ModuleOp module, StringRef blobDirectory,
                            llvm::function_ref<LogicalResult(const ArtifactOptions &)> write);
  void setTargetOptions();

  SmallVector<CodeTarget> levels;
  SmallVector<std::string> devices;
  KernelPipelineOptions options;
  std::function<void(PassManager &)> prepare;
};

} // namespace mlir::relax

#endif // RELAXDIALECT_COMPILER_ARTIFACTCOMPILER_H
