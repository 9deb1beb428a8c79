// RUN: relax-opt %s --relax-simplify-match-casts | FileCheck %s
// Nothing is left to do the second time.
// RUN: relax-opt %s --relax-simplify-match-casts --relax-simplify-match-casts > %t && relax-opt %s --relax-simplify-match-casts | diff - %t

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#k = #relax_sym.shape<[k]>

// A symbol for an extent that is known.
// CHECK-LABEL: func.func @known(
//  CHECK-SAME:     %[[X:.*]]: tensor<?xf32, #[[N:.*]]>, %[[Y:.*]]: tensor<?xf32, #[[N]]>) -> tensor<?xf32, #[[N]]>
func.func @known(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #n>) -> tensor<?xf32, #m> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: %[[R:.*]] = relax.add %[[X]], %[[Y]] : (tensor<?xf32, #[[N]]>, tensor<?xf32, #[[N]]>) -> tensor<?xf32, #[[N]]>
  // CHECK-NEXT: return %[[R]] : tensor<?xf32, #[[N]]>
  %0 = relax.match_cast %x binds [m] : tensor<?xf32, #n> to tensor<?xf32, #m>
  %1 = relax.match_cast %y : tensor<?xf32, #n> to tensor<?xf32, #m>
  %2 = relax.add %0, %1 : (tensor<?xf32, #m>, tensor<?xf32, #m>) -> tensor<?xf32, #m>
  return %2 : tensor<?xf32, #m>
}

// One value has one symbol, and so has what is computed from it before and after.
// CHECK-LABEL: func.func @twice(
func.func @twice(%x: tensor<?xf32>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: %[[A:.*]] = relax.match_cast %{{.*}} binds [m] : tensor<?xf32> to tensor<?xf32, #[[M:.*]]>
  %0 = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #m>
  // CHECK-NEXT: %[[B:.*]] = relax.relu %[[A]] : tensor<?xf32, #[[M]]>
  %1 = relax.relu %x : tensor<?xf32>
  %2 = relax.match_cast %1 binds [k] : tensor<?xf32> to tensor<?xf32, #k>
  // CHECK-NEXT: %[[C:.*]] = relax.add %[[A]], %[[B]] : (tensor<?xf32, #[[M]]>, tensor<?xf32, #[[M]]>) -> tensor<?xf32, #[[M]]>
  %3 = relax.add %0, %2 : (tensor<?xf32, #m>, tensor<?xf32, #k>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
}

// A check that the facts prove costs nothing.
// CHECK-LABEL: func.func @proved(
func.func @proved(%x: tensor<?xf32, #relax_sym.shape<[n * 2]>>, %y: tensor<?xf32, #m>) -> tensor<?xf32, #m>
    attributes {relax_sym.scope = #relax_sym.scope<"m == n + n">} {
  // CHECK-NEXT: %[[R:.*]] = relax.refine
  // CHECK-NEXT: return %[[R]]
  %0 = relax.match_cast %x : tensor<?xf32, #relax_sym.shape<[n * 2]>> to tensor<?xf32, #m>
  return %0 : tensor<?xf32, #m>
}

// A check that may fail stays, but binds only what is new.
// CHECK-LABEL: func.func @partly(
func.func @partly(%x: tensor<?x?x?xf32, #relax_sym.shape<[n, n, ?]>>) -> tensor<?x?x?xf32>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: relax.match_cast %{{.*}} binds [k] : tensor<?x?x?xf32, #{{.*}}> to tensor<?x4x?xf32, #[[NK:.*]]>
  %0 = relax.match_cast %x binds [m, k] : tensor<?x?x?xf32, #relax_sym.shape<[n, n, ?]>> to tensor<?x4x?xf32, #relax_sym.shape<[m, 4, k]>>
  // CHECK: relax.relu %{{.*}} : tensor<?x4x?xf32, #[[NK]]>
  %1 = relax.relu %0 : tensor<?x4x?xf32, #relax_sym.shape<[m, 4, k]>>
  %2 = relax.erase_shape %1 : tensor<?x4x?xf32, #relax_sym.shape<[m, 4, k]>> to tensor<?x?x?xf32>
  return %2 : tensor<?x?x?xf32>
}

// Shapes that went through tensors.
// CHECK-LABEL: func.func @shapes(
func.func @shapes(%s: !relax.shape<[n, 4]>) -> (!relax.shape<[m, 4]>, !relax.shape<[k, 4]>, !relax.shape<[5, ?]>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[E:.*]] = relax.match_cast %[[S:.*]] : !relax.shape<[n, 4]> to !relax.shape<[5, ?]>
  // CHECK: return %[[S]], %[[S]], %[[E]]
  %t = relax.shape_to_tensor %s : !relax.shape<[n, 4]> -> tensor<2xi64>
  %0 = relax.tensor_to_shape %t binds [m] : tensor<2xi64> -> !relax.shape<[m, 4]>
  %1 = relax.tensor_to_shape %t binds [k] : tensor<2xi64> -> !relax.shape<[k, 4]>
  %2 = relax.tensor_to_shape %t : tensor<2xi64> -> !relax.shape<[5, ?]>
  return %0, %1, %2 : !relax.shape<[m, 4]>, !relax.shape<[k, 4]>, !relax.shape<[5, ?]>
}

// CHECK-LABEL: func.func @constants() -> (!relax.shape<[3, 5]>, !relax.shape<[a, ?]>)
func.func @constants() -> (!relax.shape<[m, 5]>, !relax.shape<[a, ?]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-DAG: %[[C:.*]] = relax.make_shape : () -> !relax.shape<[3, 5]>
  %t = relax.constant dense<[3, 5]> : tensor<2xi64>
  %0 = relax.tensor_to_shape %t binds [m] : tensor<2xi64> -> !relax.shape<[m, 5]>
  // A negative one traps and is left alone.
  // CHECK-DAG: %[[N:.*]] = relax.tensor_to_shape %{{.*}} binds [a] : tensor<2xi64> -> !relax.shape<[a, ?]>
  %u = relax.constant dense<[-3, 5]> : tensor<2xi64>
  %1 = relax.tensor_to_shape %u binds [a] : tensor<2xi64> -> !relax.shape<[a, ?]>
  // CHECK: return %[[C]], %[[N]]
  return %0, %1 : !relax.shape<[m, 5]>, !relax.shape<[a, ?]>
}

// The same tensor read twice.
// CHECK-LABEL: func.func @read_twice(
func.func @read_twice(%t: tensor<2xi64>) -> (!relax.shape<[a, b]>, !relax.shape<[c, ?]>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: %[[S:.*]] = relax.tensor_to_shape %{{.*}} binds [a, b] : tensor<2xi64> -> !relax.shape<[a, b]>
  %0 = relax.tensor_to_shape %t binds [a, b] : tensor<2xi64> -> !relax.shape<[a, b]>
  // CHECK-NEXT: %[[E:.*]] = relax.erase_shape %[[S]] : !relax.shape<[a, b]> to !relax.shape<[a, ?]>
  %1 = relax.tensor_to_shape %t binds [c] : tensor<2xi64> -> !relax.shape<[c, ?]>
  // CHECK-NEXT: return %[[S]], %[[E]]
  return %0, %1 : !relax.shape<[a, b]>, !relax.shape<[c, ?]>
}

// Data-dependent ops that do the same find the same size.
// CHECK-LABEL: func.func @found(
func.func @found(%x: tensor<?xf32, #n>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: %[[U:.*]] = relax.unique %{{.*}} binds [a]
  // CHECK-NEXT: relax.add %[[U]], %[[U]]
  %0 = relax.unique %x binds [a] : (tensor<?xf32, #n>) -> tensor<?xf32, #relax_sym.shape<[a]>>
  %1 = relax.unique %x binds [b] : (tensor<?xf32, #n>) -> tensor<?xf32, #relax_sym.shape<[b]>>
  %2 = relax.add %0, %1 : (tensor<?xf32, #relax_sym.shape<[a]>>, tensor<?xf32, #relax_sym.shape<[b]>>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// What one branch checks says nothing in the other.
// CHECK-LABEL: func.func @branches(
func.func @branches(%x: tensor<?xf32>, %c: i1) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = scf.if %c -> (tensor<?xf32>) {
    // CHECK: relax.match_cast %{{.*}} : tensor<?xf32> to tensor<4xf32>
    %0 = relax.match_cast %x : tensor<?xf32> to tensor<4xf32>
    %1 = relax.erase_shape %0 : tensor<4xf32> to tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  } else {
    // CHECK: relax.match_cast %{{.*}} binds [a] : tensor<?xf32> to tensor<?xf32, #{{.*}}>
    %0 = relax.match_cast %x binds [a] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[a]>>
    %1 = relax.relu %0 : tensor<?xf32, #relax_sym.shape<[a]>>
    %2 = relax.erase_shape %1 : tensor<?xf32, #relax_sym.shape<[a]>> to tensor<?xf32>
    scf.yield %2 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
