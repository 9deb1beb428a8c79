// RUN: relax-opt %s --relax-legalize-ops --relax-make-destinations --relax-grow-in-place --relax-reuse-donated --relax-plan-memory --relax-verify-planned --split-input-file | FileCheck %s

#n = #relax_sym.shape<[n]>

// The loop reads each element where it writes it: in the memory of the result, which is the argument's.
// CHECK-LABEL: relax_tp.func private @relu_in_place(
//  CHECK-SAME:     %{{.*}}: tensor<?xf32> {{.*}} outs(%[[OUT:[^:]*]]: tensor<?xf32>
//       CHECK:   %[[R:.*]] = linalg.generic {indexing_maps = [#{{[^,]*}}], iterator_types = ["parallel"]} outs(%[[OUT]] : tensor<?xf32>)
//       CHECK:   ^bb0(%[[E:.*]]: f32):
//       CHECK:   relax_tp.yield %[[R]]
// CHECK-LABEL: func.func @update(
//       CHECK:   relax.storage %{{.*}} {alignment = 64 : i64, relax.donated = 0 : i64, relax.extends = 0 : i64, relax.output = 0 : i64, space = "output"}
//       CHECK:   %[[D:.*]] = relax.tensor_at
//       CHECK:   call_tp @relu_in_place(%[[D]]) into(%[[D]])
func.func @update(%x: tensor<?xf32, #n> {relax.donated}) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.relu %x : tensor<?xf32, #n>
  return %0 : tensor<?xf32, #n>
}

// -----

