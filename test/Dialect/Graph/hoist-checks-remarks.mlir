// RUN: relax-opt %s --relax-hoist-checks --verify-diagnostics --remark-format=emitRemark --remarks-filter='relax-.*'

#n = #relax_sym.shape<[n]>
func.func @early(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.relu %x : tensor<?xf32, #n>
  %s = relax.shape_of %0 : tensor<?xf32, #n> -> !relax.shape<[n]>
  // expected-remark @below {{moved the check 'n >= 2' up}}
  relax.assert_shape %s, "n >= 2", "two" : !relax.shape<[n]>
  // expected-remark @below {{removed the check 'n >= 1', which follows from earlier ones}}
  relax.assert_shape %s, "n >= 1", "one" : !relax.shape<[n]>
  return %0 : tensor<?xf32, #n>
}
