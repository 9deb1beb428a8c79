// RUN: relax-opt %s --relax-infer-shapes | FileCheck %s
// RUN: relax-opt %s --relax-infer-shapes --relax-infer-shapes | FileCheck %s

#n = #relax_sym.shape<[n]>
#n_4 = #relax_sym.shape<[n, 4]>

relax_tp.func private @same(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
relax_tp.func private @twice(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n * 2]>})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
relax_tp.func private @four(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}

// Chains become precise; the function's result stays as it was.
// CHECK-LABEL: func.func @chain(
func.func @chain(%x: tensor<?xf32, #n>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[A:.*]] = relax.call_tp @twice(%{{.*}}) : (tensor<?xf32, #n>) -> tensor<?xf32, #n2>
  %0 = relax.call_tp @twice(%x) : (tensor<?xf32, #n>) -> tensor<?xf32>
  // CHECK: %[[B:.*]] = relax.call_tp @same(%[[A]]) : (tensor<?xf32, #n2>) -> tensor<?xf32, #n2>
  %1 = relax.call_tp @same(%0) : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: %[[E:.*]] = relax.erase_shape %[[B]] : tensor<?xf32, #n2> to tensor<?xf32>
  // CHECK: return %[[E]]
  return %1 : tensor<?xf32>
}

// Known extents stay as written.
// CHECK-LABEL: func.func @static_extents(
func.func @static_extents(%x: tensor<3xf32>) -> (tensor<6xf32>, !relax.shape<[6]>) {
  // CHECK: %[[A:.*]] = relax.call_tp @twice(%{{.*}}) : (tensor<3xf32>) -> tensor<6xf32>
  // CHECK: %[[S:.*]] = relax.shape_of %[[A]] : tensor<6xf32> -> !relax.shape<[6]>
  // CHECK: return %[[A]], %[[S]]
  %0 = relax.call_tp @twice(%x) : (tensor<3xf32>) -> tensor<6xf32>
  %1 = relax.shape_of %0 : tensor<6xf32> -> !relax.shape<[6]>
  return %0, %1 : tensor<6xf32>, !relax.shape<[6]>
}

// A use that would always trap keeps the old type.
// CHECK-LABEL: func.func @always_traps(
func.func @always_traps(%x: tensor<3xf32>) -> (tensor<4xf32>, tensor<5xf32>) {
  // CHECK: %[[A:.*]] = relax.call_tp @twice(%{{.*}}) : (tensor<3xf32>) -> tensor<6xf32>
  // CHECK-NEXT: %[[E:.*]] = relax.erase_shape %[[A]] : tensor<6xf32> to tensor<?xf32>
  // CHECK: relax.call_tp @four(%[[E]]) : (tensor<?xf32>) -> tensor<4xf32>
  // CHECK: relax.match_cast %[[E]] : tensor<?xf32> to tensor<5xf32>
  %0 = relax.call_tp @twice(%x) : (tensor<3xf32>) -> tensor<?xf32>
  %1 = relax.call_tp @four(%0) : (tensor<?xf32>) -> tensor<4xf32>
  %2 = relax.match_cast %0 : tensor<?xf32> to tensor<5xf32>
  return %1, %2 : tensor<4xf32>, tensor<5xf32>
}

// CHECK-LABEL: func.func @regions(
func.func @regions(%x: tensor<?xf32, #n>, %c: i1) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[D:.*]] = relax.dataflow -> (tensor<?xf32, #n2>)
  %0 = relax.dataflow -> (tensor<?xf32>) {
    %a = relax.call_tp @twice(%x) : (tensor<?xf32, #n>) -> tensor<?xf32>
    relax.output %a : tensor<?xf32>
  }
  // CHECK: scf.if %{{.*}} -> (tensor<?xf32, #n2>)
  %1 = scf.if %c -> (tensor<?xf32>) {
    scf.yield %0 : tensor<?xf32>
  } else {
    %b = relax.call_tp @twice(%x) : (tensor<?xf32, #n>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %1 : tensor<?xf32>
}

// Extents that differ, and those of symbols bound inside, stay unknown.
// CHECK-LABEL: func.func @unknown_regions(
func.func @unknown_regions(%x: tensor<?xf32, #n>, %c: i1, %u: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: scf.if %{{.*}} -> (tensor<?xf32>)
  %0 = scf.if %c -> (tensor<?xf32>) {
    %a = relax.erase_shape %x : tensor<?xf32, #n> to tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  } else {
    %b = relax.call_tp @twice(%x) : (tensor<?xf32, #n>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  // CHECK: relax.dataflow -> (tensor<?xf32>)
  %1 = relax.dataflow -> (tensor<?xf32>) {
    %m = relax.match_cast %u binds [m] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[m]>>
    %e = relax.erase_shape %m : tensor<?xf32, #relax_sym.shape<[m]>> to tensor<?xf32>
    relax.output %e : tensor<?xf32>
  }
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// A loop that keeps the extent keeps the symbol; one that grows does not.
// CHECK-LABEL: func.func @loops(
func.func @loops(%x: tensor<?xf32, #n>, %count: index) -> (tensor<?xf32>, tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = relax.erase_shape %x : tensor<?xf32, #n> to tensor<?xf32>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<?xf32, #n>, tensor<?xf32>)
  %0:2 = scf.for %i = %zero to %count step %one iter_args(%a = %e, %b = %e) -> (tensor<?xf32>, tensor<?xf32>) {
    // CHECK: relax.call_tp @same(%{{.*}}) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    %c = relax.call_tp @same(%a) : (tensor<?xf32>) -> tensor<?xf32>
    // CHECK: relax.call_tp @twice(%{{.*}}) : (tensor<?xf32>) -> tensor<?xf32>
    %d = relax.call_tp @twice(%b) : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %c, %d : tensor<?xf32>, tensor<?xf32>
  }
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// Calls: the mapping is stored, results of private functions become precise.
// CHECK-LABEL: func.func private @callee(
//  CHECK-SAME: -> tensor<?xf32, #k2>
func.func private @callee(%x: tensor<?xf32, #relax_sym.shape<[k]>>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @twice(%x) : (tensor<?xf32, #relax_sym.shape<[k]>>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func @caller(
func.func @caller(%x: tensor<?xf32, #n>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.call @callee(%{{.*}}) {k = n} : (tensor<?xf32, #n>) -> tensor<?xf32, #n2>
  %0 = relax.call @callee(%x) : (tensor<?xf32, #n>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A static dimension beside an expression: the name becomes the constant.
// CHECK-LABEL: func.func @normalized(
//  CHECK-SAME: %{{.*}}: tensor<7x4xf32>, %{{.*}}: tensor<7xf32>)
//  CHECK-SAME: relax_sym.scope = #relax_sym.scope<"7 <= 8">
func.func @normalized(%x: tensor<7x4xf32, #n_4>, %y: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<"n <= 8">} {
  // CHECK: relax.call_tp @twice(%{{.*}}) : (tensor<7xf32>) -> tensor<14xf32>
  %0 = relax.call_tp @twice(%y) : (tensor<?xf32, #n>) -> tensor<?xf32>
  return
}

// A function that others call keeps its type.
// CHECK-LABEL: func.func private @called(
//  CHECK-SAME: -> tensor<?xf32>
func.func private @called(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = relax.erase_shape %x : tensor<4xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @plain_call(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = func.call @called(%x) : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
