// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @format(%x: tensor<2xi8>) {
  // expected-error @below {{'relax.decode' op there is no format 'i3'}}
  %0 = relax.decode %x {format = "i3", dtype = f32} : (tensor<2xi8>) -> tensor<2xf32>
  return
}

// -----

func.func @storage(%x: tensor<2xi16>) {
  // expected-error @below {{'relax.decode' op operand is expected to have element type 'i8', got 'i16'}}
  %0 = relax.decode %x {format = "u8", dtype = f32} : (tensor<2xi16>) -> tensor<2xf32>
  return
}

// -----

func.func @packed_scalar(%x: tensor<i8>) {
  // expected-error @below {{'relax.decode' op operand is expected to have rank 1 or more, got 0}}
  %0 = relax.decode %x {format = "u4", dtype = f32} : (tensor<i8>) -> tensor<f32>
  return
}

// -----

func.func @dtype(%x: tensor<2xi8>) {
  // expected-error @below {{'relax.decode' op dtype is expected to hold every value of 'u8', got 'i8'}}
  %0 = relax.decode %x {format = "u8", dtype = i8} : (tensor<2xi8>) -> tensor<2xi8>
  return
}

// -----

func.func @float_dtype(%x: tensor<2xi8>) {
  // expected-error @below {{'relax.decode' op dtype is expected to hold every value of 'f8e5m2', got 'i32'}}
  %0 = relax.decode %x {format = "f8e5m2", dtype = i32} : (tensor<2xi8>) -> tensor<2xi32>
  return
}

// -----

func.func @encoded_scalar(%x: tensor<f32>) {
  // expected-error @below {{'relax.encode' op operand is expected to have rank 1 or more, got 0}}
  %0 = relax.encode %x {format = "i2"} : (tensor<f32>) -> tensor<i8>
  return
}

// -----

func.func @encoded(%x: tensor<5xf32>) {
  // expected-error @below {{'relax.encode' op dimension 0 of the result is expected to be 2, got 5}}
  %0 = relax.encode %x {format = "i2"} : (tensor<5xf32>) -> tensor<5xi8>
  return
}

// -----

func.func @scale_type(%x: tensor<4x6xf32>, %s: tensor<f16>) {
  // expected-error @below {{'relax.quantize' op element types of the operands differ: expected 'f32', got 'f16'}}
  %0 = relax.quantize %x, %s {format = "i8"} : (tensor<4x6xf32>, tensor<f16>) -> tensor<4x6xi8>
  return
}

// -----

