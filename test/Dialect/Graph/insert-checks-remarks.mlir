// RUN: relax-opt %s --relax-insert-checks --verify-diagnostics --remark-format=emitRemark --remarks-filter='relax-.*'

// Each decision with its reason: the steps of a proof, or extents that break the rule.
#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#k = #relax_sym.shape<[k]>
relax_tp.func private @same(%x: tensor<?xf32> {relax_sym.shape = #n}, %y: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
func.func @reasons(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>, %z: tensor<?xf32, #k>) -> tensor<?xf32>
    attributes {relax_sym.scope = #relax_sym.scope<"k == n">} {
  // expected-remark @below {{'n == m or n == 1 or m == 1' is checked at run time; not for }}
  %0 = relax.add %x, %y : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32>
  // expected-remark @below {{proved 'k == n': question: }}
  %1 = relax.call_tp @same(%x, %z) : (tensor<?xf32, #n>, tensor<?xf32, #k>) -> tensor<?xf32, #n>
  return %0 : tensor<?xf32>
}
