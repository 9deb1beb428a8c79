// A size that only the data tells: the different values of x, their number bound to m by a match_cast, then exp.

#n = #relax_sym.shape<[n]>
#u = #relax_sym.shape<[u]>
#m = #relax_sym.shape<[m]>

func.func @main(%x: tensor<?xf32, #n> {relax.name = "x"}) -> (tensor<?xf32, #m> {relax.name = "y"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.unique %x binds [u] : (tensor<?xf32, #n>) -> tensor<?xf32, #u>
  %1 = relax.erase_shape %0 : tensor<?xf32, #u> to tensor<?xf32>
  %2 = relax.match_cast %1 binds [m] : tensor<?xf32> to tensor<?xf32, #m>
  %3 = relax.exp %2 : tensor<?xf32, #m>
  return %3 : tensor<?xf32, #m>
}
