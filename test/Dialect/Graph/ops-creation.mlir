// RUN: relax-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @creation(
func.func @creation(%s: !relax.shape<[n, 4]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.full %{{.*}}, 1.000000e+00 : f32 : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #{{.*}}>
  %0 = relax.full %s, 1.0 : f32 : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  // CHECK: relax.full %{{.*}}, true : (!relax.shape<[n, 4]>) -> tensor<?x4xi1, #{{.*}}>
  %1 = relax.full %s, true : (!relax.shape<[n, 4]>) -> tensor<?x4xi1, #relax_sym.shape<[n, 4]>>
  // CHECK: relax.iota %{{.*}} {axis = 1 : i64, dtype = i64} : (!relax.shape<[n, 4]>) -> tensor<?x4xi64, #{{.*}}>
  %2 = relax.iota %s {axis = 1 : i64, dtype = i64} : (!relax.shape<[n, 4]>) -> tensor<?x4xi64, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @random_uniform(
func.func @random_uniform(%s: !relax.shape<[n, 4]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.random_uniform
  %r = relax.random_uniform %s {seed = 7 : i64, dtype = f32} : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}
