// RUN: relax-opt %s --emit-bytecode -o %t.mlirbc
// RUN: relax-opt %t.mlirbc | FileCheck %s

// CHECK-DAG: #[[$N4:.*]] = #relax_sym.shape<[m * n + n ceildiv 4, ?, 4], {device = 0 : i64}>
// CHECK: func.func private @f(tensor<?x?x4xf32, #[[$N4]]>)
func.func private @f(tensor<?x?x4xf32, #relax_sym.shape<[m*n + n ceildiv 4, ?, 4], {device = 0}>>) attributes {
  // CHECK-SAME: expr = #relax_sym.expr<"past len" mod 8>
  expr = #relax_sym.expr<"past len" mod 8>,
  // CHECK-SAME: relax_sym.scope = #relax_sym.scope<"n >= 1", "\22past len\22 < m">
  relax_sym.scope = #relax_sym.scope<"n >= 1", "\"past len\" < m">
}
