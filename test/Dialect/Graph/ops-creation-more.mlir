// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --emit-bytecode | relax-opt | FileCheck %s

// The examples of the descriptions.

// CHECK-LABEL: func.func @iota(
func.func @iota(%s: !relax.shape<[n, 4]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.iota
  %r = relax.iota %s {axis = 1 : i64, dtype = i64} : (!relax.shape<[n, 4]>) -> tensor<?x4xi64, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @random_uniform(
func.func @random_uniform(%s: !relax.shape<[n, 4]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.random_uniform
  %r = relax.random_uniform %s {seed = 7 : i64, dtype = f32} : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}
