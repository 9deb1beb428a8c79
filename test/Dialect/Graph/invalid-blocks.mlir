// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @format(%x: tensor<64xi8>, %s: tensor<2xf32>, %w: tensor<3x64x2xi8>) {
  // expected-error @below {{'relax.quantized_block_matmul' op numbers of the format 'f16' are no integers}}
  %0 = relax.quantized_block_matmul %x, %s, %w {format = "f16"} : (tensor<64xi8>, tensor<2xf32>, tensor<3x64x2xi8>) -> tensor<3xf32>
  return
}

// -----

func.func @unknown_format(%x: tensor<64xi8>, %s: tensor<2xf32>, %w: tensor<3x2x34xi8>) {
  // expected-error @below {{'relax.quantized_block_matmul' op there is no block format 'q9'}}
  %0 = relax.quantized_block_matmul %x, %s, %w {format = "q9"} : (tensor<64xi8>, tensor<2xf32>, tensor<3x2x34xi8>) -> tensor<3xf32>
  return
}

// -----

func.func @scales_rank(%x: tensor<4x64xi8>, %s: tensor<2xf32>, %w: tensor<3x2x34xi8>) {
  // expected-error @below {{'relax.quantized_block_matmul' op scales are expected to have the rank of lhs, 2, got 1}}
  %0 = relax.quantized_block_matmul %x, %s, %w {format = "q8_0"} : (tensor<4x64xi8>, tensor<2xf32>, tensor<3x2x34xi8>) -> tensor<4x3xf32>
  return
}

// -----

func.func @scales_rows(%x: tensor<4x64xi8>, %s: tensor<5x2xf32>, %w: tensor<3x2x34xi8>) {
  // expected-error @below {{'relax.quantized_block_matmul' op dimension 0 of scales}}
  %0 = relax.quantized_block_matmul %x, %s, %w {format = "q8_0"} : (tensor<4x64xi8>, tensor<5x2xf32>, tensor<3x2x34xi8>) -> tensor<4x3xf32>
  return
}

// -----

func.func @scales(%x: tensor<4x512xi8>, %s: tensor<4x2xf32>, %w: tensor<3x2x144xi8>) {
  // expected-error @below {{'relax.quantized_block_matmul' op the last dimension of scales}}
  %0 = relax.quantized_block_matmul %x, %s, %w {format = "q4_k"} : (tensor<4x512xi8>, tensor<4x2xf32>, tensor<3x2x144xi8>) -> tensor<4x3xf32>
  return
}

// -----

func.func @lhs(%x: tensor<4x65xi8>, %s: tensor<4x2xf32>, %w: tensor<3x2x34xi8>) {
  // expected-error @below {{'relax.quantized_block_matmul' op the last dimension of lhs}}
  %0 = relax.quantized_block_matmul %x, %s, %w {format = "q8_0"} : (tensor<4x65xi8>, tensor<4x2xf32>, tensor<3x2x34xi8>) -> tensor<4x3xf32>
  return
}
