// RUN: relax-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @argsort(
func.func @argsort(%x: tensor<?xf32, #relax_sym.shape<[n]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.argsort
  %r = relax.argsort %x {axis = 0 : i64} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xi64, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @nonzero(
func.func @nonzero(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.nonzero
  %r = relax.nonzero %x binds [u] : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<2x?xi64, #relax_sym.shape<[2, u]>>
  return
}

// CHECK-LABEL: func.func @unique(
func.func @unique(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?xf32, #relax_sym.shape<[u]>>
    attributes {relax_sym.scope = #relax_sym.scope<"u <= n * 4">} {
  // CHECK: relax.unique %{{.*}} binds [u] : (tensor<?x4xf32, #{{.*}}>) -> tensor<?xf32, #{{.*}}>
  %0 = relax.unique %x binds [u] : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?xf32, #relax_sym.shape<[u]>>
  return %0 : tensor<?xf32, #relax_sym.shape<[u]>>
}
