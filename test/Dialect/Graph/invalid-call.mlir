// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @missing(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call_tp' op 'missing_program' is not a 'relax_tp.func'}}
  %0 = relax.call_tp @missing_program(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

relax_ext.func private @library(tensor<4xf32>) outs(tensor<4xf32>) attributes {symbol = "library"}
func.func @wrong_kind(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call_tp' op 'library' is not a 'relax_tp.func'}}
  %0 = relax.call_tp @library(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @not_library(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call_dps' op 'not_library' is not a 'relax_ext.func'}}
  %0 = relax.call_dps @not_library(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the callee is here}}
relax_tp.func private @p(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @count(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call_tp' op needs 1 arguments, got 2}}
  %0 = relax.call_tp @p(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the callee is here}}
relax_tp.func private @p(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @element(%x: tensor<4xf16>) {
  // expected-error @below {{'relax.call_tp' op argument 0 must have element type 'f32', got 'f16'}}
  %0 = relax.call_tp @p(%x) : (tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the callee is here}}
relax_tp.func private @p(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @rank(%x: tensor<4x4xf32>) {
  // expected-error @below {{'relax.call_tp' op argument 0 must have rank 1, got 2}}
  %0 = relax.call_tp @p(%x) : (tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the callee is here}}
relax_tp.func private @p(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @static_extent(%x: tensor<5xf32>) {
  // expected-error @below {{'relax.call_tp' op argument 0 dimension 0 must be 4, got 5}}
  %0 = relax.call_tp @p(%x) : (tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the callee is here}}
relax_tp.func private @p(%x: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>},
                         %y: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n + 1]>})
    outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
#m = #relax_sym.shape<[m]>
func.func @refuted_extent(%x: tensor<?xf32, #m>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.call_tp' op argument 1 dimension 0 must be m + 1 (n + 1 of the callee), got m}}
  %0 = relax.call_tp @p(%x, %x) : (tensor<?xf32, #m>, tensor<?xf32, #m>) -> tensor<?xf32, #m>
  return
}

// -----

// expected-note @below {{the callee is here}}
relax_tp.func private @p(%x: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>})
    outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n * 2]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
#n = #relax_sym.shape<[n]>
func.func @result_type(%x: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.call_tp' op result 0 must be of type 'tensor<?xf32, #relax_sym.shape<[n * 2]>>', got 'tensor<?xf32, #relax_sym.shape<[n]>>'}}
  %0 = relax.call_tp @p(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return
}

// -----

// expected-note @below {{the callee is here}}
relax_tp.func private @p(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @result_count(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call_tp' op needs 1 results, got 2}}
  %0:2 = relax.call_tp @p(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// expected-note @below {{the callee is here}}
relax_tp.func private @p() outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[k]>})
    scalars(%k: index {relax_sym.expr = #relax_sym.expr<k>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
func.func @scalar_count() {
  // expected-error @below {{'relax.call_tp' op needs 1 scalars in its shape operand, got 0}}
  %0 = relax.call_tp @p() : () -> tensor<?xf32>
  return
}

// -----

// expected-note @below {{the callee is here}}
relax_tp.func private @p(%x: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>}) outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>})
    scalars(%k: index {relax_sym.expr = #relax_sym.expr<n + 1>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
func.func @scalar(%x: tensor<4xf32>, %s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.call_tp' op scalar 0 must be 5 (n + 1 of the callee), got 4}}
  %0 = relax.call_tp @p(%x) shape(%s) : (tensor<4xf32>, !relax.shape<[4]>) -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the callee is here}}
relax_tp.func private @p(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @destination(%x: tensor<4xf32>, %d: tensor<5xf32>) {
  // expected-error @below {{'relax.call_tp' op destination 0 dimension 0 must be 4, got 5}}
  %0 = relax.call_tp @p(%x) into(%d) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the callee is here}}
relax_tp.func private @p(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @destination_count(%x: tensor<4xf32>, %d: tensor<4xf32>) {
  // expected-error @below {{'relax.call_tp' op needs 1 destinations, got 2}}
  %0 = relax.call_tp @p(%x) into(%d, %d) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the callee is here}}
relax_ext.func private @library(tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>})
    outs(tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>}) where "n >= 16" attributes {relax_sym.scope = #relax_sym.scope<>, symbol = "library"}
func.func @fact(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call_dps' op never satisfies the callee: '4 >= 16' is false}}
  %0 = relax.call_dps @library(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

relax_tp.func private @p(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @inplace_count(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call_tp_inplace' op 'inplace' must name one argument for each of 1 results, got 0}}
  %0 = relax.call_tp_inplace @p(%x) {inplace = array<i64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

relax_tp.func private @p(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @inplace_range(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call_tp_inplace' op 'inplace' must name an argument below 1, got 1}}
  %0 = relax.call_tp_inplace @p(%x) {inplace = array<i64: 1>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

relax_tp.func private @p(%x: tensor<4xf32>) outs(%o: tensor<4xf32>, %q: tensor<4xf32>) {
  relax_tp.yield %o, %q : tensor<4xf32>, tensor<4xf32>
}
func.func @inplace_twice(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call_tp_inplace' op 'inplace' names argument 0 twice}}
  %0:2 = relax.call_tp_inplace @p(%x) {inplace = array<i64: 0, 0>} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

relax_tp.func private @p(%x: tensor<4xf32>) outs(%o: tensor<5xf32>) {
  relax_tp.yield %o : tensor<5xf32>
}
func.func @inplace_type(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call_tp_inplace' op result 0 has type 'tensor<5xf32>', but argument 0 that it overwrites has type 'tensor<4xf32>'}}
  %0 = relax.call_tp_inplace @p(%x) {inplace = array<i64: 0>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @no_function(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call' op 'missing' is not a function}}
  %0 = relax.call @missing(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the callee is here}}
func.func private @g(tensor<4xf32>) -> tensor<4xf32>
func.func @call_count() {
  // expected-error @below {{'relax.call' op needs 1 arguments, got 0}}
  %0 = relax.call @g() : () -> tensor<4xf32>
  return
}

// -----

// expected-note @below {{the callee is here}}
func.func private @g(!relax.shape<[?, ?]>)
func.func @call_argument(%s: !relax.shape<[4]>) {
  // expected-error @below {{'relax.call' op argument 0 must be of type '!relax.shape<[?, ?]>', got '!relax.shape<[4]>'}}
  relax.call @g(%s) : (!relax.shape<[4]>) -> ()
  return
}

// -----

// expected-note @below {{the callee is here}}
func.func private @g(tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>> attributes {relax_sym.scope = #relax_sym.scope<>}
func.func @call_mapping(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call' op argument 0 dimension 0 must be 5 (n of the callee), got 4}}
  %0 = relax.call @g(%x) {n = 5} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @g(tensor<?xf32, #relax_sym.shape<[n]>>) attributes {relax_sym.scope = #relax_sym.scope<>}
func.func @call_foreign(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call' op mapping of 'n' mentions symbol 'm', which no operand type mentions}}
  relax.call @g(%x) {n = m} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func private @g(tensor<?xf32, #relax_sym.shape<[n]>>) attributes {relax_sym.scope = #relax_sym.scope<>}
func.func @call_mapping_kind(%x: tensor<4xf32>) {
  // expected-error @below {{'relax.call' op mapping of 'n' must be an expression, got 4 : i64}}
  "relax.call"(%x) {callee = @g, mapping = {n = 4}} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @mapping_twice(%x: tensor<4xf32>) {
  // expected-error @below {{symbol 'n' is mapped twice or empty}}
  relax.call @g(%x) {n = 4, n = 4} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @mapping_syntax(%x: tensor<4xf32>) {
  // expected-error @below {{expected a symbol of the callee}}
  relax.call @g(%x) {4 = n} : (tensor<4xf32>) -> ()
  return
}
