// RUN: relax-opt %s --split-input-file --verify-diagnostics

#n = #relax_sym.shape<[n]>
func.func @no_scope(%x: tensor<?xf32, #n>) {
  // expected-error @below {{'relax.shape_of' op mentions symbol 'n' in a function without 'relax_sym.scope'; the attribute 'relax_sym.scope = #relax_sym.scope<>' states no facts}}
  %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n]>
  return
}

// -----

#n = #relax_sym.shape<[n]>
func.func @shape_of_other(%x: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.shape_of' op failed to infer returned types}}
  // expected-error @below {{'relax.shape_of' op inferred type(s) '!relax.shape<[n]>' are incompatible with return type(s) of operation '!relax.shape<[n * 2]>'}}
  %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n * 2]>
  return
}

// -----

#n = #relax_sym.shape<[n]>
func.func @foreign_symbol(%x: tensor<?xf32, #n>, %s: !relax.shape<[k]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.make_shape' op result mentions symbol 'n', which no operand type mentions}}
  %m = relax.make_shape %s : (!relax.shape<[k]>) -> !relax.shape<[n]>
  return
}

// -----

func.func @unknown_entry() {
  // expected-error @below {{'relax.make_shape' op entry 1 of the result must be an expression}}
  %m = relax.make_shape : () -> !relax.shape<[1, ?]>
  return
}

// -----

func.func @negative_entry() {
  // expected-error @below {{'relax.make_shape' op entry 0 is -1, which is never an extent}}
  %m = relax.make_shape : () -> !relax.shape<[-1]>
  return
}

// -----

func.func @negative_symbolic_entry(%s: !relax.shape<[n]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.make_shape' op entry 0 is -n - 1, which is never an extent}}
  %m = relax.make_shape %s : (!relax.shape<[n]>) -> !relax.shape<[-n - 1]>
  return
}

// -----

func.func @to_tensor(%s: !relax.shape<[1, ?]>) {
  // expected-error @below {{'relax.shape_to_tensor' op result must be of type 'tensor<2xi64>', got 'tensor<3xi64>'}}
  %t = relax.shape_to_tensor %s : !relax.shape<[1, ?]> -> tensor<3xi64>
  return
}

// -----

func.func @from_tensor(%t: tensor<?xi64>) {
  // expected-error @below {{'relax.tensor_to_shape' op operand must have 2 elements, got type 'tensor<?xi64>'}}
  %s = relax.tensor_to_shape %t : tensor<?xi64> -> !relax.shape<[?, ?]>
  return
}

// -----

func.func @from_tensor_negative(%t: tensor<1xi64>) {
  // expected-error @below {{'relax.tensor_to_shape' op entry 0 is -2, which is never an extent}}
  %s = relax.tensor_to_shape %t : tensor<1xi64> -> !relax.shape<[-2]>
  return
}

// -----

func.func @binds_twice(%t: tensor<1xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.tensor_to_shape' op binds symbol 'm' twice}}
  %s = relax.tensor_to_shape %t binds [m, m] : tensor<1xi64> -> !relax.shape<[m]>
  return
}

// -----

func.func @binds_no_extent(%x: tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.match_cast' op binds symbol 'm', which is not an extent of the result by itself}}
  %s = relax.match_cast %x binds [m] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<[m * 2]>>
  return
}

// -----

func.func @binds_no_name(%x: tensor<?xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.match_cast' op binds a symbol without a name}}
  %s = relax.match_cast %x binds [""] : tensor<?xf32> to tensor<?xf32>
  return
}

// -----

func.func @binds_syntax(%x: tensor<?xf32>) {
  // expected-error @below {{expected a symbol}}
  %s = relax.match_cast %x binds [4] : tensor<?xf32> to tensor<?xf32>
  return
}

// -----

func.func @cast_kind(%x: tensor<?xf32>) {
  // expected-error @below {{'relax.match_cast' op needs two tensors or two shapes, got 'tensor<?xf32>' and '!relax.shape<[?]>'}}
  %s = relax.match_cast %x : tensor<?xf32> to !relax.shape<[?]>
  return
}

// -----

