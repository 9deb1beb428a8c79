// RUN: relax-opt %s --split-input-file --relax-make-destinations --relax-verify-destinations | FileCheck %s

#n_4 = #relax_sym.shape<[n, 4]>
#n_8 = #relax_sym.shape<[n, 8]>

relax_tp.func private @matmul(%x: tensor<?x4xf32> {relax_sym.shape = #n_4}, %w: tensor<4x8xf32>)
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?x8xf32>
}
relax_tp.func private @relu(%x: tensor<?x8xf32> {relax_sym.shape = #n_8})
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @main(
//  CHECK-SAME:     %[[X:.*]]: tensor<?x4xf32, #{{.*}}>, %[[W:.*]]: tensor<4x8xf32>
//       CHECK:   %[[S:.*]] = relax.shape_of %[[X]]
//       CHECK:   %[[D0:.*]] = relax.alloc %[[S]] : (!relax.shape<[n, 4]>) -> tensor<?x8xf32
//       CHECK:   %[[R0:.*]] = relax.call_tp @matmul(%[[X]], %[[W]]) into(%[[D0]])
//       CHECK:   %[[S1:.*]] = relax.shape_of %[[R0]]
//       CHECK:   %[[D1:.*]] = relax.alloc %[[S1]] {relax.output = 0 : i64}
//       CHECK:   %[[R1:.*]] = relax.call_tp @relu(%[[R0]]) into(%[[D1]])
//       CHECK:   return %[[R1]]
func.func @main(%x: tensor<?x4xf32, #n_4>, %w: tensor<4x8xf32>) -> tensor<?x8xf32, #n_8>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @matmul(%x, %w) : (tensor<?x4xf32, #n_4>, tensor<4x8xf32>) -> tensor<?x8xf32, #n_8>
  %1 = relax.call_tp @relu(%0) : (tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #n_8>
  return %1 : tensor<?x8xf32, #n_8>
}

// A tensor that is returned twice is written to the first output only; a call in place becomes an ordinary one.
// CHECK-LABEL: func.func @twice(
//       CHECK:   relax.alloc %{{.*}} {relax.output = 0 : i64}
//       CHECK:   %[[R:.*]] = relax.call_tp @relu({{.*}}) into(
//       CHECK:   return %[[R]], %[[R]]
func.func @twice(%x: tensor<?x8xf32, #n_8>) -> (tensor<?x8xf32, #n_8>, tensor<?x8xf32, #n_8>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp_inplace @relu(%x) {inplace = array<i64: 0>} : (tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #n_8>
  return %0, %0 : tensor<?x8xf32, #n_8>, tensor<?x8xf32, #n_8>
}

// -----

#n = #relax_sym.shape<[n]>
relax_ext.func private @lib(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>, symbol = "lib"}

// Inside of a branch nothing is an output.
// CHECK-LABEL: func.func @branch(
//       CHECK:   scf.if
//       CHECK:     relax.alloc %{{.*}} : (!relax.shape<[n]>) -> tensor<?xf32
//       CHECK:     relax.call_dps @lib(%{{.*}}) into(
func.func @branch(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c = arith.constant true
  %0 = scf.if %c -> tensor<?xf32, #n> {
    %1 = relax.call_dps @lib(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    scf.yield %1 : tensor<?xf32, #n>
  } else {
    scf.yield %x : tensor<?xf32, #n>
  }
  return %0 : tensor<?xf32, #n>
}

// -----

#n = #relax_sym.shape<[n]>
#half = #relax_sym.shape<[n floordiv 2]>
#m = #relax_sym.shape<[m]>
relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #half})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

// A cast checks extents and keeps them: what is behind it is written into the output too.
// CHECK-LABEL: func.func @cast(
//       CHECK:   relax.alloc %{{.*}} {relax.output = 1 : i64} : (!relax.shape<[n]>) -> tensor<?xf32
//       CHECK:   relax.alloc %{{.*}} {relax.output = 0 : i64} : (!relax.shape<[n]>) -> tensor<?xf32
func.func @cast(%x: tensor<?xf32, #n>) -> (tensor<?xf32, #m>, tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @relu(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #half>
  %1 = relax.call_tp @relu(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #half>
  %2 = relax.match_cast %0 binds [] : tensor<?xf32, #half> to tensor<4xf32>
  %3 = relax.match_cast %1 binds [m] : tensor<?xf32, #half> to tensor<?xf32, #m>
  return %3, %2 : tensor<?xf32, #m>, tensor<4xf32>
}

// -----

#n_4 = #relax_sym.shape<[n, 4]>
#n4 = #relax_sym.shape<[n * 4]>
#n_2_2 = #relax_sym.shape<[n, 2, 2]>
#m = #relax_sym.shape<[m]>
relax_tp.func private @relu(%x: tensor<?x4xf32> {relax_sym.shape = #n_4})
    outs(%o: tensor<?x4xf32> {relax_sym.shape = #n_4}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?x4xf32>
}

// What is returned as a view is made in the output; the second view of it is copied there.
// CHECK-LABEL: func.func @views(
//       CHECK:   relax.alloc %{{.*}} {relax.output = 0 : i64}
//       CHECK:   relax.alloc %{{.*}} {relax.output = 2 : i64}
func.func @views(%x: tensor<?x4xf32, #n_4>, %s: !relax.shape<[n * 4]>, %t: !relax.shape<[n, 2, 2]>)
    -> (tensor<?xf32, #n4>, tensor<?x2x2xf32, #n_2_2>, tensor<?x2x2xf32, #n_2_2>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @relu(%x) : (tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4>
  %1 = relax.reshape %0, %s : (tensor<?x4xf32, #n_4>, !relax.shape<[n * 4]>) -> tensor<?xf32, #n4>
  %2 = relax.reshape %1, %t : (tensor<?xf32, #n4>, !relax.shape<[n, 2, 2]>) -> tensor<?x2x2xf32, #n_2_2>
  %3 = relax.call_tp @relu(%0) : (tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4>
  %4 = relax.reshape %3, %t : (tensor<?x4xf32, #n_4>, !relax.shape<[n, 2, 2]>) -> tensor<?x2x2xf32, #n_2_2>
  return %1, %2, %4 : tensor<?xf32, #n4>, tensor<?x2x2xf32, #n_2_2>, tensor<?x2x2xf32, #n_2_2>
}

// An extent that is found behind the call: the output's extents are not known when it is made. Nor is a view of an
// argument an output.
// CHECK-LABEL: func.func @found(
//   CHECK-NOT:   relax.output
//       CHECK:   return
func.func @found(%x: tensor<?x4xf32, #n_4>, %s: !relax.shape<[n * 4]>) -> (tensor<?xf32, #m>, tensor<?xf32, #n4>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @relu(%x) : (tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4>
  %1 = relax.reshape %0, %s : (tensor<?x4xf32, #n_4>, !relax.shape<[n * 4]>) -> tensor<?xf32, #n4>
  %2 = relax.match_cast %1 binds [m] : tensor<?xf32, #n4> to tensor<?xf32, #m>
  %3 = relax.reshape %x, %s : (tensor<?x4xf32, #n_4>, !relax.shape<[n * 4]>) -> tensor<?xf32, #n4>
  return %2, %3 : tensor<?xf32, #m>, tensor<?xf32, #n4>
}
