// RUN: relax-opt %s --split-input-file --relax-make-destinations --relax-plan-memory --verify-diagnostics

func.func @huge() {
  // expected-error @below {{needs more memory than 64 bits can count}}
  %d = relax.alloc : () -> tensor<4611686018427387904x4xf32>
  return
}

// -----

#u = #relax_sym.shape<[u]>
relax_ext.func private @lib(%x: tensor<?xf32> {relax_sym.shape = #u}) outs(%o: tensor<?xf32> {relax_sym.shape = #u})
    attributes {relax_sym.scope = #relax_sym.scope<>, symbol = "lib", workspace_bytes = #relax_sym.expr<u * 4>}
func.func @scratch(%x: tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.match_cast %x binds [u] : tensor<?xf32> to tensor<?xf32, #u>
  // expected-error @below {{needs u * 4 bytes, whose symbols are found while running and have no bound}}
  %1 = relax.call_dps @lib(%0) : (tensor<?xf32, #u>) -> tensor<?xf32, #u>
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
