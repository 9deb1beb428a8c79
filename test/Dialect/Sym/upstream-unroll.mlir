// RUN: relax-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))'

// Unrolling clones the binder of the body: refused, as two iterations may see two sizes.
func.func @affine(%x: tensor<?xf32>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = affine.for %i = 0 to 8 iter_args(%acc = %x) -> tensor<?xf32> {
    // expected-error @below {{is a second binder of symbol 'm'}}
    // expected-note @below {{bound here}}
    %0 = relax.match_cast %acc binds [m] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[m]>>
    %1 = relax.erase_shape %0 : tensor<?xf32, #relax_sym.shape<[m]>> to tensor<?xf32>
    affine.yield %1 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Without a binder in the body there is nothing to refuse.
func.func @no_binder(%x: tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = affine.for %i = 0 to 8 iter_args(%acc = %x) -> tensor<?xf32, #relax_sym.shape<[n]>> {
    %0 = relax.exp %acc : tensor<?xf32, #relax_sym.shape<[n]>>
    affine.yield %0 : tensor<?xf32, #relax_sym.shape<[n]>>
  }
  return %r : tensor<?xf32, #relax_sym.shape<[n]>>
}
