// RUN: relax-opt %s --relax-legalize-ops='leave-views=true' --relax-view-reshapes --split-input-file | FileCheck %s
// RUN: relax-opt %s --relax-legalize-ops='leave-views=true' --relax-view-reshapes --split-input-file --remark-format=emitRemark --remarks-filter='relax-.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] View | Category:relax-view-reshapes | Remark="a call of @reshape is a view"
// REMARK: [Passed] View | Category:relax-view-reshapes | Remark="a call of @expand_dims is a view"

// Dimensions that are taken together and split, with symbols in front; the operand's memory is the result.
// CHECK-LABEL: func.func @groups(
//   CHECK-NOT:   call_tp
//       CHECK:   relax.reshape %arg0, {{.*}} -> tensor<?x4x16xf32
//   CHECK-NOT:   call_tp
func.func @groups(%x: tensor<?x64xf32, #relax_sym.shape<[n, 64]>>) -> tensor<?x4x16xf32, #relax_sym.shape<[n, 4, 16]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?x64xf32, #relax_sym.shape<[n, 64]>> -> !relax.shape<[n, 64]>
  %t = relax.make_shape %s : (!relax.shape<[n, 64]>) -> !relax.shape<[n, 4, 16]>
  %0 = relax.reshape %x, %t : (tensor<?x64xf32, #relax_sym.shape<[n, 64]>>, !relax.shape<[n, 4, 16]>) -> tensor<?x4x16xf32, #relax_sym.shape<[n, 4, 16]>>
  return %0 : tensor<?x4x16xf32, #relax_sym.shape<[n, 4, 16]>>
}

// -----

// Across groups: 6 x 4 elements as 3 x 8.
// CHECK-LABEL: func.func @mixed(
//   CHECK-NOT:   call_tp
//       CHECK:   relax.reshape %arg0, {{.*}} -> tensor<3x8xf32>
func.func @mixed(%x: tensor<6x4xf32>) -> tensor<3x8xf32> {
  %t = relax.make_shape : () -> !relax.shape<[3, 8]>
  %0 = relax.reshape %x, %t : (tensor<6x4xf32>, !relax.shape<[3, 8]>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// -----

// Dimensions of extent 1 come, go and pass others, whatever op says so.
// CHECK-LABEL: func.func @units(
//   CHECK-NOT:   call_tp
//       CHECK:   %[[A:.*]] = relax.reshape %arg0, {{.*}} -> tensor<1x?x8xf32
//       CHECK:   %[[B:.*]] = relax.reshape %[[A]], {{.*}} -> tensor<?x1x8xf32
//       CHECK:   relax.reshape %[[B]], {{.*}} -> tensor<?x8xf32
//   CHECK-NOT:   call_tp
func.func @units(%x: tensor<?x8xf32, #relax_sym.shape<[n, 8]>>) -> tensor<?x8xf32, #relax_sym.shape<[n, 8]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.expand_dims %x {axes = array<i64: 0>} : (tensor<?x8xf32, #relax_sym.shape<[n, 8]>>) -> tensor<1x?x8xf32, #relax_sym.shape<[1, n, 8]>>
  %1 = relax.permute_dims %0 {permutation = array<i64: 1, 0, 2>} : (tensor<1x?x8xf32, #relax_sym.shape<[1, n, 8]>>) -> tensor<?x1x8xf32, #relax_sym.shape<[n, 1, 8]>>
  %2 = relax.squeeze %1 {axes = array<i64: 1>} : (tensor<?x1x8xf32, #relax_sym.shape<[n, 1, 8]>>) -> tensor<?x8xf32, #relax_sym.shape<[n, 8]>>
  return %2 : tensor<?x8xf32, #relax_sym.shape<[n, 8]>>
}

// -----

// Elements that change their order, and elements that are repeated, are moved.
// CHECK-LABEL: func.func @moves(
//   CHECK-NOT:   relax.reshape
//       CHECK:   relax.call_tp @permute_dims(
//   CHECK-NOT:   relax.reshape
//       CHECK:   relax.call_tp @broadcast_to(
func.func @moves(%x: tensor<?x8xf32, #relax_sym.shape<[n, 8]>>, %y: tensor<1x8xf32>)
    -> (tensor<8x?xf32, #relax_sym.shape<[8, n]>>, tensor<?x8xf32, #relax_sym.shape<[n, 8]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.permute_dims %x {permutation = array<i64: 1, 0>} : (tensor<?x8xf32, #relax_sym.shape<[n, 8]>>) -> tensor<8x?xf32, #relax_sym.shape<[8, n]>>
  %s = relax.shape_of %x : tensor<?x8xf32, #relax_sym.shape<[n, 8]>> -> !relax.shape<[n, 8]>
  %1 = relax.broadcast_to %y, %s : (tensor<1x8xf32>, !relax.shape<[n, 8]>) -> tensor<?x8xf32, #relax_sym.shape<[n, 8]>>
  return %0, %1 : tensor<8x?xf32, #relax_sym.shape<[8, n]>>, tensor<?x8xf32, #relax_sym.shape<[n, 8]>>
}

// -----

// No affine map says this one: it was left.
// CHECK-LABEL: func.func @split(
//   CHECK-NOT:   call_tp
//       CHECK:   relax.reshape %arg0, %arg1
func.func @split(%x: tensor<?xf32, #relax_sym.shape<[n * m]>>, %s: !relax.shape<[n, m]>) -> tensor<?x?xf32, #relax_sym.shape<[n, m]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.reshape %x, %s : (tensor<?xf32, #relax_sym.shape<[n * m]>>, !relax.shape<[n, m]>) -> tensor<?x?xf32, #relax_sym.shape<[n, m]>>
  return %0 : tensor<?x?xf32, #relax_sym.shape<[n, m]>>
}

// -----

// That there are as many elements is asserted, not proved: a call reads them at checked places.
// CHECK-LABEL: func.func @asserted(
//       CHECK:   relax.assert_shape
//       CHECK:   relax.call_tp @reshape(
func.func @asserted(%x: tensor<?x6xf32, #relax_sym.shape<[n, 6]>>, %t: !relax.shape<[m, k]>) -> tensor<?x?xf32, #relax_sym.shape<[m, k]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.reshape %x, %t : (tensor<?x6xf32, #relax_sym.shape<[n, 6]>>, !relax.shape<[m, k]>) -> tensor<?x?xf32, #relax_sym.shape<[m, k]>>
  return %0 : tensor<?x?xf32, #relax_sym.shape<[m, k]>>
}
