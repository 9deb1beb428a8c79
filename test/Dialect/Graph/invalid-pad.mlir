// RUN: relax-opt %s --split-input-file --verify-diagnostics

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
