// RUN: relax-opt %s --relax-raise-loops --canonicalize --split-input-file | FileCheck %s
// RUN: relax-opt %s --relax-raise-loops --split-input-file --remark-format=emitRemark --remarks-filter='relax-.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] Raised | Category:relax-raise-loops | Remark="raised @elementwise"

#n_256 = #relax_sym.shape<[n, 256]>

// CHECK-LABEL: relax_tp.func private @elementwise(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x256xf32> {{{.*}}}) outs(%[[O:.*]]: tensor<?x256xf32> {{{.*}}})
//       CHECK:   %[[R:.*]] = linalg.generic {indexing_maps = [#[[ID:.*]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
//  CHECK-SAME:     ins(%[[X]] : tensor<?x256xf32>) outs(%[[O]] : tensor<?x256xf32>)
//  CHECK-NEXT:   ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
//  CHECK-NEXT:     %[[MAX:.*]] = arith.maximumf %[[IN]], %{{.*}} : f32
//  CHECK-NEXT:     linalg.yield %[[MAX]]
//       CHECK:   relax_tp.yield %[[R]] : tensor<?x256xf32>
relax_tp.func private @elementwise(%x: memref<?x256xf32> {relax_sym.shape = #n_256})
    outs(%o: memref<?x256xf32> {relax_sym.shape = #n_256}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x256xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 256 {
      %v = affine.load %x[%i, %j] : memref<?x256xf32>
      %r = arith.maximumf %v, %zero : f32
      affine.store %r, %o[%i, %j] : memref<?x256xf32>
    }
  }
  relax_tp.yield
}

// -----

#n_4 = #relax_sym.shape<[n, 4]>
#n_8 = #relax_sym.shape<[n, 8]>

// The initial store and the reduction in one nest are separated.
// CHECK-LABEL: relax_tp.func private @matmul(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x4xf32> {{{.*}}}, %[[W:.*]]: tensor<4x8xf32>) outs(%[[O:.*]]: tensor<?x8xf32>
//       CHECK:   %[[INIT:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[O]] : tensor<?x8xf32>)
//       CHECK:   %[[R:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
//  CHECK-SAME:     ins(%[[X]], %[[W]] : {{.*}}) outs(%[[INIT]] : tensor<?x8xf32>)
//  CHECK-NEXT:   ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[ACC:.*]]: f32):
//  CHECK-NEXT:     %[[MUL:.*]] = arith.mulf %[[A]], %[[B]]
//  CHECK-NEXT:     %[[ADD:.*]] = arith.addf %[[ACC]], %[[MUL]]
//       CHECK:   relax_tp.yield %[[R]]
relax_tp.func private @matmul(%x: memref<?x4xf32> {relax_sym.shape = #n_4}, %w: memref<4x8xf32>)
    outs(%o: memref<?x8xf32> {relax_sym.shape = #n_8}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      memref.store %zero, %o[%i, %j] : memref<?x8xf32>
      affine.for %k = 0 to 4 {
        %v = memref.load %x[%i, %k] : memref<?x4xf32>
        %b = memref.load %w[%k, %j] : memref<4x8xf32>
        %p = arith.mulf %v, %b : f32
        %a = memref.load %o[%i, %j] : memref<?x8xf32>
        %r = arith.addf %a, %p : f32
        memref.store %r, %o[%i, %j] : memref<?x8xf32>
      }
    }
  }
  relax_tp.yield
}

// -----

#n_256 = #relax_sym.shape<[n, 256]>
#n = #relax_sym.shape<[n]>

// Several nests, a local buffer, a whole reduction, and a buffer that is read by the nest that wrote it before.
// CHECK-LABEL: relax_tp.func private @sequence(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x256xf32> {{{.*}}}) outs(%[[O:.*]]: tensor<?x256xf32> {{{.*}}}, %[[S:.*]]: tensor<f32>)
//       CHECK:   %[[DIM:.*]] = tensor.dim %[[X]]
//       CHECK:   %[[T:.*]] = tensor.empty(%[[DIM]]) : tensor<?xf32>
//       CHECK:   %[[FILL:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[T]] : tensor<?xf32>)
//       CHECK:   %[[SUM:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
//  CHECK-SAME:     ins(%[[X]] : tensor<?x256xf32>) outs(%[[FILL]] : tensor<?xf32>)
//       CHECK:   %[[DIV:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
//  CHECK-SAME:     ins(%[[X]], %[[SUM]] : tensor<?x256xf32>, tensor<?xf32>) outs(%[[O]] : tensor<?x256xf32>)
//       CHECK:   %[[EXP:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
//  CHECK-SAME:     ins(%[[DIV]] : tensor<?x256xf32>) outs(%[[O]] : tensor<?x256xf32>)
//  CHECK-NEXT:   ^bb0(%[[OLD:.*]]: f32, %{{.*}}: f32):
//  CHECK-NEXT:     math.exp %[[OLD]]
//       CHECK:   %[[FILL2:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[S]] : tensor<f32>)
//       CHECK:   %[[ALL:.*]] = linalg.generic {{.*}}iterator_types = ["reduction"]{{.*}} ins(%[[SUM]] : tensor<?xf32>) outs(%[[FILL2]] : tensor<f32>)
//       CHECK:   relax_tp.yield %[[EXP]], %[[ALL]]
relax_tp.func private @sequence(%x: memref<?x256xf32> {relax_sym.shape = #n_256})
    outs(%o: memref<?x256xf32> {relax_sym.shape = #n_256}, %s: memref<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x256xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  affine.for %i = 0 to %n {
    affine.store %zero, %t[%i] : memref<?xf32>
    affine.for %j = 0 to 256 {
      %v = affine.load %x[%i, %j] : memref<?x256xf32>
      %a = affine.load %t[%i] : memref<?xf32>
      %r = arith.addf %v, %a : f32
      affine.store %r, %t[%i] : memref<?xf32>
    }
    affine.for %j = 0 to 256 {
      %v = affine.load %x[%i, %j] : memref<?x256xf32>
      %d = affine.load %t[%i] : memref<?xf32>
      %r = arith.divf %v, %d : f32
      affine.store %r, %o[%i, %j] : memref<?x256xf32>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 256 {
      %v = affine.load %o[%i, %j] : memref<?x256xf32>
      %r = math.exp %v : f32
      affine.store %r, %o[%i, %j] : memref<?x256xf32>
    }
  }
  affine.store %zero, %s[] : memref<f32>
  affine.for %i = 0 to %n {
    %v = affine.load %t[%i] : memref<?xf32>
    %a = affine.load %s[] : memref<f32>
    %r = arith.addf %a, %v : f32
    affine.store %r, %s[] : memref<f32>
  }
  memref.dealloc %t : memref<?xf32>
  relax_tp.yield
}

// -----

// Transposed stores, broadcast and shifted loads, and the loop counters as data. The bound is an expression of a scalar.
//       CHECK: #[[$IN:.*]] = affine_map<(d0, d1) -> (d0 * 2 + d1, 0)>
//       CHECK: #[[$OUT:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: relax_tp.func private @maps(
//       CHECK:   linalg.generic {indexing_maps = [#[[$IN]], #[[$OUT]]], iterator_types = ["parallel", "parallel"]}
//       CHECK:     %[[I:.*]] = linalg.index 0
//       CHECK:     arith.index_cast %[[I]]
relax_tp.func private @maps(%x: memref<16x1xi32>)
    outs(%o: memref<8x?xi32> {relax_sym.shape = #relax_sym.shape<[8, k + 1]>})
    scalars(%k: index {relax_sym.expr = #relax_sym.expr<k>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %bound = arith.addi %k, %c1 : index
  scf.for %i = %c0 to %bound step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %twice = arith.muli %i, %c2 : index
      %at = arith.addi %twice, %j : index
      %v = memref.load %x[%at, %c0] : memref<16x1xi32>
      %c = arith.index_cast %i : index to i32
      %r = arith.addi %v, %c : i32
      memref.store %r, %o[%j, %i] : memref<8x?xi32>
    }
  }
  relax_tp.yield
}
