//===- Export.cpp - Code of a compiled module -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Export.h"

#include "RelaxDialect/Conversion/DeviceTables.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::relax;

/// The entry of a list whose `key` is `name`, or the only one.
static DictionaryAttr choose(ArrayAttr list, StringRef key, StringRef name, std::string &reason) {
  std::string names;
  for (auto entry : list.getAsRange<DictionaryAttr>()) {
    StringRef its = entry.getAs<StringAttr>(key).getValue();
    if (name.empty() ? list.size() == 1 : its == name)
      return entry;
    names += (names.empty() ? "'" : ", '") + its.str() + "'";
  }
  reason = (name.empty() ? "name a " + key : "no " + key + " '" + name + "'").str() + ", the module has " +
           (names.empty() ? "none" : names);
  return {};
}

/// Whether code of a target can be written as such a file.
static bool hasFile(StringRef target, DeviceFile kind) {
  switch (kind) {
  case DeviceFile::SPIRV:
    return !target.starts_with("nvidia:") && !target.starts_with("amd:");
  case DeviceFile::PTX:
    return target.starts_with("nvidia:");
  case DeviceFile::Cubin:
    return target.starts_with("nvidia:sm_");
  case DeviceFile::AMDGCN:
  case DeviceFile::HSACO:
    return target.starts_with("amd:");
  }
  llvm_unreachable("all kinds are covered");
}

LogicalResult exportDeviceCode(ModuleOp module, DeviceFile kind, StringRef device, StringRef kernel, raw_ostream &os,
                               std::string &reason) {
  auto table = module->getAttrOfType<ArrayAttr>(kDeviceCodeAttrName);
  if (!table) {
    reason = "the module has no code for devices: relax-compile --target=cpu,vulkan --emit=mlir "
             "--after=relax-device-kernels-to-spirv";
    return failure();
  }
  SmallVector<Attribute> fitting;
  for (auto target : table.getAsRange<DictionaryAttr>())
    if (hasFile(target.getAs<StringAttr>("target").getValue(), kind))
      fitting.push_back(target);
  DictionaryAttr target = choose(ArrayAttr::get(module.getContext(), fitting), "target", device, reason);
  DictionaryAttr entry = target ? choose(target.getAs<ArrayAttr>("kernels"), "kernel", kernel, reason) : target;
  if (!entry)
    return failure();
  if (kind == DeviceFile::PTX || kind == DeviceFile::AMDGCN) {
    os << entry.getAs<StringAttr>("assembly").getValue();
    return success();
  }
  ArrayRef<int32_t> words = entry.getAs<DenseI32ArrayAttr>("code").asArrayRef();
  os.write(reinterpret_cast<const char *>(words.data()), words.size() * sizeof(int32_t));
  return success();
}

LogicalResult exportLLVM(ModuleOp module, raw_ostream &os, std::string &reason) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context);
  if (!code) {
    reason = "the module is not of the LLVM dialect: relax-compile --emit=mlir makes one";
    return failure();
  }
  code->print(os, nullptr);
  return success();
}