func.func @scale_rank(%x: tensor<4x6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{'relax.quantize' op scale is expected to have rank 0, got 1}}
  %0 = relax.quantize %x, %s {format = "i8"} : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @axis(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{'relax.quantize' op axis is expected in [0, 2), got 2}}
  %0 = relax.quantize %x, %s {format = "i8", axis = 2 : i64} : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @scale_extent(%x: tensor<4x6xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{'relax.quantize' op dimension 0 of the scale is expected to be 6, got 4}}
  %0 = relax.quantize %x, %s {format = "i8", axis = 1 : i64} : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @block(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{'relax.quantize' op block is expected to be at least 1, got 0}}
  %0 = relax.quantize %x, %s {format = "i8", axis = 1 : i64, block = 0 : i64} : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @block_alone(%x: tensor<4x6xf32>, %s: tensor<f32>) {
  // expected-error @below {{'relax.quantize' op block is expected beside axis only}}
  %0 = relax.quantize %x, %s {format = "i8", block = 2 : i64} : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @block_extent(%x: tensor<4x6xf32>, %s: tensor<4x3xf32>) {
  // expected-error @below {{'relax.quantize' op dimension 1 of the scale is expected to be 2, got 3}}
  %0 = relax.quantize %x, %s {format = "i8", axis = 1 : i64, block = 4 : i64} : (tensor<4x6xf32>, tensor<4x3xf32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @zero_packed(%x: tensor<4x6xf32>, %s: tensor<f32>, %z: tensor<i8>) {
  // expected-error @below {{'relax.quantize' op zero is expected with an axis where several numbers share a byte}}
  %0 = relax.quantize %x, %s zero(%z) {format = "u4"} : (tensor<4x6xf32>, tensor<f32>, tensor<i8>) -> tensor<4x3xi8>
  return
}

// -----

func.func @zero_type(%x: tensor<4x6xf32>, %s: tensor<f32>, %z: tensor<i32>) {
  // expected-error @below {{'relax.quantize' op zero is expected to have element type 'i8', got 'i32'}}
  %0 = relax.quantize %x, %s zero(%z) {format = "i8"} : (tensor<4x6xf32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @zero_extent(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %z: tensor<5xi8>) {
  // expected-error @below {{'relax.quantize' op dimension 0 of the zero is expected to be 6, got 5}}
  %0 = relax.quantize %x, %s zero(%z) {format = "i8", axis = 1 : i64} : (tensor<4x6xf32>, tensor<6xf32>, tensor<5xi8>) -> tensor<4x6xi8>
  return
}

// -----

func.func @product_format(%x: tensor<2x3xi8>, %y: tensor<3x2xi8>) {
  // expected-error @below {{'relax.quantized_matmul' op rhs_format is expected to be one of i2, u2, i4, u4, i8, u8, got i16}}
  %0 = relax.quantized_matmul %x, %y {lhs_format = "u8", rhs_format = "i16"} : (tensor<2x3xi8>, tensor<3x2xi8>) -> tensor<2x2xi32>
  return
}

// -----

func.func @product_zero(%x: tensor<2x3xi8>, %y: tensor<3x2xi8>, %z: tensor<4xi8>) {
  // expected-error @below {{'relax.quantized_matmul' op dimension 0 of lhs_zero is expected to be 1 or 3, got 4}}
  %0 = relax.quantized_matmul %x, %y lhs_zero(%z) {lhs_format = "u8", rhs_format = "i8"} : (tensor<2x3xi8>, tensor<3x2xi8>, tensor<4xi8>) -> tensor<2x2xi32>
  return
}

// -----

func.func @product_rank(%x: tensor<2x3xi8>, %y: tensor<3x2xi8>, %z: tensor<1x1x1xi8>) {
  // expected-error @below {{'relax.quantized_matmul' op rhs_zero is expected to have rank 2 or less, got 3}}
  %0 = relax.quantized_matmul %x, %y rhs_zero(%z) {lhs_format = "u8", rhs_format = "i8"} : (tensor<2x3xi8>, tensor<3x2xi8>, tensor<1x1x1xi8>) -> tensor<2x2xi32>
  return
}

// -----

func.func @conv_format(%x: tensor<1x2x3xi8>, %y: tensor<1x2x3xi8>) {
  // expected-error @below {{'relax.quantized_conv' op input_format is expected to be one of i2, u2, i4, u4, i8, u8, got f8e5m2}}
  %0 = relax.quantized_conv %x, %y {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64, input_format = "f8e5m2", weight_format = "i8"} : (tensor<1x2x3xi8>, tensor<1x2x3xi8>) -> tensor<1x1x1xi32>
  return
}

// -----

func.func @product_packed(%x: tensor<2x3xi8>, %y: tensor<3x2xi8>) {
  // expected-error @below {{'relax.quantized_matmul' op dimension 0 of the right operand is expected to be 6, got 3}}
  %0 = relax.quantized_matmul %x, %y {lhs_format = "u4", rhs_format = "i8"} : (tensor<2x3xi8>, tensor<3x2xi8>) -> tensor<2x2xi32>
  return
}

// -----

func.func @bits(%x: tensor<2xf32>) {
  // expected-error @below {{'relax.bitcast' op dtype is expected to be a type of as many bits as 'f32', got 'i64'}}
  %0 = relax.bitcast %x {dtype = i64} : (tensor<2xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @bool_bits(%x: tensor<2xi1>) {
  // expected-error @below {{'relax.bitcast' op dtype is expected to be a type of as many bits as 'i1', got 'i1'}}
  %0 = relax.bitcast %x {dtype = i1} : (tensor<2xi1>) -> tensor<2xi1>
  return
}
