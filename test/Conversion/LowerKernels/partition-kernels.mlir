// RUN: relax-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(relax-partition-kernels),canonicalize,cse)' | FileCheck %s

// Columns of the product and of what follows it are divided: they give more parts than rows.
// CHECK-LABEL: func.func private @matmul_relu(
//  CHECK-SAME:     %[[A:.*]]: memref<?x64xf32>, %[[B:.*]]: memref<64x4096xf32>, %[[O:.*]]: memref<?x4096xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index, %{{.*}}: memref<1xi64>)
//  CHECK-SAME:     relax_tp.range = {buffer = 2 : i64, dim = 1 : i64, unit = 96 : i64, work = array<i64: 262144, 0, 0>}
//   CHECK-DAG:   %[[C96:.*]] = arith.constant 96 : index
//       CHECK:   %[[FIRST:.*]] = arith.muli %[[BEGIN]], %[[C96]]
//       CHECK:   %[[FROM:.*]] = arith.minui %[[FIRST]], %{{.*}}
//       CHECK:   %[[TO:.*]] = arith.muli %[[END]], %[[C96]]
//       CHECK:   %[[LAST:.*]] = arith.minui %[[TO]], %{{.*}}
//       CHECK:   %[[SIZE:.*]] = arith.subi %[[LAST]], %[[FROM]]
//       CHECK:   memref.subview %[[B]][0, %[[FROM]]] [64, %[[SIZE]]] [1, 1]
//       CHECK:   memref.subview %[[O]][0, %[[FROM]]] [%{{.*}}, %[[SIZE]]] [1, 1]
//       CHECK:   linalg.generic
//       CHECK:   linalg.generic
func.func private @matmul_relu(%a: memref<?x64xf32>, %b: memref<64x4096xf32>, %o: memref<?x4096xf32>, %e: memref<1xi64>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(m, k, n) -> (m, k)>, affine_map<(m, k, n) -> (k, n)>, affine_map<(m, k, n) -> (m, n)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<?x64xf32>, memref<64x4096xf32>) outs(%o : memref<?x4096xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} outs(%o : memref<?x4096xf32>) {
    ^bb0(%x: f32):
      %r = arith.maximumf %x, %zero : f32
      linalg.yield %r : f32
  }
  return
}

// -----

// All of a row is read for each of its elements: only rows are independent. Positions count from the first part.
// CHECK-LABEL: func.func private @normalize(
//  CHECK-SAME:     relax_tp.range = {buffer = 0 : i64, dim = 0 : i64, unit = 1 : i64, work = array<i64: 8, 0, 0>}
//       CHECK:   linalg.index 0
//       CHECK:   affine.apply
func.func private @normalize(%o: memref<?x8xf32>, %s: memref<?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%o : memref<?x8xf32>) outs(%s : memref<?xf32>) {
    ^bb0(%x: f32, %a: f32):
      %q = arith.addf %a, %x : f32
      linalg.yield %q : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<?xf32>) outs(%o : memref<?x8xf32>) {
    ^bb0(%a: f32, %x: f32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i64
      %f = arith.sitofp %j : i64 to f32
      %q = arith.divf %x, %a : f32
      %r = arith.addf %q, %f : f32
      linalg.yield %r : f32
  }
  return
}

// -----

// What one operation writes row by row another one reads column by column: nothing can be divided.
// CHECK-LABEL: func.func private @transposed_twice(
//   CHECK-NOT:   relax_tp.range
func.func private @transposed_twice(%a: memref<?x?xf32>, %t: memref<?x?xf32>, %o: memref<?x?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<?x?xf32>) outs(%t : memref<?x?xf32>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%t, %t : memref<?x?xf32>, memref<?x?xf32>) outs(%o : memref<?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
  }
  return
}

// -----

// A window reads its neighbours' part of what is written.
// CHECK-LABEL: func.func private @window(
//   CHECK-NOT:   relax_tp.range
func.func private @window(%a: memref<?xf32>, %t: memref<?xf32>, %k: memref<3xf32>, %o: memref<?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : memref<?xf32>) outs(%t : memref<?xf32>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%t, %k : memref<?xf32>, memref<3xf32>) outs(%o : memref<?xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
  }
  return
}

// -----

// A body that reads at computed places what the kernel writes is not divided, one that reads another buffer is.
// CHECK-LABEL: func.func private @gather_own(
//   CHECK-NOT:   relax_tp.range
func.func private @gather_own(%i: memref<?xindex>, %t: memref<?xf32>, %o: memref<?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : memref<?xindex>) outs(%t : memref<?xf32>) {
    ^bb0(%x: index, %y: f32):
      %v = memref.load %o[%x] : memref<?xf32>
      linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%t : memref<?xf32>) outs(%o : memref<?xf32>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
  }
  return
}

// -----

