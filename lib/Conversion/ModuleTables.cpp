//===- ModuleTables.cpp - Tables of a module for the artifact -------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Conversion/ModuleTables.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::relax;

int64_t relax::addTableEntry(ModuleOp module, StringRef table, Attribute entry) {
  SmallVector<Attribute> entries;
  if (auto old = module->getAttrOfType<ArrayAttr>(table))
    llvm::append_range(entries, old);
  auto found = llvm::find(entries, entry);
  if (found != entries.end())
    return found - entries.begin();
  entries.push_back(entry);
  module->setAttr(table, ArrayAttr::get(module.getContext(), entries));
  return entries.size() - 1;
}

int64_t relax::addGuardSite(ModuleOp module, int32_t status, StringRef message) {
  Builder builder(module.getContext());
  return addTableEntry(module, kSitesAttrName,
                       builder.getDictionaryAttr({builder.getNamedAttr("message", builder.getStringAttr(message)),
                                                  builder.getNamedAttr("status", builder.getI64IntegerAttr(status))}));
}

SmallVector<StringRef> relax::getStringTable(ModuleOp module, StringRef table) {
  SmallVector<StringRef> strings;
  if (auto entries = module->getAttrOfType<ArrayAttr>(table))
    for (Attribute entry : entries)
      if (auto string = dyn_cast<StringAttr>(entry))
        strings.push_back(string.getValue());
  return strings;
}

std::string relax::getKernelSymbol(StringRef name) { return ("relax_kernel_" + name).str(); }
std::string relax::getEntrySymbol(StringRef name) { return ("relax_entry_" + name).str(); }
