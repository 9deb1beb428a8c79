// RUN: relax-opt %s --pass-pipeline='builtin.module(func.func(relax-tile-rows))' | FileCheck %s
// RUN: relax-opt %s --pass-pipeline='builtin.module(func.func(relax-tile-rows{row-bytes=16}))' | FileCheck %s --check-prefix=SMALL

#id = affine_map<(i, j, k) -> (i, j, k)>
#keep = affine_map<(i, j, k) -> (i, j, 0)>
#row = affine_map<(i, k) -> (i, k)>
#one = affine_map<(i, k) -> (i)>
#vec = affine_map<(i, k) -> (k)>

// A sum in double precision: the intermediate is one element, whatever the batch.
// CHECK-LABEL: func.func private @sum
//       CHECK:   scf.forall (%[[I:.*]], %[[J:.*]]) in (%{{.*}}, %{{.*}}) shared_outs(%[[OUT:.*]] = %{{.*}}) -> (tensor<?x?x1xf32>)
//       CHECK:     tensor.empty() : tensor<1x1x1xf64>
//       CHECK:     tensor.extract_slice %{{.*}}[%[[I]], %[[J]], 0] [1, 1, %{{.*}}] [1, 1, 1]
//       CHECK:     iterator_types = ["parallel", "parallel", "reduction"]
//       CHECK:     tensor.extract_slice %[[OUT]][%[[I]], %[[J]], 0] [1, 1, 1] [1, 1, 1]
//       CHECK:     tensor.parallel_insert_slice
//   CHECK-NOT:   linalg.generic
//       CHECK:   materialize_in_destination
func.func private @sum(%x: memref<?x?x?xf32>, %o: memref<?x?x1xf32>, %error: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %d0 = memref.dim %o, %c0 : memref<?x?x1xf32>
  %d1 = memref.dim %o, %c1 : memref<?x?x1xf32>
  %0 = bufferization.to_tensor %x restrict : memref<?x?x?xf32> to tensor<?x?x?xf32>
  %1 = tensor.empty(%d0, %d1) : tensor<?x?x1xf64>
  %2 = linalg.fill ins(%zero : f64) outs(%1 : tensor<?x?x1xf64>) -> tensor<?x?x1xf64>
  %3 = linalg.generic {indexing_maps = [#id, #keep], iterator_types = ["parallel", "parallel", "reduction"]} ins(%0 : tensor<?x?x?xf32>) outs(%2 : tensor<?x?x1xf64>) {
  ^bb0(%in: f32, %out: f64):
    %6 = arith.extf %in : f32 to f64
    %7 = arith.addf %6, %out : f64
    linalg.yield %7 : f64
  } -> tensor<?x?x1xf64>
  %4 = tensor.empty(%d0, %d1) : tensor<?x?x1xf32>
  %5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<?x?x1xf64>) outs(%4 : tensor<?x?x1xf32>) {
  ^bb0(%in: f64, %out: f32):
    %6 = arith.truncf %in : f64 to f32
    linalg.yield %6 : f32
  } -> tensor<?x?x1xf32>
  bufferization.materialize_in_destination %5 in restrict writable %o : (tensor<?x?x1xf32>, memref<?x?x1xf32>) -> ()
  return
}

// Rows of 8 elements are kept on the stack, unless that is too much.
// CHECK-LABEL: func.func private @centered
//       CHECK:   scf.forall
//       CHECK:     tensor.empty() : tensor<1x8xf32>
// SMALL-LABEL: func.func private @centered
//   SMALL-NOT:   scf.forall
//       SMALL:   return
func.func private @centered(%x: memref<?x8xf32>, %m: memref<?xf32>, %o: memref<?xf32>, %error: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %d0 = memref.dim %o, %c0 : memref<?xf32>
  %0 = bufferization.to_tensor %x restrict : memref<?x8xf32> to tensor<?x8xf32>
  %1 = bufferization.to_tensor %m restrict : memref<?xf32> to tensor<?xf32>
  %2 = tensor.empty(%d0) : tensor<?x8xf32>
  %3 = linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<?x8xf32>, tensor<?xf32>) outs(%2 : tensor<?x8xf32>) {
  ^bb0(%in: f32, %mean: f32, %out: f32):
    %7 = arith.subf %in, %mean : f32
    linalg.yield %7 : f32
  } -> tensor<?x8xf32>
  %4 = tensor.empty(%d0) : tensor<?xf32>
  %5 = linalg.fill ins(%zero : f32) outs(%4 : tensor<?xf32>) -> tensor<?xf32>
  %6 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]} ins(%3 : tensor<?x8xf32>) outs(%5 : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = arith.mulf %in, %in : f32
    %8 = arith.addf %7, %out : f32
    linalg.yield %8 : f32
  } -> tensor<?xf32>
  bufferization.materialize_in_destination %6 in restrict writable %o : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}

