// RUN: split-file %s %t
// RUN: relax-opt %t/quantize.mlir --relax-quantize-weights=min-elements=0 | FileCheck %s --check-prefixes=CHECK,Q8
// RUN: relax-opt %t/quantize.mlir --relax-quantize-weights="min-elements=0 format=q4f16_1" | FileCheck %s --check-prefixes=CHECK,Q4
// RUN: relax-opt %t/blob.mlir --relax-quantize-weights="min-elements=0 blob-directory=%t" | FileCheck %s --check-prefix=BLOB
// RUN: relax-opt %t/kept.mlir --relax-quantize-weights=min-elements=0 --remark-format=emitRemark --remarks-filter=relax-quantize-weights 2>&1 >/dev/null | FileCheck %s --check-prefix=KEPT
// RUN: relax-opt %t/small.mlir --relax-quantize-weights | FileCheck %s --check-prefix=SMALL
// RUN: not relax-opt %t/small.mlir --relax-quantize-weights=format=q5 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: relax-opt %t/quantize.mlir --relax-quantize-weights=min-elements=0 --remark-format=emitRemark --remarks-filter='relax-.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] Quantized | Category:relax-quantize-weights | Remark="'rows_q8_0' has 68 bytes"

//--- numbers.bin
0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
//--- quantize.mlir
// Two rows of 32 numbers: 7 is the factor 1 in 4 bits.
// Q4: relax.weight_data @rows_q4_0 : tensor<2x1x18xi8> = dense<{{\[\[\[}}0, 60, -1, -1, {{.*}}, -1{{\]\]}}, {{.*}}>
// Q8: relax.weight_data @rows_q8_0 : tensor<2x1x34xi8> = dense<{{\[\[\[}}14, 43, 127, 127, {{.*}}>
relax.weight_data @rows : tensor<2x32xf32> = dense<7.0> : tensor<2x32xf32>
// CHECK: relax.weight_data @columns_[[$FORMAT:q._0]] : tensor<3x1x{{18|34}}xi8>
relax.weight_data @columns : tensor<32x3xf16> = dense<0.0> : tensor<32x3xf16>
// CHECK-NOT: relax.weight_data

