// RUN: relax-opt %s --relax-legalize-ops --mlir-print-local-scope | FileCheck %s

// The window's part inside of the operand is a loop, so nothing is padded.
// CHECK-LABEL: relax_tp.func private @max_pool(
// CHECK-SAME: tensor<?x4x?xf32> {relax_sym.shape = #relax_sym.shape<[n, 4, l]>}
// CHECK: linalg.generic
// CHECK: scf.for
// CHECK: arith.maximumf
func.func @max(%x: tensor<?x4x?xf32, #relax_sym.shape<[n, 4, l]>>) -> tensor<?x4x?xf32, #relax_sym.shape<[n, 4, l]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.call_tp @max_pool(%{{.*}})
  %0 = relax.max_pool %x {kernel = array<i64: 3>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>}
      : (tensor<?x4x?xf32, #relax_sym.shape<[n, 4, l]>>) -> tensor<?x4x?xf32, #relax_sym.shape<[n, 4, l]>>
  return %0 : tensor<?x4x?xf32, #relax_sym.shape<[n, 4, l]>>
}

// CHECK-LABEL: relax_tp.func private @conv_transpose(
// CHECK: linalg.generic
// CHECK-COUNT-2: scf.for
// CHECK-LABEL: func.func @transposed(
func.func @transposed(%x: tensor<?x3x?xf32, #relax_sym.shape<[n, 3, l]>>, %w: tensor<3x8x2xf32>)
    -> tensor<?x8x?xf32, #relax_sym.shape<[n, 8, l * 2]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.call_tp @conv_transpose(
  %0 = relax.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, output_padding = array<i64: 0>, groups = 1 : i64}
      : (tensor<?x3x?xf32, #relax_sym.shape<[n, 3, l]>>, tensor<3x8x2xf32>) -> tensor<?x8x?xf32, #relax_sym.shape<[n, 8, l * 2]>>
  return %0 : tensor<?x8x?xf32, #relax_sym.shape<[n, 8, l * 2]>>
}
