// RUN: relax-opt %s --relax-group-patterns=patterns=%S/Inputs/libraries.mlir | FileCheck %s
// RUN: relax-opt %s --relax-group-patterns=patterns=%S/Inputs/libraries.mlir --relax-legalize-ops --relax-fuse-tensor-programs | FileCheck %s --check-prefix=FUSED

#n_4 = #relax_sym.shape<[n, 4]>
#n_6 = #relax_sym.shape<[n, 6]>

// CHECK-LABEL: func.func @linear(
//       CHECK:   %[[GROUP:.*]] = relax.fusion_group -> (tensor<?x6xf32, #{{.*}}>) attributes {relax.pattern = "linear_relu_pattern", relax.symbols = {k = #relax_sym.expr<4>, m = #relax_sym.expr<n>, n = #relax_sym.expr<6>}} {
//  CHECK-NEXT:     relax.matmul
//  CHECK-NEXT:     relax.add
//  CHECK-NEXT:     relax.relu
//  CHECK-NEXT:     relax.yield
//       CHECK:   relax.exp %[[GROUP]]
// FUSED-LABEL: func.func @linear(
//       FUSED:   relax.call_tp @fused_matmul_add_relu
//       FUSED:   relax.call_tp @exp
func.func @linear(%x: tensor<?x4xf32, #n_4>, %w: tensor<4x6xf32>, %b: tensor<6xf32>) -> tensor<?x6xf32, #n_6>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x4xf32, #n_4>, tensor<4x6xf32>) -> tensor<?x6xf32, #n_6>
  %1 = relax.add %0, %b : (tensor<?x6xf32, #n_6>, tensor<6xf32>) -> tensor<?x6xf32, #n_6>
  %2 = relax.relu %1 : tensor<?x6xf32, #n_6>
  %3 = relax.exp %2 : tensor<?x6xf32, #n_6>
  return %3 : tensor<?x6xf32, #n_6>
}

// "k mod 8 == 0" must be proved: 4 is not, k is not.
// CHECK-LABEL: func.func @facts(
//   CHECK-NOT:   relax.fusion_group
#n_k = #relax_sym.shape<[n, k]>
#k_6 = #relax_sym.shape<[k, 6]>
func.func @facts(%x: tensor<?x?xf32, #n_k>, %w: tensor<?x6xf32, #k_6>) -> tensor<?x6xf32, #n_6>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x?xf32, #n_k>, tensor<?x6xf32, #k_6>) -> tensor<?x6xf32, #n_6>
  return %0 : tensor<?x6xf32, #n_6>
}

// CHECK-LABEL: func.func @proved(
//       CHECK:   relax.fusion_group -> {{.*}} {relax.pattern = "product_pattern"
func.func @proved(%x: tensor<?x?xf32, #n_k>, %w: tensor<?x6xf32, #k_6>) -> tensor<?x6xf32, #n_6>
    attributes {relax_sym.scope = #relax_sym.scope<"k mod 16 == 0">} {
  %0 = relax.matmul %x, %w : (tensor<?x?xf32, #n_k>, tensor<?x6xf32, #k_6>) -> tensor<?x6xf32, #n_6>
  return %0 : tensor<?x6xf32, #n_6>
}
