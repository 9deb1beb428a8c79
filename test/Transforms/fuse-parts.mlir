// RUN: relax-opt %s --relax-legalize-ops='leave-views=true' --relax-annotate-pattern-kinds --relax-fuse-ops --relax-fuse-tensor-programs --relax-view-reshapes --split-input-file | FileCheck %s

// What is appended is computed in its place behind what was there.
// CHECK-LABEL: relax_tp.func private @fused_exp_concat(
//  CHECK-SAME:     %[[X:.*]]: tensor<?x8xf32> {{{.*}}}, %[[PAST:.*]]: tensor<?x8xf32> {{{.*}}}) outs(
//       CHECK:   %[[NEW:.*]] = linalg.generic {{.*}} ins(%[[X]] :
//       CHECK:   tensor.insert_slice %[[PAST]] into
//       CHECK:   tensor.insert_slice %[[NEW]] into
// CHECK-LABEL: func.func @append(
//       CHECK:   relax.call_tp @fused_exp_concat(
//   CHECK-NOT:   relax.call_tp
#p = #relax_sym.shape<[p, 8]>
#s = #relax_sym.shape<[s, 8]>
#all = #relax_sym.shape<[p + s, 8]>
func.func @append(%past: tensor<?x8xf32, #p>, %x: tensor<?x8xf32, #s>) -> tensor<?x8xf32, #all> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %new = relax.exp %x : tensor<?x8xf32, #s>
  %0 = relax.concat %past, %new {axis = 0 : i64} : (tensor<?x8xf32, #p>, tensor<?x8xf32, #s>) -> tensor<?x8xf32, #all>
  return %0 : tensor<?x8xf32, #all>
}

// -----

// Which part an element is in only run time knows: who reads it stays apart.
// CHECK-LABEL: func.func @unknown(
//       CHECK:   relax.call_tp @concat(
//       CHECK:   relax.call_tp @exp(
#p = #relax_sym.shape<[p, 8]>
#s = #relax_sym.shape<[s, 8]>
#all = #relax_sym.shape<[p + s, 8]>
func.func @unknown(%past: tensor<?x8xf32, #p>, %x: tensor<?x8xf32, #s>) -> tensor<?x8xf32, #all> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.concat %past, %x {axis = 0 : i64} : (tensor<?x8xf32, #p>, tensor<?x8xf32, #s>) -> tensor<?x8xf32, #all>
  %1 = relax.exp %0 : tensor<?x8xf32, #all>
  return %1 : tensor<?x8xf32, #all>
}

// -----

// Of what nobody else reads only the part is computed.
// CHECK-LABEL: relax_tp.func private @fused_exp_slice(
//       CHECK:   %[[PART:.*]] = tensor.extract_slice %{{.*}}[0, 2] [%{{.*}}, 3] [1, 1] : tensor<?x8xf32> to tensor<?x3xf32>
//       CHECK:   linalg.generic {{.*}} ins(%[[PART]] :
//   CHECK-NOT:   linalg.generic
//       CHECK:   relax_tp.yield
#n_8 = #relax_sym.shape<[n, 8]>
#n_3 = #relax_sym.shape<[n, 3]>
func.func @part(%x: tensor<?x8xf32, #n_8>) -> tensor<?x3xf32, #n_3> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.exp %x : tensor<?x8xf32, #n_8>
  %1 = relax.slice %0 {axes = array<i64: 1>, starts = [#relax_sym.expr<2>], ends = [#relax_sym.expr<5>], strides = array<i64: 1>} : (tensor<?x8xf32, #n_8>) -> tensor<?x3xf32, #n_3>
  return %1 : tensor<?x3xf32, #n_3>
}

// -----

// Two loops read different parts of what costs something: it is computed once.
// CHECK-LABEL: func.func @twice(
//       CHECK:   relax.call_tp @exp(
//       CHECK:   relax.call_tp @fused_slice_slice_1_add(
#n_8 = #relax_sym.shape<[n, 8]>
#n_4 = #relax_sym.shape<[n, 4]>
func.func @twice(%x: tensor<?x8xf32, #n_8>) -> tensor<?x4xf32, #n_4> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.exp %x : tensor<?x8xf32, #n_8>
  %lo = relax.slice %0 {axes = array<i64: 1>, starts = [#relax_sym.expr<0>], ends = [#relax_sym.expr<4>], strides = array<i64: 1>} : (tensor<?x8xf32, #n_8>) -> tensor<?x4xf32, #n_4>
  %hi = relax.slice %0 {axes = array<i64: 1>, starts = [#relax_sym.expr<4>], ends = [#relax_sym.expr<8>], strides = array<i64: 1>} : (tensor<?x8xf32, #n_8>) -> tensor<?x4xf32, #n_4>
  %1 = relax.add %lo, %hi : (tensor<?x4xf32, #n_4>, tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4>
  return %1 : tensor<?x4xf32, #n_4>
}
