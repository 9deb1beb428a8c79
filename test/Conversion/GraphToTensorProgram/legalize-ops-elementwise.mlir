// RUN: relax-opt %s --split-input-file --relax-legalize-ops | FileCheck %s

#n_4 = #relax_sym.shape<[n, 4]>

// One program for equal ops, operands once, constants inside.
//       CHECK: relax_tp.func private @add(%[[X:.*]]: tensor<?x4xf32> {relax_sym.shape = #[[N4:.*]]}, %[[Y:.*]]: tensor<4xf32>)
//  CHECK-SAME:     outs(%[[O:.*]]: tensor<?x4xf32> {relax_sym.shape = #[[N4]]})
//  CHECK-SAME:     attributes {relax_sym.scope = #relax_sym.scope<"n >= 1">}
//       CHECK:   %[[R:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[Y]] : tensor<?x4xf32>, tensor<4xf32>) outs(%[[O]] : tensor<?x4xf32>)
//       CHECK:     arith.addf
//       CHECK:   relax_tp.yield %[[R]] : tensor<?x4xf32>
//       CHECK: relax_tp.func private @multiply(%[[X:.*]]: tensor<?x4xf32> {{.*}}) outs(
//       CHECK:   linalg.generic {{.*}} ins(%[[X]] : tensor<?x4xf32>)
//       CHECK:   ^bb0(%[[E:.*]]: f32, %{{.*}}: f32):
//       CHECK:     arith.mulf %[[E]], %[[E]] : f32
//       CHECK: relax_tp.func private @add_1(%{{.*}}: tensor<?x4xf32> {{.*}}) outs(
//       CHECK:     %[[C:.*]] = arith.constant 2.000000e+00 : f32
//       CHECK:     arith.addf %{{.*}}, %[[C]] : f32
// CHECK-LABEL: func.func @main(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x4xf32, #{{.*}}>, %[[Y:.*]]: tensor<4xf32>)
//       CHECK:   %[[A:.*]] = relax.call_tp @add(%[[X]], %[[Y]]) : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xf32, #{{.*}}>
//       CHECK:   %[[B:.*]] = relax.call_tp @add(%[[A]], %[[Y]])
//       CHECK:   %[[C:.*]] = relax.call_tp @multiply(%[[B]])
//       CHECK:   %[[D:.*]] = relax.call_tp @add_1(%[[C]])
//       CHECK:   return %[[D]]
func.func @main(%x: tensor<?x4xf32, #n_4>, %y: tensor<4xf32>) -> tensor<?x4xf32, #n_4>
    attributes {relax_sym.scope = #relax_sym.scope<"n >= 1">} {
  %0 = relax.add %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xf32, #n_4>
  %1 = relax.add %0, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xf32, #n_4>
  %2 = relax.multiply %1, %1 : (tensor<?x4xf32, #n_4>, tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4>
  %two = relax.constant dense<2.0> : tensor<f32>
  %3 = relax.add %2, %two : (tensor<?x4xf32, #n_4>, tensor<f32>) -> tensor<?x4xf32, #n_4>
  return %3 : tensor<?x4xf32, #n_4>
}

// -----

// What only run time decides: the extent gets a name, the rule is checked, reads repeat where needed.
// CHECK-LABEL: relax_tp.func private @add(
//  CHECK-SAME:     outs(%{{.*}}: tensor<?xf32> {relax_sym.shape = #d}) scalars(%{{.*}}: index {relax_sym.expr = #relax_sym.expr<d>})
//       CHECK:   %[[SIZE:.*]] = tensor.dim
//       CHECK:   linalg.generic
//       CHECK:     %[[ONE:.*]] = arith.cmpi eq, %[[SIZE]]
//       CHECK:     %[[I:.*]] = arith.select %[[ONE]]
//       CHECK:     tensor.extract %{{.*}}[%[[I]]]
// CHECK-LABEL: func.func @runtime(
//       CHECK:   relax.assert_shape %{{.*}}, "{{.*}}", "relax.add: the extents [n], [m] need n == m or n == 1 or m == 1"
//       CHECK:   %[[S:.*]] = relax.make_shape {{.*}} -> !relax.shape<[(m * n) floordiv {{.*}}]>
//       CHECK:   %[[B:.*]] = relax.match_cast %[[S]] binds [d]
//       CHECK:   %[[R:.*]] = relax.call_tp @add({{.*}}) shape(%[[B]]) : {{.*}} -> tensor<?xf32, #d>
//       CHECK:   %[[Q:.*]] = relax.call_tp @exp(%[[R]])
//       CHECK:   %[[E:.*]] = relax.erase_shape %[[Q]] : tensor<?xf32, #d> to tensor<?xf32>
//       CHECK:   return %[[E]] : tensor<?xf32>
func.func @runtime(%x: tensor<?xf32, #relax_sym.shape<[n]>>, %y: tensor<?xf32, #relax_sym.shape<[m]>>) -> tensor<?xf32>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.add %x, %y : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<?xf32, #relax_sym.shape<[m]>>) -> tensor<?xf32>
  %1 = relax.exp %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Facts decide: no run-time reads.
// CHECK-LABEL: relax_tp.func private @add(
//   CHECK-NOT:   tensor.extract
// CHECK-LABEL: func.func @facts(
//   CHECK-NOT:   relax.assert_shape
func.func @facts(%x: tensor<?xf32, #relax_sym.shape<[n]>>, %y: tensor<?xf32, #relax_sym.shape<[m]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
    attributes {relax_sym.scope = #relax_sym.scope<"n == m">} {
  %0 = relax.add %x, %y : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<?xf32, #relax_sym.shape<[m]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return %0 : tensor<?xf32, #relax_sym.shape<[n]>>
}

// -----

// An extent from which no symbol can be found is any extent to the program.
// CHECK-LABEL: relax_tp.func private @exp(
//  CHECK-SAME:     %{{.*}}: tensor<?xf32> {relax_sym.shape = #[[D:.*]]}) outs(%{{.*}}: tensor<?xf32> {relax_sym.shape = #[[D]]})
//   CHECK-NOT:     scalars
// CHECK-LABEL: func.func @product(
//       CHECK:   relax.call_tp @exp(%{{.*}}) :
func.func @product(%y: tensor<?x?xf32, #relax_sym.shape<[n, m]>>, %x: tensor<?xf32, #relax_sym.shape<[n * m]>>)
    -> tensor<?xf32, #relax_sym.shape<[n * m]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.exp %x : tensor<?xf32, #relax_sym.shape<[n * m]>>
  return %0 : tensor<?xf32, #relax_sym.shape<[n * m]>>
}

// -----

// An unknown extent gets a name.
// CHECK-LABEL: func.func @unknown(
//       CHECK:   %[[X:.*]] = relax.match_cast %{{.*}} binds [{{.*}}] : tensor<?xf32> to
//       CHECK:   relax.call_tp @exp(%[[X]])
func.func @unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = relax.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Integer division cannot trap in hardware.
// CHECK-LABEL: relax_tp.func private @divide(
//       CHECK:   relax_tp.assert %{{.*}}, "integer division by zero"
func.func @division(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = relax.divide %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
