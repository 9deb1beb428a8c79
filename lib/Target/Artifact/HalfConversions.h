//===- HalfConversions.h - f16 without a compiler library ------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_ARTIFACT_HALFCONVERSIONS_H
#define RELAXDIALECT_LIB_TARGET_ARTIFACT_HALFCONVERSIONS_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::relax {

/// Where an instruction for a conversion from or to half is missing, the code generator calls a function of the
/// compiler's library, which an artifact cannot rely on. Adds these functions when the module uses half.
void addHalfConversions(llvm::Module &module);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TARGET_ARTIFACT_HALFCONVERSIONS_H
