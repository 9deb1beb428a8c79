// RUN: relax-opt %s --split-input-file --relax-convert-conv-layout | FileCheck %s
// RUN: relax-opt %s --split-input-file --relax-convert-conv-layout=always | FileCheck %s --check-prefix=ALWAYS
// RUN: relax-opt %s --split-input-file --relax-convert-conv-layout=least-channels=64 | FileCheck %s --check-prefix=NONE
// RUN: relax-opt %s --split-input-file --relax-convert-conv-layout -o /dev/null --remark-format=emitRemark --remarks-filter=relax-convert-conv-layout 2>&1 | FileCheck %s --check-prefix=REMARK

// NONE-NOT: conv_channels_last

// Symbolic batch and size: one permutation on each shore, none between. A vector gets its place, weights stay.
#x = #relax_sym.shape<[n, 3, h, w]>
#y = #relax_sym.shape<[n, 32, h, w]>
#s = #relax_sym.shape<[n, 32, (h + 1) floordiv 2, (w + 1) floordiv 2]>
relax.weight_data @first : tensor<32x3x3x3xf32> = dense<0.5> : tensor<32x3x3x3xf32>
relax.weight_data @second : tensor<32x32x1x1xf32> = dense<0.25> : tensor<32x32x1x1xf32>
relax.weight_data @deep : tensor<32x1x3x3xf32> = dense<0.125> : tensor<32x1x3x3xf32>
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x3x?x?xf32
// CHECK: %[[P:.*]] = relax.permute_dims %[[X]] {permutation = array<i64: 0, 2, 3, 1>}
// CHECK: %[[W:.*]] = relax.weight @first : tensor<32x3x3x3xf32>
// CHECK: %[[A:.*]] = relax.conv_channels_last %[[P]], %[[W]] {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<?x?x?x3xf32, {{.*}}>, tensor<32x3x3x3xf32>) -> tensor<?x?x?x32xf32,
// CHECK: %[[B:.*]] = relax.squeeze %{{.*}} {axes = array<i64: 1, 2>}
// CHECK: %[[C:.*]] = relax.add %[[A]], %[[B]]
// CHECK: %[[R:.*]] = relax.relu %[[C]]
// CHECK: %[[D:.*]] = relax.conv_channels_last %[[R]]
// CHECK: %[[J:.*]] = relax.add %[[D]], %[[R]]
// CHECK: %[[L:.*]] = relax.conv_channels_last %[[J]], {{.*}} groups = 32 : i64, {{.*}} strides = array<i64: 2, 2>
// CHECK: %[[O:.*]] = relax.permute_dims %[[L]] {permutation = array<i64: 0, 3, 1, 2>}
// CHECK: return %[[O]]
// REMARK: ChannelsLast{{.*}}"convolutions: 3, computing about 18874368 elements; permuted: about 2883584"
func.func @chain(%x: tensor<?x3x?x?xf32, #x>, %b: tensor<32x1x1xf32>) -> tensor<?x32x?x?xf32, #s>
    attributes {relax_sym.scope = #relax_sym.scope<"n <= 64">} {
  %w = relax.weight @first : tensor<32x3x3x3xf32>
  %0 = relax.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x3x?x?xf32, #x>, tensor<32x3x3x3xf32>) -> tensor<?x32x?x?xf32, #y>
  %1 = relax.add %0, %b : (tensor<?x32x?x?xf32, #y>, tensor<32x1x1xf32>) -> tensor<?x32x?x?xf32, #y>
  %2 = relax.relu %1 : tensor<?x32x?x?xf32, #y>
  %v = relax.weight @second : tensor<32x32x1x1xf32>
  %3 = relax.conv %2, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x32x?x?xf32, #y>, tensor<32x32x1x1xf32>) -> tensor<?x32x?x?xf32, #y>
  %4 = relax.add %3, %2 : (tensor<?x32x?x?xf32, #y>, tensor<?x32x?x?xf32, #y>) -> tensor<?x32x?x?xf32, #y>
  %d = relax.weight @deep : tensor<32x1x3x3xf32>
  %5 = relax.conv %4, %d {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 32 : i64} : (tensor<?x32x?x?xf32, #y>, tensor<32x1x3x3xf32>) -> tensor<?x32x?x?xf32, #s>
  return %5 : tensor<?x32x?x?xf32, #s>
}

// -----

// Static sizes, one spatial dimension, parts that are joined: the axis moves, a result that is read elsewhere goes back.
relax.weight_data @w : tensor<16x4x1xf32> = dense<0.5> : tensor<16x4x1xf32>
// More is moved than computed, so that it only happens when it is asked for.
// CHECK-LABEL: func.func @joined
// CHECK-NOT: conv_channels_last
// REMARK: ChannelsFirst{{.*}}"convolutions: 1, computing about 288 elements; permuted: about 648"
// ALWAYS-LABEL: func.func @joined
// ALWAYS: relax.permute_dims %{{.*}} {permutation = array<i64: 0, 2, 1>} : (tensor<2x4x9xf32>) -> tensor<2x9x4xf32>
// ALWAYS: %[[A:.*]] = relax.conv_channels_last
// ALWAYS: %[[T:.*]] = relax.tanh %[[A]] : tensor<2x9x16xf32>
// ALWAYS: %[[C:.*]] = relax.concat %[[A]], %[[T]] {axis = 2 : i64}
// ALWAYS: relax.permute_dims %[[C]] {permutation = array<i64: 0, 2, 1>}
func.func @joined(%x: tensor<2x4x9xf32>) -> tensor<2x32x9xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %w = relax.weight @w : tensor<16x4x1xf32>
  %0 = relax.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<2x4x9xf32>, tensor<16x4x1xf32>) -> tensor<2x16x9xf32>
  %1 = relax.tanh %0 : tensor<2x16x9xf32>
  %2 = relax.concat %0, %1 {axis = 1 : i64} : (tensor<2x16x9xf32>, tensor<2x16x9xf32>) -> tensor<2x32x9xf32>
  return %2 : tensor<2x32x9xf32>
}

// -----

// Left alone: few out channels, groups of several channels, a weight that is an argument.
relax.weight_data @few : tensor<8x4x1xf32> = dense<0.5> : tensor<8x4x1xf32>
relax.weight_data @groups : tensor<32x2x1xf32> = dense<0.5> : tensor<32x2x1xf32>
relax.weight_data @many : tensor<64x4x1xf32> = dense<0.5> : tensor<64x4x1xf32>
// ALWAYS-LABEL: func.func @kept
// ALWAYS-NOT: conv_channels_last
func.func @kept(%x: tensor<2x4x9xf32>, %v: tensor<64x4x1xf32>)
    -> (tensor<2x8x9xf32>, tensor<2x32x9xf32>, tensor<2x64x9xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %w = relax.weight @few : tensor<8x4x1xf32>
  %0 = relax.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<2x4x9xf32>, tensor<8x4x1xf32>) -> tensor<2x8x9xf32>
  %g = relax.weight @groups : tensor<32x2x1xf32>
  %1 = relax.conv %x, %g {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 2 : i64} : (tensor<2x4x9xf32>, tensor<32x2x1xf32>) -> tensor<2x32x9xf32>
  %2 = relax.conv %x, %v {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<2x4x9xf32>, tensor<64x4x1xf32>) -> tensor<2x64x9xf32>
  return %0, %1, %2 : tensor<2x8x9xf32>, tensor<2x32x9xf32>, tensor<2x64x9xf32>
}
