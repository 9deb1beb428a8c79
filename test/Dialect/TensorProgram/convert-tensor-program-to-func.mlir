// RUN: relax-opt %s --relax-convert-tensor-program-to-func --split-input-file | FileCheck %s
// RUN: relax-opt %s --relax-convert-tensor-program-to-func=tensors=true --split-input-file | FileCheck %s --check-prefix=TENSORS
// The result is ready for one-shot bufferization and needs no allocation.
// RUN: relax-opt %s --relax-convert-tensor-program-to-func --canonicalize --eliminate-empty-tensors --one-shot-bufferize --canonicalize \
// RUN:   --split-input-file | FileCheck %s --check-prefix=BUFFERS --implicit-check-not=memref.alloc

#n_4 = #relax_sym.shape<[n, 4]>
#n_8 = #relax_sym.shape<[n, 8]>

// CHECK-LABEL: func.func private @matmul(
//  CHECK-SAME:   %[[X:.*]]: memref<?x4xf32> {{{[^}]*}}}, %[[W:.*]]: memref<4x8xf32>, %[[O:.*]]: memref<?x8xf32> {{{[^}]*}}},
//  CHECK-SAME:   %[[S:.*]]: memref<?x4xf32> {{{[^}]*}}}, %[[K:.*]]: index {relax_sym.expr = #relax_sym.expr<k>}, %{{.*}}: memref<1xi64>)
//  CHECK-SAME:   -> index attributes {relax_sym.scope = #relax_sym.scope<>, relax_tp.pattern_kind = "contraction", relax_tp.segments = array<i32: 2, 1, 1, 1>} {
//   CHECK-DAG:   %[[N:.*]] = memref.dim %[[O]], %{{.*}} : memref<?x8xf32>
//   CHECK-DAG:   %[[XT:.*]] = bufferization.to_tensor %[[X]] restrict : memref<?x4xf32>
//   CHECK-DAG:   %[[WT:.*]] = bufferization.to_tensor %[[W]] restrict : memref<4x8xf32>
//   CHECK-DAG:   %[[ST:.*]] = bufferization.to_tensor %[[S]] restrict writable : memref<?x4xf32>
//       CHECK:   %[[E:.*]] = linalg.exp ins(%[[XT]] : tensor<?x4xf32>) outs(%[[ST]] : tensor<?x4xf32>)
//       CHECK:   %[[EMPTY:.*]] = tensor.empty(%[[N]]) : tensor<?x8xf32>
//       CHECK:   %[[FILL:.*]] = linalg.fill ins(%{{.*}}) outs(%[[EMPTY]] :
//       CHECK:   %[[R:.*]] = linalg.matmul ins(%[[E]], %[[WT]] :
//       CHECK:   bufferization.materialize_in_destination %[[R]] in restrict writable %[[O]]
//       CHECK:   return %[[K]] : index

// TENSORS-LABEL: func.func private @matmul(
//  TENSORS-SAME:   %{{.*}}: tensor<?x4xf32> {{{[^}]*}}}, %{{.*}}: tensor<4x8xf32>, %[[O:.*]]: tensor<?x8xf32> {{{[^}]*}}}, %{{.*}}: tensor<?x4xf32> {{{[^}]*}}}, %[[K:.*]]: index {{{[^}]*}}})
//  TENSORS-SAME:   -> (tensor<?x8xf32>, index)
//       TENSORS:   linalg.fill ins(%{{.*}}) outs(%[[O]] :
//       TENSORS:   %[[R:.*]] = linalg.matmul
//       TENSORS:   return %[[R]], %[[K]] : tensor<?x8xf32>, index

