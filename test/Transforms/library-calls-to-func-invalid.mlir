// RUN: relax-opt %s --relax-library-calls-to-func --split-input-file --verify-diagnostics

relax_ext.func private @f(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) attributes {symbol = "lib_f"}
func.func @destination(%x: tensor<4xf32>) -> tensor<4xf32> {
  %d = relax.alloc : () -> tensor<4xf32>
  // expected-error @below {{'relax.call_dps' op has destinations already, expected a value}}
  %0 = relax.call_dps @f(%x) into(%d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{'relax_ext.func' op cannot be declared: its symbol 'lib_f' is the name of something else}}
relax_ext.func private @f(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) attributes {symbol = "lib_f"}
// expected-note @below {{here}}
func.func @lib_f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.call_dps @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @below {{here}}
relax_ext.func private @f(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) attributes {symbol = "lib_f"}
// expected-error @below {{'relax_ext.func' op cannot be declared: its symbol 'lib_f' has type '(tensor<?xf64>, memref<?xf64>) -> i32' here and '(tensor<?xf32>, memref<?xf32>) -> i32'}}
relax_ext.func private @g(%x: tensor<4xf64>) outs(%o: tensor<4xf64>) attributes {symbol = "lib_f"}
func.func @types(%x: tensor<4xf32>, %y: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf64>) {
  %0 = relax.call_dps @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.call_dps @g(%y) : (tensor<4xf64>) -> tensor<4xf64>
  return %0, %1 : tensor<4xf32>, tensor<4xf64>
}

// -----

#n = #relax_sym.shape<[n]>
relax_ext.func private @f(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {symbol = "lib_f", relax_sym.scope = #relax_sym.scope<>}
func.func @unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{'relax.call_dps' op needs known extents for destination 0, got 'tensor<?xf32>'}}
  %0 = relax.call_dps @f(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

#n = #relax_sym.shape<[n]>
relax_ext.func private @f(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<4xf32>) where "n >= 1"
    attributes {symbol = "lib_f", relax_sym.scope = #relax_sym.scope<>}
func.func @fact(%x: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error @below {{'relax.call_dps' op cannot check a fact of @f about an extent that only run time knows}}
  %0 = relax.call_dps @f(%x) : (tensor<?xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

relax_ext.func private @f(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) attributes {symbol = "lib_f"}
func.func @extent(%x: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error @below {{'relax.call_dps' op cannot check dimension 0 of argument 0, which only run time knows}}
  %0 = relax.call_dps @f(%x) : (tensor<?xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#n = #relax_sym.shape<[n]>
relax_ext.func private @f(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<4xf32>)
    attributes {symbol = "lib_f", workspace_bytes = #relax_sym.expr<n * 8>, relax_sym.scope = #relax_sym.scope<>}
func.func @scratch(%x: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error @below {{'relax.call_dps' op needs scratch memory of n * 8 bytes of @f, which only run time knows}}
  %0 = relax.call_dps @f(%x) : (tensor<?xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