// Without the attribute, where something reads the argument later, or at another place, nothing changes.
#n = #relax_sym.shape<[n]>
// CHECK-NOT: relax.donated =
// CHECK-LABEL: func.func @kept(
// CHECK-LABEL: func.func @read(
// CHECK-LABEL: func.func @returned(
// CHECK-LABEL: func.func @elsewhere(
//   CHECK-NOT: relax.donated =
//       CHECK: return
func.func @kept(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.relu %x : tensor<?xf32, #n>
  return %0 : tensor<?xf32, #n>
}
func.func @read(%x: tensor<?xf32, #n> {relax.donated}) -> (tensor<?xf32, #n>, tensor<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.relu %x : tensor<?xf32, #n>
  %1 = relax.sum %x {axes = array<i64: 0>} : (tensor<?xf32, #n>) -> tensor<f32>
  return %0, %1 : tensor<?xf32, #n>, tensor<f32>
}
func.func @returned(%x: tensor<?xf32, #n> {relax.donated}) -> (tensor<?xf32, #n>, tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.relu %x : tensor<?xf32, #n>
  return %0, %x : tensor<?xf32, #n>, tensor<?xf32, #n>
}
func.func @elsewhere(%x: tensor<?xf32, #n> {relax.donated}) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %0 : tensor<?xf32, #n>
}

// -----

// The result is made when nothing reads the argument any more. It is smaller; %y would be too small, or is needed.
#n = #relax_sym.shape<[n]>
#n1 = #relax_sym.shape<[n + 1]>
// CHECK-LABEL: func.func @replace(
//       CHECK:   relax.storage %{{.*}} {alignment = 64 : i64, relax.donated = 1 : i64, relax.output = 0 : i64, space = "output"}
//   CHECK-NOT:   relax.donated = 0
//       CHECK:   return
func.func @replace(%y: tensor<3xf32> {relax.donated}, %x: tensor<?xf32, #n1> {relax.donated}) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<"n >= 4">} {
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #n1>) -> tensor<?xf32, #n1>
  %1 = relax.slice %0 {axes = array<i64: 0>, starts = [#relax_sym.expr<1>], ends = [#relax_sym.expr<n + 1>], strides = array<i64: 1>} : (tensor<?xf32, #n1>) -> tensor<?xf32, #n>
  return %1 : tensor<?xf32, #n>
}

// -----

// Each argument lends its memory once, and the one that fits best is taken.
#n = #relax_sym.shape<[n]>
#n2 = #relax_sym.shape<[2 * n]>
// CHECK-LABEL: func.func @best(
//   CHECK-DAG:   relax.donated = 1 : i64, relax.output = 0 : i64
//   CHECK-DAG:   relax.donated = 0 : i64, relax.output = 1 : i64
//       CHECK:   return
func.func @best(%x: tensor<?xf32, #n2> {relax.donated}, %y: tensor<?xf32, #n> {relax.donated}) -> (tensor<?xf32, #n>, tensor<?xf32, #n>, tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<0>], ends = [#relax_sym.expr<n>], strides = array<i64: 1>} : (tensor<?xf32, #n2>) -> tensor<?xf32, #n>
  %1 = relax.add %0, %y : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %2 = relax.cumsum %1 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %3 = relax.cumsum %2 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %4 = relax.cumsum %3 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %2, %3, %4 : tensor<?xf32, #n>, tensor<?xf32, #n>, tensor<?xf32, #n>
}

// -----

// A cache is updated in place; what is appended to needs the memory behind it for that.
#n = #relax_sym.shape<[n, 4]>
#m = #relax_sym.shape<[m, 4]>
#s = #relax_sym.shape<[n + m, 4]>
// CHECK-LABEL: func.func @cache(
//       CHECK:   relax.donated = 0 : i64, relax.extends = 0 : i64, relax.output = 0 : i64
//       CHECK:   call_tp @cache_update_in_place(
// CHECK-LABEL: func.func @append(
//       CHECK:   relax.extends = 0 : i64, relax.output = 0 : i64
//   CHECK-NOT:   relax.donated =
//       CHECK:   return
func.func @cache(%c: tensor<?x4xf32, #n> {relax.donated}, %new: tensor<?x4xf32, #m>, %at: tensor<i64>) -> tensor<?x4xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.cache_update %c, %new, %at {axis = 0 : i64} : (tensor<?x4xf32, #n>, tensor<?x4xf32, #m>, tensor<i64>) -> tensor<?x4xf32, #n>
  return %0 : tensor<?x4xf32, #n>
}
func.func @append(%old: tensor<?x4xf32, #n> {relax.donated}, %new: tensor<?x4xf32, #m>) -> (tensor<?x4xf32, #s>, tensor<?x4xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.concat %old, %new {axis = 0 : i64} : (tensor<?x4xf32, #n>, tensor<?x4xf32, #m>) -> tensor<?x4xf32, #s>
  %1 = relax.slice %0 {axes = array<i64: 0>, starts = [#relax_sym.expr<0>], ends = [#relax_sym.expr<n>], strides = array<i64: 1>} : (tensor<?x4xf32, #s>) -> tensor<?x4xf32, #n>
  return %0, %1 : tensor<?x4xf32, #s>, tensor<?x4xf32, #n>
}

// -----

// Slices written over the argument stay as they are; their destination is the result.
#n = #relax_sym.shape<[n, 4]>
relax_tp.func private @row(%x: tensor<?x4xf32> {relax_sym.shape = #n}, %r: tensor<1x4xf32>) outs(%o: tensor<?x4xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = tensor.insert_slice %r into %x[0, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
  relax_tp.yield %0 : tensor<?x4xf32>
}
// CHECK-LABEL: relax_tp.func private @row_in_place(
//  CHECK-SAME:     outs(%[[OUT:[^:]*]]: tensor<?x4xf32>
//       CHECK:   tensor.insert_slice %{{.*}} into %[[OUT]][0, 0]
// CHECK-LABEL: func.func @slices(
//       CHECK:   relax.donated = 0 : i64, relax.extends = 0 : i64
func.func @slices(%x: tensor<?x4xf32, #n> {relax.donated}, %r: tensor<1x4xf32>) -> tensor<?x4xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<"n >= 1">} {
  %0 = relax.call_tp @row(%x, %r) : (tensor<?x4xf32, #n>, tensor<1x4xf32>) -> tensor<?x4xf32, #n>
  return %0 : tensor<?x4xf32, #n>
}
