// RUN: relax-opt %s --verify-roundtrip | FileCheck %s

#ncl = #relax_sym.shape<[n, c, l]>

// CHECK-LABEL: func.func @softmax(
func.func @softmax(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.softmax %{{.*}} {axis = 1 : i64} : (tensor<?x4xf32, #{{.*}}>) -> tensor<?x4xf32, #{{.*}}>
  %0 = relax.softmax %x {axis = 1 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  // CHECK: relax.log_softmax %{{.*}} {axis = 0 : i64}
  %1 = relax.log_softmax %x {axis = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: func.func @norms(
func.func @norms(%x: tensor<?x?x?xf16, #ncl>, %c: tensor<?xf16, #relax_sym.shape<[c]>>, %l: tensor<?xf16, #relax_sym.shape<[l]>>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.layer_norm %{{.*}} scale(%{{.*}}) bias(%{{.*}}) {axes = array<i64: 2>} : (tensor<?x?x?xf16, #{{.*}}>, tensor<?xf16, #{{.*}}>, tensor<?xf16, #{{.*}}>) -> tensor<?x?x?xf16, #{{.*}}>
  %0 = relax.layer_norm %x scale(%l) bias(%l) {axes = array<i64: 2>, epsilon = 1.0e-5 : f64}
      : (tensor<?x?x?xf16, #ncl>, tensor<?xf16, #relax_sym.shape<[l]>>, tensor<?xf16, #relax_sym.shape<[l]>>) -> tensor<?x?x?xf16, #ncl>
  // CHECK: relax.layer_norm %{{.*}} bias(%{{.*}}) {axes = array<i64: 1>, epsilon = 1.000000e-03 : f64}
  %1 = relax.layer_norm %x bias(%c) {axes = array<i64: 1>, epsilon = 1.0e-3 : f64}
      : (tensor<?x?x?xf16, #ncl>, tensor<?xf16, #relax_sym.shape<[c]>>) -> tensor<?x?x?xf16, #ncl>
  // CHECK: relax.rms_norm %{{.*}} {axes = array<i64: 1, 2>} : (tensor<?x?x?xf16, #{{.*}}>) ->
  %2 = relax.rms_norm %x {axes = array<i64: 1, 2>} : (tensor<?x?x?xf16, #ncl>) -> tensor<?x?x?xf16, #ncl>
  // CHECK: relax.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64}
  %3 = relax.batch_norm %x, %c, %c, %c, %c {axis = 1 : i64}
      : (tensor<?x?x?xf16, #ncl>, tensor<?xf16, #relax_sym.shape<[c]>>, tensor<?xf16, #relax_sym.shape<[c]>>,
         tensor<?xf16, #relax_sym.shape<[c]>>, tensor<?xf16, #relax_sym.shape<[c]>>) -> tensor<?x?x?xf16, #ncl>
  // CHECK: relax.group_norm %{{.*}} scale(%{{.*}}) {groups = 2 : i64}
  %4 = relax.group_norm %x scale(%c) {groups = 2 : i64}
      : (tensor<?x?x?xf16, #ncl>, tensor<?xf16, #relax_sym.shape<[c]>>) -> tensor<?x?x?xf16, #ncl>
  // CHECK: relax.instance_norm %{{.*}} scale(%{{.*}}) bias(%{{.*}}) :
  %5 = relax.instance_norm %x scale(%c) bias(%c)
      : (tensor<?x?x?xf16, #ncl>, tensor<?xf16, #relax_sym.shape<[c]>>, tensor<?xf16, #relax_sym.shape<[c]>>) -> tensor<?x?x?xf16, #ncl>
  return
}

// CHECK-LABEL: func.func @activations(
func.func @activations(%x: tensor<?xf32, #relax_sym.shape<[n]>>, %s: tensor<1xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.gelu %{{.*}} {approximate} : (tensor<?xf32, #{{.*}}>) -> tensor<?xf32, #{{.*}}>
  %0 = relax.gelu %x {approximate} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // CHECK: relax.silu %{{[^ ]*}} :
  %1 = relax.silu %x {alpha = 1.0 : f64} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // CHECK: relax.elu %{{.*}} {alpha = 2.000000e+00 : f64}
  %2 = relax.elu %x {alpha = 2.0 : f64} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // CHECK: relax.prelu %{{.*}}, %{{.*}} :
  %3 = relax.prelu %x, %s : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<1xf32>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // CHECK: relax.leaky_relu %{{[^ ]*}} {alpha = 5.000000e-01 : f64} : (tensor<?xf32, #{{.*}}>) -> tensor<?xf32, #{{.*}}>
  %4 = relax.leaky_relu %x {alpha = 0.5 : f64} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // CHECK: relax.selu %{{[^ ]*}} : (tensor<?xf32, #{{.*}}>) -> tensor<?xf32, #{{.*}}>
  %5 = relax.selu %x : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // CHECK: relax.celu %{{[^ ]*}} {alpha = 2.000000e+00 : f64} : (tensor<?xf32, #{{.*}}>) -> tensor<?xf32, #{{.*}}>
  %6 = relax.celu %x {alpha = 2.0 : f64} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // CHECK: relax.hard_sigmoid %{{[^ ]*}} : (tensor<?xf32, #{{.*}}>) -> tensor<?xf32, #{{.*}}>
  %7 = relax.hard_sigmoid %x : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // CHECK: relax.hard_tanh %{{[^ ]*}} {low = -2.000000e+00 : f64} : (tensor<?xf32, #{{.*}}>) -> tensor<?xf32, #{{.*}}>
  %8 = relax.hard_tanh %x {low = -2.0 : f64} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // CHECK: relax.hard_swish %{{[^ ]*}} : (tensor<?xf32, #{{.*}}>) -> tensor<?xf32, #{{.*}}>
  %9 = relax.hard_swish %x : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // CHECK: relax.softplus %{{[^ ]*}} : (tensor<?xf32, #{{.*}}>) -> tensor<?xf32, #{{.*}}>
  %10 = relax.softplus %x : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // CHECK: relax.softsign %{{[^ ]*}} : (tensor<?xf32, #{{.*}}>) -> tensor<?xf32, #{{.*}}>
  %11 = relax.softsign %x : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // CHECK: relax.mish %{{[^ ]*}} : (tensor<?xf32, #{{.*}}>) -> tensor<?xf32, #{{.*}}>
  %12 = relax.mish %x : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  // CHECK: relax.thresholded_relu %{{[^ ]*}} {alpha = 3.000000e+00 : f64} : (tensor<?xf32, #{{.*}}>) -> tensor<?xf32, #{{.*}}>
  %13 = relax.thresholded_relu %x {alpha = 3.0 : f64} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}