// CHECK-LABEL: func.func private @gather(
//  CHECK-SAME:   relax_tp.range = {buffer = 2 : i64, dim = 0 : i64, unit = 96 : i64
func.func private @gather(%i: memref<?xindex>, %t: memref<?xf32>, %o: memref<?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : memref<?xindex>) outs(%o : memref<?xf32>) {
    ^bb0(%x: index, %y: f32):
      %v = memref.load %t[%x] : memref<?xf32>
      linalg.yield %v : f32
  }
  return
}

// -----

// Views that drop dimensions of extent 1 are seen through; loops and unknown allocations are not.
// CHECK-LABEL: func.func private @collapsed(
//  CHECK-SAME:   relax_tp.range = {buffer = 0 : i64, dim = 2 : i64, unit = 96 : i64
func.func private @collapsed(%o: memref<1x1x?xf32>, %e: memref<1xi64>) {
  %c = memref.collapse_shape %o [[0, 1, 2]] : memref<1x1x?xf32> into memref<?xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%c : memref<?xf32>) {
    ^bb0(%x: f32):
      %s = arith.addf %x, %x : f32
      linalg.yield %s : f32
  }
  return
}

// -----

// CHECK-LABEL: func.func private @allocated(
//   CHECK-NOT:   relax_tp.range
func.func private @allocated(%o: memref<?xf32>, %n: index, %e: memref<1xi64>) {
  %t = memref.alloc(%n) : memref<?xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%o : memref<?xf32>) outs(%t : memref<?xf32>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
  }
  memref.dealloc %t : memref<?xf32>
  return
}

// -----

// Padding: what is written into the middle of a buffer is divided along dimensions where it begins with the buffer.
// CHECK-LABEL: func.func private @padded(
//  CHECK-SAME:   relax_tp.range = {buffer = 1 : i64, dim = 0 : i64, unit = 1 : i64
// CHECK-COUNT-2: memref.subview
func.func private @padded(%a: memref<?x8xf32>, %o: memref<?x10xf32>, %e: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %a, %c0 : memref<?x8xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%o : memref<?x10xf32>) {
    ^bb0(%x: f32):
      linalg.yield %zero : f32
  }
  %v = memref.subview %o[0, 1] [%n, 8] [1, 1] : memref<?x10xf32> to memref<?x8xf32, strided<[10, 1], offset: 1>>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<?x8xf32>) outs(%v : memref<?x8xf32, strided<[10, 1], offset: 1>>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
  }
  return
}

// -----

// A batch of one: the dropped dimension is no obstacle, out channels are divided.
// CHECK-LABEL: func.func private @dropped(
//  CHECK-SAME:     relax_tp.range = {buffer = 2 : i64, dim = 1 : i64, unit = 4 : i64
func.func private @dropped(%a: memref<8x16xf32>, %b: memref<64x8xf32>, %o: memref<1x64x16xf32>, %e: memref<1xi64>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<1x64x16xf32>)
  %s = memref.subview %o[0, 0, 0] [1, 64, 16] [1, 1, 1] : memref<1x64x16xf32> to memref<64x16xf32>
  linalg.generic {indexing_maps = [affine_map<(o, k, w) -> (k, w)>, affine_map<(o, k, w) -> (o, k)>, affine_map<(o, k, w) -> (o, w)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<8x16xf32>, memref<64x8xf32>) outs(%s : memref<64x16xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.addf %z, %p : f32
      linalg.yield %q : f32
  }
  return
}

// -----

// A row in blocks: how a dimension is split says nothing about the others. Each result is a sum, so that few of them
// are a part.
// CHECK-LABEL: func.func private @split(
//  CHECK-SAME:   relax_tp.range = {buffer = 2 : i64, dim = 1 : i64, unit = 16 : i64
func.func private @split(%a: memref<?x64xf32>, %b: memref<512x8x8xf32>, %o: memref<?x512xf32>, %e: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?x64xf32>
  %x = memref.expand_shape %a [[0], [1, 2]] output_shape [%n, 8, 8] : memref<?x64xf32> into memref<?x8x8xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (j, k, l)>, affine_map<(i, j, k, l) -> (i, k, l)>, affine_map<(i, j, k, l) -> (j, i)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %b : memref<?x8x8xf32>, memref<512x8x8xf32>) outs(%o : memref<?x512xf32>) {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %r = arith.mulf %p, %q : f32
      %t = arith.addf %s, %r : f32
      linalg.yield %t : f32
  }
  return
}

// -----

// A dimension that is written through a split is not divided.
// CHECK-LABEL: func.func private @split_result(
//  CHECK-SAME:   relax_tp.range = {buffer = 0 : i64, dim = 0 : i64
func.func private @split_result(%o: memref<?x64xf32>, %e: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %o, %c0 : memref<?x64xf32>
  %x = memref.expand_shape %o [[0], [1, 2]] output_shape [%n, 8, 8] : memref<?x64xf32> into memref<?x8x8xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%x : memref<?x8x8xf32>) {
    ^bb0(%p: f32):
      linalg.yield %zero : f32
  }
  return
}

