// RUN: relax-opt %s --split-input-file --relax-clone-device-kernels --relax-outline-device-kernels | FileCheck %s

// A softmax: its reductions and what reads them are one function. Results of the reductions have no memory.
// CHECK-LABEL: gpu.module @softmax
//       CHECK:   gpu.func @stage0({{.*}}relax.schedule = "rows"
//       CHECK:     %[[SHARED:.*]] = memref.alloc() : memref<64xf32, 3>
//       CHECK:     scf.for
//       CHECK:       scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32)
//       CHECK:         arith.maximumf
//       CHECK:       memref.store %{{.*}}, %[[SHARED]]
//       CHECK:       gpu.barrier
//       CHECK:       scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32)
//       CHECK:         arith.addf
//       CHECK:       gpu.barrier
//       CHECK:       scf.for
//       CHECK:         arith.divf
//   CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @relax_device_softmax(
module attributes {relax.kernels = ["softmax"]} {
func.func private @softmax(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %e: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = memref.alloc(%n) : memref<?xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%low : f32) outs(%m : memref<?xf32>)
  linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%m : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %d = arith.maximumf %in, %out : f32
    linalg.yield %d : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : memref<?x?xf32>, memref<?xf32>) outs(%s : memref<?xf32>) {
  ^bb0(%in: f32, %most: f32, %out: f32):
    %d = arith.subf %in, %most : f32
    %a = arith.addf %d, %out : f32
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %d = arith.divf %in, %sum : f32
    linalg.yield %d : f32
  }
  return
}
}

// -----

// A product and a bias: one function, whose sums stay in registers.
// CHECK-LABEL: gpu.module @product
//       CHECK:   gpu.func @stage0({{.*}}relax.schedule = "tiles"
//       CHECK:     memref.alloc() : memref<528xf32, 3>
//       CHECK:     memref.alloc() : memref<528xf32, 3>
//       CHECK:     scf.for
//       CHECK:       gpu.barrier
//       CHECK:       scf.for
//       CHECK:         arith.mulf
//       CHECK:       gpu.barrier
//       CHECK:     arith.maximumf
//       CHECK:     memref.store
//   CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @relax_device_product(
module attributes {relax.kernels = ["product"]} {
func.func private @product(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %b: memref<?xf32>, %y: memref<?x?xf32>, %e: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %y, %c0 : memref<?x?xf32>
  %n = memref.dim %y, %c1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc(%m, %n) : memref<?x?xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<?x?xf32>)
  linalg.matmul ins(%x, %w : memref<?x?xf32>, memref<?x?xf32>) outs(%p : memref<?x?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %d = arith.addf %in, %bias : f32
    %r = arith.maximumf %d, %zero : f32
    linalg.yield %r : f32
  }
  return
}
}

// -----

// CHECK-LABEL: gpu.module @turn
//       CHECK:   gpu.func @stage0({{.*}}relax.schedule = "transpose"
//       CHECK:     memref.alloc() : memref<272xf32, 3>
//       CHECK:     gpu.barrier
module attributes {relax.kernels = ["turn"]} {
func.func private @turn(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %e: memref<1xi64>) {
  linalg.transpose ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) permutation = [1, 0]
  return
}
}

// -----

// What has another structure has the schedule for everything: a sum along columns, whose neighbours read together
// already; two results that depend on each other; the number of a step; few steps.
// CHECK-COUNT-4: relax.schedule = "serial"
module attributes {relax.kernels = ["columns", "place", "numbered", "short"]} {
func.func private @columns(%x: memref<?x?xf32>, %y: memref<?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %d = arith.addf %in, %out : f32
    linalg.yield %d : f32
  }
  return
}
func.func private @place(%x: memref<?x?xf32>, %y: memref<?xf32>, %z: memref<?xi32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y, %z : memref<?xf32>, memref<?xi32>) {
  ^bb0(%in: f32, %most: f32, %at: i32):
    %j = linalg.index 1 : index
    %here = arith.index_cast %j : index to i32
    %is = arith.cmpf ogt, %in, %most : f32
    %a = arith.select %is, %in, %most : f32
    %b = arith.select %is, %here, %at : i32
    linalg.yield %a, %b : f32, i32
  }
  return
}
func.func private @numbered(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %y: memref<?x?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %k = linalg.index 2 : index
    %i = arith.index_cast %k : index to i32
    %f = arith.sitofp %i : i32 to f32
    %p = arith.mulf %a, %f : f32
    %q = arith.mulf %p, %b : f32
    %s = arith.addf %q, %out : f32
    linalg.yield %s : f32
  }
  return
}
func.func private @short(%x: memref<?x3xf32>, %w: memref<3x?xf32>, %y: memref<?x?xf32>, %e: memref<1xi64>) {
  linalg.matmul ins(%x, %w : memref<?x3xf32>, memref<3x?xf32>) outs(%y : memref<?x?xf32>)
  return
}
}

// -----

// A scalar that is made of sizes is made of them again. A row of 8 columns has 4 invocations.
// CHECK-LABEL: gpu.module @mean
//       CHECK:   gpu.func @stage0({{.*}}relax.schedule = "rows"
//       CHECK:     arith.sitofp %{{.*}} : i32 to f32
//       CHECK:     arith.remui %{{.*}}, %c4
//       CHECK:     arith.divf
//   CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @relax_device_mean(
module attributes {relax.kernels = ["mean"]} {
func.func private @mean(%x: memref<?x8xf32>, %y: memref<?xf32>, %e: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f32
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x8xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %d = arith.addf %in, %out : f32
    linalg.yield %d : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%y : memref<?xf32>) {
  ^bb0(%out: f32):
    %d = arith.divf %out, %f : f32
    linalg.yield %d : f32
  }
  return
}
}

// -----

// What the function has written along its rows is reduced in it, too: each invocation reads what it wrote.
// CHECK-LABEL: gpu.module @written_rows
//       CHECK:   gpu.func @stage0({{.*}}relax.schedule = "rows"
//       CHECK:     arith.addf
//       CHECK:     arith.subf
//       CHECK:     arith.mulf
//   CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @relax_device_written_rows(
module attributes {relax.kernels = ["written_rows"]} {
func.func private @written_rows(%x: memref<?x?xf32>, %d: memref<?x?xf32>, %y: memref<?xf32>, %e: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%s : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %in, %out : f32
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<?x?xf32>, memref<?xf32>) outs(%d : memref<?x?xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %a = arith.subf %in, %sum : f32
    linalg.yield %a : f32
  }
  linalg.fill ins(%one : f32) outs(%y : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%d : memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.mulf %in, %out : f32
    linalg.yield %a : f32
  }
  return
}
}
