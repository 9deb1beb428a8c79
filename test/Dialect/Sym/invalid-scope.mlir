// RUN: relax-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

#n = #relax_sym.shape<[n]>
// expected-note @below {{bound by the arguments}}
func.func @second_binder(%x: tensor<?xf32, #n>, %y: tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{is a second binder of symbol 'n'}}
  %0 = relax.match_cast %y binds [n] : tensor<?xf32> to tensor<?xf32, #n>
  return
}

// -----

#m = #relax_sym.shape<[m]>
func.func @second_binding_op(%x: tensor<?xf32>, %y: tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-note @below {{bound here}}
  %0 = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #m>
  // expected-error @below {{is a second binder of symbol 'm'}}
  %1 = relax.match_cast %y binds [m] : tensor<?xf32> to tensor<?xf32, #m>
  return
}

// -----

#m = #relax_sym.shape<[m]>
func.func @no_binder(%x: tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{has a result type with symbol 'm', which nothing binds}}
  %0 = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #m>
  return
}

// -----

#m = #relax_sym.shape<[m]>
func.func @not_dominated(%x: tensor<?xf32>, %y: tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{has a result type with symbol 'm', whose binder does not dominate it}}
  %0 = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #m>
  // expected-note @below {{bound here}}
  %1 = relax.match_cast %y binds [m] : tensor<?xf32> to tensor<?xf32, #m>
  return
}

// -----

// A symbol bound in one branch is no name outside of it.
#m = #relax_sym.shape<[m]>
func.func @branch(%x: tensor<?xf32>, %c: i1) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{has a result type with symbol 'm', whose binder does not dominate it}}
  %r = scf.if %c -> tensor<?xf32, #m> {
    // expected-note @below {{bound here}}
    %0 = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #m>
    scf.yield %0 : tensor<?xf32, #m>
  } else {
    %0 = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #m>
    scf.yield %0 : tensor<?xf32, #m>
  }
  return
}

// -----

#m = #relax_sym.shape<[m]>
func.func @block_argument(%x: tensor<?xf32>, %c: i1) attributes {relax_sym.scope = #relax_sym.scope<>} {
  cf.cond_br %c, ^one, ^two
^one:
  // expected-note @below {{bound here}}
  %0 = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #m>
  cf.br ^join(%0 : tensor<?xf32, #m>)
^two:
  // expected-error @below {{has a result type with symbol 'm', whose binder does not dominate it}}
  %1 = relax.match_cast %x : tensor<?xf32> to tensor<?xf32, #m>
  cf.br ^join(%1 : tensor<?xf32, #m>)
^join(%y: tensor<?xf32, #m>):
  return
}

// -----

#k = #relax_sym.shape<[k]>
func.func @nested_block_argument(%x: tensor<?xf32, #k>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{has a block argument type with symbol 'm', which nothing binds}}
  "test.loop"(%x) ({
  ^bb0(%y: tensor<?xf32, #relax_sym.shape<[m]>>):
    "test.end"() : () -> ()
  }) : (tensor<?xf32, #k>) -> ()
  return
}

// -----

// expected-error @below {{symbol 'n' is ambiguous: arguments show it only in n floordiv 2}}
func.func @ambiguous(%x: tensor<?xf32, #relax_sym.shape<[n floordiv 2]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  return
}

// -----

// n may be 0: then every m fits.
// expected-error @below {{symbol 'm' is ambiguous: arguments show it only in m * n}}
func.func @ambiguous_product(%x: tensor<?x?xf32, #relax_sym.shape<[n, n * m]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  return
}

// -----

#n = #relax_sym.shape<[n]>
func.func private @callee(tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>}
func.func @call(%x: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{cannot pass symbols to another function; expected relax.call}}
  func.call @callee(%x) : (tensor<?xf32, #n>) -> ()
  return
}

// -----

#n = #relax_sym.shape<[n]>
func.func @cast(%x: tensor<?xf32>, %y: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{claims that dimension 0 is n, but its operand does not show it}}
  %0 = tensor.cast %x : tensor<?xf32> to tensor<?xf32, #n>
  return
}

// -----

func.func @cast_static(%x: tensor<8xf32>, %y: tensor<?x?xf32, #relax_sym.shape<[n, m]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{claims that dimension 1 is n, but its operand has m}}
  %0 = tensor.cast %y : tensor<?x?xf32, #relax_sym.shape<[n, m]>> to tensor<?x?xf32, #relax_sym.shape<[n, n]>>
  return
}

// -----

#n = #relax_sym.shape<[n]>
func.func @upstream(%x: tensor<?xf32, #n>, %i: index) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{has a result type with symbol 'n' that its operands do not show}}
  %0 = tensor.empty(%i) : tensor<?xf32, #n>
  return
}

// -----

// The verifier runs before the body is verified: an invalid binder is reported, not asked.
func.func @invalid_binder(%x: tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{attribute 'binds' failed to satisfy constraint: string array attribute}}
  %0 = "relax.match_cast"(%x) {binds = [1]} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

#n = #relax_sym.shape<[n]>
// expected-error @below {{empty block: expect at least a terminator}}
func.func @missing_terminator(%x: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  cf.br ^end
^end:
}
