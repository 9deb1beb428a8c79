// RUN: relax-opt %s --allow-unregistered-dialect --relax-verify-graph --verify-diagnostics
// RUN: relax-opt %s --allow-unregistered-dialect --relax-verify-mixed --verify-diagnostics

func.func @main(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{phase}}
  "other.use"(%x) : (tensor<4xf32>) -> ()
  return
}
