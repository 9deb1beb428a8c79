//===- KernelEntry.cpp - A kernel in the table of device code -------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "KernelEntry.h"
#include "DeviceStage.h"
#include "RelaxDialect/Conversion/DeviceTables.h"
#include "RelaxDialect/Runtime/DeviceCode.h"
#include "StageReport.h"

using namespace mlir;
using namespace mlir::relax;

static uint32_t getFeature(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    type = memref.getElementType();
  return type.isInteger(8)    ? relax_rt::kDeviceInt8
         : type.isInteger(16) ? relax_rt::kDeviceInt16
         : type.isInteger(64) ? relax_rt::kDeviceInt64
         : type.isF16()       ? relax_rt::kDeviceFloat16
         : type.isF64()       ? relax_rt::kDeviceFloat64
                              : 0;
}

/// Conversions would compute with another type where the target lacks one.
uint32_t relax::findFeatures(gpu::GPUModuleOp module) {
  uint32_t features = 0;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      features |= getFeature(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          features |= getFeature(type);
    if (op->hasAttr(kWideIndexAttrName))
      features |= relax_rt::kDeviceInt64;
  });
  return features;
}

DictionaryAttr relax::makeKernelEntry(gpu::GPUModuleOp kernel, uint32_t features, ArrayRef<int32_t> code,
                                      ArrayRef<std::pair<StringRef, std::string>> texts,
                                      const llvm::StringMap<std::string> &resources) {
  Builder builder(kernel.getContext());
  SmallVector<Attribute> stages;
  for (auto stage : kernel.getOps<gpu::GPUFuncOp>()) {
    ArrayAttr report = reportStage(stage);
    if (auto found = resources.find(stage.getName()); found != resources.end()) {
      SmallVector<Attribute> lines(report.getValue());
      lines.push_back(builder.getStringAttr(found->second));
      report = builder.getArrayAttr(lines);
    }
    stages.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("bindings", stage->getAttr(kBindingsAttrName)),
         builder.getNamedAttr("entry", builder.getStringAttr(stage.getName())), builder.getNamedAttr("report", report),
         builder.getNamedAttr("words", stage->getAttr(kWordsAttrName)),
         builder.getNamedAttr("workgroup",
                              builder.getI64IntegerAttr(stage.getKnownBlockSizeAttr().asArrayRef().front())),
         builder.getNamedAttr("written", stage->getAttr(kWrittenAttrName))}));
  }
  SmallVector<NamedAttribute> entry = {builder.getNamedAttr("buffers", kernel->getAttr(kBuffersAttrName)),
                                       builder.getNamedAttr("code", builder.getDenseI32ArrayAttr(code)),
                                       builder.getNamedAttr("features", builder.getI64IntegerAttr(features)),
                                       builder.getNamedAttr("kernel", builder.getStringAttr(kernel.getName())),
                                       builder.getNamedAttr("scratch", kernel->getAttr(kScratchAttrName)),
                                       builder.getNamedAttr("sizes", kernel->getAttr(kSizesAttrName)),
                                       builder.getNamedAttr("stages", builder.getArrayAttr(stages))};
  for (const auto &[name, text] : texts)
    entry.push_back(builder.getNamedAttr(name, builder.getStringAttr(text)));
  return builder.getDictionaryAttr(entry);
}

void relax::removeStageAttrs(gpu::GPUFuncOp stage) {
  for (StringRef name :
       {kBindingsAttrName, kWrittenAttrName, kWordsAttrName, kScheduleAttrName, kGridAttrName, kWideIndexAttrName})
    stage->removeAttr(name);
}

void relax::addTargetEntry(ModuleOp module, StringRef target, ArrayRef<Attribute> kernels) {
  Builder builder(module.getContext());
  SmallVector<Attribute> table;
  if (auto known = module->getAttrOfType<ArrayAttr>(kDeviceCodeAttrName))
    llvm::append_range(table, known);
  table.push_back(builder.getDictionaryAttr({builder.getNamedAttr("kernels", builder.getArrayAttr(kernels)),
                                             builder.getNamedAttr("target", builder.getStringAttr(target))}));
  module->setAttr(kDeviceCodeAttrName, builder.getArrayAttr(table));
}
