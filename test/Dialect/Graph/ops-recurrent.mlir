// RUN: relax-opt %s --verify-roundtrip | FileCheck %s --check-prefix=PRINT
// RUN: relax-opt %s --relax-decompose-ops --mlir-print-local-scope | FileCheck %s

#x = #relax_sym.shape<[t, 2, 3]>

// PRINT-LABEL: func.func @lstm(
// CHECK-LABEL: func.func @lstm(
func.func @lstm(%x: tensor<?x2x3xf32, #x>, %w: tensor<1x16x3xf32>, %r: tensor<1x16x4xf32>, %b: tensor<1x32xf32>, %l: tensor<2xi32>)
    -> tensor<?x1x2x4xf32, #relax_sym.shape<[t, 1, 2, 4]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // PRINT: %{{.*}}:3 = relax.recurrent %{{.*}}, %{{.*}}, %{{.*}} bias(%{{.*}}) lengths(%{{.*}}) {activations = ["sigmoid", "tanh", "tanh"],
  // CHECK: relax.matmul {{.*}} -> tensor<?x2x16xf32, #relax_sym.shape<[t, 2, 16]>>
  // CHECK: relax.recurrent_scan %{{.*}}, %{{.*}}, %{{.*}} lengths(%{{.*}}) {{.*}} -> tensor<?x2x8xf32, #relax_sym.shape<[t + 1, 2, 8]>>
  // CHECK: relax.slice {{.*}} -> tensor<?x2x4xf32, #relax_sym.shape<[t, 2, 4]>>
  %y, %h, %c = relax.recurrent %x, %w, %r bias(%b) lengths(%l) {cell = "lstm", direction = "forward",
      activations = ["sigmoid", "tanh", "tanh"], alpha = array<f64: 0.0, 0.0, 0.0>, beta = array<f64: 0.0, 0.0, 0.0>}
      : (tensor<?x2x3xf32, #x>, tensor<1x16x3xf32>, tensor<1x16x4xf32>, tensor<1x32xf32>, tensor<2xi32>)
      -> (tensor<?x1x2x4xf32, #relax_sym.shape<[t, 1, 2, 4]>>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %y : tensor<?x1x2x4xf32, #relax_sym.shape<[t, 1, 2, 4]>>
}

// PRINT-LABEL: func.func @scan(
func.func @scan(%x: tensor<?x2x4xf32, #relax_sym.shape<[t, 2, 4]>>, %r: tensor<4x4xf32>, %s: tensor<2x4xf32>)
    -> tensor<?x2x4xf32, #relax_sym.shape<[t + 1, 2, 4]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // PRINT: relax.recurrent_scan %{{.*}}, %{{.*}}, %{{.*}} {activations = ["tanh"], alpha = array<f64: 0.000000e+00>, beta = array<f64: 0.000000e+00>, cell = "rnn", reverse} :
  %0 = relax.recurrent_scan %x, %r, %s {cell = "rnn", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>, reverse}
      : (tensor<?x2x4xf32, #relax_sym.shape<[t, 2, 4]>>, tensor<4x4xf32>, tensor<2x4xf32>) -> tensor<?x2x4xf32, #relax_sym.shape<[t + 1, 2, 4]>>
  return %0 : tensor<?x2x4xf32, #relax_sym.shape<[t + 1, 2, 4]>>
}
