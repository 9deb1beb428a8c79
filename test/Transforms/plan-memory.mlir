// RUN: relax-opt %s --split-input-file --relax-make-destinations --relax-plan-memory --relax-verify-planned | FileCheck %s

#n_8 = #relax_sym.shape<[n, 8]>
relax_tp.func private @relu(%x: tensor<?x8xf32> {relax_sym.shape = #n_8})
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?x8xf32>
}

// A chain needs two buffers, whatever its length; the last result is written to the output.
// CHECK-LABEL: func.func @chain(
//  CHECK-SAME:   relax.memory_report = "{{.*}}lower_bound{{.*}}n * 64{{.*}}planned_bytes{{.*}}(n ceildiv 2) * 128{{.*}}tensors\22:3}"
//       CHECK:   %[[X:.*]] = relax.shape_of %arg0
//       CHECK:   %[[S:.*]] = relax.make_shape %[[X]] : (!relax.shape<[n, 8]>) -> !relax.shape<[n]>
//       CHECK:   %[[BYTES:.*]] = relax.eval_expr %[[S]], (n ceildiv 2) * 128 :
//       CHECK:   %[[ARENA:.*]] = relax.storage %[[BYTES]] {alignment = 64 : i64, space = "arena"} : !relax.storage
//       CHECK:   %[[ZERO:.*]] = arith.constant 0 : index
//       CHECK:   %[[OFFSET:.*]] = relax.eval_expr %[[S]], (n ceildiv 2) * 64 :
//       CHECK:   %[[A:.*]] = relax.tensor_at %[[ARENA]][%[[ZERO]]]
//       CHECK:   relax.call_tp @relu(%arg0) into(%[[A]])
//       CHECK:   %[[B:.*]] = relax.tensor_at %[[ARENA]][%[[OFFSET]]]
//       CHECK:   relax.call_tp @relu({{.*}}) into(%[[B]])
//       CHECK:   %[[C:.*]] = relax.tensor_at %[[ARENA]][%[[ZERO]]]
//       CHECK:   relax.call_tp @relu({{.*}}) into(%[[C]])
//       CHECK:   %[[OUT:.*]] = relax.storage %{{.*}} {alignment = 64 : i64, relax.output = 0 : i64, space = "output"}
//       CHECK:   %[[D:.*]] = relax.tensor_at %[[OUT]]
//       CHECK:   relax.call_tp @relu({{.*}}) into(%[[D]])
func.func @chain(%x: tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #n_8> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @relu(%x) : (tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #n_8>
  %1 = relax.call_tp @relu(%0) : (tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #n_8>
  %2 = relax.call_tp @relu(%1) : (tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #n_8>
  %3 = relax.call_tp @relu(%2) : (tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #n_8>
  return %3 : tensor<?x8xf32, #n_8>
}

// -----

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
relax_tp.func private @widen(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf64> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf64>
}
relax_tp.func private @narrow(%x: tensor<?xf64> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
relax_tp.func private @sum(%x: tensor<?xf32> {relax_sym.shape = #n}, %y: tensor<?xf32> {relax_sym.shape = #m})
    outs(%o: tensor<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<f32>
}

// Memory is shared across element types: the first f32 tensor goes into the memory of the first f64 tensor. Sizes n and m are not
// comparable, which the report says.
// CHECK-LABEL: func.func @types(
//  CHECK-SAME:   blocked_reuse{{.*}}unproved{{.*}}m * 8 <= n * 8
func.func @types(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> tensor<f32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @widen(%x) : (tensor<?xf32, #n>) -> tensor<?xf64, #n>
  %1 = relax.call_tp @narrow(%0) : (tensor<?xf64, #n>) -> tensor<?xf32, #n>
  %2 = relax.call_tp @widen(%y) : (tensor<?xf32, #m>) -> tensor<?xf64, #m>
  %3 = relax.call_tp @narrow(%2) : (tensor<?xf64, #m>) -> tensor<?xf32, #m>
  %4 = relax.call_tp @sum(%1, %3) : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<f32>
  return %4 : tensor<f32>
}

// -----

// Constant sizes give constant offsets; a size of zero is fine.
relax_tp.func private @f(%x: tensor<0x4xf32>) outs(%o: tensor<5xi8>) {
  relax_tp.yield %o : tensor<5xi8>
}
relax_tp.func private @g(%x: tensor<5xi8>) outs(%o: tensor<0x4xf32>) {
  relax_tp.yield %o : tensor<0x4xf32>
}
// CHECK-LABEL: func.func @constant(
//       CHECK:   %[[BYTES:.*]] = arith.constant 64 : index
//       CHECK:   relax.storage %[[BYTES]] {alignment = 64 : i64, space = "arena"}
//   CHECK-NOT:   relax.eval_expr
func.func @constant(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = relax.call_tp @f(%x) : (tensor<0x4xf32>) -> tensor<5xi8>
  %1 = relax.call_tp @g(%0) : (tensor<5xi8>) -> tensor<0x4xf32>
  return %1 : tensor<0x4xf32>
}

// -----

#n = #relax_sym.shape<[n]>
relax_ext.func private @lib(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>, symbol = "lib", workspace_bytes = #relax_sym.expr<n * 128>}

// Scratch memory of a library function is part of the arena.
// CHECK-LABEL: func.func @workspace(
//       CHECK:   relax.call_dps @lib(%{{.*}}) into(%{{.*}}) {relax.workspace_offset = #relax_sym.expr<
func.func @workspace(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_dps @lib(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %0 : tensor<?xf32, #n>
}

// -----

#n = #relax_sym.shape<[n]>
#u = #relax_sym.shape<[u]>
relax_tp.func private @exp(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

// A size found while running counts with its bound in the one arena.
// CHECK-LABEL: func.func @bounded(
//       CHECK:   relax.eval_expr %{{.*}}, (n ceildiv 8) * 128 :
//       CHECK:   relax.match_cast
func.func @bounded(%s: !relax.shape<[n]>, %x: tensor<?xf32>) -> tensor<f32>
    attributes {relax_sym.scope = #relax_sym.scope<"u <= n * 2">} {
  %0 = relax.match_cast %x binds [u] : tensor<?xf32> to tensor<?xf32, #u>
  %1 = relax.call_tp @exp(%0) : (tensor<?xf32, #u>) -> tensor<?xf32, #u>
  %2 = relax.call_tp @exp(%1) : (tensor<?xf32, #u>) -> tensor<?xf32, #u>
  %c = relax.constant dense<0.0> : tensor<f32>
  return %c : tensor<f32>
}

// Without a bound it gets memory of its own.
// CHECK-LABEL: func.func @unbounded(
//       CHECK:   relax.match_cast
//       CHECK:   %[[BYTES:.*]] = relax.eval_expr %{{.*}}, u * 4 :
//       CHECK:   relax.storage %[[BYTES]] {alignment = 64 : i64, space = "arena"}
func.func @unbounded(%x: tensor<?xf32>) -> tensor<f32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.match_cast %x binds [u] : tensor<?xf32> to tensor<?xf32, #u>
  %1 = relax.call_tp @exp(%0) : (tensor<?xf32, #u>) -> tensor<?xf32, #u>
  %c = relax.constant dense<0.0> : tensor<f32>
  return %c : tensor<f32>
}
