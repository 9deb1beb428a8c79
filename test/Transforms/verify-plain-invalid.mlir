// RUN: relax-opt %s --relax-verify-plain --split-input-file --verify-diagnostics

func.func @plain(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = math.exp %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'relax.exp' op is left, but the plain phase expects upstream operations only}}
  %0 = relax.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{'relax_tp.func' op is left, but the plain phase expects upstream operations only}}
relax_tp.func @public(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  // expected-error @below {{'relax_tp.yield' op is left, but the plain phase expects upstream operations only}}
  relax_tp.yield %x : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op mentions #relax_sym.shape<[n, 4]>, but the plain phase expects upstream types and attributes only}}
func.func private @type(tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>}

// -----

// expected-error @below {{'func.func' op mentions !relax.shape<[4]>, but the plain phase expects upstream types and attributes only}}
func.func @argument(%s: !relax.shape<[4]>) {
  return
}

// -----

func.func @attribute(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'math.exp' op mentions #relax_sym.expr<n>, but the plain phase expects upstream types and attributes only}}
  %0 = math.exp %x {note = #relax_sym.expr<n>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
