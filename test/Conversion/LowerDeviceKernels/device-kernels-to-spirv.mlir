// RUN: relax-opt %s --split-input-file --pass-pipeline='builtin.module(relax-clone-device-kernels,relax-outline-device-kernels,relax-device-kernels-to-spirv{targets=vulkan})' | FileCheck %s
// RUN: not relax-opt %s --split-input-file --pass-pipeline='builtin.module(relax-device-kernels-to-spirv{targets=abacus})' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// SPIR-V begins with its magic number; f32 needs no feature. Kernels of the CPU stay.
// CHECK: relax.device_code = [{kernels = [{buffers = 2 : i64, code = array<i32: 119734787,
// CHECK-SAME: features = 0 : i64, kernel = "copy", scratch = 0 : i64, sizes = "relax_device_copy"
// CHECK-SAME: entry = "stage0"
// CHECK-SAME: target = "vulkan"
// CHECK: func.func private @copy(
// CHECK-NOT: module @relax_device
// UNKNOWN: error: unknown device 'abacus'
module attributes {relax.kernels = ["copy"]} {
func.func private @copy(%x: memref<?xf32>, %y: memref<?xf32>, %e: memref<1xi64>) {
  linalg.copy ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  return
}
}
