// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @constants(%x: tensor<2x3xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{'relax.add' op dimension 1: cannot broadcast 3 with 4}}
  %0 = relax.add %x, %y : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @element_types(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @below {{'relax.add' op element types of the operands differ: expected 'f32', got 'i32'}}
  %0 = relax.add %x, %y : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @rank(%x: tensor<4xf32>, %y: tensor<2x4xf32>) {
  // expected-error @below {{'relax.add' op result is expected to have rank 2, got 'tensor<4xf32>'}}
  %0 = relax.add %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @result_element_type(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.equal' op result #0 must be ranked tensor of 1-bit signless integer values, but got 'tensor<4xf32>'}}
  %0 = relax.equal %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @result_float_type(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.add' op result is expected to have element type 'f32', got 'f16'}}
  %0 = relax.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

func.func @result_extent(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.add' op dimension 0 of the result is expected to be n, got n + 1}}
  %0 = relax.add %x, %x : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<?x4xf32, #relax_sym.shape<[n, 4]>>)
      -> tensor<?x4xf32, #relax_sym.shape<[n + 1, 4]>>
  return
}

// -----

// A unary op has no rules, so its result cannot claim more than its operand.
func.func @claim(%x: tensor<?xf32>, %s: !relax.shape<[n]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.exp' op dimension 0 of the result is expected to be ?, got 4}}
  %0 = relax.exp %x : tensor<?xf32> -> tensor<4xf32>
  return
}

// -----

func.func @integer_exp(%x: tensor<4xi32>) {
  // expected-error @below {{'relax.exp' op operand #0 must be ranked tensor of f16, bf16, f32 or f64, but got 'tensor<4xi32>'}}
  %0 = relax.exp %x : tensor<4xi32>
  return
}

// -----

func.func @astype(%x: tensor<4xi32>) {
  // expected-error @below {{'relax.astype' op dtype is expected to be f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, f8E8M0FNU, f4E2M1FN, i4, i2, ui4 or ui2, got 'index'}}
  %0 = relax.astype %x {dtype = index} : (tensor<4xi32>) -> tensor<4xi64>
  return
}

// -----

func.func @where(%c: tensor<4xi1>, %x: tensor<4xi32>, %y: tensor<4xf32>) {
  // expected-error @below {{'relax.where' op element types of the operands differ: expected 'i32', got 'f32'}}
  %0 = relax.where %c, %x, %y : (tensor<4xi1>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @clip_type(%x: tensor<2xf32>, %y: tensor<i64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.clip' op element types of the operands differ: expected 'f32', got 'i64'}}
  %r = relax.clip %x, %y, %y : (tensor<2xf32>, tensor<i64>, tensor<i64>) -> tensor<2xf32>
  return
}
