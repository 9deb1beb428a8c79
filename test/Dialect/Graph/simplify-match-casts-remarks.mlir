// RUN: relax-opt %s --relax-simplify-match-casts --split-input-file --verify-diagnostics --remark-format=emitRemark --remarks-filter='relax-.*' | FileCheck %s

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#k = #relax_sym.shape<[k]>

// CHECK-LABEL: func.func @reasons(
func.func @reasons(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #k>) -> tensor<?xf32, #k>
    attributes {relax_sym.scope = #relax_sym.scope<"n == k">} {
  // expected-remark @below {{symbol 'm' is n}}
  %0 = relax.match_cast %x binds [m] : tensor<?xf32, #n> to tensor<?xf32, #m>
  // expected-remark @below {{no check of 'n == k': question: }}
  %1 = relax.match_cast %0 : tensor<?xf32, #m> to tensor<?xf32, #k>
  return %1 : tensor<?xf32, #k>
}

// -----

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>

// The fact would be checked for more values, or earlier.
// CHECK-LABEL: func.func @fact(
func.func @fact(%x: tensor<?xf32, #n>) -> tensor<?xf32, #m> attributes {relax_sym.scope = #relax_sym.scope<"m >= 1">} {
  // CHECK: relax.match_cast %{{.*}} binds [m]
  // expected-remark @below {{kept symbol 'm', which is n: the fact 'm >= 1' is checked where it is bound}}
  %0 = relax.match_cast %x binds [m] : tensor<?xf32, #n> to tensor<?xf32, #m>
  return %0 : tensor<?xf32, #m>
}

// -----

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>

// CHECK-LABEL: func.func @implied_fact(
// CHECK-SAME: relax_sym.scope = #relax_sym.scope<"n >= 2">
func.func @implied_fact(%x: tensor<?xf32, #n>) -> tensor<?xf32, #m>
    attributes {relax_sym.scope = #relax_sym.scope<"n >= 2", "m >= 1">} {
  // CHECK-NOT: relax.match_cast
  // expected-remark @below {{symbol 'm' is n}}
  %0 = relax.match_cast %x binds [m] : tensor<?xf32, #n> to tensor<?xf32, #m>
  return %0 : tensor<?xf32, #m>
}

// -----

// A branch that always traps may never be taken: it is not an error of the compiler.
#m = #relax_sym.shape<[m]>
// CHECK-LABEL: func.func @refused(
func.func @refused(%x: tensor<4xf32>, %y: tensor<3xf32>, %c: i1) attributes {relax_sym.scope = #relax_sym.scope<>} {
  scf.if %c {
    // CHECK: relax.match_cast %{{.*}} binds [m]
    // expected-remark @below {{kept symbol 'm', which is 4: an op would be refused}}
    %0 = relax.match_cast %x binds [m] : tensor<4xf32> to tensor<?xf32, #m>
    // CHECK: relax.match_cast %{{.*}} : tensor<3xf32> to tensor<?xf32, #{{.*}}>
    %1 = relax.match_cast %y : tensor<3xf32> to tensor<?xf32, #m>
    // CHECK: relax.assert_shape
    %s = relax.shape_of %1 : tensor<?xf32, #m> -> !relax.shape<[m]>
    relax.assert_shape %s, "m >= 1", "used" : !relax.shape<[m]>
  }
  return
}
