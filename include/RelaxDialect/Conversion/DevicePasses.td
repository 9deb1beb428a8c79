//===- DevicePasses.td - Kernels of devices ---------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_CONVERSION_DEVICEPASSES
#define RELAXDIALECT_CONVERSION_DEVICEPASSES

include "mlir/Pass/PassBase.td"

def CloneDeviceKernelsPass : Pass<"relax-clone-device-kernels", "::mlir::ModuleOp"> {
  let summary = "Starts device kernels as bufferized copies of the CPU's.";
  let description = [{
    Before: kernels are func.func with linalg on tensors, as `relax-convert-tensor-program-to-func` leaves them. After: a
    module `@relax_device` inside of the module has a copy of each kernel of the table `relax.kernels`, bufferized without
    any schedule of the CPU, elementwise ops fused into the ops that read each of their elements once: linalg.generic on
    memrefs and `memref.alloc` for intermediates. A copy that cannot be made is left out with a remark. The CPU's kernels stay
    as they are and run where a device has none.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def LowerDeviceMathPass : Pass<"relax-lower-device-math", "::mlir::ModuleOp"> {
  let summary = "Replaces math functions and bf16 of kernels in @relax_device by what every device has.";
  let description = [{
    Does to kernels of devices what `relax-lower-kernel-math` does to the CPU's, in two runs. Before
    `relax-outline-device-kernels` the op that puts a step into the result of a reduction stays, so that schedules know
    what is reduced. After it nothing does: bf16 is computed in f32, and moved as 16 bits.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def OutlineDeviceKernelsPass : Pass<"relax-outline-device-kernels", "::mlir::ModuleOp"> {
  let summary = "Makes gpu.func stages of the kernels in @relax_device.";
  let description = [{
    Before: what `relax-clone-device-kernels` makes. After: each kernel is a gpu.module with gpu.funcs, the stages, which run
    one after the other: one for a linalg op, or for a chain of them. A stage has 1-D buffers, explicit linear addresses and a
    buffer of 32-bit sizes; invocations and workgroups do their work in steps of the whole grid, so that any number of
    workgroups is right. The schedule is chosen by iterator types and indexing maps and named by `relax.schedule`:

    - `rows`: a reduction along the fastest dimension, and what reads its result along the same rows. A part of a workgroup has
      a row; partial results meet in shared memory, results of reductions stay in registers.
    - `tiles`: a product with any number of row, column and reduction loops, and elementwise ops over its result. A workgroup
      has a tile; blocks of steps go through shared memory.
    - `transpose`: an elementwise op that reads along another dimension than it writes, through shared memory.
    - `serial`: everything else; an invocation makes one element after another, reductions are loops.

    A constant that is only the start of a reduction is not written. The function `relax_device_<kernel>(scalars, out)` computes,
    on the host, for one launch: bytes of each buffer, bytes of each intermediate, then for each stage the number of elements
    (workgroups times their invocations) and its sizes.

    A kernel with something else than linalg ops, views of buffers and scalar arithmetic stays on the CPU, with a remark
    that says why.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def DeviceKernelsToBinaryPass : Pass<"relax-device-kernels-to-binary", "::mlir::ModuleOp"> {
  let summary = "Turns the gpu.modules of @relax_device into code of NVIDIA's and AMD's chips.";
  let description = [{
    Before: what `relax-outline-device-kernels` makes. After: the table `relax.device_code` has for each target of these kinds
    the code of each kernel; `@relax_device` stays for `relax-device-kernels-to-spirv`. Kernels go through the NVVM or ROCDL
    dialect and LLVM's back end; `ptxas` makes a cubin of PTX, `ld.lld` an hsaco of AMD's object. `nvidia:compute_80` is PTX
    as text, which a driver compiles for any later chip. Entries also have the LLVM IR that the back end got and the
    assembly, and reports have registers, spills and shared memory. Operations on numbers become LLVM's: no library of a
    chip is linked.

    A kernel that has no code stays on the CPU, with a remark that says why. Without `ptxas` or `ld.lld`, or when these
    fail, the pass ends with an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
  let options = [
    ListOption<"targets", "targets", "std::string", "Names of devices, as for --target of relax-compile: nvidia, nvidia:sm_90a, amd:gfx942.">,
    Option<"ptxas", "ptxas", "std::string", "", "NVIDIA's assembler. Default: in PATH, CUDA_HOME or the Python package nvidia-cuda-nvcc.">];
}

def DeviceKernelsToSPIRVPass : Pass<"relax-device-kernels-to-spirv", "::mlir::ModuleOp"> {
  let summary = "Turns the gpu.modules of @relax_device into SPIR-V for each target.";
  let description = [{
    Before: what `relax-outline-device-kernels` makes. After: the table `relax.device_code` has for each target that takes
    SPIR-V the code of each kernel, and `@relax_device` is gone; other targets are those of `relax-device-kernels-to-binary`. A kernel with a type that the target does not have, or that upstream's
    conversion refuses, stays on the CPU, with a remark that says why: no type is ever replaced by another one.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect", "::mlir::gpu::GPUDialect"];
  let options = [ListOption<"targets", "targets", "std::string", "Names of devices, as for --target of relax-compile: vulkan, vulkan:mali, opencl.">];
}

#endif // RELAXDIALECT_CONVERSION_DEVICEPASSES
