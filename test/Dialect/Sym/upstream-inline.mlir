// RUN: relax-opt %s --inline | FileCheck %s
// Upstream inlining clones bodies as they are; a cloned binder would give two sizes one name. Calls of such bodies stay
// calls, also a single one; relax-inline-calls is for relax.call and renames.

func.func private @binds(%x: tensor<?xf32>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[m]>>
  %1 = relax.exp %0 : tensor<?xf32, #relax_sym.shape<[m]>>
  %2 = relax.erase_shape %1 : tensor<?xf32, #relax_sym.shape<[m]>> to tensor<?xf32>
  return %2 : tensor<?xf32>
}

// CHECK-LABEL: func.func @twice
// CHECK: call @binds
// CHECK: call @binds
// CHECK-NOT: relax.
// CHECK: return
func.func @twice(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = call @binds(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = call @binds(%y) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @same_name
// CHECK: call @binds
func.func @same_name(%x: tensor<?xf32>, %y: tensor<?xf32, #relax_sym.shape<[m]>>) -> tensor<?xf32>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = call @binds(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @no_scope
// CHECK: call @binds
func.func @no_scope(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @binds(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Without symbols there is nothing to confuse.
func.func private @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @inlines_plain
// CHECK: relax.exp
// CHECK: relax.exp
// CHECK-NOT: call
func.func @inlines_plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @plain(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @plain(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
