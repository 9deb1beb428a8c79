// RUN: relax-opt %s --relax-strip-shapes | FileCheck %s

#n = #relax_sym.shape<[n]>
#n_4 = #relax_sym.shape<[n, 4]>

// CHECK-NOT: relax_sym
// CHECK-LABEL: func.func @entry(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?x4xf32>, %[[Y:[^:]+]]: tensor<?x4xf32>) -> tensor<?x4xf32> {
func.func @entry(%x: tensor<?x4xf32, #n_4>, %y: tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4>
    attributes {relax_sym.scope = #relax_sym.scope<"n <= 4096">} {
  // CHECK: %[[DX:.*]] = tensor.dim %[[X]], %{{.*}}
  // CHECK: %[[DY:.*]] = tensor.dim %[[Y]], %{{.*}}
  // CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[DY]], %[[DX]]
  // CHECK: cf.assert %[[SAME]], "argument 1 dimension 0 must be n"
  // CHECK: arith.constant 4096
  // CHECK: %[[LE:.*]] = arith.cmpi sle, %[[DX]], %{{.*}}
  // CHECK: cf.assert %[[LE]], "the arguments must satisfy n <= 4096"
  // CHECK: return %[[X]]
  return %x : tensor<?x4xf32, #n_4>
}

// An expression that is solved.
// CHECK-LABEL: func.func @solved(
func.func @solved(%x: tensor<?xf32, #relax_sym.shape<[k * 2]>>) -> index attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[D:.*]] = tensor.dim
  // CHECK: %[[K:.*]] = arith.floordivsi %[[D]], %{{.*}}
  // CHECK: cf.assert %{{.*}}, "argument 0 dimension 0 must be k * 2"
  // CHECK: return %[[K]]
  %s = relax.shape_of %x : tensor<?xf32, #relax_sym.shape<[k * 2]>> -> !relax.shape<[k * 2]>
  %k = relax.eval_expr %s, k : !relax.shape<[k * 2]> -> index
  return %k : index
}

// CHECK-LABEL: func.func @casts(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?x?xf32>) -> (tensor<?x4xf32>, tensor<?x?xf32>, tensor<2xi64>)
func.func @casts(%x: tensor<?x?xf32>) -> (tensor<?x4xf32, #relax_sym.shape<[m, 4]>>, tensor<?x?xf32>, tensor<2xi64>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: cf.assert %{{.*}}, "relax.match_cast: dimension 1 must be 4"
  // CHECK: %[[C:.*]] = tensor.cast %[[X]] : tensor<?x?xf32> to tensor<?x4xf32>
  %0 = relax.match_cast %x binds [m] : tensor<?x?xf32> to tensor<?x4xf32, #relax_sym.shape<[m, 4]>>
  // CHECK: %[[E:.*]] = tensor.cast %[[C]] : tensor<?x4xf32> to tensor<?x?xf32>
  %1 = relax.erase_shape %0 : tensor<?x4xf32, #relax_sym.shape<[m, 4]>> to tensor<?x?xf32>
  %s = relax.shape_of %0 : tensor<?x4xf32, #relax_sym.shape<[m, 4]>> -> !relax.shape<[m, 4]>
  // CHECK: arith.maxsi
  // CHECK: arith.cmpi sge
  // CHECK: cf.assert %{{.*}}, "too few (max(m, 2) >= m + 1)"
  relax.assert_shape %s, "max(m, 2) >= m + 1", "too few" : !relax.shape<[m, 4]>
  // CHECK: cf.assert %{{.*}}, "m - 1 must not be negative"
  %t = relax.make_shape %s : (!relax.shape<[m, 4]>) -> !relax.shape<[m - 1, 7]>
  // CHECK: %[[T:.*]] = tensor.from_elements
  %u = relax.shape_to_tensor %t : !relax.shape<[m - 1, 7]> -> tensor<2xi64>
  // CHECK: return %[[C]], %[[E]], %[[T]]
  return %0, %1, %u : tensor<?x4xf32, #relax_sym.shape<[m, 4]>>, tensor<?x?xf32>, tensor<2xi64>
}

// CHECK-LABEL: func.func @shape_arguments(
//  CHECK-SAME:     %[[A:[^:]+]]: index {relax.name = "s"}, %[[B:[^:]+]]: index {relax.name = "s"}, %[[T:[^:]+]]: tensor<1xi64>) -> index
func.func @shape_arguments(%s: !relax.shape<[n, 4]> {relax.name = "s"}, %t: tensor<1xi64>) -> index attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: cf.assert %{{.*}}, "argument 0 dimension 1 must be 4"
  // CHECK: %[[V:.*]] = tensor.extract %[[T]]
  // CHECK: %[[M:.*]] = arith.index_cast %[[V]] : i64 to index
  // CHECK: cf.assert %{{.*}}, "relax.tensor_to_shape: entry 0 must not be negative"
  %m = relax.tensor_to_shape %t binds [m] : tensor<1xi64> -> !relax.shape<[m]>
  %b = relax.make_shape %s, %m : (!relax.shape<[n, 4]>, !relax.shape<[m]>) -> !relax.shape<[n, m]>
  // CHECK: cf.assert %{{.*}}, "the divisor m must be positive"
  // CHECK: %[[R:.*]] = arith.floordivsi %[[A]], %[[M]]
  // CHECK: return %[[R]]
  %q = relax.eval_expr %b, n floordiv m : !relax.shape<[n, m]> -> index
  return %q : index
}

// CHECK-LABEL: func.func private @callee(tensor<?xf32>, index) -> tensor<?xf32>
func.func private @callee(tensor<?xf32, #n>, !relax.shape<[k]>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>}
// What a call says about the callee's symbols is checked: its result types rely on it.
// CHECK-LABEL: func.func @mapped_call(
//  CHECK-SAME:     %[[X:[^:]+]]: tensor<?xf32>
func.func @mapped_call(%x: tensor<?xf32>, %s: !relax.shape<[7]>) -> tensor<4xf32> {
  // CHECK: %[[D:.*]] = tensor.dim %[[X]], %{{.*}}
  // CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[D]], %{{.*}}
  // CHECK: cf.assert %[[SAME]], "relax.call @callee: argument 0 dimension 0 must be 4"
  // CHECK: call @callee(
  %0 = relax.call @callee(%x, %s) {n = 4} : (tensor<?xf32>, !relax.shape<[7]>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-LABEL: func.func @caller(
func.func @caller(%x: tensor<4xf32>, %s: !relax.shape<[n]>) -> tensor<4xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[C:.*]] = tensor.cast %{{.*}} : tensor<4xf32> to tensor<?xf32>
  // CHECK: %[[R:.*]] = call @callee(%[[C]], %{{.*}}) : (tensor<?xf32>, index) -> tensor<?xf32>
  // CHECK: tensor.cast %[[R]] : tensor<?xf32> to tensor<4xf32>
  %0 = relax.call @callee(%x, %s) : (tensor<4xf32>, !relax.shape<[n]>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
