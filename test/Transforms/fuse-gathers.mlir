// RUN: relax-opt %s --relax-legalize-ops --relax-fuse-ops --relax-fuse-tensor-programs --split-input-file --verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=relax-fuse-ops | FileCheck %s

// Elements of a table are read and checked where little work is done on them.
// CHECK-LABEL: relax_tp.func private @fused_take_multiply_add(
//   CHECK-NOT:   linalg.generic
//       CHECK:   linalg.generic
//       CHECK:     relax_tp.assert {{.*}}, "index is out of range"
//       CHECK:     scf.if
//       CHECK:       tensor.extract %arg0[
//       CHECK:     arith.mulf
//       CHECK:     arith.addf
//   CHECK-NOT:   linalg.generic
// CHECK-LABEL: func.func @symbolic(
//       CHECK:   relax.call_tp @fused_take_multiply_add(
//   CHECK-NOT:   relax.call_tp
#t = #relax_sym.shape<[v, d]>
#i = #relax_sym.shape<[n]>
#y = #relax_sym.shape<[n, d]>
func.func @symbolic(%t: tensor<?x?xf32, #t>, %i: tensor<?xi64, #i>, %b: tensor<?x?xf32, #y>) -> tensor<?x?xf32, #y>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.take %t, %i {axis = 0 : i64} : (tensor<?x?xf32, #t>, tensor<?xi64, #i>) -> tensor<?x?xf32, #y>
  %1 = relax.multiply %0, %b : (tensor<?x?xf32, #y>, tensor<?x?xf32, #y>) -> tensor<?x?xf32, #y>
  %2 = relax.add %1, %0 : (tensor<?x?xf32, #y>, tensor<?x?xf32, #y>) -> tensor<?x?xf32, #y>
  return %2 : tensor<?x?xf32, #y>
}

// -----

// Two of them have one reader.
// CHECK-LABEL: func.func @static(
//       CHECK:   relax.call_tp @fused_take_take{{.*}}_add(
//   CHECK-NOT:   relax.call_tp
func.func @static(%t: tensor<9x4xf32>, %i: tensor<3xi64>, %u: tensor<5x4xf32>, %j: tensor<3xi64>) -> tensor<3x4xf32> {
  %0 = relax.take %t, %i {axis = 0 : i64} : (tensor<9x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  %1 = relax.take %u, %j {axis = 0 : i64} : (tensor<5x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  %2 = relax.add %0, %1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

// -----

// A table that is computed is made before: elements at other places are read.
// CHECK-LABEL: func.func @computed(
//       CHECK:   relax.call_tp @negate(
//       CHECK:   relax.call_tp @fused_take_multiply(
func.func @computed(%t: tensor<9x4xf32>, %i: tensor<3xi64>, %b: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // expected-remark @below {{its readers would compute it more often, or read it in another order}}
  %0 = relax.negate %t : tensor<9x4xf32>
  %1 = relax.take %0, %i {axis = 0 : i64} : (tensor<9x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  %2 = relax.multiply %1, %b : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

// -----

// A part would leave checks out, and a sum is no place for them.
// CHECK-LABEL: func.func @refused(
// CHECK-COUNT-2: relax.call_tp @take
func.func @refused(%t: tensor<9x4xf32>, %i: tensor<3xi64>) -> (tensor<4x3xf32>, tensor<3xf32>) {
  // expected-remark @below {{it reads at computed places, and its readers do more than little work on each of its elements}}
  %0 = relax.take %t, %i {axis = 0 : i64} : (tensor<9x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  %1 = relax.permute_dims %0 {permutation = array<i64: 1, 0>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  // expected-remark @below {{it reads at computed places, and its readers do more than little work on each of its elements}}
  %2 = relax.take %t, %i {axis = 0 : i64} : (tensor<9x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  %3 = relax.sum %2 {axes = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<3xf32>
  return %1, %3 : tensor<4x3xf32>, tensor<3xf32>
}
