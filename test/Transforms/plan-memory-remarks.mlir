// RUN: relax-opt %s --relax-simplify --relax-decompose-ops --relax-legalize-ops --relax-fuse-ops --relax-fuse-tensor-programs --relax-plan -o /dev/null --remarks='relax-(plan-memory|fuse-ops)' 2>&1 | FileCheck %s

// Why products keep kernels of their own, and where their results live.
// CHECK-DAG: plan-memory-remarks.mlir:[[#@LINE+10]]:8: remark: [Missed] NotGrouped | Category:relax-fuse-ops | Remark="@matmul has a kernel of its own: the group of its readers has a product or a reduction already"
// CHECK-DAG: plan-memory-remarks.mlir:[[#@LINE+9]]:8: remark: [Passed] {{Planned|Reused}} | Category:relax-plan-memory
// CHECK-DAG: remark: [Passed] Reused | Category:relax-plan-memory | Remark="n * 32 bytes in the {{arena, where|memory of result}}
#n_8 = #relax_sym.shape<[n, 8]>
func.func @main(%x: tensor<?x8xf32, #n_8>, %w: tensor<8x8xf32>) -> tensor<?x8xf32, #n_8>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // Each product reads the one before.


  %0 = relax.matmul %x, %w : (tensor<?x8xf32, #n_8>, tensor<8x8xf32>) -> tensor<?x8xf32, #n_8>
  %1 = relax.matmul %0, %w : (tensor<?x8xf32, #n_8>, tensor<8x8xf32>) -> tensor<?x8xf32, #n_8>
  %2 = relax.matmul %1, %w : (tensor<?x8xf32, #n_8>, tensor<8x8xf32>) -> tensor<?x8xf32, #n_8>
  %3 = relax.matmul %2, %w : (tensor<?x8xf32, #n_8>, tensor<8x8xf32>) -> tensor<?x8xf32, #n_8>
  return %3 : tensor<?x8xf32, #n_8>
}
