// RUN: relax-opt %s | FileCheck %s
// What the scope verifier accepts.

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#n2 = #relax_sym.shape<[n * 2]>

// The second n of one argument, and n in another, are entry checks.
// CHECK-LABEL: func.func @arguments_bind_together
func.func @arguments_bind_together(%a: tensor<?x?xf32, #relax_sym.shape<[n, n]>>, %b: tensor<?xf32, #n>, %s: !relax.shape<[m, 4]>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  return
}

// n is half of the extent.
// CHECK-LABEL: func.func @solved
func.func @solved(%a: tensor<?xf32, #n2>, %b: tensor<?xf32, #relax_sym.shape<[n + m]>>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  return
}

// Linear in both: one of them is taken out first.
// CHECK-LABEL: func.func @two_unknowns
func.func @two_unknowns(%a: tensor<?xf32, #relax_sym.shape<[n + m]>>, %b: tensor<?xf32, #relax_sym.shape<[n - m]>>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  return
}

// A product is solved when the facts make the factor positive.
// CHECK-LABEL: func.func @product
func.func @product(%a: tensor<?xf32, #n>, %b: tensor<?xf32, #relax_sym.shape<[n * m]>>)
    attributes {relax_sym.scope = #relax_sym.scope<"n >= 1">} {
  return
}

// CHECK-LABEL: func.func @casts_forget
func.func @casts_forget(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x?xf32>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = tensor.cast %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>> to tensor<?x?xf32, #relax_sym.shape<[n, ?]>>
  %1 = tensor.cast %0 : tensor<?x?xf32, #relax_sym.shape<[n, ?]>> to tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// A binder in a loop body binds once per iteration; its symbol stays in the body.
// CHECK-LABEL: func.func @binder_in_loop
func.func @binder_in_loop(%x: tensor<?xf32>, %lb: index, %ub: index, %step: index) -> tensor<?xf32>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = scf.for %i = %lb to %ub step %step iter_args(%acc = %x) -> tensor<?xf32> {
    %0 = relax.match_cast %acc binds [m] : tensor<?xf32> to tensor<?xf32, #m>
    %1 = relax.erase_shape %0 : tensor<?xf32, #m> to tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @control_flow
func.func @control_flow(%x: tensor<?xf32, #n>, %c: i1) -> tensor<?xf32, #n>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = scf.if %c -> tensor<?xf32, #n> {
    scf.yield %x : tensor<?xf32, #n>
  } else {
    scf.yield %x : tensor<?xf32, #n>
  }
  return %r : tensor<?xf32, #n>
}

// The binder dominates the block.
// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: tensor<?xf32>) -> tensor<?xf32, #m> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #m>
  cf.br ^next(%0 : tensor<?xf32, #m>)
^next(%y: tensor<?xf32, #m>):
  return %y : tensor<?xf32, #m>
}

// Functions without the attribute are not looked at, nor is the attribute elsewhere.
// CHECK-LABEL: func.func @no_scope
func.func @no_scope(%x: tensor<?xf32>) -> tensor<?xf32, #n> attributes {} {
  %0 = tensor.cast %x : tensor<?xf32> to tensor<?xf32, #n>
  return %0 : tensor<?xf32, #n>
}
