//===- DrawMemory.cpp - A picture of the memory plan ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "MemoryPlan.h"
#include "RelaxDialect/Transforms/ReportPasses.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/ToolOutputFile.h"

namespace mlir::relax {
#define GEN_PASS_DEF_DRAWMEMORYPASS
#include "RelaxDialect/Transforms/ReportPasses.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

/// The page, with a mark where the reports go.
static constexpr StringLiteral kPage =
#include "DrawMemoryPage.inc"
    ;
static constexpr StringLiteral kMark = "@REPORTS@";

std::string relax::collectMemoryReports(ModuleOp module) {
  llvm::json::Object reports;
  auto add = [&](StringRef name, Attribute attribute) {
    auto text = dyn_cast_or_null<StringAttr>(attribute);
    if (!text)
      return;
    if (llvm::Expected<llvm::json::Value> value = llvm::json::parse(text.getValue()))
      reports[name] = std::move(*value);
    else
      llvm::consumeError(value.takeError());
  };
  // Functions in the planned phase, a table of the module from the host phase on.
  for (Operation &op : *module.getBody())
    if (auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      add(name.getValue(), op.getAttr(kFunctionReportAttrName));
  if (auto table = module->getAttrOfType<DictionaryAttr>(kFunctionReportAttrName))
    for (NamedAttribute entry : table)
      add(entry.getName().getValue(), entry.getValue());
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(reports));
  return text;
}

std::string relax::drawMemoryReports(StringRef reports) {
  auto [before, behind] = StringRef(kPage).split(kMark);
  std::string page = before.str();
  // The end tag of a script ends it wherever it stands. In JSON, this character is only in strings.
  for (char c : reports)
    page += c == '<' ? std::string("\\u003c") : std::string(1, c);
  page += behind;
  return page;
}

namespace {
struct DrawMemoryPass final : relax::impl::DrawMemoryPassBase<DrawMemoryPass> {
  using Base::Base;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    std::string message;
    std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(output, &message);
    if (!file) {
      getOperation().emitError(message);
      return signalPassFailure();
    }
    file->os() << drawMemoryReports(collectMemoryReports(getOperation()));
    file->os().flush();
    if (std::error_code code = file->os().error()) {
      file->os().clear_error();
      getOperation().emitError("cannot write '" + output + "': " + code.message());
      return signalPassFailure();
    }
    file->keep();
  }
};
} // namespace
