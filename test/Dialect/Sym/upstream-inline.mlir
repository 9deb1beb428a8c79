// RUN: relax-opt %s --inline --inline | FileCheck %s
// Upstream inlining would clone binders: a second copy gives one name to two sizes. Our ops refuse to be inlined by it, so
// calls keep their meaning; relax-inline-calls renames.

func.func private @callee(%x: tensor<?xf32>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[m]>>
  %1 = relax.erase_shape %0 : tensor<?xf32, #relax_sym.shape<[m]>> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: func.func @once(
// CHECK: call @callee
func.func @once(%x: tensor<?xf32>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = call @callee(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @twice(
// CHECK: call @callee
// CHECK: call @callee
func.func @twice(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = call @callee(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = call @callee(%y) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
