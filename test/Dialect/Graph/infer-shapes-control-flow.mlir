// RUN: relax-opt %s --relax-infer-shapes | FileCheck %s

#n = #relax_sym.shape<[n]>
relax_tp.func private @same(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
relax_tp.func private @twice(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n * 2]>})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

// A while loop that keeps an extent keeps its symbol; what grows stays unknown; what leaves may be more than is carried.
// CHECK-LABEL: func.func @loop(
func.func @loop(%x: tensor<?xf32, #n>, %c: i1) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %e = relax.erase_shape %x : tensor<?xf32, #n> to tensor<?xf32>
  // CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<?xf32, #n>, tensor<?xf32>) -> (tensor<?xf32, #n>, tensor<?xf32>, tensor<?xf32, #{{.*}}>)
  %r:3 = scf.while (%a = %e, %b = %e) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
    // CHECK: relax.call_tp @twice(%{{.*}}) : (tensor<?xf32, #n>) -> tensor<?xf32, #{{.*}}>
    %d = relax.call_tp @twice(%a) : (tensor<?xf32>) -> tensor<?xf32>
    scf.condition(%c) %a, %b, %d : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  } do {
  ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>, %d: tensor<?xf32>):
    // CHECK: relax.call_tp @same(%{{.*}}) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    %p = relax.call_tp @same(%a) : (tensor<?xf32>) -> tensor<?xf32>
    %q = relax.call_tp @twice(%b) : (tensor<?xf32>) -> tensor<?xf32>
    // CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<?xf32, #n>, tensor<?xf32>
    scf.yield %p, %q : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// What all callers pass becomes known in a private function: a constant, or one name for what is always the same.
// CHECK-LABEL: func.func private @callee(
//  CHECK-SAME:     %{{.*}}: tensor<4x?xf32, #[[D:.*]]>, %{{.*}}: tensor<?xf32, #[[S:.*]]>, %{{.*}}: tensor<?xf32, #{{.*}}>) -> tensor<?xf32, #[[S]]>
func.func private @callee(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %0 = relax.call_tp @same(%y) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func @caller(
func.func @caller(%x: tensor<4x?xf32, #relax_sym.shape<[4, n]>>, %y: tensor<?xf32, #n>, %u: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.call @callee({{.*}}) {d = n} : ({{.*}}) -> tensor<?xf32, #n>
  %0 = relax.call @callee(%x, %y, %u) : (tensor<4x?xf32, #relax_sym.shape<[4, n]>>, tensor<?xf32, #n>, tensor<?xf32>) -> tensor<?xf32>
  %1 = relax.call @callee(%x, %y, %y) : (tensor<4x?xf32, #relax_sym.shape<[4, n]>>, tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// A function that calls itself has names for its arguments; what it gives is not known.
// CHECK-LABEL: func.func private @recursive(
//  CHECK-SAME:     %{{.*}}: tensor<?xf32, #{{.*}}>, %{{.*}}: index) -> tensor<?xf32>
func.func private @recursive(%x: tensor<?xf32>, %c: index) -> tensor<?xf32> {
  %0 = relax.call @recursive(%x, %c) : (tensor<?xf32>, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
