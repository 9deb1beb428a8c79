// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<1x2xf32>) {
  // expected-error @below {{'relax.max_pool' op operand is expected to have rank 3, 4 or 5, got 2}}
  %0 = relax.max_pool %x {kernel = array<i64: 1>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @kernel_count(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.max_pool' op kernel is expected to have 1 entries, got 2}}
  %0 = relax.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @kernel(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.max_pool' op kernel is expected to be at least 1, got 0}}
  %0 = relax.max_pool %x {kernel = array<i64: 0>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @strides(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.max_pool' op strides is expected to be at least 1, got 0}}
  %0 = relax.max_pool %x {kernel = array<i64: 1>, strides = array<i64: 0>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @pads(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.max_pool' op pads is expected to be at least 0, got -1}}
  %0 = relax.max_pool %x {kernel = array<i64: 1>, strides = array<i64: 1>, pads = array<i64: -1, 0>, dilations = array<i64: 1>} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @pads_count(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.max_pool' op pads is expected to have 2 entries, got 1}}
  %0 = relax.max_pool %x {kernel = array<i64: 1>, strides = array<i64: 1>, pads = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @large_pads(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.max_pool' op pads are expected to be less than 3, which the window covers, got 3}}
  %0 = relax.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 3>, dilations = array<i64: 2>} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @dilations(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.max_pool' op dilations is expected to be at least 1, got 0}}
  %0 = relax.max_pool %x {kernel = array<i64: 1>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 0>} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @overflow(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.max_pool' op kernel with its dilation does not fit 64 bits}}
  %0 = relax.max_pool %x {kernel = array<i64: 4>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 9223372036854775807>} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @auto_pad(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.max_pool' op auto_pad is expected to be "same_upper" or "same_lower", got "valid"}}
  %0 = relax.max_pool %x {kernel = array<i64: 1>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, auto_pad = "valid"} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @auto_pads(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.max_pool' op pads are expected to be 0 beside auto_pad}}
  %0 = relax.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 1, 0>, dilations = array<i64: 1>, auto_pad = "same_upper"} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @room(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.max_pool' op dimension 2 of the operand: expected 0 <= -1}}
  %0 = relax.max_pool %x {kernel = array<i64: 10>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @extent(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.max_pool' op dimension 2 of the result is expected to be 8, got 7}}
  %0 = relax.max_pool %x {kernel = array<i64: 1>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x2x8xf32>) -> tensor<1x2x7xf32>
  return
}

// -----

func.func @index_type(%x: tensor<1x2x8xf16>) {
  // expected-error @below {{'relax.max_pool' op result is expected to have element type 'f16', got 'f32'}}
  %0 = relax.max_pool %x {kernel = array<i64: 1>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x2x8xf16>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @p(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.lp_pool' op p is expected to be at least 1, got 0}}
  %0 = relax.lp_pool %x {kernel = array<i64: 1>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, p = 0 : i64} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @output_size(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.adaptive_avg_pool' op output_size is expected to be at least 1, got 0}}
  %0 = relax.adaptive_avg_pool %x {output_size = array<i64: 0>} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @output_count(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{'relax.adaptive_max_pool' op output_size is expected to have 1 entries, got 2}}
  %0 = relax.adaptive_max_pool %x {output_size = array<i64: 1, 1>} : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @transposed_rank(%x: tensor<1x4xf32>, %w: tensor<4x3x2xf32>) {
  // expected-error @below {{'relax.conv_transpose' op input is expected to have rank 3, 4 or 5, got 2}}
  %0 = relax.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, output_padding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x4xf32>, tensor<4x3x2xf32>) -> tensor<1x3x9xf32>
  return
}

// -----

func.func @transposed_weight(%x: tensor<1x4x8xf32>, %w: tensor<4x3xf32>) {
  // expected-error @below {{'relax.conv_transpose' op weight is expected to have rank 3, got 2}}
  %0 = relax.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, output_padding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x4x8xf32>, tensor<4x3xf32>) -> tensor<1x3x9xf32>
  return
}

// -----

func.func @transposed_type(%x: tensor<1x4x8xf32>, %w: tensor<4x3x2xf16>) {
  // expected-error @below {{'relax.conv_transpose' op element types of the operands differ: expected 'f32', got 'f16'}}
  %0 = relax.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, output_padding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x4x8xf32>, tensor<4x3x2xf16>) -> tensor<1x3x9xf32>
  return
}

// -----

func.func @transposed_padding(%x: tensor<1x4x8xf32>, %w: tensor<4x3x2xf32>) {
  // expected-error @below {{'relax.conv_transpose' op output_padding is expected to be at least 0, got -1}}
  %0 = relax.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, output_padding = array<i64: -1>, groups = 1 : i64}
      : (tensor<1x4x8xf32>, tensor<4x3x2xf32>) -> tensor<1x3x9xf32>
  return
}

// -----

func.func @transposed_groups(%x: tensor<1x4x8xf32>, %w: tensor<4x3x2xf32>) {
  // expected-error @below {{'relax.conv_transpose' op groups is expected to be at least 1, got 0}}
  %0 = relax.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, output_padding = array<i64: 0>, groups = 0 : i64}
      : (tensor<1x4x8xf32>, tensor<4x3x2xf32>) -> tensor<1x3x9xf32>
  return
}

// -----

func.func @transposed_channels(%x: tensor<1x4x8xf32>, %w: tensor<5x3x2xf32>) {
  // expected-error @below {{'relax.conv_transpose' op dimension 0 of the weight is expected to be 4, got 5}}
  %0 = relax.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, output_padding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x4x8xf32>, tensor<5x3x2xf32>) -> tensor<1x3x9xf32>
  return
}

// -----

func.func @transposed_rest(%x: tensor<1x4x8xf32>, %w: tensor<4x3x2xf32>) {
  // expected-error @below {{'relax.conv_transpose' op rest of dimension 1 of the input divided by groups is expected to be 0, got 1}}
  %0 = relax.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, output_padding = array<i64: 0>, groups = 3 : i64}
      : (tensor<1x4x8xf32>, tensor<4x3x2xf32>) -> tensor<1x3x9xf32>
  return
}

// -----

func.func @transposed_extent(%x: tensor<1x4x8xf32>, %w: tensor<4x3x2xf32>) {
  // expected-error @below {{'relax.conv_transpose' op dimension 2 of the result: expected 0 <= -1}}
  %0 = relax.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 5, 5>, dilations = array<i64: 1>, output_padding = array<i64: 0>, groups = 1 : i64}
      : (tensor<1x4x8xf32>, tensor<4x3x2xf32>) -> tensor<1x3x9xf32>
  return
}

// -----

func.func @auto_conv(%x: tensor<1x4x8xf32>, %w: tensor<4x4x2xf32>) {
  // expected-error @below {{'relax.conv' op auto_pad is expected to be "same_upper" or "same_lower", got "same"}}
  %0 = relax.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, auto_pad = "same"}
      : (tensor<1x4x8xf32>, tensor<4x4x2xf32>) -> tensor<1x4x8xf32>
  return
}
