// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --emit-bytecode | relax-opt | FileCheck %s

// The examples of the descriptions.

// CHECK-LABEL: func.func @all(
func.func @all(%x: tensor<?x4xi1, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.all
  %r = relax.all %x {axes = array<i64: 1>} : (tensor<?x4xi1, #relax_sym.shape<[n, 4]>>) -> tensor<?xi1, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @any(
func.func @any(%x: tensor<?x4xi1, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.any
  %r = relax.any %x {axes = array<i64: 1>} : (tensor<?x4xi1, #relax_sym.shape<[n, 4]>>) -> tensor<?xi1, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @argmax(
func.func @argmax(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.argmax
  %r = relax.argmax %x {axis = 1 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?xi64, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @argmin(
func.func @argmin(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.argmin
  %r = relax.argmin %x {axis = 1 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?xi64, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @cumprod(
func.func @cumprod(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.cumprod
  %r = relax.cumprod %x {axis = 1 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @cumsum(
func.func @cumsum(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.cumsum
  %r = relax.cumsum %x {axis = 1 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}
