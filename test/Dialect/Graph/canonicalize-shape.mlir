// RUN: relax-opt %s --canonicalize=region-simplify=disabled | FileCheck %s

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#n_4 = #relax_sym.shape<[n, 4]>

// CHECK-LABEL: func.func @static_shape_of(
func.func @static_shape_of(%x: tensor<2x4xf32>) -> !relax.shape<[2, 4]> {
  // CHECK-NEXT: %[[S:.*]] = relax.make_shape : () -> !relax.shape<[2, 4]>
  // CHECK-NEXT: return %[[S]]
  %s = relax.shape_of %x : tensor<2x4xf32> -> !relax.shape<[2, 4]>
  return %s : !relax.shape<[2, 4]>
}

// CHECK-LABEL: func.func @shape_of_erased(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?x4xf32,
func.func @shape_of_erased(%x: tensor<?x4xf32, #n_4>) -> !relax.shape<[?, 4]> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: relax.shape_of %[[X]]
  %e = relax.erase_shape %x : tensor<?x4xf32, #n_4> to tensor<?x4xf32>
  %s = relax.shape_of %e : tensor<?x4xf32> -> !relax.shape<[?, 4]>
  return %s : !relax.shape<[?, 4]>
}

// A refinement to another symbol stays: the shape would mention a symbol that its operand does not.
// CHECK-LABEL: func.func @shape_of_refined(
func.func @shape_of_refined(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> !relax.shape<[m]>
    attributes {relax_sym.scope = #relax_sym.scope<"n == m">} {
  // CHECK-NEXT: relax.match_cast
  // CHECK-NEXT: relax.shape_of
  %r = relax.match_cast %x : tensor<?xf32, #n> to tensor<?xf32, #m>
  %s = relax.shape_of %r : tensor<?xf32, #m> -> !relax.shape<[m]>
  return %s : !relax.shape<[m]>
}

// CHECK-LABEL: func.func @make_same_shape(
//  CHECK-SAME:     %[[S:[^:]+]]: !relax.shape<[n, 4]>
func.func @make_same_shape(%s: !relax.shape<[n, 4]>) -> !relax.shape<[n, 4]> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: return %[[S]]
  %m = relax.make_shape %s : (!relax.shape<[n, 4]>) -> !relax.shape<[n, 4]>
  return %m : !relax.shape<[n, 4]>
}

// CHECK-LABEL: func.func @make_shape_operands(
//  CHECK-SAME:     %[[A:[^:]+]]: !relax.shape<[n]>, %{{.*}}: !relax.shape<[n, n]>, %[[C:[^:]+]]: !relax.shape<[m]>, %{{.*}}: !relax.shape<[k]>
func.func @make_shape_operands(%a: !relax.shape<[n]>, %b: !relax.shape<[n, n]>, %c: !relax.shape<[m]>, %d: !relax.shape<[k]>) -> !relax.shape<[n * m]>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: relax.make_shape %[[A]], %[[C]]
  %m = relax.make_shape %a, %b, %c, %d : (!relax.shape<[n]>, !relax.shape<[n, n]>, !relax.shape<[m]>, !relax.shape<[k]>) -> !relax.shape<[n * m]>
  return %m : !relax.shape<[n * m]>
}

// CHECK-LABEL: func.func @there_and_back(
//  CHECK-SAME:     %[[S:[^:]+]]: !relax.shape<[n, 4]>, %[[T:[^:]+]]: tensor<2xi64>
func.func @there_and_back(%s: !relax.shape<[n, 4]>, %t: tensor<2xi64>) -> (!relax.shape<[n, 4]>, tensor<2xi64>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: return %[[S]], %[[T]]
  %0 = relax.shape_to_tensor %s : !relax.shape<[n, 4]> -> tensor<2xi64>
  %1 = relax.tensor_to_shape %0 : tensor<2xi64> -> !relax.shape<[n, 4]>
  %2 = relax.tensor_to_shape %t : tensor<2xi64> -> !relax.shape<[?, ?]>
  %3 = relax.shape_to_tensor %2 : !relax.shape<[?, ?]> -> tensor<2xi64>
  return %1, %3 : !relax.shape<[n, 4]>, tensor<2xi64>
}

// CHECK-LABEL: func.func @constants(
func.func @constants(%s: !relax.shape<[n, 4]>) -> (tensor<2xi64>, tensor<0xi64>, index) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-DAG: %[[A:.*]] = relax.constant dense<[0, 4]> : tensor<2xi64>
  // CHECK-DAG: %[[B:.*]] = relax.constant dense<> : tensor<0xi64>
  // CHECK-DAG: %[[C:.*]] = arith.constant 12 : index
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %0 = relax.make_shape : () -> !relax.shape<[0, 4]>
  %1 = relax.shape_to_tensor %0 : !relax.shape<[0, 4]> -> tensor<2xi64>
  %2 = relax.make_shape : () -> !relax.shape<[]>
  %3 = relax.shape_to_tensor %2 : !relax.shape<[]> -> tensor<0xi64>
  %4 = relax.eval_expr %s, 3 * 4 : !relax.shape<[n, 4]> -> index
  return %1, %3, %4 : tensor<2xi64>, tensor<0xi64>, index
}

