// RUN: relax-opt %s --relax-decompose-ops --split-input-file | FileCheck %s

#n = #relax_sym.shape<[n]>
#top = #relax_sym.shape<[min(k, n)]>

// CHECK-LABEL: func.func @topk(
//       CHECK:   %[[ORDER:.*]] = relax.argsort %arg0 {axis = 0 : i64, descending}
//       CHECK:   %[[BEST:.*]] = relax.slice %[[ORDER]] shape(%{{.*}})
//       CHECK:   %[[VALUES:.*]] = relax.take_along_axis %arg0, %[[BEST]] {axis = 0 : i64}
//       CHECK:   return %[[VALUES]], %[[BEST]]
func.func @topk(%x: tensor<?xf32, #n>, %k: !relax.shape<[k]>) -> (tensor<?xf32, #top>, tensor<?xi64, #top>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %v, %i = relax.topk %x, %k {axis = 0 : i64} : (tensor<?xf32, #n>, !relax.shape<[k]>) -> (tensor<?xf32, #top>, tensor<?xi64, #top>)
  return %v, %i : tensor<?xf32, #top>, tensor<?xi64, #top>
}

// -----

#n = #relax_sym.shape<[n]>
#half = #relax_sym.shape<[n floordiv 2]>

// What the op that was written needs is asserted in its name.
// CHECK-LABEL: func.func @halves(
//       CHECK:   relax.assert_shape %{{.*}}, "{{.*}}", "relax.split: the extents [n] need
// CHECK-COUNT-2: relax.slice
func.func @halves(%x: tensor<?xf32, #n>) -> (tensor<?xf32, #half>, tensor<?xf32, #half>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r:2 = relax.split %x {axis = 0 : i64, sections = 2 : i64} : (tensor<?xf32, #n>) -> (tensor<?xf32, #half>, tensor<?xf32, #half>)
  return %r#0, %r#1 : tensor<?xf32, #half>, tensor<?xf32, #half>
}

// -----

// Unknown extents get names, in every function.
// CHECK-LABEL: func.func @unknown(
//  CHECK-SAME:   %[[X:.*]]: tensor<?xf32>)
//       CHECK:   %[[N:.*]] = relax.match_cast %[[X]] binds [d]
//       CHECK:   relax.reshape
//       CHECK:   %[[R:.*]] = relax.erase_shape
//       CHECK:   return %[[R]] : tensor<?xf32>
func.func @unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = relax.tile %x {repeats = [#relax_sym.expr<2>]} : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#mask = #relax_sym.shape<[n, m]>
#found = #relax_sym.shape<[u]>

// A mask of two dimensions: both become one.
// CHECK-LABEL: func.func @mask(
//   CHECK-DAG:   relax.reshape %arg0
//   CHECK-DAG:   relax.reshape %arg1
//       CHECK:   %[[P:.*]] = relax.nonzero %{{.*}} binds [u]
//       CHECK:   %[[L:.*]] = relax.squeeze %[[P]]
//       CHECK:   relax.take %{{.*}}, %[[L]] {axis = 0 : i64}
func.func @mask(%x: tensor<?x?xf32, #mask>, %m: tensor<?x?xi1, #mask>) -> tensor<?xf32, #found>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = relax.compress %x, %m binds [u] {axis = 0 : i64} : (tensor<?x?xf32, #mask>, tensor<?x?xi1, #mask>) -> tensor<?xf32, #found>
  return %r : tensor<?xf32, #found>
}

// -----

// A product of matrices, whatever the letters are.
// CHECK-LABEL: func.func @einsum(
//   CHECK-NOT:   relax.einsum
//       CHECK:   relax.matmul
func.func @einsum(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %y: tensor<8x4xf32>) -> tensor<8x?xf32, #relax_sym.shape<[8, n]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = relax.einsum %x, %y {equation = "nk,mk->mn"} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<8x4xf32>)
      -> tensor<8x?xf32, #relax_sym.shape<[8, n]>>
  return %r : tensor<8x?xf32, #relax_sym.shape<[8, n]>>
}
