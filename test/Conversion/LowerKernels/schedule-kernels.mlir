// RUN: relax-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(relax-schedule-kernels))' | FileCheck %s

// A matmul runs m, k, n; sums may be reordered and fused with products, nothing else.
//   CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
//   CHECK-DAG: #[[$A:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
//   CHECK-DAG: #[[$B:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-LABEL: func.func private @matmul(
//       CHECK:   linalg.generic {indexing_maps = [#[[$A]], #[[$B]], #[[$OUT]]], iterator_types = ["parallel", "reduction", "parallel"]}
//       CHECK:     arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
//       CHECK:     arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,contract> : f32
func.func private @matmul(%a: memref<?x4xf32>, %b: memref<4x8xf32>, %o: memref<?x8xf32>, %e: memref<1xi64>) {
  %ta = bufferization.to_tensor %a restrict : memref<?x4xf32> to tensor<?x4xf32>
  %tb = bufferization.to_tensor %b restrict : memref<4x8xf32> to tensor<4x8xf32>
  %to = bufferization.to_tensor %o restrict writable : memref<?x8xf32> to tensor<?x8xf32>
  %r = linalg.matmul ins(%ta, %tb : tensor<?x4xf32>, tensor<4x8xf32>) outs(%to : tensor<?x8xf32>) -> tensor<?x8xf32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<?x8xf32>, memref<?x8xf32>) -> ()
  return
}

// -----

// Both factors have k last: the reduction stays innermost.
// CHECK-LABEL: func.func private @dot_rows(
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
func.func private @dot_rows(%a: memref<?x64xf32>, %b: memref<8x64xf32>, %o: memref<?x8xf32>, %e: memref<1xi64>) {
  %ta = bufferization.to_tensor %a restrict : memref<?x64xf32> to tensor<?x64xf32>
  %tb = bufferization.to_tensor %b restrict : memref<8x64xf32> to tensor<8x64xf32>
  %to = bufferization.to_tensor %o restrict writable : memref<?x8xf32> to tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ta, %tb : tensor<?x64xf32>, tensor<8x64xf32>) outs(%to : tensor<?x8xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
  } -> tensor<?x8xf32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<?x8xf32>, memref<?x8xf32>) -> ()
  return
}

// -----

// An extent of 1 at the end does not hide the unit stride of the one before it.
// CHECK-LABEL: func.func private @columns(
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]}
//       CHECK:   linalg.index 2
func.func private @columns(%o: memref<?x64x1xi64>, %e: memref<1xi64>) {
  %to = bufferization.to_tensor %o restrict writable : memref<?x64x1xi64> to tensor<?x64x1xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%to : tensor<?x64x1xi64>) {
    ^bb0(%s: i64):
      %j = linalg.index 1 : index
      %v = arith.index_cast %j : index to i64
      linalg.yield %v : i64
  } -> tensor<?x64x1xi64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<?x64x1xi64>, memref<?x64x1xi64>) -> ()
  return
}

// -----

// An elementwise op works on the intermediate itself.
// CHECK-LABEL: func.func private @in_place(
//       CHECK:   %[[M:.*]] = linalg.generic
//       CHECK:   linalg.generic {{.*}} outs(%[[M]] : tensor<?xf32>)
//  CHECK-NEXT:   ^bb0(%[[X:.*]]: f32):
//  CHECK-NEXT:     math.exp %[[X]]
func.func private @in_place(%a: memref<?xf32>, %o: memref<?xf32>, %e: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %ta = bufferization.to_tensor %a restrict : memref<?xf32> to tensor<?xf32>
  %e0 = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.negf ins(%ta : tensor<?xf32>) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %1 = linalg.exp ins(%0 : tensor<?xf32>) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  bufferization.materialize_in_destination %1 in restrict writable %o : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}

// -----

// Other functions stay as they are.
// CHECK-LABEL: func.func private @no_kernel(
//       CHECK:   linalg.exp
func.func private @no_kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Loops of one step are dropped from a reduction, so that the unit stride along the height is seen. The result is a part
// that is written back, so that it is computed where it belongs.
// CHECK-LABEL: func.func private @unit(
//       CHECK:   tensor.extract_slice
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]}
//       CHECK:   tensor.insert_slice
func.func private @unit(%a: memref<8x16x1xf32>, %b: memref<4x8x1xf32>, %o: memref<4x16x1xf32>, %e: memref<1xi64>) {
  %ta = bufferization.to_tensor %a restrict : memref<8x16x1xf32> to tensor<8x16x1xf32>
  %tb = bufferization.to_tensor %b restrict : memref<4x8x1xf32> to tensor<4x8x1xf32>
  %to = bufferization.to_tensor %o restrict writable : memref<4x16x1xf32> to tensor<4x16x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(o, h, w, c) -> (c, h, w)>, affine_map<(o, h, w, c) -> (o, c, w)>,
                                        affine_map<(o, h, w, c) -> (o, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%ta, %tb : tensor<8x16x1xf32>, tensor<4x8x1xf32>) outs(%to : tensor<4x16x1xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
  } -> tensor<4x16x1xf32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<4x16x1xf32>, memref<4x16x1xf32>) -> ()
  return
}

