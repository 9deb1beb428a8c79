//===- Report.h - A page about one compilation -----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TOOLS_RELAXCOMPILE_REPORT_H
#define RELAXDIALECT_TOOLS_RELAXCOMPILE_REPORT_H

#include "Instruments.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>

/// Collects what the page shows, while passes run and behind.
class Report {
public:
  /// Keeps the graph as it is with groups, before they become programs. Without fusion it is that of the calls.
  void attach(mlir::PassManager &manager);

  /// The page. `module` is in the host phase or behind; `profile` is text of `relax-run --trace`, or empty.
  std::string write(mlir::ModuleOp module, llvm::StringRef title, const Instruments &instruments,
                    llvm::StringRef profile) const;

private:
  std::string graph = "{}";
};

#endif // RELAXDIALECT_TOOLS_RELAXCOMPILE_REPORT_H
