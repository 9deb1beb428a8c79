//===- Remarks.h - What passes say of their decisions ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_PIPELINES_REMARKS_H
#define RELAXDIALECT_PIPELINES_REMARKS_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include <functional>
#include <string>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mlir::relax {

/// One decision of a pass.
struct PassRemark {
  std::string kind;     // passed, missed, failed, analysis
  std::string category; // the pass, relax-fuse-ops
  std::string name;     // what was decided, Fused
  std::string message;
  std::string place; // file:line:column, empty where it is not known

  /// `place: remark: pass: name: message`
  std::string str() const;
};

/// Calls `fn` for every remark whose pass the regular expression matches as a whole, from any thread, one at a time.
/// Fails for an expression that is none.
LogicalResult forEachRemark(MLIRContext *context, StringRef filter, std::function<void(const PassRemark &)> fn);

} // namespace mlir::relax

#endif // RELAXDIALECT_PIPELINES_REMARKS_H
