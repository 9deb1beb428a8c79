// RUN: relax-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(relax-lower-kernel-loops),canonicalize,cse)' | FileCheck %s
// RUN: relax-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(relax-lower-kernel-loops{vector-bits=128}),canonicalize,cse)' \
// RUN:   | FileCheck %s --check-prefix=NARROW

// Numbers in blocks of 16 bytes with a scale. Rows that are multiplied with come 8 at a time, then 4, 2 and 1; all
// tiles of 8 pass before the next 32 stored rows are read. For one of them four stored rows are read at once, far from
// each other. A scale is loaded once for all lanes, a number is
// decoded once for all rows.
// CHECK-LABEL: func.func private @blocks(
// CHECK-SAME:    %[[X:.*]]: memref<?x?x16xf32>, %[[S:.*]]: memref<?x?xf32>, %[[Q:.*]]: memref<?x?x16xi8>, %[[O:.*]]: memref<?x?xf32>
//   CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
//   CHECK-DAG:   %[[C1:.*]] = arith.constant 1 : index
//   CHECK-DAG:   %[[C4:.*]] = arith.constant 4 : index
//   CHECK-DAG:   %[[C8:.*]] = arith.constant 8 : index
//   CHECK-DAG:   %[[C32:.*]] = arith.constant 32 : index
//       CHECK:   %[[ROWS:.*]] = memref.dim %[[X]], %[[C0]]
//       CHECK:   %[[BLOCKS:.*]] = memref.dim %[[X]], %[[C1]]
//       CHECK:   %[[STORED:.*]] = memref.dim %[[S]], %[[C0]]
//       CHECK:   scf.for %[[PART:.*]] = %[[C0]] to %[[STORED]] step %[[C32]]
//       CHECK:   %[[END:.*]] = arith.minui %{{.*}}, %[[STORED]]
//       CHECK:   scf.for %{{.*}} = %[[C0]] to %{{.*}} step %[[C8]]
//       CHECK:     scf.for %[[N:.*]] = %[[PART]] to %[[END]] step %[[C1]]
//       CHECK:       scf.for %[[B:.*]] = %[[C0]] to %[[BLOCKS]] step %[[C1]] iter_args({{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
//       CHECK:         vector.load %[[X]]
//       CHECK:         vector.load %[[Q]]{{.*}} vector<8xi8>
//       CHECK:         arith.sitofp {{.*}} vector<8xi8> to vector<8xf32>
//       CHECK:         memref.load %[[S]][%[[N]], %[[B]]]
//   CHECK-NOT:         arith.sitofp
// CHECK-COUNT-8:       arith.addf {{.*}} fastmath<reassoc,contract> : vector<8xf32>
//       CHECK:         arith.sitofp {{.*}} vector<8xi8> to vector<8xf32>
//   CHECK-NOT:         arith.sitofp
//       CHECK:         scf.yield
// CHECK-COUNT-8:     vector.reduction <add>, %{{.*}}, %{{.*}} fastmath<reassoc,contract> : vector<8xf32> into f32
//       CHECK:   %[[FAR:.*]] = arith.divui %[[STORED]], %[[C4]]
//       CHECK:   scf.for %[[N:.*]] = %[[C0]] to %[[FAR]] step %[[C1]]
//       CHECK:     %[[N1:.*]] = arith.addi %[[N]], %[[FAR]]
//       CHECK:     %[[N2:.*]] = arith.addi %[[N1]], %[[FAR]]
//       CHECK:     %[[N3:.*]] = arith.addi %[[N2]], %[[FAR]]
//       CHECK:     scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// NARROW-LABEL: func.func private @blocks(
//       NARROW:   vector<4xi8>
func.func private @blocks(%x: memref<?x?x16xf32>, %s: memref<?x?xf32>, %q: memref<?x?x16xi8>, %o: memref<?x?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(n, m, b, l) -> (m, b, l)>, affine_map<(n, m, b, l) -> (n, b)>,
                                   affine_map<(n, m, b, l) -> (n, b, l)>, affine_map<(n, m, b, l) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %s, %q : memref<?x?x16xf32>, memref<?x?xf32>, memref<?x?x16xi8>) outs(%o : memref<?x?xf32>) {
    ^bb0(%a: f32, %scale: f32, %number: i8, %sum: f32):
      %0 = arith.sitofp %number : i8 to f32
      %1 = arith.mulf %0, %scale fastmath<contract> : f32
      %2 = arith.mulf %a, %1 fastmath<contract> : f32
      %3 = arith.addf %sum, %2 fastmath<reassoc,contract> : f32
      linalg.yield %3 : f32
  }
  return
}

// -----

