// RUN: relax-opt %s --split-input-file --canonicalize | FileCheck %s

// A loop that runs once is replaced by its body. The binder moves; there is still one.
// CHECK-LABEL: func.func @trip_one
// CHECK-NOT: scf.for
// CHECK: %[[BOUND:.*]] = relax.match_cast %{{.*}} binds [m] : tensor<?xf32> to tensor<?xf32, #m>
// CHECK: relax.exp %[[BOUND]]
func.func @trip_one(%x: tensor<?xf32>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%acc = %x) -> tensor<?xf32> {
    %0 = relax.match_cast %acc binds [m] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[m]>>
    %1 = relax.exp %0 : tensor<?xf32, #relax_sym.shape<[m]>>
    %2 = relax.erase_shape %1 : tensor<?xf32, #relax_sym.shape<[m]>> to tensor<?xf32>
    scf.yield %2 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A loop that grows its tensor and starts from a static one, forgotten by relax.erase_shape: the extent of the accumulator
// must not become the static one.
// CHECK-LABEL: func.func @growing
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<?x4xf32>)
// CHECK: relax.match_cast %[[ACC]] binds [m] : tensor<?x4xf32> to tensor<?x4xf32, #{{[a-z0-9_]+}}>
// CHECK: relax.concat
// CHECK: scf.yield %{{.*}} : tensor<?x4xf32>
func.func @growing(%x: tensor<1x4xf32>, %ub: index) -> tensor<?x4xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = relax.erase_shape %x : tensor<1x4xf32> to tensor<?x4xf32>
  %r = scf.for %i = %c0 to %ub step %c1 iter_args(%acc = %init) -> tensor<?x4xf32> {
    %0 = relax.match_cast %acc binds [m] : tensor<?x4xf32> to tensor<?x4xf32, #relax_sym.shape<[m, 4]>>
    %1 = relax.concat %0, %x {axis = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[m, 4]>>, tensor<1x4xf32>) -> tensor<?x4xf32, #relax_sym.shape<[m + 1, 4]>>
    %2 = relax.erase_shape %1 : tensor<?x4xf32, #relax_sym.shape<[m + 1, 4]>> to tensor<?x4xf32>
    scf.yield %2 : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}
