// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @value(%s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.full' op value is expected to be a float or integer, got dense<0.000000e+00> : tensor<f32>}}
  %0 = relax.full %s, dense<0.0> : tensor<f32> : (!relax.shape<[4]>) -> tensor<4xf32>
  return
}

// -----

func.func @type(%s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.full' op result is expected to have element type 'f64', got 'f32'}}
  %0 = relax.full %s, 0.0 : f64 : (!relax.shape<[4]>) -> tensor<4xf32>
  return
}

// -----

func.func @iota_axis(%s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.iota' op axis is expected in [0, 1), got 1}}
  %0 = relax.iota %s {axis = 1 : i64, dtype = i64} : (!relax.shape<[4]>) -> tensor<4xi64>
  return
}

// -----

func.func @iota_dtype(%s: !relax.shape<[2]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.iota' op dtype is expected to be f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32 or ui64, got 'i1'}}
  %r = relax.iota %s {axis = 0 : i64, dtype = i1} : (!relax.shape<[2]>) -> tensor<2xi64>
  return
}

// -----

func.func @uniform_dtype(%s: !relax.shape<[2]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.random_uniform' op dtype is expected to be f16, bf16, f32 or f64, got 'i64'}}
  %r = relax.random_uniform %s {seed = 0 : i64, dtype = i64} : (!relax.shape<[2]>) -> tensor<2xf32>
  return
}
