// RUN: relax-opt %s --relax-dispatch-libraries=libraries=%S/Inputs/libraries.mlir --relax-dispatch-by-shape=table=%S/Inputs/dispatch-table.json -o /dev/null --remarks=relax-dispatch-by-shape 2>&1 | FileCheck %s

#n_4 = #relax_sym.shape<[n, 4]>
#n_6 = #relax_sym.shape<[n, 6]>

// CHECK: [[#@LINE+7]]:8: remark: [Passed] Variant | Category:relax-dispatch-by-shape | Remark="a variant where n == 1"
// CHECK: [[#@LINE+6]]:8: remark: [Passed] Variant | Category:relax-dispatch-by-shape | Remark="a variant where n <= 8"
// CHECK: [[#@LINE+5]]:8: remark: [Passed] Restricted | Category:relax-dispatch-by-shape | Remark="the library is called where n * 24 >= 1000 and n <= 4096"
func.func @linear(%x: tensor<?x4xf32, #n_4>, %w: tensor<4x6xf32>, %b: tensor<6xf32>) -> tensor<?x6xf32, #n_6>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x4xf32, #n_4>, tensor<4x6xf32>) -> tensor<?x6xf32, #n_6>
  %1 = relax.add %0, %b : (tensor<?x6xf32, #n_6>, tensor<6xf32>) -> tensor<?x6xf32, #n_6>
  %2 = relax.relu %1 : tensor<?x6xf32, #n_6>
  return %2 : tensor<?x6xf32, #n_6>
}

// CHECK: [[#@LINE+5]]:8: remark: [Missed] NeverCalled | Category:relax-dispatch-by-shape | Remark="the library is not called: never k * m * n >= 1000 and m <= 4096"
func.func @never(%x: tensor<?x4xf32, #n_4>, %w: tensor<4x6xf32>, %b: tensor<6xf32>) -> tensor<?x6xf32, #n_6>
    attributes {relax_sym.scope = #relax_sym.scope<"n >= 16", "n <= 40">} {
  %0 = relax.matmul %x, %w : (tensor<?x4xf32, #n_4>, tensor<4x6xf32>) -> tensor<?x6xf32, #n_6>
  %1 = relax.add %0, %b : (tensor<?x6xf32, #n_6>, tensor<6xf32>) -> tensor<?x6xf32, #n_6>
  %2 = relax.relu %1 : tensor<?x6xf32, #n_6>
  return %2 : tensor<?x6xf32, #n_6>
}
