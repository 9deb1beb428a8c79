// RUN: relax-opt %s --split-input-file --relax-legalize-ops --canonicalize | FileCheck %s

#n_m_4 = #relax_sym.shape<[n, m, 4]>

// Symbols that no argument shows come as scalars, whose values the call gets as a shape.
// CHECK-LABEL: relax_tp.func private @broadcast_to(
//  CHECK-SAME:     %[[X:.*]]: tensor<1x4xf32>) outs(%[[O:.*]]: tensor<?x?x4xf32> {relax_sym.shape = #n_m_4})
//  CHECK-SAME:     scalars(%{{.*}}: index {relax_sym.expr = #relax_sym.expr<n>}, %{{.*}}: index {relax_sym.expr = #relax_sym.expr<m>})
//       CHECK:   linalg.generic {{.*}} ins(%[[X]] : tensor<1x4xf32>) outs(%[[O]] : tensor<?x?x4xf32>)
// CHECK-LABEL: func.func @broadcast(
//       CHECK:   %[[T:.*]] = relax.make_shape %{{.*}} : (!relax.shape<[n, m, 4]>) -> !relax.shape<[n, m]>
//       CHECK:   relax.call_tp @broadcast_to(%{{.*}}) shape(%[[T]])
func.func @broadcast(%x: tensor<1x4xf32>, %s: !relax.shape<[n, m, 4]>) -> tensor<?x?x4xf32, #n_m_4>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.broadcast_to %x, %s : (tensor<1x4xf32>, !relax.shape<[n, m, 4]>) -> tensor<?x?x4xf32, #n_m_4>
  return %0 : tensor<?x?x4xf32, #n_m_4>
}

// -----

// One dynamic extent: views. Several: a flat index.
// CHECK-LABEL: relax_tp.func private @reshape(
//       CHECK:   %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<?x6xf32> into tensor<?xf32>
//       CHECK:   tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1]] output_shape [%{{.*}}, 3] : tensor<?xf32> into tensor<?x3xf32>
// CHECK-LABEL: relax_tp.func private @reshape_1(
//       CHECK:   tensor.extract
// CHECK-LABEL: func.func @reshape_calls(
//       CHECK:   relax.assert_shape %{{.*}}, "n * 6 == k * m", "relax.reshape: the extents [n, 6], [m, k] need n * 6 == k * m"
func.func @reshape_calls(%x: tensor<?x6xf32, #relax_sym.shape<[n, 6]>>, %s: !relax.shape<[n * 2, 3]>, %t: !relax.shape<[m, k]>)
    -> (tensor<?x3xf32, #relax_sym.shape<[n * 2, 3]>>, tensor<?x?xf32, #relax_sym.shape<[m, k]>>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.reshape %x, %s : (tensor<?x6xf32, #relax_sym.shape<[n, 6]>>, !relax.shape<[n * 2, 3]>) -> tensor<?x3xf32, #relax_sym.shape<[n * 2, 3]>>
  %1 = relax.reshape %x, %t : (tensor<?x6xf32, #relax_sym.shape<[n, 6]>>, !relax.shape<[m, k]>) -> tensor<?x?xf32, #relax_sym.shape<[m, k]>>
  return %0, %1 : tensor<?x3xf32, #relax_sym.shape<[n * 2, 3]>>, tensor<?x?xf32, #relax_sym.shape<[m, k]>>
}

// -----

#n_4 = #relax_sym.shape<[n, 4]>

//   CHECK-DAG: #[[$SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
//   CHECK-DAG: #[[$INNER:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
//   CHECK-DAG: #[[$ZERO:.*]] = affine_map<(d0, d1) -> (d0, 0, d1)>
// CHECK-LABEL: relax_tp.func private @permute_dims(
//       CHECK:   linalg.generic {indexing_maps = [#[[$SWAP]],
// CHECK-LABEL: relax_tp.func private @expand_dims(
//       CHECK:   linalg.generic {indexing_maps = [#[[$INNER]],
// CHECK-LABEL: relax_tp.func private @squeeze(
//       CHECK:   linalg.generic {indexing_maps = [#[[$ZERO]],
func.func @dims(%x: tensor<?x4xf32, #n_4>) -> (tensor<4x?xf32, #relax_sym.shape<[4, n]>>, tensor<?x4xf32, #n_4>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.permute_dims %x {permutation = array<i64: 1, 0>} : (tensor<?x4xf32, #n_4>) -> tensor<4x?xf32, #relax_sym.shape<[4, n]>>
  %1 = relax.expand_dims %x {axes = array<i64: 1>} : (tensor<?x4xf32, #n_4>) -> tensor<?x1x4xf32, #relax_sym.shape<[n, 1, 4]>>
  %2 = relax.squeeze %1 {axes = array<i64: 1>} : (tensor<?x1x4xf32, #relax_sym.shape<[n, 1, 4]>>) -> tensor<?x4xf32, #n_4>
  return %0, %2 : tensor<4x?xf32, #relax_sym.shape<[4, n]>>, tensor<?x4xf32, #n_4>
}

// -----

#n_4 = #relax_sym.shape<[n, 4]>

// CHECK-LABEL: relax_tp.func private @slice(
//       CHECK:   tensor.extract_slice %{{.*}}[1, 0] [%{{.*}}, 4] [2, 1] : tensor<?x4xf32> to tensor<?x4xf32>
// CHECK-LABEL: relax_tp.func private @slice_1(
//       CHECK:   tensor.extract %
// CHECK-LABEL: relax_tp.func private @concat(
//       CHECK:   tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [%{{.*}}, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
//       CHECK:   tensor.insert_slice %{{.*}} into %{{.*}}[%{{.*}}, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<?x4xf32>
// CHECK-LABEL: func.func @parts(
//       CHECK:   relax.assert_shape %{{.*}}, "1 <= n"
func.func @parts(%x: tensor<?x4xf32, #n_4>, %y: tensor<2x4xf32>)
    -> (tensor<?x4xf32, #relax_sym.shape<[n floordiv 2, 4]>>, tensor<?x4xf32, #n_4>, tensor<?x4xf32, #relax_sym.shape<[n + 2, 4]>>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<1>], ends = [#relax_sym.expr<n>], strides = array<i64: 2>}
      : (tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #relax_sym.shape<[n floordiv 2, 4]>>
  %1 = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<n - 1>], ends = [#relax_sym.expr<-1>], strides = array<i64: -1>}
      : (tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4>
  %2 = relax.concat %x, %y {axis = 0 : i64} : (tensor<?x4xf32, #n_4>, tensor<2x4xf32>) -> tensor<?x4xf32, #relax_sym.shape<[n + 2, 4]>>
  return %0, %1, %2 : tensor<?x4xf32, #relax_sym.shape<[n floordiv 2, 4]>>, tensor<?x4xf32, #n_4>, tensor<?x4xf32, #relax_sym.shape<[n + 2, 4]>>
}

// -----

// Nothing is read for an index that is refused.
// CHECK-LABEL: relax_tp.func private @take(
//       CHECK:   %[[INSIDE:.*]] = arith.cmpi ult
//       CHECK:   relax_tp.assert %[[INSIDE]], "index is out of range"
//       CHECK:   scf.if %[[INSIDE]]
//       CHECK:     tensor.extract
func.func @gather(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %i: tensor<2xi64>) -> tensor<2x4xf32>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.take %x, %i {axis = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
