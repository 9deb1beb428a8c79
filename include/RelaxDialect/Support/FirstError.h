//===- FirstError.h - Errors that are not reported -------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_SUPPORT_FIRSTERROR_H
#define RELAXDIALECT_SUPPORT_FIRSTERROR_H

#include "mlir/IR/Diagnostics.h"
#include <string>

namespace mlir::relax {

/// As long as it lives nothing of its thread is reported, and an empty `text` becomes the first error.
class FirstError : public ScopedDiagnosticHandler {
public:
  FirstError(MLIRContext *context, std::string &text)
      : ScopedDiagnosticHandler(context, [&text](Diagnostic &diagnostic) {
          if (text.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
            text = diagnostic.str();
          return success();
        }) {}
};

} // namespace mlir::relax

#endif // RELAXDIALECT_SUPPORT_FIRSTERROR_H
