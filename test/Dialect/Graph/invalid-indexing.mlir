// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @slice_axes(%x: tensor<2x3xf32>, %b: tensor<1xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.dynamic_slice' op axes is expected in [0, 2), got 2}}
  %r = relax.dynamic_slice %x, %b, %b binds [u] {axes = array<i64: 2>} : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x3xf32>
  return
}

// -----

func.func @slice_binds(%x: tensor<2x3xf32>, %b: tensor<1xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.dynamic_slice' op expects to bind 1 symbols, got 0}}
  %r = relax.dynamic_slice %x, %b, %b {axes = array<i64: 0>} : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x3xf32>
  return
}

// -----

func.func @slice_name(%x: tensor<2x3xf32>, %b: tensor<1xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.dynamic_slice' op expects the name of a symbol}}
  %r = relax.dynamic_slice %x, %b, %b binds [""] {axes = array<i64: 0>} : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x3xf32>
  return
}

// -----

func.func @slice_bounds(%x: tensor<2x3xf32>, %b: tensor<2xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.dynamic_slice' op bounds are expected to be tensors of 1 elements, got 'tensor<2xi64>'}}
  %r = relax.dynamic_slice %x, %b, %b binds [u] {axes = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x3xf32>
  return
}

// -----

func.func @slice_types(%x: tensor<2x3xf32>, %b: tensor<1xi64>, %e: tensor<1xi32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.dynamic_slice' op element types of the operands differ: expected 'i64', got 'i32'}}
  %r = relax.dynamic_slice %x, %b, %e binds [u] {axes = array<i64: 0>} : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @slice_claim(%x: tensor<2x3xf32>, %b: tensor<1xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.dynamic_slice' op dimension 0 of the result is expected to be u, got 1}}
  %r = relax.dynamic_slice %x, %b, %b binds [u] {axes = array<i64: 0>} : (tensor<2x3xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x3xf32>
  return
}

// -----

func.func @along_axis(%x: tensor<2x3xf32>, %j: tensor<2x3xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.take_along_axis' op axis is expected in [0, 2), got -1}}
  %r = relax.take_along_axis %x, %j {axis = -1 : i64} : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @along_rank(%x: tensor<2x3xf32>, %j: tensor<2xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.take_along_axis' op indices are expected to have rank 2, got 1}}
  %r = relax.take_along_axis %x, %j {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @along_extent(%x: tensor<2x3xf32>, %j: tensor<3x3xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.take_along_axis' op dimension 0 of the indices: expected 3 <= 2}}
  %r = relax.take_along_axis %x, %j {axis = 1 : i64} : (tensor<2x3xf32>, tensor<3x3xi64>) -> tensor<3x3xf32>
  return
}

// -----

func.func @gather_batch(%x: tensor<2x3xf32>, %j: tensor<2xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.gather_nd' op batch_dims is expected in [0, 0], got 1}}
  %r = relax.gather_nd %x, %j {batch_dims = 1 : i64} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<f32>
  return
}

// -----

func.func @gather_tuple(%x: tensor<2x3xf32>, %j: tensor<4x3xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.gather_nd' op last dimension of the indices is expected to be a number, at most 2, got 3}}
  %r = relax.gather_nd %x, %j {batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<4x3xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @gather_symbolic(%x: tensor<2x3xf32>, %j: tensor<4x?xi64, #relax_sym.shape<[4, k]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.gather_nd' op last dimension of the indices is expected to be a number, at most 2, got k}}
  %r = relax.gather_nd %x, %j {batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<4x?xi64, #relax_sym.shape<[4, k]>>) -> tensor<4xf32>
  return
}

// -----

func.func @gather_extent(%x: tensor<2x3xf32>, %j: tensor<4x1xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.gather_nd' op dimension 0 of the indices is expected to be 2, got 4}}
  %r = relax.gather_nd %x, %j {batch_dims = 1 : i64} : (tensor<2x3xf32>, tensor<4x1xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @gather_scalar(%x: tensor<2x3xf32>, %j: tensor<i64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.scatter_nd' op indices are expected to have rank 1 or more, got 0}}
  %r = relax.scatter_nd %x, %j, %x {reduction = "none"} : (tensor<2x3xf32>, tensor<i64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_type(%x: tensor<2x3xf32>, %j: tensor<2x3xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.scatter_elements' op element types of the operands differ: expected 'f32', got 'i64'}}
  %r = relax.scatter_elements %x, %j, %j {axis = 0 : i64, reduction = "none"} : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_reduction(%x: tensor<2x3xf32>, %j: tensor<2x3xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.scatter_elements' op reduction is expected to be none, add, mul, max or min, got "mean"}}
  %r = relax.scatter_elements %x, %j, %x {axis = 0 : i64, reduction = "mean"} : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_bool(%x: tensor<2xi1>, %j: tensor<2xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.scatter_elements' op reduction is expected to be none for bools, got "add"}}
  %r = relax.scatter_elements %x, %j, %x {axis = 0 : i64, reduction = "add"} : (tensor<2xi1>, tensor<2xi64>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @scatter_axis(%x: tensor<2x3xf32>, %j: tensor<2x3xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.scatter_elements' op axis is expected in [0, 2), got 2}}
  %r = relax.scatter_elements %x, %j, %x {axis = 2 : i64, reduction = "none"} : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_updates(%x: tensor<2x3xf32>, %j: tensor<2x2xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.scatter_elements' op dimension 1 of the updates is expected to be 2, got 3}}
  %r = relax.scatter_elements %x, %j, %x {axis = 0 : i64, reduction = "none"} : (tensor<2x3xf32>, tensor<2x2xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_nd_rank(%x: tensor<2x3xf32>, %j: tensor<2x1xi64>, %u: tensor<2xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.scatter_nd' op updates are expected to have rank 2, got 1}}
  %r = relax.scatter_nd %x, %j, %u {reduction = "none"} : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}
