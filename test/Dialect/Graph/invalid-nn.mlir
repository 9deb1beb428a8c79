// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @softmax_axis(%x: tensor<2x3xf32>) {
  // expected-error @below {{'relax.softmax' op axis is expected in [0, 2), got 2}}
  %0 = relax.softmax %x {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @softmax_result(%x: tensor<2x3xf32>) {
  // expected-error @below {{'relax.softmax' op dimension 1 of the result is expected to be 3, got 4}}
  %0 = relax.softmax %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @layer_norm_axes(%x: tensor<2x3xf32>) {
  // expected-error @below {{'relax.layer_norm' op axes lists 1 twice}}
  %0 = relax.layer_norm %x {axes = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @layer_norm_order(%x: tensor<2x3xf32>) {
  // expected-error @below {{'relax.layer_norm' op axes are expected to rise}}
  %0 = relax.layer_norm %x {axes = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scale_rank(%x: tensor<2x3xf32>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'relax.rms_norm' op scale is expected to have rank 1, got 2}}
  %0 = relax.rms_norm %x scale(%s) {axes = array<i64: 1>} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scale_extent(%x: tensor<2x3xf32>, %s: tensor<1xf32>) {
  // expected-error @below {{'relax.layer_norm' op dimension 0 of the bias is expected to be 3, got 1}}
  %0 = relax.layer_norm %x bias(%s) {axes = array<i64: 1>} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_type(%x: tensor<2x3xf32>, %s: tensor<3xf16>) {
  // expected-error @below {{'relax.batch_norm' op element types of the operands differ: expected 'f32', got 'f16'}}
  %0 = relax.batch_norm %x, %s, %s, %s, %s {axis = 1 : i64}
      : (tensor<2x3xf32>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @groups(%x: tensor<2x3xf32>) {
  // expected-error @below {{'relax.group_norm' op groups is expected to be at least 1, got 0}}
  %0 = relax.group_norm %x {groups = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @group_rest(%x: tensor<2x3xf32>) {
  // expected-error @below {{'relax.group_norm' op rest of dimension 1 of the operand divided by groups is expected to be 0, got 1}}
  %0 = relax.group_norm %x {groups = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @instance_rank(%x: tensor<3xf32>) {
  // expected-error @below {{'relax.instance_norm' op operand is expected to have rank 2 or more, got 1}}
  %0 = relax.instance_norm %x : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slope_rank(%x: tensor<3xf32>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'relax.prelu' op slope is expected to have rank 1 or less, got 2}}
  %0 = relax.prelu %x, %s : (tensor<3xf32>, tensor<1x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slope_extent(%x: tensor<3xf32>, %s: tensor<2xf32>) {
  // expected-error @below {{'relax.prelu' op dimension 0 of the slope is expected to be 1 or 3, got 2}}
  %0 = relax.prelu %x, %s : (tensor<3xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @gelu_integer(%x: tensor<3xi32>) {
  // expected-error @below {{operand #0 must be ranked tensor of f16, bf16, f32 or f64, but got 'tensor<3xi32>'}}
  %0 = relax.gelu %x : (tensor<3xi32>) -> tensor<3xi32>
  return
}
