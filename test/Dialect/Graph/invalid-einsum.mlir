// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @none() attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.einsum' op expects at least one operand}}
  %r = relax.einsum  {equation = ""} : () -> tensor<2x4xf32>
  return
}

// -----

func.func @type(%x0: tensor<2x3xf32>, %x1: tensor<3x4xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.einsum' op element types of the operands differ: expected 'f32', got 'i64'}}
  %r = relax.einsum %x0, %x1 {equation = "ij,jk"} : (tensor<2x3xf32>, tensor<3x4xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @operands(%x0: tensor<2x3xf32>, %x1: tensor<3x4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.einsum' op equation "ij->ij" has 1 operands, but there are 2}}
  %r = relax.einsum %x0, %x1 {equation = "ij->ij"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @character(%x0: tensor<2x3xf32>, %x1: tensor<3x4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.einsum' op equation "i1,jk" has the character '1'}}
  %r = relax.einsum %x0, %x1 {equation = "i1,jk"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @letters(%x0: tensor<2x3xf32>, %x1: tensor<3x4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.einsum' op equation "ijk,jk" has 3 letters for operand 0 of rank 2}}
  %r = relax.einsum %x0, %x1 {equation = "ijk,jk"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @ellipsis(%x0: tensor<2x3xf32>, %x1: tensor<3x4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.einsum' op equation "......,jk" has a second ellipsis in one term}}
  %r = relax.einsum %x0, %x1 {equation = "......,jk"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @result(%x0: tensor<2x3xf32>, %x1: tensor<3x4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.einsum' op equation "ij,jk->im" has 'm' in the result, but in no operand}}
  %r = relax.einsum %x0, %x1 {equation = "ij,jk->im"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @twice(%x0: tensor<2x3xf32>, %x1: tensor<3x4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.einsum' op equation "ij,jk->ii" has 'i' twice in the result}}
  %r = relax.einsum %x0, %x1 {equation = "ij,jk->ii"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @extent(%x0: tensor<2x3xf32>, %x1: tensor<5x4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.einsum' op dimension 0 of operand 1 is expected to be 3, got 5}}
  %r = relax.einsum %x0, %x1 {equation = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
  return
}
