//===- ModelTranslation.h - Import of a file as a translation --*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_MODELTRANSLATION_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_MODELTRANSLATION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::relax {

/// Registers `--NAME` of translation tools. Weights refer to the model by its name, so the file is opened again by it;
/// what the tool has read is not used.
inline void registerModelTranslation(StringRef name, StringRef description,
                                     std::function<OwningOpRef<ModuleOp>(StringRef path, MLIRContext *)> importModel,
                                     const std::function<void(DialectRegistry &)> &registerDialects) {
  TranslateToMLIRRegistration registration(
      name, description,
      [importModel = std::move(importModel)](llvm::SourceMgr &sourceMgr,
                                             MLIRContext *context) -> OwningOpRef<Operation *> {
        StringRef path = sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID())->getBufferIdentifier();
        if (path == "<stdin>") {
          emitError(UnknownLoc::get(context)) << "a model is read from a named file: weights refer to it";
          return {};
        }
        return OwningOpRef<Operation *>(importModel(path, context).release());
      },
      registerDialects);
}

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_MODELTRANSLATION_H
