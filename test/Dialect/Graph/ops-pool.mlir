// RUN: relax-opt %s --verify-roundtrip | FileCheck %s --check-prefix=PRINT
// RUN: relax-opt %s --relax-infer-shapes --mlir-print-local-scope | FileCheck %s

#ncl = #relax_sym.shape<[n, 4, l]>

// PRINT-LABEL: func.func @pools(
// CHECK-LABEL: func.func @pools(
func.func @pools(%x: tensor<?x4x?xf32, #ncl>) attributes {relax_sym.scope = #relax_sym.scope<"l >= 8">} {
  // PRINT: relax.max_pool %{{.*}} {dilations = array<i64: 1>, kernel = array<i64: 3>, pads = array<i64: 1, 1>, strides = array<i64: 1>} :
  // CHECK: relax.max_pool {{.*}} -> tensor<?x4x?xf32, #relax_sym.shape<[n, 4, l]>>
  %0 = relax.max_pool %x {kernel = array<i64: 3>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>}
      : (tensor<?x4x?xf32, #ncl>) -> tensor<?x?x?xf32>
  // CHECK: relax.max_pool_indices {{.*}} -> tensor<?x4x?xi64, #relax_sym.shape<[n, 4, l ceildiv 2 - 1]>>
  %1 = relax.max_pool_indices %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 2>}
      : (tensor<?x4x?xf32, #ncl>) -> tensor<?x?x?xi64>
  // PRINT: relax.avg_pool %{{.*}} {ceil_mode, count_include_pad, dilations
  // CHECK: relax.avg_pool {{.*}} -> tensor<?x4x?xf32, #relax_sym.shape<[n, 4, l ceildiv 2]>>
  %2 = relax.avg_pool %x {kernel = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 0, 1>, dilations = array<i64: 1>, ceil_mode, count_include_pad}
      : (tensor<?x4x?xf32, #ncl>) -> tensor<?x?x?xf32>
  // PRINT: relax.lp_pool %{{.*}} {auto_pad = "same_upper", {{.*}}p = 2 : i64
  // CHECK: relax.lp_pool {{.*}} -> tensor<?x4x?xf32, #relax_sym.shape<[n, 4, l ceildiv 3]>>
  %3 = relax.lp_pool %x {kernel = array<i64: 3>, strides = array<i64: 3>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, p = 2 : i64, auto_pad = "same_upper"}
      : (tensor<?x4x?xf32, #ncl>) -> tensor<?x?x?xf32>
  // CHECK: relax.adaptive_avg_pool {{.*}} -> tensor<?x4x5xf32, #relax_sym.shape<[n, 4, 5]>>
  %4 = relax.adaptive_avg_pool %x {output_size = array<i64: 5>} : (tensor<?x4x?xf32, #ncl>) -> tensor<?x?x?xf32>
  // CHECK: relax.adaptive_max_pool {{.*}} -> tensor<?x4x1xf32, #relax_sym.shape<[n, 4, 1]>>
  %5 = relax.adaptive_max_pool %x {output_size = array<i64: 1>} : (tensor<?x4x?xf32, #ncl>) -> tensor<?x?x?xf32>
  return
}

// CHECK-LABEL: func.func @convolutions(
func.func @convolutions(%x: tensor<?x4x?xf32, #ncl>, %w: tensor<4x3x2xf32>, %v: tensor<8x4x3xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<"l >= 8">} {
  // PRINT: relax.conv_transpose %{{.*}}, %{{.*}} {dilations = array<i64: 1>, groups = 2 : i64, output_padding = array<i64: 1>, pads = array<i64: 0, 0>, strides = array<i64: 2>} :
  // CHECK: relax.conv_transpose {{.*}} -> tensor<?x6x?xf32, #relax_sym.shape<[n, 6, l * 2 + 1]>>
  %0 = relax.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, output_padding = array<i64: 1>, groups = 2 : i64}
      : (tensor<?x4x?xf32, #ncl>, tensor<4x3x2xf32>) -> tensor<?x?x?xf32>
  // CHECK: relax.conv {{.*}}auto_pad = "same_lower"{{.*}} -> tensor<?x8x?xf32, #relax_sym.shape<[n, 8, l ceildiv 2]>>
  %1 = relax.conv %x, %v {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, auto_pad = "same_lower"}
      : (tensor<?x4x?xf32, #ncl>, tensor<8x4x3xf32>) -> tensor<?x?x?xf32>
  return
}

// CHECK-LABEL: func.func @vectors(
func.func @vectors(%a: tensor<?xf32, #relax_sym.shape<[k]>>, %t: tensor<2x?x?xf32, #relax_sym.shape<[2, k, n]>>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.matmul {{.*}} -> tensor<f32>
  %0 = relax.matmul %a, %a : (tensor<?xf32, #relax_sym.shape<[k]>>, tensor<?xf32, #relax_sym.shape<[k]>>) -> tensor<f32>
  // CHECK: relax.matmul {{.*}} -> tensor<2x?xf32, #relax_sym.shape<[2, n]>>
  %1 = relax.matmul %a, %t : (tensor<?xf32, #relax_sym.shape<[k]>>, tensor<2x?x?xf32, #relax_sym.shape<[2, k, n]>>) -> tensor<?x?xf32>
  return
}
