// RUN: relax-opt %s --split-input-file --relax-bufferize-kernels --canonicalize | FileCheck %s

// The result is computed in its destination.
// CHECK-LABEL: func.func private @exp(
//  CHECK-SAME:     %[[X:.*]]: memref<?xf32>, %[[O:.*]]: memref<?xf32>
//   CHECK-NOT:   memref.alloc
//       CHECK:   linalg.exp ins(%[[X]] : memref<?xf32>) outs(%[[O]] : memref<?xf32>)
//  CHECK-NEXT:   return
func.func private @exp(%x: memref<?xf32>, %o: memref<?xf32>, %e: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t = bufferization.to_tensor %x restrict : memref<?xf32> to tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.exp ins(%t : tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}

// -----

// A small intermediate of constant size is on the stack.
// CHECK-LABEL: func.func private @stack(
//       CHECK:   memref.alloca() {alignment = 64 : i64} : memref<8xf32>
//   CHECK-NOT:   memref.alloc(
func.func private @stack(%x: memref<4x8xf32>, %o: memref<4x8xf32>, %e: memref<1xi64>) {
  %z = arith.constant 0.0 : f32
  %t = bufferization.to_tensor %x restrict : memref<4x8xf32> to tensor<4x8xf32>
  %empty = tensor.empty() : tensor<8xf32>
  %fill = linalg.fill ins(%z : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce ins(%t : tensor<4x8xf32>) outs(%fill : tensor<8xf32>) dimensions = [0]
      (%a: f32, %b: f32) { %c = arith.addf %a, %b : f32 linalg.yield %c : f32 }
  %out = tensor.empty() : tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%t, %s : tensor<4x8xf32>, tensor<8xf32>) outs(%out : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %q = arith.divf %a, %b : f32
      linalg.yield %q : f32
  } -> tensor<4x8xf32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<4x8xf32>, memref<4x8xf32>) -> ()
  return
}

// -----

// Another one is allocated: its size is checked, a refusal is an error of the kernel, and it is freed.
// CHECK-LABEL: func.func private @heap(
//  CHECK-SAME:     %[[E:[a-z0-9]*]]: memref<1xi64>) attributes {relax_tp.sites = ["not enough memory for an intermediate of kernel 'heap'"]}
//   CHECK-DAG:   %[[ONE:.*]] = arith.constant 1 : i64
//       CHECK:   arith.mulsi_extended
//       CHECK:   scf.if
//       CHECK:     %[[A:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
//       CHECK:     memref.extract_aligned_pointer_as_index %[[A]]
//       CHECK:     scf.if
//       CHECK:       linalg.reduce
//       CHECK:       linalg.generic
//       CHECK:       memref.dealloc %[[A]]
//       CHECK:     } else {
//       CHECK:       memref.store %[[ONE]], %[[E]]
//       CHECK:   } else {
//       CHECK:     memref.store %[[ONE]], %[[E]]
//       CHECK:   return
func.func private @heap(%x: memref<4x?xf32>, %o: memref<4x?xf32>, %e: memref<1xi64>) {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : memref<4x?xf32>
  %t = bufferization.to_tensor %x restrict : memref<4x?xf32> to tensor<4x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %fill = linalg.fill ins(%z : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce ins(%t : tensor<4x?xf32>) outs(%fill : tensor<?xf32>) dimensions = [0]
      (%a: f32, %b: f32) { %c = arith.addf %a, %b : f32 linalg.yield %c : f32 }
  %out = tensor.empty(%n) : tensor<4x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%t, %s : tensor<4x?xf32>, tensor<?xf32>) outs(%out : tensor<4x?xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %q = arith.divf %a, %b : f32
      linalg.yield %q : f32
  } -> tensor<4x?xf32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<4x?xf32>, memref<4x?xf32>) -> ()
  return
}

// -----

// The first operation of a kernel may be one of the intermediates.
// CHECK-LABEL: func.func private @first(
// CHECK-COUNT-2:   memref.alloca() {alignment = 64 : i64} : memref<8xf32>
//     CHECK-NOT:   memref.alloc(
func.func private @first(%x: memref<8xf32>, %o: memref<8xf32>, %e: memref<1xi64>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  memref.copy %a, %b : memref<8xf32> to memref<8xf32>
  memref.copy %b, %o : memref<8xf32> to memref<8xf32>
  return
}
