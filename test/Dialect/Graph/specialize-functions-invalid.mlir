// RUN: relax-opt %s --relax-specialize-functions --verify-diagnostics

#n = #relax_sym.shape<[n]>
func.func private @large(%x: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n]>
  %t = relax.make_shape %s : (!relax.shape<[n]>) -> !relax.shape<[n * 4611686018427387904]>
  return
}
func.func @main(%x: tensor<4xf32>) {
  // expected-error @below {{cannot be specialized: an expression of 'large' overflows}}
  relax.call @large(%x) : (tensor<4xf32>) -> ()
  return
}
