// RUN: relax-opt %s --relax-lower-device-math | FileCheck %s
// RUN: relax-opt %s --relax-lower-device-math --relax-outline-device-kernels --relax-lower-device-math | FileCheck %s --check-prefix=STAGE

module attributes {relax.kernels = ["most", "tangent"]} {
module @relax_device {
// The op that puts a step into the result stays, until the schedule is chosen by it.
// CHECK-LABEL: func.func private @most(
//       CHECK:   arith.maximumf %{{.*}}, %{{.*}} : bf16
// STAGE-LABEL: gpu.module @most
//       STAGE:   relax.schedule = "rows"
//   STAGE-NOT:   bf16
//   STAGE-NOT:   arith.maximumf
//       STAGE:   scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i16)
//       STAGE:   gpu.return
func.func private @most(%x: memref<?x?xbf16>, %y: memref<?xbf16>, %e: memref<1xi64>) {
  %low = arith.constant 0xFF80 : bf16
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%y : memref<?xbf16>) {
  ^bb0(%out: bf16):
    linalg.yield %low : bf16
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xbf16>) outs(%y : memref<?xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %m = arith.maximumf %in, %out : bf16
    linalg.yield %m : bf16
  }
  return
}

// Everything else is lowered before, a maximum of two tensors too.
// CHECK-LABEL: func.func private @tangent(
//   CHECK-NOT:   math.tanh
//   CHECK-NOT:   arith.maximumf
//       CHECK:   arith.bitcast %{{.*}} : bf16 to i16
// STAGE-LABEL: gpu.module @tangent
//   STAGE-NOT:   bf16
func.func private @tangent(%x: memref<?xbf16>, %y: memref<?xbf16>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xbf16>) outs(%y : memref<?xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %t = math.tanh %in : bf16
    %m = arith.maximumf %in, %t : bf16
    linalg.yield %m : bf16
  }
  return
}
}
}
