// RUN: relax-opt %s --verify-diagnostics --transform-interpreter

module attributes {transform.with_named_sequence} {
  func.func @scf(%x: tensor<?xf32>, %ub: index) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %ub step %c1 iter_args(%acc = %x) -> tensor<?xf32> {
      // expected-error @below {{is a second binder of symbol 'm'}}
      // expected-note @below {{bound here}}
      %0 = relax.match_cast %acc binds [m] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[m]>>
      %1 = relax.erase_shape %0 : tensor<?xf32, #relax_sym.shape<[m]>> to tensor<?xf32>
      scf.yield %1 : tensor<?xf32>
    }
    return %r : tensor<?xf32>
  }

  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %loop = transform.structured.match ops{["scf.for"]} in %module : (!transform.any_op) -> !transform.op<"scf.for">
    transform.loop.unroll %loop {factor = 2} : !transform.op<"scf.for">
    transform.yield
  }
}
