// RUN: relax-opt %s --split-input-file --relax-legalize-ops --canonicalize | FileCheck %s

// CHECK-LABEL: relax_tp.func private @matmul(
//  CHECK-SAME:     %[[X:.*]]: tensor<?x4xf32> {relax_sym.shape = #{{.*}}}, %[[W:.*]]: tensor<4x8xf32>) outs(%[[O:.*]]: tensor<?x8xf32>
//       CHECK:   %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
//       CHECK:   %[[F:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[O]] : tensor<?x8xf32>)
//       CHECK:   linalg.matmul ins(%[[X]], %[[W]] : tensor<?x4xf32>, tensor<4x8xf32>) outs(%[[F]] : tensor<?x8xf32>)
func.func @plain(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %w: tensor<4x8xf32>) -> tensor<?x8xf32, #relax_sym.shape<[n, 8]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<4x8xf32>) -> tensor<?x8xf32, #relax_sym.shape<[n, 8]>>
  return %0 : tensor<?x8xf32, #relax_sym.shape<[n, 8]>>
}

// -----

// f16 is summed in f32; batch dimensions broadcast by maps.
//   CHECK-DAG: #[[$LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
//   CHECK-DAG: #[[$RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (0, d3, d2)>
// CHECK-LABEL: relax_tp.func private @matmul(
//       CHECK:   linalg.generic {indexing_maps = [#[[$LHS]], #[[$RHS]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
//       CHECK:     arith.extf
//       CHECK:     arith.addf %{{.*}}, %{{.*}} : f32
//       CHECK:   linalg.generic
//       CHECK:     arith.truncf %{{.*}} : f32 to f16
func.func @batch(%x: tensor<?x2x3xf16, #relax_sym.shape<[b, 2, 3]>>, %w: tensor<1x3x4xf16>) -> tensor<?x2x4xf16, #relax_sym.shape<[b, 2, 4]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x2x3xf16, #relax_sym.shape<[b, 2, 3]>>, tensor<1x3x4xf16>) -> tensor<?x2x4xf16, #relax_sym.shape<[b, 2, 4]>>
  return %0 : tensor<?x2x4xf16, #relax_sym.shape<[b, 2, 4]>>
}

// -----

// Inner extents that are not known to be equal are compared.
// CHECK-LABEL: func.func @inner(
//       CHECK:   relax.assert_shape %{{.*}}, "l == k", "relax.matmul: the extents [2, k], [l, 3] need l == k"
func.func @inner(%x: tensor<2x?xf32, #relax_sym.shape<[2, k]>>, %y: tensor<?x3xf32, #relax_sym.shape<[l, 3]>>) -> tensor<2x3xf32>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %y : (tensor<2x?xf32, #relax_sym.shape<[2, k]>>, tensor<?x3xf32, #relax_sym.shape<[l, 3]>>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Zeros around the input are a program of their own.
//   CHECK-DAG: #[[$IN:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 * 2 + d4)>
//   CHECK-DAG: #[[$W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>
// CHECK-LABEL: relax_tp.func private @pad(
//       CHECK:   %[[Z:.*]] = linalg.fill
//       CHECK:   tensor.insert_slice %{{.*}} into %[[Z]][0, 0, 1]
// CHECK-LABEL: relax_tp.func private @conv(
//  CHECK-SAME:     %[[PADDED:.*]]: tensor<?x3x?xf32>
//       CHECK:   linalg.generic {indexing_maps = [#[[$IN]], #[[$W]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[PADDED]]
// CHECK-LABEL: func.func @padded(
//       CHECK:   %[[P:.*]] = relax.call_tp @pad
//       CHECK:   relax.call_tp @conv(%[[P]]
func.func @padded(%x: tensor<?x3x?xf32, #relax_sym.shape<[n, 3, l]>>, %w: tensor<5x3x3xf32>)
    -> tensor<?x5x?xf32, #relax_sym.shape<[n, 5, (l - 1) floordiv 2 + 1]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.conv %x, %w {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64}
      : (tensor<?x3x?xf32, #relax_sym.shape<[n, 3, l]>>, tensor<5x3x3xf32>) -> tensor<?x5x?xf32, #relax_sym.shape<[n, 5, (l - 1) floordiv 2 + 1]>>
  return %0 : tensor<?x5x?xf32, #relax_sym.shape<[n, 5, (l - 1) floordiv 2 + 1]>>
}

// -----

#n_4 = #relax_sym.shape<[n, 4]>

// CHECK-LABEL: relax_tp.func private @max(
//       CHECK:   %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
//       CHECK:   linalg.fill ins(%[[LOWEST]] : f32)
//       CHECK:   iterator_types = ["parallel", "reduction"]
//       CHECK:     arith.maximumf
// CHECK-LABEL: relax_tp.func private @mean(
//       CHECK:   arith.addf
//       CHECK:   arith.divf
func.func @reductions(%x: tensor<?x4xf32, #n_4>) -> (tensor<?x1xf32, #relax_sym.shape<[n, 1]>>, tensor<4xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.max %x {axes = array<i64: 1>, keepdims} : (tensor<?x4xf32, #n_4>) -> tensor<?x1xf32, #relax_sym.shape<[n, 1]>>
  %1 = relax.mean %x {axes = array<i64: 0>} : (tensor<?x4xf32, #n_4>) -> tensor<4xf32>
  return %0, %1 : tensor<?x1xf32, #relax_sym.shape<[n, 1]>>, tensor<4xf32>
}