// BUFFERS-LABEL: func.func private @matmul(
//  BUFFERS-SAME:   %[[X:.*]]: memref<?x4xf32> {{{[^}]*}}}, %[[W:.*]]: memref<4x8xf32>, %[[O:.*]]: memref<?x8xf32> {{{[^}]*}}}, %[[S:.*]]: memref<?x4xf32>
//       BUFFERS:   linalg.exp ins(%[[X]] : memref<?x4xf32>) outs(%[[S]] : memref<?x4xf32>)
//       BUFFERS:   linalg.fill ins(%{{.*}}) outs(%[[O]]
//       BUFFERS:   linalg.matmul ins(%[[S]], %[[W]] : {{.*}}) outs(%[[O]]
//   BUFFERS-NOT:   memref.copy
relax_tp.func private @matmul(%x: tensor<?x4xf32> {relax_sym.shape = #n_4}, %w: tensor<4x8xf32>)
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8}) workspaces(%s: tensor<?x4xf32> {relax_sym.shape = #n_4})
    scalars(%k: index {relax_sym.expr = #relax_sym.expr<k>}) -> (index)
    attributes {relax_sym.scope = #relax_sym.scope<>, relax_tp.pattern_kind = "contraction"} {
  %zero = arith.constant 0.0 : f32
  %e = linalg.exp ins(%x : tensor<?x4xf32>) outs(%s : tensor<?x4xf32>) -> tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = linalg.matmul ins(%e, %w : tensor<?x4xf32>, tensor<4x8xf32>) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32>
  relax_tp.yield %r, %k : tensor<?x8xf32>, index
}

// -----

// Two checks, one message each; equal messages share a site. The error word is one more argument.
// CHECK-LABEL: func.func @checks(
//  CHECK-SAME:   %{{.*}}: memref<4xi64>, %{{.*}}: memref<4xi64>, %[[ERROR:.*]]: memref<1xi64>)
//  CHECK-SAME:   relax_tp.sites = ["division by zero", "not positive"]
//       CHECK:   linalg.generic
//       CHECK:     %[[OK:.*]] = arith.cmpi ne
//       CHECK:     %[[FAILED:.*]] = arith.xori %[[OK]], %true
//       CHECK:     scf.if %[[FAILED]] {
//       CHECK:       memref.generic_atomic_rmw %[[ERROR]][%{{.*}}] : memref<1xi64> {
//       CHECK:       ^bb0(%[[OLD:.*]]: i64):
//       CHECK:         %[[FREE:.*]] = arith.cmpi eq, %[[OLD]], %{{.*}} : i64
//       CHECK:         %[[WORD:.*]] = arith.constant 1 : i64
//       CHECK:         %[[NEW:.*]] = arith.select %[[FREE]], %[[WORD]], %[[OLD]] : i64
//       CHECK:         memref.atomic_yield %[[NEW]] : i64
//       CHECK:     arith.cmpi sgt
//       CHECK:         arith.constant 2 : i64
//       CHECK:     arith.cmpi slt
//       CHECK:         arith.constant 1 : i64

// TENSORS-LABEL: func.func @checks(
//       TENSORS:   %[[OK:.*]] = arith.cmpi ne
//       TENSORS:   cf.assert %[[OK]], "division by zero"

// BUFFERS-LABEL: func.func @checks(
//  BUFFERS-SAME:   %[[X:.*]]: memref<4xi64>, %[[O:.*]]: memref<4xi64>, %[[ERROR:.*]]: memref<1xi64>)
//       BUFFERS:   linalg.generic {{.*}} ins(%[[X]] : memref<4xi64>) outs(%[[O]] : memref<4xi64>)
//       BUFFERS:     memref.generic_atomic_rmw %[[ERROR]]
relax_tp.func @checks(%x: tensor<4xi64>) outs(%o: tensor<4xi64>) {
  %zero = arith.constant 0 : i64
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi64>) outs(%o : tensor<4xi64>) {
  ^bb0(%a: i64, %out: i64):
    %nonzero = arith.cmpi ne, %a, %zero : i64
    relax_tp.assert %nonzero, "division by zero"
    %positive = arith.cmpi sgt, %a, %zero : i64
    relax_tp.assert %positive, "not positive"
    %negative = arith.cmpi slt, %a, %zero : i64
    relax_tp.assert %negative, "division by zero"
    linalg.yield %a : i64
  } -> tensor<4xi64>
  relax_tp.yield %0 : tensor<4xi64>
}

// -----

// The same tensor for two outs; extents of an out.
// CHECK-LABEL: func.func @twice(
//  CHECK-SAME:   %{{.*}}: memref<?xf32> {{{[^}]*}}}, %[[A:.*]]: memref<?xf32> {{{[^}]*}}}, %[[B:.*]]: memref<?xf32>
//       CHECK:   %[[DIM:.*]] = memref.dim %[[B]]
//       CHECK:   bufferization.materialize_in_destination %[[R:.*]] in restrict writable %[[A]]
//       CHECK:   bufferization.materialize_in_destination %[[R]] in restrict writable %[[B]]
//       CHECK:   return %[[DIM]] : index

// TENSORS-LABEL: func.func @twice(

// BUFFERS-LABEL: func.func @twice(
//       BUFFERS:   linalg.abs
//       BUFFERS:   memref.copy
#n = #relax_sym.shape<[n]>
relax_tp.func @twice(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%a: tensor<?xf32> {relax_sym.shape = #n}, %b: tensor<?xf32> {relax_sym.shape = #n}) -> (index)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %dim = tensor.dim %b, %c0 : tensor<?xf32>
  %0 = linalg.abs ins(%x : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  relax_tp.yield %0, %0, %dim : tensor<?xf32>, tensor<?xf32>, index
}
