// RUN: split-file %s %t
// RUN: relax-opt %t/products.mlir --relax-legalize-ops --relax-mixed-precision | FileCheck %s
// RUN: relax-opt %t/products.mlir --relax-legalize-ops --relax-mixed-precision=to=f16 | FileCheck %s --check-prefix=F16
// RUN: relax-opt %t/products.mlir --relax-legalize-ops --relax-mixed-precision=weights-only | FileCheck %s --check-prefix=ONLY
// RUN: relax-opt %t/kept.mlir --relax-legalize-ops --relax-mixed-precision | FileCheck %s --check-prefix=KEPT --implicit-check-not=bf16
// RUN: not relax-opt %t/kept.mlir --relax-mixed-precision=to=f8 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not relax-opt %t/pinned.mlir 2>&1 | FileCheck %s --check-prefix=PINNED
// RUN: relax-opt %t/products.mlir --relax-legalize-ops --relax-mixed-precision --remark-format=emitRemark --remarks-filter='relax-.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] Rounded | Category:relax-mixed-precision | Remark="'matmul' multiplies 2 inputs in fewer bits"
// REMARK: [Passed] Rounded | Category:relax-mixed-precision | Remark="'conv_1' multiplies 2 inputs in fewer bits"
// WRONG: error: products cannot read 'f8', expected f16 or bf16
// PINNED: error: 'relax.exp' op attribute 'relax.pinned' must be a unit attribute, got 1 : i64

