// RUN: relax-opt %s --relax-dispatch-libraries=libraries=%S/Inputs/libraries.mlir | FileCheck %s
// RUN: relax-opt %s --relax-dispatch-libraries=libraries=%S/Inputs/libraries.mlir --canonicalize --relax-legalize-ops --relax-verify-mixed --relax-plan > /dev/null
// RUN: relax-opt %s --relax-dispatch-libraries=libraries=%S/Inputs/libraries.mlir --remark-format=emitRemark --remarks-filter='relax-.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] Dispatched | Category:relax-dispatch-libraries | Remark="@linear_relu for 3 ops of @linear_relu_pattern"

#n_4 = #relax_sym.shape<[n, 4]>
#n_6 = #relax_sym.shape<[n, 6]>
#n_8 = #relax_sym.shape<[n, 8]>

// CHECK-DAG: relax_ext.func private @linear_relu(
// CHECK-DAG: relax_ext.func private @product({{.*}} object = "{{.*}}/Inputs/product.o"

// The largest pattern comes first in the file. Its operands may be swapped; what is not proved is asked at run time.
// CHECK-LABEL: func.func @linear(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x4xf32, #{{.*}}>, %[[W:.*]]: tensor<4x6xf32>, %[[B:.*]]: tensor<6xf32>
//       CHECK:   %[[SHAPE:.*]] = relax.shape_of %[[X]]
//       CHECK:   %[[N:.*]] = relax.eval_expr %[[SHAPE]], n
//       CHECK:   %[[LARGE:.*]] = arith.cmpi sge, %[[N]], %c16
//       CHECK:   %[[FOUND:.*]] = relax_ext.available @linear_relu if %[[LARGE]] {site = 0 : i64}
//       CHECK:   %[[BOTH:.*]] = arith.andi %[[LARGE]], %[[FOUND]]
//       CHECK:   scf.if %[[BOTH]] -> (tensor<?x6xf32, #{{.*}}>) {
//       CHECK:     %[[CALL:.*]] = relax.call_dps @linear_relu(%[[X]], %[[W]], %[[B]])
//       CHECK:     scf.yield %[[CALL]]
//       CHECK:   } else {
//       CHECK:     relax.matmul
//       CHECK:     relax.add
//       CHECK:     relax.relu
//       CHECK:   } {relax.dispatch = "linear_relu", relax.symbols = {k = #relax_sym.expr<4>, m = #relax_sym.expr<n>, n = #relax_sym.expr<6>}}
func.func @linear(%x: tensor<?x4xf32, #n_4>, %w: tensor<4x6xf32>, %b: tensor<6xf32>) -> tensor<?x6xf32, #n_6>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x4xf32, #n_4>, tensor<4x6xf32>) -> tensor<?x6xf32, #n_6>
  %1 = relax.add %b, %0 : (tensor<6xf32>, tensor<?x6xf32, #n_6>) -> tensor<?x6xf32, #n_6>
  %2 = relax.relu %1 : tensor<?x6xf32, #n_6>
  return %2 : tensor<?x6xf32, #n_6>
}

// A value with another use stays; `where` is disproved for the rest, 4 is no multiple of 8.
// CHECK-LABEL: func.func @used_twice(
//   CHECK-NOT:   scf.if
func.func @used_twice(%x: tensor<?x4xf32, #n_4>, %w: tensor<4x6xf32>, %b: tensor<6xf32>) -> (tensor<?x6xf32, #n_6>, tensor<?x6xf32, #n_6>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x4xf32, #n_4>, tensor<4x6xf32>) -> tensor<?x6xf32, #n_6>
  %1 = relax.add %0, %b : (tensor<?x6xf32, #n_6>, tensor<6xf32>) -> tensor<?x6xf32, #n_6>
  %2 = relax.relu %1 : tensor<?x6xf32, #n_6>
  return %0, %2 : tensor<?x6xf32, #n_6>, tensor<?x6xf32, #n_6>
}

// Small by its facts: the larger pattern is out, the product in its object file always there.
// CHECK-LABEL: func.func @small(
//   CHECK-NOT:   relax_ext.available
//       CHECK:   scf.if %true
//       CHECK:     relax.call_dps @product
//       CHECK:   } else {
//       CHECK:     relax.matmul
//       CHECK:   relax.add
//       CHECK:   relax.relu
func.func @small(%x: tensor<?x8xf32, #n_8>, %w: tensor<8x6xf32>, %b: tensor<6xf32>) -> tensor<?x6xf32, #n_6>
    attributes {relax_sym.scope = #relax_sym.scope<"n <= 15">} {
  %0 = relax.matmul %x, %w : (tensor<?x8xf32, #n_8>, tensor<8x6xf32>) -> tensor<?x6xf32, #n_6>
  %1 = relax.add %0, %b : (tensor<?x6xf32, #n_6>, tensor<6xf32>) -> tensor<?x6xf32, #n_6>
  %2 = relax.relu %1 : tensor<?x6xf32, #n_6>
  return %2 : tensor<?x6xf32, #n_6>
}

// Two libraries for one product: the second one is asked where the first one is not called.
// CHECK-LABEL: func.func @both(
//       CHECK:   scf.if
//       CHECK:     relax.call_dps @linear_relu
//       CHECK:   } else {
//       CHECK:     scf.if %true
//       CHECK:       relax.call_dps @product
//       CHECK:     } else {
//       CHECK:       relax.matmul
//       CHECK:     } {relax.dispatch = "product"
//       CHECK:     relax.relu
//       CHECK:   } {relax.dispatch = "linear_relu"
func.func @both(%x: tensor<?x8xf32, #n_8>, %w: tensor<8x6xf32>, %b: tensor<6xf32>) -> tensor<?x6xf32, #n_6>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x8xf32, #n_8>, tensor<8x6xf32>) -> tensor<?x6xf32, #n_6>
  %1 = relax.add %0, %b : (tensor<?x6xf32, #n_6>, tensor<6xf32>) -> tensor<?x6xf32, #n_6>
  %2 = relax.relu %1 : tensor<?x6xf32, #n_6>
  return %2 : tensor<?x6xf32, #n_6>
}

// Other element types and unknown extents do not match.
// CHECK-LABEL: func.func @others(
//   CHECK-NOT:   scf.if
func.func @others(%x: tensor<?x8xf64, #n_8>, %w: tensor<8x6xf64>, %y: tensor<?x?xf32>, %z: tensor<?x6xf32>) -> (tensor<?x6xf64, #n_6>, tensor<?x6xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x8xf64, #n_8>, tensor<8x6xf64>) -> tensor<?x6xf64, #n_6>
  %1 = relax.matmul %y, %z : (tensor<?x?xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  return %0, %1 : tensor<?x6xf64, #n_6>, tensor<?x6xf32>
}
