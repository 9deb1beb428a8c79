//===- DevicesSection.cpp - Devices section of a module -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "DevicesSection.h"

#include "RelaxDialect/Conversion/DeviceTables.h"
#include "RelaxDialect/Conversion/ModuleTables.h"
#include "RelaxDialect/Runtime/DeviceCode.h"

using namespace mlir;
using namespace mlir::relax;

namespace {

/// Reads the table; false after the first entry that is malformed.
class TableReader {
public:
  explicit TableReader(ModuleOp module) : kernels(getStringTable(module, kKernelsAttrName)) {}

  bool read(ArrayAttr table, std::vector<relax_rt::DeviceTarget> &targets) {
    for (Attribute entry : table) {
      auto dictionary = dyn_cast<DictionaryAttr>(entry);
      auto list = dictionary ? dictionary.getAs<ArrayAttr>("kernels") : ArrayAttr();
      auto name = dictionary ? dictionary.getAs<StringAttr>("target") : StringAttr();
      if (!list || !name)
        return false;
      relax_rt::DeviceTarget target;
      target.name = name.str();
      for (Attribute kernel : list)
        if (!readKernel(dyn_cast<DictionaryAttr>(kernel), target.kernels.emplace_back()))
          return false;
      targets.push_back(std::move(target));
    }
    return true;
  }

private:
  static bool readNumber(DictionaryAttr entry, StringRef key, uint32_t &number) {
    auto attr = entry.getAs<IntegerAttr>(key);
    number = attr ? attr.getInt() : 0;
    return attr != nullptr;
  }
  static bool readNumbers(DictionaryAttr entry, StringRef key, std::vector<uint32_t> &numbers) {
    auto attr = entry.getAs<DenseI64ArrayAttr>(key);
    if (attr)
      numbers.assign(attr.asArrayRef().begin(), attr.asArrayRef().end());
    return attr != nullptr;
  }
  static bool readStage(DictionaryAttr entry, relax_rt::DeviceStage &stage) {
    auto name = entry ? entry.getAs<StringAttr>("entry") : StringAttr();
    if (!name)
      return false;
    stage.entry = name.str();
    return readNumber(entry, "workgroup", stage.workgroup) && readNumber(entry, "words", stage.words) &&
           readNumbers(entry, "bindings", stage.bindings) && readNumbers(entry, "written", stage.written);
  }
  bool readKernel(DictionaryAttr entry, relax_rt::DeviceKernel &kernel) {
    auto name = entry ? entry.getAs<StringAttr>("kernel") : StringAttr();
    auto sizes = entry ? entry.getAs<StringAttr>("sizes") : StringAttr();
    auto stages = entry ? entry.getAs<ArrayAttr>("stages") : ArrayAttr();
    auto code = entry ? entry.getAs<DenseI32ArrayAttr>("code") : DenseI32ArrayAttr();
    auto *found = name ? llvm::find(kernels, name.getValue()) : kernels.end();
    if (found == kernels.end() || !sizes || !stages || !code || !readNumber(entry, "buffers", kernel.buffers) ||
        !readNumber(entry, "scratch", kernel.scratch) || !readNumber(entry, "features", kernel.features))
      return false;
    kernel.kernel = found - kernels.begin();
    kernel.sizes = sizes.str();
    for (Attribute stage : stages)
      if (!readStage(dyn_cast<DictionaryAttr>(stage), kernel.stages.emplace_back()))
        return false;
    kernel.code.assign(code.asArrayRef().begin(), code.asArrayRef().end());
    return true;
  }

  SmallVector<StringRef> kernels;
};

} // namespace

LogicalResult relax::encodeDevices(ModuleOp module, std::string &bytes) {
  auto table = module->getAttrOfType<ArrayAttr>(kDeviceCodeAttrName);
  if (!table || table.empty())
    return success();
  std::vector<relax_rt::DeviceTarget> targets;
  if (!TableReader(module).read(table, targets))
    return emitError(module.getLoc(), "malformed entry in the table '") << kDeviceCodeAttrName << "'";
  bytes = relax_rt::encodeDeviceCode(targets);
  return success();
}
