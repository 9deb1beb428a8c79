// RUN: relax-opt %s --relax-merge-programs --split-input-file | FileCheck %s
// RUN: relax-opt %s --relax-merge-programs --split-input-file --verify-diagnostics --remark-format=emitRemark --remarks-filter='relax-.*' -o /dev/null

// Symbols are a program's own: @exp_1 is @exp under other names. The caller's symbols stay as they are.
// CHECK-LABEL: relax_tp.func private @exp
//   CHECK-NOT: relax_tp.func
// CHECK-LABEL: func.func @renamed
//       CHECK:   relax.call_tp @exp(%{{.*}}) : (tensor<?x?xf32, #{{.*}}>)
//       CHECK:   relax.call_tp @exp(
#nk = #relax_sym.shape<[n, k]>
#ab = #relax_sym.shape<[a, b]>
#id = affine_map<(i, j) -> (i, j)>
relax_tp.func private @exp(%x: tensor<?x?xf32> {relax_sym.shape = #nk}) outs(%o: tensor<?x?xf32> {relax_sym.shape = #nk})
    attributes {relax_sym.scope = #relax_sym.scope<"n <= 64">} {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = math.exp %in : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  relax_tp.yield %0 : tensor<?x?xf32>
}
// expected-remark @below {{@exp_1 is @exp}}
relax_tp.func private @exp_1(%x: tensor<?x?xf32> {relax_sym.shape = #ab}) outs(%o: tensor<?x?xf32> {relax_sym.shape = #ab})
    attributes {relax_sym.scope = #relax_sym.scope<"a <= 64">} {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = math.exp %in : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  relax_tp.yield %0 : tensor<?x?xf32>
}
func.func @renamed(%x: tensor<?x?xf32, #nk>) -> tensor<?x?xf32, #nk> attributes {relax_sym.scope = #relax_sym.scope<"n <= 64">} {
  %0 = relax.call_tp @exp(%x) : (tensor<?x?xf32, #nk>) -> tensor<?x?xf32, #nk>
  %1 = relax.call_tp @exp_1(%0) : (tensor<?x?xf32, #nk>) -> tensor<?x?xf32, #nk>
  return %1 : tensor<?x?xf32, #nk>
}

// -----

// Other facts, one symbol for two, another body, a public name: all stay.
// CHECK-COUNT-5: relax_tp.func
// CHECK-LABEL: func.func @different
//       CHECK:   call_tp @two
//       CHECK:   call_tp @one
//       CHECK:   call_tp @fact
//       CHECK:   call_tp @body
//       CHECK:   call_tp @public
#nk = #relax_sym.shape<[n, k]>
#nn = #relax_sym.shape<[n, n]>
relax_tp.func private @two(%x: tensor<?x?xf32> {relax_sym.shape = #nk}) outs(%o: tensor<?x?xf32> {relax_sym.shape = #nk})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %x : tensor<?x?xf32>
}
relax_tp.func private @one(%x: tensor<?x?xf32> {relax_sym.shape = #nn}) outs(%o: tensor<?x?xf32> {relax_sym.shape = #nn})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %x : tensor<?x?xf32>
}
relax_tp.func private @fact(%x: tensor<?x?xf32> {relax_sym.shape = #nk}) outs(%o: tensor<?x?xf32> {relax_sym.shape = #nk})
    attributes {relax_sym.scope = #relax_sym.scope<"n <= 64">} {
  relax_tp.yield %x : tensor<?x?xf32>
}
relax_tp.func private @body(%x: tensor<?x?xf32> {relax_sym.shape = #nk}) outs(%o: tensor<?x?xf32> {relax_sym.shape = #nk})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?x?xf32>
}
relax_tp.func @public(%x: tensor<?x?xf32> {relax_sym.shape = #nk}) outs(%o: tensor<?x?xf32> {relax_sym.shape = #nk})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %x : tensor<?x?xf32>
}
func.func @different(%x: tensor<?x?xf32, #nn>) -> tensor<?x?xf32, #nn> attributes {relax_sym.scope = #relax_sym.scope<"n <= 64">} {
  %0 = relax.call_tp @two(%x) : (tensor<?x?xf32, #nn>) -> tensor<?x?xf32, #nn>
  %1 = relax.call_tp @one(%0) : (tensor<?x?xf32, #nn>) -> tensor<?x?xf32, #nn>
  %2 = relax.call_tp @fact(%1) : (tensor<?x?xf32, #nn>) -> tensor<?x?xf32, #nn>
  %3 = relax.call_tp @body(%2) : (tensor<?x?xf32, #nn>) -> tensor<?x?xf32, #nn>
  %4 = relax.call_tp @public(%3) : (tensor<?x?xf32, #nn>) -> tensor<?x?xf32, #nn>
  return %4 : tensor<?x?xf32, #nn>
}
