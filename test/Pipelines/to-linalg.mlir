// RUN: relax-opt %s --relax-to-linalg > %t.plain.mlir
// RUN: relax-opt %s --relax-to-linalg=fuse=true > %t.fused.mlir
// RUN: FileCheck %s --check-prefix=PLAIN --implicit-check-not=relax < %t.plain.mlir
// RUN: FileCheck %s --check-prefix=FUSED --implicit-check-not=relax < %t.fused.mlir

// The stock mlir-opt takes it from there.
// DEFINE: %{lower} = mlir-opt --pass-pipeline="builtin.module(one-shot-bufferize{bufferize-function-boundaries=true},canonicalize,func.func(convert-linalg-to-loops,lower-affine),expand-strided-metadata,lower-affine,arith-expand,convert-scf-to-cf,convert-math-to-llvm,finalize-memref-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)"
// DEFINE: %{run} = mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_libs/libmlir_runner_utils.so,%mlir_libs/libmlir_c_runner_utils.so
// RUN: %{lower} %t.plain.mlir | %{run} | FileCheck %s
// RUN: %{lower} %t.fused.mlir | %{run} | FileCheck %s

#n_2 = #relax_sym.shape<[n, 2]>
#n_3 = #relax_sym.shape<[n, 3]>
#n = #relax_sym.shape<[n]>

// PLAIN-LABEL: func.func @model(
//  PLAIN-SAME:   %{{.*}}: tensor<?x2xf32>) -> (tensor<?x3xf32>, tensor<?xf32>)
//   PLAIN-NOT:   cf.assert
//       PLAIN:   linalg.matmul
//       PLAIN:   return
// FUSED-LABEL: func.func @model(
//       FUSED:   linalg.matmul
//       FUSED:   linalg.generic
//       FUSED:     arith.addf
//  FUSED-NEXT:     arith.maximumf
//       FUSED:   return
func.func @model(%x: tensor<?x2xf32, #n_2>) -> (tensor<?x3xf32, #n_3>, tensor<?xf32, #n>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %w = relax.weight @w : tensor<2x3xf32>
  %b = relax.constant dense<[-1.0, 0.0, 1.0]> : tensor<3xf32>
  %0 = relax.matmul %x, %w : (tensor<?x2xf32, #n_2>, tensor<2x3xf32>) -> tensor<?x3xf32, #n_3>
  %1 = relax.add %0, %b : (tensor<?x3xf32, #n_3>, tensor<3xf32>) -> tensor<?x3xf32, #n_3>
  %2 = relax.relu %1 : tensor<?x3xf32, #n_3>
  %3 = relax.sum %2 {axes = array<i64: 1>} : (tensor<?x3xf32, #n_3>) -> tensor<?xf32, #n>
  return %2, %3 : tensor<?x3xf32, #n_3>, tensor<?xf32, #n>
}
relax.weight_data @w : tensor<2x3xf32> = dense<[[1.0, 2.0, 3.0], [-1.0, 0.0, 1.0]]> : tensor<2x3xf32>

func.func private @printMemrefF32(tensor<*xf32>)

func.func private @print(%y: tensor<?x3xf32>, %s: tensor<?xf32>) {
  %0 = tensor.cast %y : tensor<?x3xf32> to tensor<*xf32>
  func.call @printMemrefF32(%0) : (tensor<*xf32>) -> ()
  %1 = tensor.cast %s : tensor<?xf32> to tensor<*xf32>
  func.call @printMemrefF32(%1) : (tensor<*xf32>) -> ()
  return
}

// CHECK: sizes = [2, 3]
// CHECK: {{\[}}[0,    2,   5],
// CHECK:  [2,    6,   10]]
// CHECK: sizes = [2]
// CHECK: [7,  18]
// CHECK: sizes = [0, 3]
// CHECK: sizes = [0]
// CHECK: sizes = [1, 3]
// CHECK: {{\[}}[0,    0,   1]]
// CHECK: sizes = [1]
// CHECK: [1]
func.func @main() {
  %x2 = arith.constant dense<[[1.0, 1.0], [3.0, 0.0]]> : tensor<2x2xf32>
  %y2, %s2 = relax.call @model(%x2) : (tensor<2x2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  %py2 = tensor.cast %y2 : tensor<2x3xf32> to tensor<?x3xf32>
  %ps2 = tensor.cast %s2 : tensor<2xf32> to tensor<?xf32>
  func.call @print(%py2, %ps2) : (tensor<?x3xf32>, tensor<?xf32>) -> ()
  %x0 = arith.constant dense<> : tensor<0x2xf32>
  %y0, %s0 = relax.call @model(%x0) : (tensor<0x2xf32>) -> (tensor<0x3xf32>, tensor<0xf32>)
  %py0 = tensor.cast %y0 : tensor<0x3xf32> to tensor<?x3xf32>
  %ps0 = tensor.cast %s0 : tensor<0xf32> to tensor<?xf32>
  func.call @print(%py0, %ps0) : (tensor<?x3xf32>, tensor<?xf32>) -> ()
  %x1 = arith.constant dense<0.0> : tensor<1x2xf32>
  %y1, %s1 = relax.call @model(%x1) : (tensor<1x2xf32>) -> (tensor<1x3xf32>, tensor<1xf32>)
  %py1 = tensor.cast %y1 : tensor<1x3xf32> to tensor<?x3xf32>
  %ps1 = tensor.cast %s1 : tensor<1xf32> to tensor<?xf32>
  func.call @print(%py1, %ps1) : (tensor<?x3xf32>, tensor<?xf32>) -> ()
  return
}
