// A function with symbols of its own, called with different expressions: (n, 4) -> (n * 4).

#n_4 = #relax_sym.shape<[n, 4]>
#m_4 = #relax_sym.shape<[m, 4]>

func.func private @sub(%x: tensor<?x4xf32, #n_4>) -> tensor<?xf32, #relax_sym.shape<[n * 4]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?x4xf32, #n_4> -> !relax.shape<[n, 4]>
  %flat = relax.make_shape %s : (!relax.shape<[n, 4]>) -> !relax.shape<[n * 4]>
  %r = relax.reshape %x, %flat : (tensor<?x4xf32, #n_4>, !relax.shape<[n * 4]>) -> tensor<?xf32, #relax_sym.shape<[n * 4]>>
  return %r : tensor<?xf32, #relax_sym.shape<[n * 4]>>
}

// y is x, then x twice, flattened.
func.func @main(%x: tensor<?x4xf32, #m_4> {relax.name = "x"}) -> (tensor<?xf32, #relax_sym.shape<[m * 12]>> {relax.name = "y"})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call @sub(%x) {n = m} : (tensor<?x4xf32, #m_4>) -> tensor<?xf32, #relax_sym.shape<[m * 4]>>
  %xx = relax.concat %x, %x {axis = 0 : i64} : (tensor<?x4xf32, #m_4>, tensor<?x4xf32, #m_4>) -> tensor<?x4xf32, #relax_sym.shape<[m * 2, 4]>>
  %1 = relax.call @sub(%xx) {n = m * 2} : (tensor<?x4xf32, #relax_sym.shape<[m * 2, 4]>>) -> tensor<?xf32, #relax_sym.shape<[m * 8]>>
  %y = relax.concat %0, %1 {axis = 0 : i64}
      : (tensor<?xf32, #relax_sym.shape<[m * 4]>>, tensor<?xf32, #relax_sym.shape<[m * 8]>>) -> tensor<?xf32, #relax_sym.shape<[m * 12]>>
  return %y : tensor<?xf32, #relax_sym.shape<[m * 12]>>
}
