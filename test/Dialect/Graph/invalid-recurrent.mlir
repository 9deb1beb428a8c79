// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @direction(%x: tensor<3x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @below {{'relax.recurrent' op direction is expected to be forward, reverse or bidirectional, got both}}
  %0:2 = relax.recurrent %x, %w, %r {cell = "rnn", direction = "both", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<3x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @cell(%x: tensor<3x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @below {{'relax.recurrent' op cell is expected to be rnn, gru or lstm, got mlp}}
  %0:2 = relax.recurrent %x, %w, %r {cell = "mlp", direction = "forward", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<3x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @activations(%x: tensor<3x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @below {{'relax.recurrent' op activations is expected to have 1 entries, got 2}}
  %0:2 = relax.recurrent %x, %w, %r {cell = "rnn", direction = "forward", activations = ["tanh", "tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<3x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @alpha(%x: tensor<3x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @below {{'relax.recurrent' op alpha is expected to have 1 entries, got 2}}
  %0:2 = relax.recurrent %x, %w, %r {cell = "rnn", direction = "forward", activations = ["tanh"], alpha = array<f64: 0.0, 0.0>, beta = array<f64: 0.0, 0.0>} : (tensor<3x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<3x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @activation(%x: tensor<3x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @below {{'relax.recurrent' op there is no activation "gelu"}}
  %0:2 = relax.recurrent %x, %w, %r {cell = "rnn", direction = "forward", activations = ["gelu"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<3x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @clip(%x: tensor<3x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @below {{'relax.recurrent' op clip is expected to be at least 0}}
  %0:2 = relax.recurrent %x, %w, %r {cell = "rnn", direction = "forward", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>, clip = -1.0 : f64} : (tensor<3x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<3x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @peephole(%x: tensor<3x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %e: tensor<1x12xf32>) {
  // expected-error @below {{'relax.recurrent' op only lstm has a cell and a peephole}}
  %0:2 = relax.recurrent %x, %w, %r peephole(%e) {cell = "rnn", direction = "forward", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<1x12xf32>) -> (tensor<3x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rank(%x: tensor<3x2xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @below {{'relax.recurrent' op input and recurrence are expected to have rank 3, got 2 and 3}}
  %0:2 = relax.recurrent %x, %w, %r {cell = "rnn", direction = "forward", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<3x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @weight(%x: tensor<3x2x3xf32>, %w: tensor<1x8x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @below {{'relax.recurrent' op dimension 1 of the weight is expected to be 4, got 8}}
  %0:2 = relax.recurrent %x, %w, %r {cell = "rnn", direction = "forward", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x3xf32>, tensor<1x8x3xf32>, tensor<1x4x4xf32>) -> (tensor<3x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @bias(%x: tensor<3x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %e: tensor<8xf32>) {
  // expected-error @below {{'relax.recurrent' op bias is expected to have rank 2, got 1}}
  %0:2 = relax.recurrent %x, %w, %r bias(%e) {cell = "rnn", direction = "forward", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<8xf32>) -> (tensor<3x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @lengths(%x: tensor<3x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>, %e: tensor<3xi32>) {
  // expected-error @below {{'relax.recurrent' op dimension 0 of the lengths is expected to be 2, got 3}}
  %0:2 = relax.recurrent %x, %w, %r lengths(%e) {cell = "rnn", direction = "forward", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>, tensor<3xi32>) -> (tensor<3x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @types(%x: tensor<3x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf16>) {
  // expected-error @below {{'relax.recurrent' op element types of the operands differ: expected 'f32', got 'f16'}}
  %0:2 = relax.recurrent %x, %w, %r {cell = "rnn", direction = "forward", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf16>) -> (tensor<3x1x2x4xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @results(%x: tensor<3x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @below {{'relax.recurrent' op is expected to have 2 results, got 1}}
  %0:1 = relax.recurrent %x, %w, %r {cell = "rnn", direction = "forward", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> tensor<3x1x2x4xf32>
  return
}

// -----

func.func @result(%x: tensor<3x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>) {
  // expected-error @below {{'relax.recurrent' op dimension 3 of the result is expected to be 4, got 5}}
  %0:2 = relax.recurrent %x, %w, %r {cell = "rnn", direction = "forward", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<3x1x2x5xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @scan_rank(%x: tensor<3x4xf32>, %r: tensor<4x4xf32>, %s: tensor<2x4xf32>) {
  // expected-error @below {{'relax.recurrent_scan' op input and recurrence are expected to have rank 3 and 2, got 2 and 2}}
  %0 = relax.recurrent_scan %x, %r, %s {cell = "rnn", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>) -> tensor<4x2x4xf32>
  return
}

// -----

func.func @scan_peephole(%x: tensor<3x2x4xf32>, %r: tensor<4x4xf32>, %s: tensor<2x4xf32>, %e: tensor<12xf32>) {
  // expected-error @below {{'relax.recurrent_scan' op only lstm has a peephole}}
  %0 = relax.recurrent_scan %x, %r, %s peephole(%e) {cell = "rnn", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<12xf32>) -> tensor<4x2x4xf32>
  return
}

// -----

func.func @scan_bias(%x: tensor<3x2x4xf32>, %r: tensor<4x4xf32>, %s: tensor<2x4xf32>, %e: tensor<4xf32>) {
  // expected-error @below {{'relax.recurrent_scan' op only gru with linear_before_reset has a bias}}
  %0 = relax.recurrent_scan %x, %r, %s bias(%e) {cell = "rnn", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>, tensor<4xf32>) -> tensor<4x2x4xf32>
  return
}

// -----

func.func @scan_state(%x: tensor<3x2x4xf32>, %r: tensor<4x4xf32>, %s: tensor<2x5xf32>) {
  // expected-error @below {{'relax.recurrent_scan' op dimension 1 of the state is expected to be 4, got 5}}
  %0 = relax.recurrent_scan %x, %r, %s {cell = "rnn", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x4xf32>, tensor<4x4xf32>, tensor<2x5xf32>) -> tensor<4x2x4xf32>
  return
}

// -----

func.func @scan_input(%x: tensor<3x2x5xf32>, %r: tensor<4x4xf32>, %s: tensor<2x4xf32>) {
  // expected-error @below {{'relax.recurrent_scan' op dimension 2 of the input is expected to be 4, got 5}}
  %0 = relax.recurrent_scan %x, %r, %s {cell = "rnn", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>} : (tensor<3x2x5xf32>, tensor<4x4xf32>, tensor<2x4xf32>) -> tensor<4x2x4xf32>
  return
}
