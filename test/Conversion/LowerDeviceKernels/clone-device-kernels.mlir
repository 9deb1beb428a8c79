// RUN: relax-opt %s --relax-clone-device-kernels | FileCheck %s

// The copy is bufferized and named operations are generic; what the table does not name is no kernel, and the CPU's
// kernels stay.
// CHECK-LABEL: func.func private @fill(
//       CHECK:   linalg.fill {{.*}} -> tensor<?xf32>
//       CHECK:   materialize_in_destination
// CHECK-LABEL: func.func private @other(
// CHECK-LABEL: module @relax_device {
//       CHECK:   func.func private @fill(%{{.*}}: memref<?xf32>, %[[Y:.*]]: memref<?xf32>, %{{.*}}: memref<1xi64>)
//   CHECK-NOT:   tensor
//       CHECK:   linalg.generic
//  CHECK-SAME:     outs(%[[Y]] : memref<?xf32>)
//   CHECK-NOT:   @other
module attributes {relax.kernels = ["fill"]} {
func.func private @fill(%x: memref<?xf32>, %y: memref<?xf32>, %e: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %y, %c0 : memref<?xf32>
  %o = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}
func.func private @other(%x: memref<?xf32>, %e: memref<1xi64>) {
  return
}
}