//--- products.mlir
#x = #relax_sym.shape<[n, 2]>
#y = #relax_sym.shape<[n, 3]>
// 1 + 2^-8 is halfway between two numbers of bf16 and becomes the even one, 1 + 2^-7 + 2^-8 goes up, NaN stays.
// CHECK: relax.weight_data @w_bf16 : tensor<3x2xbf16> = dense<{{\[\[}}1.000000e+00, 1.015630e+00], [0x7FC0, -2.000000e+00], [3.004060e+38, 0.000000e+00]]>
// F16: relax.weight_data @w_f16 : tensor<3x2xf16> = dense<{{\[\[}}1.003910e+00, 1.011720e+00], [0x7E00, -2.000000e+00], [0x7C00, 0.000000e+00]]>
// CHECK-NOT: relax.weight_data
relax.weight_data @w : tensor<3x2xf32> = dense<[[1.00390625, 1.01171875], [0x7FC00000, -2.0], [3.0e+38, 0.0]]> : tensor<3x2xf32>
// The program reads both operands in the type and sums in f32; the weight is rounded before it is transposed.
// CHECK: relax_tp.func private @matmul_bf16(%{{.*}}: tensor<?x2xbf16> {{.*}}, %{{.*}}: tensor<2x3xbf16>) outs(%{{.*}}: tensor<?x3xf32>
// CHECK: linalg.generic
// CHECK: ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: bf16, %[[SUM:.*]]: f32):
// CHECK-DAG: %[[WA:.*]] = arith.extf %[[A]] : bf16 to f32
// CHECK-DAG: %[[WB:.*]] = arith.extf %[[B]] : bf16 to f32
// CHECK: %[[M:.*]] = arith.mulf %[[WA]], %[[WB]] : f32
// CHECK: arith.addf %[[SUM]], %[[M]] : f32
// CHECK-LABEL: func.func @layer
// CHECK: %[[W:.*]] = relax.weight @w_bf16
// CHECK: %[[T:.*]] = relax.call_tp @permute_dims_bf16(%[[W]]) : (tensor<3x2xbf16>) -> tensor<2x3xbf16>
// CHECK: %[[X:.*]] = relax.astype %arg0 {dtype = bf16}
// CHECK: relax.call_tp @matmul_bf16(%[[X]], %[[T]])
// The result is f32, as is what follows.
// CHECK: relax.call_tp @exp(%{{.*}}) : (tensor<?x3xf32, #{{.*}}>) -> tensor<?x3xf32, #{{.*}}>
// F16-LABEL: func.func @layer
// F16: relax.call_tp @matmul_f16
// ONLY-LABEL: func.func @layer
// ONLY-NOT: relax.astype
// ONLY: relax.call_tp @matmul_bf16(%arg0, %{{.*}}) : (tensor<?x2xf32, #{{.*}}>, tensor<2x3xbf16>)
func.func @layer(%x: tensor<?x2xf32, #x>) -> tensor<?x3xf32, #y> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %w = relax.weight @w : tensor<3x2xf32>
  %t = relax.permute_dims %w {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %0 = relax.matmul %x, %t : (tensor<?x2xf32, #x>, tensor<2x3xf32>) -> tensor<?x3xf32, #y>
  %1 = relax.exp %0 : tensor<?x3xf32, #y>
  return %1 : tensor<?x3xf32, #y>
}
// What was bf16 is read as it was, also behind a move; both products share one rounded operand.
// CHECK-LABEL: func.func @converted
// CHECK: %[[K:.*]] = relax.call_tp @permute_dims_{{.*}}(%arg1) : (tensor<?x?xbf16, #{{.*}}>) -> tensor<?x?xbf16, #{{.*}}>
// CHECK: %[[Q:.*]] = relax.astype %arg0
// CHECK-NOT: relax.astype
// CHECK: relax.call_tp @[[P:matmul_.*bf16]](%[[Q]], %[[K]])
// CHECK: relax.call_tp @[[P]](%[[Q]], %{{.*}})
func.func @converted(%q: tensor<?x?xf32, #relax_sym.shape<[n, d]>>, %k: tensor<?x?xbf16, #relax_sym.shape<[n, d]>>)
    -> (tensor<?x?xf32, #relax_sym.shape<[n, n]>>, tensor<?x?xf32, #relax_sym.shape<[n, n]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.astype %k {dtype = f32} : (tensor<?x?xbf16, #relax_sym.shape<[n, d]>>) -> tensor<?x?xf32, #relax_sym.shape<[n, d]>>
  %1 = relax.permute_dims %0 {permutation = array<i64: 1, 0>} : (tensor<?x?xf32, #relax_sym.shape<[n, d]>>) -> tensor<?x?xf32, #relax_sym.shape<[d, n]>>
  %2 = relax.matmul %q, %1 : (tensor<?x?xf32, #relax_sym.shape<[n, d]>>, tensor<?x?xf32, #relax_sym.shape<[d, n]>>) -> tensor<?x?xf32, #relax_sym.shape<[n, n]>>
  %3 = relax.permute_dims %0 {permutation = array<i64: 1, 0>} : (tensor<?x?xf32, #relax_sym.shape<[n, d]>>) -> tensor<?x?xf32, #relax_sym.shape<[d, n]>>
  %4 = relax.matmul %q, %3 : (tensor<?x?xf32, #relax_sym.shape<[n, d]>>, tensor<?x?xf32, #relax_sym.shape<[d, n]>>) -> tensor<?x?xf32, #relax_sym.shape<[n, n]>>
  return %2, %4 : tensor<?x?xf32, #relax_sym.shape<[n, n]>>, tensor<?x?xf32, #relax_sym.shape<[n, n]>>
}
// CHECK-LABEL: func.func @conv
// CHECK: relax.call_tp @conv_{{.*}}bf16(%{{.*}}, %{{.*}}) : (tensor<1x1x8xbf16>, tensor<2x1x3xbf16>) -> tensor<1x2x6xf32>
func.func @conv(%x: tensor<1x1x8xf32>) -> tensor<1x2x6xf32> {
  %w = relax.constant dense<2.0> : tensor<2x1x3xf32>
  %0 = relax.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x1x8xf32>, tensor<2x1x3xf32>) -> tensor<1x2x6xf32>
  return %0 : tensor<1x2x6xf32>
}

//--- kept.mlir
// A product that is pinned, sums that multiply nothing several times, other types, comparisons.
// KEPT-LABEL: func.func @kept
func.func @kept(%x: tensor<2x2xf32>, %i: tensor<2x2xi32>, %d: tensor<2x2xf64>, %h: tensor<2x2xf16>, %a: tensor<4xf32>)
    -> (tensor<2x2xf32>, tensor<2x2xi32>, tensor<2x2xf64>, tensor<2x2xf16>, tensor<f32>, tensor<2xf32>, tensor<2x2xi1>) {
  // KEPT: relax.call_tp @matmul(%arg0) {relax.pinned}
  %0 = relax.matmul %x, %x {relax.pinned} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = relax.matmul %i, %i : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %2 = relax.matmul %d, %d : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  %3 = relax.matmul %h, %h : (tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x2xf16>
  %4 = relax.matmul %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %5 = relax.sum %x {axes = array<i64: 1>} : (tensor<2x2xf32>) -> tensor<2xf32>
  %6 = relax.less %i, %i : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x2xf32>, tensor<2x2xi32>, tensor<2x2xf64>, tensor<2x2xf16>, tensor<f32>, tensor<2xf32>, tensor<2x2xi1>
}

//--- pinned.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relax.exp %x {relax.pinned = 1 : i64} : tensor<2xf32>
  return %0 : tensor<2xf32>
}
