// RUN: relax-opt %s --verify-roundtrip | FileCheck %s

#n_4 = #relax_sym.shape<[n, 4]>

// CHECK-LABEL: func.func @reshape(
func.func @reshape(%x: tensor<?x4xf32, #n_4>, %s: !relax.shape<[n * 4]>, %t: !relax.shape<[m, n, 4]>, %one: tensor<1x4xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.reshape %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, !relax.shape<[n * 4]>) -> tensor<?xf32, #{{.*}}>
  %0 = relax.reshape %x, %s : (tensor<?x4xf32, #n_4>, !relax.shape<[n * 4]>) -> tensor<?xf32, #relax_sym.shape<[n * 4]>>
  // CHECK: relax.broadcast_to %{{.*}}, %{{.*}} : (tensor<1x4xf32>, !relax.shape<[m, n, 4]>) -> tensor<?x?x4xf32, #{{.*}}>
  %1 = relax.broadcast_to %one, %t : (tensor<1x4xf32>, !relax.shape<[m, n, 4]>) -> tensor<?x?x4xf32, #relax_sym.shape<[m, n, 4]>>
  return
}

// CHECK-LABEL: func.func @dims(
func.func @dims(%x: tensor<?x4xf32, #n_4>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.permute_dims %{{.*}} {permutation = array<i64: 1, 0>}
  %0 = relax.permute_dims %x {permutation = array<i64: 1, 0>} : (tensor<?x4xf32, #n_4>) -> tensor<4x?xf32, #relax_sym.shape<[4, n]>>
  // CHECK: relax.expand_dims %{{.*}} {axes = array<i64: 1, 3>}
  %1 = relax.expand_dims %x {axes = array<i64: 1, 3>} : (tensor<?x4xf32, #n_4>) -> tensor<?x1x4x1xf32, #relax_sym.shape<[n, 1, 4, 1]>>
  // CHECK: relax.squeeze %{{.*}} {axes = array<i64: 3, 1>}
  %2 = relax.squeeze %1 {axes = array<i64: 3, 1>} : (tensor<?x1x4x1xf32, #relax_sym.shape<[n, 1, 4, 1]>>) -> tensor<?x4xf32, #n_4>
  return
}

// CHECK-LABEL: func.func @parts(
func.func @parts(%x: tensor<?x4xf32, #n_4>, %y: tensor<2x4xf32>, %i: tensor<?x2xi32, #relax_sym.shape<[m, 2]>>, %s: !relax.shape<[k]>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.slice %{{.*}} {axes = array<i64: 0>, ends = [#{{.*}}], starts = [#{{.*}}], strides = array<i64: 2>}
  %0 = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<1>], ends = [#relax_sym.expr<n>], strides = array<i64: 2>}
      : (tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #relax_sym.shape<[n floordiv 2, 4]>>
  // CHECK: relax.slice %{{.*}} shape(%{{.*}})
  %1 = relax.slice %x shape(%s) {axes = array<i64: 1, 0>, starts = [#relax_sym.expr<3>, #relax_sym.expr<0>], ends = [#relax_sym.expr<-1>, #relax_sym.expr<k>], strides = array<i64: -1, 1>}
      : (tensor<?x4xf32, #n_4>, !relax.shape<[k]>) -> tensor<?x4xf32, #relax_sym.shape<[k, 4]>>
  // CHECK: relax.concat %{{.*}}, %{{.*}}, %{{.*}} {axis = 0 : i64}
  %2 = relax.concat %x, %y, %x {axis = 0 : i64} : (tensor<?x4xf32, #n_4>, tensor<2x4xf32>, tensor<?x4xf32, #n_4>)
      -> tensor<?x4xf32, #relax_sym.shape<[n * 2 + 2, 4]>>
  // CHECK: relax.take %{{.*}}, %{{.*}} {axis = 1 : i64}
  %3 = relax.take %x, %i {axis = 1 : i64} : (tensor<?x4xf32, #n_4>, tensor<?x2xi32, #relax_sym.shape<[m, 2]>>)
      -> tensor<?x?x2xf32, #relax_sym.shape<[n, m, 2]>>
  return
}

// CHECK-LABEL: func.func @pad(
func.func @pad(%x: tensor<?xf32, #relax_sym.shape<[n]>>, %v: tensor<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.pad
  %r = relax.pad %x value(%v) {low = [#relax_sym.expr<0>], high = [#relax_sym.expr<2>], mode = "constant"} : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<f32>) -> tensor<?xf32, #relax_sym.shape<[n + 2]>>
  return
}
