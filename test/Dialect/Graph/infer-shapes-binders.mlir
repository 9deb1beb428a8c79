// RUN: relax-opt %s --relax-infer-shapes --relax-insert-checks | FileCheck %s --implicit-check-not=relax.assert_shape

// Ops that find sizes say what is known of them, so that what relies on it needs no check.

#n = #relax_sym.shape<[n]>
#n4 = #relax_sym.shape<[n, 4]>
#u = #relax_sym.shape<[u]>
#rest = #relax_sym.shape<[n - u]>

// CHECK-LABEL: func.func @nonzero(
//  CHECK-SAME:   relax_sym.scope = #relax_sym.scope<"u <= n">
//       CHECK:   relax.slice %arg0 {{.*}}relax.assured
func.func @nonzero(%x: tensor<?xf32, #n>) -> tensor<?xf32, #rest> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %p = relax.nonzero %x binds [u] : (tensor<?xf32, #n>) -> tensor<1x?xi64, #relax_sym.shape<[1, u]>>
  %s = relax.shape_of %p : tensor<1x?xi64, #relax_sym.shape<[1, u]>> -> !relax.shape<[1, u]>
  %r = relax.slice %x shape(%s) {axes = array<i64: 0>, starts = [#relax_sym.expr<u>], ends = [#relax_sym.expr<n>], strides = array<i64: 1>}
      : (tensor<?xf32, #n>, !relax.shape<[1, u]>) -> tensor<?xf32, #rest>
  return %r : tensor<?xf32, #rest>
}

// CHECK-LABEL: func.func @unique(
//  CHECK-SAME:   relax_sym.scope = #relax_sym.scope<"u <= n * 4", "v <= n * 4">
func.func @unique(%x: tensor<?x4xi32, #n4>) -> (tensor<?xi32, #u>, tensor<?xi32, #relax_sym.shape<[v]>>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = relax.unique %x binds [u] : (tensor<?x4xi32, #n4>) -> tensor<?xi32, #u>
  %a, %b, %c, %d = relax.unique_all %x binds [v] : (tensor<?x4xi32, #n4>) -> (tensor<?xi32, #relax_sym.shape<[v]>>,
      tensor<?xi64, #relax_sym.shape<[v]>>, tensor<?xi64, #relax_sym.shape<[n * 4]>>, tensor<?xi64, #relax_sym.shape<[v]>>)
  return %r, %a : tensor<?xi32, #u>, tensor<?xi32, #relax_sym.shape<[v]>>
}

// CHECK-LABEL: func.func @compress(
//  CHECK-SAME:   relax_sym.scope = #relax_sym.scope<"u <= n">
func.func @compress(%x: tensor<?x4xf32, #n4>, %m: tensor<?xi1, #n>) -> tensor<?x4xf32, #relax_sym.shape<[u, 4]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = relax.compress %x, %m binds [u] {axis = 0 : i64} : (tensor<?x4xf32, #n4>, tensor<?xi1, #n>) -> tensor<?x4xf32, #relax_sym.shape<[u, 4]>>
  return %r : tensor<?x4xf32, #relax_sym.shape<[u, 4]>>
}

// CHECK-LABEL: func.func @slice(
//  CHECK-SAME:   relax_sym.scope = #relax_sym.scope<"u <= n">
func.func @slice(%x: tensor<?xf32, #n>, %b: tensor<1xi64>) -> tensor<?xf32, #u> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = relax.dynamic_slice %x, %b, %b binds [u] {axes = array<i64: 0>} : (tensor<?xf32, #n>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32, #u>
  return %r : tensor<?xf32, #u>
}
