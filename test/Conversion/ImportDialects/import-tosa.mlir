// RUN: relax-opt %s --relax-import-tosa --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @main(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x?xf32, #[[X_SHAPE:.*]]>, %[[Y:.*]]: tensor<1x?xf32, #[[Y_SHAPE:.*]]>)
//       CHECK:   %[[SUM:.*]] = relax.add %[[X]], %[[Y]]
//       CHECK:   relax.sum %{{.*}} {axes = array<i64: 1>, keepdims}
//       CHECK:   relax.reshape
func.func @main(%x: tensor<?x?xf32>, %y: tensor<1x?xf32>) -> tensor<?xf32> {
  %0 = tosa.add %x, %y : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<?x?xf32>) -> tensor<?x1xf32>
  %shape = tosa.const_shape {values = dense<-1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %2 = tosa.reshape %1, %shape : (tensor<?x1xf32>, !tosa.shape<1>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @leading_zeros(
//       CHECK:   relax.shift_right {{.*}} -> tensor<?xui32
//       CHECK:   relax.where
func.func @leading_zeros(%x: tensor<?xi32>) -> tensor<?xi32> {
  %0 = tosa.clz %x : (tensor<?xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

func.func @unknown(%x: tensor<?x1x2xf32>, %i: tensor<?x1xi32>) -> tensor<?x1x2xf32> {
  // expected-error@+1 {{'tosa.scatter' op is not known to the import}}
  %0 = tosa.scatter %x, %i, %x : (tensor<?x1x2xf32>, tensor<?x1xi32>, tensor<?x1x2xf32>) -> tensor<?x1x2xf32>
  return %0 : tensor<?x1x2xf32>
}
