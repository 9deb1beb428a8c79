// RUN: relax-opt %s --relax-hoist-checks | FileCheck %s
// RUN: relax-opt %s --relax-hoist-checks --relax-hoist-checks > %t && relax-opt %s --relax-hoist-checks | diff - %t

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#d = #relax_sym.shape<[d]>
relax_ext.func private @library(tensor<?xf32> {relax_sym.shape = #n}) outs(tensor<?xf32> {relax_sym.shape = #n})
    attributes {symbol = "library", relax_sym.scope = #relax_sym.scope<>}

// Before the work that cannot fail, in the old order.
// CHECK-LABEL: func.func @early(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?xf32, #{{.*}}>, %[[Y:[^:]+]]: tensor<?xf32, #{{.*}}>)
func.func @early(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: %[[S:.*]] = relax.shape_of %[[X]]
  // CHECK-NEXT: relax.assert_shape %[[S]], "n >= 1", "first"
  // CHECK-NEXT: relax.shape_of %[[X]]
  // CHECK-NEXT: relax.shape_of %[[Y]]
  // CHECK-NEXT: %[[T:.*]] = relax.make_shape
  // CHECK-NEXT: relax.assert_shape %[[T]], "n == m", "second"
  // CHECK-NEXT: relax.relu
  // CHECK-NEXT: relax.add
  // CHECK-NEXT: relax.exp
  // CHECK-NEXT: return
  %0 = relax.relu %x : tensor<?xf32, #n>
  %s = relax.shape_of %0 : tensor<?xf32, #n> -> !relax.shape<[n]>
  relax.assert_shape %s, "n >= 1", "first" : !relax.shape<[n]>
  %t = relax.shape_of %y : tensor<?xf32, #m> -> !relax.shape<[m]>
  %u = relax.make_shape %s, %t : (!relax.shape<[n]>, !relax.shape<[m]>) -> !relax.shape<[m, n]>
  relax.assert_shape %u, "n == m", "second" : !relax.shape<[m, n]>
  %1 = relax.add %0, %y : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32>
  // Follows from the first two.
  relax.assert_shape %u, "m >= 1", "third" : !relax.shape<[m, n]>
  %2 = relax.exp %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}

// What the facts say is not checked again.
// CHECK-LABEL: func.func @implied(
func.func @implied(%s: !relax.shape<[n]>) attributes {relax_sym.scope = #relax_sym.scope<"n mod 4 == 0">} {
  // CHECK-NOT: relax.assert_shape
  // CHECK: return
  relax.assert_shape %s, "n mod 2 == 0", "even" : !relax.shape<[n]>
  return
}

// Not before another error or effect: a library function, an op whose rules are not checked, integer division.
// CHECK-LABEL: func.func @observable(
func.func @observable(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>, %i: tensor<?xi32, #n>) -> tensor<?xi32, #n>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n]>
  // CHECK: relax.call_dps
  // CHECK: relax.assert_shape %{{.*}}, "n >= 1"
  // CHECK: relax.add
  // CHECK: relax.assert_shape %{{.*}}, "n >= 2"
  // CHECK: relax.divide
  // CHECK: relax.assert_shape %{{.*}}, "n >= 3"
  // CHECK-NEXT: relax.abs
  %0 = relax.call_dps @library(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %1 = relax.relu %0 : tensor<?xf32, #n>
  relax.assert_shape %s, "n >= 1", "one" : !relax.shape<[n]>
  %2 = relax.add %1, %y : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32>
  %3 = relax.exp %2 : tensor<?xf32>
  relax.assert_shape %s, "n >= 2", "two" : !relax.shape<[n]>
  %4 = relax.divide %i, %i : (tensor<?xi32, #n>, tensor<?xi32, #n>) -> tensor<?xi32, #n>
  %5 = relax.abs %4 : tensor<?xi32, #n>
  relax.assert_shape %s, "n >= 3", "three" : !relax.shape<[n]>
  return %5 : tensor<?xi32, #n>
}

// Not before the symbol has its value, nor before a cast that checks something; one that only binds is no obstacle.
// CHECK-LABEL: func.func @binders(
func.func @binders(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32, #n>) -> (tensor<?xf32, #d>, tensor<?xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: relax.shape_of %{{.*}} : tensor<?xf32, #{{.*}}> -> !relax.shape<[n]>
  // CHECK-NEXT: relax.assert_shape %{{.*}}, "n >= 1"
  // CHECK-NEXT: %[[X:.*]] = relax.match_cast %{{.*}} binds [d]
  // CHECK-NEXT: relax.shape_of %[[X]]
  // CHECK-NEXT: relax.assert_shape %{{.*}}, "d >= 1"
  // CHECK-NEXT: relax.relu
  // CHECK-NEXT: relax.match_cast %{{.*}} : tensor<?xf32> to tensor<4xf32>
  // CHECK-NEXT: relax.shape_of
  // CHECK-NEXT: relax.assert_shape %{{.*}}, "n >= 2"
  // CHECK-NEXT: relax.exp
  %0 = relax.match_cast %x binds [d] : tensor<?xf32> to tensor<?xf32, #d>
  %t = relax.shape_of %z : tensor<?xf32, #n> -> !relax.shape<[n]>
  relax.assert_shape %t, "n >= 1", "n" : !relax.shape<[n]>
  %1 = relax.relu %0 : tensor<?xf32, #d>
  %s = relax.shape_of %1 : tensor<?xf32, #d> -> !relax.shape<[d]>
  relax.assert_shape %s, "d >= 1", "d" : !relax.shape<[d]>
  %2 = relax.match_cast %y : tensor<?xf32> to tensor<4xf32>
  %3 = relax.exp %2 : tensor<4xf32>
  relax.assert_shape %t, "n >= 2", "n" : !relax.shape<[n]>
  %4 = relax.erase_shape %3 : tensor<4xf32> to tensor<?xf32>
  return %1, %4 : tensor<?xf32, #d>, tensor<?xf32>
}

// A fact about a symbol is checked where it is bound, which is an error too.
// CHECK-LABEL: func.func @binder_with_fact(
func.func @binder_with_fact(%x: tensor<?xf32>, %z: tensor<?xf32, #n>) -> tensor<?xf32, #d>
    attributes {relax_sym.scope = #relax_sym.scope<"d >= 1">} {
  // CHECK-NEXT: relax.match_cast
  // CHECK-NEXT: relax.shape_of
  // CHECK-NEXT: relax.assert_shape
  %0 = relax.match_cast %x binds [d] : tensor<?xf32> to tensor<?xf32, #d>
  %t = relax.shape_of %z : tensor<?xf32, #n> -> !relax.shape<[n]>
  relax.assert_shape %t, "n >= 1", "n" : !relax.shape<[n]>
  return %0 : tensor<?xf32, #d>
}

// Out of a loop that runs, not out of one that may not.
// CHECK-LABEL: func.func @loops(
func.func @loops(%x: tensor<?xf32, #n>, %count: index) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: relax.assert_shape %{{.*}}, "n >= 1"
  // CHECK: scf.for
  // CHECK-NOT: relax.assert_shape
  // CHECK: }
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> tensor<?xf32, #n> {
    %r = relax.relu %a : tensor<?xf32, #n>
    %s = relax.shape_of %r : tensor<?xf32, #n> -> !relax.shape<[n]>
    relax.assert_shape %s, "n >= 1", "one" : !relax.shape<[n]>
    scf.yield %r : tensor<?xf32, #n>
  }
  // CHECK: scf.for
  // CHECK: relax.assert_shape %{{.*}}, "n >= 2"
  // CHECK-NEXT: relax.exp
  %1 = scf.for %i = %c0 to %count step %c1 iter_args(%a = %0) -> tensor<?xf32, #n> {
    %r = relax.exp %a : tensor<?xf32, #n>
    %s = relax.shape_of %r : tensor<?xf32, #n> -> !relax.shape<[n]>
    relax.assert_shape %s, "n >= 2", "two" : !relax.shape<[n]>
    scf.yield %r : tensor<?xf32, #n>
  }
  return %1 : tensor<?xf32, #n>
}

// Out of dataflow blocks, and out of branches that all start with it.
// CHECK-LABEL: func.func @regions(
func.func @regions(%x: tensor<?xf32, #n>, %c: i1) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: relax.shape_of
  // CHECK-NEXT: relax.assert_shape %{{.*}}, "n >= 1"
  // CHECK-NEXT: relax.shape_of
  // CHECK-NEXT: relax.assert_shape %{{.*}}, "n >= 2"
  // CHECK-NEXT: relax.dataflow
  // CHECK: scf.if
  // CHECK-NEXT: relax.shape_of
  // CHECK-NEXT: relax.assert_shape %{{.*}}, "n >= 3"
  // CHECK-NEXT: relax.relu
  // CHECK: else
  // CHECK-NEXT: relax.exp
  %0 = relax.dataflow -> (tensor<?xf32, #n>) {
    %r = relax.relu %x : tensor<?xf32, #n>
    %s = relax.shape_of %r : tensor<?xf32, #n> -> !relax.shape<[n]>
    relax.assert_shape %s, "n >= 1", "one" : !relax.shape<[n]>
    relax.output %r : tensor<?xf32, #n>
  }
  %1 = scf.if %c -> (tensor<?xf32, #n>) {
    %r = relax.relu %0 : tensor<?xf32, #n>
    %s = relax.shape_of %r : tensor<?xf32, #n> -> !relax.shape<[n]>
    relax.assert_shape %s, "n >= 2", "two" : !relax.shape<[n]>
    relax.assert_shape %s, "n >= 3", "three" : !relax.shape<[n]>
    scf.yield %r : tensor<?xf32, #n>
  } else {
    %s = relax.shape_of %0 : tensor<?xf32, #n> -> !relax.shape<[n]>
    relax.assert_shape %s, "n >= 2", "two" : !relax.shape<[n]>
    %r = relax.exp %0 : tensor<?xf32, #n>
    scf.yield %r : tensor<?xf32, #n>
  }
  return %1 : tensor<?xf32, #n>
}

// A shape whose entries may be negative or too large is an error of its own.
// CHECK-LABEL: func.func @shapes(
func.func @shapes(%s: !relax.shape<[n]>, %x: tensor<4xf32>) -> (!relax.shape<[n floordiv 2, 8]>, !relax.shape<[n * 4]>, tensor<4xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: relax.assert_shape %{{.*}}, "n >= 1"
  // CHECK-NEXT: relax.make_shape {{.*}} -> !relax.shape<[n floordiv 2, 8]>
  // CHECK-NEXT: relax.relu
  // CHECK-NEXT: relax.make_shape {{.*}} -> !relax.shape<[n * 4]>
  // CHECK-NEXT: relax.assert_shape %{{.*}}, "n >= 2"
  // CHECK-NEXT: relax.exp
  %0 = relax.make_shape %s : (!relax.shape<[n]>) -> !relax.shape<[n floordiv 2, 8]>
  %1 = relax.relu %x : tensor<4xf32>
  relax.assert_shape %s, "n >= 1", "one" : !relax.shape<[n]>
  %2 = relax.make_shape %s : (!relax.shape<[n]>) -> !relax.shape<[n * 4]>
  %3 = relax.exp %1 : tensor<4xf32>
  relax.assert_shape %s, "n >= 2", "two" : !relax.shape<[n]>
  return %0, %2, %3 : !relax.shape<[n floordiv 2, 8]>, !relax.shape<[n * 4]>, tensor<4xf32>
}

// What a condition says is not checked again; a check that only a branch makes stays there.
// CHECK-LABEL: func.func @conditions(
func.func @conditions(%x: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n]>
  %d = tensor.dim %x, %c0 : tensor<?xf32, #n>
  %c = arith.cmpi sge, %d, %c8 : index
  // CHECK: scf.if
  // CHECK-NOT: "n >= 1"
  // CHECK: relax.assert_shape %{{.*}}, "n mod 2 == 0"
  scf.if %c {
    relax.assert_shape %s, "n >= 1", "some" : !relax.shape<[n]>
    relax.assert_shape %s, "n mod 2 == 0", "even" : !relax.shape<[n]>
  }
  // CHECK: relax.assert_shape %{{.*}}, "n >= 1"
  relax.assert_shape %s, "n >= 1", "some" : !relax.shape<[n]>
  return
}
