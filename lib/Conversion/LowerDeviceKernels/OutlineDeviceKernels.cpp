//===- OutlineDeviceKernels.cpp - Stages of device kernels ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "DeviceStage.h"
#include "RelaxDialect/Conversion/DevicePasses.h"
#include "RelaxDialect/Conversion/DeviceTables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::relax {
#define GEN_PASS_DEF_OUTLINEDEVICEKERNELSPASS
#include "RelaxDialect/Conversion/DevicePasses.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

/// Makes the gpu.module of one kernel.
class KernelOutliner {
public:
  KernelOutliner(func::FuncOp kernel, std::string &reason)
      : kernel(kernel), reason(reason), sizes(kernel), scope(sizes) {}
  ~KernelOutliner() {
    if (isDone)
      return;
    sizes.getFunction().erase();
    if (module)
      module.erase();
  }

  LogicalResult outline();
  gpu::GPUModuleOp takeModule() { return module; }
  func::FuncOp takeFunction() {
    isDone = true;
    return sizes.getFunction();
  }

private:
  LogicalResult fail(const Twine &text) {
    if (reason.empty())
      reason = text.str();
    return failure();
  }
  LogicalResult addRoot(Value memref, ArrayRef<Size> extents);
  LogicalResult addArguments();
  LogicalResult addIntermediate(Operation *alloc);
  LogicalResult addView(Operation *op);
  LogicalResult addSubview(memref::SubViewOp op, const DeviceView &source);
  LogicalResult addReshape(Operation *op, const DeviceView &source);
  void setContiguous(DeviceView &view);
  void appendSizes();

  func::FuncOp kernel;
  std::string &reason;
  DeviceSizes sizes;
  DeviceScope scope;
  SmallVector<Size> bytes; // of the roots
  gpu::GPUModuleOp module;
  bool isDone = false;
};

void KernelOutliner::setContiguous(DeviceView &view) {
  view.strides.assign(view.sizes.size(), Size());
  Size stride = sizes.constant(1);
  for (size_t dim = view.sizes.size(); dim-- > 0;) {
    view.strides[dim] = stride;
    stride = sizes.multiply(stride, view.sizes[dim]);
  }
  view.isContiguous = true;
}

LogicalResult KernelOutliner::addRoot(Value memref, ArrayRef<Size> extents) {
  auto type = cast<MemRefType>(memref.getType());
  Type storage = getStorageType(type.getElementType());
  if (!storage) {
    std::string text;
    llvm::raw_string_ostream(text) << type.getElementType();
    return fail("has a buffer of " + text);
  }
  DeviceView view{static_cast<unsigned>(scope.rootTypes.size()), {}, {}, sizes.constant(0), true};
  view.sizes.assign(extents.begin(), extents.end());
  setContiguous(view);
  scope.rootTypes.push_back(storage);
  Size elementBytes = sizes.constant(storage.getIntOrFloatBitWidth() / 8);
  bytes.push_back(sizes.multiply(sizes.multiply(view.sizes), elementBytes));
  scope.views.try_emplace(memref, std::move(view));
  return success();
}

LogicalResult KernelOutliner::addArguments() {
  if (kernel.getNumResults())
    return fail("finds extents");
  scope.errorWord = kernel.getArguments().back();
  for (BlockArgument argument : kernel.getArguments().drop_back()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    SmallVector<Size> extents;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      extents.push_back(sizes.getExtent(argument.getArgNumber(), dim));
    if (failed(addRoot(argument, extents)))
      return failure();
    ++scope.numBuffers;
  }
  return success();
}

LogicalResult KernelOutliner::addIntermediate(Operation *alloc) {
  auto type = cast<MemRefType>(alloc->getResult(0).getType());
  if (!type.getLayout().isIdentity())
    return fail("has an intermediate with strides");
  SmallVector<Size> extents;
  auto dynamic = alloc->getOperands().begin();
  for (int64_t size : type.getShape()) {
    extents.push_back(ShapedType::isDynamic(size) ? sizes.lookup(*dynamic++) : sizes.constant(size));
    if (!extents.back())
      return fail("has an intermediate whose size is not known before it runs");
  }
  return addRoot(alloc->getResult(0), extents);
}

LogicalResult KernelOutliner::addSubview(memref::SubViewOp op, const DeviceView &source) {
  auto number = [&](OpFoldResult mixed) -> Size {
    if (std::optional<int64_t> value = getConstantIntValue(mixed))
      return sizes.constant(*value);
    return sizes.lookup(cast<Value>(mixed));
  };
  DeviceView view{source.root, {}, {}, source.offset, false};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, offset, size, stride] :
       llvm::enumerate(op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
    Size at = number(offset), extent = number(size), step = number(stride);
    if (!at || !extent || !step)
      return fail("takes a part of a buffer whose place is not known before it runs");
    view.offset = sizes.add(view.offset, sizes.multiply(at, source.strides[dim]));
    if (dropped.test(dim))
      continue;
    view.sizes.push_back(extent);
    view.strides.push_back(sizes.multiply(step, source.strides[dim]));
  }
  scope.views.try_emplace(op.getResult(), std::move(view));
  return success();
}

