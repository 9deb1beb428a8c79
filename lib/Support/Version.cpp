//===- Version.cpp - Version of the project -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Support/Version.h"

llvm::StringRef mlir::relax::getVersion() { return RELAX_VERSION; }
