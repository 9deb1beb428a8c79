//===- EntryPoints.cpp - Functions that an artifact offers ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Target/EntryPoints.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

static FailureOr<std::vector<StringRef>> chooseEntries(ArrayRef<StringRef> known, ArrayRef<std::string> names,
                                                       std::string &error, StringRef option) {
  std::string all = llvm::join(known, ", ");
  if (known.empty()) {
    error = "the module has no public function with a body";
    return failure();
  }
  if (names.empty()) {
    if (llvm::is_contained(known, "main"))
      return std::vector<StringRef>{"main"};
    if (known.size() == 1)
      return known.vec();
    error = ("several public functions, none of them 'main': choose with " + option + " (all with " + option +
             "='*'): " + all)
                .str();
    return failure();
  }
  for (const std::string &name : names)
    if (name != "*" && !llvm::is_contained(known, name)) {
      error = "no public function '" + name + "', the module has: " + all;
      return failure();
    }
  if (llvm::is_contained(names, "*"))
    return known.vec();
  return std::vector<StringRef>(names.begin(), names.end());
}

LogicalResult relax::selectEntryPoints(ModuleOp module, ArrayRef<std::string> names, std::string &error,
                                       StringRef option) {
  SmallVector<StringRef> known;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      known.push_back(function.getName());
  FailureOr<std::vector<StringRef>> entries = chooseEntries(known, names, error, option);
  if (failed(entries))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (!llvm::is_contained(*entries, function.getName()))
      function.setPrivate();
  return success();
}
