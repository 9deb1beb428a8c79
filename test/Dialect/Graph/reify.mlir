// RUN: relax-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s

// Extents of a cast are those of its operand.

#n = #relax_sym.shape<[n]>

// CHECK-LABEL: func.func @dims(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?x?xf32>, %[[Y:[^:]+]]: tensor<?xf32, #n>)
func.func @dims(%x: tensor<?x?xf32>, %y: tensor<?xf32, #n>) -> (index, index, index) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : index
  // CHECK-DAG: %[[DX:.*]] = tensor.dim %[[X]], %{{.*}}
  // CHECK-DAG: %[[DY:.*]] = tensor.dim %[[Y]], %{{.*}}
  // CHECK: return %[[DX]], %[[FOUR]], %[[DY]]
  %0 = relax.match_cast %x binds [m] : tensor<?x?xf32> to tensor<?x4xf32, #relax_sym.shape<[m, 4]>>
  %1 = tensor.dim %0, %zero : tensor<?x4xf32, #relax_sym.shape<[m, 4]>>
  %2 = tensor.dim %0, %one : tensor<?x4xf32, #relax_sym.shape<[m, 4]>>
  %3 = relax.erase_shape %y : tensor<?xf32, #n> to tensor<?xf32>
  %4 = tensor.dim %3, %zero : tensor<?xf32>
  return %1, %2, %4 : index, index, index
}
