// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @inner(%x: tensor<2x3xf32>, %y: tensor<4x2xf32>) {
  // expected-error @below {{'relax.matmul' op dimension 0 of the right operand is expected to be 3, got 4}}
  %0 = relax.matmul %x, %y : (tensor<2x3xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @scalar(%x: tensor<f32>, %y: tensor<3x2xf32>) {
  // expected-error @below {{'relax.matmul' op operands are expected to have rank 1 or more, got 0 and 2}}
  %0 = relax.matmul %x, %y : (tensor<f32>, tensor<3x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @batch(%x: tensor<2x2x3xf32>, %y: tensor<3x3x2xf32>) {
  // expected-error @below {{'relax.matmul' op batch dimension 0: cannot broadcast 2 with 3}}
  %0 = relax.matmul %x, %y : (tensor<2x2x3xf32>, tensor<3x3x2xf32>) -> tensor<2x2x2xf32>
  return
}

// -----

func.func @rank(%x: tensor<1x3xf32>, %w: tensor<2x3xf32>) {
  // expected-error @below {{'relax.conv' op input is expected to have rank 3, 4 or 5, got 2}}
  %0 = relax.conv %x, %w {strides = array<i64>, pads = array<i64>, dilations = array<i64>, groups = 1 : i64}
      : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @weight_rank(%x: tensor<1x3x8xf32>, %w: tensor<2x3xf32>) {
  // expected-error @below {{'relax.conv' op weight is expected to have rank 3, got 2}}
  %0 = relax.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
      : (tensor<1x3x8xf32>, tensor<2x3xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @pads(%x: tensor<1x3x8xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{'relax.conv' op pads is expected to have 2 entries, got 1}}
  %0 = relax.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0>, dilations = array<i64: 1>, groups = 1 : i64}
      : (tensor<1x3x8xf32>, tensor<2x3x3xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @strides(%x: tensor<1x3x8xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{'relax.conv' op strides is expected to be at least 1, got 0}}
  %0 = relax.conv %x, %w {strides = array<i64: 0>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
      : (tensor<1x3x8xf32>, tensor<2x3x3xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @groups(%x: tensor<1x3x8xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{'relax.conv' op groups is expected to be at least 1, got 0}}
  %0 = relax.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 0 : i64}
      : (tensor<1x3x8xf32>, tensor<2x3x3xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @channels(%x: tensor<1x3x8xf32>, %w: tensor<2x2x3xf32>) {
  // expected-error @below {{'relax.conv' op dimension 1 of the input is expected to be 4, got 3}}
  %0 = relax.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 2 : i64}
      : (tensor<1x3x8xf32>, tensor<2x2x3xf32>) -> tensor<1x2x6xf32>
  return
}

// -----

func.func @out_channels(%x: tensor<1x4x8xf32>, %w: tensor<3x2x3xf32>) {
  // expected-error @below {{'relax.conv' op rest of dimension 0 of the weight divided by groups is expected to be 0, got 1}}
  %0 = relax.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 2 : i64}
      : (tensor<1x4x8xf32>, tensor<3x2x3xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @too_small(%x: tensor<1x3x1xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{'relax.conv' op dimension 2 of the input: expected 0 <= -1}}
  %0 = relax.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
      : (tensor<1x3x1xf32>, tensor<2x3x3xf32>) -> tensor<1x2x?xf32>
  return
}

// -----

func.func @channels_last(%x: tensor<2x9x4xf32>, %w: tensor<16x3x1xf32>) {
  // expected-error @below {{'relax.conv_channels_last' op dimension 2 of the input is expected to be 3, got 4}}
  %0 = relax.conv_channels_last %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<2x9x4xf32>, tensor<16x3x1xf32>) -> tensor<2x9x16xf32>
  return
}
