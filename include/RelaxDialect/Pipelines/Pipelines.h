//===- Pipelines.h - Named sequences of passes -----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Every stage is a pipeline of its own and ends where a phase ends (docs/Spec.md
// section 2). All run on a module.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_PIPELINES_PIPELINES_H
#define RELAXDIALECT_PIPELINES_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassOptions.h"

namespace llvm {
class SourceMgr;
} // namespace llvm
namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::relax {

/// What kernels may rely on, and what is called instead of them.
struct KernelPipelineOptions : PassPipelineOptions<KernelPipelineOptions> {
  Option<int64_t> vectorBits{*this, "vector-bits", llvm::cl::desc("Width of a vector register."), llvm::cl::init(256)};
  Option<std::string> dots{*this, "dots", llvm::cl::desc("What multiplies integers of 8 bits: plain, avx2 or vnni."),
                           llvm::cl::init("plain")};
  ListOption<std::string> libraries{*this, "libraries", llvm::cl::desc("Files that describe libraries.")};
  Option<std::string> patterns{*this, "patterns", llvm::cl::desc("File with patterns to group ops by.")};
  Option<bool> liftWorkspaces{*this, "lift-workspaces", llvm::cl::desc("Plan scratch memory of kernels, too."),
                              llvm::cl::init(false)};
  Option<std::string> quantizeWeights{*this, "quantize-weights", llvm::cl::desc("Store weights in this format.")};
  Option<std::string> mixedPrecision{*this, "mixed-precision", llvm::cl::desc("Multiply numbers of this type.")};
  Option<bool> quantizeActivations{*this, "quantize-activations",
                                   llvm::cl::desc("Multiply weights in blocks by integers of 8 bits."),
                                   llvm::cl::init(false)};
  ListOption<std::string> devices{*this, "devices", llvm::cl::desc("Devices to make kernels for, beside the CPU.")};
  Option<std::string> ptxas{*this, "ptxas", llvm::cl::desc("NVIDIA's assembler, else it is looked for.")};
  Option<std::string> dispatchTable{*this, "dispatch-table", llvm::cl::desc("Sizes from which variants are chosen.")};
  // One switch for each group of passes that results do not depend on.
  Option<bool> fuse{*this, "fuse", llvm::cl::desc("Make one kernel of several calls."), llvm::cl::init(true)};
  Option<bool> liftWeights{*this, "lift-weights", llvm::cl::desc("Compute once what depends on weights only."),
                           llvm::cl::init(true)};
  Option<bool> combineProducts{*this, "combine-products", llvm::cl::desc("Make one product of those of one operand."),
                               llvm::cl::init(false)};
  Option<bool> sinkMoves{*this, "sink-moves", llvm::cl::desc("Move elements behind what they do not change."),
                         llvm::cl::init(true)};
  Option<bool> convLayout{*this, "conv-layout", llvm::cl::desc("Convolutions with channels last where it is faster."),
                          llvm::cl::init(true)};
  Option<bool> packWeights{*this, "pack-weights", llvm::cl::desc("Reorder weights for the kernels that read them."),
                           llvm::cl::init(true)};
  Option<bool> preallocateCaches{
      *this, "preallocate-caches",
      llvm::cl::desc("Give donated caches a capacity, so that entries are written into them."), llvm::cl::init(false)};
  Option<bool> growInPlace{*this, "grow-in-place", llvm::cl::desc("Append to arguments without copying them."),
                           llvm::cl::init(true)};
  Option<bool> shareMemory{*this, "share-memory", llvm::cl::desc("Tensors share memory."), llvm::cl::init(true)};
  Option<bool> capture{*this, "capture", llvm::cl::desc("Record launches and run them again."), llvm::cl::init(false)};
};

struct ToLinalgPipelineOptions : PassPipelineOptions<ToLinalgPipelineOptions> {
  Option<bool> fuse{*this, "fuse", llvm::cl::desc("Raise loops and fuse calls first."), llvm::cl::init(false)};
  Option<std::string> blobDirectory{*this, "blob-directory",
                                    llvm::cl::desc("Where weight files with relative names are.")};
};

/// relax-import: functions of other dialects become graph functions.
void buildImportPipeline(OpPassManager &manager);
/// Reads a module, in which ops of StableHLO need not be registered, and makes graph functions of its functions in
/// StableHLO, with `all` also of those in TOSA and linalg. Null after an error.
OwningOpRef<ModuleOp> parseAndImport(llvm::SourceMgr &sources, MLIRContext *context, bool all);
/// relax-simplify: graph phase, without calls and dataflow blocks, shapes inferred, checks explicit.
void buildSimplifyPipeline(OpPassManager &manager);
/// Composite ops become simpler ones; part of the two pipelines that leave the graph phase.
void buildDecomposePipeline(OpPassManager &manager);
/// relax-optimize: mixed phase, fewer and better tensor programs.
void buildOptimizePipeline(OpPassManager &manager);
/// relax-plan: mixed to planned.
void buildPlanPipeline(OpPassManager &manager);
/// relax-lower-kernels: functions over buffers to LLVM dialect.
void buildLowerKernelsPipeline(OpPassManager &manager, const KernelPipelineOptions &options);
/// The two parts of relax-lower-kernels: what is the same for all CPUs, and what `vectorBits` decides.
void buildPartitionKernelsPipeline(OpPassManager &manager, const KernelPipelineOptions &options);
void buildKernelCodePipeline(OpPassManager &manager, const KernelPipelineOptions &options);
/// The first part of relax-lower: mixed to functions over buffers, with weights in panels for `vectorBits`.
void buildPlannedKernelsPipeline(OpPassManager &manager, const KernelPipelineOptions &options);
/// relax-lower: mixed to LLVM dialect.
void buildLowerPipeline(OpPassManager &manager, const KernelPipelineOptions &options);
/// The default pipeline up to the place where CPUs differ; buildKernelCodePipeline goes on.
void buildCommonPipeline(OpPassManager &manager, const KernelPipelineOptions &options);
/// relax-default-pipeline: graph to LLVM dialect, as relax-compile does it.
void buildDefaultPipeline(OpPassManager &manager, const KernelPipelineOptions &options);

/// relax-to-linalg: graph phase to func, linalg and tensor with assertions, for other compilers.
void buildToLinalgPipeline(OpPassManager &manager, const ToLinalgPipelineOptions &options);

void registerRelaxPipelines();

} // namespace mlir::relax

#endif // RELAXDIALECT_PIPELINES_PIPELINES_H
