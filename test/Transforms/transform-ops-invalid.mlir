// RUN: relax-opt %s --split-input-file --verify-diagnostics --transform-interpreter

#n = #relax_sym.shape<[n]>
!x = tensor<?xf32, #n>
module attributes {transform.with_named_sequence} {
  relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
      attributes {relax_sym.scope = #relax_sym.scope<>} {
    relax_tp.yield %o : tensor<?xf32>
  }
  func.func @twice(%x: !x) -> (!x, !x) attributes {relax_sym.scope = #relax_sym.scope<>} {
    // expected-note@+1 {{this call}}
    %0 = relax.call_tp @relu(%x) : (!x) -> !x
    %1 = relax.call_tp @relu(%0) : (!x) -> !x
    // expected-note@+1 {{is used here}}
    return %0, %1 : !x, !x
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %calls = transform.structured.match ops{["relax.call_tp"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{a call's result is used by others than the calls of the handle}}
    %fused = transform.relax.fuse %calls : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

#n = #relax_sym.shape<[n]>
!x = tensor<?xf32, #n>
module attributes {transform.with_named_sequence} {
  func.func @other(%x: !x) -> !x attributes {relax_sym.scope = #relax_sym.scope<>} {
    %0 = relax.exp %x : !x
    return %0 : !x
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %ops = transform.structured.match ops{["relax.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{expected calls of tensor programs without destinations, got 'relax.exp'}}
    %fused = transform.relax.fuse %ops : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %ops = transform.structured.match ops{["relax.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{expected at least one call}}
    %fused = transform.relax.fuse %ops : (!transform.any_op) -> !transform.any_op
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
  func.func @blocks(%x: !x, %c: i1) -> !x attributes {relax_sym.scope = #relax_sym.scope<>} {
    %0 = relax.call_tp @relu(%x) : (!x) -> !x
    %1 = scf.if %c -> !x {
      %2 = relax.call_tp @relu(%0) : (!x) -> !x
      scf.yield %2 : !x
    } else {
      scf.yield %x : !x
    }
    return %1 : !x
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %ops = transform.structured.match ops{["relax.call_tp"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{expected calls of one block}}
    %fused = transform.relax.fuse %ops : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// A program over buffers has no body that could be put into another.
#n = #relax_sym.shape<[n]>
!x = tensor<?xf32, #n>
module attributes {transform.with_named_sequence} {
  relax_tp.func private @fill(%x: memref<?xf32> {relax_sym.shape = #n}) outs(%o: memref<?xf32> {relax_sym.shape = #n})
      attributes {relax_sym.scope = #relax_sym.scope<>} {
    relax_tp.yield
  }
  func.func @buffers(%x: !x) -> !x attributes {relax_sym.scope = #relax_sym.scope<>} {
    %0 = relax.call_tp @fill(%x) : (!x) -> !x
    %1 = relax.call_tp @fill(%0) : (!x) -> !x
    return %1 : !x
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %ops = transform.structured.match ops{["relax.call_tp"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{the calls cannot become one program: @fill is not in tensor form}}
    %fused = transform.relax.fuse %ops : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  func.func private @outside()
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{expected functions with a body, got 'func.func'}}
    %planned = transform.relax.plan %f : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

#n = #relax_sym.shape<[n]>
!x = tensor<?xf32, #n>
module attributes {transform.with_named_sequence} {
  // expected-error@+1 {{has several blocks, memory planning expects structured control flow}}
  func.func @blocks(%x: !x) attributes {relax_sym.scope = #relax_sym.scope<>} {
    %s = relax.shape_of %x : !x -> !relax.shape<[n]>
    %d = relax.alloc %s : (!relax.shape<[n]>) -> !x
    cf.br ^bb1
  ^bb1:
    return
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{the memory of 'blocks' cannot be planned}}
    %planned = transform.relax.plan %f : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

#n = #relax_sym.shape<[n]>
!x = tensor<?xf32, #n>
// expected-error@+1 {{missing.mlir}}
module attributes {transform.with_named_sequence} {
  func.func @missing(%x: !x) -> !x attributes {relax_sym.scope = #relax_sym.scope<>} {
    %0 = relax.exp %x : !x
    return %0 : !x
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %ops = transform.structured.match ops{["relax.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{the libraries cannot be read}}
    %choices = transform.relax.dispatch %ops {libraries = ["missing.mlir"]} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
