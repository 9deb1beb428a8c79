// RUN: relax-opt %s --split-input-file --canonicalize --verify-diagnostics

// Where a loop starts from a tensor.cast (instead of relax.erase_shape) upstream canonicalization gives the accumulator its initial, static extent
// and casts what the body yields to it. That is wrong from the second iteration on, and refused.
func.func @growing(%x: tensor<1x4xf32>, %ub: index) -> tensor<?x4xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tensor.cast %x : tensor<1x4xf32> to tensor<?x4xf32>
  // expected-error @below {{claims that dimension 0 is 1, but its operand has m + 1}}
  %r = scf.for %i = %c0 to %ub step %c1 iter_args(%acc = %init) -> tensor<?x4xf32> {
    %0 = relax.match_cast %acc binds [m] : tensor<?x4xf32> to tensor<?x4xf32, #relax_sym.shape<[m, 4]>>
    %1 = relax.concat %0, %x {axis = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[m, 4]>>, tensor<1x4xf32>) -> tensor<?x4xf32, #relax_sym.shape<[m + 1, 4]>>
    %2 = tensor.cast %1 : tensor<?x4xf32, #relax_sym.shape<[m + 1, 4]>> to tensor<?x4xf32>
    scf.yield %2 : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

func.func @growing_erased(%x: tensor<1x4xf32>, %ub: index) -> tensor<?x4xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tensor.cast %x : tensor<1x4xf32> to tensor<?x4xf32>
  // expected-error @below {{claims that dimension 0 is 1, but its operand does not show it}}
  %r = scf.for %i = %c0 to %ub step %c1 iter_args(%acc = %init) -> tensor<?x4xf32> {
    %0 = relax.match_cast %acc binds [m] : tensor<?x4xf32> to tensor<?x4xf32, #relax_sym.shape<[m, 4]>>
    %1 = relax.concat %0, %x {axis = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[m, 4]>>, tensor<1x4xf32>) -> tensor<?x4xf32, #relax_sym.shape<[m + 1, 4]>>
    %2 = relax.erase_shape %1 : tensor<?x4xf32, #relax_sym.shape<[m + 1, 4]>> to tensor<?x4xf32>
    scf.yield %2 : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}
