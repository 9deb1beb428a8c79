// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --emit-bytecode | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

#n_8 = #relax_sym.shape<[n, 8]>

// CHECK-LABEL: func.func @memory(
//  CHECK-SAME:     %[[S:[^:]+]]: !relax.shape<[n, 4]>, %[[B:[^:]+]]: index
func.func @memory(%s: !relax.shape<[n, 4]>, %bytes: index) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.alloc %[[S]] : (!relax.shape<[n, 4]>) -> tensor<?x8xf32, #{{.*}}>
  %0 = relax.alloc %s : (!relax.shape<[n, 4]>) -> tensor<?x8xf32, #n_8>
  // CHECK: relax.alloc : () -> tensor<0x8xf32>
  %1 = relax.alloc : () -> tensor<0x8xf32>
  // CHECK: %[[ST:.*]] = relax.storage %[[B]] {alignment = 64 : i64, space = "arena"} : !relax.storage
  %st = relax.storage %bytes {alignment = 64 : i64, space = "arena"} : !relax.storage
  // CHECK: relax.tensor_at %[[ST]][%[[B]]], %[[S]] : (!relax.storage, index, !relax.shape<[n, 4]>) -> tensor<?x8xf32, #{{.*}}>
  %2 = relax.tensor_at %st[%bytes], %s : (!relax.storage, index, !relax.shape<[n, 4]>) -> tensor<?x8xf32, #n_8>
  // CHECK: relax.tensor_at %[[ST]][%[[B]]] : (!relax.storage, index) -> tensor<8xf32>
  %3 = relax.tensor_at %st[%bytes] : (!relax.storage, index) -> tensor<8xf32>
  return
}

// Two allocs are two memories; addresses are values.
// RUN: relax-opt %s --cse | FileCheck %s --check-prefix=CSE
// CSE-LABEL: func.func @merging(
func.func @merging(%bytes: index) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CSE: %[[A:.*]] = relax.alloc
  %0 = relax.alloc : () -> tensor<8xf32>
  // CSE: %[[B:.*]] = relax.alloc
  %1 = relax.alloc : () -> tensor<8xf32>
  // CSE: relax.storage
  // CSE: %[[C:.*]] = relax.tensor_at
  // CSE: return %[[A]], %[[B]], %[[C]], %[[C]]
  %st = relax.storage %bytes {alignment = 64 : i64, space = "arena"} : !relax.storage
  %2 = relax.tensor_at %st[%bytes] : (!relax.storage, index) -> tensor<8xf32>
  %3 = relax.tensor_at %st[%bytes] : (!relax.storage, index) -> tensor<8xf32>
  return %0, %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
