//===- DeviceKernelsToBinary.cpp - Code of NVIDIA's and AMD's chips -------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "DevicePrograms.h"
#include "DeviceStage.h"
#include "DeviceTargets.h"
#include "KernelEntry.h"
#include "LLVMDeviceCode.h"
#include "RelaxDialect/Conversion/DevicePasses.h"
#include "RelaxDialect/Conversion/DeviceTables.h"
#include "RelaxDialect/Support/CodeGenerators.h"
#include "RelaxDialect/Support/FirstError.h"

#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

#include <cstring>

namespace mlir::relax {
#define GEN_PASS_DEF_DEVICEKERNELSTOBINARYPASS
#include "RelaxDialect/Conversion/DevicePasses.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {
struct DeviceKernelsToBinaryPass final : relax::impl::DeviceKernelsToBinaryPassBase<DeviceKernelsToBinaryPass> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
    registerROCDLDialectTranslation(registry);
    for (StringRef chip : {"sm_80", "gfx90a"})
      makePipeline(chip, /*isWide=*/false).getDependentDialects(registry);
  }
  void runOnOperation() override;

private:
  static OpPassManager makePipeline(StringRef chip, bool isWide);
  LogicalResult findPrograms(ArrayRef<DeviceTargetInfo> found);
  LogicalResult lowerToLLVM(gpu::GPUModuleOp kernel, const DeviceTargetInfo &target);
  LogicalResult makeCode(gpu::GPUModuleOp kernel, const DeviceTargetInfo &target, LLVMDeviceCode &code,
                         std::string &reason);
  FailureOr<DictionaryAttr> makeEntry(gpu::GPUModuleOp kernel, const DeviceTargetInfo &target);

  std::string assembler, linker; // programs
};
} // namespace

/// Kernels in LLVM's dialect. Numbers of type index have 64 bits where they are computed from data.
OpPassManager DeviceKernelsToBinaryPass::makePipeline(StringRef chip, bool isWide) {
  OpPassManager manager(gpu::GPUModuleOp::getOperationName());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createLoopInvariantCodeMotionPass());
  manager.addPass(arith::createArithExpandOpsPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createSCFToControlFlowPass());
  unsigned indexBits = isWide ? 64 : 32;
  if (chip.starts_with("gfx")) {
    ConvertGpuOpsToROCDLOpsOptions options;
    options.chipset = chip.str();
    options.indexBitwidth = indexBits;
    options.useBarePtrCallConv = true;
    options.runtime = gpu::amd::Runtime::HIP;
    manager.addPass(createConvertGpuOpsToROCDLOps(options));
  } else {
    ConvertGpuOpsToNVVMOpsOptions options;
    options.indexBitwidth = indexBits;
    options.useBarePtrCallConv = true;
    manager.addPass(createConvertGpuOpsToNVVMOps(options));
  }
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  return manager;
}

/// Buffers become plain pointers to global memory, which takes a static size: no access looks at it. Memory of the
/// workgroup belongs to the function.
static void adaptStage(gpu::GPUFuncOp stage) {
  auto inSpace = [&](Type type, ArrayRef<int64_t> shape, gpu::AddressSpace space) {
    return MemRefType::get(shape, cast<MemRefType>(type).getElementType(), MemRefLayoutAttrInterface(),
                           gpu::AddressSpaceAttr::get(stage.getContext(), space));
  };
  constexpr int64_t kAnySize = INT32_MAX;
  for (BlockArgument argument : stage.getArguments())
    argument.setType(inSpace(argument.getType(), kAnySize, gpu::AddressSpace::Global));
  stage.setFunctionType(FunctionType::get(stage.getContext(), stage.getBody().front().getArgumentTypes(), {}));
  for (auto alloc : llvm::make_early_inc_range(stage.getBody().front().getOps<memref::AllocOp>())) {
    Type type = inSpace(alloc.getType(), alloc.getType().getShape(), gpu::AddressSpace::Workgroup);
    alloc.replaceAllUsesWith(stage.addWorkgroupAttribution(type, alloc.getLoc()));
    alloc.erase();
  }
}

/// LLVM's operations instead of calls of the libraries that upstream's conversions ask for.
static void callIntrinsics(gpu::GPUFuncOp stage, bool isAMD) {
  SmallVector<Operation *> ops;
  stage.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    OpBuilder builder(op);
    auto call = [&](StringRef name, Type type, ValueRange operands) {
      return LLVM::CallIntrinsicOp::create(builder, op->getLoc(), type, builder.getStringAttr(name), operands)
          ->getResult(0);
    };
    StringRef name = isa<math::AbsFOp>(op)        ? "llvm.fabs"
                     : isa<math::CeilOp>(op)      ? "llvm.ceil"
                     : isa<math::FloorOp>(op)     ? "llvm.floor"
                     : isa<math::FmaOp>(op)       ? "llvm.fma"
                     : isa<math::RoundEvenOp>(op) ? "llvm.roundeven"
                     : isa<math::SqrtOp>(op)      ? "llvm.sqrt"
                                                  : "";
    Value made;
    if (!name.empty()) {
      made = call(name, op->getResult(0).getType(), op->getOperands());
    } else if (auto grid = dyn_cast<gpu::GridDimOp>(op); grid && isAMD && grid.getDimension() == gpu::Dimension::x) {
      // hidden_block_count_x of code object version 5 is the first of the arguments that the runtime adds.
      constexpr unsigned kConstantSpace = 4;
      Value arguments =
          call("llvm.amdgcn.implicitarg.ptr", LLVM::LLVMPointerType::get(builder.getContext(), kConstantSpace), {});
      Value count = LLVM::LoadOp::create(builder, op->getLoc(), builder.getI32Type(), arguments);
      made = arith::IndexCastUIOp::create(builder, op->getLoc(), builder.getIndexType(), count);
    } else {
      continue;
    }
    op->getResult(0).replaceAllUsesWith(made);
    op->erase();
  }
}

