// RUN: relax-opt %s --relax-make-destinations --relax-plan-memory --relax-verify-planned | FileCheck %s

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

// What is dead before the result is made lies in its memory.
// CHECK-LABEL: func.func @chain(
//  CHECK-SAME:   \22holds\22:[{\22above\22:[],\22bytes\22:\22n * 4\22
//       CHECK:   %[[BYTES:.*]] = relax.eval_expr %{{.*}}, (n ceildiv 16) * 64
//       CHECK:   %[[ARENA:.*]] = relax.storage %[[BYTES]] {{.*}} space = "arena"
//       CHECK:   %[[OUT:.*]] = relax.storage %{{.*}} {alignment = 64 : i64, relax.output = 0 : i64, space = "output"}
//       CHECK:   %[[R:.*]] = relax.tensor_at %[[OUT]]
//       CHECK:   %[[A:.*]] = relax.tensor_at %[[ARENA]]
//       CHECK:   relax.call_tp @relu(%arg0) into(%[[A]])
//       CHECK:   %[[B:.*]] = relax.tensor_at %[[OUT]]
//       CHECK:   relax.call_tp @relu({{.*}}) into(%[[B]])
//       CHECK:   %[[C:.*]] = relax.tensor_at %[[ARENA]]
//       CHECK:   relax.call_tp @relu({{.*}}) into(%[[C]])
//       CHECK:   relax.call_tp @relu({{.*}}) into(%[[R]])
func.func @chain(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @relu(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %1 = relax.call_tp @relu(%0) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %2 = relax.call_tp @relu(%1) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %3 = relax.call_tp @relu(%2) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %3 : tensor<?xf32, #n>
}

// Nothing proves that m elements fit into n: whether both tensors of m do, or one, is compared at entry, and so is which
// arena is smallest.
// CHECK-LABEL: func.func @other_size(
//  CHECK-SAME:   \22alternatives\22:[{\22arena\22:[],\22results\22:[{{.*}}\22holds\22:[{\22above\22:[],\22bytes\22:\22m * 4\22
//  CHECK-SAME:   planned_bytes\22:\22(m ceildiv 16) * 128\22
//  CHECK-SAME:   \22holds\22:[]
//       CHECK:   %[[M:.*]] = relax.eval_expr %{{.*}}, (m ceildiv 16) * 64
//       CHECK:   %[[BOTH:.*]] = arith.addi %[[M]], %[[M]] overflow<nsw>
//       CHECK:   %[[LESS:.*]] = arith.cmpi slt, %c0, %[[BOTH]]
//       CHECK:   %[[FIT:.*]] = arith.cmpi sle, %{{.*}}, %[[RESULT:.*]] : index
//       CHECK:   %[[USE:.*]] = arith.andi %[[LESS]], %[[FIT]]
//       CHECK:   %[[BYTES:.*]] = arith.select %[[USE]], %c0, %[[BOTH]]
//       CHECK:   %[[LESS_1:.*]] = arith.cmpi slt, %[[M]], %[[BYTES]]
//       CHECK:   %[[FIT_1:.*]] = arith.cmpi sle, %{{.*}}, %[[RESULT]]
//       CHECK:   %[[USE_1:.*]] = arith.andi %[[LESS_1]], %[[FIT_1]]
//       CHECK:   %[[BYTES_1:.*]] = arith.select %[[USE_1]], %[[M]], %[[BYTES]]
//       CHECK:   %[[ARENA:.*]] = relax.storage %[[BYTES_1]] {{.*}} space = "arena"
//       CHECK:   %[[OUT:.*]] = relax.storage %[[RESULT]] {{.*}} space = "output"
//       CHECK:   arith.select %[[USE]], %[[OUT]], %[[ARENA]] : !relax.storage
func.func @other_size(%x: tensor<?xf32, #m>, %y: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @relu(%x) : (tensor<?xf32, #m>) -> tensor<?xf32, #m>
  %1 = relax.call_tp @relu(%0) : (tensor<?xf32, #m>) -> tensor<?xf32, #m>
  %2 = relax.call_tp @relu(%y) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %2 : tensor<?xf32, #n>
}

// The same, where a fact proves it.
// CHECK-LABEL: func.func @smaller_size(
//  CHECK-SAME:   \22holds\22:[{\22above\22:[],\22bytes\22:\22m * 4\22
func.func @smaller_size(%x: tensor<?xf32, #m>, %y: tensor<?xf32, #n>) -> tensor<?xf32, #n>
    attributes {relax_sym.scope = #relax_sym.scope<"m <= n">} {
  %0 = relax.call_tp @relu(%x) : (tensor<?xf32, #m>) -> tensor<?xf32, #m>
  %1 = relax.call_tp @relu(%0) : (tensor<?xf32, #m>) -> tensor<?xf32, #m>
  %2 = relax.call_tp @relu(%y) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %2 : tensor<?xf32, #n>
}
