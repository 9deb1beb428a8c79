// RUN: relax-opt %s --relax-legalize-ops --split-input-file | FileCheck %s

#n = #relax_sym.shape<[n, 4]>
#u = #relax_sym.shape<[u, 4]>

// One program clamps the bounds and counts, the count binds the symbol, a second program copies.
// CHECK-LABEL: relax_tp.func private @slice_bounds(
//  CHECK-SAME:     %{{.*}}: memref<1xi64>) outs(%[[COUNT:.*]]: memref<1xi64>, %[[FIRST:.*]]: memref<1xi64>, %{{.*}}: memref<1xi64>) scalars(%{{.*}}: index
//       CHECK:   relax_tp.assert %{{.*}}, "slice with a stride of 0"
//       CHECK:   memref.store %{{.*}}, %[[COUNT]]
//       CHECK:   memref.store %{{.*}}, %[[FIRST]]
// CHECK-LABEL: relax_tp.func private @dynamic_slice(
//       CHECK:   tensor.extract_slice
// CHECK-LABEL: func.func @slice(
//       CHECK:   %[[B:.*]]:3 = relax.call_tp @slice_bounds(%arg1)
//       CHECK:   relax.tensor_to_shape %[[B]]#0 binds [u]
//       CHECK:   relax.call_tp @dynamic_slice(%arg0, %[[B]]#1)
func.func @slice(%x: tensor<?x4xf32, #n>, %b: tensor<1xi64>) -> tensor<?x4xf32, #u> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = relax.dynamic_slice %x, %b, %b binds [u] {axes = array<i64: 0>} : (tensor<?x4xf32, #n>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32, #u>
  return %r : tensor<?x4xf32, #u>
}

// -----

// An index is checked before it is used.
// CHECK-LABEL: relax_tp.func private @gather_nd(
//       CHECK:   linalg.generic
//       CHECK:     %[[INSIDE:.*]] = arith.cmpi ult
//       CHECK:     relax_tp.assert %[[INSIDE]], "index is out of range"
//       CHECK:     scf.if
//       CHECK:       tensor.extract
// CHECK-LABEL: relax_tp.func private @scatter_nd(
//       CHECK:   relax_tp.assert %{{.*}}, "index is out of range"
//       CHECK:   scf.if
//       CHECK:     arith.addf
//       CHECK:     memref.store
func.func @tuples(%x: tensor<3x4xf32>, %i: tensor<?x1xi64, #relax_sym.shape<[n, 1]>>) -> tensor<3x4xf32>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %g = relax.gather_nd %x, %i {batch_dims = 0 : i64} : (tensor<3x4xf32>, tensor<?x1xi64, #relax_sym.shape<[n, 1]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  %r = relax.scatter_nd %x, %i, %g {reduction = "add"}
      : (tensor<3x4xf32>, tensor<?x1xi64, #relax_sym.shape<[n, 1]>>, tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

// A stable sort needs room for one line of indices.
// CHECK-LABEL: relax_tp.func private @argsort(
//  CHECK-SAME:     workspaces(%[[ROOM:.*]]: memref<?xi64>
//       CHECK:   scf.while
//       CHECK:   memref.store %{{.*}}, %[[ROOM]]
func.func @order(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xi64, #relax_sym.shape<[n, 4]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = relax.argsort %x {axis = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xi64, #relax_sym.shape<[n, 4]>>
  return %r : tensor<?x4xi64, #relax_sym.shape<[n, 4]>>
}
