// RUN: relax-opt %s --loop-invariant-code-motion | FileCheck %s

// Ops that may trap stay in the loop; assured ones and casts that only forget leave it.

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>

relax_tp.func private @p(%x: tensor<?xf32> {relax_sym.shape = #n}, %y: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

relax_tp.func private @reports(%x: tensor<4xf32>, %c: tensor<i1>) outs(%o: tensor<4xf32>) {
  %0 = tensor.extract %c[] : tensor<i1>
  relax_tp.assert %0, "not allowed"
  relax_tp.yield %o : tensor<4xf32>
}

// CHECK-LABEL: func.func @loop(
func.func @loop(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>, %s: !relax.shape<[n]>, %count: index,
                %z: tensor<4xf32>, %c: tensor<i1>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // CHECK: relax.erase_shape
  // CHECK: relax.call_tp @p({{.*}}) {relax.assured}
  // CHECK: relax.make_shape {{.*}} -> !relax.shape<[n, 7]>
  // CHECK: relax.eval_expr %{{.*}}, n :
  // CHECK: scf.for
  scf.for %i = %zero to %count step %one {
    // CHECK-DAG: relax.match_cast
    // CHECK-DAG: relax.call_tp @p({{.*}}) : (tensor<?xf32, #n>, tensor<?xf32, #m>)
    // CHECK-DAG: relax.make_shape {{.*}} -> !relax.shape<[n - 1]>
    // CHECK-DAG: relax.eval_expr %{{.*}}, n * 8 :
    // CHECK-DAG: relax.call_tp @reports
    %8 = relax.call_tp @reports(%z, %c) {relax.assured} : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
    %0 = relax.erase_shape %x : tensor<?xf32, #n> to tensor<?xf32>
    %1 = relax.call_tp @p(%x, %x) {relax.assured} : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
    %2 = relax.make_shape %s : (!relax.shape<[n]>) -> !relax.shape<[n, 7]>
    %3 = relax.eval_expr %s, n : !relax.shape<[n]> -> index
    %4 = relax.match_cast %y : tensor<?xf32, #m> to tensor<?xf32, #n>
    %5 = relax.call_tp @p(%x, %y) : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32, #n>
    %6 = relax.make_shape %s : (!relax.shape<[n]>) -> !relax.shape<[n - 1]>
    %7 = relax.eval_expr %s, n * 8 : !relax.shape<[n]> -> index
  }
  return
}