// The place in a block is a vector too. What no row shares is added up once.
// CHECK-LABEL: func.func private @places(
//   CHECK-DAG:   arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
//       CHECK:   scf.for
//       CHECK:     vector.load %{{.*}} vector<8xi32>
//       CHECK:     arith.shrui %{{.*}} : vector<8xi32>
//       CHECK:     vector.reduction <add>, %{{.*}}, %{{.*}} : vector<8xi32> into i32
func.func private @places(%x: memref<8xi32>, %q: memref<?x8xi32>, %o: memref<?xi32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(n, l) -> (l)>, affine_map<(n, l) -> (n, l)>, affine_map<(n, l) -> (n)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x, %q : memref<8xi32>, memref<?x8xi32>) outs(%o : memref<?xi32>) {
    ^bb0(%a: i32, %b: i32, %sum: i32):
      %0 = linalg.index 1 : index
      %1 = arith.index_cast %0 : index to i32
      %2 = arith.shrui %b, %1 : i32
      %3 = arith.muli %a, %2 : i32
      %4 = arith.addi %sum, %3 : i32
      linalg.yield %4 : i32
  }
  return
}

// -----

// Two bytes that make a number lie together: both are taken out of one load.
// CHECK-LABEL: func.func private @together(
//       CHECK:   %[[FLAT:.*]] = memref.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]]
//       CHECK:   %[[BYTES:.*]] = vector.load %[[FLAT]][%{{.*}}] : memref<?x32xi8>, vector<16xi8>
//       CHECK:   vector.shuffle %[[BYTES]], %[[BYTES]] [0, 2, 4, 6, 8, 10, 12, 14]
//       CHECK:   vector.shuffle %[[BYTES]], %[[BYTES]] [1, 3, 5, 7, 9, 11, 13, 15]
func.func private @together(%x: memref<16xi32>, %q: memref<?x16x2xi8>, %o: memref<?xi32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(n, l) -> (l)>, affine_map<(n, l) -> (n, l, 0)>, affine_map<(n, l) -> (n, l, 1)>,
                                   affine_map<(n, l) -> (n)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %q, %q : memref<16xi32>, memref<?x16x2xi8>, memref<?x16x2xi8>) outs(%o : memref<?xi32>) {
    ^bb0(%a: i32, %low: i8, %high: i8, %sum: i32):
      %c8 = arith.constant 8 : i32
      %0 = arith.extui %low : i8 to i32
      %1 = arith.extsi %high : i8 to i32
      %2 = arith.shli %1, %c8 : i32
      %3 = arith.ori %0, %2 : i32
      %4 = arith.muli %a, %3 : i32
      %5 = arith.addi %sum, %4 : i32
      linalg.yield %5 : i32
  }
  return
}

// -----

// A few rows are used for each of many, which stream by from two places: each is read once.
// CHECK-LABEL: func.func private @streams(
//  CHECK-SAME:    %[[X:.*]]: memref<4x64xf32>, %[[Q:.*]]: memref<?x64xf32>
//   CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
//   CHECK-DAG:   %[[C1:.*]] = arith.constant 1 : index
//   CHECK-DAG:   %[[C2:.*]] = arith.constant 2 : index
//       CHECK:   %[[N:.*]] = memref.dim %[[Q]], %[[C0]]
//       CHECK:   %[[FAR:.*]] = arith.divui %[[N]], %[[C2]]
//       CHECK:   scf.for %[[I:.*]] = %[[C0]] to %[[FAR]] step %[[C1]]
//       CHECK:     %[[J:.*]] = arith.addi %[[I]], %[[FAR]]
//       CHECK:     vector.load %[[Q]][%[[I]],
//       CHECK:     vector.load %[[Q]][%[[J]],
func.func private @streams(%x: memref<4x64xf32>, %q: memref<?x64xf32>, %o: memref<4x?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, l) -> (m, l)>, affine_map<(m, n, l) -> (n, l)>, affine_map<(m, n, l) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %q : memref<4x64xf32>, memref<?x64xf32>) outs(%o : memref<4x?xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %sum, %0 fastmath<reassoc> : f32
      linalg.yield %1 : f32
  }
  return
}

// -----

// A maximum, a sum whose order is fixed, an unknown length and a sum that nothing is shared for stay loops.
// CHECK-LABEL: func.func private @others(
//   CHECK-NOT:   vector
//       CHECK:   return
func.func private @others(%x: memref<8xf32>, %q: memref<?x8xf32>, %y: memref<?xf32>, %o: memref<?xf32>, %z: memref<?x?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(n, l) -> (l)>, affine_map<(n, l) -> (n, l)>, affine_map<(n, l) -> (n)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x, %q : memref<8xf32>, memref<?x8xf32>) outs(%o : memref<?xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.maximumf %sum, %0 : f32
      linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(n, l) -> (l)>, affine_map<(n, l) -> (n, l)>, affine_map<(n, l) -> (n)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x, %q : memref<8xf32>, memref<?x8xf32>) outs(%o : memref<?xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %sum, %0 : f32
      linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(n, l) -> (l)>, affine_map<(n, l) -> (n, l)>, affine_map<(n, l) -> (n)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%y, %z : memref<?xf32>, memref<?x?xf32>) outs(%o : memref<?xf32>) {
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %sum, %0 fastmath<reassoc> : f32
      linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(n, l) -> (n, l)>, affine_map<(n, l) -> (n)>], iterator_types = ["parallel", "reduction"]}
      ins(%q : memref<?x8xf32>) outs(%o : memref<?xf32>) {
    ^bb0(%b: f32, %sum: f32):
      %0 = arith.addf %sum, %b fastmath<reassoc> : f32
      linalg.yield %0 : f32
  }
  return
}
