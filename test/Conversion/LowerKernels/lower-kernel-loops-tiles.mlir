// RUN: relax-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(relax-lower-kernel-loops),canonicalize,cse)' | FileCheck %s
// RUN: relax-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(relax-lower-kernel-loops{vector-bits=128}),canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=NARROW

// 4 rows of 3 vectors stay in registers. Whole columns are copied and computed without masks, a rest of rows has its own
// code, and with fewer than 4 rows nothing is copied.
// CHECK-LABEL: func.func private @matmul(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<?x48xf32>, %[[O:.*]]: memref<?x48xf32>
//   CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
//   CHECK-DAG:   %[[C4:.*]] = arith.constant 4 : index
//   CHECK-DAG:   %[[C5:.*]] = arith.constant 5 : index
//   CHECK-DAG:   %[[C24:.*]] = arith.constant 24 : index
//   CHECK-DAG:   %[[C256:.*]] = arith.constant 256 : index
//       CHECK:   %[[COPY:.*]] = memref.alloca() {alignment = 64 : i64} : memref<24576xf32>
//       CHECK:   %[[M:.*]] = memref.dim %[[A]], %[[C0]]
//       CHECK:   %[[ENOUGH:.*]] = arith.cmpi uge, %[[M]], %[[C4]]
//       CHECK:   scf.if %[[ENOUGH]]
//       CHECK:     %[[SEVERAL:.*]] = arith.cmpi uge, %[[M]], %[[C5]]
//       CHECK:     scf.if %[[SEVERAL]]
//       CHECK:     scf.for %{{.*}} = %[[C0]] to %[[K:.*]] step %[[C256]]
//       CHECK:       scf.for
//       CHECK:         scf.for
//       CHECK:           %[[X:.*]] = vector.load %[[B]]
//       CHECK:           vector.store %[[X]], %[[COPY]]
//   CHECK-NOT:       mask
//       CHECK:       scf.for %{{.*}} step %[[C24]]
//       CHECK:         %[[MAIN:.*]] = arith.subi %[[M]]
//       CHECK:         scf.for %{{.*}} = %[[C0]] to %[[MAIN]] step %[[C4]]
// CHECK-COUNT-12:         vector.load %[[O]]
//       CHECK:           scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-12:         vector.store %{{.*}}, %[[O]]
//       CHECK:         scf.index_switch
//       CHECK:         case 1
// CHECK-COUNT-3:           vector.store %{{.*}}, %[[O]]
//       CHECK:         case 2
//       CHECK:         case 3
//       CHECK:     } else {
//   CHECK-NOT:       scf.index_switch
//   CHECK-NOT:       %[[COPY]]
//       CHECK:       scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>
//       CHECK:         vector.load %[[B]]
//   CHECK-NOT:       %[[COPY]]
//       CHECK:   } else {
//   CHECK-NOT:   vector
//       CHECK:     memref.store %{{.*}}, %[[O]]
// NARROW-LABEL: func.func private @matmul(
//       NARROW:   memref.alloca() {{.*}} : memref<12288xf32>
//       NARROW:   vector<4xf32>
func.func private @matmul(%a: memref<?x?xf32>, %b: memref<?x48xf32>, %o: memref<?x48xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(m, k, n) -> (m, k)>, affine_map<(m, k, n) -> (k, n)>, affine_map<(m, k, n) -> (m, n)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<?x?xf32>, memref<?x48xf32>) outs(%o : memref<?x48xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
  }
  return
}

// -----

// A rest of columns is masked, also where it is copied. Known rows need no branch.
// CHECK-LABEL: func.func private @rests(
//   CHECK-NOT:   scf.if
//       CHECK:   %[[MASK:.*]] = vector.create_mask
//       CHECK:   vector.maskedload %{{.*}}[%{{.*}}], %[[MASK]]
//       CHECK:   vector.maskedload
//       CHECK:   vector.maskedstore
//   CHECK-NOT:   scf.index_switch
func.func private @rests(%a: memref<5x?xf32>, %b: memref<?x?xf32>, %o: memref<5x?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(m, k, n) -> (m, k)>, affine_map<(m, k, n) -> (k, n)>, affine_map<(m, k, n) -> (m, n)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<5x?xf32>, memref<?x?xf32>) outs(%o : memref<5x?xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
  }
  return
}

