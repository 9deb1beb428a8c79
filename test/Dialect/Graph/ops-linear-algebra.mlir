// RUN: relax-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @matmul(
func.func @matmul(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %w: tensor<4x8xf32>,
                  %q: tensor<?x1x?x?xf16, #relax_sym.shape<[b, 1, s, d]>>, %k: tensor<2x?x?xf16, #relax_sym.shape<[2, d, t]>>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.matmul %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4x8xf32>) -> tensor<?x8xf32, #{{.*}}>
  %0 = relax.matmul %x, %w : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<4x8xf32>) -> tensor<?x8xf32, #relax_sym.shape<[n, 8]>>
  // CHECK: relax.matmul {{.*}} -> tensor<?x2x?x?xf16, #{{.*}}>
  %1 = relax.matmul %q, %k : (tensor<?x1x?x?xf16, #relax_sym.shape<[b, 1, s, d]>>, tensor<2x?x?xf16, #relax_sym.shape<[2, d, t]>>)
      -> tensor<?x2x?x?xf16, #relax_sym.shape<[b, 2, s, t]>>
  return
}

// CHECK-LABEL: func.func @conv(
func.func @conv(%x: tensor<?x4x?xf32, #relax_sym.shape<[n, 4, l]>>, %w: tensor<8x2x3xf32>, %y: tensor<1x1x8x8xf32>,
                %v: tensor<1x1x3x3xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.conv %{{.*}}, %{{.*}} {dilations = array<i64: 1>, groups = 2 : i64, pads = array<i64: 1, 1>, strides = array<i64: 2>}
  %0 = relax.conv %x, %w {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 2 : i64}
      : (tensor<?x4x?xf32, #relax_sym.shape<[n, 4, l]>>, tensor<8x2x3xf32>)
      -> tensor<?x8x?xf32, #relax_sym.shape<[n, 8, (l - 1) floordiv 2 + 1]>>
  %1 = relax.conv %y, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 2, 3>, groups = 1 : i64}
      : (tensor<1x1x8x8xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x4x2xf32>
  return
}

// CHECK-LABEL: func.func @channels_last
// CHECK: relax.conv_channels_last %{{.*}} {{.*}} -> tensor<?x5x16xf32, #{{.*}}>
func.func @channels_last(%x: tensor<?x9x4xf32, #relax_sym.shape<[n, 9, 4]>>, %w: tensor<16x4x1xf32>) -> tensor<?x5x16xf32, #relax_sym.shape<[n, 5, 16]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.conv_channels_last %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x9x4xf32, #relax_sym.shape<[n, 9, 4]>>, tensor<16x4x1xf32>) -> tensor<?x5x16xf32, #relax_sym.shape<[n, 5, 16]>>
  return %0 : tensor<?x5x16xf32, #relax_sym.shape<[n, 5, 16]>>
}
