//===- PrintAliases.cpp - Shows which tensors are the same memory ---------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Transforms/ReportPasses.h"
#include "TensorAliases.h"

#include "mlir/IR/AsmState.h"

namespace mlir::relax {
#define GEN_PASS_DEF_PRINTALIASESPASS
#include "RelaxDialect/Transforms/ReportPasses.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {
struct PrintAliasesPass final : relax::impl::PrintAliasesPassBase<PrintAliasesPass> {
  using Base::Base;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    TensorAliases aliases(function);
    AsmState names(function);
    std::string text; // at once: functions are visited in parallel
    llvm::raw_string_ostream os(text);
    os << "@" << function.getSymName() << ":\n";
    for (Value tensor : aliases.getTensors()) {
      ArrayRef<Value> roots = aliases.getRoots(tensor);
      if (roots == ArrayRef<Value>(tensor))
        continue;
      tensor.printAsOperand(os << "  ", names);
      os << " may be ";
      llvm::interleaveComma(roots, os, [&](Value root) { root.printAsOperand(os, names); });
      os << "\n";
    }
    llvm::errs() << text;
  }
};
} // namespace
