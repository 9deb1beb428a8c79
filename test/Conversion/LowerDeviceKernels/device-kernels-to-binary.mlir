// RUN: relax-opt %s --pass-pipeline='builtin.module(relax-clone-device-kernels,relax-outline-device-kernels,relax-device-kernels-to-binary{targets=nvidia:compute_80})' | FileCheck %s --check-prefix=PTX
// RUN: relax-opt %s --pass-pipeline='builtin.module(relax-clone-device-kernels,relax-outline-device-kernels,relax-device-kernels-to-binary{targets=amd:gfx90a,amd:gfx1201})' | FileCheck %s --check-prefix=AMD
// RUN: relax-opt %s --pass-pipeline='builtin.module(relax-clone-device-kernels,relax-outline-device-kernels,relax-device-kernels-to-binary{targets=vulkan})' | FileCheck %s --check-prefix=OTHER
// RUN: not relax-opt %s --pass-pipeline='builtin.module(relax-clone-device-kernels,relax-outline-device-kernels,relax-device-kernels-to-binary{targets=nvidia:sm_80 ptxas=/none/ptxas})' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not relax-opt %s --pass-pipeline='builtin.module(relax-clone-device-kernels,relax-outline-device-kernels,relax-device-kernels-to-binary{targets=nvidia:sm_80 ptxas=%s.missing})' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not relax-opt %s --pass-pipeline='builtin.module(relax-clone-device-kernels,relax-outline-device-kernels,relax-device-kernels-to-binary{targets=nvidia:sm_80 ptxas=/bin/false})' 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: not relax-opt %s --pass-pipeline='builtin.module(relax-device-kernels-to-binary{targets=nvidia:sm_70})' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not relax-opt %s --pass-pipeline='builtin.module(relax-device-kernels-to-binary{targets=amd:gfx803})' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Tiles in shared memory, numbers of 64 bits, a root that is LLVM's own; an ELF file begins with 0x464c457f.
// PTX: relax.device_code = [{kernels = [
// PTX-SAME: sqrt.rn.f32
// PTX-SAME: kernel = "root"
// PTX-SAME: .shared .align
// PTX-SAME: bar.sync
// PTX-SAME: kernel = "transpose"
// PTX-SAME: target = "nvidia:compute_80"
// PTX: module @relax_device
// AMD: code = array<i32: 1179403647,
// AMD-SAME: registers: {{[0-9]+}} vector, {{[0-9]+}} scalar, spilled: 0 bytes
// AMD-SAME: target = "amd:gfx90a"
// AMD-SAME: target = "amd:gfx1201"
// OTHER-NOT: relax.device_code
// NONE: error: no code for 'nvidia:sm_80': cannot run '{{.*}}' (pip install nvidia-cuda-nvcc; --target=nvidia:compute_80 needs none)
// FAILS: error: no code of kernel 'root' for 'nvidia:sm_80': '/bin/false' failed:
// UNKNOWN: error: unknown device '{{nvidia:sm_70|amd:gfx803}}', expected {{.*}}'nvidia:sm_80', {{.*}}'amd:gfx90a'
module attributes {relax.kernels = ["root", "transpose"]} {
func.func private @root(%x: memref<?xf32>, %y: memref<?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %root = math.sqrt %a : f32
    %down = math.floor %root : f32
    linalg.yield %down : f32
  }
  return
}
func.func private @transpose(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
}
