// RUN: relax-opt %s --relax-verify-mixed --split-input-file --verify-diagnostics

#n = #relax_sym.shape<[n]>
relax_tp.func private @exp(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  relax_tp.yield %0 : tensor<?xf32>
}
func.func @allowed(%c: i1, %x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = scf.if %c -> tensor<?xf32, #n> {
    %1 = relax.call_tp @exp(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    scf.yield %1 : tensor<?xf32, #n>
  } else {
    scf.yield %x : tensor<?xf32, #n>
  }
  return %0 : tensor<?xf32, #n>
}

// -----

func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'math.exp' op is not expected in the mixed phase}}
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#n = #relax_sym.shape<[n]>
relax_tp.func private @exp(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  relax_tp.yield %0 : tensor<?xf32>
}
func.func @destinations(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n]>
  // expected-error @below {{'relax.alloc' op belongs to a later phase than the mixed phase}}
  %d = relax.alloc %s : (!relax.shape<[n]>) -> tensor<?xf32, #n>
  // expected-error @below {{'relax.call_tp' op has destinations, which the mixed phase does not expect yet}}
  %0 = relax.call_tp @exp(%x) into(%d) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %0 : tensor<?xf32, #n>
}
