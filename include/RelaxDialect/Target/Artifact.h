//===- Artifact.h - Writing an artifact file -------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TARGET_ARTIFACT_H
#define RELAXDIALECT_TARGET_ARTIFACT_H

#include "RelaxDialect/Target/CodeGen.h"

namespace mlir::relax {

/// The same module in LLVM dialect, lowered for another level of CPU.
struct CodeVariant {
  CodeTarget target;
  ModuleOp module;
};

struct ArtifactOptions {
  CodeTarget target;
  /// Where a relative file name in `#relax.blob` starts.
  std::string blobDirectory;
  SmallVector<CodeVariant> higher = {}; // behind `target`, from low to high
};

/// Writes the artifact of a module in LLVM dialect that carries the tables of Conversion/ModuleTables.h. The tables are
/// taken off the module. The same module gives the same bytes. On failure nothing is left at `path`.
LogicalResult writeArtifact(ModuleOp module, const ArtifactOptions &options, StringRef path);
/// The same to an empty stream, which after a failure holds a part of an artifact.
LogicalResult writeArtifact(ModuleOp module, const ArtifactOptions &options, llvm::raw_pwrite_stream &stream);

} // namespace mlir::relax

#endif // RELAXDIALECT_TARGET_ARTIFACT_H
