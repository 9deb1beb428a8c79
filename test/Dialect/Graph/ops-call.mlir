// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --emit-bytecode | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

#n_4 = #relax_sym.shape<[n, 4]>
#n_8 = #relax_sym.shape<[n, 8]>
#m_4 = #relax_sym.shape<[m * 2, 4]>
#m_8 = #relax_sym.shape<[m * 2, 8]>

relax_tp.func private @program(%x: tensor<?x4xf32> {relax_sym.shape = #n_4}, %w: tensor<4x8xf32>)
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?x8xf32>
}
relax_tp.func private @fill() outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[k]>})
    scalars(%k: index {relax_sym.expr = #relax_sym.expr<k>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
relax_tp.func private @inplace(%x: tensor<?x4xf32> {relax_sym.shape = #n_4})
    outs(%o: tensor<?x4xf32> {relax_sym.shape = #n_4}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?x4xf32>
}
relax_tp.func private @count(%x: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>})
    outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>}) -> (index) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c = arith.constant 0 : index
  relax_tp.yield %o, %c : tensor<?xf32>, index
}
relax_ext.func private @library(%x: tensor<?x4xf32> {relax_sym.shape = #n_4})
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8}) where "n >= 2" attributes {relax_sym.scope = #relax_sym.scope<>, symbol = "library"}

// CHECK-LABEL: func.func @calls(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?x4xf32, #{{.*}}>, %[[W:[^:]+]]: tensor<4x8xf32>, %[[U:[^:]+]]: tensor<?x?xf32>
func.func @calls(%x: tensor<?x4xf32, #m_4>, %w: tensor<4x8xf32>, %u: tensor<?x?xf32>, %d: tensor<?x8xf32, #m_8>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.call_tp @program(%[[X]], %[[W]]) : (tensor<?x4xf32, #{{.*}}>, tensor<4x8xf32>) -> tensor<?x8xf32, #{{.*}}>
  %0 = relax.call_tp @program(%x, %w) : (tensor<?x4xf32, #m_4>, tensor<4x8xf32>) -> tensor<?x8xf32, #m_8>
  // A less precise result and unknown extents are fine.
  // CHECK: relax.call_tp @program(%[[U]], %[[W]]) {relax.assured} : (tensor<?x?xf32>, tensor<4x8xf32>) -> tensor<?x?xf32>
  %1 = relax.call_tp @program(%u, %w) {relax.assured} : (tensor<?x?xf32>, tensor<4x8xf32>) -> tensor<?x?xf32>
  %s = relax.shape_of %x : tensor<?x4xf32, #m_4> -> !relax.shape<[m * 2, 4]>
  %k = relax.make_shape %s : (!relax.shape<[m * 2, 4]>) -> !relax.shape<[m * 2]>
  // CHECK: %[[K:.*]] = relax.make_shape
  // CHECK: relax.call_tp @fill() shape(%[[K]]) : (!relax.shape<[m * 2]>) -> tensor<?xf32, #{{.*}}>
  %2 = relax.call_tp @fill() shape(%k) : (!relax.shape<[m * 2]>) -> tensor<?xf32, #relax_sym.shape<[m * 2]>>
  // CHECK: relax.call_tp @program(%[[X]], %[[W]]) into(%{{.*}}) : (tensor<?x4xf32, #{{.*}}>, tensor<4x8xf32>, tensor<?x8xf32, #{{.*}}>) -> tensor<?x8xf32, #{{.*}}>
  %3 = relax.call_tp @program(%x, %w) into(%d) : (tensor<?x4xf32, #m_4>, tensor<4x8xf32>, tensor<?x8xf32, #m_8>) -> tensor<?x8xf32, #m_8>
  // CHECK: relax.call_tp_inplace @inplace(%[[X]]) {inplace = array<i64: 0>} : (tensor<?x4xf32, #{{.*}}>) -> tensor<?x4xf32, #{{.*}}>
  %4 = relax.call_tp_inplace @inplace(%x) {inplace = array<i64: 0>} : (tensor<?x4xf32, #m_4>) -> tensor<?x4xf32, #m_4>
  // CHECK: relax.call_dps @library(%[[X]]) : (tensor<?x4xf32, #{{.*}}>) -> tensor<?x8xf32, #{{.*}}>
  %5 = relax.call_dps @library(%x) : (tensor<?x4xf32, #m_4>) -> tensor<?x8xf32, #m_8>
  // CHECK: relax.call_tp @count(%{{.*}}) : (tensor<?xf32, #{{.*}}>) -> (tensor<?xf32, #{{.*}}>, index)
  %6:2 = relax.call_tp @count(%2) : (tensor<?xf32, #relax_sym.shape<[m * 2]>>) -> (tensor<?xf32, #relax_sym.shape<[m * 2]>>, index)
  return
}

// CHECK-LABEL: func.func private @callee(
func.func private @callee(%x: tensor<?x4xf32, #n_4>, %s: !relax.shape<["past len"]>, %i: index)
    -> (tensor<?x4xf32, #n_4>, tensor<?xf32, #relax_sym.shape<[found]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %u = relax.erase_shape %x : tensor<?x4xf32, #n_4> to tensor<?x?xf32>
  %1 = relax.call_tp @unknown(%u) : (tensor<?x?xf32>) -> tensor<?xf32>
  %2 = relax.match_cast %1 binds [found] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[found]>>
  return %x, %2 : tensor<?x4xf32, #n_4>, tensor<?xf32, #relax_sym.shape<[found]>>
}
relax_tp.func private @unknown(%x: tensor<?x?xf32> {relax_sym.shape = #relax_sym.shape<[a, b]>})
    outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[a * b]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

// CHECK-LABEL: func.func @function_calls(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?x4xf32, #{{.*}}>, %[[S:[^:]+]]: !relax.shape<[q]>, %[[I:[^:]+]]: index
func.func @function_calls(%x: tensor<?x4xf32, #m_4>, %s: !relax.shape<[q]>, %i: index)
    -> (tensor<?xf32>, tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // A size found inside the callee is unknown to the caller.
  // CHECK: relax.call @callee(%[[X]], %[[S]], %[[I]]) : (tensor<?x4xf32, #{{.*}}>, !relax.shape<[q]>, index) -> (tensor<?x4xf32, #{{.*}}>, tensor<?xf32>)
  %0:2 = relax.call @callee(%x, %s, %i) : (tensor<?x4xf32, #m_4>, !relax.shape<[q]>, index) -> (tensor<?x4xf32, #m_4>, tensor<?xf32>)
  // CHECK: relax.call @callee(%[[X]], %[[S]], %[[I]]) {n = m * 2, "past len" = q} attributes {note = "a"} :
  %1:2 = relax.call @callee(%x, %s, %i) {n = m * 2, "past len" = q} attributes {note = "a"}
    : (tensor<?x4xf32, #m_4>, !relax.shape<[q]>, index) -> (tensor<?x4xf32, #m_4>, tensor<?xf32>)
  return %0#1, %1#1 : tensor<?xf32>, tensor<?xf32>
}

// Without destinations a call is a value; with them, and in place, it writes.
// RUN: relax-opt %s --cse | FileCheck %s --check-prefix=CSE
// CSE-LABEL: func.func @merging(
func.func @merging(%x: tensor<2x4xf32>, %d: tensor<2x4xf32>) {
  // CSE: relax.call_tp @inplace(%{{[^)]*}}) into
  // CSE: relax.call_tp @inplace(%{{[^)]*}}) into
  // CSE: relax.call_tp_inplace
  // CSE: relax.call_tp_inplace
  // CSE-NEXT: return
  %0 = relax.call_tp @inplace(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = relax.call_tp @inplace(%x) into(%d) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = relax.call_tp @inplace(%x) into(%d) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = relax.call_tp_inplace @inplace(%x) {inplace = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = relax.call_tp_inplace @inplace(%x) {inplace = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// The upstream inliner leaves calls alone: it would not rename symbols.
// RUN: relax-opt %s --inline | FileCheck %s --check-prefix=INLINE
// INLINE-LABEL: func.func @function_calls(
// INLINE: relax.call @callee
// INLINE: relax.call @callee
