// RUN: relax-opt %s --relax-library-calls-to-func --split-input-file | FileCheck %s

#n_4 = #relax_sym.shape<[n, 4]>
#n_8 = #relax_sym.shape<[n, 8]>

// Inputs are tensors, outs memory; one declaration serves two signatures that differ in static extents.
//     CHECK: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-NOT: relax_ext.func
//     CHECK: func.func private @lib_gemm(tensor<?x?xf32> {bufferization.access = "read", bufferization.buffer_layout = #[[ROWS]]},
// CHECK-SAME:   tensor<?x?xf32> {bufferization.access = "read", bufferization.buffer_layout = #[[ROWS]]},
// CHECK-SAME:   memref<?x?xf32>) -> i32 attributes {llvm.emit_c_interface}
// CHECK-NOT: func.func private @lib_gemm
relax_ext.func private @gemm(%a: tensor<?x4xf32> {relax_sym.shape = #n_4}, %b: tensor<4x8xf32>)
    outs(%c: tensor<?x8xf32> {relax_sym.shape = #n_8}) attributes {symbol = "lib_gemm", relax_sym.scope = #relax_sym.scope<>}
relax_ext.func private @gemm_4(%a: tensor<?x8xf32> {relax_sym.shape = #n_8}, %b: tensor<8x4xf32>)
    outs(%c: tensor<?x4xf32> {relax_sym.shape = #n_4}) attributes {symbol = "lib_gemm", relax_sym.scope = #relax_sym.scope<>}
relax_ext.func private @unused(%a: tensor<4xf32>) outs(%c: tensor<4xf32>) attributes {symbol = "unused"}

// CHECK-LABEL: func.func @twice(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x4xf32, #{{.*}}>, %[[W:.*]]: tensor<4x8xf32>
//       CHECK:   %[[PX:.*]] = relax.erase_shape %[[X]]
//       CHECK:   %[[DX:.*]] = tensor.cast %[[PX]] : tensor<?x4xf32> to tensor<?x?xf32>
//       CHECK:   %[[DW:.*]] = tensor.cast %[[W]] : tensor<4x8xf32> to tensor<?x?xf32>
//       CHECK:   %[[N:.*]] = relax.eval_expr %{{.*}}, n
//       CHECK:   %[[C8:.*]] = arith.constant 8 : index
//       CHECK:   %[[OUT:.*]] = memref.alloc(%[[N]], %[[C8]]) {alignment = 64 : i64} : memref<?x?xf32>
//       CHECK:   %[[CODE:.*]] = call @lib_gemm(%[[DX]], %[[DW]], %[[OUT]]) : (tensor<?x?xf32>, tensor<?x?xf32>, memref<?x?xf32>) -> i32
//       CHECK:   %[[ZERO:.*]] = arith.constant 0 : i32
//       CHECK:   %[[OK:.*]] = arith.cmpi eq, %[[CODE]], %[[ZERO]] : i32
//       CHECK:   cf.assert %[[OK]], "library function 'lib_gemm' failed"
//       CHECK:   %[[T:.*]] = bufferization.to_tensor %[[OUT]] restrict writable : memref<?x?xf32> to tensor<?x?xf32>
//       CHECK:   %[[R:.*]] = relax.match_cast %[[T]] : tensor<?x?xf32> to tensor<?x8xf32, #{{.*}}>
//       CHECK:   relax.erase_shape %[[R]]
//       CHECK:   call @lib_gemm(
func.func @twice(%x: tensor<?x4xf32, #n_4>, %w: tensor<4x8xf32>, %v: tensor<8x4xf32>) -> tensor<?x4xf32, #n_4>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.dataflow -> (tensor<?x4xf32, #n_4>) {
    %1 = relax.call_dps @gemm(%x, %w) : (tensor<?x4xf32, #n_4>, tensor<4x8xf32>) -> tensor<?x8xf32, #n_8>
    %2 = relax.call_dps @gemm_4(%1, %v) : (tensor<?x8xf32, #n_8>, tensor<8x4xf32>) -> tensor<?x4xf32, #n_4>
    relax.output %2 : tensor<?x4xf32, #n_4>
  }
  return %0 : tensor<?x4xf32, #n_4>
}

// -----

#n = #relax_sym.shape<[n]>
#k = #relax_sym.shape<[k]>
#sum = #relax_sym.shape<[n + k]>

// What is not proved is asserted, once; scratch memory and scalars follow the outs.
// CHECK: func.func private @append(tensor<?xi32> {{{.*}}}, tensor<i32> {{{.*}}}, memref<?xi32>, memref<?xi8>, index) -> i32
relax_ext.func private @append(%x: tensor<?xi32> {relax_sym.shape = #n}, %v: tensor<i32>)
    outs(%o: tensor<?xi32> {relax_sym.shape = #sum}) scalars(%k: index {relax_sym.expr = #relax_sym.expr<k>})
    where "k >= 1" attributes {symbol = "append", workspace_bytes = #relax_sym.expr<n * 4 + 16>, relax_sym.scope = #relax_sym.scope<>}

// CHECK-LABEL: func.func @checked(
//       CHECK:   relax.assert_shape %{{.*}}, "k >= 1", "relax.call_dps @append"
//       CHECK:   %[[SIZE:.*]] = relax.eval_expr %{{.*}}, {{k \+ n|n \+ k}}
//       CHECK:   %[[OUT:.*]] = memref.alloc(%[[SIZE]])
//       CHECK:   %[[BYTES:.*]] = relax.eval_expr %{{.*}}, n * 4 + 16
//       CHECK:   %[[SCRATCH:.*]] = memref.alloc(%[[BYTES]]) {alignment = 64 : i64} : memref<?xi8>
//       CHECK:   %[[K:.*]] = relax.eval_expr %{{.*}}, k
//       CHECK:   call @append(%{{.*}}, %{{.*}}, %[[OUT]], %[[SCRATCH]], %[[K]])
// CHECK-LABEL: func.func @known(
//   CHECK-NOT:   relax.assert_shape
//       CHECK:   call @append(
// CHECK-LABEL: func.func @asserted(
//       CHECK:   relax.assert_shape %{{.*}}, "k >= 2", "mine"
//   CHECK-NOT:   relax.assert_shape
//       CHECK:   call @append(
func.func @checked(%x: tensor<?xi32, #n>, %v: tensor<i32>, %s: !relax.shape<[k]>) -> tensor<?xi32, #sum>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_dps @append(%x, %v) shape(%s) : (tensor<?xi32, #n>, tensor<i32>, !relax.shape<[k]>) -> tensor<?xi32, #sum>
  return %0 : tensor<?xi32, #sum>
}
func.func @known(%x: tensor<?xi32, #n>, %v: tensor<i32>, %s: !relax.shape<[k]>) -> tensor<?xi32, #sum>
    attributes {relax_sym.scope = #relax_sym.scope<"k >= 3">} {
  %0 = relax.call_dps @append(%x, %v) shape(%s) : (tensor<?xi32, #n>, tensor<i32>, !relax.shape<[k]>) -> tensor<?xi32, #sum>
  return %0 : tensor<?xi32, #sum>
}
func.func @asserted(%x: tensor<?xi32, #n>, %v: tensor<i32>, %s: !relax.shape<[k]>) -> tensor<?xi32, #sum>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax.assert_shape %s, "k >= 2", "mine" : !relax.shape<[k]>
  %0 = relax.call_dps @append(%x, %v) shape(%s) : (tensor<?xi32, #n>, tensor<i32>, !relax.shape<[k]>) -> tensor<?xi32, #sum>
  return %0 : tensor<?xi32, #sum>
}
