// RUN: relax-opt %s --relax-verify-graph --split-input-file --verify-diagnostics

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
func.func @fine(%x: tensor<?xf32, #n>, %c: i1, %i: index) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<"n == 4">} {
  %0 = relax.refine %x : tensor<?xf32, #n> to tensor<4xf32>
  %1 = arith.constant 0 : index
  %2 = tensor.dim %x, %1 : tensor<?xf32, #n>
  %3 = tensor.cast %x : tensor<?xf32, #n> to tensor<?xf32>
  %4 = scf.if %c -> (tensor<?xf32>) {
    scf.yield %3 : tensor<?xf32>
  } else {
    %5 = relax.erase_shape %0 : tensor<4xf32> to tensor<?xf32>
    scf.yield %5 : tensor<?xf32>
  }
  return %4 : tensor<?xf32>
}

// -----

func.func @other_dialect(%x: tensor<4xindex>) {
  // expected-error @below {{'arith.addi' op is not allowed in the graph phase}}
  %0 = arith.addi %x, %x : tensor<4xindex>
  return
}

// -----

func.func @later_phase() {
  // expected-error @below {{'relax.alloc' op is not allowed in the graph phase}}
  %0 = relax.alloc : () -> tensor<4xf32>
  return
}

// -----

func.func @cast_that_claims(%x: tensor<?xf32>) {
  // expected-error @below {{'tensor.cast' op is not allowed in the graph phase}}
  %0 = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  return
}

// -----

// expected-error @below {{'func.func' op has the type 'tensor<7xf32, #relax_sym.shape<[n]>>', which should be 'tensor<7xf32>'}}
func.func @not_normalized(%x: tensor<7xf32, #relax_sym.shape<[n]>>, %y: tensor<?xf32, #relax_sym.shape<[n]>>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  return
}

// -----

#n = #relax_sym.shape<[n]>
func.func @not_proved(%x: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<"n <= 4">} {
  // expected-error @below {{'relax.refine' op is not proved: n == 4}}
  %0 = relax.refine %x : tensor<?xf32, #n> to tensor<4xf32>
  return
}
