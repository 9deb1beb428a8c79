// RUN: relax-opt %s --relax-annotate-pattern-kinds --relax-fuse-ops | FileCheck %s

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#id = affine_map<(d0) -> (d0)>
!n = tensor<?xf32, #n>
!m = tensor<?xf32, #m>
!double = tensor<?xf32, #relax_sym.shape<[n * 2]>>

relax_tp.func private @exp(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  relax_tp.yield %0 : tensor<?xf32>
}
relax_tp.func private @add(%x: tensor<?xf32> {relax_sym.shape = #n}, %y: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  relax_tp.yield %0 : tensor<?xf32>
}
relax_tp.func private @exp8(%x: tensor<8xf32>) outs(%o: tensor<8xf32>) {
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  relax_tp.yield %0 : tensor<8xf32>
}

// The argument shows the extent that is checked; the chain above follows.
// CHECK-LABEL: func.func @chain(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?xf32, #[[N:.*]]>, %[[Y:[^:]+]]: tensor<?xf32, #[[M:[^>]*]]>)
//  CHECK-NEXT:   %[[C:.*]] = relax.match_cast %[[X]] : tensor<?xf32, #[[N]]> to tensor<?xf32, #[[M]]>
//  CHECK-NEXT:   relax.fusion_group
//  CHECK-NEXT:     %[[A:.*]] = relax.call_tp @exp(%[[C]]) : (tensor<?xf32, #[[M]]>) -> tensor<?xf32, #[[M]]>
//  CHECK-NEXT:     %[[B:.*]] = relax.call_tp @add(%[[A]], %[[C]])
//  CHECK-NEXT:     relax.call_tp @add(%[[B]], %[[Y]])
func.func @chain(%x: !n, %y: !m) -> !m attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @exp(%x) : (!n) -> !n
  %1 = relax.call_tp @add(%0, %x) : (!n, !n) -> !n
  %2 = relax.match_cast %1 : !n to !m
  %3 = relax.call_tp @add(%2, %y) : (!m, !m) -> !m
  return %3 : !m
}

// Below the binder of m.
// CHECK-LABEL: func.func @binder(
//       CHECK:   %[[B:.*]] = relax.match_cast %{{.*}} binds [m]
//  CHECK-NEXT:   %[[C:.*]] = relax.match_cast %arg0 :
//  CHECK-NEXT:   relax.fusion_group
//  CHECK-NEXT:     relax.call_tp @exp(%[[C]])
//  CHECK-NEXT:     relax.call_tp @add(%{{.*}}, %[[B]])
func.func @binder(%x: !n, %y: tensor<?xf32>) -> !m attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @exp(%x) : (!n) -> !n
  %1 = relax.match_cast %y binds [m] : tensor<?xf32> to !m
  %2 = relax.match_cast %0 : !n to !m
  %3 = relax.call_tp @add(%2, %1) : (!m, !m) -> !m
  return %3 : !m
}

// A number.
// CHECK-LABEL: func.func @number(
//       CHECK:   relax.match_cast %arg0 : tensor<?xf32, #{{.*}}> to tensor<8xf32>
//       CHECK:   relax.fusion_group
//  CHECK-NEXT:     relax.call_tp @exp(%{{.*}}) : (tensor<8xf32>) -> tensor<8xf32>
//  CHECK-NEXT:     relax.call_tp @exp8
func.func @number(%x: !n) -> tensor<8xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @exp(%x) : (!n) -> !n
  %1 = relax.match_cast %0 : !n to tensor<8xf32>
  %2 = relax.call_tp @exp8(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// What is read under its old name too keeps it.
// CHECK-LABEL: func.func @read_before(
//   CHECK-NOT:   relax.fusion_group
//       CHECK:   relax.call_tp @exp(%arg0)
//       CHECK:   relax.match_cast %0
func.func @read_before(%x: !n, %y: !m) -> (!m, !n) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @exp(%x) : (!n) -> !n
  %1 = relax.match_cast %0 : !n to !m
  %2 = relax.call_tp @add(%1, %y) : (!m, !m) -> !m
  return %2, %0 : !m, !n
}

// Nothing shows n by itself, and a cast of n * 2 checks another equation.
// CHECK-LABEL: func.func @sums(
//   CHECK-NOT:   relax.fusion_group
//       CHECK:   relax.call_tp @exp(%arg0)
//       CHECK:   relax.match_cast %{{.*}} : tensor<?xf32, #{{.*}}> to tensor<?xf32, #{{.*}}>
func.func @sums(%x: !double, %y: !m) -> !m attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @exp(%x) : (!double) -> !double
  %1 = relax.match_cast %0 : !double to !m
  %2 = relax.call_tp @add(%1, %y) : (!m, !m) -> !m
  return %2 : !m
}

// Only the cast knows k.
// CHECK-LABEL: func.func @binds(
//   CHECK-NOT:   relax.fusion_group
//       CHECK:   relax.match_cast %{{.*}} binds [k]
func.func @binds(%x: !n) -> tensor<?xf32, #relax_sym.shape<[k]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @exp(%x) : (!n) -> !n
  %1 = relax.match_cast %0 binds [k] : !n to tensor<?xf32, #relax_sym.shape<[k]>>
  %2 = relax.call_tp @exp(%1) : (tensor<?xf32, #relax_sym.shape<[k]>>) -> tensor<?xf32, #relax_sym.shape<[k]>>
  return %2 : tensor<?xf32, #relax_sym.shape<[k]>>
}
