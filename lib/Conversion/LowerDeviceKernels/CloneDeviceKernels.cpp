//===- CloneDeviceKernels.cpp - Copies of kernels for devices -------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Conversion/DevicePasses.h"
#include "RelaxDialect/Conversion/DeviceTables.h"
#include "RelaxDialect/Conversion/ModuleTables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::relax {
#define GEN_PASS_DEF_CLONEDEVICEKERNELSPASS
#include "RelaxDialect/Conversion/DevicePasses.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

static void generalize(func::FuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  SmallVector<linalg::LinalgOp> ops;
  kernel.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    if (isa<linalg::GenericOp>(op.getOperation()))
      continue;
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op); // what stays is refused when stages are made
  }
}

/// Elementwise ops become a part of the op that reads what they make, if that reads each element once: otherwise
/// elements would be made again and again.
static LogicalResult fuseElementwise(func::FuncOp kernel) {
  RewritePatternSet patterns(kernel.getContext());
  linalg::populateElementwiseOpsFusionPatterns(patterns, [](OpOperand *operand) {
    auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
    return consumer && operand->get().hasOneUse() && consumer.getMatchingIndexingMap(operand).isPermutation();
  });
  auto config =
      GreedyRewriteConfig().setUseTopDownTraversal().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return applyPatternsGreedily(kernel, std::move(patterns), config);
}

/// Buffers of unknown size stay allocations: the runtime gives them memory of the device.
static LogicalResult bufferize(func::FuncOp kernel) {
  generalize(kernel);
  IRRewriter rewriter(kernel.getContext());
  if (failed(fuseElementwise(kernel)) || failed(bufferization::eliminateEmptyTensors(rewriter, kernel)))
    return failure();
  bufferization::OneShotBufferizationOptions options;
  options.memCpyFn = [](OpBuilder &builder, Location loc, Value from, Value to) {
    linalg::CopyOp::create(builder, loc, from, to);
    return success();
  };
  bufferization::BufferizationState state;
  if (failed(bufferization::runOneShotBufferize(kernel, options, state)))
    return failure();
  generalize(kernel); // copies that were inserted
  return success();
}

namespace {
struct CloneDeviceKernelsPass final : relax::impl::CloneDeviceKernelsPassBase<CloneDeviceKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    auto device = ModuleOp::create(module.getLoc(), kDeviceModuleName);
    symbols.insert(device);
    for (StringRef name : getStringTable(module, kKernelsAttrName)) {
      auto kernel = symbols.lookup<func::FuncOp>(name);
      if (!kernel || kernel.isExternal())
        continue;
      func::FuncOp copy = kernel.clone();
      device.push_back(copy);
      LogicalResult result = failure();
      {
        ScopedDiagnosticHandler silent(&getContext(), [](Diagnostic &) { return success(); });
        result = bufferize(copy);
      }
      if (succeeded(result))
        continue;
      copy.erase();
      kernel.emitRemark("kernel '") << name << "' runs on the CPU: it cannot be bufferized without a schedule";
    }
  }
};
} // namespace
