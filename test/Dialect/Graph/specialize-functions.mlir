// RUN: relax-opt %s --relax-specialize-functions | FileCheck %s
// RUN: relax-opt %s --pass-pipeline='builtin.module(relax-specialize-functions{max-copies=1})' | FileCheck %s --check-prefix=ONE

#n = #relax_sym.shape<[n]>
#nm = #relax_sym.shape<[n, m]>
#product = #relax_sym.shape<[n * m]>

// One copy for each set of sizes; symbols that stay unknown stay symbols.
// CHECK-LABEL: func.func private @flat(
// CHECK-LABEL: func.func private @flat_m_16_n_16(
//  CHECK-SAME:     %{{.*}}: tensor<16x16xf32>, %{{.*}}: tensor<256xf32>) -> tensor<256xf32>
// CHECK-LABEL: func.func private @flat_m_4(
//  CHECK-SAME:     %{{.*}}: tensor<?x4xf32, #{{[a-z0-9_]*}}>, %{{.*}}: tensor<?xf32, #{{[a-z0-9_]*}}>) -> tensor<?xf32, #{{[a-z0-9_]*}}>
//  CHECK-SAME:     relax_sym.scope = #relax_sym.scope<"n >= 4">
// ONE: func.func private @flat_
// ONE-NOT: func.func private @flat_
func.func private @flat(%x: tensor<?x?xf32, #nm>, %y: tensor<?xf32, #product>) -> tensor<?xf32, #product>
    attributes {relax_sym.scope = #relax_sym.scope<"n >= m">} {
  return %y : tensor<?xf32, #product>
}
// CHECK-LABEL: func.func @main(
func.func @main(%a: tensor<16x16xf32>, %b: tensor<256xf32>, %c: tensor<?x4xf32, #relax_sym.shape<[k, 4]>>, %d: tensor<?xf32, #relax_sym.shape<[k * 4]>>)
    -> (tensor<256xf32>, tensor<256xf32>, tensor<?xf32, #relax_sym.shape<[k * 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.call @flat_m_16_n_16(%{{.*}}, %{{.*}}) : (tensor<16x16xf32>, tensor<256xf32>) -> tensor<256xf32>
  // CHECK: relax.call @flat_m_16_n_16(%{{.*}}, %{{.*}}) : (tensor<16x16xf32>, tensor<256xf32>) -> tensor<256xf32>
  // CHECK: relax.call @flat_m_4(%{{.*}}, %{{.*}}) {n = k}
  %0 = relax.call @flat(%a, %b) : (tensor<16x16xf32>, tensor<256xf32>) -> tensor<256xf32>
  %1 = relax.call @flat(%a, %b) {m = 16, n = 16} : (tensor<16x16xf32>, tensor<256xf32>) -> tensor<256xf32>
  %2 = relax.call @flat(%c, %d) {m = 4, n = k} : (tensor<?x4xf32, #relax_sym.shape<[k, 4]>>, tensor<?xf32, #relax_sym.shape<[k * 4]>>) -> tensor<?xf32, #relax_sym.shape<[k * 4]>>
  return %0, %1, %2 : tensor<256xf32>, tensor<256xf32>, tensor<?xf32, #relax_sym.shape<[k * 4]>>
}

relax_tp.func private @pad(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n + 1]>})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
// Ever new sizes: eight copies, the last of which calls the function itself.
// CHECK-LABEL: func.func private @grow(
// CHECK: func.func private @grow_n_8(%{{.*}}: tensor<8xf32>)
// CHECK: relax.call @grow(%{{.*}}) : (tensor<9xf32>)
// CHECK: func.func private @grow_n_7(
// CHECK: func.func private @grow_n_1(
func.func private @grow(%x: tensor<?xf32, #n>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @pad(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #relax_sym.shape<[n + 1]>>
  %1 = relax.call @grow(%0) : (tensor<?xf32, #relax_sym.shape<[n + 1]>>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func @start(%x: tensor<1xf32>) -> tensor<?xf32> {
  %0 = relax.call @grow(%x) : (tensor<1xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
