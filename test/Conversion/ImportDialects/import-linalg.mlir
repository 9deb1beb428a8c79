// RUN: relax-opt %s --relax-import-linalg --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// The fill that the product starts from goes into its program; rows of both operands are one symbol.
// CHECK-LABEL: relax_tp.func private @matmul(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x?xf32> {{.*}}, %[[W:.*]]: tensor<?x8xf32> {{.*}}) outs(%[[O:.*]]: tensor<?x8xf32> {{.*}})
//       CHECK:   %[[FILL:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[O]] : tensor<?x8xf32>)
//       CHECK:   %[[R:.*]] = linalg.matmul ins(%[[X]], %[[W]] : {{.*}}) outs(%[[FILL]] : tensor<?x8xf32>)
//       CHECK:   relax_tp.yield %[[R]]
// CHECK-LABEL: func.func @main(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x?xf32, #{{.*}}>, %[[W:.*]]: tensor<?x8xf32, #{{.*}}>)
//       CHECK:   %[[P:.*]] = relax.call_tp @matmul(%[[X]], %[[W]])
//       CHECK:   relax.reshape %[[P]]
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x8xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x8xf32>) outs(%z : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = tensor.collapse_shape %p [[0, 1]] : tensor<?x8xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A graph function is none of it.
// CHECK-LABEL: func.func @graph
//       CHECK:   relax.relu
func.func @graph(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unknown(%x: tensor<?xf32>, %i: tensor<index>) -> tensor<?xf32> {
  // expected-error@+1 {{'tensor.extract' op is not known to the import}}
  %0 = tensor.extract %i[] : tensor<index>
  %1 = tensor.empty(%0) : tensor<?xf32>
  %2 = linalg.exp ins(%x : tensor<?xf32>) outs(%1 : tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}
