// RUN: relax-opt %s --relax-fuse-ops --relax-fuse-tensor-programs | FileCheck %s

// Groups that are the same but for the values they read become calls of one program, also from another function. What
// they read in another order, under other facts or in other types is another one; programs that nobody calls are gone.

#s_n8 = #relax_sym.shape<[n, 8]>
#empty = #relax_sym.scope<>
#big = #relax_sym.scope<"n >= 16">
!x8 = tensor<?x8xf32, #s_n8>
!m8 = tensor<?x8xf32, #relax_sym.shape<[m, 8]>>

// CHECK-NOT: relax_tp.func private @relu
// CHECK-NOT: relax_tp.func private @sub
relax_tp.func private @relu(%x: tensor<?x8xf32> {relax_sym.shape = #s_n8}) outs(%o: tensor<?x8xf32> {relax_sym.shape = #s_n8})
    attributes {relax_sym.scope = #empty} {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.maximumf %a, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  relax_tp.yield %0 : tensor<?x8xf32>
}
relax_tp.func private @sub(%x: tensor<?x8xf32> {relax_sym.shape = #s_n8}, %y: tensor<?x8xf32> {relax_sym.shape = #s_n8})
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #s_n8}) attributes {relax_sym.scope = #empty} {
  %0 = linalg.sub ins(%x, %y : tensor<?x8xf32>, tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  relax_tp.yield %0 : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @layers(
// CHECK:         %[[A:.*]] = relax.call_tp @fused_relu_sub(%[[X:.*]], %[[Y:.*]]) :
// CHECK:         %[[B:.*]] = relax.call_tp @fused_relu_sub(%[[A]], %[[Y]]) :
// CHECK:         return %[[A]], %[[B]]
func.func @layers(%x: !x8, %y: !x8) -> (!x8, !x8) attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @relu(%x) : (!x8) -> !x8
  %1 = relax.call_tp @sub(%0, %y) : (!x8, !x8) -> !x8
  %2 = relax.call_tp @relu(%1) : (!x8) -> !x8
  %3 = relax.call_tp @sub(%2, %y) : (!x8, !x8) -> !x8
  return %1, %3 : !x8, !x8
}

// CHECK-LABEL: func.func @same(
// CHECK:         relax.call_tp @fused_relu_sub(%
func.func @same(%x: !x8, %y: !x8) -> !x8 attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @relu(%x) : (!x8) -> !x8
  %1 = relax.call_tp @sub(%0, %y) : (!x8, !x8) -> !x8
  return %1 : !x8
}

// CHECK-LABEL: func.func @swapped(
// CHECK-NOT:     @fused_relu_sub(
// CHECK:         relax.call_tp @fused_relu_sub_
func.func @swapped(%x: !x8, %y: !x8) -> !x8 attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @relu(%x) : (!x8) -> !x8
  %1 = relax.call_tp @sub(%y, %0) : (!x8, !x8) -> !x8
  return %1 : !x8
}

// CHECK-LABEL: func.func @twice(
// CHECK-NOT:     @fused_relu_sub(
// CHECK:         relax.call_tp @fused_relu_sub_{{[0-9]}}(%{{[a-z0-9]*}}) :
func.func @twice(%x: !x8) -> !x8 attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @relu(%x) : (!x8) -> !x8
  %1 = relax.call_tp @sub(%0, %x) : (!x8, !x8) -> !x8
  return %1 : !x8
}

// CHECK-LABEL: func.func @facts(
// CHECK-NOT:     @fused_relu_sub(
// CHECK:         relax.call_tp @fused_relu_sub_
func.func @facts(%x: !x8, %y: !x8) -> !x8 attributes {relax_sym.scope = #big} {
  %0 = relax.call_tp @relu(%x) : (!x8) -> !x8
  %1 = relax.call_tp @sub(%0, %y) : (!x8, !x8) -> !x8
  return %1 : !x8
}

// CHECK-LABEL: func.func @names(
// CHECK-NOT:     @fused_relu_sub(
// CHECK:         relax.call_tp @fused_relu_sub_
func.func @names(%x: !m8, %y: !m8) -> !m8 attributes {relax_sym.scope = #empty} {
  %0 = relax.call_tp @relu(%x) : (!m8) -> !m8
  %1 = relax.call_tp @sub(%0, %y) : (!m8, !m8) -> !m8
  return %1 : !m8
}
