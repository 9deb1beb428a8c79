// RUN: relax-opt %s --split-input-file --verify-diagnostics --inline | FileCheck %s
// Upstream inlining clones binders. One copy is a move; a second one would give one name to two sizes.

// CHECK-LABEL: func.func @once
// CHECK: relax.match_cast %{{.*}} binds [m] : tensor<?xf32> to tensor<?xf32, #m>
// CHECK-NOT: call
func.func private @callee(%x: tensor<?xf32>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[m]>>
  %1 = relax.erase_shape %0 : tensor<?xf32, #relax_sym.shape<[m]>> to tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func @once(%x: tensor<?xf32>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = call @callee(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func private @callee(%x: tensor<?xf32>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{is a second binder of symbol 'm'}}
  // expected-note @below {{bound here}}
  %0 = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[m]>>
  %1 = relax.erase_shape %0 : tensor<?xf32, #relax_sym.shape<[m]>> to tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func @twice(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = call @callee(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = call @callee(%y) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// The caller already has a size of that name.
func.func private @callee(%x: tensor<?xf32>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{is a second binder of symbol 'n'}}
  %0 = relax.match_cast %x binds [n] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[n]>>
  %1 = relax.erase_shape %0 : tensor<?xf32, #relax_sym.shape<[n]>> to tensor<?xf32>
  return %1 : tensor<?xf32>
}
// expected-note @below {{bound by the arguments}}
func.func @same_name(%x: tensor<?xf32>, %y: tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = call @callee(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The caller has no scope, which nothing upstream adds.
func.func private @callee(%x: tensor<?xf32>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{mentions symbol 'm' in a function without 'relax_sym.scope'}}
  %0 = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[m]>>
  %1 = relax.erase_shape %0 : tensor<?xf32, #relax_sym.shape<[m]>> to tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func @no_scope(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @callee(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
