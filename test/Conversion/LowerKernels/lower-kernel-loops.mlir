// RUN: relax-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(relax-lower-kernel-loops),canonicalize)' | FileCheck %s

// Rows shorter than a vector: four products are added to two rows at once; the rests of both loops follow.
// CHECK-LABEL: func.func private @matmul(
//   CHECK-DAG:   %[[C2:.*]] = arith.constant 2 : index
//   CHECK-DAG:   %[[C4:.*]] = arith.constant 4 : index
//       CHECK:   %[[REST:.*]] = arith.remui %[[M:.*]], %[[C2]]
//       CHECK:   %[[MAIN:.*]] = arith.subi %[[M]], %[[REST]]
//       CHECK:   scf.for %{{.*}} = %{{.*}} to %[[MAIN]] step %[[C2]]
//       CHECK:     scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[C4]]
//       CHECK:       scf.for
// CHECK-COUNT-8:       memref.store
//       CHECK:     scf.for
// CHECK-COUNT-2:       memref.store
//       CHECK:   scf.for %{{.*}} = %[[MAIN]] to %[[M]] step
// CHECK-COUNT-4:       memref.store
//       CHECK:     scf.for
// CHECK-COUNT-1:       memref.store
//   CHECK-NOT:   memref.store
func.func private @matmul(%a: memref<?x?xf32>, %b: memref<?x6xf32>, %o: memref<?x6xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(m, k, n) -> (m, k)>, affine_map<(m, k, n) -> (k, n)>, affine_map<(m, k, n) -> (m, n)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<?x?xf32>, memref<?x6xf32>) outs(%o : memref<?x6xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
  }
  return
}

// -----

// Nothing is jammed where the innermost loop is the reduction.
// CHECK-LABEL: func.func private @sum(
// CHECK-COUNT-1: memref.store
//   CHECK-NOT: memref.store
func.func private @sum(%a: memref<?x?xf32>, %o: memref<?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<?x?xf32>) outs(%o : memref<?xf32>) {
    ^bb0(%x: f32, %s: f32):
      %q = arith.addf %s, %x : f32
      linalg.yield %q : f32
  }
  return
}

// -----

// Positions are loop indices; a window's index is an affine function of two loops.
// CHECK-LABEL: func.func private @window(
//       CHECK:   scf.for %[[I:.*]] =
//       CHECK:     scf.for %[[K:.*]] =
//       CHECK:       affine.apply
//       CHECK:       memref.load
//       CHECK:       arith.index_cast %[[K]] : index to i64
func.func private @window(%a: memref<?xi64>, %k: memref<3xi64>, %o: memref<?xi64>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%a, %k : memref<?xi64>, memref<3xi64>) outs(%o : memref<?xi64>) {
    ^bb0(%x: i64, %y: i64, %s: i64):
      %j = linalg.index 1 : index
      %v = arith.index_cast %j : index to i64
      %p = arith.addi %x, %v : i64
      %q = arith.addi %s, %p : i64
      linalg.yield %q : i64
  }
  return
}

// -----

// Rows are walked in order.
// CHECK-LABEL: func.func private @rows(
//   CHECK-NOT:   scf.forall
//       CHECK:   scf.for
//       CHECK:     scf.for
//       CHECK:       memref.store
func.func private @rows(%x: memref<?x8xf32>, %e: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  scf.forall (%i) in (%n) {
    %row = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%row : memref<8xf32, strided<[1], offset: ?>>)
  }
  return
}

// -----

// The extreme along a row is an intrinsic, which LLVM makes vectors of, at an unknown and at a known length. Across rows
// neighbours are independent already; of other types nothing is gained.
// CHECK-LABEL: func.func private @extremes(
//       CHECK:   llvm.intr.maximum(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
//       CHECK:   llvm.intr.minimum(%{{.*}}, %{{.*}}) : (f64, f64) -> f64
//   CHECK-NOT:   llvm.intr
//       CHECK:   arith.maximumf %{{.*}} : f32
//       CHECK:   arith.maximumf %{{.*}} : f16
//       CHECK:   return
func.func private @extremes(%a: memref<?x?xf32>, %b: memref<?x8xf64>, %c: memref<?x?xf16>, %x: memref<?xf32>, %y: memref<?xf64>, %z: memref<?xf16>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<?x?xf32>) outs(%x : memref<?xf32>) {
    ^bb0(%i: f32, %s: f32):
      %0 = arith.maximumf %i, %s : f32
      linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%b : memref<?x8xf64>) outs(%y : memref<?xf64>) {
    ^bb0(%i: f64, %s: f64):
      %0 = arith.minimumf %s, %i : f64
      linalg.yield %0 : f64
  }
  linalg.generic {indexing_maps = [affine_map<(k, m) -> (k, m)>, affine_map<(k, m) -> (m)>], iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<?x?xf32>) outs(%x : memref<?xf32>) {
    ^bb0(%i: f32, %s: f32):
      %0 = arith.maximumf %i, %s : f32
      linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%c : memref<?x?xf16>) outs(%z : memref<?xf16>) {
    ^bb0(%i: f16, %s: f16):
      %0 = arith.maximumf %i, %s : f16
      linalg.yield %0 : f16
  }
  return
}
