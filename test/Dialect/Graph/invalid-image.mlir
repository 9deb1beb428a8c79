// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @axes(%x: tensor<2x3xf32>, %s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.resize' op axes is expected in [0, 2), got 2}}
  %0 = relax.resize %x, %s {axes = array<i64: 2>, mode = "linear"} : (tensor<2x3xf32>, !relax.shape<[4]>) -> tensor<2x4xf32>
  return
}

// -----

func.func @shape(%x: tensor<2x3xf32>, %s: !relax.shape<[4, 4]>) {
  // expected-error @below {{'relax.resize' op shape is expected to have 1 entries, got 2}}
  %0 = relax.resize %x, %s {axes = array<i64: 1>, mode = "linear"} : (tensor<2x3xf32>, !relax.shape<[4, 4]>) -> tensor<2x4xf32>
  return
}

// -----

func.func @mode(%x: tensor<2x3xf32>, %s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.resize' op mode is expected to be one of nearest, linear, cubic, got area}}
  %0 = relax.resize %x, %s {axes = array<i64: 1>, mode = "area"} : (tensor<2x3xf32>, !relax.shape<[4]>) -> tensor<2x4xf32>
  return
}

// -----

func.func @coordinates(%x: tensor<2x3xf32>, %s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.resize' op coordinates is expected to be one of half_pixel, half_pixel_symmetric, pytorch_half_pixel, asymmetric, align_corners, tf_crop_and_resize, got corners}}
  %0 = relax.resize %x, %s {axes = array<i64: 1>, mode = "linear", coordinates = "corners"} : (tensor<2x3xf32>, !relax.shape<[4]>) -> tensor<2x4xf32>
  return
}

// -----

func.func @rounding(%x: tensor<2x3xf32>, %s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.resize' op rounding is expected to be one of round_prefer_floor, round_prefer_ceil, floor, ceil, got up}}
  %0 = relax.resize %x, %s {axes = array<i64: 1>, mode = "nearest", rounding = "up"} : (tensor<2x3xf32>, !relax.shape<[4]>) -> tensor<2x4xf32>
  return
}

// -----

func.func @integers(%x: tensor<2x3xi8>, %s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.resize' op mode is expected to be nearest for 'i8', got linear}}
  %0 = relax.resize %x, %s {axes = array<i64: 1>, mode = "linear"} : (tensor<2x3xi8>, !relax.shape<[4]>) -> tensor<2x4xi8>
  return
}

// -----

func.func @scales(%x: tensor<2x3xf32>, %s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.resize' op scales is expected to have 1 entries, got 2}}
  %0 = relax.resize %x, %s {axes = array<i64: 1>, mode = "linear", scales = array<f64: 1.0, 1.0>} : (tensor<2x3xf32>, !relax.shape<[4]>) -> tensor<2x4xf32>
  return
}

// -----

func.func @scale(%x: tensor<2x3xf32>, %s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.resize' op scales are expected to be positive and finite}}
  %0 = relax.resize %x, %s {axes = array<i64: 1>, mode = "linear", scales = array<f64: 0.0>} : (tensor<2x3xf32>, !relax.shape<[4]>) -> tensor<2x4xf32>
  return
}

// -----

func.func @roi(%x: tensor<2x3xf32>, %s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.resize' op roi is expected to have 2 entries, got 0}}
  %0 = relax.resize %x, %s {axes = array<i64: 1>, mode = "linear", coordinates = "tf_crop_and_resize"} : (tensor<2x3xf32>, !relax.shape<[4]>) -> tensor<2x4xf32>
  return
}

// -----

func.func @extrapolation(%x: tensor<2x3xi8>, %s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.resize' op extrapolation is expected to be a number of type 'i8', got 3.000000e+02}}
  %0 = relax.resize %x, %s {axes = array<i64: 1>, mode = "nearest", extrapolation = 300.0 : f64} : (tensor<2x3xi8>, !relax.shape<[4]>) -> tensor<2x4xi8>
  return
}
