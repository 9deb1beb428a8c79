// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --emit-bytecode | relax-opt | FileCheck %s

// The examples of the descriptions.

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
func.func @unique(%x: tensor<?xf32, #relax_sym.shape<[n]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.unique
  %r = relax.unique %x binds [u] : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[u]>>
  return
}
