// Calls of library functions leave as calls of external functions that stock tools lower, and that run.
// RUN: relax-opt %s --relax-to-linalg -o %t.mlir
// RUN: FileCheck %s --check-prefix=PLAIN --implicit-check-not=relax < %t.mlir
// DEFINE: %{lower} = mlir-opt --pass-pipeline="builtin.module(one-shot-bufferize{bufferize-function-boundaries=true},canonicalize,func.func(convert-linalg-to-loops,lower-affine),expand-strided-metadata,lower-affine,arith-expand,convert-scf-to-cf,convert-math-to-llvm,finalize-memref-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)"
// DEFINE: %{run} = mlir-runner -entry-point-result=void -shared-libs=%mlir_libs/libmlir_runner_utils.so,%mlir_libs/libmlir_c_runner_utils.so,%relax_libs/PlainLibrary.so
// RUN: %{lower} %t.mlir | %{run} -e main | FileCheck %s
// RUN: %{lower} %t.mlir -o %t.lowered.mlir
// RUN: not --crash %{run} -e fails %t.lowered.mlir

// The example of a language model is plain, too.
// RUN: relax-opt %relax_src/examples/llm_block.mlir --relax-to-linalg -o %t.block.mlir
// RUN: FileCheck %s --check-prefix=BLOCK < %t.block.mlir
// RUN: mlir-opt %t.block.mlir -o /dev/null
// RUN: %{lower} %t.block.mlir | FileCheck %s --check-prefix=LOWERED

// BLOCK-DAG: func.func private @example_embedding(tensor<?x?xf32> {bufferization.access = "read", bufferization.buffer_layout = #{{.*}}}, tensor<?x?xi64> {{{.*}}}, memref<?x?x?xf32>) -> i32 attributes {llvm.emit_c_interface}
// BLOCK-DAG: func.func private @example_attention(tensor<?x?x?xf32> {{{.*}}}, tensor<?x?x?x?xf16> {{{.*}}}, memref<?x?x?xf32>, memref<?x?x?x?xf16>) -> i32 attributes {llvm.emit_c_interface}
// BLOCK: call @example_embedding
// BLOCK: call @example_attention
// LOWERED-DAG: llvm.func @_mlir_ciface_example_embedding(
// LOWERED-DAG: llvm.func @_mlir_ciface_example_attention(

#n_m = #relax_sym.shape<[n, m]>
#n = #relax_sym.shape<[n]>

// PLAIN: func.func private @plain_scale(tensor<?x?xf32> {{{.*}}}, memref<?x?xf32>, memref<?xf32>, memref<?xi8>, index) -> i32
relax_ext.func private @scale(%x: tensor<?x?xf32> {relax_sym.shape = #n_m})
    outs(%scaled: tensor<?x?xf32> {relax_sym.shape = #n_m}, %sums: tensor<?xf32> {relax_sym.shape = #n})
    scalars(%factor: index {relax_sym.expr = #relax_sym.expr<k>})
    where "m >= 1" attributes {symbol = "plain_scale", workspace_bytes = #relax_sym.expr<m * 4>, relax_sym.scope = #relax_sym.scope<>}

// PLAIN-LABEL: func.func @model(
//       PLAIN:   cf.assert %{{.*}}, "relax.call_dps @scale{{.*}} (m >= 1)"
//       PLAIN:   %[[CODE:.*]] = call @plain_scale(
//       PLAIN:   %[[OK:.*]] = arith.cmpi eq, %[[CODE]], %{{.*}} : i32
//       PLAIN:   cf.assert %[[OK]], "library function 'plain_scale' failed"
//       PLAIN:   bufferization.to_tensor %{{.*}} restrict writable
//       PLAIN:   linalg.generic
func.func @model(%x: tensor<?x?xf32, #n_m>, %s: !relax.shape<[k]>) -> (tensor<?x?xf32, #n_m>, tensor<?xf32, #n>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0:2 = relax.call_dps @scale(%x) shape(%s)
      : (tensor<?x?xf32, #n_m>, !relax.shape<[k]>) -> (tensor<?x?xf32, #n_m>, tensor<?xf32, #n>)
  %1 = relax.add %0#0, %x : (tensor<?x?xf32, #n_m>, tensor<?x?xf32, #n_m>) -> tensor<?x?xf32, #n_m>
  return %1, %0#1 : tensor<?x?xf32, #n_m>, tensor<?xf32, #n>
}

func.func private @printMemrefF32(tensor<*xf32>)

func.func private @print(%y: tensor<?x?xf32, #n_m>, %sums: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.erase_shape %y : tensor<?x?xf32, #n_m> to tensor<?x?xf32>
  %1 = tensor.cast %0 : tensor<?x?xf32> to tensor<*xf32>
  func.call @printMemrefF32(%1) : (tensor<*xf32>) -> ()
  %2 = relax.erase_shape %sums : tensor<?xf32, #n> to tensor<?xf32>
  %3 = tensor.cast %2 : tensor<?xf32> to tensor<*xf32>
  func.call @printMemrefF32(%3) : (tensor<*xf32>) -> ()
  return
}

// CHECK: sizes = [2, 3]
// CHECK: {{\[}}[0,    5,   10],
// CHECK:  [15,    20,   25]]
// CHECK: sizes = [2]
// CHECK: [3,  12]
// CHECK: sizes = [0, 3]
// CHECK: sizes = [0]
// CHECK: sizes = [1, 1]
// CHECK: {{\[}}[35]]
// CHECK: [7]
func.func @main() {
  %k = relax.make_shape : () -> !relax.shape<[4]>
  %x = arith.constant dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>
  %0:2 = relax.call @model(%x, %k) : (tensor<2x3xf32>, !relax.shape<[4]>) -> (tensor<2x3xf32>, tensor<2xf32>)
  relax.call @print(%0#0, %0#1) : (tensor<2x3xf32>, tensor<2xf32>) -> ()
  %none = arith.constant dense<> : tensor<0x3xf32>
  %1:2 = relax.call @model(%none, %k) : (tensor<0x3xf32>, !relax.shape<[4]>) -> (tensor<0x3xf32>, tensor<0xf32>)
  relax.call @print(%1#0, %1#1) : (tensor<0x3xf32>, tensor<0xf32>) -> ()
  %one = arith.constant dense<7.0> : tensor<1x1xf32>
  %2:2 = relax.call @model(%one, %k) : (tensor<1x1xf32>, !relax.shape<[4]>) -> (tensor<1x1xf32>, tensor<1xf32>)
  relax.call @print(%2#0, %2#1) : (tensor<1x1xf32>, tensor<1xf32>) -> ()
  return
}

// Its elements are negative, which the library function refuses.
func.func @fails() {
  %k = relax.make_shape : () -> !relax.shape<[4]>
  %x = arith.constant dense<-1.0> : tensor<1x1xf32>
  %0:2 = relax.call @model(%x, %k) : (tensor<1x1xf32>, !relax.shape<[4]>) -> (tensor<1x1xf32>, tensor<1xf32>)
  relax.call @print(%0#0, %0#1) : (tensor<1x1xf32>, tensor<1xf32>) -> ()
  return
}
