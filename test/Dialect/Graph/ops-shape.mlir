// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --emit-bytecode | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// CHECK-DAG: #[[$N4:.*]] = #relax_sym.shape<[n, 4]>
#n_4 = #relax_sym.shape<[n, 4]>

// CHECK-LABEL: func.func @shape_values(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?x4xf32, #[[$N4]]>, %[[P:[^:]+]]: !relax.shape<[k, ?]>
func.func @shape_values(%x: tensor<?x4xf32, #n_4>, %p: !relax.shape<[k, ?]>) -> index
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[S:.*]] = relax.shape_of %[[X]] : tensor<?x4xf32, #[[$N4]]> -> !relax.shape<[n, 4]>
  %s = relax.shape_of %x : tensor<?x4xf32, #n_4> -> !relax.shape<[n, 4]>
  // A less precise shape is fine.
  // CHECK: relax.shape_of %[[X]] : tensor<?x4xf32, #[[$N4]]> -> !relax.shape<[?, 4]>
  %u = relax.shape_of %x : tensor<?x4xf32, #n_4> -> !relax.shape<[?, 4]>
  // CHECK: relax.make_shape %[[S]], %[[P]] : (!relax.shape<[n, 4]>, !relax.shape<[k, ?]>) -> !relax.shape<[n * 4, k]>
  %m = relax.make_shape %s, %p : (!relax.shape<[n, 4]>, !relax.shape<[k, ?]>) -> !relax.shape<[n * 4, k]>
  // CHECK: relax.make_shape : () -> !relax.shape<[0, 7]>
  %c = relax.make_shape : () -> !relax.shape<[0, 7]>
  // CHECK: %[[T:.*]] = relax.shape_to_tensor %[[S]] : !relax.shape<[n, 4]> -> tensor<2xi64>
  %t = relax.shape_to_tensor %s : !relax.shape<[n, 4]> -> tensor<2xi64>
  // CHECK: relax.tensor_to_shape %[[T]] binds [a] : tensor<2xi64> -> !relax.shape<[a, 4]>
  %b = relax.tensor_to_shape %t binds [a] : tensor<2xi64> -> !relax.shape<[a, 4]>
  // CHECK: relax.tensor_to_shape %[[T]] : tensor<2xi64> -> !relax.shape<[?, ?]>
  %d = relax.tensor_to_shape %t : tensor<2xi64> -> !relax.shape<[?, ?]>
  // CHECK: relax.eval_expr %[[S]], n * 32 : !relax.shape<[n, 4]> -> index
  %e = relax.eval_expr %s, n * 32 : !relax.shape<[n, 4]> -> index
  // CHECK: relax.assert_shape %[[S]], "n mod 2 == 0", "halves of an odd extent" : !relax.shape<[n, 4]>
  relax.assert_shape %s, "n mod 2 == 0", "halves of an odd extent" : !relax.shape<[n, 4]>
  return %e : index
}

// CHECK-LABEL: func.func @types(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?x?xf32>, %[[Y:[^:]+]]: tensor<?xf32, {{.*}}>, %[[P:[^:]+]]: !relax.shape<[?]>
func.func @types(%x: tensor<?x?xf32>, %y: tensor<?xf32, #relax_sym.shape<[n]>>, %p: !relax.shape<[?]>)
    attributes {relax_sym.scope = #relax_sym.scope<"n == 2">} {
  // CHECK: %[[C:.*]] = relax.match_cast %[[X]] binds [m, "past len"] : tensor<?x?xf32> to tensor<?x?xf32, #{{.*}}>
  %c = relax.match_cast %x binds [m, "past len"] : tensor<?x?xf32> to tensor<?x?xf32, #relax_sym.shape<[m, "past len"]>>
  // CHECK: relax.match_cast %[[X]] : tensor<?x?xf32> to tensor<?x4xf32, #{{.*}}>
  %d = relax.match_cast %x : tensor<?x?xf32> to tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  // CHECK: relax.match_cast %[[P]] binds [q] : !relax.shape<[?]> to !relax.shape<[q]>
  %q = relax.match_cast %p binds [q] : !relax.shape<[?]> to !relax.shape<[q]>
  // CHECK: relax.refine %[[Y]] : tensor<?xf32, #{{.*}}> to tensor<2xf32>
  %r = relax.refine %y : tensor<?xf32, #relax_sym.shape<[n]>> to tensor<2xf32>
  // CHECK: relax.erase_shape %[[C]] : tensor<?x?xf32, #{{.*}}> to tensor<?x?xf32>
  %e = relax.erase_shape %c : tensor<?x?xf32, #relax_sym.shape<[m, "past len"]>> to tensor<?x?xf32>
  return
}
