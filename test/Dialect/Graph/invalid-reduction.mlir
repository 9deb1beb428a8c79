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

// -----

func.func @argmax_axis(%x: tensor<2xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.argmax' op axis is expected in [0, 1), got 1}}
  %r = relax.argmax %x {axis = 1 : i64} : (tensor<2xf32>) -> tensor<i64>
  return
}

// -----

func.func @argmin_empty(%x: tensor<0xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.argmin' op extent of axis 0: expected 1 <= 0}}
  %r = relax.argmin %x {axis = 0 : i64} : (tensor<0xf32>) -> tensor<i64>
  return
}

// -----

func.func @cumsum_axis(%x: tensor<2xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.cumsum' op axis is expected in [0, 1), got -1}}
  %r = relax.cumsum %x {axis = -1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
