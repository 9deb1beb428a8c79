// RUN: relax-opt %s --relax-annotate-pattern-kinds --split-input-file | FileCheck %s

#n_4 = #relax_sym.shape<[n, 4]>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#scalar = affine_map<(d0, d1) -> ()>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// An attribute that is there is replaced.
// CHECK-LABEL: relax_tp.func private @elementwise(
//  CHECK-SAME:   relax_tp.pattern_kind = "elementwise"
relax_tp.func private @elementwise(%x: tensor<?x4xf32> {relax_sym.shape = #n_4})
    outs(%o: tensor<?x4xf32> {relax_sym.shape = #n_4}) attributes {relax_sym.scope = #relax_sym.scope<>, relax_tp.pattern_kind = "opaque"} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %t = tensor.empty(%n) : tensor<?x4xf32>
  %0 = linalg.exp ins(%x : tensor<?x4xf32>) outs(%t : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = linalg.add ins(%0, %x : tensor<?x4xf32>, tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  relax_tp.yield %1 : tensor<?x4xf32>
}

// An output that is written transposed along with its input is read elementwise.
// CHECK-LABEL: relax_tp.func private @both_transposed(
//  CHECK-SAME:   relax_tp.pattern_kind = "elementwise"
relax_tp.func private @both_transposed(%x: tensor<4x4xf32>) outs(%o: tensor<4x4xf32>) {
  %0 = linalg.generic {indexing_maps = [#transposed, #transposed], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  relax_tp.yield %0 : tensor<4x4xf32>
}

// CHECK-LABEL: relax_tp.func private @broadcast(
//  CHECK-SAME:   relax_tp.pattern_kind = "broadcast"
relax_tp.func private @broadcast(%x: tensor<4xf32>, %s: tensor<f32>) outs(%o: tensor<8x4xf32>) {
  %0 = linalg.generic {indexing_maps = [#row, #scalar, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<4xf32>, tensor<f32>) outs(%o : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<8x4xf32>
  relax_tp.yield %0 : tensor<8x4xf32>
}

// CHECK-LABEL: relax_tp.func private @injective(
//  CHECK-SAME:   relax_tp.pattern_kind = "injective"
relax_tp.func private @injective(%x: tensor<4x8xf32>) outs(%o: tensor<8x4xf32>) {
  %0 = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%o : tensor<8x4xf32>) permutation = [1, 0]
  relax_tp.yield %0 : tensor<8x4xf32>
}

// CHECK-LABEL: relax_tp.func private @reshape(
//  CHECK-SAME:   relax_tp.pattern_kind = "injective"
relax_tp.func private @reshape(%x: tensor<4x8xf32>) outs(%o: tensor<32xf32>) {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  relax_tp.yield %0 : tensor<32xf32>
}

// CHECK-LABEL: relax_tp.func private @reduction(
//  CHECK-SAME:   relax_tp.pattern_kind = "reduction"
relax_tp.func private @reduction(%x: tensor<4x8xf32>) outs(%o: tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  relax_tp.yield %0 : tensor<4xf32>
}

// CHECK-LABEL: relax_tp.func private @contraction(
//  CHECK-SAME:   relax_tp.pattern_kind = "contraction"
relax_tp.func private @contraction(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) outs(%o: tensor<4x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<4x2xf32>) -> tensor<4x2xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>) outs(%init : tensor<4x2xf32>) -> tensor<4x2xf32>
  relax_tp.yield %0 : tensor<4x2xf32>
}

// CHECK-LABEL: relax_tp.func private @convolution(
//  CHECK-SAME:   relax_tp.pattern_kind = "contraction"
relax_tp.func private @convolution(%x: tensor<1x2x10xf32>, %w: tensor<3x2x3xf32>) outs(%o: tensor<1x3x8xf32>) {
  %0 = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<1x2x10xf32>, tensor<3x2x3xf32>) outs(%o : tensor<1x3x8xf32>) -> tensor<1x3x8xf32>
  relax_tp.yield %0 : tensor<1x3x8xf32>
}

// A dot product along the reduction without reuse is a reduction.
// CHECK-LABEL: relax_tp.func private @dot(
//  CHECK-SAME:   relax_tp.pattern_kind = "reduction"
relax_tp.func private @dot(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) outs(%o: tensor<4xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #id, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  relax_tp.yield %0 : tensor<4xf32>
}

// -----

// Checks, extents found and control flow are opaque; elements read at computed places are not.
// CHECK-LABEL: relax_tp.func private @gather(
//  CHECK-SAME:   relax_tp.pattern_kind = "injective"
relax_tp.func private @gather(%x: tensor<4xf32>, %i: tensor<8xi64>) outs(%o: tensor<8xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%i : tensor<8xi64>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: i64, %out: f32):
    %at = arith.index_cast %a : i64 to index
    %v = tensor.extract %x[%at] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  relax_tp.yield %0 : tensor<8xf32>
}

// CHECK-LABEL: relax_tp.func private @check(
//  CHECK-SAME:   relax_tp.pattern_kind = "opaque"
relax_tp.func private @check(%x: tensor<4xi64>) outs(%o: tensor<4xi64>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi64>) outs(%o : tensor<4xi64>) {
  ^bb0(%a: i64, %out: i64):
    %zero = arith.constant 0 : i64
    %ok = arith.cmpi ne, %a, %zero : i64
    relax_tp.assert %ok, "division by zero"
    linalg.yield %a : i64
  } -> tensor<4xi64>
  relax_tp.yield %0 : tensor<4xi64>
}

// CHECK-LABEL: relax_tp.func private @extents(
//  CHECK-SAME:   relax_tp.pattern_kind = "opaque"
relax_tp.func private @extents(%x: tensor<4xi64>) outs(%o: tensor<4xi64>) -> (index) {
  %c4 = arith.constant 4 : index
  relax_tp.yield %x, %c4 : tensor<4xi64>, index
}

// CHECK-LABEL: relax_tp.func private @control_flow(
//  CHECK-SAME:   relax_tp.pattern_kind = "opaque"
relax_tp.func private @control_flow(%x: tensor<4xi64>) outs(%o: tensor<4xi64>) scalars(%k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %k step %c1 iter_args(%t = %x) -> tensor<4xi64> {
    scf.yield %t : tensor<4xi64>
  }
  relax_tp.yield %0 : tensor<4xi64>
}

// -----

// Loops are classified like what they can be raised to.
// CHECK-LABEL: relax_tp.func private @loops(
//  CHECK-SAME:   relax_tp.pattern_kind = "broadcast"
relax_tp.func private @loops(%x: memref<4xf32>) outs(%o: memref<8x4xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 4 {
      %v = affine.load %x[%j] : memref<4xf32>
      affine.store %v, %o[%i, %j] : memref<8x4xf32>
    }
  }
  relax_tp.yield
}

// CHECK-LABEL: relax_tp.func private @opaque_loops(
//  CHECK-SAME:   relax_tp.pattern_kind = "opaque"
relax_tp.func private @opaque_loops(%x: memref<4xf32>) outs(%o: memref<4xf32>) {
  affine.for %i = 0 to 2 {
    %v = affine.load %x[%i] : memref<4xf32>
    affine.store %v, %o[%i] : memref<4xf32>
  }
  relax_tp.yield
}
