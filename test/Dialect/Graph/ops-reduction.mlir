// RUN: relax-opt %s --verify-roundtrip | FileCheck %s

#n_4 = #relax_sym.shape<[n, 4]>
#n = #relax_sym.shape<[n]>

// CHECK-LABEL: func.func @reductions(
func.func @reductions(%x: tensor<?x4xf32, #n_4>, %i: tensor<?x4xi64, #n_4>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.sum %{{.*}} {axes = array<i64: 1>} : (tensor<?x4xf32, #{{.*}}>) -> tensor<?xf32, #{{.*}}>
  %0 = relax.sum %x {axes = array<i64: 1>} : (tensor<?x4xf32, #n_4>) -> tensor<?xf32, #n>
  // CHECK: relax.prod %{{.*}} {axes = array<i64: 0>} : (tensor<?x4xf32, #{{.*}}>) -> tensor<4xf32>
  %1 = relax.prod %x {axes = array<i64: 0>} : (tensor<?x4xf32, #n_4>) -> tensor<4xf32>
  // CHECK: relax.max %{{.*}} {axes = array<i64: 1>, keepdims} : (tensor<?x4xi64, #{{.*}}>) -> tensor<?x1xi64, #{{.*}}>
  %2 = relax.max %i {axes = array<i64: 1>, keepdims} : (tensor<?x4xi64, #n_4>) -> tensor<?x1xi64, #relax_sym.shape<[n, 1]>>
  // CHECK: relax.min %{{.*}} {axes = array<i64: 0, 1>} : (tensor<?x4xf32, #{{.*}}>) -> tensor<f32>
  %3 = relax.min %x {axes = array<i64: 0, 1>} : (tensor<?x4xf32, #n_4>) -> tensor<f32>
  // CHECK: relax.mean %{{.*}} {axes = array<i64>} : (tensor<?x4xf32, #{{.*}}>) -> tensor<?x4xf32, #{{.*}}>
  %4 = relax.mean %x {axes = array<i64>} : (tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4>
  return
}

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
