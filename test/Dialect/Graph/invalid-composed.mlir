// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @arange_rank(%x: tensor<f32>, %y: tensor<1xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.arange' op operands are expected to have rank 0, got 1}}
  %r = relax.arange %x, %y, %x binds [u] : (tensor<f32>, tensor<1xf32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

func.func @arange_type(%x: tensor<f32>, %y: tensor<i64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.arange' op element types of the operands differ: expected 'f32', got 'i64'}}
  %r = relax.arange %x, %x, %y binds [u] : (tensor<f32>, tensor<f32>, tensor<i64>) -> tensor<?xf32>
  return
}

// -----

func.func @arange_binds(%x: tensor<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.arange' op expects to bind 1 symbols, got 0}}
  %r = relax.arange %x, %x, %x : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

func.func @eye_shape(%s: !relax.shape<[2]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.eye' op shape is expected to have 2 entries, got 1}}
  %r = relax.eye %s {diagonal = 0 : i64, dtype = f32} : (!relax.shape<[2]>) -> tensor<2xf32>
  return
}

// -----

func.func @eye_dtype(%s: !relax.shape<[2, 2]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.eye' op dtype is expected to be f16, bf16, f32, f64, i8, i16, i32, i64, ui8, ui16, ui32 or ui64, got 'i1'}}
  %r = relax.eye %s {diagonal = 0 : i64, dtype = i1} : (!relax.shape<[2, 2]>) -> tensor<2x2xi1>
  return
}

// -----

func.func @full_like(%x: tensor<2xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.full_like' op value is expected to be a float or integer, got 1 : index}}
  %r = relax.full_like %x, 1 : index : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @one_hot_depth(%j: tensor<2xi64>, %d: !relax.shape<[2, 2]>, %v: tensor<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.one_hot' op depth is expected to have 1 entry, got 2}}
  %r = relax.one_hot %j, %d, %v, %v {axis = 1 : i64} : (tensor<2xi64>, !relax.shape<[2, 2]>, tensor<f32>, tensor<f32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @one_hot_rank(%j: tensor<2xi64>, %d: !relax.shape<[2]>, %v: tensor<f32>, %w: tensor<1xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.one_hot' op on and off are expected to have rank 0, got 'tensor<1xf32>'}}
  %r = relax.one_hot %j, %d, %v, %w {axis = 1 : i64} : (tensor<2xi64>, !relax.shape<[2]>, tensor<f32>, tensor<1xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @one_hot_type(%j: tensor<2xi64>, %d: !relax.shape<[2]>, %v: tensor<f32>, %w: tensor<i64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.one_hot' op element types of the operands differ: expected 'f32', got 'i64'}}
  %r = relax.one_hot %j, %d, %v, %w {axis = 1 : i64} : (tensor<2xi64>, !relax.shape<[2]>, tensor<f32>, tensor<i64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @one_hot_axis(%j: tensor<2xi64>, %d: !relax.shape<[2]>, %v: tensor<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.one_hot' op axis is expected in [0, 2), got 2}}
  %r = relax.one_hot %j, %d, %v, %v {axis = 2 : i64} : (tensor<2xi64>, !relax.shape<[2]>, tensor<f32>, tensor<f32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @normal(%s: !relax.shape<[2]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.random_normal' op dtype is expected to be f16, bf16, f32 or f64, got 'i32'}}
  %r = relax.random_normal %s {seed = 1 : i64, dtype = i32} : (!relax.shape<[2]>) -> tensor<2xf32>
  return
}

// -----

func.func @variance(%x: tensor<2xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.variance' op axes is expected in [0, 1), got 1}}
  %r = relax.variance %x {axes = array<i64: 1>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @outer_rank(%x: tensor<2xf32>, %y: tensor<2x2xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.outer' op operands are expected to have rank 1, got 2}}
  %r = relax.outer %x, %y : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @outer_type(%x: tensor<2xf32>, %y: tensor<2xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.outer' op element types of the operands differ: expected 'f32', got 'i64'}}
  %r = relax.outer %x, %y : (tensor<2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return
}
