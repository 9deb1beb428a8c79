//===- ModuleTables.cpp - Tables of a module for the artifact -------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Conversion/ModuleTables.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::relax;

DictionaryAttr relax::makeGuardSite(MLIRContext *context, int32_t status, StringRef message) {
  Builder builder(context);
  return builder.getDictionaryAttr({builder.getNamedAttr("message", builder.getStringAttr(message)),
                                    builder.getNamedAttr("status", builder.getI64IntegerAttr(status))});
}

int64_t relax::appendGuardSites(ModuleOp module, int32_t status, ArrayAttr messages) {
  SmallVector<Attribute> sites;
  if (auto old = module->getAttrOfType<ArrayAttr>(kSitesAttrName))
    llvm::append_range(sites, old);
  int64_t first = sites.size();
  for (StringRef message : messages.getAsValueRange<StringAttr>())
    sites.push_back(makeGuardSite(module.getContext(), status, message));
  module->setAttr(kSitesAttrName, ArrayAttr::get(module.getContext(), sites));
  return first;
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
std::string relax::getFunctionSymbol(StringRef name) { return ("relax_function_" + name).str(); }
std::string relax::getKernelPartsSymbol(StringRef name) { return ("relax_parts_" + name).str(); }
std::string relax::getKernelWorkSymbol(StringRef name) { return ("relax_work_" + name).str(); }
std::string relax::getEntrySymbol(StringRef name) { return ("relax_entry_" + name).str(); }