LogicalResult KernelOutliner::addReshape(Operation *op, const DeviceView &source) {
  if (!source.isContiguous)
    return fail("reshapes a part of a buffer");
  DeviceView view{source.root, {}, {}, source.offset, true};
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
    for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
      Size product = sizes.constant(1);
      for (int64_t dim : group)
        product = sizes.multiply(product, source.sizes[dim]);
      view.sizes.push_back(product);
    }
  } else {
    for (OpFoldResult mixed : cast<memref::ExpandShapeOp>(op).getMixedOutputShape()) {
      std::optional<int64_t> value = getConstantIntValue(mixed);
      view.sizes.push_back(value ? sizes.constant(*value) : sizes.lookup(cast<Value>(mixed)));
      if (!view.sizes.back())
        return fail("reshapes a buffer to a shape that is not known before it runs");
    }
  }
  setContiguous(view);
  scope.views.try_emplace(op->getResult(0), std::move(view));
  return success();
}

LogicalResult KernelOutliner::addView(Operation *op) {
  auto found = scope.views.find(op->getOperand(0));
  if (found == scope.views.end())
    return fail("uses memory of an unknown place");
  DeviceView source = found->second;
  if (auto subview = dyn_cast<memref::SubViewOp>(op))
    return addSubview(subview, source);
  if (!isa<memref::CastOp>(op))
    return addReshape(op, source);
  scope.views.try_emplace(op->getResult(0), std::move(source));
  return success();
}

/// Bytes of all buffers, then the numbers of the stages. Intermediates that stay in registers have none.
void KernelOutliner::appendSizes() {
  llvm::SmallBitVector isBound(bytes.size());
  for (auto stage : module.getOps<gpu::GPUFuncOp>())
    for (int64_t binding : stage->getAttrOfType<DenseI64ArrayAttr>(kBindingsAttrName).asArrayRef())
      if (binding < static_cast<int64_t>(bytes.size()))
        isBound.set(binding);
  for (auto [root, size] : llvm::enumerate(bytes))
    sizes.append(root < scope.numBuffers || isBound.test(root) ? size : sizes.constant(0));
  for (Size word : scope.words)
    sizes.append(word);
  sizes.finish();
}

LogicalResult KernelOutliner::outline() {
  if (failed(addArguments()))
    return failure();
  if (!llvm::hasSingleElement(kernel.getBody()))
    return fail("has branches");
  SmallVector<linalg::GenericOp> stages;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    LogicalResult result = success();
    if (auto generic = dyn_cast<linalg::GenericOp>(&op)) {
      stages.push_back(generic);
    } else if (isa<memref::AllocOp, memref::AllocaOp>(op)) {
      result = addIntermediate(&op);
    } else if (isa<memref::SubViewOp, memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(op)) {
      result = addView(&op);
    } else if (auto dim = dyn_cast<memref::DimOp>(&op)) {
      auto view = scope.views.find(dim.getSource());
      std::optional<int64_t> index = dim.getConstantIndex();
      if (view == scope.views.end() || !index || *index >= static_cast<int64_t>(view->second.sizes.size()))
        result = fail("asks for an extent that is not known");
      else
        sizes.map(dim, view->second.sizes[*index]);
    } else if (!op.hasTrait<OpTrait::ConstantLike>() && !isa<memref::DeallocOp>(op) && !sizes.repeat(&op) &&
               !(isa<arith::ArithDialect>(op.getDialect()) && isPure(&op))) { // what stages compute anew
      result = fail("'" + op.getName().getStringRef() + "' outside of linalg operations");
    }
    if (failed(result))
      return failure();
  }
  OpBuilder detached(kernel.getContext());
  module = gpu::GPUModuleOp::create(detached, kernel.getLoc(), kernel.getName());
  if (failed(emitStages(stages, scope, module, reason)))
    return failure();
  appendSizes();
  Builder builder(kernel.getContext());
  module->setAttr(kSizesAttrName, builder.getStringAttr(sizes.getFunction().getName()));
  module->setAttr(kBuffersAttrName, builder.getI64IntegerAttr(scope.numBuffers));
  module->setAttr(kScratchAttrName, builder.getI64IntegerAttr(scope.rootTypes.size() - scope.numBuffers));
  return success();
}

struct OutlineDeviceKernelsPass final : relax::impl::OutlineDeviceKernelsPassBase<OutlineDeviceKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    auto device = getOperation().lookupSymbol<ModuleOp>(kDeviceModuleName);
    if (!device)
      return;
    SymbolTable symbols(getOperation());
    for (func::FuncOp kernel : llvm::make_early_inc_range(device.getOps<func::FuncOp>())) {
      std::string reason;
      KernelOutliner outliner(kernel, reason);
      if (failed(outliner.outline())) {
        kernel.emitRemark("kernel '") << kernel.getName() << "' runs on the CPU: it " << reason;
        kernel.erase();
        continue;
      }
      gpu::GPUModuleOp module = outliner.takeModule();
      func::FuncOp function = outliner.takeFunction();
      if (symbols.lookup(function.getName())) {
        kernel.emitError("sizes of kernel need the name '") << function.getName() << "', which is taken";
        function.erase();
        module.erase();
        return signalPassFailure();
      }
      symbols.insert(function);
      kernel.erase();
      device.push_back(module);
    }
  }
};

} // namespace
