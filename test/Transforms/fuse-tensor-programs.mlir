// RUN: relax-opt %s --relax-fuse-ops --relax-fuse-tensor-programs --split-input-file | FileCheck %s

#n_8 = #relax_sym.shape<[n, 8]>
#n_4 = #relax_sym.shape<[n, 4]>
#empty = #relax_sym.scope<>
#id = affine_map<(d0, d1) -> (d0, d1)>
!x8 = tensor<?x8xf32, #n_8>

// Three calls, one loop; the shared value is computed once.
// CHECK-LABEL: relax_tp.func private @fused_relu_relu_add(
//  CHECK-SAME:   %[[X:[a-z0-9]*]]: tensor<?x8xf32> {{{[^}]*}}}) outs(%{{.*}}: tensor<?x8xf32> {{{[^}]*}}})
//  CHECK-SAME:   relax_tp.pattern_kind = "elementwise"
//       CHECK:   linalg.generic {{.*}} ins(%[[X]] : tensor<?x8xf32>)
//  CHECK-NEXT:   ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
//  CHECK-NEXT:     %[[A:.*]] = arith.maximumf %[[IN]], %{{.*}}
//  CHECK-NEXT:     %[[B:.*]] = arith.maximumf %[[A]], %{{.*}}
//  CHECK-NEXT:     %[[C:.*]] = arith.addf %[[A]], %[[B]]
//  CHECK-NEXT:     linalg.yield %[[C]]
//   CHECK-NOT:   linalg.generic
relax_tp.func private @relu(%x: tensor<?x8xf32> {relax_sym.shape = #n_8}) outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8})
    attributes {relax_sym.scope = #empty} {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.maximumf %a, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  relax_tp.yield %0 : tensor<?x8xf32>
}

relax_tp.func private @add(%x: tensor<?x8xf32> {relax_sym.shape = #n_8}, %y: tensor<?x8xf32> {relax_sym.shape = #n_8})
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8}) attributes {relax_sym.scope = #empty} {
  %0 = linalg.add ins(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  relax_tp.yield %0 : tensor<?x8xf32>
}

func.func @diamond(%x: !x8) -> !x8 attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @relu(%x) : (!x8) -> !x8
  %1 = relax.call_tp @relu(%0) : (!x8) -> !x8
  %2 = relax.call_tp @add(%0, %1) : (!x8, !x8) -> !x8
  return %2 : !x8
}

// -----

#n_8 = #relax_sym.shape<[n, 8]>
#n_4 = #relax_sym.shape<[n, 4]>
#empty = #relax_sym.scope<>
#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
!x8 = tensor<?x8xf32, #n_8>
!x4 = tensor<?x4xf32, #n_4>

// The contraction keeps its name; what follows is one loop.
// CHECK-LABEL: relax_tp.func private @fused_matmul_negate_row_bias_relu(
//  CHECK-SAME:   relax_tp.pattern_kind = "contraction"
//       CHECK:   %[[FILL:.*]] = linalg.fill
//       CHECK:   %[[MM:.*]] = linalg.matmul {{.*}} outs(%[[FILL]] :
//       CHECK:   %[[R:.*]] = linalg.generic {{.*}} ins(%[[MM]], %{{.*}} :
//       CHECK:     arith.negf
//  CHECK-NEXT:     arith.addf
//  CHECK-NEXT:     arith.maximumf
//   CHECK-NOT:   linalg.generic
//       CHECK:   relax_tp.yield %[[R]]
relax_tp.func private @relu(%x: tensor<?x8xf32> {relax_sym.shape = #n_8}) outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8})
    attributes {relax_sym.scope = #empty} {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.maximumf %a, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  relax_tp.yield %0 : tensor<?x8xf32>
}

relax_tp.func private @bias(%x: tensor<?x8xf32> {relax_sym.shape = #n_8}, %b: tensor<8xf32>)
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8}) attributes {relax_sym.scope = #empty} {
  %0 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x8xf32>, tensor<8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  relax_tp.yield %0 : tensor<?x8xf32>
}

relax_tp.func private @negate_row(%b: tensor<8xf32>) outs(%o: tensor<8xf32>) {
  %0 = linalg.negf ins(%b : tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  relax_tp.yield %0 : tensor<8xf32>
}

relax_tp.func private @matmul(%x: tensor<?x4xf32> {relax_sym.shape = #n_4}, %w: tensor<4x8xf32>)
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8}) attributes {relax_sym.scope = #empty} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x8xf32>) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32>
  relax_tp.yield %0 : tensor<?x8xf32>
}

func.func @epilogue(%x: !x4, %w: tensor<4x8xf32>, %b: tensor<8xf32>) -> !x8 attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @matmul(%x, %w) : (!x4, tensor<4x8xf32>) -> !x8
  %3 = relax.call_tp @negate_row(%b) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = relax.call_tp @bias(%0, %3) : (!x8, tensor<8xf32>) -> !x8
  %5 = relax.call_tp @relu(%4) : (!x8) -> !x8
  return %5 : !x8
}

// -----

#n_8 = #relax_sym.shape<[n, 8]>
#n_4 = #relax_sym.shape<[n, 4]>
#n = #relax_sym.shape<[n]>
#empty = #relax_sym.scope<>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
!x8 = tensor<?x8xf32, #n_8>
!x4 = tensor<?x4xf32, #n_4>

// The one-hot matrix is never stored.
// CHECK-LABEL: relax_tp.func private @fused_one_hot_matmul(
//  CHECK-SAME:   %[[I:[a-z0-9]*]]: tensor<?xi32> {{{[^}]*}}}, %[[W:[a-z0-9]*]]: tensor<4x8xf32>)
//       CHECK:   %[[FILL:.*]] = linalg.fill
//       CHECK:   linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[I]], %[[W]] : {{.*}}) outs(%[[FILL]] :
//       CHECK:     arith.cmpi eq
//  CHECK-NEXT:     arith.uitofp
//  CHECK-NEXT:     arith.mulf
//  CHECK-NEXT:     arith.addf
relax_tp.func private @matmul(%x: tensor<?x4xf32> {relax_sym.shape = #n_4}, %w: tensor<4x8xf32>)
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8}) attributes {relax_sym.scope = #empty} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x8xf32>) outs(%init : tensor<?x8xf32>) -> tensor<?x8xf32>
  relax_tp.yield %0 : tensor<?x8xf32>
}

relax_tp.func private @one_hot(%x: tensor<?xi32> {relax_sym.shape = #n}) outs(%o: tensor<?x4xf32> {relax_sym.shape = #n_4})
    attributes {relax_sym.scope = #empty} {
  %0 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?xi32>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%a: i32, %out: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %same = arith.cmpi eq, %a, %j : i32
    %1 = arith.uitofp %same : i1 to f32
    linalg.yield %1 : f32
  } -> tensor<?x4xf32>
  relax_tp.yield %0 : tensor<?x4xf32>
}

func.func @prologue(%x: !x4, %i: tensor<?xi32, #n>, %w: tensor<4x8xf32>) -> !x8 attributes {relax_sym.scope = #empty} {
  %2 = relax.call_tp @one_hot(%i) : (tensor<?xi32, #n>) -> !x4
  %3 = relax.call_tp @matmul(%2, %w) : (!x4, tensor<4x8xf32>) -> !x8
  return %3 : !x8
}

// -----

#n_8 = #relax_sym.shape<[n, 8]>
#n_4 = #relax_sym.shape<[n, 4]>
#n = #relax_sym.shape<[n]>
#empty = #relax_sym.scope<>
#id = affine_map<(d0, d1) -> (d0, d1)>
!x8 = tensor<?x8xf32, #n_8>

// CHECK-LABEL: relax_tp.func private @fused_relu_sum(
//       CHECK:   linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]}
//       CHECK:     arith.maximumf
//  CHECK-NEXT:     arith.addf
relax_tp.func private @relu(%x: tensor<?x8xf32> {relax_sym.shape = #n_8}) outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8})
    attributes {relax_sym.scope = #empty} {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.maximumf %a, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  relax_tp.yield %0 : tensor<?x8xf32>
}

relax_tp.func private @sum(%x: tensor<?x8xf32> {relax_sym.shape = #n_8}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #empty} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<?x8xf32>) outs(%init : tensor<?xf32>) dimensions = [1]
  relax_tp.yield %0 : tensor<?xf32>
}

func.func @reductions(%x: !x8) -> tensor<?xf32, #n> attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @relu(%x) : (!x8) -> !x8
  %1 = relax.call_tp @sum(%0) : (!x8) -> tensor<?xf32, #n>
  return %1 : tensor<?xf32, #n>
}

// -----

#n_8 = #relax_sym.shape<[n, 8]>
#n_4 = #relax_sym.shape<[n, 4]>
#empty = #relax_sym.scope<>
#id = affine_map<(d0, d1) -> (d0, d1)>

// A program for all sizes, called for one: the new program is for that one.
// CHECK-LABEL: relax_tp.func private @fused_relu_relu(
//  CHECK-SAME:   %{{.*}}: tensor<2x8xf32>) outs(%{{.*}}: tensor<2x8xf32>) attributes {relax_tp.pattern_kind = "elementwise"}
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}} : tensor<2x8xf32>)
//   CHECK-NOT:   tensor.cast
relax_tp.func private @relu(%x: tensor<?x8xf32> {relax_sym.shape = #n_8}) outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8})
    attributes {relax_sym.scope = #empty} {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.maximumf %a, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  relax_tp.yield %0 : tensor<?x8xf32>
}

func.func @static(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = relax.call_tp @relu(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = relax.call_tp @relu(%0) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

// -----

#n_8 = #relax_sym.shape<[n, 8]>
#n_4 = #relax_sym.shape<[n, 4]>
#empty = #relax_sym.scope<>
#id = affine_map<(d0, d1) -> (d0, d1)>

// No input shows p: it becomes a scalar, and the call gets it from the shape.
// CHECK-LABEL: relax_tp.func private @fused_full_relu(
//  CHECK-SAME:   outs(%{{.*}}: tensor<?x8xf32> {relax_sym.shape = #[[P:.*]]}) scalars(%{{.*}}: index {relax_sym.expr = #relax_sym.expr<p>})
// CHECK-LABEL: func.func @hidden(
//       CHECK:   %[[S:.*]] = relax.make_shape %{{.*}} : (!relax.shape<[p * 2, 8]>) -> !relax.shape<[p]>
//       CHECK:   relax.call_tp @fused_full_relu(%{{.*}}) shape(%[[S]])
relax_tp.func private @relu(%x: tensor<?x8xf32> {relax_sym.shape = #n_8}) outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8})
    attributes {relax_sym.scope = #empty} {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.maximumf %a, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  relax_tp.yield %0 : tensor<?x8xf32>
}

relax_tp.func private @full(%unused: tensor<f32>) outs(%o: tensor<?x?xf32> {relax_sym.shape = #relax_sym.shape<[a, b]>})
    scalars(%i: index {relax_sym.expr = #relax_sym.expr<a>}, %j: index {relax_sym.expr = #relax_sym.expr<b>}) attributes {relax_sym.scope = #empty} {
  %c = arith.constant 2.0 : f32
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%o : tensor<?x?xf32>) {
  ^bb0(%out: f32):
    %k = linalg.index 1 : index
    %same = arith.cmpi slt, %k, %j : index
    %r = arith.uitofp %same : i1 to f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  relax_tp.yield %0 : tensor<?x?xf32>
}

func.func @hidden(%u: tensor<f32>, %s: !relax.shape<[p * 2, 8]>) -> tensor<?x8xf32, #relax_sym.shape<[p * 2, 8]>> attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @full(%u) shape(%s) : (tensor<f32>, !relax.shape<[p * 2, 8]>) -> tensor<?x8xf32, #relax_sym.shape<[p * 2, 8]>>
  %1 = relax.call_tp @relu(%0) : (tensor<?x8xf32, #relax_sym.shape<[p * 2, 8]>>) -> tensor<?x8xf32, #relax_sym.shape<[p * 2, 8]>>
  return %1 : tensor<?x8xf32, #relax_sym.shape<[p * 2, 8]>>
}

// -----

#n_8 = #relax_sym.shape<[n, 8]>
#empty = #relax_sym.scope<>
!u8 = tensor<?x8xui8, #n_8>

// The graph knows the sign, programs do not.
// CHECK-LABEL: relax_tp.func private @fused_half_half(
//  CHECK-SAME:   tensor<?x8xi8> {{{[^}]*}}}) outs(%{{.*}}: tensor<?x8xi8>
//       CHECK:   arith.shrui
//       CHECK:   arith.shrui
// CHECK-LABEL: func.func @unsigned(
//       CHECK:   relax.call_tp @fused_half_half(%{{.*}}) {{.*}} -> tensor<?x8xui8
relax_tp.func private @half(%x: tensor<?x8xi8> {relax_sym.shape = #n_8}) outs(%o: tensor<?x8xi8> {relax_sym.shape = #n_8})
    attributes {relax_sym.scope = #empty} {
  %one = arith.constant 1 : i8
  %0 = linalg.map ins(%x : tensor<?x8xi8>) outs(%o : tensor<?x8xi8>) (%a: i8, %out: i8) {
    %1 = arith.shrui %a, %one : i8
    linalg.yield %1 : i8
  }
  relax_tp.yield %0 : tensor<?x8xi8>
}

func.func @unsigned(%x: !u8) -> !u8 attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @half(%x) : (!u8) -> !u8
  %1 = relax.call_tp @half(%0) : (!u8) -> !u8
  return %1 : !u8
}

// -----

#n = #relax_sym.shape<[n]>
#n_3 = #relax_sym.shape<[3, n]>
#empty = #relax_sym.scope<>
#id = affine_map<(d0) -> (d0)>
#row = affine_map<(d0, d1) -> (d1)>
#both = affine_map<(d0, d1) -> (d0, d1)>

// A sum over no axes reads its output; merged into loops that repeat it, it would add up.
// CHECK-LABEL: relax_tp.func private @fused_sum_repeat(
//   CHECK-NOT:   linalg.fill
//       CHECK:   linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel"]}
//  CHECK-SAME:     ins(%{{.*}} : tensor<?xi8>) outs(%{{.*}} : tensor<3x?xi8>)
//  CHECK-NEXT:   ^bb0(%[[IN:.*]]: i8, %{{.*}}: i8):
//  CHECK-NEXT:     linalg.yield %[[IN]]
relax_tp.func private @sum(%x: tensor<?xi8> {relax_sym.shape = #n}) outs(%o: tensor<?xi8> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #empty} {
  %zero = arith.constant 0 : i8
  %0 = linalg.fill ins(%zero : i8) outs(%o : tensor<?xi8>) -> tensor<?xi8>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xi8>) outs(%0 : tensor<?xi8>) {
  ^bb0(%a: i8, %out: i8):
    %2 = arith.addi %a, %out : i8
    linalg.yield %2 : i8
  } -> tensor<?xi8>
  relax_tp.yield %1 : tensor<?xi8>
}
relax_tp.func private @repeat(%x: tensor<?xi8> {relax_sym.shape = #n}) outs(%o: tensor<3x?xi8> {relax_sym.shape = #n_3})
    attributes {relax_sym.scope = #empty} {
  %0 = linalg.generic {indexing_maps = [#row, #both], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?xi8>) outs(%o : tensor<3x?xi8>) {
  ^bb0(%a: i8, %out: i8):
    linalg.yield %a : i8
  } -> tensor<3x?xi8>
  relax_tp.yield %0 : tensor<3x?xi8>
}
func.func @sum_over_no_axes(%x: tensor<?xi8, #n>) -> tensor<3x?xi8, #n_3> attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @sum(%x) : (tensor<?xi8, #n>) -> tensor<?xi8, #n>
  %1 = relax.call_tp @repeat(%0) : (tensor<?xi8, #n>) -> tensor<3x?xi8, #n_3>
  return %1 : tensor<3x?xi8, #n_3>
}
