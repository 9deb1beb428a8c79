// RUN: relax-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(relax-lower-kernel-loops{dots=vnni}),canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefixes=CHECK,LANES,VNNI
// RUN: relax-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(relax-lower-kernel-loops{dots=avx2}),canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefixes=CHECK,LANES,AVX2
// RUN: relax-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(relax-lower-kernel-loops),canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: not relax-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(relax-lower-kernel-loops{dots=abacus}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRONG
// WRONG: error: there are no products 'abacus', expected plain, avx2, vnni or avx512

// Signed numbers with a scale for each 32. With VNNI one side is made unsigned, and what that adds is taken off again: it
// is known once for all its rows. Pairs of any signed numbers do not fit what AVX2 adds, it widens them.
// CHECK-LABEL: func.func private @signed(
// CHECK-SAME:    %[[X:.*]]: memref<?x?x32xi8>, %[[S:.*]]: memref<?x?xf32>, %[[W:.*]]: memref<?x?x32xi8>, %[[T:.*]]: memref<?x?xf32>, %[[O:.*]]: memref<?x?xf32>
//       CHECK:   scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
//       CHECK:     %[[Q:.*]] = vector.load %[[X]]{{.*}} vector<32xi8>
//       CHECK:     %[[N:.*]] = vector.load %[[W]]{{.*}} vector<32xi8>
//        VNNI:     %[[SUM:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%{{.*}}, %{{.*}}, %[[N]]) : (vector<8xi32>, vector<32xi8>, vector<32xi8>) -> vector<8xi32>
//        VNNI:     %[[OFFSET:.*]] = arith.subi %{{.*}}, %[[SUM]] : vector<8xi32>
//        VNNI:     %[[U:.*]] = arith.xori %[[Q]], %{{.*}} : vector<32xi8>
//        VNNI:     llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%[[OFFSET]], %[[U]], %[[N]])
//        AVX2:     arith.extsi %{{.*}} : vector<32xi8> to vector<32xi16>
// AVX2-COUNT-2:    llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
//        AVX2:     %[[D:.*]] = arith.addi %{{.*}} : vector<8xi32>
//       PLAIN:     arith.muli %{{.*}} : vector<32xi16>
//       PLAIN:     arith.extsi %{{.*}} : vector<32xi16> to vector<32xi32>
// PLAIN-COUNT-3:   arith.addi %{{.*}} : vector<8xi32>
//       CHECK:     arith.sitofp %{{.*}} : vector<8xi32> to vector<8xf32>
//       CHECK:     arith.mulf {{.*}} : vector<8xf32>
//       CHECK:     arith.addf {{.*}} : vector<8xf32>
//        VNNI:     llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%[[OFFSET]], %{{.*}}, %[[N]])
func.func private @signed(%x: memref<?x?x32xi8>, %s: memref<?x?xf32>, %w: memref<?x?x32xi8>, %t: memref<?x?xf32>, %o: memref<?x?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(n, m, b, l) -> (m, b, l)>, affine_map<(n, m, b, l) -> (m, b)>, affine_map<(n, m, b, l) -> (n, b, l)>,
                                   affine_map<(n, m, b, l) -> (n, b)>, affine_map<(n, m, b, l) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %s, %w, %t : memref<?x?x32xi8>, memref<?x?xf32>, memref<?x?x32xi8>, memref<?x?xf32>) outs(%o : memref<?x?xf32>) {
    ^bb0(%a: i8, %as: f32, %b: i8, %bs: f32, %sum: f32):
      %0 = arith.extsi %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.sitofp %2 : i32 to f32
      %4 = arith.mulf %as, %bs : f32
      %5 = arith.mulf %4, %3 fastmath<contract> : f32
      %6 = arith.addf %sum, %5 fastmath<reassoc,contract> : f32
      linalg.yield %6 : f32
  }
  return
}

// -----

