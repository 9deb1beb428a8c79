// RUN: relax-opt %s --relax-specialize-symbols="symbols=n=128" | FileCheck %s
// RUN: relax-opt %s --relax-specialize-symbols="symbols=n=4,m=0 function=main variant=true" | FileCheck %s --check-prefix=VARIANT
// RUN: relax-opt %s --relax-specialize-symbols="symbols=n=128" --remark-format=emitRemark --remarks-filter='relax-.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#nm = #relax_sym.shape<[n, m]>
#n2 = #relax_sym.shape<[n * 2]>
#k = #relax_sym.shape<[k]>

// The types say what the entry checks. A fact that always holds is gone.
// CHECK-LABEL: func.func @main(
//  CHECK-SAME:     %{{.*}}: tensor<128x?xf32, #[[M:.*]]>, %{{.*}}: tensor<256xf32>, %{{.*}}: !relax.shape<[128]>) -> tensor<128x?xf32, #[[M]]>
//  CHECK-SAME:     relax_sym.scope = #relax_sym.scope<"m <= 128">
// VARIANT-LABEL: func.func @main(
//  VARIANT-SAME:     tensor<?x?xf32,
// VARIANT-LABEL: func.func @main_n4_m0(
//  VARIANT-SAME:     %{{.*}}: tensor<4x0xf32>, %{{.*}}: tensor<8xf32>, %{{.*}}: !relax.shape<[4]>) -> tensor<4x0xf32>
func.func @main(%x: tensor<?x?xf32, #nm>, %y: tensor<?xf32, #n2>, %s: !relax.shape<[n]>) -> tensor<?x?xf32, #nm>
    attributes {relax_sym.scope = #relax_sym.scope<"n mod 2 == 0", "m <= n">} {
  // CHECK: relax.relu %{{.*}} : tensor<128x?xf32, #[[M]]>
  // VARIANT: relax.relu %{{.*}} : tensor<4x0xf32>
  // REMARK: remark: {{.*}}'main' is specialized for n = 128
  %0 = relax.relu %x : tensor<?x?xf32, #nm>
  return %0 : tensor<?x?xf32, #nm>
}

// The facts then determine another symbol. Calls are checked for the values.
// CHECK-LABEL: func.func @determined(
//  CHECK-SAME:     %{{.*}}: tensor<128x64xf32>)
//  CHECK-SAME:     relax_sym.scope = #relax_sym.scope<>
// VARIANT-LABEL: func.func @determined(
//  VARIANT-SAME:     tensor<?x?xf32,
func.func @determined(%x: tensor<?x?xf32, #nm>) attributes {relax_sym.scope = #relax_sym.scope<"m == n floordiv 2">} {
  return
}

// CHECK-LABEL: func.func @caller(
func.func @caller(%x: tensor<?x?xf32, #relax_sym.shape<[k, l]>>) attributes {relax_sym.scope = #relax_sym.scope<"k == 2 * l">} {
  // CHECK: relax.call @determined(%{{.*}}) : (tensor<?x?xf32,
  // VARIANT: relax.call @determined(%{{.*}}) {m = l, n = k} attributes {relax.assured}
  relax.call @determined(%x) {n = k, m = l} attributes {relax.assured} : (tensor<?x?xf32, #relax_sym.shape<[k, l]>>) -> ()
  return
}

// Private functions and other symbols stay.
// CHECK-LABEL: func.func private @helper(
//  CHECK-SAME:     tensor<?x?xf32,
func.func private @helper(%x: tensor<?x?xf32, #nm>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  return
}