// -----

// What a sum is made of may be contracted too, not what other results are made of.
// CHECK-LABEL: func.func private @contracted(
//       CHECK:   %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} fastmath<contract>
//       CHECK:   %[[D:.*]] = arith.subf %[[P]], %{{.*}} fastmath<contract>
//       CHECK:   %[[X:.*]] = arith.mulf %{{.*}}, %[[D]] fastmath<contract>
//       CHECK:   arith.addf %{{.*}}, %[[X]] fastmath<reassoc,contract>
//       CHECK:   arith.mulf %{{.*}}, %{{.*}} : f32
func.func private @contracted(%a: memref<8x16xf32>, %b: memref<16xf32>, %o: memref<8xf32>, %e: memref<1xi64>) {
  %ta = bufferization.to_tensor %a restrict : memref<8x16xf32> to tensor<8x16xf32>
  %tb = bufferization.to_tensor %b restrict : memref<16xf32> to tensor<16xf32>
  %to = bufferization.to_tensor %o restrict writable : memref<8xf32> to tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%ta, %tb : tensor<8x16xf32>, tensor<16xf32>) outs(%to : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %x : f32
      %d = arith.subf %p, %y : f32
      %q = arith.mulf %y, %d : f32
      %t = arith.addf %s, %q : f32
      linalg.yield %t : f32
  } -> tensor<8xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%r : tensor<8xf32>) outs(%to : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32):
      %p = arith.mulf %x, %x : f32
      linalg.yield %p : f32
  } -> tensor<8xf32>
  bufferization.materialize_in_destination %m in restrict writable %o : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// A window that ends before its input does (4 elements, 3 of them used): without the loop over the only window, the
// extent of the loop within it would be read off the input.
// CHECK-LABEL: func.func private @window(
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel"]}
//  CHECK-SAME:       ins({{.*}} : tensor<4xf32>, tensor<8x3xf32>)
func.func private @window(%a: memref<4xf32>, %b: memref<8x3xf32>, %o: memref<8x1xf32>, %e: memref<1xi64>) {
  %ta = bufferization.to_tensor %a restrict : memref<4xf32> to tensor<4xf32>
  %tb = bufferization.to_tensor %b restrict : memref<8x3xf32> to tensor<8x3xf32>
  %to = bufferization.to_tensor %o restrict writable : memref<8x1xf32> to tensor<8x1xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(o, i, k) -> (i * 2 + k)>, affine_map<(o, i, k) -> (o, k)>,
                                        affine_map<(o, i, k) -> (o, i)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%ta, %tb : tensor<4xf32>, tensor<8x3xf32>) outs(%to : tensor<8x1xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
  } -> tensor<8x1xf32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<8x1xf32>, memref<8x1xf32>) -> ()
  return
}

// -----

// Nothing runs over an extent of 0: the loop of one step stays.
// CHECK-LABEL: func.func private @nothing(
//       CHECK:   linalg.generic {{.*}} iterator_types = ["reduction", "reduction", "reduction"]
func.func private @nothing(%x: memref<?x0x1xi64>, %o: memref<i64>, %e: memref<1xi64>) {
  %zero = arith.constant 0 : i64
  %0 = bufferization.to_tensor %x restrict : memref<?x0x1xi64> to tensor<?x0x1xi64>
  %1 = tensor.empty() : tensor<i64>
  %2 = linalg.fill ins(%zero : i64) outs(%1 : tensor<i64>) -> tensor<i64>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> ()>], iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%0 : tensor<?x0x1xi64>) outs(%2 : tensor<i64>) {
  ^bb0(%a: i64, %out: i64):
    %p = arith.addi %a, %out : i64
    linalg.yield %p : i64
  } -> tensor<i64>
  bufferization.materialize_in_destination %3 in restrict writable %o : (tensor<i64>, memref<i64>) -> ()
  return
}
