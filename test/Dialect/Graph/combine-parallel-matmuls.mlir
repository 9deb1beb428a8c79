// RUN: split-file %s %t
// RUN: relax-opt %t/weights.mlir --relax-combine-parallel-matmuls | FileCheck %s
// RUN: relax-opt %t/any.mlir --relax-combine-parallel-matmuls=any | FileCheck %s --check-prefix=ANY
// RUN: relax-opt %t/any.mlir --relax-combine-parallel-matmuls | FileCheck %s --check-prefix=WEIGHTS
// RUN: relax-opt %t/kept.mlir --relax-combine-parallel-matmuls=any --remark-format=emitRemark --remarks-filter=relax-combine-parallel-matmuls 2>&1 | FileCheck %s --check-prefix=KEPT --implicit-check-not=Combined
// RUN: relax-opt %t/blob.mlir --relax-combine-parallel-matmuls="blob-directory=%t" | FileCheck %s --check-prefix=BLOB
// RUN: not relax-opt %t/blob.mlir --relax-combine-parallel-matmuls="blob-directory=%t/none" 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: relax-opt %t/weights.mlir --relax-combine-parallel-matmuls --remark-format=emitRemark --remarks-filter='relax-.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] Combined | Category:relax-combine-parallel-matmuls | Remark="one product for 2 of the same operand"

