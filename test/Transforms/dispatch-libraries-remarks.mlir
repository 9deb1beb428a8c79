// RUN: relax-opt %s --relax-dispatch-libraries=libraries=%S/Inputs/libraries.mlir -o /dev/null --remarks=relax-dispatch-libraries 2>&1 | FileCheck %s

// What is called, and what fits nowhere: relu without a bias before it.
#n_8 = #relax_sym.shape<[n, 8]>
#n_6 = #relax_sym.shape<[n, 6]>

// CHECK: [[#@LINE+3]]:1: remark: [Missed] NotDispatched | Category:relax-dispatch-libraries | {{.*}}"@linear_relu: none of 1 'relax.relu' ends what @linear_relu_pattern computes"
// CHECK-NOT: NotDispatched
// CHECK: [[#@LINE+3]]:8: remark: [Passed] Dispatched | Category:relax-dispatch-libraries | {{.*}}"@product for 1 ops of @product_pattern"
func.func @product_and_relu(%x: tensor<?x8xf32, #n_8>, %w: tensor<8x6xf32>) -> tensor<?x6xf32, #n_6>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x8xf32, #n_8>, tensor<8x6xf32>) -> tensor<?x6xf32, #n_6>
  %1 = relax.relu %0 : tensor<?x6xf32, #n_6>
  return %1 : tensor<?x6xf32, #n_6>
}