// Halves of bytes are never negative. Both halves come from one load, shifted as a whole, and a byte of high bits goes to
// eight numbers.
// CHECK-LABEL: func.func private @parts(
//       CHECK:   %[[LOW:.*]] = vector.load %{{.*}} vector<16xi8>
//       CHECK:   arith.shrui %{{.*}} : vector<16xi8>
//       CHECK:   vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, {{.*}}, 30, 31] : vector<16xi8>, vector<16xi8>
//       CHECK:   %[[HIGH:.*]] = vector.load %{{.*}} vector<4xi8>
//       CHECK:   vector.shuffle %[[HIGH]], %[[HIGH]] [0, 0, 0, 0, 0, 0, 0, 0, 1, {{.*}}, 2, 3, 3, 3, 3, 3, 3, 3, 3]
//       CHECK:   %[[NUMBER:.*]] = arith.ori %{{.*}} : vector<32xi8>
//        VNNI:   llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%{{.*}}, %[[NUMBER]], %{{.*}})
//        AVX2:   %[[PAIRS:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"(%[[NUMBER]], %{{.*}}) : (vector<32xi8>, vector<32xi8>) -> vector<16xi16>
//        AVX2:   llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%[[PAIRS]], %{{.*}})
func.func private @parts(%x: memref<?x2x2x8xi8>, %w: memref<5x?x20xi8>, %o: memref<5xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(n, k, a, b, c) -> (k, a, b, c)>, affine_map<(n, k, a, b, c) -> (n, k, b * 8 + c)>,
                                   affine_map<(n, k, a, b, c) -> (n, k, a * 2 + b + 16)>, affine_map<(n, k, a, b, c) -> (n)>],
                  iterator_types = ["parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %w : memref<?x2x2x8xi8>, memref<5x?x20xi8>, memref<5x?x20xi8>) outs(%o : memref<5xf32>) {
    ^bb0(%q: i8, %low: i8, %high: i8, %sum: f32):
      %c0 = arith.constant 0 : i8
      %c1 = arith.constant 1 : i8
      %c4 = arith.constant 4 : i8
      %c15 = arith.constant 15 : i8
      %c16 = arith.constant 16 : i8
      %a = linalg.index 2 : index
      %ai = arith.index_cast %a : index to i8
      %half = arith.muli %ai, %c4 : i8
      %0 = arith.shrui %low, %half : i8
      %1 = arith.andi %0, %c15 : i8
      %c = linalg.index 4 : index
      %place = arith.index_cast %c : index to i8
      %mask = arith.shli %c1, %place : i8
      %2 = arith.andi %high, %mask : i8
      %3 = arith.cmpi ne, %2, %c0 : i8
      %4 = arith.select %3, %c16, %c0 : i8
      %5 = arith.ori %1, %4 : i8
      %6 = arith.extsi %5 : i8 to i32
      %7 = arith.extsi %q : i8 to i32
      %8 = arith.muli %6, %7 : i32
      %9 = arith.sitofp %8 : i32 to f32
      %10 = arith.addf %sum, %9 fastmath<reassoc,contract> : f32
      linalg.yield %10 : f32
  }
  return
}

// -----

// A factor for each 16 numbers: lanes of four numbers have the one that is theirs. A part without weights is added up too.
// Numbers from -32 to 31: with AVX2 they take the signs of the others.
// CHECK-LABEL: func.func private @factors(
//       CHECK:   %[[F:.*]] = vector.load %{{.*}} : memref<5x?x2xf32>, vector<2xf32>
//       CHECK:   vector.shuffle %[[F]], %[[F]] [0, 0, 0, 0, 1, 1, 1, 1] : vector<2xf32>, vector<2xf32>
//        AVX2:   math.absi %{{.*}} : vector<32xi8>
//        AVX2:   llvm.call_intrinsic "llvm.x86.avx2.psign.b"
//       CHECK:   arith.subf %{{.*}} : vector<8xf32>
func.func private @factors(%x: memref<?x2x16xi8>, %w: memref<5x?x2x16xi8>, %f: memref<5x?x2xf32>, %o: memref<5xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(n, k, a, b) -> (k, a, b)>, affine_map<(n, k, a, b) -> (n, k, a, b)>,
                                   affine_map<(n, k, a, b) -> (n, k, a)>, affine_map<(n, k, a, b) -> (n)>],
                  iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w, %f : memref<?x2x16xi8>, memref<5x?x2x16xi8>, memref<5x?x2xf32>) outs(%o : memref<5xf32>) {
    ^bb0(%q: i8, %byte: i8, %factor: f32, %sum: f32):
      %c32 = arith.constant 32 : i8
      %c63 = arith.constant 63 : i8
      %0 = arith.andi %byte, %c63 : i8
      %1 = arith.subi %0, %c32 : i8
      %2 = arith.extsi %1 : i8 to i32
      %3 = arith.extsi %q : i8 to i32
      %4 = arith.muli %2, %3 : i32
      %5 = arith.sitofp %4 : i32 to f32
      %6 = arith.sitofp %3 : i32 to f32
      %7 = arith.mulf %factor, %5 : f32
      %8 = arith.subf %7, %6 : f32
      %9 = arith.addf %sum, %8 fastmath<reassoc,contract> : f32
      linalg.yield %9 : f32
  }
  return
}

// -----

