// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --emit-bytecode | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

#n = #relax_sym.shape<[n]>

// CHECK-LABEL: func.func @blocks(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?xf32,
func.func @blocks(%x: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.dataflow -> (tensor<?xf32, #{{.*}}>, !relax.shape<[n]>) {
  %0:2 = relax.dataflow -> (tensor<?xf32, #n>, !relax.shape<[n]>) {
    %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n]>
    relax.assert_shape %s, "n >= 4", "too few" : !relax.shape<[n]>
    // CHECK: relax.output %[[X]], %{{.*}} : tensor<?xf32, #{{.*}}>, !relax.shape<[n]>
    relax.output %x, %s : tensor<?xf32, #n>, !relax.shape<[n]>
  }
  // CHECK: relax.dataflow {
  relax.dataflow {
    // CHECK: relax.output
    relax.output
  }
  // CHECK: relax.fusion_group -> (tensor<?xf32, #{{.*}}>) attributes {note = "a"} {
  %1 = relax.fusion_group -> (tensor<?xf32, #n>) attributes {note = "a"} {
    // CHECK: relax.yield %[[X]] : tensor<?xf32, #{{.*}}>
    relax.yield %x : tensor<?xf32, #n>
  }
  return
}