// -----

// Rows: of two unknown extents the last is divided, which is no batch.
// CHECK-LABEL: func.func private @rows(
//  CHECK-SAME:     %[[X:.*]]: memref<?x?x?xf32>, %[[O:.*]]: memref<?x?xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index, %{{.*}}: memref<1xi64>)
//  CHECK-SAME:     relax_tp.range = {buffer = 1 : i64, dim = 1 : i64, unit = 1 : i64, work = array<i64: 1, 0, 0, 0, 1, 0, 2>}
//       CHECK:   %[[EXTENT:.*]] = memref.dim %[[O]], %{{.*}}
//       CHECK:   %[[FROM:.*]] = arith.minui %[[BEGIN]], %[[EXTENT]]
//       CHECK:   %[[TO:.*]] = arith.minui %[[END]], %[[EXTENT]]
//       CHECK:   scf.forall (%{{.*}}, %{{.*}}) = (0, %[[FROM]]) to (%{{.*}}, %[[TO]]) step (1, 1)
func.func private @rows(%x: memref<?x?x?xf32>, %o: memref<?x?xf32>, %e: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = memref.dim %o, %c0 : memref<?x?xf32>
  %s = memref.dim %o, %c1 : memref<?x?xf32>
  %t = memref.dim %x, %c2 : memref<?x?x?xf32>
  scf.forall (%i, %j) in (%b, %s) {
    %row = memref.subview %x[%i, %j, 0] [1, 1, %t] [1, 1, 1] : memref<?x?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %out = memref.subview %o[%i, %j] [1, 1] [1, 1] : memref<?x?xf32> to memref<f32, strided<[], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]}
        ins(%row : memref<?xf32, strided<[1], offset: ?>>) outs(%out : memref<f32, strided<[], offset: ?>>) {
      ^bb0(%v: f32, %a: f32):
        %q = arith.addf %v, %a : f32
        linalg.yield %q : f32
    }
  }
  return
}

// -----

// Something else happens beside the rows.
// CHECK-LABEL: func.func private @beside(
//   CHECK-NOT:     relax_tp.range
//       CHECK:   scf.forall
func.func private @beside(%x: memref<?xf32>, %e: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  memref.store %zero, %x[%c0] : memref<?xf32>
  scf.forall (%i) in (%n) {
    memref.store %zero, %x[%i] : memref<?xf32>
  }
  return
}

// -----

// A product of batches: its columns are there, a batch or a sequence may be one.
// CHECK-LABEL: func.func private @columns(
//  CHECK-SAME:     relax_tp.range = {buffer = 2 : i64, dim = 2 : i64, unit = 16 : i64
func.func private @columns(%x: memref<?x?x64xf32>, %w: memref<64x384xf32>, %o: memref<?x?x384xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(b, s, n, k) -> (b, s, k)>, affine_map<(b, s, n, k) -> (k, n)>, affine_map<(b, s, n, k) -> (b, s, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x?x64xf32>, memref<64x384xf32>) outs(%o : memref<?x?x384xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %p = arith.mulf %a, %b : f32
      %q = arith.addf %out, %p : f32
      linalg.yield %q : f32
  }
  return
}

// -----

// Elementwise: of batch and sequence the sequence.
// CHECK-LABEL: func.func private @elementwise(
//  CHECK-SAME:     relax_tp.range = {buffer = 1 : i64, dim = 1 : i64, unit = 1 : i64
func.func private @elementwise(%x: memref<?x?x8xf32>, %o: memref<?x?x8xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(b, s, k) -> (b, s, k)>, affine_map<(b, s, k) -> (b, s, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<?x?x8xf32>) outs(%o : memref<?x?x8xf32>) {
    ^bb0(%a: f32, %out: f32):
      %p = math.exp %a : f32
      linalg.yield %p : f32
  }
  return
}

// -----

// Three heads read one: parts begin where a new one does, so that quotients count from there.
// CHECK-LABEL: func.func private @shared(
//  CHECK-SAME:     relax_tp.range = {buffer = 1 : i64, dim = 0 : i64, unit = 3 : i64
//       CHECK:   %[[FROM:.*]] = arith.minui %{{.*}}, %{{.*}}
//       CHECK:   %[[ROW:.*]] = affine.apply #{{.*}}()[%[[FROM]]]
//       CHECK:   memref.subview %{{.*}}[%[[ROW]], 0, 0]
func.func private @shared(%k: memref<20x4x16xf32>, %o: memref<60x4x16xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(h, t, d) -> (h floordiv 3, t, d)>, affine_map<(h, t, d) -> (h, t, d)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : memref<20x4x16xf32>) outs(%o : memref<60x4x16xf32>) {
    ^bb0(%x: f32, %out: f32):
      linalg.yield %x : f32
  }
  return
}
