// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @iota_axis(%s: !relax.shape<[2]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.iota' op axis is expected in [0, 1), got 1}}
  %r = relax.iota %s {axis = 1 : i64, dtype = i64} : (!relax.shape<[2]>) -> tensor<2xi64>
  return
}

// -----

func.func @iota_dtype(%s: !relax.shape<[2]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.iota' op dtype is expected to be f16, f32, f64, i8, i16, i32 or i64, got 'i1'}}
  %r = relax.iota %s {axis = 0 : i64, dtype = i1} : (!relax.shape<[2]>) -> tensor<2xi64>
  return
}

// -----

func.func @uniform_dtype(%s: !relax.shape<[2]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.random_uniform' op dtype is expected to be f16, f32 or f64, got 'i64'}}
  %r = relax.random_uniform %s {seed = 0 : i64, dtype = i64} : (!relax.shape<[2]>) -> tensor<2xf32>
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

// -----

func.func @clip_type(%x: tensor<2xf32>, %y: tensor<i64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.clip' op element types of the operands differ: expected 'f32', got 'i64'}}
  %r = relax.clip %x, %y, %y : (tensor<2xf32>, tensor<i64>, tensor<i64>) -> tensor<2xf32>
  return
}