LogicalResult DeviceKernelsToBinaryPass::lowerToLLVM(gpu::GPUModuleOp kernel, const DeviceTargetInfo &target) {
  bool isWide = false;
  for (auto stage : kernel.getOps<gpu::GPUFuncOp>()) {
    isWide |= stage->hasAttr(kWideIndexAttrName);
    removeStageAttrs(stage);
    adaptStage(stage);
    callIntrinsics(stage, target.isAMD());
  }
  OpPassManager manager = makePipeline(target.chip, isWide);
  return runPipeline(manager, kernel);
}

LogicalResult DeviceKernelsToBinaryPass::makeCode(gpu::GPUModuleOp kernel, const DeviceTargetInfo &target,
                                                  LLVMDeviceCode &code, std::string &reason) {
  auto copy = cast<gpu::GPUModuleOp>(kernel->clone());
  copy.setName((kernel.getName() + "." + target.chip).str());
  kernel->getParentOfType<ModuleOp>().push_back(copy);
  std::string message;
  LogicalResult result = failure();
  {
    FirstError error(&getContext(), message);
    result = lowerToLLVM(copy, target);
    if (succeeded(result))
      result = emitDeviceCode(copy, target, code, reason);
  }
  copy.erase();
  if (failed(result) && !message.empty())
    reason = message;
  return result;
}

/// Whole words; text ends with a 0 at least.
static SmallVector<int32_t> toWords(StringRef bytes, bool isText) {
  SmallVector<int32_t> words((bytes.size() + isText + 3) / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

/// The entry of the table; null when the kernel stays on the CPU.
FailureOr<DictionaryAttr> DeviceKernelsToBinaryPass::makeEntry(gpu::GPUModuleOp kernel,
                                                               const DeviceTargetInfo &target) {
  LLVMDeviceCode code;
  std::string reason, binary, messages;
  if (failed(makeCode(kernel, target, code, reason))) {
    kernel.emitRemark("kernel '") << kernel.getName() << "' runs on the CPU: no code for '" << target.name
                                  << "': " << (reason.empty() ? "the conversion failed" : reason);
    return DictionaryAttr();
  }
  llvm::StringMap<std::string> resources;
  LogicalResult result = success();
  if (target.isPTX()) {
    binary = code.assembly;
  } else if (target.isAMD()) {
    result = runOnFile(linker, {"-shared", "--build-id=none"}, code.object, binary, messages);
    resources = readAMDResources(code.assembly);
  } else {
    std::string chip = "-arch=" + target.chip;
    result = runOnFile(assembler, {"-v", "-O3", chip}, code.assembly, binary, messages);
    resources = readPtxasResources(messages);
  }
  if (failed(result))
    return kernel.emitError("no code of kernel '") << kernel.getName() << "' for '" << target.name << "': '"
                                                   << (target.isAMD() ? linker : assembler) << "' failed: " << messages;
  return makeKernelEntry(kernel, findFeatures(kernel), toWords(binary, target.isPTX()),
                         {{"assembly", code.assembly}, {"llvm", code.llvmIR}}, resources);
}

LogicalResult DeviceKernelsToBinaryPass::findPrograms(ArrayRef<DeviceTargetInfo> found) {
  for (const DeviceTargetInfo &target : found) {
    if (target.isSPIRV() || target.isPTX())
      continue;
    std::string &program = target.isAMD() ? linker : assembler;
    if (!program.empty())
      continue;
    std::string reason;
    std::optional<std::string> path = target.isAMD() ? findLLD() : findPtxas(ptxas, reason);
    if (!path)
      return emitError(getOperation().getLoc(), "no code for '")
             << target.name << "': "
             << (target.isAMD() ? "no 'ld.lld' beside LLVM's tools or in PATH (Debian package lld-22)"
                                : reason + " (pip install nvidia-cuda-nvcc; --target=nvidia:compute_80 needs none)");
    program = *path;
  }
  return success();
}

void DeviceKernelsToBinaryPass::runOnOperation() {
  std::string reason;
  FailureOr<SmallVector<DeviceTargetInfo>> found = findDeviceTargets(targets, reason);
  if (failed(found)) {
    emitError(getOperation().getLoc(), reason);
    return signalPassFailure();
  }
  auto device = getOperation().lookupSymbol<ModuleOp>(kDeviceModuleName);
  if (!device)
    return;
  if (failed(findPrograms(*found)))
    return signalPassFailure();
  SmallVector<gpu::GPUModuleOp> kernels(device.getOps<gpu::GPUModuleOp>());
  for (const DeviceTargetInfo &target : *found) {
    if (target.isSPIRV())
      continue;
    SmallVector<Attribute> entries;
    for (gpu::GPUModuleOp kernel : kernels) {
      FailureOr<DictionaryAttr> entry = makeEntry(kernel, target);
      if (failed(entry))
        return signalPassFailure();
      if (*entry)
        entries.push_back(*entry);
    }
    addTargetEntry(getOperation(), target.name, entries);
  }
}
