// RUN: relax-opt %s --relax-annotate-pattern-kinds --relax-fuse-ops | FileCheck %s

#n_8 = #relax_sym.shape<[n, 8]>
#n_4 = #relax_sym.shape<[n, 4]>
#n = #relax_sym.shape<[n]>
#n_1 = #relax_sym.shape<[n, 1]>
#empty = #relax_sym.scope<>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

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

relax_tp.func private @tanh_row(%b: tensor<8xf32>) outs(%o: tensor<8xf32>) {
  %0 = linalg.tanh ins(%b : tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  relax_tp.yield %0 : tensor<8xf32>
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

relax_tp.func private @exp_4(%x: tensor<?x4xf32> {relax_sym.shape = #n_4}) outs(%o: tensor<?x4xf32> {relax_sym.shape = #n_4})
    attributes {relax_sym.scope = #empty} {
  %0 = linalg.exp ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  relax_tp.yield %0 : tensor<?x4xf32>
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

relax_tp.func private @sum(%x: tensor<?x8xf32> {relax_sym.shape = #n_8}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #empty} {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<?x8xf32>) outs(%init : tensor<?xf32>) dimensions = [1]
  relax_tp.yield %0 : tensor<?xf32>
}

// Reads its input twice.
relax_tp.func private @center(%x: tensor<?x8xf32> {relax_sym.shape = #n_8}) outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8})
    attributes {relax_sym.scope = #empty} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %t = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%t : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce {arith.addf} ins(%x : tensor<?x8xf32>) outs(%init : tensor<?xf32>) dimensions = [1]
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<?x8xf32>, tensor<?xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.subf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  relax_tp.yield %0 : tensor<?x8xf32>
}

relax_tp.func private @positive(%x: tensor<?x8xf32> {relax_sym.shape = #n_8}) outs(%o: tensor<?x8xi1> {relax_sym.shape = #n_8})
    attributes {relax_sym.scope = #empty} {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%o : tensor<?x8xi1>) {
  ^bb0(%a: f32, %out: i1):
    %1 = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %1 : i1
  } -> tensor<?x8xi1>
  relax_tp.yield %0 : tensor<?x8xi1>
}

relax_tp.func private @opaque(%x: tensor<?x8xf32> {relax_sym.shape = #n_8}) outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8})
    attributes {relax_sym.scope = #empty} {
  %true = arith.constant true
  relax_tp.assert %true, "never"
  relax_tp.yield %x : tensor<?x8xf32>
}

relax_tp.func private @equal_4(%x: tensor<?xi32> {relax_sym.shape = #n}) outs(%o: tensor<?x4xi1> {relax_sym.shape = #n_4})
    attributes {relax_sym.scope = #empty} {
  %0 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?xi32>) outs(%o : tensor<?x4xi1>) {
  ^bb0(%a: i32, %out: i1):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %same = arith.cmpi eq, %a, %j : i32
    linalg.yield %same : i1
  } -> tensor<?x4xi1>
  relax_tp.yield %0 : tensor<?x4xi1>
}

relax_tp.func private @bool_to_f32(%x: tensor<?x4xi1> {relax_sym.shape = #n_4}) outs(%o: tensor<?x4xf32> {relax_sym.shape = #n_4})
    attributes {relax_sym.scope = #empty} {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xi1>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%a: i1, %out: f32):
    %1 = arith.uitofp %a : i1 to f32
    linalg.yield %1 : f32
  } -> tensor<?x4xf32>
  relax_tp.yield %0 : tensor<?x4xf32>
}

relax_tp.func private @exp_unit(%x: tensor<?x1xf32> {relax_sym.shape = #n_1}) outs(%o: tensor<?x1xf32> {relax_sym.shape = #n_1})
    attributes {relax_sym.scope = #empty} {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x1xf32>) outs(%o : tensor<?x1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<?x1xf32>
  relax_tp.yield %0 : tensor<?x1xf32>
}

!x8 = tensor<?x8xf32, #n_8>
!x4 = tensor<?x4xf32, #n_4>

// A diamond: every user of the first call is in the group.
// CHECK-LABEL: func.func @diamond(
//       CHECK:   %[[R:.*]] = relax.fusion_group -> (tensor<?x8xf32, #{{.*}}>) {
//  CHECK-NEXT:     %[[A:.*]] = relax.call_tp @relu(%{{.*}})
//  CHECK-NEXT:     %[[B:.*]] = relax.call_tp @relu(%[[A]])
//  CHECK-NEXT:     %[[C:.*]] = relax.call_tp @add(%[[A]], %[[B]])
//  CHECK-NEXT:     relax.yield %[[C]]
//       CHECK:   return %[[R]]
func.func @diamond(%x: !x8) -> !x8 attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @relu(%x) : (!x8) -> !x8
  %1 = relax.call_tp @relu(%0) : (!x8) -> !x8
  %2 = relax.call_tp @add(%0, %1) : (!x8, !x8) -> !x8
  return %2 : !x8
}

// A result that is used outside stays outside; two users in different groups too.
// CHECK-LABEL: func.func @escapes(
//   CHECK-NOT:   relax.fusion_group
func.func @escapes(%x: !x8) -> (!x8, !x8) attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @relu(%x) : (!x8) -> !x8
  %1 = relax.call_tp @relu(%0) : (!x8) -> !x8
  return %0, %1 : !x8, !x8
}

// CHECK-LABEL: func.func @two_groups(
//   CHECK-NOT:   relax.fusion_group
func.func @two_groups(%x: !x8) -> (!x8, !x8) attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @relu(%x) : (!x8) -> !x8
  %1 = relax.call_tp @relu(%0) : (!x8) -> !x8
  %2 = relax.call_tp @add(%0, %x) : (!x8, !x8) -> !x8
  return %1, %2 : !x8, !x8
}

// Contraction, bias, activation. What the bias is made of joins when it is cheap.
// CHECK-LABEL: func.func @epilogue(
//       CHECK:   relax.call_tp @tanh_row
//       CHECK:   relax.fusion_group
//  CHECK-NEXT:     relax.call_tp @matmul
//  CHECK-NEXT:     relax.call_tp @bias
//  CHECK-NEXT:     relax.call_tp @negate_row
//  CHECK-NEXT:     relax.call_tp @bias
//  CHECK-NEXT:     relax.call_tp @relu
//  CHECK-NEXT:     relax.yield
func.func @epilogue(%x: !x4, %w: tensor<4x8xf32>, %b: tensor<8xf32>) -> !x8 attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @matmul(%x, %w) : (!x4, tensor<4x8xf32>) -> !x8
  %1 = relax.call_tp @tanh_row(%b) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = relax.call_tp @bias(%0, %1) : (!x8, tensor<8xf32>) -> !x8
  %3 = relax.call_tp @negate_row(%b) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = relax.call_tp @bias(%2, %3) : (!x8, tensor<8xf32>) -> !x8
  %5 = relax.call_tp @relu(%4) : (!x8) -> !x8
  return %5 : !x8
}

// A contraction reads its operands many times: nothing expensive joins on that side, a one-hot matrix does.
// CHECK-LABEL: func.func @prologue(
//  CHECK-NEXT:   relax.call_tp @exp_4
//  CHECK-NEXT:   relax.call_tp @matmul
//  CHECK-NEXT:   relax.fusion_group
//  CHECK-NEXT:     relax.call_tp @one_hot
//  CHECK-NEXT:     relax.call_tp @matmul
//  CHECK-NEXT:     relax.yield
func.func @prologue(%x: !x4, %i: tensor<?xi32, #n>, %w: tensor<4x8xf32>) -> (!x8, !x8) attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @exp_4(%x) : (!x4) -> !x4
  %1 = relax.call_tp @matmul(%0, %w) : (!x4, tensor<4x8xf32>) -> !x8
  %2 = relax.call_tp @one_hot(%i) : (tensor<?xi32, #n>) -> !x4
  %3 = relax.call_tp @matmul(%2, %w) : (!x4, tensor<4x8xf32>) -> !x8
  return %1, %3 : !x8, !x8
}

// Two contractions never share a group; the epilogue joins the one that is alone with it.
// CHECK-LABEL: func.func @two_contractions(
//  CHECK-NEXT:   relax.call_tp @matmul
//  CHECK-NEXT:   relax.fusion_group
//  CHECK-NEXT:     relax.call_tp @matmul
//  CHECK-NEXT:     relax.call_tp @add
func.func @two_contractions(%x: !x4, %w: tensor<4x8xf32>) -> !x8 attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @matmul(%x, %w) : (!x4, tensor<4x8xf32>) -> !x8
  %1 = relax.call_tp @matmul(%x, %w) : (!x4, tensor<4x8xf32>) -> !x8
  %2 = relax.call_tp @add(%0, %1) : (!x8, !x8) -> !x8
  return %2 : !x8
}

// The epilogue works in place: other elements, no group.
// CHECK-LABEL: func.func @other_elements(
//   CHECK-NOT:   relax.fusion_group
func.func @other_elements(%x: !x4, %w: tensor<4x8xf32>) -> tensor<?x8xi1, #n_8> attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @matmul(%x, %w) : (!x4, tensor<4x8xf32>) -> !x8
  %1 = relax.call_tp @positive(%0) : (!x8) -> tensor<?x8xi1, #n_8>
  return %1 : tensor<?x8xi1, #n_8>
}

// A reduction that reads once takes its producer in, one that reads twice does not.
// CHECK-LABEL: func.func @reductions(
//       CHECK:   relax.fusion_group
//  CHECK-NEXT:     relax.call_tp @relu
//  CHECK-NEXT:     relax.call_tp @sum
//       CHECK:   relax.call_tp @relu
//  CHECK-NEXT:   relax.call_tp @center
func.func @reductions(%x: !x8) -> (tensor<?xf32, #n>, !x8) attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @relu(%x) : (!x8) -> !x8
  %1 = relax.call_tp @sum(%0) : (!x8) -> tensor<?xf32, #n>
  %2 = relax.call_tp @relu(%x) : (!x8) -> !x8
  %3 = relax.call_tp @center(%2) : (!x8) -> !x8
  return %1, %3 : tensor<?xf32, #n>, !x8
}

// CHECK-LABEL: func.func @opaque_program(
//   CHECK-NOT:   relax.fusion_group
func.func @opaque_program(%x: !x8) -> !x8 attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @relu(%x) : (!x8) -> !x8
  %1 = relax.call_tp @opaque(%0) : (!x8) -> !x8
  return %1 : !x8
}

// Extents that are not proved would lose their check; unknown ones too.
// CHECK-LABEL: func.func @not_proved(
//   CHECK-NOT:   relax.fusion_group
func.func @not_proved(%x: !x8, %y: tensor<?x8xf32, #relax_sym.shape<[m, 8]>>, %z: tensor<?x8xf32>) -> (!x8, tensor<?x8xf32>) attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @add(%x, %y) : (!x8, tensor<?x8xf32, #relax_sym.shape<[m, 8]>>) -> !x8
  %1 = relax.call_tp @relu(%0) : (!x8) -> !x8
  %2 = relax.call_tp @relu(%z) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %3 = relax.call_tp @relu(%2) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1, %3 : !x8, tensor<?x8xf32>
}

// What a comparison gives is small: its conversion joins the contraction, then the comparison.
// CHECK-LABEL: func.func @selection(
//  CHECK-NEXT:   relax.fusion_group
//  CHECK-NEXT:     relax.call_tp @equal_4
//  CHECK-NEXT:     relax.call_tp @bool_to_f32
//  CHECK-NEXT:     relax.call_tp @matmul
func.func @selection(%i: tensor<?xi32, #n>, %w: tensor<4x8xf32>) -> !x8 attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @equal_4(%i) : (tensor<?xi32, #n>) -> tensor<?x4xi1, #n_4>
  %1 = relax.call_tp @bool_to_f32(%0) : (tensor<?x4xi1, #n_4>) -> !x4
  %2 = relax.call_tp @matmul(%1, %w) : (!x4, tensor<4x8xf32>) -> !x8
  return %2 : !x8
}

// A dimension of extent 1 that is read at 0 is read at the same place.
// CHECK-LABEL: func.func @unit_extent(
//  CHECK-NEXT:   relax.fusion_group
//  CHECK-NEXT:     relax.call_tp @exp_unit
//  CHECK-NEXT:     relax.call_tp @exp_unit
func.func @unit_extent(%x: tensor<?x1xf32, #n_1>) -> tensor<?x1xf32, #n_1> attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @exp_unit(%x) : (tensor<?x1xf32, #n_1>) -> tensor<?x1xf32, #n_1>
  %1 = relax.call_tp @exp_unit(%0) : (tensor<?x1xf32, #n_1>) -> tensor<?x1xf32, #n_1>
  return %1 : tensor<?x1xf32, #n_1>
}

// Groups stay within a block.
// CHECK-LABEL: func.func @blocks(
//  CHECK-NEXT:   relax.call_tp @relu
//       CHECK:   scf.if
//  CHECK-NEXT:     relax.fusion_group
//  CHECK-NEXT:       relax.call_tp @relu
//  CHECK-NEXT:       relax.call_tp @relu
func.func @blocks(%c: i1, %x: !x8) -> !x8 attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @relu(%x) : (!x8) -> !x8
  %1 = scf.if %c -> !x8 {
    %2 = relax.call_tp @relu(%0) : (!x8) -> !x8
    %3 = relax.call_tp @relu(%2) : (!x8) -> !x8
    scf.yield %3 : !x8
  } else {
    scf.yield %x : !x8
  }
  return %1 : !x8
}