// -----

// One tile of rows reads what they share once, in place, in blocks of 128 steps that stay in the first cache.
// CHECK-LABEL: func.func private @once(
//  CHECK-SAME:    %{{.*}}: memref<4x?xf32>, %[[B:.*]]: memref<?x96xbf16>
//   CHECK-NOT:   memref.alloca
//   CHECK-NOT:   scf.if
//       CHECK:   %[[STEPS:.*]] = arith.constant 128 : index
//       CHECK:   scf.for %{{.*}} step %[[STEPS]]
//       CHECK:     %[[X:.*]] = vector.load %[[B]]{{.*}} vector<8xbf16>
//       CHECK:     arith.extf %[[X]] : vector<8xbf16> to vector<8xf32>
func.func private @once(%a: memref<4x?xf32>, %b: memref<?x96xbf16>, %o: memref<4x96xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(m, k, n) -> (m, k)>, affine_map<(m, k, n) -> (k, n)>, affine_map<(m, k, n) -> (m, n)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<4x?xf32>, memref<?x96xbf16>) outs(%o : memref<4x96xf32>) {
    ^bb0(%x: f32, %y: bf16, %s: f32):
      %w = arith.extf %y : bf16 to f32
      %p = arith.mulf %x, %w : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
  }
  return
}

// -----

// What rows share is widened once, into the copy, whether it lies along the columns or not.
// CHECK-LABEL: func.func private @widened(
//  CHECK-SAME:    %{{.*}}: memref<8x16xf32>, %[[B:.*]]: memref<16x24xi8>, %[[C:.*]]: memref<24x16xbf16>
//       CHECK:   %[[COPY:.*]] = memref.alloca() {alignment = 64 : i64} : memref<24576xf32>
//       CHECK:   %[[X:.*]] = vector.load %[[B]]{{.*}} vector<8xi8>
//       CHECK:   %[[Y:.*]] = arith.sitofp %[[X]] : vector<8xi8> to vector<8xf32>
//       CHECK:   vector.store %[[Y]], %[[COPY]]
//   CHECK-NOT:   arith.sitofp
//       CHECK:   %[[V:.*]] = memref.load %[[C]]
//       CHECK:   %[[W:.*]] = arith.extf %[[V]] : bf16 to f32
//       CHECK:   memref.store %[[W]], %[[COPY]]
//   CHECK-NOT:   arith.extf
//       CHECK:   return
func.func private @widened(%a: memref<8x16xf32>, %b: memref<16x24xi8>, %c: memref<24x16xbf16>, %o: memref<8x24xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(m, k, n) -> (m, k)>, affine_map<(m, k, n) -> (k, n)>, affine_map<(m, k, n) -> (m, n)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<8x16xf32>, memref<16x24xi8>) outs(%o : memref<8x24xf32>) {
    ^bb0(%x: f32, %y: i8, %s: f32):
      %w = arith.sitofp %y : i8 to f32
      %p = arith.mulf %x, %w : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, k, n) -> (m, k)>, affine_map<(m, k, n) -> (n, k)>, affine_map<(m, k, n) -> (m, n)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %c : memref<8x16xf32>, memref<24x16xbf16>) outs(%o : memref<8x24xf32>) {
    ^bb0(%x: f32, %y: bf16, %s: f32):
      %w = arith.extf %y : bf16 to f32
      %p = arith.mulf %x, %w : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
  }
  return
}

// -----

// An operand with another stride along the columns is transposed into the copy. What depends on rows only stays scalar.
// CHECK-LABEL: func.func private @transposed(
//  CHECK-SAME:    %[[A:.*]]: memref<8x?xi32>, %[[B:.*]]: memref<16x?xf32>
//       CHECK:   %[[COPY:.*]] = memref.alloca()
//       CHECK:   %[[X:.*]] = memref.load %[[B]]
//       CHECK:   memref.store %[[X]], %[[COPY]]
//       CHECK:   %[[I:.*]] = memref.load %[[A]]
//       CHECK:   %[[F:.*]] = arith.sitofp %[[I]] : i32 to f32
//       CHECK:   vector.broadcast %[[F]] : f32 to vector<8xf32>
func.func private @transposed(%a: memref<8x?xi32>, %b: memref<16x?xf32>, %o: memref<8x16xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x?xi32>, memref<16x?xf32>) outs(%o : memref<8x16xf32>) {
    ^bb0(%x: i32, %y: f32, %s: f32):
      %i = arith.sitofp %x : i32 to f32
      %p = arith.mulf %i, %y : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
  }
  return
}

