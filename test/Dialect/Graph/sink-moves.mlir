// RUN: relax-opt %s --relax-sink-moves --split-input-file | FileCheck %s
// RUN: relax-opt %s --relax-sink-moves --split-input-file --remark-format=emitRemark --remarks-filter='relax-.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] Sunk | Category:relax-sink-moves | Remark="a permutation moved behind 'relax.add'"
// REMARK: [Passed] Sunk | Category:relax-sink-moves | Remark="a reshape moved behind 'relax.tanh'"

#x = #relax_sym.shape<[n, 2, 3]>
#t = #relax_sym.shape<[3, n, 2]>
// A bias along the last dimension of what is permuted, then the inverse permutation: nothing is left to be moved.
// CHECK-LABEL: func.func @sandwich
func.func @sandwich(%x: tensor<?x2x3xf32, #x>, %b: tensor<2xf32>) -> tensor<?x2x3xf32, #x> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[B:.*]] = relax.expand_dims %arg1 {axes = array<i64: 1>}
  // CHECK: %[[A:.*]] = relax.add %arg0, %[[B]] : (tensor<?x2x3xf32, #{{.*}}>, tensor<2x1xf32>)
  // CHECK: %[[R:.*]] = relax.relu %[[A]]
  // CHECK: return %[[R]]
  %0 = relax.permute_dims %x {permutation = array<i64: 2, 0, 1>} : (tensor<?x2x3xf32, #x>) -> tensor<3x?x2xf32, #t>
  %1 = relax.add %0, %b : (tensor<3x?x2xf32, #t>, tensor<2xf32>) -> tensor<3x?x2xf32, #t>
  %2 = relax.relu %1 : tensor<3x?x2xf32, #t>
  %3 = relax.permute_dims %2 {permutation = array<i64: 1, 2, 0>} : (tensor<3x?x2xf32, #t>) -> tensor<?x2x3xf32, #x>
  return %3 : tensor<?x2x3xf32, #x>
}

// -----
// Two operands of one permutation, one of one element.
// CHECK-LABEL: func.func @both
func.func @both(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %s: tensor<1xf32>) -> tensor<3x2xf32> {
  // CHECK: %[[A:.*]] = relax.add %arg0, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[M:.*]] = relax.multiply %[[A]], %arg2 : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK: %[[P:.*]] = relax.permute_dims %[[M]] {permutation = array<i64: 1, 0>}
  // CHECK: return %[[P]]
  %0 = relax.permute_dims %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = relax.permute_dims %y {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = relax.add %0, %1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = relax.multiply %2, %s : (tensor<3x2xf32>, tensor<1xf32>) -> tensor<3x2xf32>
  return %3 : tensor<3x2xf32>
}

// -----
#x = #relax_sym.shape<[n, 6]>
#y = #relax_sym.shape<[n, 2, 3]>
#z = #relax_sym.shape<[n * 6]>
// Reshapes of one shape, then another one: the shape in between goes.
// CHECK-LABEL: func.func @reshape
func.func @reshape(%x: tensor<?x6xf32, #x>, %y: tensor<?x6xf32, #x>, %s: !relax.shape<[n, 2, 3]>, %e: !relax.shape<[n * 6]>) -> tensor<?xf32, #z> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[A:.*]] = relax.add %arg0, %arg1
  // CHECK: %[[T:.*]] = relax.tanh %[[A]]
  // CHECK: %[[R:.*]] = relax.reshape %[[T]], %arg3
  // CHECK: return %[[R]]
  %0 = relax.reshape %x, %s : (tensor<?x6xf32, #x>, !relax.shape<[n, 2, 3]>) -> tensor<?x2x3xf32, #y>
  %1 = relax.reshape %y, %s : (tensor<?x6xf32, #x>, !relax.shape<[n, 2, 3]>) -> tensor<?x2x3xf32, #y>
  %2 = relax.add %0, %1 : (tensor<?x2x3xf32, #y>, tensor<?x2x3xf32, #y>) -> tensor<?x2x3xf32, #y>
  %3 = relax.tanh %2 : tensor<?x2x3xf32, #y>
  %4 = relax.reshape %3, %e : (tensor<?x2x3xf32, #y>, !relax.shape<[n * 6]>) -> tensor<?xf32, #z>
  return %4 : tensor<?xf32, #z>
}

// -----
#x = #relax_sym.shape<[n, 4, h, w]>
#t = #relax_sym.shape<[n, h, w, 4]>
// The mean of an image whose channels are last, and with the dimensions kept.
// CHECK-LABEL: func.func @reduce
func.func @reduce(%x: tensor<?x4x?x?xf32, #x>, %y: tensor<?x4x?x?xf32, #x>) -> (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<1x?x?x4xf32, #relax_sym.shape<[1, h, w, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[M:.*]] = relax.mean %arg0 {axes = array<i64: 2, 3>} : {{.*}} -> tensor<?x4xf32, #{{.*}}>
  // CHECK: %[[S:.*]] = relax.max %arg1 {axes = array<i64: 0>, keepdims} : {{.*}} -> tensor<1x4x?x?xf32, #{{.*}}>
  // CHECK: %[[P:.*]] = relax.permute_dims %[[S]] {permutation = array<i64: 0, 2, 3, 1>}
  // CHECK: return %[[M]], %[[P]]
  %0 = relax.permute_dims %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<?x4x?x?xf32, #x>) -> tensor<?x?x?x4xf32, #t>
  %1 = relax.mean %0 {axes = array<i64: 1, 2>} : (tensor<?x?x?x4xf32, #t>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  %2 = relax.permute_dims %y {permutation = array<i64: 0, 2, 3, 1>} : (tensor<?x4x?x?xf32, #x>) -> tensor<?x?x?x4xf32, #t>
  %3 = relax.max %2 {axes = array<i64: 0>, keepdims} : (tensor<?x?x?x4xf32, #t>) -> tensor<1x?x?x4xf32, #relax_sym.shape<[1, h, w, 4]>>
  return %1, %3 : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<1x?x?x4xf32, #relax_sym.shape<[1, h, w, 4]>>
}

// -----
#x = #relax_sym.shape<[n, 3]>
#y = #relax_sym.shape<[m, 3]>
// Parts that have gone through one permutation are joined first.
// CHECK-LABEL: func.func @concat
func.func @concat(%x: tensor<?x3xf32, #x>, %y: tensor<?x3xf32, #y>) -> tensor<3x?xf32, #relax_sym.shape<[3, n + m]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[C:.*]] = relax.concat %arg0, %arg1 {axis = 0 : i64}
  // CHECK: relax.permute_dims %[[C]]
  %0 = relax.permute_dims %x {permutation = array<i64: 1, 0>} : (tensor<?x3xf32, #x>) -> tensor<3x?xf32, #relax_sym.shape<[3, n]>>
  %1 = relax.permute_dims %y {permutation = array<i64: 1, 0>} : (tensor<?x3xf32, #y>) -> tensor<3x?xf32, #relax_sym.shape<[3, m]>>
  %2 = relax.concat %0, %1 {axis = 1 : i64} : (tensor<3x?xf32, #relax_sym.shape<[3, n]>>, tensor<3x?xf32, #relax_sym.shape<[3, m]>>) -> tensor<3x?xf32, #relax_sym.shape<[3, n + m]>>
  return %2 : tensor<3x?xf32, #relax_sym.shape<[3, n + m]>>
}

// -----
// What stays: another reader, another permutation, an operand that did not go through it, a shape that differs, one that is repeated.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>, %s: !relax.shape<[3, 2]>, %o: !relax.shape<[1, 6]>, %f: tensor<6xf32>)
    -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<6x6xf32>) {
  // CHECK-NEXT: %[[A:.*]] = relax.permute_dims %arg0
  // CHECK-NEXT: relax.exp %[[A]]
  // CHECK-NEXT: %[[B:.*]] = relax.permute_dims %arg0
  // CHECK-NEXT: relax.add %[[B]], %arg1
  // CHECK-NEXT: %[[C:.*]] = relax.reshape %arg0
  // CHECK-NEXT: relax.add %[[C]], %arg1
  // CHECK-NEXT: %[[D:.*]] = relax.reshape %arg0
  // CHECK-NEXT: %[[E:.*]] = relax.reshape %arg4
  // CHECK-NEXT: relax.add %[[D]], %[[E]]
  // CHECK-NEXT: %[[F:.*]] = relax.reshape %arg4
  // CHECK-NEXT: %[[G:.*]] = relax.expand_dims %arg4
  // CHECK-NEXT: relax.add %[[F]], %[[G]]
  %0 = relax.permute_dims %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = relax.exp %0 : tensor<3x2xf32>
  %2 = relax.permute_dims %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = relax.add %2, %y : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = relax.reshape %x, %s : (tensor<2x3xf32>, !relax.shape<[3, 2]>) -> tensor<3x2xf32>
  %5 = relax.add %4, %y : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %6 = relax.reshape %x, %s : (tensor<2x3xf32>, !relax.shape<[3, 2]>) -> tensor<3x2xf32>
  %7 = relax.reshape %f, %s : (tensor<6xf32>, !relax.shape<[3, 2]>) -> tensor<3x2xf32>
  %8 = relax.add %6, %7 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %9 = relax.reshape %f, %o : (tensor<6xf32>, !relax.shape<[1, 6]>) -> tensor<1x6xf32>
  %10 = relax.expand_dims %f {axes = array<i64: 1>} : (tensor<6xf32>) -> tensor<6x1xf32>
  %11 = relax.add %9, %10 : (tensor<1x6xf32>, tensor<6x1xf32>) -> tensor<6x6xf32>
  return %0, %1, %3, %5, %8, %11 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<6x6xf32>
}

// -----

// Rows that are decoded for a product are decoded in it; those that something else reads, or that are summed over, are not.
// CHECK-LABEL: func.func @blocks(
func.func @blocks(%x: tensor<?x64xf32, #relax_sym.shape<[n, 64]>>, %w: tensor<?x2x34xi8, #relax_sym.shape<[m, 2, 34]>>) -> tensor<?x?xf32, #relax_sym.shape<[n, m]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: %[[P:.*]] = relax.block_matmul %arg0, %arg1 {format = "q8_0"}
  // CHECK-NEXT: return %[[P]]
  %0 = relax.dequantize_block %w {format = "q8_0"} : (tensor<?x2x34xi8, #relax_sym.shape<[m, 2, 34]>>) -> tensor<?x64xf32, #relax_sym.shape<[m, 64]>>
  %1 = relax.permute_dims %0 {permutation = array<i64: 1, 0>} : (tensor<?x64xf32, #relax_sym.shape<[m, 64]>>) -> tensor<64x?xf32, #relax_sym.shape<[64, m]>>
  %2 = relax.matmul %x, %1 : (tensor<?x64xf32, #relax_sym.shape<[n, 64]>>, tensor<64x?xf32, #relax_sym.shape<[64, m]>>) -> tensor<?x?xf32, #relax_sym.shape<[n, m]>>
  return %2 : tensor<?x?xf32, #relax_sym.shape<[n, m]>>
}

// CHECK-LABEL: func.func @decoded(
//   CHECK-NOT:   block_matmul
//       CHECK:   return
func.func @decoded(%x: tensor<3x64xf32>, %y: tensor<3x5xf32>, %w: tensor<5x2x34xi8>) -> (tensor<3x5xf32>, tensor<5x64xf32>, tensor<3x64xf32>) {
  %0 = relax.dequantize_block %w {format = "q8_0"} : (tensor<5x2x34xi8>) -> tensor<5x64xf32>
  %1 = relax.permute_dims %0 {permutation = array<i64: 1, 0>} : (tensor<5x64xf32>) -> tensor<64x5xf32>
  %2 = relax.matmul %x, %1 : (tensor<3x64xf32>, tensor<64x5xf32>) -> tensor<3x5xf32>
  %3 = relax.dequantize_block %w {format = "q8_0"} : (tensor<5x2x34xi8>) -> tensor<5x64xf32>
  %4 = relax.matmul %y, %3 : (tensor<3x5xf32>, tensor<5x64xf32>) -> tensor<3x64xf32>
  return %2, %0, %4 : tensor<3x5xf32>, tensor<5x64xf32>, tensor<3x64xf32>
}
