//===- Metadata.cpp - Metadata section of a module ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Metadata.h"

#include "RelaxDialect/Conversion/ModuleTables.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "RelaxDialect/Runtime/Runtime.h"
#include "RelaxDialect/Support/Version.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::relax;

namespace {

/// Reads the tables; each member reports what is malformed.
class MetadataBuilder {
public:
  MetadataBuilder(ModuleOp module) : module(module) {}

  LogicalResult build(relax_rt::Metadata &metadata) {
    return success(
        succeeded(forEach(kFunctionsAttrName, [&](DictionaryAttr entry) { return addFunction(entry, metadata); })) &&
        succeeded(forEach(kSitesAttrName, [&](DictionaryAttr entry) { return addSite(entry, metadata); })) &&
        succeeded(forEach(kExternsAttrName, [&](DictionaryAttr entry) { return addExtern(entry, metadata); })));
  }

private:
  LogicalResult malformed(StringRef table) {
    return emitError(module.getLoc(), "malformed entry in the table '") << table << "'";
  }

  LogicalResult forEach(StringRef table, function_ref<LogicalResult(DictionaryAttr)> add) {
    auto entries = module->getAttrOfType<ArrayAttr>(table);
    if (!entries)
      return success();
    for (Attribute entry : entries) {
      auto dictionary = dyn_cast<DictionaryAttr>(entry);
      if (!dictionary)
        return malformed(table);
      if (failed(add(dictionary)))
        return failure();
    }
    return success();
  }

  LogicalResult addTensors(DictionaryAttr entry, StringRef key, std::vector<relax_rt::TensorInfo> &tensors) {
    auto list = entry.getAs<ArrayAttr>(key);
    if (!list)
      return malformed(kFunctionsAttrName);
    for (Attribute element : list) {
      auto dictionary = dyn_cast<DictionaryAttr>(element);
      auto name = dictionary ? dictionary.getAs<StringAttr>("name") : StringAttr();
      auto typeAttr = dictionary ? dictionary.getAs<TypeAttr>("type") : TypeAttr();
      auto type = typeAttr ? dyn_cast<RankedTensorType>(typeAttr.getValue()) : RankedTensorType();
      const sym::ElementKind *kind = type ? sym::getElementKind(type.getElementType()) : nullptr;
      if (!name || !kind)
        return malformed(kFunctionsAttrName);
      relax_rt::TensorInfo info;
      info.name = name.str();
      info.typeCode = kind->code;
      info.typeBits = kind->bits;
      for (sym::SymExpr dim : sym::getSymbolicDims(type))
        info.dims.push_back(dim ? dim.str() : "?");
      info.isDonated = dictionary.contains("donated");
      tensors.push_back(std::move(info));
    }
    return success();
  }

  LogicalResult addFunction(DictionaryAttr entry, relax_rt::Metadata &metadata) {
    auto name = entry.getAs<StringAttr>("name"), symbol = entry.getAs<StringAttr>("symbol");
    if (!name || !symbol)
      return malformed(kFunctionsAttrName);
    relax_rt::FunctionInfo info;
    info.name = name.str();
    info.symbol = symbol.str();
    if (failed(addTensors(entry, "inputs", info.inputs)) || failed(addTensors(entry, "outputs", info.outputs)))
      return failure();
    metadata.functions.push_back(std::move(info));
    return success();
  }

  LogicalResult addExtern(DictionaryAttr entry, relax_rt::Metadata &metadata) {
    auto symbol = entry.getAs<StringAttr>("symbol"), adapter = entry.getAs<StringAttr>("adapter");
    if (!symbol)
      return malformed(kExternsAttrName);
    relax_rt::ExternInfo info;
    info.symbol = symbol.str();
    info.adapter = adapter ? adapter.str() : "";
    if (auto sonames = entry.getAs<ArrayAttr>("sonames"))
      for (StringRef soname : sonames.getAsValueRange<StringAttr>())
        info.sonames.push_back(soname.str());
    info.flags = (entry.get("object") ? relax_rt::ExternInfo::kLinked : 0u) |
                 (entry.get("optional") ? relax_rt::ExternInfo::kOptional : 0u);
    metadata.externs.push_back(std::move(info));
    return success();
  }

  LogicalResult addSite(DictionaryAttr entry, relax_rt::Metadata &metadata) {
    auto message = entry.getAs<StringAttr>("message");
    auto status = entry.getAs<IntegerAttr>("status");
    if (!message || !status)
      return malformed(kSitesAttrName);
    relax_rt::GuardSite site;
    site.status = static_cast<uint32_t>(status.getInt());
    site.message = message.str();
    metadata.sites.push_back(std::move(site));
    return success();
  }

  ModuleOp module;
};

/// {"main": {...}} from the reports of the functions.
std::string buildMemoryReport(ModuleOp module) {
  llvm::json::Object report;
  if (auto functions = module->getAttrOfType<DictionaryAttr>(kMemoryReportAttrName)) {
    for (NamedAttribute entry : functions) {
      auto text = dyn_cast<StringAttr>(entry.getValue());
      llvm::Expected<llvm::json::Value> value = llvm::json::parse(text ? text.getValue() : StringRef("null"));
      if (value)
        report[entry.getName().getValue()] = std::move(*value);
      else
        llvm::consumeError(value.takeError());
    }
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(report));
  return text;
}

} // namespace

FailureOr<relax_rt::Metadata> relax::buildMetadata(ModuleOp module, const CodeTarget &target) {
  relax_rt::Metadata metadata;
  metadata.producer = ("RelaxDialect " + getVersion()).str();
  metadata.targetTriple = target.triple;
  metadata.cpuFeatures = target.requiredFeatures;
  if (failed(MetadataBuilder(module).build(metadata)))
    return failure();
  for (StringRef name : getStringTable(module, kKernelsAttrName)) {
    std::string parts = getKernelPartsSymbol(name);
    metadata.kernels.push_back(
        {name.str(), getKernelSymbol(name), /*referenceSymbol=*/"", module.lookupSymbol(parts) ? parts : ""});
  }
  metadata.memoryReport = buildMemoryReport(module);
  return metadata;
}

SmallVector<LibraryObject> relax::getObjectFiles(ModuleOp module) {
  llvm::MapVector<StringRef, SmallVector<std::string, 1>> symbols;
  if (auto entries = module->getAttrOfType<ArrayAttr>(kExternsAttrName))
    for (auto entry : entries.getAsRange<DictionaryAttr>())
      if (auto object = entry.getAs<StringAttr>("object"))
        symbols[object.getValue()].push_back(entry.getAs<StringAttr>("symbol").str());
  return llvm::map_to_vector(symbols, [](auto &file) { return LibraryObject{file.first.str(), file.second}; });
}
