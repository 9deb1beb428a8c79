// RUN: relax-opt %s --relax-legalize-ops --relax-make-destinations --relax-grow-in-place --relax-plan-memory --relax-verify-planned --split-input-file | FileCheck %s

// The new rows are written behind the argument's, which the memory of the result begins with.
// CHECK-LABEL: relax_tp.func private @concat_in_place(
//  CHECK-SAME:     %[[OLD:.*]]: tensor<?x4xf32>{{.*}}, %[[NEW:.*]]: tensor<?x4xf32>{{.*}} outs(%[[OUT:[^:]*]]:
//       CHECK:   %[[R:.*]] = tensor.insert_slice %[[NEW]] into %[[OUT]][%{{.*}}, 0]
//       CHECK:   relax_tp.yield %[[R]]
// CHECK-LABEL: func.func @append(
//       CHECK:   relax.storage %{{.*}} {{{.*}}relax.extends = 1 : i64, relax.output = 0 : i64{{.*}}space = "output"
//       CHECK:   call_tp @concat_in_place(
func.func @append(%new: tensor<?x4xf32, #relax_sym.shape<[m, 4]>>, %old: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n + m, 4]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.concat %old, %new {axis = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<?x4xf32, #relax_sym.shape<[m, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n + m, 4]>>
  return %0 : tensor<?x4xf32, #relax_sym.shape<[n + m, 4]>>
}

// -----

// Dimensions before the one that grows are 1.
// CHECK-LABEL: func.func @one(
//       CHECK:   relax.extends = 0
//       CHECK:   call_tp @concat_in_place(
func.func @one(%old: tensor<?x?x4xf32, #relax_sym.shape<[b, n, 4]>>, %new: tensor<?x?x4xf32, #relax_sym.shape<[b, m, 4]>>) -> tensor<?x?x4xf32, #relax_sym.shape<[b, n + m, 4]>>
    attributes {relax_sym.scope = #relax_sym.scope<"b == 1">} {
  %0 = relax.concat %old, %new {axis = 1 : i64} : (tensor<?x?x4xf32, #relax_sym.shape<[b, n, 4]>>, tensor<?x?x4xf32, #relax_sym.shape<[b, m, 4]>>) -> tensor<?x?x4xf32, #relax_sym.shape<[b, n + m, 4]>>
  return %0 : tensor<?x?x4xf32, #relax_sym.shape<[b, n + m, 4]>>
}

// -----

// Rows of several batches move when each gets more of them.
// CHECK-LABEL: func.func @many(
//   CHECK-NOT:   relax.extends
//       CHECK:   call_tp @concat(
func.func @many(%old: tensor<?x?x4xf32, #relax_sym.shape<[b, n, 4]>>, %new: tensor<?x?x4xf32, #relax_sym.shape<[b, m, 4]>>) -> tensor<?x?x4xf32, #relax_sym.shape<[b, n + m, 4]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.concat %old, %new {axis = 1 : i64} : (tensor<?x?x4xf32, #relax_sym.shape<[b, n, 4]>>, tensor<?x?x4xf32, #relax_sym.shape<[b, m, 4]>>) -> tensor<?x?x4xf32, #relax_sym.shape<[b, n + m, 4]>>
  return %0 : tensor<?x?x4xf32, #relax_sym.shape<[b, n + m, 4]>>
}

// -----

// The argument comes last, or is no argument.
// CHECK-LABEL: func.func @behind(
//   CHECK-NOT:   relax.extends
//       CHECK:   return
func.func @behind(%old: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %new: tensor<?x4xf32, #relax_sym.shape<[m, 4]>>) -> (tensor<?x4xf32, #relax_sym.shape<[n + m, 4]>>, tensor<?x4xf32, #relax_sym.shape<[n + m, 4]>>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.negate %old : tensor<?x4xf32, #relax_sym.shape<[n, 4]>> -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  %1 = relax.concat %0, %new {axis = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<?x4xf32, #relax_sym.shape<[m, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n + m, 4]>>
  %2 = relax.concat %new, %0 {axis = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[m, 4]>>, tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n + m, 4]>>
  %3 = relax.negate %2 : tensor<?x4xf32, #relax_sym.shape<[n + m, 4]>> -> tensor<?x4xf32, #relax_sym.shape<[n + m, 4]>>
  return %1, %3 : tensor<?x4xf32, #relax_sym.shape<[n + m, 4]>>, tensor<?x4xf32, #relax_sym.shape<[n + m, 4]>>
}
