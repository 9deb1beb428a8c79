// RUN: relax-opt %s --verify-roundtrip | FileCheck %s

#ncl = #relax_sym.shape<[n, 4, l]>

// CHECK-LABEL: func.func @resize(
func.func @resize(%x: tensor<?x4x?xf32, #ncl>, %s: !relax.shape<[(l * 3) floordiv 2]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.resize %{{.*}}, %{{.*}} {axes = array<i64: 2>, mode = "linear", scales = array<f64: 1.500000e+00>} :
  %0 = relax.resize %x, %s {axes = array<i64: 2>, mode = "linear", scales = array<f64: 1.5>}
      : (tensor<?x4x?xf32, #ncl>, !relax.shape<[(l * 3) floordiv 2]>) -> tensor<?x4x?xf32, #relax_sym.shape<[n, 4, (l * 3) floordiv 2]>>
  return
}
