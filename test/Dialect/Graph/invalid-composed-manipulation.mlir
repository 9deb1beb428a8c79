// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @reshape_target(%x: tensor<2x3xf32>, %t: tensor<?xi64, #relax_sym.shape<[k]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.dynamic_reshape' op target is expected to have rank 1 and a static extent, got 'tensor<?xi64, #relax_sym.shape<[k]>>'}}
  %r = relax.dynamic_reshape %x, %t binds [a] : (tensor<2x3xf32>, tensor<?xi64, #relax_sym.shape<[k]>>) -> tensor<?xf32>
  return
}

// -----

func.func @reshape_binds(%x: tensor<2x3xf32>, %t: tensor<2xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.dynamic_reshape' op expects to bind 2 symbols, got 1}}
  %r = relax.dynamic_reshape %x, %t binds [a] : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @compress_binds(%x: tensor<2x3xf32>, %m: tensor<2xi1>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.compress' op expects to bind 1 symbols, got 0}}
  %r = relax.compress %x, %m {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2xi1>) -> tensor<?x3xf32>
  return
}

// -----

func.func @compress_axis(%x: tensor<2x3xf32>, %m: tensor<2xi1>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.compress' op axis is expected in [0, 2), got 2}}
  %r = relax.compress %x, %m binds [u] {axis = 2 : i64} : (tensor<2x3xf32>, tensor<2xi1>) -> tensor<?x3xf32>
  return
}

// -----

func.func @compress_rank(%x: tensor<2x3xf32>, %m: tensor<3x2xi1>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.compress' op mask is expected to have rank 1 to 1, got 2}}
  %r = relax.compress %x, %m binds [u] {axis = 1 : i64} : (tensor<2x3xf32>, tensor<3x2xi1>) -> tensor<?xf32>
  return
}

// -----

func.func @compress_extent(%x: tensor<2x3xf32>, %m: tensor<3xi1>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.compress' op dimension 0 of the mask is expected to be 2, got 3}}
  %r = relax.compress %x, %m binds [u] {axis = 0 : i64} : (tensor<2x3xf32>, tensor<3xi1>) -> tensor<?x3xf32>
  return
}

// -----

func.func @split_axis(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.split' op axis is expected in [0, 1), got 1}}
  %r:2 = relax.split %x {axis = 1 : i64, sections = 2 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @split_how(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.split' op expects either sizes or sections}}
  %r:2 = relax.split %x {axis = 0 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @split_uneven(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.split' op uneven is expected with sections only}}
  %r:2 = relax.split %x {axis = 0 : i64, sizes = [#relax_sym.expr<2>, #relax_sym.expr<2>], uneven} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @split_shown(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.split' op sizes use 'k', which no operand type shows}}
  %r:2 = relax.split %x {axis = 0 : i64, sizes = [#relax_sym.expr<k>, #relax_sym.expr<4 - k>]} : (tensor<4xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

func.func @split_negative(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.split' op size 0: expected 0 <= -1}}
  %r:2 = relax.split %x {axis = 0 : i64, sizes = [#relax_sym.expr<-1>, #relax_sym.expr<5>]} : (tensor<4xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

func.func @split_sum(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.split' op sum of the sizes is expected to be 4, got 3}}
  %r:2 = relax.split %x {axis = 0 : i64, sizes = [#relax_sym.expr<2>, #relax_sym.expr<1>]} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<1xf32>)
  return
}

// -----

func.func @split_sections(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.split' op sections is expected to be 1 or more, got 0}}
  %r:2 = relax.split %x {axis = 0 : i64, sections = 0 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @split_rest(%x: tensor<5xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.split' op rest of the extent of axis 0 is expected to be 0, got 1}}
  %r:2 = relax.split %x {axis = 0 : i64, sections = 2 : i64} : (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @split_results(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.split' op expects 4 results, got 2}}
  %r:2 = relax.split %x {axis = 0 : i64, sections = 4 : i64} : (tensor<4xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @tile_entries(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.tile' op repeats is expected to have 1 entries, got 2}}
  %r = relax.tile %x {repeats = [#relax_sym.expr<1>, #relax_sym.expr<2>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @tile_shown(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.tile' op repeats use 'k', which no operand type shows}}
  %r = relax.tile %x {repeats = [#relax_sym.expr<k>]} : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @tile_negative(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.tile' op repeats of axis 0: expected 0 <= -1}}
  %r = relax.tile %x {repeats = [#relax_sym.expr<-1>]} : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @tile_size(%x: tensor<4294967296xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.tile' op extent of axis 0 does not fit 64 bits}}
  %r = relax.tile %x {repeats = [#relax_sym.expr<4294967296>]} : (tensor<4294967296xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @repeat_axis(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.repeat' op axis is expected in [0, 1), got 1}}
  %r = relax.repeat %x {repeats = #relax_sym.expr<2>, axis = 1 : i64} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @repeat_shown(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.repeat' op repeats use 'k', which no operand type shows}}
  %r = relax.repeat %x {repeats = #relax_sym.expr<k>, axis = 0 : i64} : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @repeat_negative(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.repeat' op repeats: expected 0 <= -2}}
  %r = relax.repeat %x {repeats = #relax_sym.expr<-2>, axis = 0 : i64} : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @repeat_size(%x: tensor<4294967296xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.repeat' op extent of axis 0 does not fit 64 bits}}
  %r = relax.repeat %x {repeats = #relax_sym.expr<4294967296>, axis = 0 : i64} : (tensor<4294967296xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @stack_none() attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.stack' op expects at least one operand}}
  %r = relax.stack {axis = 0 : i64} : () -> tensor<0xf32>
  return
}

// -----

func.func @stack_axis(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.stack' op axis is expected in [0, 2), got 2}}
  %r = relax.stack %x {axis = 2 : i64} : (tensor<4xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @stack_type(%x: tensor<4xf32>, %y: tensor<4xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.stack' op element types of the operands differ: expected 'f32', got 'i64'}}
  %r = relax.stack %x, %y {axis = 0 : i64} : (tensor<4xf32>, tensor<4xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @stack_rank(%x: tensor<4xf32>, %y: tensor<4x1xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.stack' op operand 1 is expected to have rank 1, got 2}}
  %r = relax.stack %x, %y {axis = 0 : i64} : (tensor<4xf32>, tensor<4x1xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @stack_extent(%x: tensor<4xf32>, %y: tensor<5xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.stack' op dimension 0 of operand 1 is expected to be 4, got 5}}
  %r = relax.stack %x, %y {axis = 0 : i64} : (tensor<4xf32>, tensor<5xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @flip(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.flip' op axes lists 0 twice}}
  %r = relax.flip %x {axes = array<i64: 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @roll_axes(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.roll' op axes is expected in [0, 1), got 1}}
  %r = relax.roll %x {axes = array<i64: 1>, shifts = [#relax_sym.expr<1>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @roll_entries(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.roll' op shifts is expected to have 1 entries, got 2}}
  %r = relax.roll %x {axes = array<i64: 0>, shifts = [#relax_sym.expr<1>, #relax_sym.expr<1>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @roll_shown(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.roll' op shifts use 'k', which no operand type shows}}
  %r = relax.roll %x {axes = array<i64: 0>, shifts = [#relax_sym.expr<k>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @tril(%x: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.tril' op operand is expected to have rank 2 or more, got 1}}
  %r = relax.tril %x {diagonal = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
