// RUN: relax-opt %s --relax-inline-calls | FileCheck %s

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#m3 = #relax_sym.shape<[m * 3]>

relax_tp.func private @twice(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n * 2]>})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

func.func private @callee(%x: tensor<?xf32, #n>) -> tensor<?xf32, #relax_sym.shape<[n * 2]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @twice(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #relax_sym.shape<[n * 2]>>
  return %0 : tensor<?xf32, #relax_sym.shape<[n * 2]>>
}

// Argument symbols become the caller's expressions.
// CHECK-LABEL: func.func @substituted(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?xf32, #[[M3:.*]]>, %[[Y:[^:]+]]: tensor<5xf32>)
func.func @substituted(%x: tensor<?xf32, #m3>, %y: tensor<5xf32>) -> (tensor<?xf32, #relax_sym.shape<[m * 6]>>, tensor<10xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: %[[A:.*]] = relax.call_tp @twice(%[[X]]) : (tensor<?xf32, #[[M3]]>) -> tensor<?xf32, #[[M6:.*]]>
  // CHECK-NEXT: %[[B:.*]] = relax.call_tp @twice(%[[Y]]) : (tensor<5xf32>) -> tensor<10xf32>
  // CHECK-NEXT: return %[[A]], %[[B]]
  %0 = relax.call @callee(%x) {n = m * 3} : (tensor<?xf32, #m3>) -> tensor<?xf32, #relax_sym.shape<[m * 6]>>
  %1 = relax.call @callee(%y) : (tensor<5xf32>) -> tensor<10xf32>
  return %0, %1 : tensor<?xf32, #relax_sym.shape<[m * 6]>>, tensor<10xf32>
}

// An unknown extent gets a name first; less precise results stay so.
// CHECK-LABEL: func.func @unknown(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?xf32>)
func.func @unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK-NEXT: %[[C:.*]] = relax.match_cast %[[X]] binds [d] : tensor<?xf32> to tensor<?xf32, #{{.*}}>
  // CHECK-NEXT: %[[A:.*]] = relax.call_tp @twice(%[[C]])
  // CHECK-NEXT: %[[E:.*]] = relax.erase_shape %[[A]] : tensor<?xf32, #{{.*}}> to tensor<?xf32>
  // CHECK-NEXT: return %[[E]]
  %0 = relax.call @callee(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Symbols that the callee binds are renamed for each copy, with their facts.
func.func private @finder(%x: tensor<?xf32, #n>, %u: tensor<?xf32>) -> tensor<?xf32, #relax_sym.shape<[found]>>
    attributes {relax_sym.scope = #relax_sym.scope<"found <= n">} {
  %0 = relax.match_cast %u binds [found] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[found]>>
  %s = relax.shape_of %0 : tensor<?xf32, #relax_sym.shape<[found]>> -> !relax.shape<[found]>
  relax.assert_shape %s, "found mod 2 == 0", "odd" : !relax.shape<[found]>
  return %0 : tensor<?xf32, #relax_sym.shape<[found]>>
}
// CHECK-LABEL: func.func @renamed(
//  CHECK-SAME:     relax_sym.scope = #relax_sym.scope<"found <= m", "found_1 <= m">
func.func @renamed(%x: tensor<?xf32, #m>, %u: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.match_cast %{{.*}} binds [found]
  // CHECK: relax.assert_shape %{{.*}}, "found mod 2 == 0"
  // CHECK: relax.match_cast %{{.*}} binds [found_1]
  // CHECK: relax.shape_of %{{.*}} -> !relax.shape<[found_1]>
  // CHECK: relax.assert_shape %{{.*}}, "found_1 mod 2 == 0"
  %0 = relax.call @finder(%x, %u) : (tensor<?xf32, #m>, tensor<?xf32>) -> tensor<?xf32>
  %1 = relax.call @finder(%x, %u) : (tensor<?xf32, #m>, tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// Facts of the callee are checked unless the caller has them, and proofs that relied on them are given up.
func.func private @four(%x: tensor<?xf32, #n>) -> tensor<8xf32> attributes {relax_sym.scope = #relax_sym.scope<"n == 4">} {
  %0 = relax.refine %x : tensor<?xf32, #n> to tensor<4xf32>
  %1 = relax.call_tp @twice(%0) {relax.assured} : (tensor<4xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// CHECK-LABEL: func.func @facts(
func.func @facts(%x: tensor<?xf32, #m>, %y: tensor<?xf32, #relax_sym.shape<[k]>>) -> (tensor<8xf32>, tensor<8xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<"k == 4">} {
  // CHECK: relax.assert_shape %{{.*}}, "m == 4", "relax.call @four: the callee needs n == 4, here m == 4"
  // CHECK-NEXT: relax.match_cast %{{.*}} : tensor<?xf32, #{{.*}}> to tensor<4xf32>
  // CHECK-NEXT: relax.call_tp @twice(%{{.*}}) : (tensor<4xf32>)
  %0 = relax.call @four(%x) : (tensor<?xf32, #m>) -> tensor<8xf32>
  // CHECK-NEXT: relax.refine %{{.*}} : tensor<?xf32, #{{.*}}> to tensor<4xf32>
  // CHECK-NEXT: relax.call_tp @twice(%{{.*}}) {relax.assured} : (tensor<4xf32>)
  %1 = relax.call @four(%y) : (tensor<?xf32, #relax_sym.shape<[k]>>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// An extent that the signature repeats is checked.
func.func private @pair(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  return %y : tensor<?xf32, #n>
}
// CHECK-LABEL: func.func @repeated(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?xf32, #[[M:.*]]>, %[[Y:[^:]+]]: tensor<?xf32, #[[K:.*]]>)
func.func @repeated(%x: tensor<?xf32, #m>, %y: tensor<?xf32, #relax_sym.shape<[k]>>) -> tensor<?xf32, #m> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: %[[C:.*]] = relax.match_cast %[[Y]] : tensor<?xf32, #[[K]]> to tensor<?xf32, #[[M]]>
  // CHECK-NEXT: return %[[C]]
  %0 = relax.call @pair(%x, %y) : (tensor<?xf32, #m>, tensor<?xf32, #relax_sym.shape<[k]>>) -> tensor<?xf32, #m>
  return %0 : tensor<?xf32, #m>
}

// Recursion and public functions are left alone; calls inside of callees are inlined first.
func.func private @ping(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.call @pong(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @pong(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.call @ping(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.call @ping(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func @left(
func.func @left(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: relax.call @ping
  // CHECK-NEXT: relax.call @left
  %0 = relax.call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1:2 = relax.call @left(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0, %1#0 : tensor<4xf32>, tensor<4xf32>
}
