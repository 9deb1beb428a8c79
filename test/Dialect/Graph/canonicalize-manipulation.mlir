// RUN: relax-opt %s --canonicalize | FileCheck %s

#n_4 = #relax_sym.shape<[n, 4]>
#m_n = #relax_sym.shape<[4, n]>

// CHECK-LABEL: func.func @identities(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x4xf32, #{{.*}}>, %{{.*}}: !relax.shape
//       CHECK:   return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<?x4xf32, #n_4>, %s: !relax.shape<[n, 4]>)
    -> (tensor<?x4xf32, #n_4>, tensor<?x4xf32, #n_4>, tensor<?x4xf32, #n_4>, tensor<?x4xf32, #n_4>, tensor<?x4xf32, #n_4>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.reshape %x, %s : (tensor<?x4xf32, #n_4>, !relax.shape<[n, 4]>) -> tensor<?x4xf32, #n_4>
  %1 = relax.broadcast_to %x, %s : (tensor<?x4xf32, #n_4>, !relax.shape<[n, 4]>) -> tensor<?x4xf32, #n_4>
  %2 = relax.permute_dims %x {permutation = array<i64: 0, 1>} : (tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4>
  %3 = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<0>], ends = [#relax_sym.expr<n>], strides = array<i64: 1>}
      : (tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4>
  %4 = relax.concat %x {axis = 0 : i64} : (tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4>
  return %0, %1, %2, %3, %4 : tensor<?x4xf32, #n_4>, tensor<?x4xf32, #n_4>, tensor<?x4xf32, #n_4>, tensor<?x4xf32, #n_4>, tensor<?x4xf32, #n_4>
}

// CHECK-LABEL: func.func @chains(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x4xf32
//       CHECK:   %[[R:.*]] = relax.reshape %[[X]], %{{.*}} : (tensor<?x4xf32, #{{.*}}>, !relax.shape<[n * 4]>)
//       CHECK:   return %[[X]], %[[R]]
func.func @chains(%x: tensor<?x4xf32, #n_4>, %s: !relax.shape<[4, n]>, %t: !relax.shape<[n * 4]>)
    -> (tensor<?x4xf32, #n_4>, tensor<?xf32, #relax_sym.shape<[n * 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.permute_dims %x {permutation = array<i64: 1, 0>} : (tensor<?x4xf32, #n_4>) -> tensor<4x?xf32, #m_n>
  %1 = relax.permute_dims %0 {permutation = array<i64: 1, 0>} : (tensor<4x?xf32, #m_n>) -> tensor<?x4xf32, #n_4>
  %2 = relax.reshape %x, %s : (tensor<?x4xf32, #n_4>, !relax.shape<[4, n]>) -> tensor<4x?xf32, #m_n>
  %3 = relax.reshape %2, %t : (tensor<4x?xf32, #m_n>, !relax.shape<[n * 4]>) -> tensor<?xf32, #relax_sym.shape<[n * 4]>>
  return %1, %3 : tensor<?x4xf32, #n_4>, tensor<?xf32, #relax_sym.shape<[n * 4]>>
}

// CHECK-LABEL: func.func @constants(
//   CHECK-DAG:   %[[SLICE:.*]] = relax.constant dense<[4, 2]> : tensor<2xi64>
//   CHECK-DAG:   %[[CONCAT:.*]] = relax.constant dense<[1, 2, 3, 4, 4, 2]> : tensor<6xi64>
//   CHECK-DAG:   %[[TAKE:.*]] = relax.constant dense<{{\[\[}}2], [3]]> : tensor<2x1xi64>
//   CHECK-DAG:   %[[T:.*]] = relax.constant dense<{{\[\[}}1, 3], [2, 4]]> : tensor<2x2xi64>
//   CHECK-DAG:   %[[WIDE:.*]] = relax.constant dense<{{\[\[}}1, 1], [2, 2]]> : tensor<2x2xi64>
//   CHECK-DAG:   %[[FULL:.*]] = relax.constant dense<7> : tensor<3xi32>
//       CHECK:   return %[[SLICE]], %[[CONCAT]], %[[TAKE]], %[[T]], %[[WIDE]], %[[FULL]]
func.func @constants() -> (tensor<2xi64>, tensor<6xi64>, tensor<2x1xi64>, tensor<2x2xi64>, tensor<2x2xi64>, tensor<3xi32>) {
  %c = relax.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %i = relax.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %col = relax.constant dense<[[1], [2]]> : tensor<2x1xi64>
  %s = relax.make_shape : () -> !relax.shape<[2, 2]>
  %s3 = relax.make_shape : () -> !relax.shape<[3]>
  %0 = relax.slice %c {axes = array<i64: 0>, starts = [#relax_sym.expr<3>], ends = [#relax_sym.expr<-1>], strides = array<i64: -2>}
      : (tensor<4xi64>) -> tensor<2xi64>
  %1 = relax.concat %c, %0 {axis = 0 : i64} : (tensor<4xi64>, tensor<2xi64>) -> tensor<6xi64>
  %2 = relax.take %c, %i {axis = 0 : i64} : (tensor<4xi64>, tensor<2x1xi32>) -> tensor<2x1xi64>
  %3 = relax.reshape %c, %s : (tensor<4xi64>, !relax.shape<[2, 2]>) -> tensor<2x2xi64>
  %4 = relax.permute_dims %3 {permutation = array<i64: 1, 0>} : (tensor<2x2xi64>) -> tensor<2x2xi64>
  %5 = relax.broadcast_to %col, %s : (tensor<2x1xi64>, !relax.shape<[2, 2]>) -> tensor<2x2xi64>
  %6 = relax.full %s3, 7 : i32 : (!relax.shape<[3]>) -> tensor<3xi32>
  return %0, %1, %2, %4, %5, %6 : tensor<2xi64>, tensor<6xi64>, tensor<2x1xi64>, tensor<2x2xi64>, tensor<2x2xi64>, tensor<3xi32>
}

// An index out of range stays for run time, where it is an error.
// CHECK-LABEL: func.func @out_of_range(
//       CHECK:   relax.take
func.func @out_of_range() -> tensor<i64> {
  %c = relax.constant dense<[1, 2]> : tensor<2xi64>
  %i = relax.constant dense<-1> : tensor<i64>
  %0 = relax.take %c, %i {axis = 0 : i64} : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}
