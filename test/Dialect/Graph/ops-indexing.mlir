// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --emit-bytecode | relax-opt | FileCheck %s

// The examples of the descriptions.

// CHECK-LABEL: func.func @dynamic_slice(
func.func @dynamic_slice(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %b: tensor<1xi64>, %e: tensor<1xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.dynamic_slice
  %r = relax.dynamic_slice %x, %b, %e binds [u] {axes = array<i64: 0>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32, #relax_sym.shape<[u, 4]>>
  return
}

// CHECK-LABEL: func.func @gather_nd(
func.func @gather_nd(%x: tensor<3x4x5xf32>, %i: tensor<?x2xi64, #relax_sym.shape<[n, 2]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.gather_nd
  %r = relax.gather_nd %x, %i {batch_dims = 0 : i64} : (tensor<3x4x5xf32>, tensor<?x2xi64, #relax_sym.shape<[n, 2]>>) -> tensor<?x5xf32, #relax_sym.shape<[n, 5]>>
  return
}

// CHECK-LABEL: func.func @scatter_elements(
func.func @scatter_elements(%x: tensor<?xf32, #relax_sym.shape<[n]>>, %i: tensor<?xi64, #relax_sym.shape<[m]>>, %u: tensor<?xf32, #relax_sym.shape<[m]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.scatter_elements
  %r = relax.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "add"} : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<?xi64, #relax_sym.shape<[m]>>, tensor<?xf32, #relax_sym.shape<[m]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @scatter_nd(
func.func @scatter_nd(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %i: tensor<?x1xi64, #relax_sym.shape<[m, 1]>>, %u: tensor<?x4xf32, #relax_sym.shape<[m, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.scatter_nd
  %r = relax.scatter_nd %x, %i, %u {reduction = "none"} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<?x1xi64, #relax_sym.shape<[m, 1]>>, tensor<?x4xf32, #relax_sym.shape<[m, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @take_along_axis(
func.func @take_along_axis(%x: tensor<?x8xf32, #relax_sym.shape<[n, 8]>>, %i: tensor<?x2xi64, #relax_sym.shape<[n, 2]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.take_along_axis
  %r = relax.take_along_axis %x, %i {axis = 1 : i64} : (tensor<?x8xf32, #relax_sym.shape<[n, 8]>>, tensor<?x2xi64, #relax_sym.shape<[n, 2]>>) -> tensor<?x2xf32, #relax_sym.shape<[n, 2]>>
  return
}
