// RUN: relax-opt %s --split-input-file --loop-invariant-code-motion --cse | FileCheck %s

// A check that may trap is not hoisted out of a loop that may not run; what only needs its operands is.
// CHECK-LABEL: func.func @licm
// CHECK: %[[EXP:.*]] = relax.exp
// CHECK: scf.for
// CHECK: relax.match_cast %{{.*}} binds [m]
func.func @licm(%x: tensor<?xf32>, %y: tensor<?xf32, #relax_sym.shape<[n]>>, %lb: index, %ub: index) -> tensor<?xf32>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %lb to %ub step %c1 iter_args(%acc = %x) -> tensor<?xf32> {
    %0 = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[m]>>
    %1 = relax.exp %y : tensor<?xf32, #relax_sym.shape<[n]>>
    %2 = relax.match_cast %1 : tensor<?xf32, #relax_sym.shape<[n]>> to tensor<?xf32, #relax_sym.shape<[m]>>
    %3 = relax.add %0, %2 : (tensor<?xf32, #relax_sym.shape<[m]>>, tensor<?xf32, #relax_sym.shape<[m]>>) -> tensor<?xf32, #relax_sym.shape<[m]>>
    %4 = relax.erase_shape %3 : tensor<?xf32, #relax_sym.shape<[m]>> to tensor<?xf32>
    scf.yield %4 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Binders of different symbols are different, even of one value: each name stays bound once.
// CHECK-LABEL: func.func @cse
// CHECK: relax.match_cast %{{.*}} binds [m]
// CHECK: relax.match_cast %{{.*}} binds [k]
// CHECK-NOT: relax.match_cast
func.func @cse(%x: tensor<?xf32>) -> (tensor<?xf32, #relax_sym.shape<[m]>>, tensor<?xf32, #relax_sym.shape<[k]>>, tensor<?xf32, #relax_sym.shape<[m]>>, tensor<?xf32, #relax_sym.shape<[m]>>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[m]>>
  %1 = relax.match_cast %x binds [k] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[k]>>
  %2 = relax.exp %0 : tensor<?xf32, #relax_sym.shape<[m]>>
  %3 = relax.exp %0 : tensor<?xf32, #relax_sym.shape<[m]>>
  return %0, %1, %2, %3 : tensor<?xf32, #relax_sym.shape<[m]>>, tensor<?xf32, #relax_sym.shape<[k]>>, tensor<?xf32, #relax_sym.shape<[m]>>, tensor<?xf32, #relax_sym.shape<[m]>>
}
