// As unique.mlir, but m is the extent of y already: the match_cast is a check, and an error when it fails.

#n = #relax_sym.shape<[n]>
#u = #relax_sym.shape<[u]>
#m = #relax_sym.shape<[m]>

func.func @main(%x: tensor<?xf32, #n> {relax.name = "x"}, %y: tensor<?xf32, #m> {relax.name = "y"})
    -> (tensor<?xf32, #m> {relax.name = "z"}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.unique %x binds [u] : (tensor<?xf32, #n>) -> tensor<?xf32, #u>
  %1 = relax.match_cast %0 : tensor<?xf32, #u> to tensor<?xf32, #m>
  %2 = relax.exp %1 : tensor<?xf32, #m>
  %3 = relax.add %2, %y : (tensor<?xf32, #m>, tensor<?xf32, #m>) -> tensor<?xf32, #m>
  return %3 : tensor<?xf32, #m>
}
