// RUN: relax-opt %s --relax-legalize-ops --relax-annotate-pattern-kinds --relax-fuse-ops --relax-fuse-tensor-programs --split-input-file | FileCheck %s

// Keys are read where they are, row by row, whatever the order of the other dimensions.
// CHECK-LABEL: func.func @keys(
//   CHECK-NOT:   call_tp
//       CHECK:   relax.call_tp @fused_permute_dims_matmul(%arg1, %arg0)
//   CHECK-NOT:   call_tp
func.func @keys(%q: tensor<?x?x64xf32, #relax_sym.shape<[h, s, 64]>>, %k: tensor<?x?x64xf32, #relax_sym.shape<[t, h, 64]>>) -> tensor<?x?x?xf32, #relax_sym.shape<[h, s, t]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.permute_dims %k {permutation = array<i64: 1, 2, 0>} : (tensor<?x?x64xf32, #relax_sym.shape<[t, h, 64]>>) -> tensor<?x64x?xf32, #relax_sym.shape<[h, 64, t]>>
  %1 = relax.matmul %q, %0 : (tensor<?x?x64xf32, #relax_sym.shape<[h, s, 64]>>, tensor<?x64x?xf32, #relax_sym.shape<[h, 64, t]>>) -> tensor<?x?x?xf32, #relax_sym.shape<[h, s, t]>>
  return %1 : tensor<?x?x?xf32, #relax_sym.shape<[h, s, t]>>
}

// -----

// Values: their rows are rows of the result.
// CHECK-LABEL: func.func @values(
//   CHECK-NOT:   call_tp
//       CHECK:   relax.call_tp @fused_permute_dims_matmul(%arg1, %arg0)
//   CHECK-NOT:   call_tp
func.func @values(%p: tensor<?x?x?xf32, #relax_sym.shape<[h, s, t]>>, %v: tensor<?x?x64xf32, #relax_sym.shape<[t, h, 64]>>) -> tensor<?x?x64xf32, #relax_sym.shape<[h, s, 64]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.permute_dims %v {permutation = array<i64: 1, 0, 2>} : (tensor<?x?x64xf32, #relax_sym.shape<[t, h, 64]>>) -> tensor<?x?x64xf32, #relax_sym.shape<[h, t, 64]>>
  %1 = relax.matmul %p, %0 : (tensor<?x?x?xf32, #relax_sym.shape<[h, s, t]>>, tensor<?x?x64xf32, #relax_sym.shape<[h, t, 64]>>) -> tensor<?x?x64xf32, #relax_sym.shape<[h, s, 64]>>
  return %1 : tensor<?x?x64xf32, #relax_sym.shape<[h, s, 64]>>
}

// -----

// Narrow keys are widened where they are read, moved or not.
// CHECK-LABEL: relax_tp.func private @fused_astype_permute_dims_matmul(
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<?x?x64xf32>, tensor<?x?x64xbf16>)
//       CHECK:     arith.extf
//       CHECK:     arith.mulf
// CHECK-LABEL: func.func @narrow_keys(
//   CHECK-NOT:   call_tp
//       CHECK:   relax.call_tp @fused_astype_permute_dims_matmul(%arg1, %arg0)
//   CHECK-NOT:   call_tp
func.func @narrow_keys(%q: tensor<?x?x64xf32, #relax_sym.shape<[h, s, 64]>>, %k: tensor<?x?x64xbf16, #relax_sym.shape<[h, t, 64]>>) -> tensor<?x?x?xf32, #relax_sym.shape<[h, s, t]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.astype %k {dtype = f32} : (tensor<?x?x64xbf16, #relax_sym.shape<[h, t, 64]>>) -> tensor<?x?x64xf32, #relax_sym.shape<[h, t, 64]>>
  %1 = relax.permute_dims %0 {permutation = array<i64: 0, 2, 1>} : (tensor<?x?x64xf32, #relax_sym.shape<[h, t, 64]>>) -> tensor<?x64x?xf32, #relax_sym.shape<[h, 64, t]>>
  %2 = relax.matmul %q, %1 : (tensor<?x?x64xf32, #relax_sym.shape<[h, s, 64]>>, tensor<?x64x?xf32, #relax_sym.shape<[h, 64, t]>>) -> tensor<?x?x?xf32, #relax_sym.shape<[h, s, t]>>
  return %2 : tensor<?x?x?xf32, #relax_sym.shape<[h, s, t]>>
}

// -----

// Integers that are numbers of a product, of known extents.
// CHECK-LABEL: func.func @narrow_values(
//   CHECK-NOT:   call_tp
//       CHECK:   relax.call_tp @fused_astype_matmul(%arg1, %arg0)
//   CHECK-NOT:   call_tp
func.func @narrow_values(%p: tensor<4x32xf32>, %v: tensor<32x64xi8>) -> tensor<4x64xf32> {
  %0 = relax.astype %v {dtype = f32} : (tensor<32x64xi8>) -> tensor<32x64xf32>
  %1 = relax.matmul %p, %0 : (tensor<4x32xf32>, tensor<32x64xf32>) -> tensor<4x64xf32>
  return %1 : tensor<4x64xf32>
}

// -----

// What is rounded is rounded once, and what is read across its rows is widened into rows.
// CHECK-LABEL: func.func @kept(
//       CHECK:   relax.call_tp @astype(
//       CHECK:   relax.call_tp @matmul(
//       CHECK:   relax.call_tp @astype_1(
//       CHECK:   relax.call_tp @matmul_1(
func.func @kept(%p: tensor<?x?xbf16, #relax_sym.shape<[n, k]>>, %v: tensor<?x64xf32, #relax_sym.shape<[k, 64]>>)
    -> (tensor<?x64xbf16, #relax_sym.shape<[n, 64]>>, tensor<?x64xf32, #relax_sym.shape<[n, 64]>>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.astype %v {dtype = bf16} : (tensor<?x64xf32, #relax_sym.shape<[k, 64]>>) -> tensor<?x64xbf16, #relax_sym.shape<[k, 64]>>
  %1 = relax.matmul %p, %0 : (tensor<?x?xbf16, #relax_sym.shape<[n, k]>>, tensor<?x64xbf16, #relax_sym.shape<[k, 64]>>) -> tensor<?x64xbf16, #relax_sym.shape<[n, 64]>>
  %2 = relax.astype %p {dtype = f32} : (tensor<?x?xbf16, #relax_sym.shape<[n, k]>>) -> tensor<?x?xf32, #relax_sym.shape<[n, k]>>
  %3 = relax.matmul %2, %v : (tensor<?x?xf32, #relax_sym.shape<[n, k]>>, tensor<?x64xf32, #relax_sym.shape<[k, 64]>>) -> tensor<?x64xf32, #relax_sym.shape<[n, 64]>>
  return %1, %3 : tensor<?x64xbf16, #relax_sym.shape<[n, 64]>>, tensor<?x64xf32, #relax_sym.shape<[n, 64]>>
}

// -----

// A sum of unknown length: the copy makes long steps of it.
// CHECK-LABEL: func.func @across(
//       CHECK:   relax.call_tp @permute_dims(
//       CHECK:   relax.call_tp @matmul(
func.func @across(%a: tensor<?x?xf32, #relax_sym.shape<[n, k]>>, %b: tensor<?x?xf32, #relax_sym.shape<[m, k]>>) -> tensor<?x?xf32, #relax_sym.shape<[n, m]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.permute_dims %b {permutation = array<i64: 1, 0>} : (tensor<?x?xf32, #relax_sym.shape<[m, k]>>) -> tensor<?x?xf32, #relax_sym.shape<[k, m]>>
  %1 = relax.matmul %a, %0 : (tensor<?x?xf32, #relax_sym.shape<[n, k]>>, tensor<?x?xf32, #relax_sym.shape<[k, m]>>) -> tensor<?x?xf32, #relax_sym.shape<[n, m]>>
  return %1 : tensor<?x?xf32, #relax_sym.shape<[n, m]>>
}

// -----

// Nothing of what is read remains: there is no part to compute.
// CHECK-LABEL: relax_tp.func private @fused_floor_slice(
//       CHECK:   tensor.extract_slice %{{.*}}[0, 1] [%{{.*}}, 0] [1, 1]
// CHECK-LABEL: func.func @nothing(
//       CHECK:   relax.call_tp @fused_floor_slice(%arg0)
func.func @nothing(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x0xf32, #relax_sym.shape<[n, 0]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.floor %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  %1 = relax.slice %0 {axes = array<i64: 1>, starts = [#relax_sym.expr<1>], ends = [#relax_sym.expr<1>], strides = array<i64: 1>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x0xf32, #relax_sym.shape<[n, 0]>>
  return %1 : tensor<?x0xf32, #relax_sym.shape<[n, 0]>>
}
