//===- DeviceKernelsToSPIRV.cpp - SPIR-V of device kernels ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "DeviceStage.h"
#include "DeviceTargets.h"
#include "KernelEntry.h"
#include "RelaxDialect/Conversion/DevicePasses.h"
#include "RelaxDialect/Conversion/DeviceTables.h"
#include "RelaxDialect/Support/FirstError.h"

#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRVPass.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRVPass.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::relax {
#define GEN_PASS_DEF_DEVICEKERNELSTOSPIRVPASS
#include "RelaxDialect/Conversion/DevicePasses.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

/// Upstream gives results of loops a variable that only iterations write: without any, it would hold what was there.
static void chooseStartOfEmptyLoops(gpu::GPUModuleOp kernel) {
  kernel.walk([](scf::ForOp loop) {
    if (loop.getNumResults() == 0)
      return;
    OpBuilder builder(loop->getContext());
    builder.setInsertionPointAfter(loop);
    Value isRun = arith::CmpIOp::create(builder, loop.getLoc(), arith::CmpIPredicate::slt, loop.getLowerBound(),
                                        loop.getUpperBound());
    for (auto [result, start] : llvm::zip_equal(loop.getResults(), loop.getInitArgs())) {
      auto chosen = arith::SelectOp::create(builder, loop.getLoc(), isRun, result, start);
      result.replaceAllUsesExcept(chosen, chosen);
    }
  });
}

/// Drivers hold a reciprocal root for positive, and drop a comparison of it with a negative number: that of -0 is
/// negative. The root of a zero is that zero, which they do not know.
static void keepSignsOfRoots(gpu::GPUModuleOp kernel) {
  kernel.walk([](math::SqrtOp root) {
    if (!isa<FloatType>(root.getType()))
      return;
    OpBuilder builder(root->getContext());
    builder.setInsertionPointAfter(root);
    Location loc = root.getLoc();
    Value zero = arith::ConstantOp::create(builder, loc, builder.getFloatAttr(root.getType(), 0.0));
    Value isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, root.getOperand(), zero);
    auto chosen = arith::SelectOp::create(builder, loc, isZero, root.getOperand(), root);
    root->getResult(0).replaceAllUsesExcept(chosen, chosen);
  });
}

namespace {
struct DeviceKernelsToSPIRVPass final : relax::impl::DeviceKernelsToSPIRVPassBase<DeviceKernelsToSPIRVPass> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    makePipeline(/*isWide=*/false, /*isOpenCL=*/false).getDependentDialects(registry);
  }
  void runOnOperation() override;

private:
  static OpPassManager makePipeline(bool isWide, bool isOpenCL);
  DictionaryAttr lowerKernel(gpu::GPUModuleOp kernel, const DeviceTargetInfo &target);
  LogicalResult makeCode(gpu::GPUModuleOp kernel, const DeviceTargetInfo &target, SmallVectorImpl<uint32_t> &code);
};
} // namespace

/// Kernels as SPIR-V. Numbers of type index have 64 bits where they are computed from data, and in OpenCL.
OpPassManager DeviceKernelsToSPIRVPass::makePipeline(bool isWide, bool isOpenCL) {
  OpPassManager manager(ModuleOp::getOperationName());
  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(createConvertMathToSPIRVPass());
  std::unique_ptr<Pass> convert = createConvertGPUToSPIRVPass(/*mapMemorySpace=*/true);
  // The name of the option is upstream's; should it change, the tests of wide kernels fail.
  (void)convert->initializeOptions(isWide || isOpenCL ? "use-64bit-index=true" : "use-64bit-index=false",
                                   [](const Twine &) { return failure(); });
  manager.addPass(std::move(convert));
  // Upstream puts modules with the capability Kernel where the functions were.
  OpPassManager &modules =
      isOpenCL ? manager.nest<gpu::GPUModuleOp>().nest<spirv::ModuleOp>() : manager.nest<spirv::ModuleOp>();
  modules.addPass(spirv::createSPIRVLowerABIAttributesPass());
  modules.addPass(createCanonicalizerPass());
  modules.addPass(createCSEPass());
  modules.addPass(spirv::createSPIRVUpdateVCEPass());
  return manager;
}

LogicalResult DeviceKernelsToSPIRVPass::makeCode(gpu::GPUModuleOp kernel, const DeviceTargetInfo &target,
                                                 SmallVectorImpl<uint32_t> &code) {
  auto work = ModuleOp::create(kernel.getLoc());
  getOperation().push_back(work);
  auto copy = cast<gpu::GPUModuleOp>(kernel->clone());
  work.push_back(copy);
  copy->setAttr(spirv::getTargetEnvAttrName(), getTargetEnv(target, &getContext()));
  bool isWide = false;
  for (auto stage : copy.getOps<gpu::GPUFuncOp>()) {
    isWide |= stage->hasAttr(kWideIndexAttrName);
    auto size = llvm::to_vector(stage.getKnownBlockSizeAttr().asArrayRef());
    stage->setAttr(spirv::getEntryPointABIAttrName(), spirv::getEntryPointABIAttr(&getContext(), size));
    removeStageAttrs(stage);
  }

  chooseStartOfEmptyLoops(copy);
  keepSignsOfRoots(copy);
  OpPassManager manager = makePipeline(isWide, target.isOpenCL());
  LogicalResult result = runPipeline(manager, work);
  if (succeeded(result)) {
    SmallVector<spirv::ModuleOp> made;
    work.walk([&](spirv::ModuleOp module) { made.push_back(module); });
    result = made.size() == 1 ? spirv::serialize(made.front(), code) : failure();
  }
  work.erase();
  return result;
}

/// The entry of the table; null when the kernel stays on the CPU.
DictionaryAttr DeviceKernelsToSPIRVPass::lowerKernel(gpu::GPUModuleOp kernel, const DeviceTargetInfo &target) {
  auto stay = [&](const Twine &reason) {
    kernel.emitRemark("kernel '") << kernel.getName() << "' runs on the CPU: " << reason;
    return DictionaryAttr();
  };
  uint32_t features = findFeatures(kernel);
  if (uint32_t missing = features & ~target.features)
    return stay("the target '" + target.name + "' has no " + describeFeatures(missing));
  SmallVector<uint32_t> code;
  std::string message;
  LogicalResult result = failure();
  {
    FirstError error(&getContext(), message);
    result = makeCode(kernel, target, code);
  }
  if (failed(result))
    return stay("no SPIR-V for it: " + (message.empty() ? std::string("the conversion failed") : message));

  SmallVector<int32_t> words(code.begin(), code.end());
  return makeKernelEntry(kernel, features, words);
}

void DeviceKernelsToSPIRVPass::runOnOperation() {
  std::string reason;
  FailureOr<SmallVector<DeviceTargetInfo>> found = findDeviceTargets(targets, reason);
  if (failed(found)) {
    emitError(getOperation().getLoc(), reason);
    return signalPassFailure();
  }
  auto device = getOperation().lookupSymbol<ModuleOp>(kDeviceModuleName);
  if (!device)
    return;
  for (const DeviceTargetInfo &target : *found) {
    if (!target.isSPIRV())
      continue;
    SmallVector<Attribute> kernels;
    for (auto kernel : device.getOps<gpu::GPUModuleOp>())
      if (DictionaryAttr entry = lowerKernel(kernel, target))
        kernels.push_back(entry);
    addTargetEntry(getOperation(), target.name, kernels);
  }
  device.erase();
}
