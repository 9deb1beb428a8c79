// RUN: relax-opt %s --relax-make-destinations --relax-verify-destinations | FileCheck %s

#n = #relax_sym.shape<[n]>
relax_tp.func private @same(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
func.func private @callee(%x: tensor<?xf32, #n>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = relax.call @callee(%x) : (tensor<?xf32, #n>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A tensor that changes its place and one that a branch makes are copied; one that the body makes, one that passes
// through and one from outside are not.
// CHECK-LABEL: func.func @places(
//       CHECK:   scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}, %[[D:.*]] = %{{.*}}, %[[E:.*]] = %{{.*}})
//       CHECK:     %[[S:.*]] = relax.call_tp @same(%[[A]]) into
//       CHECK:     %[[I:.*]] = scf.if
//       CHECK:     %[[CA:.*]] = relax.call_tp @copy(%[[A]]) into
//       CHECK:     %[[CI:.*]] = relax.call_tp @copy(%[[I]]) into
//       CHECK:     scf.yield %[[S]], %[[CA]], %[[CI]], %[[D]], %{{.*}}
func.func @places(%x: tensor<8xf32>, %count: index, %c: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:5 = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x, %b = %x, %d = %x, %e = %x, %g = %x)
      -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %s = relax.call_tp @same(%a) : (tensor<8xf32>) -> tensor<8xf32>
    %f = scf.if %c -> (tensor<8xf32>) {
      %t = relax.call_tp @same(%b) : (tensor<8xf32>) -> tensor<8xf32>
      scf.yield %t : tensor<8xf32>
    } else {
      scf.yield %d : tensor<8xf32>
    }
    scf.yield %s, %a, %f, %e, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#2 : tensor<8xf32>, tensor<8xf32>
}

// The extents of what a function gives are not known: the copy names them.
// CHECK-LABEL: func.func @calls(
//       CHECK:   scf.while
//       CHECK:   } do {
//       CHECK:     %[[Q:.*]] = relax.call @callee
//       CHECK:     %[[K:.*]] = relax.match_cast %[[Q]] binds [d_1]
//       CHECK:     %[[C:.*]] = relax.call_tp @{{copy.*}}(%[[K]]) into
//       CHECK:     %[[E:.*]] = relax.erase_shape %[[C]]
//       CHECK:     scf.yield %[[E]]
func.func @calls(%x: tensor<?xf32>, %c: i1) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = scf.while (%a = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    scf.condition(%c) %a : tensor<?xf32>
  } do {
  ^bb0(%b: tensor<?xf32>):
    %d = relax.match_cast %b binds [d] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[d]>>
    %q = relax.call @callee(%d) : (tensor<?xf32, #relax_sym.shape<[d]>>) -> tensor<?xf32>
    scf.yield %q : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
