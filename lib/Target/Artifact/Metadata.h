//===- Metadata.h - Metadata section of a module ---------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_METADATA_H
#define RELAXDIALECT_LIB_TARGET_METADATA_H

#include "RelaxDialect/Runtime/ArtifactFormat.h"
#include "RelaxDialect/Target/CodeGen.h"

namespace mlir::relax {

/// What the tables of the module say, for the runtime.
FailureOr<relax_rt::Metadata> buildMetadata(ModuleOp module, const CodeTarget &target);

/// Object files that become part of the code; the tables of the module are well formed.
SmallVector<LibraryObject> getObjectFiles(ModuleOp module);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TARGET_METADATA_H