// -----

// A division could trap on lanes that are not there.
// CHECK-LABEL: func.func private @division(
//   CHECK-NOT:   vector
func.func private @division(%a: memref<8x?xi32>, %b: memref<?x16xi32>, %o: memref<8x16xi32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(m, k, n) -> (m, k)>, affine_map<(m, k, n) -> (k, n)>, affine_map<(m, k, n) -> (m, n)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<8x?xi32>, memref<?x16xi32>) outs(%o : memref<8x16xi32>) {
    ^bb0(%x: i32, %y: i32, %s: i32):
      %p = arith.divsi %x, %y : i32
      %q = arith.addi %s, %p : i32
      linalg.yield %q : i32
  }
  return
}

// -----

// Booleans are one byte in memory and one bit in a vector.
// CHECK-LABEL: func.func private @booleans(
//   CHECK-NOT:   vector
func.func private @booleans(%a: memref<8x?xi1>, %b: memref<?x16xi1>, %o: memref<8x16xi1>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(m, k, n) -> (m, k)>, affine_map<(m, k, n) -> (k, n)>, affine_map<(m, k, n) -> (m, n)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<8x?xi1>, memref<?x16xi1>) outs(%o : memref<8x16xi1>) {
    ^bb0(%x: i1, %y: i1, %s: i1):
      %p = arith.andi %x, %y : i1
      %q = arith.ori %s, %p : i1
      linalg.yield %q : i1
  }
  return
}

// -----

// Panels are read in place, with no copy and no mask; fewer rows than 4 take up to 4 panels at once.
// CHECK-LABEL: func.func private @panels(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<3x?x24xf32>, %[[O:.*]]: memref<?x60xf32>
//   CHECK-NOT:   memref.alloca
//       CHECK:   scf.index_switch
//       CHECK:   case 1 {
//  CHECK-COUNT-3:  vector.load %[[B]]
//       CHECK:   case 2 {
//       CHECK:     scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
//       CHECK:   default {
//       CHECK:     scf.for %{{.*}} step %{{.*}} {
//       CHECK:       vector.load %[[B]]
//   CHECK-NOT:   vector.maskedload %[[B]]
// NARROW-LABEL: func.func private @panels(
//       NARROW:   vector.load
func.func private @panels(%a: memref<?x?xf32>, %b: memref<3x?x24xf32>, %o: memref<?x60xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 24, k, n mod 24)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf32>, memref<3x?x24xf32>) outs(%o : memref<?x60xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
  }
  return
}

// -----

// Columns that are not neighbours in the result: gathered and scattered, the sums are made as ever.
// CHECK-LABEL: func.func private @strided(
//       CHECK:   %[[DISTANCES:.*]] = arith.muli
//       CHECK:   vector.gather %{{.*}}[%{{.*}}, %{{.*}}] [%[[DISTANCES]]]
//       CHECK:   scf.for
//       CHECK:     arith.addf %{{.*}} : vector<8xf32>
//       CHECK:   vector.scatter %{{.*}}[%{{.*}}, %{{.*}}] [%[[DISTANCES]]]
func.func private @strided(%x: memref<2x?xf32>, %w: memref<1x2x16x24xf32>, %o: memref<24x?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(o, i, c, k) -> (c, i + k)>, affine_map<(o, i, c, k) -> (o floordiv 24, c, k, o mod 24)>, affine_map<(o, i, c, k) -> (o, i)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : memref<2x?xf32>, memref<1x2x16x24xf32>) outs(%o : memref<24x?xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %p = arith.mulf %a, %b : f32
      %q = arith.addf %out, %p : f32
      linalg.yield %q : f32
  }
  return
}
