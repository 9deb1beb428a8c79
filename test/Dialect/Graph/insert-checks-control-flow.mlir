// RUN: relax-opt %s --relax-insert-checks | FileCheck %s

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#k = #relax_sym.shape<[k]>

// What a condition says about sizes needs no check in its branch; the other branch knows the opposite.
// CHECK-LABEL: func.func @condition(
func.func @condition(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32, #n>
  %s = relax.shape_of %y : tensor<?xf32, #m> -> !relax.shape<[m]>
  %m = relax.eval_expr %s, m : !relax.shape<[m]> -> index
  %c = arith.cmpi ne, %n, %m : index
  // CHECK: scf.if
  %r = scf.if %c -> (tensor<?xf32>) {
    // CHECK: relax.assert_shape
    // CHECK: relax.add
    %a = relax.add %x, %y : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  } else {
    // CHECK: } else {
    // CHECK-NEXT: relax.add
    %a = relax.add %x, %y : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// And, or and not; remainders by constants. A sum of sizes may wrap and says nothing.
// CHECK-LABEL: func.func @joined(
func.func @joined(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %s: !relax.shape<[n floordiv 2, 8]>, %b: i1)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %true = arith.constant true
  %n = tensor.dim %x, %c0 : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  %rest = arith.remui %n, %c2 : index
  %odd = arith.cmpi ne, %rest, %c0 : index
  %even = arith.xori %odd, %true : i1
  %both = arith.andi %even, %b : i1
  // CHECK: scf.if
  // CHECK-NEXT: relax.reshape
  scf.if %both {
    %a = relax.reshape %x, %s : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, !relax.shape<[n floordiv 2, 8]>) -> tensor<?x8xf32, #relax_sym.shape<[n floordiv 2, 8]>>
  }
  %either = arith.ori %odd, %b : i1
  // CHECK: scf.if
  // CHECK: } else {
  // CHECK-NEXT: relax.reshape
  scf.if %either {
  } else {
    %a = relax.reshape %x, %s : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, !relax.shape<[n floordiv 2, 8]>) -> tensor<?x8xf32, #relax_sym.shape<[n floordiv 2, 8]>>
  }
  %sum = arith.addi %n, %n : index
  %wraps = arith.cmpi slt, %sum, %n : index
  // CHECK: scf.if
  // CHECK: relax.assert_shape
  scf.if %wraps {
    %a = relax.reshape %x, %s : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, !relax.shape<[n floordiv 2, 8]>) -> tensor<?x8xf32, #relax_sym.shape<[n floordiv 2, 8]>>
  }
  return
}

relax_ext.func private @library(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    where "n >= 16" attributes {relax_sym.scope = #relax_sym.scope<>, symbol = "library"}

// The body of a loop runs when there is something to do.
// CHECK-LABEL: func.func @loops(
func.func @loops(%x: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32, #n>
  // CHECK: scf.for
  // CHECK-NEXT: relax.call_dps
  scf.for %i = %c15 to %n step %c1 {
    %a = relax.call_dps @library(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  }
  // CHECK: } do {
  // CHECK-NEXT: relax.call_dps
  scf.while : () -> () {
    %c = arith.cmpi sgt, %n, %c15 : index
    scf.condition(%c)
  } do {
    %a = relax.call_dps @library(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    scf.yield
  }
  // CHECK: relax.assert_shape
  // CHECK: relax.call_dps
  %a = relax.call_dps @library(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return
}

// A bound symbol is what was there before; what a cast checks becomes an assertion when something relies on it.
// CHECK-LABEL: func.func @casts(
func.func @casts(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) attributes {relax_sym.scope = #relax_sym.scope<"n >= 16">} {
  // CHECK: relax.match_cast %{{.*}} binds [k]
  %0 = relax.match_cast %x binds [k] : tensor<?xf32, #n> to tensor<?xf32, #k>
  // CHECK-NEXT: relax.call_dps
  %1 = relax.call_dps @library(%0) : (tensor<?xf32, #k>) -> tensor<?xf32, #k>
  // CHECK: relax.match_cast
  // CHECK: relax.assert_shape %{{.*}}, "m == n", "relax.match_cast: the extents [m] are not [n]"
  %2 = relax.match_cast %y : tensor<?xf32, #m> to tensor<?xf32, #n>
  // CHECK-NEXT: relax.call_dps
  %3 = relax.call_dps @library(%y) : (tensor<?xf32, #m>) -> tensor<?xf32, #m>
  return
}
