// RUN: relax-opt %s --split-input-file --relax-annotate-pattern-kinds --relax-fuse-ops | FileCheck %s

#n_8 = #relax_sym.shape<[n, 8]>
#n_4 = #relax_sym.shape<[n, 4]>
#n = #relax_sym.shape<[n]>
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

!x8 = tensor<?x8xf32, #n_8>

// CHECK-LABEL: func.func @proved_by_fact(
//       CHECK:   relax.fusion_group
func.func @proved_by_fact(%x: !x8, %y: tensor<?x8xf32, #relax_sym.shape<[m, 8]>>) -> !x8
    attributes {relax_sym.scope = #relax_sym.scope<"n == m">} {
  %0 = relax.call_tp @add(%x, %y) : (!x8, tensor<?x8xf32, #relax_sym.shape<[m, 8]>>) -> !x8
  %1 = relax.call_tp @relu(%0) : (!x8) -> !x8
  return %1 : !x8
}

// The group stands at its last call, below the binder of m that the calls do not need.
// CHECK-LABEL: func.func @binder(
//       CHECK:   relax.match_cast
//       CHECK:   relax.fusion_group
//  CHECK-NEXT:     relax.call_tp @relu
//  CHECK-NEXT:     relax.call_tp @add
func.func @binder(%x: tensor<?x8xf32>, %y: !x8) -> !x8 attributes {relax_sym.scope = #relax_sym.scope<"n == m">} {
  %0 = relax.call_tp @relu(%y) : (!x8) -> !x8
  %1 = relax.match_cast %x binds [m] : tensor<?x8xf32> to tensor<?x8xf32, #relax_sym.shape<[m, 8]>>
  %2 = relax.call_tp @add(%0, %1) : (!x8, tensor<?x8xf32, #relax_sym.shape<[m, 8]>>) -> !x8
  return %2 : !x8
}


// -----

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#id = affine_map<(d0) -> (d0)>
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

// A name with extents that are proved equal does not keep calls apart; who else reads the result does so under its old name.
// CHECK-LABEL: func.func @named(
//       CHECK:   %[[G:.*]] = relax.fusion_group
//       CHECK:     %[[E:.*]] = relax.call_tp @exp(%arg0)
//       CHECK:     %[[A:.*]] = relax.call_tp @add(%[[E]], %arg1) : (tensor<?xf32, #[[N:.*]]>, tensor<?xf32, #[[M:.*]]>) -> tensor<?xf32, #[[N]]>
//       CHECK:     %[[B:.*]] = relax.call_tp @exp(%[[A]])
//       CHECK:   }
//       CHECK:   %[[R:.*]] = relax.refine %[[G]] : tensor<?xf32, #[[N]]> to tensor<?xf32, #[[M]]>
//       CHECK:   return %[[R]]
func.func @named(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> tensor<?xf32, #m> attributes {relax_sym.scope = #relax_sym.scope<"n == m">} {
  %0 = relax.call_tp @exp(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %1 = relax.refine %0 : tensor<?xf32, #n> to tensor<?xf32, #m>
  %2 = relax.call_tp @add(%1, %y) : (tensor<?xf32, #m>, tensor<?xf32, #m>) -> tensor<?xf32, #m>
  %3 = relax.call_tp @exp(%2) : (tensor<?xf32, #m>) -> tensor<?xf32, #m>
  return %3 : tensor<?xf32, #m>
}
