// RUN: relax-opt %s --split-input-file --relax-make-destinations --verify-diagnostics

#n = #relax_sym.shape<[n]>
relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
func.func @unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{needs known extents for destination 0, got 'tensor<?xf32>'}}
  %0 = relax.call_tp @relu(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