// Rows of a product share the weights: they stay together. So do columns, which are not contiguous, and a kernel with an
// intermediate of unknown size for each row.
// CHECK-LABEL: func.func private @product
//   CHECK-NOT:   scf.forall
//       CHECK:   return
func.func private @product(%x: memref<?x8xf32>, %w: memref<8x4xf32>, %o: memref<?x4xf32>, %error: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %d0 = memref.dim %o, %c0 : memref<?x4xf32>
  %0 = bufferization.to_tensor %x restrict : memref<?x8xf32> to tensor<?x8xf32>
  %1 = bufferization.to_tensor %w restrict : memref<8x4xf32> to tensor<8x4xf32>
  %2 = tensor.empty(%d0) : tensor<?x4xf32>
  %3 = linalg.fill ins(%zero : f32) outs(%2 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %4 = linalg.matmul ins(%0, %1 : tensor<?x8xf32>, tensor<8x4xf32>) outs(%3 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %5 = tensor.empty(%d0) : tensor<?x4xf32>
  %6 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<?x4xf32>) outs(%5 : tensor<?x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = arith.maximumf %in, %zero : f32
    linalg.yield %7 : f32
  } -> tensor<?x4xf32>
  bufferization.materialize_in_destination %6 in restrict writable %o : (tensor<?x4xf32>, memref<?x4xf32>) -> ()
  return
}

// Out channels are the leading dimension of a filter, but share the image.
// CHECK-LABEL: func.func private @convolution
//   CHECK-NOT:   scf.forall
//       CHECK:   return
func.func private @convolution(%x: memref<3x?xf32>, %w: memref<64x3x7xf32>, %o: memref<64x?xf32>, %error: memref<1xi64>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %d1 = memref.dim %o, %c1 : memref<64x?xf32>
  %0 = bufferization.to_tensor %x restrict : memref<3x?xf32> to tensor<3x?xf32>
  %1 = bufferization.to_tensor %w restrict : memref<64x3x7xf32> to tensor<64x3x7xf32>
  %2 = tensor.empty(%d1) : tensor<64x?xf32>
  %3 = linalg.fill ins(%zero : f32) outs(%2 : tensor<64x?xf32>) -> tensor<64x?xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(o, w, c, k) -> (c, w + k)>, affine_map<(o, w, c, k) -> (o, c, k)>, affine_map<(o, w, c, k) -> (o, w)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%0, %1 : tensor<3x?xf32>, tensor<64x3x7xf32>) outs(%3 : tensor<64x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %7 = arith.mulf %a, %b : f32
    %8 = arith.addf %out, %7 : f32
    linalg.yield %8 : f32
  } -> tensor<64x?xf32>
  %5 = tensor.empty(%d1) : tensor<64x?xf32>
  %6 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<64x?xf32>) outs(%5 : tensor<64x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = arith.maximumf %in, %zero : f32
    linalg.yield %7 : f32
  } -> tensor<64x?xf32>
  bufferization.materialize_in_destination %6 in restrict writable %o : (tensor<64x?xf32>, memref<64x?xf32>) -> ()
  return
}

// CHECK-LABEL: func.func private @columns
//   CHECK-NOT:   scf.forall
//       CHECK:   return
func.func private @columns(%x: memref<?x?xf32>, %o: memref<?xf32>, %error: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %d0 = memref.dim %o, %c0 : memref<?xf32>
  %0 = bufferization.to_tensor %x restrict : memref<?x?xf32> to tensor<?x?xf32>
  %1 = tensor.empty(%d0) : tensor<?xf64>
  %2 = linalg.fill ins(%zero : f64) outs(%1 : tensor<?xf64>) -> tensor<?xf64>
  %3 = linalg.generic {indexing_maps = [#row, #vec], iterator_types = ["reduction", "parallel"]} ins(%0 : tensor<?x?xf32>) outs(%2 : tensor<?xf64>) {
  ^bb0(%in: f32, %out: f64):
    %6 = arith.extf %in : f32 to f64
    %7 = arith.addf %6, %out : f64
    linalg.yield %7 : f64
  } -> tensor<?xf64>
  %4 = tensor.empty(%d0) : tensor<?xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%3 : tensor<?xf64>) outs(%4 : tensor<?xf32>) {
  ^bb0(%in: f64, %out: f32):
    %6 = arith.truncf %in : f64 to f32
    linalg.yield %6 : f32
  } -> tensor<?xf32>
  bufferization.materialize_in_destination %5 in restrict writable %o : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}

// CHECK-LABEL: func.func private @unknown_row
//   CHECK-NOT:   scf.forall
//       CHECK:   return
func.func private @unknown_row(%x: memref<?x?xf32>, %o: memref<?xf32>, %error: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %d0 = memref.dim %x, %c0 : memref<?x?xf32>
  %d1 = memref.dim %x, %c1 : memref<?x?xf32>
  %0 = bufferization.to_tensor %x restrict : memref<?x?xf32> to tensor<?x?xf32>
  %1 = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %2 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<?x?xf32>) outs(%1 : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = math.exp %in : f32
    linalg.yield %6 : f32
  } -> tensor<?x?xf32>
  %3 = tensor.empty(%d0) : tensor<?xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<?xf32>) -> tensor<?xf32>
  %5 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]} ins(%2 : tensor<?x?xf32>) outs(%4 : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %7 = arith.addf %in, %out : f32
    linalg.yield %7 : f32
  } -> tensor<?xf32>
  bufferization.materialize_in_destination %5 in restrict writable %o : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}
