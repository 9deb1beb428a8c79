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

func.func @unique(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.unique' op result is expected to be 'tensor<?xf32, #relax_sym.shape<[u]>>', got 'tensor<4xf32>'}}
  %0 = relax.unique %x binds [u] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unique_name(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.unique' op expects the name of a symbol}}
  %0 = relax.unique %x binds [""] : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @unique_symbol(%x: tensor<4xf32>) {
  // expected-error @below {{expected a symbol}}
  %0 = relax.unique %x binds [4] : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @iota_axis(%s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.iota' op axis is expected in [0, 1), got 1}}
  %0 = relax.iota %s {axis = 1 : i64, dtype = i64} : (!relax.shape<[4]>) -> tensor<4xi64>
  return
}
