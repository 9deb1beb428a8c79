// RUN: relax-opt %s --relax-plan | FileCheck %s

#n = #relax_sym.shape<[n]>
#k = #relax_sym.shape<[k]>
#kn = #relax_sym.shape<[k + n]>
relax_tp.func private @same(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
relax_tp.func private @append(%x: tensor<?xf32> {relax_sym.shape = #k}, %y: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #kn}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

// What is handed on alternates; what only one iteration needs grows when its size is found there, else lies in the arena.
// CHECK-LABEL: func.func @grows(
//  CHECK-SAME:     carried_by_loops\22:1,\22facts\22:[],\22growing\22:1
//       CHECK:   %[[ARENA:.*]] = relax.storage %{{.*}} {alignment = 64 : i64, space = "arena"}
//   CHECK-DAG:   %[[G:.*]] = relax.storage %{{.*}} {alignment = 64 : i64, space = "growing"}
//   CHECK-DAG:   %[[A:.*]] = relax.storage %{{.*}} {alignment = 64 : i64, space = "alternating"}
//       CHECK:   scf.for
//       CHECK:     relax.tensor_at %[[G]][%{{.*}}]
//       CHECK:     relax.tensor_at %[[ARENA]][%{{.*}}]
//       CHECK:     relax.tensor_at %[[A]][%{{.*}}]
func.func @grows(%x: tensor<?xf32, #n>, %count: index) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = relax.erase_shape %x : tensor<?xf32, #n> to tensor<?xf32>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %e) -> (tensor<?xf32>) {
    %b = relax.match_cast %a binds [k] : tensor<?xf32> to tensor<?xf32, #k>
    %s = relax.call_tp @same(%b) : (tensor<?xf32, #k>) -> tensor<?xf32, #k>
    %t = relax.call_tp @same(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    %c = relax.call_tp @append(%s, %t) : (tensor<?xf32, #k>, tensor<?xf32, #n>) -> tensor<?xf32, #kn>
    %f = relax.erase_shape %c : tensor<?xf32, #kn> to tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// The initial value is needed after the loop too, which may have nothing to do.
// CHECK-LABEL: func.func @initial(
//       CHECK:   %[[ARENA:.*]] = relax.storage %{{.*}} {alignment = 64 : i64, space = "arena"}
//       CHECK:   relax.tensor_at %[[ARENA]][%[[O0:.*]]] :
//       CHECK:   scf.for
//   CHECK-NOT:   relax.tensor_at %[[ARENA]][%[[O0]]]
//       CHECK:   return
func.func @initial(%x: tensor<8xf32>, %count: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = relax.call_tp @same(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%b = %a) -> (tensor<8xf32>) {
    %c = relax.call_tp @same(%b) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %c : tensor<8xf32>
  }
  %d = relax.call_tp @same(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %f = relax.call_tp @same(%d) : (tensor<8xf32>) -> tensor<8xf32>
  return %r, %f : tensor<8xf32>, tensor<8xf32>
}

// Memory of one branch is used again by a later one.
// CHECK-LABEL: func.func @branches(
//       CHECK:   %[[ARENA:.*]] = relax.storage %{{.*}} {alignment = 64 : i64, space = "arena"}
//       CHECK:   scf.if
//       CHECK:     relax.tensor_at %[[ARENA]][%[[O:.*]]]
//       CHECK:   scf.if
//       CHECK:     relax.tensor_at %[[ARENA]][%[[O]]]
func.func @branches(%x: tensor<8xf32>, %c: i1, %count: index) -> tensor<8xf32> {
  %a = scf.if %c -> (tensor<8xf32>) {
    %0 = relax.call_tp @same(%x) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %0 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  %b = relax.call_tp @same(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %d = scf.if %c -> (tensor<8xf32>) {
    %0 = relax.call_tp @same(%b) : (tensor<8xf32>) -> tensor<8xf32>
    scf.yield %0 : tensor<8xf32>
  } else {
    scf.yield %b : tensor<8xf32>
  }
  return %d : tensor<8xf32>
}

// What an arith.select gives may be either operand: both are needed as long as it is.
// CHECK-LABEL: func.func @select(
//       CHECK:   relax.tensor_at %{{.*}}[%[[A:.*]]] :
//       CHECK:   relax.tensor_at %{{.*}}[%[[B:.*]]] :
//       CHECK:   arith.select
//   CHECK-NOT:   relax.tensor_at %{{.*}}[%[[A]]]
//   CHECK-NOT:   relax.tensor_at %{{.*}}[%[[B]]]
//       CHECK:   return
func.func @select(%x: tensor<8xf32>, %c: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = relax.call_tp @same(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %b = relax.call_tp @same(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %s = arith.select %c, %a, %b : tensor<8xf32>
  %d = relax.call_tp @same(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %e = relax.call_tp @same(%d) : (tensor<8xf32>) -> tensor<8xf32>
  return %s, %e : tensor<8xf32>, tensor<8xf32>
}
