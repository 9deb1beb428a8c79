// RUN: sed 's|LIBRARIES|%S/Inputs/libraries.mlir|' %s | relax-opt --split-input-file --transform-interpreter | FileCheck %s

#n_8 = #relax_sym.shape<[n, 8]>
#empty = #relax_sym.scope<>
#id = affine_map<(d0, d1) -> (d0, d1)>
!x8 = tensor<?x8xf32, #n_8>
module attributes {transform.with_named_sequence} {
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

  // The two calls of the handle, and no other; the new call is tagged through its handle.
  // CHECK-LABEL: func.func @fuse(
  //       CHECK:   %[[A:.*]] = relax.call_tp @relu(%arg0)
  //  CHECK-NEXT:   %[[B:.*]] = relax.call_tp @fused_relu_relu(%[[A]]) {made_here}
  //  CHECK-NEXT:   return %[[B]]
  func.func @fuse(%x: !x8) -> !x8 attributes {relax_sym.scope = #empty} {
    %0 = relax.call_tp @relu(%x) : (!x8) -> !x8
    %1 = relax.call_tp @relu(%0) {mine} : (!x8) -> !x8
    %2 = relax.call_tp @relu(%1) {mine} : (!x8) -> !x8
    return %2 : !x8
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %calls = transform.structured.match ops{["relax.call_tp"]} attributes{mine} in %root : (!transform.any_op) -> !transform.any_op
    %fused = transform.relax.fuse %calls : (!transform.any_op) -> !transform.any_op
    transform.annotate %fused "made_here" : !transform.any_op
    transform.yield
  }
}

// -----

#n_4 = #relax_sym.shape<[n, 4]>
#n_6 = #relax_sym.shape<[n, 6]>
module attributes {transform.with_named_sequence} {
  // Only the op of the handle is looked at.
  // CHECK-LABEL: func.func @dispatch(
  //       CHECK:   relax_ext.available @linear_relu
  //       CHECK:   scf.if
  //       CHECK:     relax.call_dps @linear_relu(
  //       CHECK:   } {made_here, relax.dispatch = "linear_relu",
  //   CHECK-NOT:   scf.if
  //       CHECK:   return
  func.func @dispatch(%x: tensor<?x4xf32, #n_4>, %w: tensor<4x6xf32>, %b: tensor<6xf32>) -> (tensor<?x6xf32, #n_6>, tensor<?x6xf32, #n_6>)
      attributes {relax_sym.scope = #relax_sym.scope<>} {
    %0 = relax.matmul %x, %w : (tensor<?x4xf32, #n_4>, tensor<4x6xf32>) -> tensor<?x6xf32, #n_6>
    %1 = relax.add %b, %0 : (tensor<6xf32>, tensor<?x6xf32, #n_6>) -> tensor<?x6xf32, #n_6>
    %2 = relax.relu %1 {mine} : tensor<?x6xf32, #n_6>
    %3 = relax.matmul %x, %w : (tensor<?x4xf32, #n_4>, tensor<4x6xf32>) -> tensor<?x6xf32, #n_6>
    %4 = relax.add %b, %3 : (tensor<6xf32>, tensor<?x6xf32, #n_6>) -> tensor<?x6xf32, #n_6>
    %5 = relax.relu %4 : tensor<?x6xf32, #n_6>
    return %2, %5 : tensor<?x6xf32, #n_6>, tensor<?x6xf32, #n_6>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %relu = transform.structured.match ops{["relax.relu"]} attributes{mine} in %root : (!transform.any_op) -> !transform.any_op
    %choices = transform.relax.dispatch %relu {libraries = ["LIBRARIES"]} : (!transform.any_op) -> !transform.any_op
    transform.annotate %choices "made_here" : !transform.any_op
    transform.yield
  }
}

// -----

#n = #relax_sym.shape<[n]>
!x = tensor<?xf32, #n>
module attributes {transform.with_named_sequence} {
  relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
      attributes {relax_sym.scope = #relax_sym.scope<>} {
    relax_tp.yield %o : tensor<?xf32>
  }
  // Tensors share memory in the one, in the other each has a place.
  // CHECK-LABEL: func.func @shared(
  //       CHECK:   %[[S:.*]] = relax.storage %{{.*}} {alignment = 64 : i64, space = "arena"}
  //       CHECK:   relax.tensor_at %[[S]][%[[AT:.*]]],
  //       CHECK:   relax.tensor_at
  //       CHECK:   relax.tensor_at %[[S]][%[[AT]]],
  // CHECK-LABEL: func.func @apart(
  //  CHECK-SAME:   planned_bytes\22:\22(n ceildiv 16) * 192\22
  // CHECK-LABEL: func.func @left(
  //       CHECK:   relax.alloc
  func.func @shared(%x: !x, %a: !x) -> !x attributes {share, relax_sym.scope = #relax_sym.scope<>} {
    %s = relax.shape_of %x : !x -> !relax.shape<[n]>
    %d = relax.alloc %s : (!relax.shape<[n]>) -> !x
    %0 = relax.call_tp @relu(%x) into(%d) : (!x, !x) -> !x
    %e = relax.alloc %s : (!relax.shape<[n]>) -> !x
    %1 = relax.call_tp @relu(%0) into(%e) : (!x, !x) -> !x
    %f = relax.alloc %s : (!relax.shape<[n]>) -> !x
    %2 = relax.call_tp @relu(%1) into(%f) : (!x, !x) -> !x
    %3 = relax.call_tp @relu(%2) into(%a) : (!x, !x) -> !x
    return %3 : !x
  }
  func.func @apart(%x: !x, %a: !x) -> !x attributes {apart, relax_sym.scope = #relax_sym.scope<>} {
    %s = relax.shape_of %x : !x -> !relax.shape<[n]>
    %d = relax.alloc %s : (!relax.shape<[n]>) -> !x
    %0 = relax.call_tp @relu(%x) into(%d) : (!x, !x) -> !x
    %e = relax.alloc %s : (!relax.shape<[n]>) -> !x
    %1 = relax.call_tp @relu(%0) into(%e) : (!x, !x) -> !x
    %f = relax.alloc %s : (!relax.shape<[n]>) -> !x
    %2 = relax.call_tp @relu(%1) into(%f) : (!x, !x) -> !x
    %3 = relax.call_tp @relu(%2) into(%a) : (!x, !x) -> !x
    return %3 : !x
  }
  func.func @left(%x: !x) -> !x attributes {relax_sym.scope = #relax_sym.scope<>} {
    %s = relax.shape_of %x : !x -> !relax.shape<[n]>
    %d = relax.alloc %s : (!relax.shape<[n]>) -> !x
    %0 = relax.call_tp @relu(%x) into(%d) : (!x, !x) -> !x
    return %0 : !x
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %shared = transform.structured.match ops{["func.func"]} attributes{share} in %root : (!transform.any_op) -> !transform.any_op
    %apart = transform.structured.match ops{["func.func"]} attributes{apart} in %root : (!transform.any_op) -> !transform.any_op
    %0 = transform.relax.plan %shared : (!transform.any_op) -> !transform.any_op
    %1 = transform.relax.plan %apart {share = false} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
