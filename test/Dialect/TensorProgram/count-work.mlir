// RUN: relax-opt %s --pass-pipeline='builtin.module(relax_tp.func(relax-count-work))' --split-input-file | FileCheck %s


// Extents of all buffers come first: n of %x, n of %o. Two operations for each element.
// CHECK: #[[WORK:.*]] = affine_map<()[s0, s1] -> (s0 * 16 + s1 * 16, s0 * 8)>
// CHECK: relax_tp.func private @elementwise({{.*}}relax_tp.work = #[[WORK]]
relax_tp.func private @elementwise(%x: tensor<?x4xf32> {relax_sym.shape = #relax_sym.shape<[n, 4]>})
    outs(%o: tensor<?x4xf32> {relax_sym.shape = #relax_sym.shape<[n, 4]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %t = tensor.empty(%n) : tensor<?x4xf32>
  %0 = linalg.exp ins(%x : tensor<?x4xf32>) outs(%t : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.add ins(%0, %x : tensor<?x4xf32>, tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  relax_tp.yield %1 : tensor<?x4xf32>
}

// -----

// CHECK: #[[WORK:.*]] = affine_map<() -> (160, 256)>
// CHECK: relax_tp.func private @static({{.*}}relax_tp.work = #[[WORK]]
relax_tp.func private @static(%x: tensor<4x8xf16>, %w: tensor<8x4xf16>) outs(%o: tensor<4x4xf16>) {
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf16>, tensor<8x4xf16>) outs(%o : tensor<4x4xf16>) -> tensor<4x4xf16>
  relax_tp.yield %0 : tensor<4x4xf16>
}

// -----

// A product of symbolic sizes, and one that is filled before.
// CHECK: #[[WORK:.*]] = affine_map<()[s0, s1, s2, s3, s4, s5] -> ((s0 * s1) * 4 + (s2 * s3) * 4 + (s4 * s5) * 4, ((s0 * s3) * s1) * 2)>
// CHECK: relax_tp.func private @matmul({{.*}}relax_tp.work = #[[WORK]]
relax_tp.func private @matmul(%x: tensor<?x?xf32> {relax_sym.shape = #relax_sym.shape<[n, k]>},
                              %w: tensor<?x?xf32> {relax_sym.shape = #relax_sym.shape<[k, m]>})
    outs(%o: tensor<?x?xf32> {relax_sym.shape = #relax_sym.shape<[n, m]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  relax_tp.yield %0 : tensor<?x?xf32>
}

// -----

// Of a table only what is fetched moves, and indices are no arithmetic on elements.
// CHECK: #[[WORK:.*]] = affine_map<()[s0, s1, s2] -> (s1 * 24 + s2 * 16, 0)>
// CHECK: relax_tp.func private @gather({{.*}}relax_tp.work = #[[WORK]]
relax_tp.func private @gather(%table: tensor<?x4xf32> {relax_sym.shape = #relax_sym.shape<[v, 4]>},
                              %i: tensor<?xi64> {relax_sym.shape = #relax_sym.shape<[n]>})
    outs(%o: tensor<?x4xf32> {relax_sym.shape = #relax_sym.shape<[n, 4]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<?xi64>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%a: i64, %out: f32):
    %row = arith.index_cast %a : i64 to index
    %column = linalg.index 1 : index
    %e = tensor.extract %table[%row, %column] : tensor<?x4xf32>
    linalg.yield %e : f32
  } -> tensor<?x4xf32>
  relax_tp.yield %0 : tensor<?x4xf32>
}

// -----

// Loops on buffers, with a bound that is a scalar argument.
// CHECK: #[[WORK:.*]] = affine_map<()[s0, s1, s2] -> (s0 * 4 + s1 * 4, s2)>
// CHECK: relax_tp.func private @loops({{.*}}relax_tp.work = #[[WORK]]
relax_tp.func private @loops(%x: memref<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>})
    outs(%o: memref<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>}) scalars(%k: index {relax_sym.expr = #relax_sym.expr<k>})
    attributes {relax_sym.scope = #relax_sym.scope<"k <= n">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %k step %c1 {
    %0 = memref.load %x[%i] : memref<?xf32>
    %1 = math.exp %0 : f32
    memref.store %1, %o[%i] : memref<?xf32>
  }
  relax_tp.yield
}

// -----

// How often a loop runs that a condition ends is not known.
// CHECK: #[[WORK:.*]] = affine_map<()[s0, s1] -> (s0 * 4 + s1 * 4, -1)>
// CHECK: relax_tp.func private @unknown({{.*}}relax_tp.work = #[[WORK]]
relax_tp.func private @unknown(%x: memref<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>})
    outs(%o: memref<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %first = memref.load %x[%c0] : memref<?xf32>
  %last = scf.while (%a = %first) : (f32) -> f32 {
    %limit = arith.constant 1.0 : f32
    %more = arith.cmpf olt, %a, %limit : f32
    scf.condition(%more) %a : f32
  } do {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    scf.yield %b : f32
  }
  memref.store %last, %o[%c0] : memref<?xf32>
  relax_tp.yield
}
