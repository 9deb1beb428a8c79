// RUN: relax-opt %s --split-input-file --relax-make-destinations --relax-plan-memory --relax-verify-planned | FileCheck %s

#n_8 = #relax_sym.shape<[n, 8]>
relax_tp.func private @relu(%x: tensor<?x8xf32> {relax_sym.shape = #n_8})
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?x8xf32>
}

// A chain needs two buffers, whatever its length: one of them is the output.
// CHECK-LABEL: func.func @chain(
//  CHECK-SAME:   relax.memory_report = "{{.*}}lower_bound{{.*}}n * 32{{.*}}planned_bytes{{.*}}(n ceildiv 2) * 64{{.*}}results\22:[{\22bytes\22:\22n * 32\22,\22from\22:11,{{.*}}tensors\22:3}"
//       CHECK:   %[[ZERO:.*]] = arith.constant 0 : index
//       CHECK:   %[[X:.*]] = relax.shape_of %arg0
//       CHECK:   %[[S:.*]] = relax.make_shape %[[X]] : (!relax.shape<[n, 8]>) -> !relax.shape<[n]>
//       CHECK:   %[[BYTES:.*]] = relax.eval_expr %[[S]], (n ceildiv 2) * 64 :
//       CHECK:   %[[ARENA:.*]] = relax.storage %[[BYTES]] {alignment = 64 : i64, space = "arena"} : !relax.storage
//       CHECK:   %[[SIZE:.*]] = relax.eval_expr %[[S]], n * 32 :
//       CHECK:   %[[OUT:.*]] = relax.storage %[[SIZE]] {alignment = 64 : i64, relax.output = 0 : i64, space = "output"}
//       CHECK:   %[[D:.*]] = relax.tensor_at %[[OUT]][%[[ZERO]]]
//       CHECK:   %[[A:.*]] = relax.tensor_at %[[ARENA]][%[[ZERO]]]
//       CHECK:   relax.call_tp @relu(%arg0) into(%[[A]])
//       CHECK:   %[[B:.*]] = relax.tensor_at %[[OUT]][%[[ZERO]]]
//       CHECK:   relax.call_tp @relu({{.*}}) into(%[[B]])
//       CHECK:   %[[C:.*]] = relax.tensor_at %[[ARENA]][%[[ZERO]]]
//       CHECK:   relax.call_tp @relu({{.*}}) into(%[[C]])
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

// Memory is shared across element types. Sizes n and m are not comparable: which of the f64 tensor of n and both tensors of m
// take more is found at entry, and the tensor that lives with either begins there.
// CHECK-LABEL: func.func @types(
//  CHECK-SAME:   lower_bound\22:[\22n * 12\22,\22m * 12 + n * 4\22],\22planned_bytes\22:\22(n ceildiv 16) * 64 + max(m ceildiv 16 + m ceildiv 8, n ceildiv 8) * 64\22
//   CHECK-DAG:   %[[ZERO:.*]] = arith.constant 0 : index
//   CHECK-DAG:   %[[M8:.*]] = relax.eval_expr %{{.*}}, (m ceildiv 8) * 64 :
//   CHECK-DAG:   %[[M4:.*]] = relax.eval_expr %{{.*}}, (m ceildiv 16) * 64 :
//   CHECK-DAG:   %[[N8:.*]] = relax.eval_expr %{{.*}}, (n ceildiv 8) * 64 :
//   CHECK-DAG:   %[[N4:.*]] = relax.eval_expr %{{.*}}, (n ceildiv 16) * 64 :
//   CHECK-DAG:   %[[M12:.*]] = arith.addi %[[M8]], %[[M4]] overflow<nsw>
//   CHECK-DAG:   %[[HIGHER:.*]] = arith.maxsi %[[M12]], %[[N8]]
//       CHECK:   %[[BYTES:.*]] = arith.addi %[[HIGHER]], %[[N4]] overflow<nsw>
//       CHECK:   %[[ARENA:.*]] = relax.storage %[[BYTES]]
//       CHECK:   relax.tensor_at %[[ARENA]][%[[ZERO]]], %{{.*}} -> tensor<?xf64, #n>
//       CHECK:   relax.tensor_at %[[ARENA]][%[[HIGHER]]], %{{.*}} -> tensor<?xf32, #n>
//       CHECK:   relax.tensor_at %[[ARENA]][%[[ZERO]]], %{{.*}} -> tensor<?xf64, #m>
//       CHECK:   relax.tensor_at %[[ARENA]][%[[M8]]], %{{.*}} -> tensor<?xf32, #m>
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
//  CHECK-NEXT:   relax.storage %[[BYTES]] {alignment = 64 : i64, space = "arena"}
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
//       CHECK:   %[[U:.*]] = relax.eval_expr %{{.*}}, (n ceildiv 8) * 64 :
//       CHECK:   %[[BYTES:.*]] = arith.addi %[[U]], %[[U]]
//       CHECK:   relax.storage %[[BYTES]]
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

// -----

#a = #relax_sym.shape<[n + 1, 4]>
#b = #relax_sym.shape<[n * 4 + 4]>
relax_tp.func private @flatten(%x: tensor<?x4xf32> {relax_sym.shape = #relax_sym.shape<[k, 4]>})
    outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[k * 4]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
relax_tp.func private @copy2(%x: tensor<?x4xf32> {relax_sym.shape = #relax_sym.shape<[k, 4]>})
    outs(%o: tensor<?x4xf32> {relax_sym.shape = #relax_sym.shape<[k, 4]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?x4xf32>
}
relax_tp.func private @copy1(%x: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[k]>})
    outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[k]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

// A tensor (4n + 4,) takes the memory of a tensor (n + 1, 4): the same size by its normal form, so nothing is compared.
// CHECK-LABEL: func.func @equal_sizes(
//       CHECK:   %[[ZERO:.*]] = arith.constant 0 : index
//       CHECK:   %[[SIZE:.*]] = relax.eval_expr %{{.*}}, (n floordiv 4) * 64 + 64 :
//       CHECK:   %[[ARENA:.*]] = relax.storage %[[SIZE]]
//   CHECK-NOT:   arith.maxsi
//       CHECK:   %[[OUT:.*]] = relax.storage %{{.*}} relax.output = 0
//       CHECK:   relax.tensor_at %[[ARENA]][%[[ZERO]]], %{{.*}} -> tensor<?x4xf32
//       CHECK:   relax.tensor_at %[[OUT]][%[[ZERO]]], %{{.*}} -> tensor<?xf32
//       CHECK:   relax.tensor_at %[[ARENA]][%[[ZERO]]], %{{.*}} -> tensor<?xf32
func.func @equal_sizes(%x: tensor<?x4xf32, #a>) -> tensor<?xf32, #b> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @copy2(%x) : (tensor<?x4xf32, #a>) -> tensor<?x4xf32, #a>
  %1 = relax.call_tp @flatten(%0) : (tensor<?x4xf32, #a>) -> tensor<?xf32, #b>
  %2 = relax.call_tp @copy1(%1) : (tensor<?xf32, #b>) -> tensor<?xf32, #b>
  %3 = relax.call_tp @copy1(%2) : (tensor<?xf32, #b>) -> tensor<?xf32, #b>
  return %3 : tensor<?xf32, #b>
}

// -----

#n = #relax_sym.shape<[n]>
#small = #relax_sym.shape<[n - 3]>
relax_tp.func private @shorten(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #small}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
relax_tp.func private @count(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<f32>
}

// An extent is checked where it is used, after the arena was made: until then it may be below 0.
// CHECK-LABEL: func.func @negative(
//       CHECK:   %[[SIZE:.*]] = relax.eval_expr %{{.*}}, ((n + 12) floordiv 16) * 64 :
//       CHECK:   arith.maxsi %[[SIZE]], %{{.*}}
func.func @negative(%x: tensor<?xf32, #n>) -> tensor<f32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @shorten(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #small>
  %1 = relax.call_tp @count(%0) : (tensor<?xf32, #small>) -> tensor<f32>
  return %1 : tensor<f32>
}
