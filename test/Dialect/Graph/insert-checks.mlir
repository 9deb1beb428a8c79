// RUN: relax-opt %s --relax-insert-checks --split-input-file --verify-diagnostics | FileCheck %s

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
relax_tp.func private @same(%x: tensor<?xf32> {relax_sym.shape = #n}, %y: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
relax_ext.func private @library(tensor<?xf32> {relax_sym.shape = #n}) outs(tensor<?xf32> {relax_sym.shape = #n})
    where "n >= 16" attributes {symbol = "library", relax_sym.scope = #relax_sym.scope<>}

// CHECK-LABEL: func.func @proved(
func.func @proved(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) attributes {relax_sym.scope = #relax_sym.scope<"n == m", "n >= 20">} {
  // CHECK-NEXT: relax.call_tp @same(%{{.*}}, %{{.*}}) {relax.assured}
  %0 = relax.call_tp @same(%x, %y) : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32, #n>
  // CHECK-NEXT: relax.call_dps @library(%{{.*}}) {relax.assured}
  %1 = relax.call_dps @library(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return
}

// CHECK-LABEL: func.func @asserted(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?xf32, #{{.*}}>, %[[Y:[^:]+]]: tensor<?xf32, #{{.*}}>)
func.func @asserted(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: %[[SX:.*]] = relax.shape_of %[[X]]
  // CHECK-NEXT: %[[SY:.*]] = relax.shape_of %[[Y]]
  // CHECK-NEXT: %[[S:.*]] = relax.make_shape %[[SX]], %[[SY]] : (!relax.shape<[n]>, !relax.shape<[m]>) -> !relax.shape<[m, n]>
  // CHECK-NEXT: relax.assert_shape %[[S]], "m == n", "relax.call_tp @same: the extents [n], [m] need m == n"
  // CHECK-NEXT: relax.call_tp @same(%[[X]], %[[Y]]) :
  %0 = relax.call_tp @same(%x, %y) : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32, #n>
  // What is asserted once is not asserted again, but it is no fact either.
  // CHECK-NEXT: relax.call_tp @same(%[[X]], %[[Y]]) :
  %1 = relax.call_tp @same(%x, %y) : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32, #n>
  // CHECK-NEXT: %[[S:.*]] = relax.shape_of
  // CHECK-NEXT: relax.assert_shape %[[S]], "n >= 16", "relax.call_dps @library: the extents [n] need n >= 16"
  %2 = relax.call_dps @library(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return
}

// An assertion in a branch says nothing beside it.
// CHECK-LABEL: func.func @branches(
func.func @branches(%x: tensor<?xf32, #n>, %c: i1) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: scf.if
  scf.if %c {
    // CHECK: relax.assert_shape %{{.*}}, "n >= 16"
    // CHECK: relax.call_dps
    %1 = relax.call_dps @library(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  } else {
    // CHECK: relax.assert_shape %{{.*}}, "n >= 16"
    // CHECK: relax.call_dps
    %2 = relax.call_dps @library(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  }
  return
}

// Unknown extents get names, once for each value.
// CHECK-LABEL: func.func @unknown(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?xf32>, %[[Y:[^:]+]]: tensor<?xf32>)
//  CHECK-SAME:     relax_sym.scope = #relax_sym.scope<>
func.func @unknown(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK-DAG: %[[A:.*]] = relax.match_cast %[[X]] binds [d] : tensor<?xf32> to tensor<?xf32, #d>
  // CHECK-DAG: %[[B:.*]] = relax.match_cast %[[Y]] binds [d_1] : tensor<?xf32> to tensor<?xf32, #{{.*}}>
  // CHECK: relax.assert_shape %{{.*}}, "d_1 == d", "relax.call_tp @same: the extents [d], [d_1] need d_1 == d"
  // CHECK: %[[R:.*]] = relax.call_tp @same(%[[A]], %[[B]]) : (tensor<?xf32, #{{.*}}>, tensor<?xf32, #{{.*}}>) -> tensor<?xf32, #d>
  %0 = relax.call_tp @same(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  // CHECK: relax.call_tp @same(%[[A]], %[[R]]) {relax.assured}
  %1 = relax.call_tp @same(%x, %0) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  // CHECK: %[[E:.*]] = relax.erase_shape
  // CHECK: return %[[E]]
  return %1 : tensor<?xf32>
}

// Functions have facts too.
func.func private @halves(%x: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<"n mod 2 == 0">} {
  return
}
// CHECK-LABEL: func.func @function_call(
func.func @function_call(%x: tensor<?xf32, #m>, %y: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.assert_shape %{{.*}}, "m mod 2 == 0", "relax.call @halves: the extents [m] need m mod 2 == 0"
  // CHECK: relax.call @halves(%{{.*}}) {n = m} :
  relax.call @halves(%x) : (tensor<?xf32, #m>) -> ()
  // CHECK: relax.call @halves(%{{.*}}) {n = 4} attributes {relax.assured}
  relax.call @halves(%y) : (tensor<4xf32>) -> ()
  return
}

// Broadcasting: one of several facts.
// CHECK-LABEL: func.func @broadcast(
func.func @broadcast(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %y: tensor<?x?xf32, #relax_sym.shape<[m, k]>>) -> tensor<?x4xf32>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.assert_shape %{{.*}} == 0", "relax.add: the extents [n, 4], [m, k] need n == m or n == 1 or m == 1"
  // CHECK: relax.assert_shape %{{.*}} == 0", "relax.add: the extents [n, 4], [m, k] need k == 4 or k == 1"
  // CHECK: relax.add %{{.*}}, %{{.*}} : (
  %0 = relax.add %x, %y : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<?x?xf32, #relax_sym.shape<[m, k]>>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @broadcast_proved(
func.func @broadcast_proved(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> tensor<?xf32>
    attributes {relax_sym.scope = #relax_sym.scope<"n == m">} {
  // CHECK-NEXT: relax.add %{{.*}}, %{{.*}} {relax.assured} : (
  %0 = relax.add %x, %y : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// min(n, 8) is 1 where n is: the result has n elements, and two facts are left.
// CHECK-LABEL: func.func @broadcast_table(
func.func @broadcast_table(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #relax_sym.shape<[min(n, 8)]>>) -> tensor<?xf32, #n>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.assert_shape %{{.*}}, "relax.add: the extents [n], [min(n, 8)] need min(n, 8) == n or min(n, 8) == 1"
  %0 = relax.add %x, %y : (tensor<?xf32, #n>, tensor<?xf32, #relax_sym.shape<[min(n, 8)]>>) -> tensor<?xf32, #n>
  return %0 : tensor<?xf32, #n>
}

// What a person would write.
// CHECK-LABEL: func.func @reshape(
func.func @reshape(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %y: tensor<?x?xf32, #relax_sym.shape<[n, m]>>, %s: !relax.shape<[n floordiv 2, 8]>, %t: !relax.shape<[n floordiv 3, m * 3]>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.assert_shape %{{.*}}, "n mod 2 == 0", "relax.reshape: the extents [n, 4], [n floordiv 2, 8] need n mod 2 == 0"
  %0 = relax.reshape %x, %s : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, !relax.shape<[n floordiv 2, 8]>) -> tensor<?x?xf32>
  // Without a column any number of rows fits.
  // CHECK: relax.assert_shape %{{.*}}, "m * (n mod 3) == 0"
  %1 = relax.reshape %y, %t : (tensor<?x?xf32, #relax_sym.shape<[n, m]>>, !relax.shape<[n floordiv 3, m * 3]>) -> tensor<?x?xf32>
  return
}

// -----

#n = #relax_sym.shape<[n]>
relax_ext.func private @library(tensor<?xf32> {relax_sym.shape = #n}) outs(tensor<?xf32> {relax_sym.shape = #n})
    where "n >= 16" attributes {symbol = "library", relax_sym.scope = #relax_sym.scope<>}
func.func @never(%x: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<"n <= 8">} {
  // expected-warning @below {{always traps: 'n >= 16' never holds}}
  %0 = relax.call_dps @library(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return
}
