// RUN: relax-opt %s --relax-legalize-ops | FileCheck %s

// The program tells how many elements it found; that binds the symbol, and a second program takes as many.
// CHECK-LABEL: relax_tp.func private @unique(
//  CHECK-SAME:     %{{.*}}: memref<?x4xf32> {{.*}}) outs(%{{.*}}: memref<?xf32> {{.*}}, %[[COUNT:.*]]: memref<1xi64>)
//       CHECK:   scf.while
//       CHECK:   memref.store %{{.*}}, %[[COUNT]]
//       CHECK:   relax_tp.yield
// CHECK-LABEL: relax_tp.func private @front(
//       CHECK:   tensor.extract_slice
// CHECK-LABEL: func.func @main(
//       CHECK:   %[[R:.*]]:2 = relax.call_tp @unique(%{{.*}}) : {{.*}} -> (tensor<?xf32, #{{.*}}>, tensor<1xi64>)
//       CHECK:   %[[S:.*]] = relax.tensor_to_shape %[[R]]#1 binds [u] : tensor<1xi64> -> !relax.shape<[u]>
//       CHECK:   relax.call_tp @front(%[[R]]#0) shape(%[[S]])
func.func @main(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?xf32, #relax_sym.shape<[u]>>
    attributes {relax_sym.scope = #relax_sym.scope<"u <= n * 4">} {
  %0 = relax.unique %x binds [u] : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?xf32, #relax_sym.shape<[u]>>
  return %0 : tensor<?xf32, #relax_sym.shape<[u]>>
}