#x = #relax_sym.shape<[n, 32]>
// CHECK-LABEL: func.func @product
func.func @product(%x: tensor<?x32xf32, #x>) -> tensor<?x2xf32, #relax_sym.shape<[n, 2]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: %[[W:.*]] = relax.weight @rows_[[$FORMAT]]
  // CHECK-NEXT: relax.block_matmul %{{.*}}, %[[W]] {format = "[[$FORMAT]]"}
  // CHECK-NEXT: return
  %w = relax.weight @rows : tensor<2x32xf32>
  %t = relax.permute_dims %w {permutation = array<i64: 1, 0>} : (tensor<2x32xf32>) -> tensor<32x2xf32>
  %r = relax.matmul %x, %t : (tensor<?x32xf32, #x>, tensor<32x2xf32>) -> tensor<?x2xf32, #relax_sym.shape<[n, 2]>>
  return %r : tensor<?x2xf32, #relax_sym.shape<[n, 2]>>
}
// The same matrix as an embedding, in another function.
// CHECK-LABEL: func.func @embedding
func.func @embedding(%i: tensor<?xi32, #relax_sym.shape<[n]>>) -> tensor<?x32xf32, #x> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: %[[W:.*]] = relax.weight @rows_[[$FORMAT]]
  // CHECK-NEXT: %[[B:.*]] = relax.take %[[W]], %{{.*}} {axis = 0 : i64}
  // CHECK-NEXT: relax.dequantize_block %[[B]] {format = "[[$FORMAT]]"}
  %w = relax.weight @rows : tensor<2x32xf32>
  %r = relax.take %w, %i {axis = 0 : i64} : (tensor<2x32xf32>, tensor<?xi32, #relax_sym.shape<[n]>>) -> tensor<?x32xf32, #x>
  return %r : tensor<?x32xf32, #x>
}
// CHECK-LABEL: func.func @half
func.func @half(%x: tensor<32xf16>) -> tensor<3xf16> {
  // CHECK-NEXT: %[[X:.*]] = relax.astype %{{.*}} {dtype = f32}
  // CHECK-NEXT: %[[W:.*]] = relax.weight @columns_[[$FORMAT]]
  // CHECK-NEXT: %[[R:.*]] = relax.block_matmul %[[X]], %[[W]]
  // CHECK-NEXT: relax.astype %[[R]] {dtype = f16}
  %w = relax.weight @columns : tensor<32x3xf16>
  %r = relax.matmul %x, %w : (tensor<32xf16>, tensor<32x3xf16>) -> tensor<3xf16>
  return %r : tensor<3xf16>
}
// CHECK-LABEL: func.func @constant
func.func @constant(%x: tensor<2x32xf32>) -> tensor<2x1xf32> {
  // CHECK: relax.weight @constant_[[$FORMAT]] : tensor<1x1x{{18|34}}xi8>
  %w = relax.constant dense<1.0> : tensor<32x1xf32>
  %r = relax.matmul %x, %w : (tensor<2x32xf32>, tensor<32x1xf32>) -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}

//--- blob.mlir
// BLOB: relax.weight_data @w_q8_0 : tensor<1x1x34xi8>
relax.weight_data @w : tensor<32x1xf16> = #relax.blob<"numbers.bin", 0, 64, "a77cac63">
func.func @main(%x: tensor<2x32xf32>) -> tensor<2x1xf32> {
  %w = relax.weight @w : tensor<32x1xf16>
  %c = relax.astype %w {dtype = f32} : (tensor<32x1xf16>) -> tensor<32x1xf32>
  %r = relax.matmul %x, %c : (tensor<2x32xf32>, tensor<32x1xf32>) -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}

//--- kept.mlir
// KEPT-DAG: Kept{{.*}}the summed extent 31 is not a multiple of 32
relax.weight_data @odd : tensor<31x2xf32> = dense<1.0> : tensor<31x2xf32>
// KEPT-DAG: Kept{{.*}}its readers sum along different dimensions
relax.weight_data @both : tensor<32x32xf32> = dense<1.0> : tensor<32x32xf32>
// KEPT-DAG: Kept{{.*}}'relax.add' reads it
relax.weight_data @added : tensor<32x32xf32> = dense<1.0> : tensor<32x32xf32>
// KEPT-DAG: Kept{{.*}}'relax.matmul' reads it
relax.weight_data @left : tensor<32x32xf32> = dense<1.0> : tensor<32x32xf32>
// KEPT-DAG: Kept{{.*}}a number is not finite, or too large for its factor
relax.weight_data @large : tensor<32x32xf32> = dense<1.0e30> : tensor<32x32xf32>
func.func @main(%x: tensor<32x32xf32>, %y: tensor<2x31xf32>) -> (tensor<32x32xf32>, tensor<2x2xf32>) {
  %both = relax.weight @both : tensor<32x32xf32>
  %t = relax.permute_dims %both {permutation = array<i64: 1, 0>} : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = relax.matmul %x, %both : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = relax.matmul %0, %t : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %added = relax.weight @added : tensor<32x32xf32>
  %2 = relax.matmul %1, %added : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %3 = relax.add %2, %added : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %left = relax.weight @left : tensor<32x32xf32>
  %4 = relax.matmul %left, %3 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %large = relax.weight @large : tensor<32x32xf32>
  %5 = relax.matmul %4, %large : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %odd = relax.weight @odd : tensor<31x2xf32>
  %6 = relax.matmul %y, %odd : (tensor<2x31xf32>, tensor<31x2xf32>) -> tensor<2x2xf32>
  return %5, %6 : tensor<32x32xf32>, tensor<2x2xf32>
}

//--- small.mlir
// WRONG: error: there is no format 'q5' for weights, expected q4f16_1 or q8_0
// SMALL: relax.matmul
func.func @main(%x: tensor<2x32xf32>) -> tensor<2x1xf32> {
  %w = relax.constant dense<1.0> : tensor<32x1xf32>
  %r = relax.matmul %x, %w : (tensor<2x32xf32>, tensor<32x1xf32>) -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}
