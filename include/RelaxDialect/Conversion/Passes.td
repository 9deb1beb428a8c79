//===- Passes.td - Passes that leave the relax dialects ---*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_CONVERSION_PASSES
#define RELAXDIALECT_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// From graph ops to tensor programs
//===----------------------------------------------------------------------===//

def LegalizeOpsPass : Pass<"relax-legalize-ops", "::mlir::ModuleOp"> {
  let summary = "Turns computing graph ops into calls of tensor programs.";
  let description = [{
    Before: the graph phase. After: each computing op is a `relax.call_tp` of a private `relax_tp.func` in tensor form (buffer
    form where sizes are found while running); identical programs are shared. Symbols keep their names inside; what no
    argument shows becomes a scalar, and the call gets a shape value. Splat constants of elementwise ops move into the body.

    Operands with unknown extents get names by `relax.match_cast`; shape rules that the facts of the function and earlier
    assertions do not prove are asserted. Broadcasting that only run time decides is computed as numpy does.

    With `leave-views` a `relax.reshape` becomes one move of elements, which can fuse, where an affine map says it. Others
    stay when their extents are proved: they are views in all later phases.
  }];
  let options = [Option<"leaveViews", "leave-views", "bool", /*default=*/"false",
                        "Reshapes become moves that fuse, or stay as views.">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::relax::graph::RelaxDialect", "::mlir::relax::tp::RelaxTpDialect"];
}

//===----------------------------------------------------------------------===//
// Weights for kernels: the mixed phase
//===----------------------------------------------------------------------===//

def PackWeightsPass : Pass<"relax-pack-weights", "::mlir::ModuleOp"> {
  let summary = "Puts weights in the order in which contractions read them.";
  let description = [{
    Before: the mixed phase, fused. After: a `relax.weight` or `relax.constant` that only contractions read, which share it
    among their rows, lies in panels: as many columns as a register tile has, in each one step of the reduction after the
    other, the last panel padded with zeros. The bytes are rearranged here, once; calls go to copies of their programs whose
    indexing map says `[outer.., column floordiv width, reduction.., column mod width]`, so that every pass and the
    interpreter read them as any other operand. Transposed weights get the same panels. A weight with another reader, with
    readers that want different panels, or that padding would enlarge by more than an eighth, stays as it is.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::relax::graph::RelaxDialect"];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256", "Width of a vector register.">,
    Option<"blobDirectory", "blob-directory", "std::string", /*default=*/"",
           "Where weight files with relative names are.">];
}

//===----------------------------------------------------------------------===//
// Kernels: func.func over identity-layout memrefs, index scalars and a
// trailing memref<1xi64> error word, as relax-convert-tensor-program-to-func
// makes them. Every pass leaves other functions alone.
//===----------------------------------------------------------------------===//

def TileRowsPass : Pass<"relax-tile-rows", "::mlir::func::FuncOp"> {
  let summary = "Makes several operations of a kernel finish one row before the next.";
  let description = [{
    Before: a kernel whose body is linalg on tensors. After: operations that all walk the leading dimensions of the results
    alike, such as those of a softmax or a normalization, are in one `scf.forall` over these dimensions: intermediates have
    the size of a row, on the stack or in the result. A kernel stays as it is when some operation reads across rows, when
    rows share what a reduction reads (products), when an intermediate of unknown size would be left, or with one operation.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let options = [Option<"rowBytes", "row-bytes", "int64_t", /*default=*/"32768",
                        "Greatest size of the intermediates of a row.">];
}

def ScheduleKernelsPass : Pass<"relax-schedule-kernels", "::mlir::func::FuncOp"> {
  let summary = "Puts the loops of CPU kernels in an order that LLVM vectorizes.";
  let description = [{
    Before: a kernel whose body is linalg on tensors. After: each linalg op is a linalg.generic whose innermost loop is the
    one with the most unit-stride accesses, preferably parallel (matmul runs in the order m, k, n); elementwise ops work in
    place on an intermediate that nothing else reads; additions of a floating-point reduction carry `reassoc`, they and the
    products, sums and differences below them `contract`. No flag that assumes the absence of NaN or infinity is ever set.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect"];
}

def BufferizeKernelsPass : Pass<"relax-bufferize-kernels", "::mlir::ModuleOp"> {
  let summary = "Turns tensors inside of kernels into buffers.";
  let description = [{
    Runs upstream's one-shot bufferization inside of each kernel. Results are computed in the destinations where possible.
    Small intermediates of constant size live on the stack, up to `stack-bytes` per kernel. Others are a last resort: each
    is allocated with its size checked for overflow, freed at the end of its block, and a refusal sets the error word.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let options = [Option<"stackBytes", "stack-bytes", "int64_t", /*default=*/"65536",
                        "Bytes of intermediates that one kernel may keep on the stack.">];
}

def PartitionKernelsPass : Pass<"relax-partition-kernels", "::mlir::func::FuncOp"> {
  let summary = "Makes ranges of a kernel's work run on their own.";
  let description = [{
    Before: a kernel with linalg on memrefs. After: the kernel takes two more index scalars, begin and end, and computes the
    parts [begin, end) of its results; `relax_tp.range` tells which dimension they divide and into what units.

    Loops of different operations belong together when they walk the same dimension of a buffer that the kernel writes. A
    class of loops is chosen when every operation has exactly one of them, it is parallel, and no operation touches another
    part of what is written; of several, the one that gives most parts. No reduction is divided, so results do not depend on
    the parts. Of a kernel that is one `scf.forall` (relax-tile-rows) one of its dimensions is divided. Kernels with other
    loops, with intermediates of unknown size or with extents found are left alone.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def LowerKernelLoopsPass : Pass<"relax-lower-kernel-loops", "::mlir::func::FuncOp"> {
  let summary = "Turns linalg on buffers into loops.";
  let description = [{
    Before: a kernel with linalg on memrefs. After: scf loops, accesses of memref and vector. An `scf.forall` is walked in order.

    A contraction whose rows share an operand runs in tiles of 4 rows by 3 vectors of columns, which are kept in registers
    while the reduction loops run; blocks of the shared operand are copied to the stack so that they are contiguous. Any body
    of elementwise operations will do, rests of rows and columns are handled, results do not depend on the tile. With fewer
    than 4 rows, and in other contractions, four steps of the longest reduction loop are done together, and two steps of a
    parallel loop where rows of the result have a constant distance. What lies in panels (relax-pack-weights) is read in
    place for any number of rows; fewer than 4 read several panels at once.

    Where the innermost loop is a reduction of known length that moves all operands by one element, its steps are added up
    in vector lanes, 8 results at a time; what one operand alone decides, such as numbers decoded from blocks, is computed
    once for all rows of a tile.

    Where the terms of such a sum are linear in products of integers of 8 bits, with factors that 32 neighbours, or four of
    them, share, products are added as integers, with the instructions that `dots` names, and become floats then. Where there
    are as many rows of the other side as half a vector has lanes, and sums of known length, each lane has a row of its own:
    both sides are copied to the stack as the innermost loop reads them, at most 256 KB of the rows at once. The result is
    the same with all of these instructions, and for all numbers of rows.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
  let options = [Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256", "Width of a vector register.">,
                 Option<"dots", "dots", "std::string", /*default=*/"\"plain\"",
                        "What multiplies integers of 8 bits: plain, avx2 or vnni.">];
}

def LowerKernelMathPass : Pass<"relax-lower-kernel-math", "::mlir::func::FuncOp"> {
  let summary = "Replaces math functions by code that vectorizes.";
  let description = [{
    exp, log, tanh and erf of f32 become polynomials (at most 5 ulp); expm1 and log1p are written with exp and log so that
    they keep their digits near 0; f16 computes in f32; squares are multiplications; rsqrt, floordiv and others become basic operations. What remains is an LLVM intrinsic or a function of libm.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def WrapKernelsPass : Pass<"relax-wrap-kernels", "::mlir::ModuleOp"> {
  let summary = "Gives each kernel an entry with the runtime's signature.";
  let description = [{
    For a kernel `@f` adds `@relax_kernel_f(buffers, scalars, begin, end, error)` (Spec.md section 5), which builds the
    memref descriptors. Extents that the kernel returns are stored through the buffers that follow its tensors. Errors get
    their number in the module's table of sites. `@f` becomes internal, `@relax_body_f`, and its buffers `noalias`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def VerifyKernelPass : Pass<"relax-verify-kernel", "::mlir::ModuleOp"> {
  let summary = "Checks the end of the kernel phase.";
  let description = [{
    Every kernel named in `relax.kernels` is a func.func with a body, takes identity-layout memrefs, index scalars and the
    error word, and contains upstream dialects only.
  }];
}

//===----------------------------------------------------------------------===//
// Host code
//===----------------------------------------------------------------------===//

def LowerHostPass : Pass<"relax-lower-host", "::mlir::ModuleOp"> {
  let summary = "Turns functions of the planned phase into code that the runtime calls.";
  let description = [{
    Each public function becomes `relax_entry_<name>` (docs/Spec.md sections 5 and 8): it binds the symbols from the extents
    of its inputs, checks every dimension, repeated symbol, expression and fact, reserves the arena, allocates outputs,
    launches kernels and calls library functions. Shape arithmetic that leaves 64 bits fails a check. The module gets the
    tables of Conversion/ModuleTables.h. Weights, library declarations and tensor programs that nothing calls are removed.
    Calls of functions must be inlined before.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def VerifyHostPass : Pass<"relax-verify-host", "::mlir::ModuleOp"> {
  let summary = "Checks the end of the host phase.";
  let description = [{
    Every function of the table `relax.functions` has an entry with the runtime's signature that consists of func, arith, scf,
    cf and llvm; no graph op or library declaration is left in the module.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // RELAXDIALECT_CONVERSION_PASSES