//--- weights.mlir
#x = #relax_sym.shape<[n, 2]>
#y = #relax_sym.shape<[n, 3]>
#z = #relax_sym.shape<[n, 1]>
// CHECK-DAG: relax.weight_data @p_joined : tensor<4x2xf32> = dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00]]>
// CHECK-DAG: relax.weight_data @b_joined : tensor<4xf32> = dense<[1.000000e+00, 1.000000e+00, 1.000000e+00, 9.000000e+00]>
// CHECK-DAG: relax.weight_data @c_joined : tensor<2x5xf32> = dense<{{\[\[}}1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 2.000000e+00], [1.000000e+00, 1.000000e+00, 1.000000e+00, 3.000000e+00, 4.000000e+00]]>
// CHECK-NOT: relax.weight_data @{{[pqbc]}} :
relax.weight_data @p : tensor<3x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
relax.weight_data @q : tensor<1x2xf32> = dense<[[7.0, 8.0]]> : tensor<1x2xf32>
relax.weight_data @b : tensor<3xf32> = dense<1.0> : tensor<3xf32>
relax.weight_data @c : tensor<2x3xf32> = dense<1.0> : tensor<2x3xf32>
// Transposed weights with a bias each, as exporters write layers; the second product becomes part of the first.
// CHECK-LABEL: func.func @layers
func.func @layers(%x: tensor<?x2xf32, #x>) -> (tensor<?x3xf32, #y>, tensor<?x1xf32, #z>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[W:.*]] = relax.weight @p_joined
  // CHECK: %[[T:.*]] = relax.permute_dims %[[W]] {permutation = array<i64: 1, 0>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  // CHECK: %[[P:.*]] = relax.matmul %arg0, %[[T]] : {{.*}} -> tensor<?x4xf32, #{{.*}}>
  // CHECK: %[[B:.*]] = relax.weight @b_joined
  // CHECK: %[[S:.*]] = relax.add %[[P]], %[[B]]
  // CHECK: %[[R:.*]] = relax.relu %[[S]]
  // CHECK: %[[FIRST:.*]] = relax.slice %[[R]] {axes = array<i64: 1>, ends = [#relax_sym.expr<3>], starts = [#relax_sym.expr<0>], strides = array<i64: 1>}
  // CHECK: %[[SECOND:.*]] = relax.slice %[[R]] {axes = array<i64: 1>, ends = [#relax_sym.expr<4>], starts = [#relax_sym.expr<3>], strides = array<i64: 1>}
  // CHECK: return %[[FIRST]], %[[SECOND]]
  %p = relax.weight @p : tensor<3x2xf32>
  %pt = relax.permute_dims %p {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %0 = relax.matmul %x, %pt : (tensor<?x2xf32, #x>, tensor<2x3xf32>) -> tensor<?x3xf32, #y>
  %b = relax.weight @b : tensor<3xf32>
  %1 = relax.add %0, %b : (tensor<?x3xf32, #y>, tensor<3xf32>) -> tensor<?x3xf32, #y>
  %2 = relax.relu %1 : tensor<?x3xf32, #y>
  %q = relax.weight @q : tensor<1x2xf32>
  %qt = relax.permute_dims %q {permutation = array<i64: 1, 0>} : (tensor<1x2xf32>) -> tensor<2x1xf32>
  %3 = relax.matmul %x, %qt : (tensor<?x2xf32, #x>, tensor<2x1xf32>) -> tensor<?x1xf32, #z>
  %c = relax.constant dense<9.0> : tensor<1xf32>
  %4 = relax.add %3, %c : (tensor<?x1xf32, #z>, tensor<1xf32>) -> tensor<?x1xf32, #z>
  %5 = relax.relu %4 : tensor<?x1xf32, #z>
  return %2, %5 : tensor<?x3xf32, #y>, tensor<?x1xf32, #z>
}
// Static sizes, columns in the last dimension, and only a common factor after the product: different ops stay behind the slices.
// CHECK-LABEL: func.func @columns
func.func @columns(%x: tensor<4x2xf32>) -> (tensor<4x3xf32>, tensor<4x2xf32>) {
  // CHECK: %[[P:.*]] = relax.matmul %{{.*}} -> tensor<4x5xf32>
  // CHECK: %[[M:.*]] = relax.multiply %[[P]], %{{.*}} : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  // CHECK: %[[A:.*]] = relax.slice %[[M]]
  // CHECK: relax.tanh %[[A]]
  // CHECK: %[[B:.*]] = relax.slice %[[M]]
  // CHECK: relax.exp %[[B]]
  %c = relax.weight @c : tensor<2x3xf32>
  %d = relax.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %f = relax.constant dense<2.0> : tensor<f32>
  %0 = relax.matmul %x, %c : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %1 = relax.multiply %0, %f : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %2 = relax.tanh %1 : tensor<4x3xf32>
  %3 = relax.matmul %x, %d : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %4 = relax.multiply %3, %f : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %5 = relax.exp %4 : tensor<4x2xf32>
  return %2, %5 : tensor<4x3xf32>, tensor<4x2xf32>
}
// Heads of attention: columns become heads of one width, which are transposed for all; slices take heads.
// CHECK-LABEL: func.func @heads
func.func @heads(%x: tensor<?x2xf32, #x>, %s: !relax.shape<[n]>) -> (tensor<4x?x2xf32, #relax_sym.shape<[4, n, 2]>>, tensor<1x?x2xf32, #relax_sym.shape<[1, n, 2]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[P:.*]] = relax.matmul %{{.*}} -> tensor<?x10xf32, #{{.*}}>
  // CHECK: %[[H:.*]] = relax.reshape %[[P]], %{{.*}} -> tensor<?x5x2xf32, #{{.*}}>
  // CHECK: %[[T:.*]] = relax.permute_dims %[[H]] {permutation = array<i64: 1, 0, 2>}
  // CHECK: relax.slice %[[T]] {axes = array<i64: 0>, ends = [#relax_sym.expr<4>], starts = [#relax_sym.expr<0>]
  // CHECK: relax.slice %[[T]] {axes = array<i64: 0>, ends = [#relax_sym.expr<5>], starts = [#relax_sym.expr<4>]
  %v = relax.constant dense<1.0> : tensor<2x8xf32>
  %w = relax.constant dense<2.0> : tensor<2x2xf32>
  %0 = relax.matmul %x, %v : (tensor<?x2xf32, #x>, tensor<2x8xf32>) -> tensor<?x8xf32, #relax_sym.shape<[n, 8]>>
  %a = relax.make_shape %s : (!relax.shape<[n]>) -> !relax.shape<[n, 4, 2]>
  %1 = relax.reshape %0, %a : (tensor<?x8xf32, #relax_sym.shape<[n, 8]>>, !relax.shape<[n, 4, 2]>) -> tensor<?x4x2xf32, #relax_sym.shape<[n, 4, 2]>>
  %2 = relax.permute_dims %1 {permutation = array<i64: 1, 0, 2>} : (tensor<?x4x2xf32, #relax_sym.shape<[n, 4, 2]>>) -> tensor<4x?x2xf32, #relax_sym.shape<[4, n, 2]>>
  %3 = relax.matmul %x, %w : (tensor<?x2xf32, #x>, tensor<2x2xf32>) -> tensor<?x2xf32, #x>
  %b = relax.make_shape %s : (!relax.shape<[n]>) -> !relax.shape<[n, 1, 2]>
  %4 = relax.reshape %3, %b : (tensor<?x2xf32, #x>, !relax.shape<[n, 1, 2]>) -> tensor<?x1x2xf32, #relax_sym.shape<[n, 1, 2]>>
  %5 = relax.permute_dims %4 {permutation = array<i64: 1, 0, 2>} : (tensor<?x1x2xf32, #relax_sym.shape<[n, 1, 2]>>) -> tensor<1x?x2xf32, #relax_sym.shape<[1, n, 2]>>
  return %2, %5 : tensor<4x?x2xf32, #relax_sym.shape<[4, n, 2]>>, tensor<1x?x2xf32, #relax_sym.shape<[1, n, 2]>>
}
// Heads of different widths: the slices take columns.
// CHECK-LABEL: func.func @widths
func.func @widths(%x: tensor<3x2xf32>) -> (tensor<3x4x2xf32>, tensor<3x4x1xf32>) {
  // CHECK: %[[P:.*]] = relax.matmul
  // CHECK: %[[A:.*]] = relax.slice %[[P]] {axes = array<i64: 1>
  // CHECK: relax.reshape %[[A]]
  // CHECK: %[[B:.*]] = relax.slice %[[P]] {axes = array<i64: 1>
  // CHECK: relax.reshape %[[B]]
  %v = relax.constant dense<1.0> : tensor<2x8xf32>
  %w = relax.constant dense<2.0> : tensor<2x4xf32>
  %a = relax.make_shape : () -> !relax.shape<[3, 4, 2]>
  %b = relax.make_shape : () -> !relax.shape<[3, 4, 1]>
  %0 = relax.matmul %x, %v : (tensor<3x2xf32>, tensor<2x8xf32>) -> tensor<3x8xf32>
  %1 = relax.reshape %0, %a : (tensor<3x8xf32>, !relax.shape<[3, 4, 2]>) -> tensor<3x4x2xf32>
  %2 = relax.matmul %x, %w : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  %3 = relax.reshape %2, %b : (tensor<3x4xf32>, !relax.shape<[3, 4, 1]>) -> tensor<3x4x1xf32>
  return %1, %3 : tensor<3x4x2xf32>, tensor<3x4x1xf32>
}
// Filters are joined along out channels.
// CHECK-LABEL: func.func @conv
func.func @conv(%x: tensor<?x1x8xf32, #relax_sym.shape<[n, 1, 8]>>) -> (tensor<?x2x8xf32, #relax_sym.shape<[n, 2, 8]>>, tensor<?x3x8xf32, #relax_sym.shape<[n, 3, 8]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[W:.*]] = relax.weight @{{.*}} : tensor<5x1x1xf32>
  // CHECK: %[[P:.*]] = relax.conv %arg0, %[[W]]
  // CHECK: relax.slice %[[P]] {axes = array<i64: 1>, ends = [#relax_sym.expr<2>], starts = [#relax_sym.expr<0>]
  // CHECK: relax.slice %[[P]] {axes = array<i64: 1>, ends = [#relax_sym.expr<5>], starts = [#relax_sym.expr<2>]
  %v = relax.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %w = relax.constant dense<3.0> : tensor<3x1x1xf32>
  %0 = relax.conv %x, %v {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x1x8xf32, #relax_sym.shape<[n, 1, 8]>>, tensor<2x1x1xf32>) -> tensor<?x2x8xf32, #relax_sym.shape<[n, 2, 8]>>
  %1 = relax.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x1x8xf32, #relax_sym.shape<[n, 1, 8]>>, tensor<3x1x1xf32>) -> tensor<?x3x8xf32, #relax_sym.shape<[n, 3, 8]>>
  return %0, %1 : tensor<?x2x8xf32, #relax_sym.shape<[n, 2, 8]>>, tensor<?x3x8xf32, #relax_sym.shape<[n, 3, 8]>>
}
// Blocks of few bits are joined along their rows.
// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: tensor<?x32xf32, #relax_sym.shape<[n, 32]>>) -> (tensor<?x2xf32, #x>, tensor<?x1xf32, #z>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.block_matmul %arg0, %{{.*}} {format = "q8_0"} : (tensor<?x32xf32, #{{.*}}>, tensor<3x1x34xi8>) -> tensor<?x3xf32, #{{.*}}>
  %v = relax.constant dense<1> : tensor<2x1x34xi8>
  %w = relax.constant dense<2> : tensor<1x1x34xi8>
  %0 = relax.block_matmul %x, %v {format = "q8_0"} : (tensor<?x32xf32, #relax_sym.shape<[n, 32]>>, tensor<2x1x34xi8>) -> tensor<?x2xf32, #x>
  %1 = relax.block_matmul %x, %w {format = "q8_0"} : (tensor<?x32xf32, #relax_sym.shape<[n, 32]>>, tensor<1x1x34xi8>) -> tensor<?x1xf32, #z>
  return %0, %1 : tensor<?x2xf32, #x>, tensor<?x1xf32, #z>
}

//--- any.mlir
// Inputs of symbolic width: their columns are counted by symbols.
// ANY-LABEL: func.func @inputs
// WEIGHTS-LABEL: func.func @inputs
func.func @inputs(%x: tensor<?x2xf32, #relax_sym.shape<[n, 2]>>, %v: tensor<2x?xf32, #relax_sym.shape<[2, k]>>, %w: tensor<2x?xf32, #relax_sym.shape<[2, m]>>)
    -> (tensor<?x?xf32, #relax_sym.shape<[n, k]>>, tensor<?x?xf32, #relax_sym.shape<[n, m]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // ANY: %[[C:.*]] = relax.concat %arg1, %arg2 {axis = 1 : i64}
  // ANY: %[[P:.*]] = relax.matmul %arg0, %[[C]]
  // ANY: relax.slice %[[P]] {axes = array<i64: 1>, ends = [#relax_sym.expr<k>], starts = [#relax_sym.expr<0>]
  // ANY: relax.slice %[[P]] {axes = array<i64: 1>, ends = [#relax_sym.expr<k + m>], starts = [#relax_sym.expr<k>]
  // WEIGHTS: relax.matmul
  // WEIGHTS: relax.matmul
  %0 = relax.matmul %x, %v : (tensor<?x2xf32, #relax_sym.shape<[n, 2]>>, tensor<2x?xf32, #relax_sym.shape<[2, k]>>) -> tensor<?x?xf32, #relax_sym.shape<[n, k]>>
  %1 = relax.matmul %x, %w : (tensor<?x2xf32, #relax_sym.shape<[n, 2]>>, tensor<2x?xf32, #relax_sym.shape<[2, m]>>) -> tensor<?x?xf32, #relax_sym.shape<[n, m]>>
  return %0, %1 : tensor<?x?xf32, #relax_sym.shape<[n, k]>>, tensor<?x?xf32, #relax_sym.shape<[n, m]>>
}

//--- kept.mlir
#x = #relax_sym.shape<[n, 2]>
#y = #relax_sym.shape<[n, 3]>
relax.weight_data @shared : tensor<2x3xf32> = dense<1.0> : tensor<2x3xf32>
// The second right operand is made from the first product.
// KEPT-LABEL: func.func @later
func.func @later(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  // KEPT-COUNT-2: relax.matmul
  %w = relax.constant dense<1.0> : tensor<2x2xf32>
  %0 = relax.matmul %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = relax.exp %0 : tensor<2x2xf32>
  %2 = relax.matmul %x, %1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %2 : tensor<2x2xf32>, tensor<2x2xf32>
}
// A check stands between the products: the second one is not proved to work, so it is not done before the check.
// KEPT-LABEL: func.func @checked
func.func @checked(%x: tensor<?x?xf32, #relax_sym.shape<[n, k]>>, %v: tensor<?x3xf32, #relax_sym.shape<[k, 3]>>, %w: tensor<?x3xf32, #relax_sym.shape<[m, 3]>>)
    -> (tensor<?x3xf32, #y>, tensor<?x3xf32, #y>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // KEPT-COUNT-2: relax.matmul
  %0 = relax.matmul %x, %v : (tensor<?x?xf32, #relax_sym.shape<[n, k]>>, tensor<?x3xf32, #relax_sym.shape<[k, 3]>>) -> tensor<?x3xf32, #y>
  %1 = relax.matmul %x, %w : (tensor<?x?xf32, #relax_sym.shape<[n, k]>>, tensor<?x3xf32, #relax_sym.shape<[m, 3]>>) -> tensor<?x3xf32, #y>
  return %0, %1 : tensor<?x3xf32, #y>, tensor<?x3xf32, #y>
}
// Batches of different sizes, and an element type that differs.
// KEPT-LABEL: func.func @different
func.func @different(%x: tensor<?x2xf32, #x>, %v: tensor<4x2x3xf32>, %w: tensor<5x2x3xf32>) -> (tensor<4x?x3xf32, #relax_sym.shape<[4, n, 3]>>, tensor<5x?x3xf32, #relax_sym.shape<[5, n, 3]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // KEPT-COUNT-2: relax.matmul
  %0 = relax.matmul %x, %v : (tensor<?x2xf32, #x>, tensor<4x2x3xf32>) -> tensor<4x?x3xf32, #relax_sym.shape<[4, n, 3]>>
  %1 = relax.matmul %x, %w : (tensor<?x2xf32, #x>, tensor<5x2x3xf32>) -> tensor<5x?x3xf32, #relax_sym.shape<[5, n, 3]>>
  return %0, %1 : tensor<4x?x3xf32, #relax_sym.shape<[4, n, 3]>>, tensor<5x?x3xf32, #relax_sym.shape<[5, n, 3]>>
}
// Right operands that are vectors have no columns; the product with itself is one product.
// KEPT-LABEL: func.func @vectors
func.func @vectors(%x: tensor<2x2xf32>, %v: tensor<2xf32>, %w: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>) {
  // KEPT-COUNT-3: relax.matmul
  %0 = relax.matmul %x, %v : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = relax.matmul %x, %w : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = relax.matmul %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>
}
// In different blocks.
// KEPT-LABEL: func.func @branches
func.func @branches(%c: i1, %x: tensor<2x2xf32>, %v: tensor<2x2xf32>, %w: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // KEPT-COUNT-2: relax.matmul
  %r = scf.if %c -> tensor<2x2xf32> {
    %0 = relax.matmul %x, %v : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    scf.yield %0 : tensor<2x2xf32>
  } else {
    %1 = relax.matmul %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    scf.yield %1 : tensor<2x2xf32>
  }
  return %r : tensor<2x2xf32>
}

//--- part.bin
abcdefgh
//--- blob.mlir
relax.weight_data @v : tensor<2x2xi8> = #relax.blob<"part.bin", 0, 4, "ed82cd11">
relax.weight_data @w : tensor<2x1xi8> = #relax.blob<"part.bin", 4, 2, "fd824970">
// BLOB: relax.weight_data @v_joined : tensor<2x3xi8> = dense<{{\[\[}}97, 98, 101], [99, 100, 102]]>
// ABSENT: error: {{.*}}part.bin
func.func @main(%x: tensor<1x2xi8>) -> (tensor<1x2xi8>, tensor<1x1xi8>) {
  %v = relax.weight @v : tensor<2x2xi8>
  %w = relax.weight @w : tensor<2x1xi8>
  %0 = relax.matmul %x, %v : (tensor<1x2xi8>, tensor<2x2xi8>) -> tensor<1x2xi8>
  %1 = relax.matmul %x, %w : (tensor<1x2xi8>, tensor<2x1xi8>) -> tensor<1x1xi8>
  return %0, %1 : tensor<1x2xi8>, tensor<1x1xi8>
}