// CHECK-LABEL: func.func @casts(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?x4xf32,
func.func @casts(%x: tensor<?x4xf32, #n_4>, %u: tensor<?x?xf32>) -> (tensor<?x4xf32, #n_4>, tensor<?x?xf32>, tensor<?x4xf32, #n_4>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // A cast that checks nothing new forgets.
  // CHECK-NEXT: %[[E:.*]] = relax.erase_shape %[[X]] : tensor<?x4xf32, #{{.*}}> to tensor<?x?xf32>
  %0 = relax.match_cast %x : tensor<?x4xf32, #n_4> to tensor<?x4xf32, #n_4>
  %1 = relax.match_cast %x : tensor<?x4xf32, #n_4> to tensor<?x?xf32>
  // Forgetting and checking again.
  // CHECK-NEXT: return %[[X]], %[[E]], %[[X]]
  %2 = relax.match_cast %1 : tensor<?x?xf32> to tensor<?x4xf32, #n_4>
  return %0, %1, %2 : tensor<?x4xf32, #n_4>, tensor<?x?xf32>, tensor<?x4xf32, #n_4>
}

// CHECK-LABEL: func.func @cast_of_cast(
//  CHECK-SAME:     %[[U:[^:]+]]: tensor<?x?xf32>
func.func @cast_of_cast(%u: tensor<?x?xf32>, %s: !relax.shape<[n]>) -> tensor<?x4xf32, #n_4> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: %[[C:.*]] = relax.match_cast %[[U]] : tensor<?x?xf32> to tensor<?x4xf32, #{{.*}}>
  // CHECK-NEXT: return %[[C]]
  %0 = relax.match_cast %u : tensor<?x?xf32> to tensor<?x4xf32>
  %1 = relax.match_cast %0 : tensor<?x4xf32> to tensor<?x4xf32, #n_4>
  return %1 : tensor<?x4xf32, #n_4>
}

// A cast that binds stays, also when its result is the operand's type otherwise.
// CHECK-LABEL: func.func @binder_stays(
func.func @binder_stays(%x: tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #relax_sym.shape<[b, 4]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK-NEXT: relax.match_cast %{{.*}} binds [b]
  %0 = relax.erase_shape %x : tensor<?x4xf32, #n_4> to tensor<?x4xf32>
  %1 = relax.match_cast %0 binds [b] : tensor<?x4xf32> to tensor<?x4xf32, #relax_sym.shape<[b, 4]>>
  return %1 : tensor<?x4xf32, #relax_sym.shape<[b, 4]>>
}

// A cast that would always trap is kept as it is.
// CHECK-LABEL: func.func @always_traps(
func.func @always_traps(%x: tensor<4xf32>) -> tensor<5xf32> {
  // CHECK-NEXT: relax.erase_shape
  // CHECK-NEXT: relax.match_cast
  %0 = relax.erase_shape %x : tensor<4xf32> to tensor<?xf32>
  %1 = relax.match_cast %0 : tensor<?xf32> to tensor<5xf32>
  return %1 : tensor<5xf32>
}

// CHECK-LABEL: func.func @refinements(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?xf32,
func.func @refinements(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> (tensor<?xf32, #n>, tensor<?xf32, #n>, tensor<?xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<"n == 3", "m == 3">} {
  // CHECK-NEXT: %[[E:.*]] = relax.erase_shape %[[X]] : {{.*}} to tensor<?xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[E]]
  %0 = relax.refine %x : tensor<?xf32, #n> to tensor<?xf32, #n>
  %1 = relax.refine %x : tensor<?xf32, #n> to tensor<3xf32>
  %2 = relax.refine %1 : tensor<3xf32> to tensor<?xf32, #n>
  %3 = relax.erase_shape %1 : tensor<3xf32> to tensor<?xf32>
  return %0, %2, %3 : tensor<?xf32, #n>, tensor<?xf32, #n>, tensor<?xf32>
}

// CHECK-LABEL: func.func @assertions(
func.func @assertions(%s: !relax.shape<[n]>) attributes {relax_sym.scope = #relax_sym.scope<"n mod 4 == 0">} {
  // CHECK-NEXT: relax.assert_shape %{{.*}}, "n mod 8 == 0", "eighths"
  // CHECK-NEXT: return
  relax.assert_shape %s, "n mod 4 == 0", "quarters" : !relax.shape<[n]>
  relax.assert_shape %s, "n >= 0", "sign" : !relax.shape<[n]>
  relax.assert_shape %s, "n mod 8 == 0", "eighths" : !relax.shape<[n]>
  return
}
