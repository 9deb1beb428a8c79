// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @axis(%x: tensor<2x3xf32>) {
  // expected-error @below {{'relax.sum' op axes is expected in [0, 2), got -1}}
  %0 = relax.sum %x {axes = array<i64: -1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @twice(%x: tensor<2x3xf32>) {
  // expected-error @below {{'relax.max' op axes lists 1 twice}}
  %0 = relax.max %x {axes = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @keepdims(%x: tensor<2x3xf32>) {
  // expected-error @below {{'relax.mean' op result is expected to have rank 2, got 'tensor<2xf32>'}}
  %0 = relax.mean %x {axes = array<i64: 1>, keepdims} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}
