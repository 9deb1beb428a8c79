// RUN: relax-opt %s --relax-simplify-match-casts | FileCheck %s

// Casts that repeat each other, inside of control flow: each becomes the first one.
// CHECK-LABEL: func.func @repeated(
//       CHECK:   scf.for
//       CHECK:     relax.match_cast %{{.*}} binds [a]
//   CHECK-NOT:     relax.match_cast
//       CHECK:     scf.yield
func.func @repeated(%u: tensor<?xf32>, %c: i1, %count: index) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%v = %u) -> (tensor<?xf32>) {
    %0 = relax.match_cast %v binds [a] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[a]>>
    %s = relax.shape_of %0 : tensor<?xf32, #relax_sym.shape<[a]>> -> !relax.shape<[a]>
    relax.assert_shape %s, "a >= 1", "a" : !relax.shape<[a]>
    %n = scf.if %c -> (tensor<?xf32>) {
      %1 = relax.match_cast %v binds [b] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[b]>>
      %t = relax.shape_of %1 : tensor<?xf32, #relax_sym.shape<[b]>> -> !relax.shape<[b]>
      relax.assert_shape %t, "b >= 2", "b" : !relax.shape<[b]>
      %2 = relax.match_cast %v binds [d] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[d]>>
      %w = relax.shape_of %2 : tensor<?xf32, #relax_sym.shape<[d]>> -> !relax.shape<[d]>
      relax.assert_shape %w, "d >= 3", "d" : !relax.shape<[d]>
      scf.yield %v : tensor<?xf32>
    } else {
      scf.yield %u : tensor<?xf32>
    }
    scf.yield %n : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
