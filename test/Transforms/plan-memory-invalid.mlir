// RUN: relax-opt %s --split-input-file --relax-make-destinations --relax-plan-memory --verify-diagnostics

relax_tp.func private @relu(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @carried(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  // expected-error @below {{carries tensors from one iteration to the next, which memory planning does not support}}
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%t = %x) -> (tensor<4xf32>) {
    %1 = relax.call_tp @relu(%t) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @huge() {
  // expected-error @below {{needs more memory than 64 bits can count}}
  %d = relax.alloc : () -> tensor<4611686018427387904x4xf32>
  return
}

// -----

#u = #relax_sym.shape<[u]>
relax_tp.func private @exp(%x: tensor<?xf32> {relax_sym.shape = #u}) outs(%o: tensor<?xf32> {relax_sym.shape = #u})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
func.func @inside(%x: tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c = arith.constant true
  scf.if %c {
    %0 = relax.match_cast %x binds [u] : tensor<?xf32> to tensor<?xf32, #u>
    // expected-error @below {{needs u * 4 bytes, whose symbols are found while running and have no bound}}
    %1 = relax.call_tp @exp(%0) : (tensor<?xf32, #u>) -> tensor<?xf32, #u>
  }
  return
}

// -----

// expected-error @below {{has several blocks, memory planning expects structured control flow}}
func.func @blocks() {
  %d = relax.alloc : () -> tensor<4xf32>
  cf.br ^next
^next:
  return
}
