//===- DeviceFiles.cpp - What is written about device code ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "DeviceFiles.h"

#include "RelaxDialect/Conversion/DeviceTables.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::relax;

void printDeviceReport(ModuleOp module, raw_ostream &os) {
  auto table = module->getAttrOfType<ArrayAttr>(kDeviceCodeAttrName);
  if (!table)
    return;
  for (auto target : table.getAsRange<DictionaryAttr>()) {
    os << "device " << target.getAs<StringAttr>("target").getValue() << "\n";
    for (auto kernel : target.getAs<ArrayAttr>("kernels").getAsRange<DictionaryAttr>()) {
      os << "kernel " << kernel.getAs<StringAttr>("kernel").getValue() << "\n";
      for (auto stage : kernel.getAs<ArrayAttr>("stages").getAsRange<DictionaryAttr>()) {
        os << "  " << stage.getAs<StringAttr>("entry").getValue() << ": ";
        llvm::interleave(stage.getAs<ArrayAttr>("report").getAsValueRange<StringAttr>(), os, "\n    ");
        os << "\n";
      }
    }
  }
}

static LogicalResult save(StringRef folder, StringRef name, StringRef text, std::string &problem) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &problem);
  if (!file)
    return failure();
  file->os() << text;
  file->keep();
  return success();
}

LogicalResult saveDeviceCode(ModuleOp module, StringRef folder, std::string &problem) {
  auto table = module->getAttrOfType<ArrayAttr>(kDeviceCodeAttrName);
  if (!table)
    return success();
  if (std::error_code code = llvm::sys::fs::create_directories(folder)) {
    problem = "cannot create '" + folder.str() + "': " + code.message();
    return failure();
  }
  for (auto target : table.getAsRange<DictionaryAttr>()) {
    auto [kind, chip] = target.getAs<StringAttr>("target").getValue().split(':');
    bool isAMD = kind == "amd";
    for (auto kernel : target.getAs<ArrayAttr>("kernels").getAsRange<DictionaryAttr>()) {
      auto llvmIR = kernel.getAs<StringAttr>("llvm"), assembly = kernel.getAs<StringAttr>("assembly");
      if (!llvmIR || !assembly)
        continue;
      ArrayRef<char> code = kernel.getAs<DenseI32ArrayAttr>("code").getRawData();
      std::string stem = (chip + "." + kernel.getAs<StringAttr>("kernel").getValue()).str();
      if (failed(save(folder, stem + ".ll", llvmIR.getValue(), problem)) ||
          failed(save(folder, stem + (isAMD ? ".s" : ".ptx"), assembly.getValue(), problem)))
        return failure();
      // PTX for later chips is its own code.
      if (!chip.starts_with("compute_") &&
          failed(save(folder, stem + (isAMD ? ".hsaco" : ".cubin"), StringRef(code.data(), code.size()), problem)))
        return failure();
    }
  }
  return success();
}
