//===- HostTables.cpp - What host code refers to by number ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "HostTables.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDonation.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

/// Every weight starts at a multiple of this.
static constexpr int64_t kWeightAlignment = 64;
static constexpr int64_t kMaxWeightBytes = int64_t(1) << 60;

static int64_t number(llvm::MapVector<Attribute, int64_t> &table, Attribute key) {
  return table.insert({key, static_cast<int64_t>(table.size())}).first->second;
}

int64_t HostTables::getSite(int32_t status, StringRef message) {
  return number(sites, makeGuardSite(module.getContext(), status, message));
}

int64_t HostTables::getKernel(StringRef name) { return number(kernels, StringAttr::get(module.getContext(), name)); }
/// Functions that are found in the same place and called in the same way are one.
int64_t HostTables::getExtern(ext::ExternFuncOp library) {
  NamedAttrList entry;
  entry.append("symbol", library.getSymbolAttr());
  if (library.getSonamesAttr())
    entry.append("sonames", library.getSonamesAttr());
  if (library.getObjectAttr())
    entry.append("object", library.getObjectAttr());
  if (library.getAbi() == "call") {
    std::string adapter = "relax_extern_" + library.getSymName().str();
    if (!symbols.lookup(adapter))
      symbols.insert(module.lookupSymbol(createExternAdapter(library)));
    entry.append("adapter", StringAttr::get(module.getContext(), adapter));
  }
  return number(externs, entry.getDictionary(module.getContext()));
}

int64_t HostTables::getOptionalExtern(ext::ExternFuncOp library) {
  int64_t found = getExtern(library);
  optionalExterns.insert(found);
  return found;
}

std::optional<int64_t> HostTables::addWeight(Attribute key, StringRef name, RankedTensorType type, Attribute value) {
  if (auto *found = weights.find(key); found != weights.end())
    return found->second;
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes) || bytes > kMaxWeightBytes)
      return std::nullopt;
  int64_t offset = llvm::alignTo(weightBytes, kWeightAlignment);
  if (offset > kMaxWeightBytes)
    return std::nullopt;
  weightBytes = offset + bytes;
  Builder builder(module.getContext());
  weightEntries.push_back(builder.getDictionaryAttr({builder.getNamedAttr("name", builder.getStringAttr(name)),
                                                     builder.getNamedAttr("offset", builder.getI64IntegerAttr(offset)),
                                                     builder.getNamedAttr("type", TypeAttr::get(type)),
                                                     builder.getNamedAttr("value", value)}));
  weights[key] = offset;
  return offset;
}

std::optional<int64_t> HostTables::getWeight(WeightDataOp weight) {
  return addWeight(weight.getSymNameAttr(), weight.getSymName(), weight.getTensorType(), weight.getValue());
}

std::optional<int64_t> HostTables::getConstant(ElementsAttr value) {
  std::string name = "constant" + std::to_string(weightEntries.size());
  return addWeight(value, name, cast<RankedTensorType>(value.getType()), value);
}

std::string relax::getOutsideName(DictionaryAttr attributes, StringRef fallback, unsigned index) {
  if (attributes)
    if (auto name = attributes.getAs<StringAttr>(kNameAttrName))
      return name.str();
  return (fallback + Twine(index)).str();
}

/// How a tensor, shape or index crosses the border of the artifact.
static RankedTensorType getOutsideType(Type type) {
  Type i64 = IntegerType::get(type.getContext(), 64);
  if (auto shape = dyn_cast<ShapeType>(type))
    return RankedTensorType::get({static_cast<int64_t>(shape.getDims().size())}, i64);
  if (type.isIndex())
    return RankedTensorType::get({}, i64);
  return cast<RankedTensorType>(type);
}

void HostTables::addFunction(func::FuncOp function) {
  Builder builder(module.getContext());
  auto describe = [&](TypeRange types, bool results) {
    SmallVector<Attribute> list;
    for (auto [index, type] : llvm::enumerate(types)) {
      DictionaryAttr attributes = results ? function.getResultAttrDict(index) : function.getArgAttrDict(index);
      std::string name = getOutsideName(attributes, results ? "result" : "arg", index);
      NamedAttrList entry;
      entry.append("name", builder.getStringAttr(name));
      entry.append("type", TypeAttr::get(getOutsideType(type)));
      if (attributes && attributes.contains(kDonatedAttrName))
        entry.append("donated", builder.getUnitAttr());
      list.push_back(entry.getDictionary(module.getContext()));
    }
    return builder.getArrayAttr(list);
  };
  functions.push_back(builder.getDictionaryAttr(
      {builder.getNamedAttr("inputs", describe(function.getArgumentTypes(), false)),
       builder.getNamedAttr("name", builder.getStringAttr(function.getName())),
       builder.getNamedAttr("outputs", describe(function.getResultTypes(), true)),
       builder.getNamedAttr("symbol", builder.getStringAttr(getEntrySymbol(function.getName())))}));
  if (auto report = function->getAttrOfType<StringAttr>(kMemoryReportAttrName))
    memoryReports.append(function.getName(), report);
}

void HostTables::store() {
  Builder builder(module.getContext());
  auto set = [&](StringRef table, ArrayRef<Attribute> entries) {
    if (!entries.empty())
      module->setAttr(table, builder.getArrayAttr(entries));
  };
  auto keys = [](const llvm::MapVector<Attribute, int64_t> &table) {
    return llvm::map_to_vector(table, [](const auto &entry) { return entry.first; });
  };
  set(kSitesAttrName, keys(sites));
  set(kKernelsAttrName, keys(kernels));
  SmallVector<Attribute> externEntries;
  for (auto [key, index] : externs) {
    NamedAttrList entry(cast<DictionaryAttr>(key));
    if (optionalExterns.contains(index))
      entry.append("optional", builder.getUnitAttr());
    externEntries.push_back(entry.getDictionary(module.getContext()));
  }
  set(kExternsAttrName, externEntries);
  set(kFunctionsAttrName, functions);
  set(kWeightsAttrName, weightEntries);
  if (!memoryReports.empty())
    module->setAttr(kMemoryReportAttrName, memoryReports.getDictionary(module.getContext()));
}
