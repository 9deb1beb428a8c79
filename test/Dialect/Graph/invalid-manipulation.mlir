// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @reshape(%x: tensor<2x3xf32>, %s: !relax.shape<[7]>) {
  // expected-error @below {{'relax.reshape' op number of elements of the result is expected to be 6, got 7}}
  %0 = relax.reshape %x, %s : (tensor<2x3xf32>, !relax.shape<[7]>) -> tensor<7xf32>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<2x3xf32>, %s: !relax.shape<[3]>) {
  // expected-error @below {{'relax.broadcast_to' op result is expected to have rank 2 or more, got 1}}
  %0 = relax.broadcast_to %x, %s : (tensor<2x3xf32>, !relax.shape<[3]>) -> tensor<3xf32>
  return
}

// -----

func.func @broadcast(%x: tensor<2x3xf32>, %s: !relax.shape<[4, 3]>) {
  // expected-error @below {{'relax.broadcast_to' op dimension 0 of the operand is expected to be 1 or 4, got 2}}
  %0 = relax.broadcast_to %x, %s : (tensor<2x3xf32>, !relax.shape<[4, 3]>) -> tensor<4x3xf32>
  return
}

// -----

func.func @permutation(%x: tensor<2x3xf32>) {
  // expected-error @below {{'relax.permute_dims' op permutation is expected to have 2 entries, got 1}}
  %0 = relax.permute_dims %x {permutation = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @permutation_range(%x: tensor<2x3xf32>) {
  // expected-error @below {{'relax.permute_dims' op permutation is expected in [0, 2), got 2}}
  %0 = relax.permute_dims %x {permutation = array<i64: 0, 2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @expand(%x: tensor<2xf32>) {
  // expected-error @below {{'relax.expand_dims' op axes is expected in [0, 2), got 2}}
  %0 = relax.expand_dims %x {axes = array<i64: 2>} : (tensor<2xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @squeeze(%x: tensor<2x3xf32>) {
  // expected-error @below {{'relax.squeeze' op dimension 1 of the operand is expected to be 1, got 3}}
  %0 = relax.squeeze %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_count(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.slice' op ends is expected to have 1 entries, got 0}}
  %0 = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<0>], ends = [], strides = array<i64: 1>}
      : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @slice_stride(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.slice' op stride of axis 0 is expected to be neither 0 nor the lowest integer}}
  %0 = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<0>], ends = [#relax_sym.expr<4>], strides = array<i64: 0>}
      : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @slice_end(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.slice' op upper bound of axis 0: expected 5 <= 4}}
  %0 = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<0>], ends = [#relax_sym.expr<5>], strides = array<i64: 1>}
      : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @slice_start(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.slice' op lower bound of axis 0: expected 0 <= -1}}
  %0 = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<-1>], ends = [#relax_sym.expr<3>], strides = array<i64: 1>}
      : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @slice_order(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.slice' op bounds of axis 0: expected 3 <= 2}}
  %0 = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<3>], ends = [#relax_sym.expr<2>], strides = array<i64: 1>}
      : (tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_symbol(%x: tensor<?xf32, #relax_sym.shape<[n]>>, %s: !relax.shape<[k]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.slice' op bounds of axis 0 use 'k', which no operand type shows}}
  %0 = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<0>], ends = [#relax_sym.expr<k>], strides = array<i64: 1>}
      : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32>
  return
}

// -----

func.func @concat_none() {
  // expected-error @below {{'relax.concat' op expects at least one operand}}
  %0 = relax.concat {axis = 0 : i64} : () -> tensor<5xf32>
  return
}

// -----

func.func @concat_axis(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.concat' op axis is expected in [0, 1), got 1}}
  %0 = relax.concat %x, %x {axis = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @concat_rank(%x: tensor<4xf32>, %y: tensor<4x1xf32>) {
  // expected-error @below {{'relax.concat' op operand 1 is expected to have rank 1, got 2}}
  %0 = relax.concat %x, %y {axis = 0 : i64} : (tensor<4xf32>, tensor<4x1xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_extent(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error @below {{'relax.concat' op dimension 1 of operand 1 is expected to be 2, got 3}}
  %0 = relax.concat %x, %y {axis = 0 : i64} : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @take(%x: tensor<4x2xf32>, %i: tensor<3xi64>) {
  // expected-error @below {{'relax.take' op axis is expected in [0, 2), got 2}}
  %0 = relax.take %x, %i {axis = 2 : i64} : (tensor<4x2xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @mode(%x: tensor<2x3xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.pad' op mode is expected to be constant, edge, reflect or wrap, got "mirror"}}
  %r = relax.pad %x {low = [#relax_sym.expr<0>, #relax_sym.expr<0>], high = [#relax_sym.expr<0>, #relax_sym.expr<0>], mode = "mirror"} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @value_mode(%x: tensor<2x3xf32>, %v: tensor<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.pad' op value is expected with the mode constant only, got the mode "edge"}}
  %r = relax.pad %x value(%v) {low = [#relax_sym.expr<0>, #relax_sym.expr<0>], high = [#relax_sym.expr<0>, #relax_sym.expr<0>], mode = "edge"} : (tensor<2x3xf32>, tensor<f32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @value_type(%x: tensor<2x3xf32>, %v: tensor<i64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.pad' op value is expected to have type 'tensor<f32>', got 'tensor<i64>'}}
  %r = relax.pad %x value(%v) {low = [#relax_sym.expr<0>, #relax_sym.expr<0>], high = [#relax_sym.expr<0>, #relax_sym.expr<0>], mode = "constant"} : (tensor<2x3xf32>, tensor<i64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @entries(%x: tensor<2x3xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.pad' op low and high are expected to have 2 entries, got 1 and 2}}
  %r = relax.pad %x {low = [#relax_sym.expr<0>], high = [#relax_sym.expr<0>, #relax_sym.expr<0>], mode = "constant"} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @shown(%x: tensor<2x3xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.pad' op amounts of axis 1 use 'k', which no operand type shows}}
  %r = relax.pad %x {low = [#relax_sym.expr<0>, #relax_sym.expr<k>], high = [#relax_sym.expr<0>, #relax_sym.expr<0>], mode = "constant"} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @before(%x: tensor<2x3xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.pad' op amount before axis 0: expected 0 <= -1}}
  %r = relax.pad %x {low = [#relax_sym.expr<-1>, #relax_sym.expr<0>], high = [#relax_sym.expr<0>, #relax_sym.expr<0>], mode = "constant"} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @after(%x: tensor<2x3xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.pad' op amount after axis 1: expected 0 <= -2}}
  %r = relax.pad %x {low = [#relax_sym.expr<0>, #relax_sym.expr<0>], high = [#relax_sym.expr<0>, #relax_sym.expr<-2>], mode = "constant"} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @empty(%x: tensor<0x3xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.pad' op amounts of axis 0: expected 1 <= 0}}
  %r = relax.pad %x {low = [#relax_sym.expr<1>, #relax_sym.expr<0>], high = [#relax_sym.expr<0>, #relax_sym.expr<0>], mode = "edge"} : (tensor<0x3xf32>) -> tensor<?x?xf32>
  return
}