func.func @cast_element_type(%x: tensor<?xf32>) {
  // expected-error @below {{'relax.match_cast' op cannot change the element type from 'f32' to 'f16'}}
  %s = relax.match_cast %x : tensor<?xf32> to tensor<?xf16>
  return
}

// -----

func.func @cast_rank(%x: tensor<?xf32>) {
  // expected-error @below {{'relax.match_cast' op cannot change the rank from 1 to 2}}
  %s = relax.match_cast %x : tensor<?xf32> to tensor<?x4xf32>
  return
}

// -----

func.func @cast_refuted(%x: tensor<?x4xf32>) {
  // expected-error @below {{'relax.match_cast' op dimension 1 is 4, which never equals 5}}
  %s = relax.match_cast %x : tensor<?x4xf32> to tensor<?x5xf32>
  return
}

// -----

#n = #relax_sym.shape<[n]>
#n1 = #relax_sym.shape<[n + 1]>
func.func @refine_refuted(%x: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.refine' op dimension 0 is n, which never equals n + 1}}
  %s = relax.refine %x : tensor<?xf32, #n> to tensor<?xf32, #n1>
  return
}

// -----

func.func @refine_unknown(%x: tensor<?xf32>) {
  // expected-error @below {{'relax.refine' op dimension 0 is unknown, which cannot be refined to 4}}
  %s = relax.refine %x : tensor<?xf32> to tensor<4xf32>
  return
}

// -----

func.func @refine_to_unknown(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.refine' op dimension 0 is 4, which cannot be refined to unknown}}
  %s = relax.refine %x : tensor<4xf32> to tensor<?xf32>
  return
}

// -----

func.func @erase_to_more(%x: tensor<?x4xf32>) {
  // expected-error @below {{'relax.erase_shape' op dimension 0 must be unknown or ?, got 3}}
  %s = relax.erase_shape %x : tensor<?x4xf32> to tensor<3x?xf32>
  return
}

// -----

func.func @eval_foreign(%s: !relax.shape<[n]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.eval_expr' op expression mentions symbol 'm', which the operand type '!relax.shape<[n]>' does not}}
  %e = relax.eval_expr %s, m + n : !relax.shape<[n]> -> index
  return
}

// -----

func.func @assert_foreign(%s: !relax.shape<[n]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.assert_shape' op fact mentions symbol 'm', which the operand type '!relax.shape<[n]>' does not}}
  relax.assert_shape %s, "n == m", "message" : !relax.shape<[n]>
  return
}

// -----

func.func @assert_text(%s: !relax.shape<[n]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.assert_shape' op fact "n +" does not parse}}
  relax.assert_shape %s, "n +", "message" : !relax.shape<[n]>
  return
}

// -----

func.func @assert_message(%s: !relax.shape<[n]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.assert_shape' op needs a message}}
  relax.assert_shape %s, "n == 1", "" : !relax.shape<[n]>
  return
}

// -----

// expected-error @below {{attribute 'relax.name' must be a string that is not empty, got 4 : i64}}
func.func @argument_name(%x: tensor<4xf32> {relax.name = 4}) {
  return
}

// -----

// expected-error @below {{attribute 'relax.name' must be a string that is not empty, got ""}}
func.func @result_name(%x: tensor<4xf32>) -> (tensor<4xf32> {relax.name = ""}) {
  return %x : tensor<4xf32>
}

// -----

func.func @assured(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{attribute 'relax.assured' must be a unit attribute, got 4 : i64}}
  return {relax.assured = 4} %x : tensor<4xf32>
}

// -----

// expected-error @below {{attribute 'relax.donated' must be a unit attribute, got true}}
func.func @donated(%x: tensor<4xf32> {relax.donated = true}) {
  return
}

// -----

// expected-error @below {{attribute 'relax.donated' is for tensors, argument 1 has type '!relax.shape<[n]>'}}
func.func @donated(%x: tensor<4xf32> {relax.donated}, %s: !relax.shape<[n]> {relax.donated}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  return
}

// -----

// expected-error @below {{attribute 'relax.donated' is for arguments, not for results}}
func.func @donated(%x: tensor<4xf32>) -> (tensor<4xf32> {relax.donated}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{attribute 'relax.donated' is for arguments of 'func.func'}}
relax_tp.func private @donated(%x: tensor<4xf32> {relax.donated}) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
