//===- InitAll.h - Registration of everything ------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// For tools, the plugin and the C API. Libraries name the dialects they need.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_INITALL_H
#define RELAXDIALECT_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::relax {

/// Our dialects and the interfaces that they attach.
void registerAllDialects(DialectRegistry &registry);

/// Our passes and pipelines, once per process however often it is called: a tool and the plugin may both ask.
void registerAllPasses();

/// What relax-translate offers; for tools only, mlir-translate's driver reads the registry.
void registerAllTranslations();

} // namespace mlir::relax

#endif // RELAXDIALECT_INITALL_H
