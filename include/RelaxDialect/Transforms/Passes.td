//===- Passes.td - Passes across dialects -----------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TRANSFORMS_PASSES
#define RELAXDIALECT_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// From values to memory (docs/Spec.md section 3.2)
//===----------------------------------------------------------------------===//

def MakeDestinationsPass : Pass<"relax-make-destinations", "::mlir::ModuleOp"> {
  let summary = "Gives every call explicit destinations.";
  let description = [{
    Before: calls of tensor programs and library functions are values. After: each has `into(%d)`, where `%d` is a
    `relax.alloc` of its own whose shape operands come from the call's operands. A tensor that the function returns once is
    marked `relax.output = index`: it is written straight into the output. Calls in place become ordinary ones.
    A tensor that a loop hands to its next iteration is copied there, unless a call of the same block makes it.
    Fails where an extent of a destination is not known.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::relax::graph::RelaxDialect",
                           "::mlir::relax::tp::RelaxTpDialect"];
}

def VerifyDestinationsPass : Pass<"relax-verify-destinations", "::mlir::ModuleOp"> {
  let summary = "Checks the end of the destination phase.";
  let description = [{
    Every call has destinations, each a `relax.alloc` that no other call uses; no computing graph op and no op of the planned
    phase is there.
  }];
}

def GrowInPlacePass : Pass<"relax-grow-in-place", "::mlir::ModuleOp"> {
  let summary = "Appends to an argument without copying it.";
  let description = [{
    A result of the function that a program makes of an argument followed by new elements, as a cache of keys grows by
    `relax.concat`, is marked `relax.extends = argument` beside `relax.output`: the runtime hands out memory that begins
    with the argument's elements, which is the argument's own where it was a result of an earlier call. The program is
    replaced by one that writes the new elements only. Rows must follow each other in memory: every dimension before the
    one that grows is 1.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect", "::mlir::relax::tp::RelaxTpDialect"];
}

def PlanMemoryPass : Pass<"relax-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Places destinations in one arena per call, sharing memory whatever the sizes are.";
  let description = [{
    Before: the destination phase, structured control flow. After: each `relax.alloc` is a `relax.tensor_at`. Destinations
    that are not needed at the same time share memory, whatever their element types; of two that are, one begins where the
    other ends or later, by sums and maxima that are evaluated at entry. So nothing has to be proved: sizes that
    cannot be compared while compiling are compared at entry. Which of two lies below is chosen by packing them at
    sample sizes. What lives inside of a branch or loop is kept for the whole of it. Sizes found while running count with their bound
    (`u <= n * m`), or get memory of their own, which grows as needed inside of branches and loops. What a loop hands to its
    next iteration alternates between two blocks. Everything in the arena begins at a multiple of 64 bytes. What is
    dead before a result is made may lie in that result's memory, where it is proved to fit and the arena gets smaller. Where that, or
    which order is good, depends on the sizes, a few plans are there, and each call uses the smallest that fits: storages and offsets
    are chosen by `arith.select`. The function attribute `relax.memory_report` tells the plans, the planned bytes of the first and a
    lower bound, as JSON.

    With `share=false` everything in the arena has a place of its own, as if it lived during the whole call: what sharing
    saves shows beside it (benchmarks/ablation.py).
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect", "::mlir::arith::ArithDialect"];
  let options = [Option<"share", "share", "bool", /*default=*/"true", "Tensors share memory.">];
}

def VerifyPlannedPass : Pass<"relax-verify-planned", "::mlir::ModuleOp"> {
  let summary = "Checks the end of the planned phase and the plan.";
  let description = [{
    No `relax.alloc` is left, destinations are `relax.tensor_at` inside of their storage, and no op writes bytes whose
    contents are still needed unless they are proved to be apart; nothing a loop hands to its next iteration is overwritten
    there. Independent of relax-plan-memory.
  }];
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

def LiftWeightComputationPass : Pass<"relax-lift-weight-computation", "::mlir::ModuleOp"> {
  let summary = "Computes once what depends on weights only.";
  let description = [{
    Before: mixed phase. After: a call of a tensor program whose inputs are all weights or constants is a weight itself.
    Programs that only move elements (transposes, slices, broadcasts) are computed on the bytes, whatever their size, others
    by the reference interpreter, up to two million elements. A call stays where its result would take notably more memory
    than the weights that only it reads, as decompression and a transposed copy of a weight that is needed both ways do, and
    where its program reports an error.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::relax::graph::RelaxDialect"];
  let options = [Option<"blobDirectory", "blob-directory", "std::string", /*default=*/"",
                        "Where weight files with relative names are.">];
}

//===----------------------------------------------------------------------===//
// Fusion and the way out
//===----------------------------------------------------------------------===//

def FuseOpsPass : Pass<"relax-fuse-ops", "::mlir::ModuleOp"> {
  let summary = "Groups calls that can share loops.";
  let description = [{
    Before: mixed phase. After: calls of tensor programs in tensor form that can become one program are in a
    `relax.fusion_group`: chains of elementwise, broadcast and injective programs, such producers of what a reduction reads
    once, elementwise epilogues of a reduction or contraction, and comparisons that a contraction reads (one-hot matrices).
    So are calls that can finish one row of the leading dimensions before the next, as in a softmax or a normalization, when
    what they hand on takes no more than `row-bytes` for a row or is overwritten on the way to the result.
    A call joins a group only when its extents are proved, every use of its result is in the group, and its loops would merge
    without computing anything expensive twice. The group stands where its last call was, so no use of a symbol moves up.
    `relax_tp.pattern_kind` is used where it is present and computed where it is not.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
  let options = [Option<"maxOps", "max-ops", "unsigned", /*default=*/"64", "Greatest number of calls in a group.">,
                 Option<"rowBytes", "row-bytes", "int64_t", /*default=*/"32768",
                        "Greatest size of what calls that share rows hand on for one row; 0: no such groups.">];
}

def FuseTensorProgramsPass : Pass<"relax-fuse-tensor-programs", "::mlir::ModuleOp"> {
  let summary = "Turns each fusion group into one tensor program.";
  let description = [{
    Before: any `relax.fusion_group`. After: a call of a new program that holds the bodies of the group's programs, with
    their loops merged. Symbols that no input shows become scalars. Values between the programs become `tensor.empty`
    destinations or disappear. Expensive producers of a contraction or broadcast are never merged into it. Programs that
    nothing calls any more are removed. A group that cannot become a program (unproved extents, buffer form, other ops) is
    dissolved, and a remark says why.
  }];
  let dependentDialects = [
    "::mlir::relax::graph::RelaxDialect", "::mlir::relax::tp::RelaxTpDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def MergeProgramsPass : Pass<"relax-merge-programs", "::mlir::ModuleOp"> {
  let summary = "Keeps one of tensor programs that are equal.";
  let description = [{
    Before: any phase with tensor programs. After: no private program is equal, up to the names of its symbols, to one before
    it; its callers call that one. Equal programs have the same arguments, facts and body. Layers of a model share their
    kernels so: they are compiled once and stay in the instruction cache.
  }];
  let statistics = [Statistic<"numMerged", "merged", "Programs removed">];
}

def InlineTensorProgramsPass : Pass<"relax-inline-tensor-programs", "::mlir::ModuleOp"> {
  let summary = "Puts the bodies of tensor programs where they are called.";
  let description = [{
    Before: mixed phase. After: no `relax.call_tp` and no private tensor program without users is left. Operands lose their
    extents by `relax.erase_shape`, results get them back by `relax.match_cast`; the body between is on plain tensors.
    Extents that are not proved and checks of the program become `cf.assert`. A program in buffer form works on buffers of
    its own. `relax.dataflow` and `relax.fusion_group` are dissolved. Calls with destinations or in place are an error.
  }];
  let dependentDialects = [
    "::mlir::relax::graph::RelaxDialect", "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def LibraryCallsToFuncPass : Pass<"relax-library-calls-to-func", "::mlir::ModuleOp"> {
  let summary = "Turns calls of library functions into calls of external functions.";
  let description = [{
    Before: mixed phase. After: no `relax.call_dps` and no `relax_ext.func` is left. A library function becomes a private
    `func.func` declaration with its `symbol` as name, which takes the inputs as tensors that it only reads, memory for the
    outs, scratch memory when it needs some, and the scalars; its result is 0 or an error code, which is asserted to be 0.
    Extents are dynamic and layouts row-major, so that one declaration serves all calls. Extents and facts (`where`) that are
    not proved become `relax.assert_shape`. `relax.dataflow` and `relax.fusion_group` are dissolved.

    A call with destinations, and one whose extents or facts only run time knows, are errors, as are two signatures for one
    symbol. See docs/Spec.md section 2.1.
  }];
  let dependentDialects = [
    "::mlir::relax::graph::RelaxDialect", "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def WeightsToConstantsPass : Pass<"relax-weights-to-constants", "::mlir::ModuleOp"> {
  let summary = "Turns weights into constants of the arith dialect.";
  let description = [{
    Before: any phase with `relax.weight`, `relax.constant` and `relax.weight_data`. After: they are `arith.constant`. Bytes of
    a blob are read from its file, whose digest must agree.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = [Option<"blobDirectory", "blob-directory", "std::string", /*default=*/"",
                        "Where files with relative names are.">];
}

def ViewReshapesPass : Pass<"relax-view-reshapes", "::mlir::ModuleOp"> {
  let summary = "Turns calls that keep all elements in their order into views.";
  let description = [{
    Before: mixed phase, fused. After: a call of a program that gives the elements of its only input in the same order, under
    the same or another shape, is a `relax.reshape`. In the phases that follow this is the memory of its operand under another
    shape, without code and without memory of its own. What a program does is read from its body (a copy whose indexing map is
    that of a reshape, of dimensions of extent 1 that come or go, or that pass each other). The numbers of elements must be
    proved equal.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def VerifyMixedPass : Pass<"relax-verify-mixed", "::mlir::ModuleOp"> {
  let summary = "Checks the mixed phase.";
  let description = [{
    Functions hold calls instead of computing graph ops: every computing op was legalized. Also allowed are shape ops, weights
    and constants, `relax.reshape` as a view, control flow, and what the graph phase allows. Calls have no destinations yet.
  }];
}

def VerifyPlainPass : Pass<"relax-verify-plain", "::mlir::ModuleOp"> {
  let summary = "Checks the end of the exit pipeline.";
  let description = [{
    No operation, type or attribute of our dialects is left: a compiler that does not know them can read the module.
  }];
}

#endif // RELAXDIALECT_TRANSFORMS_PASSES
