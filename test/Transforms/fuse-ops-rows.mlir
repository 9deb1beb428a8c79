// RUN: relax-opt %s --relax-decompose-ops --relax-legalize-ops --relax-fuse-ops --split-input-file | FileCheck %s
// RUN: relax-opt %s --relax-decompose-ops --relax-legalize-ops --relax-fuse-ops=row-bytes=0 --split-input-file | FileCheck %s --check-prefix=OFF

// All of a softmax is one group: the row of exponentials is overwritten by the quotient.
// CHECK-LABEL: func.func @softmax
//       CHECK:   relax.fusion_group
//  CHECK-NEXT:     relax.call_tp @max
//  CHECK-NEXT:     relax.call_tp @subtract
//  CHECK-NEXT:     relax.call_tp @exp
//  CHECK-NEXT:     relax.call_tp @sum
//  CHECK-NEXT:     %[[Q:.*]] = relax.call_tp @divide
//  CHECK-NEXT:     relax.yield %[[Q]]
//   OFF-LABEL: func.func @softmax
//         OFF:   relax.call_tp @max
//         OFF:   relax.fusion_group
//    OFF-NEXT:     relax.call_tp @subtract
//    OFF-NEXT:     relax.call_tp @exp
//    OFF-NEXT:     relax.yield
//         OFF:   relax.call_tp @sum
//         OFF:   relax.call_tp @divide
#x = #relax_sym.shape<[b, s, t]>
func.func @softmax(%x: tensor<?x?x?xf32, #x>) -> tensor<?x?x?xf32, #x> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.softmax %x {axis = 2 : i64} : (tensor<?x?x?xf32, #x>) -> tensor<?x?x?xf32, #x>
  return %0 : tensor<?x?x?xf32, #x>
}

// -----

// Rows of known size may be kept for several readers.
// CHECK-LABEL: func.func @layer_norm
//       CHECK:   relax.fusion_group
//   CHECK-NOT:   relax.fusion_group
//       CHECK:   return
#n8 = #relax_sym.shape<[n, 8]>
func.func @layer_norm(%x: tensor<?x8xf32, #n8>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32, #n8>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.layer_norm %x scale(%g) bias(%b) {axes = array<i64: 1>} : (tensor<?x8xf32, #n8>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32, #n8>
  return %0 : tensor<?x8xf32, #n8>
}

// -----

// One row only: its elements are computed by all threads, operation by operation.
// CHECK-LABEL: func.func @one_row
//       CHECK:   relax.call_tp @max
//       CHECK:   relax.fusion_group
//  CHECK-NEXT:     relax.call_tp @subtract
//  CHECK-NEXT:     relax.call_tp @exp
//  CHECK-NEXT:     relax.yield
#n = #relax_sym.shape<[n]>
func.func @one_row(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.softmax %x {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %0 : tensor<?xf32, #n>
}

// -----

// What each row reads is another row: no group.
// CHECK-LABEL: func.func @other_row
//   CHECK-NOT:   relax.fusion_group
//       CHECK:   return
#n8 = #relax_sym.shape<[n, 8]>
#n1 = #relax_sym.shape<[n, 1]>
func.func @other_row(%x: tensor<?x8xf32, #n8>) -> tensor<?x8xf32, #n8> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.sum %x {axes = array<i64: 1>, keepdims} : (tensor<?x8xf32, #n8>) -> tensor<?x1xf32, #n1>
  %1 = relax.flip %0 {axes = array<i64: 0>} : (tensor<?x1xf32, #n1>) -> tensor<?x1xf32, #n1>
  %2 = relax.divide %x, %1 : (tensor<?x8xf32, #n8>, tensor<?x1xf32, #n1>) -> tensor<?x8xf32, #n8>
  return %2 : tensor<?x8xf32, #n8>
}
