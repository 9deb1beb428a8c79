#n_4 = #relax_sym.shape<[n, 4]>
func.func @main(%x: tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.relu %x : tensor<?x4xf32, #n_4>
  return %0 : tensor<?x4xf32, #n_4>
}
