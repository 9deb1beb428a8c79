// RUN: relax-opt %s --relax-decompose-ops --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @softmax(
func.func @softmax(%x: tensor<?x4xf16, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf16, #relax_sym.shape<[n, 4]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[WIDE:.*]] = relax.astype %{{.*}} {dtype = f32}
  // CHECK: %[[MAX:.*]] = relax.max %[[WIDE]] {axes = array<i64: 1>, keepdims} {{.*}} -> tensor<?x1xf32, #relax_sym.shape<[n, 1]>>
  // CHECK: %[[DISTANCE:.*]] = relax.subtract %[[WIDE]], %[[MAX]]
  // CHECK: %[[EXP:.*]] = relax.exp %[[DISTANCE]]
  // CHECK: %[[SUM:.*]] = relax.sum %[[EXP]]
  // CHECK: %[[RESULT:.*]] = relax.divide %[[EXP]], %[[SUM]]
  // CHECK: %[[NARROW:.*]] = relax.astype %[[RESULT]] {dtype = f16}
  // CHECK: return %[[NARROW]]
  %0 = relax.softmax %x {axis = 1 : i64} : (tensor<?x4xf16, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf16, #relax_sym.shape<[n, 4]>>
  return %0 : tensor<?x4xf16, #relax_sym.shape<[n, 4]>>
}

// What the op asks for is asserted: the product below would accept a scale of one element.
// CHECK-LABEL: func.func @rules(
func.func @rules(%x: tensor<?x?xf32, #relax_sym.shape<[n, c]>>, %s: tensor<?xf32, #relax_sym.shape<[d]>>) -> tensor<?x?xf32>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.assert_shape %{{.*}}, "d == c"
  // CHECK: relax.mean
  // CHECK: relax.match_cast %{{.*}} : tensor<?xf32, #relax_sym.shape<[d]>> to tensor<?xf32, #relax_sym.shape<[c]>>
  // CHECK: %[[RESULT:.*]] = relax.multiply {{.*}} -> tensor<?x?xf32, #relax_sym.shape<[n, c]>>
  // CHECK: relax.erase_shape %[[RESULT]] : tensor<?x?xf32, #relax_sym.shape<[n, c]>> to tensor<?x?xf32>
  %0 = relax.rms_norm %x scale(%s) {axes = array<i64: 1>}
      : (tensor<?x?xf32, #relax_sym.shape<[n, c]>>, tensor<?xf32, #relax_sym.shape<[d]>>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @unknown(
func.func @unknown(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: %[[KNOWN:.*]] = relax.match_cast %{{.*}} binds [d, d_1] : tensor<?x?xf32> to tensor<?x?xf32, #relax_sym.shape<[d, d_1]>>
  // CHECK: relax.assert_shape %{{.*}}, "d_1 mod 2 == 0"
  // CHECK: relax.reshape {{.*}} -> tensor<?x2x?xf32, #relax_sym.shape<[d, 2, d_1 floordiv 2]>>
  %0 = relax.group_norm %x {groups = 2 : i64} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
