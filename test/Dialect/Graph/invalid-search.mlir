// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @nonzero(%x: tensor<2x3xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.nonzero' op expects to bind 1 symbols, got 2}}
  %r = relax.nonzero %x binds [u, v] : (tensor<2x3xf32>) -> tensor<2x?xi64>
  return
}

// -----

func.func @nonzero_type(%x: tensor<2x3xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.nonzero' op dimension 0 of the result is expected to be 2, got 3}}
  %r = relax.nonzero %x binds [u] : (tensor<2x3xf32>) -> tensor<3x?xi64>
  return
}

// -----

func.func @argsort(%x: tensor<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.argsort' op axis is expected in [0, 0), got 0}}
  %r = relax.argsort %x {axis = 0 : i64} : (tensor<f32>) -> tensor<i64>
  return
}

// -----

func.func @sort(%x: tensor<2xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.sort' op axis is expected in [0, 1), got 1}}
  %r = relax.sort %x {axis = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @topk_k(%x: tensor<2xf32>, %k: !relax.shape<[2, 3]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.topk' op k is expected to have 1 entry, got 2}}
  %v, %i = relax.topk %x, %k {axis = 0 : i64} : (tensor<2xf32>, !relax.shape<[2, 3]>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @topk_axis(%x: tensor<2xf32>, %k: !relax.shape<[2]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.topk' op axis is expected in [0, 1), got 1}}
  %v, %i = relax.topk %x, %k {axis = 1 : i64} : (tensor<2xf32>, !relax.shape<[2]>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @topk_type(%x: tensor<2xf32>, %k: !relax.shape<[3]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.topk' op dimension 0 of the result is expected to be 2, got 3}}
  %v, %i = relax.topk %x, %k {axis = 0 : i64} : (tensor<2xf32>, !relax.shape<[3]>) -> (tensor<3xf32>, tensor<3xi64>)
  return
}

// -----

func.func @unique_all(%x: tensor<2xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.unique_all' op expects to bind 1 symbols, got 0}}
  %v, %i, %j, %c = relax.unique_all %x : (tensor<2xf32>) -> (tensor<?xf32>, tensor<?xi64>, tensor<2xi64>, tensor<?xi64>)
  return
}

// -----

func.func @unique_all_size(%x: tensor<4294967296x4294967296xi8>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.unique_all' op number of elements does not fit 64 bits}}
  %v, %i, %j, %c = relax.unique_all %x binds [u] : (tensor<4294967296x4294967296xi8>) -> (tensor<?xi8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
  return
}

// -----

func.func @bucketize(%x: tensor<2xf32>, %b: tensor<2x2xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.bucketize' op boundaries are expected to have rank 1, got 2}}
  %r = relax.bucketize %x, %b : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @bucketize_type(%x: tensor<2xf32>, %b: tensor<2xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.bucketize' op element types of the operands differ: expected 'f32', got 'i64'}}
  %r = relax.bucketize %x, %b : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xi64>
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