// No group: a factor that differs from one number to the next, an order that is fixed, and 24 numbers.
// CHECK-LABEL: func.func private @others(
//   CHECK-NOT:   llvm.call_intrinsic
//   CHECK-NOT:   vector<32xi16>
//       CHECK:   return
func.func private @others(%x: memref<32xi8>, %f: memref<32xf32>, %w: memref<5x32xi8>, %y: memref<24xi8>, %v: memref<5x24xi8>, %o: memref<5xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(n, l) -> (l)>, affine_map<(n, l) -> (l)>, affine_map<(n, l) -> (n, l)>, affine_map<(n, l) -> (n)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x, %f, %w : memref<32xi8>, memref<32xf32>, memref<5x32xi8>) outs(%o : memref<5xf32>) {
    ^bb0(%a: i8, %factor: f32, %b: i8, %sum: f32):
      %0 = arith.extsi %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.sitofp %2 : i32 to f32
      %4 = arith.mulf %factor, %3 : f32
      %5 = arith.addf %sum, %4 fastmath<reassoc,contract> : f32
      linalg.yield %5 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(n, l) -> (l)>, affine_map<(n, l) -> (n, l)>, affine_map<(n, l) -> (n)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : memref<32xi8>, memref<5x32xi8>) outs(%o : memref<5xf32>) {
    ^bb0(%a: i8, %b: i8, %sum: f32):
      %0 = arith.extsi %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.sitofp %2 : i32 to f32
      %4 = arith.addf %sum, %3 : f32
      linalg.yield %4 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(n, l) -> (l)>, affine_map<(n, l) -> (n, l)>, affine_map<(n, l) -> (n)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%y, %v : memref<24xi8>, memref<5x24xi8>) outs(%o : memref<5xf32>) {
    ^bb0(%a: i8, %b: i8, %sum: f32):
      %0 = arith.extsi %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.sitofp %2 : i32 to f32
      %4 = arith.addf %sum, %3 fastmath<reassoc,contract> : f32
      linalg.yield %4 : f32
  }
  return
}

// -----

// Rows enough have a lane each, where the sum has a known length. Eight rows are copied so that the same four numbers of all lie
// together; rows of the other side are decoded, with what they take off again; the same eight sums are added up as in a
// vector of one row, in halves. Rows that are left go the other way.
// CHECK-LABEL: func.func private @many(
//  CHECK-SAME:    %[[X:.*]]: memref<?x2x32xi8>
//   PLAIN-NOT:   memref.alloca
//   LANES-DAG:   memref.alloca() {alignment = 64 : i64} : memref<8x2x8x8xi32>
//   LANES-DAG:   memref.alloca() {alignment = 64 : i64} : memref<8x2x8xi32>
//   LANES-DAG:   memref.alloca() {alignment = 64 : i64} : memref<8x2x1x8xf32>
//   LANES-DAG:   %[[SUMS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<8x8xf32>
// LANES-COUNT-8: vector.load %[[X]]{{.*}} vector<32xi8>
// LANES-COUNT-24: vector.shuffle {{.*}} : vector<8xi32>, vector<8xi32>
//       LANES:   scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
//       LANES:     %[[S:.*]] = vector.broadcast %{{.*}} : i32 to vector<8xi32>
//       LANES:     %[[N:.*]] = vector.bitcast %[[S]] : vector<8xi32> to vector<32xi8>
//        VNNI:     llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%{{.*}}, %{{.*}}, %[[N]])
//        AVX2:     llvm.call_intrinsic "llvm.x86.avx2.psign.b"
//       LANES:     arith.sitofp %{{.*}} : vector<8xi32> to vector<8xf32>
// LANES-COUNT-7: arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
//       LANES:   vector.store %{{.*}}, %[[SUMS]]
func.func private @many(%x: memref<?x2x32xi8>, %s: memref<?x2xf32>, %w: memref<5x2x32xi8>, %o: memref<?x5xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(n, m, b, l) -> (m, b, l)>, affine_map<(n, m, b, l) -> (m, b)>, affine_map<(n, m, b, l) -> (n, b, l)>,
                                   affine_map<(n, m, b, l) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %s, %w : memref<?x2x32xi8>, memref<?x2xf32>, memref<5x2x32xi8>) outs(%o : memref<?x5xf32>) {
    ^bb0(%a: i8, %as: f32, %b: i8, %sum: f32):
      %c15 = arith.constant 15 : i8
      %c8 = arith.constant 8 : i8
      %low = arith.andi %b, %c15 : i8
      %number = arith.subi %low, %c8 : i8
      %0 = arith.extsi %a : i8 to i32
      %1 = arith.extsi %number : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.sitofp %2 : i32 to f32
      %4 = arith.mulf %as, %3 fastmath<contract> : f32
      %5 = arith.addf %sum, %4 fastmath<reassoc,contract> : f32
      linalg.yield %5 : f32
  }
  return
}
