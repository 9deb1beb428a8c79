// RUN: relax-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{requires attribute 'symbol'}}
relax_ext.func private @no_symbol(tensor<4xf32>)

// -----

// expected-error @below {{expects the name of the library function in 'symbol'}}
relax_ext.func private @empty_symbol(tensor<4xf32>) attributes {symbol = ""}

// -----

// expected-error @below {{expects abi "c", got "stdcall"}}
relax_ext.func private @abi(tensor<4xf32>) attributes {symbol = "f", abi = "stdcall"}

// -----

// expected-error @below {{arguments must be tensors, got 'memref<4xf32>'}}
relax_ext.func private @memref(memref<4xf32>) attributes {symbol = "f"}

// -----

// expected-error @below {{cannot have workspaces; use workspace_bytes}}
relax_ext.func private @workspaces(tensor<4xf32>) workspaces(tensor<4xf32>) attributes {symbol = "f"}

// -----

// expected-error @below {{cannot have results; results are outs}}
"relax_ext.func"() <{function_type = () -> tensor<4xf32>, segments = array<i32: 0, 0, 0, 0>, sym_name = "f", sym_visibility = "private", symbol = "f"}> : () -> ()

// -----

// expected-error @below {{has 1 arguments, but attributes for 0}}
"relax_ext.func"() <{arg_attrs = [], function_type = (tensor<4xf32>) -> (), segments = array<i32: 1, 0, 0, 0>, sym_name = "f", sym_visibility = "private", symbol = "f"}> : () -> ()

// -----

// expected-error @below {{input #0 relax_sym.shape must be a #relax_sym.shape, got 4 : i64}}
relax_ext.func private @shape(tensor<?xf32> {relax_sym.shape = 4 : i64}) attributes {symbol = "f"}

// -----

// expected-error @below {{scalar #0 relax_sym.expr must be a #relax_sym.expr, got 4 : i64}}
relax_ext.func private @expr(tensor<?xf32>) scalars(index {relax_sym.expr = 4 : i64}) attributes {symbol = "f"}

// -----

// expected-error @below {{workspace_bytes mentions symbol 'm', which the signature does not}}
relax_ext.func private @bytes(tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>})
    attributes {symbol = "f", workspace_bytes = #relax_sym.expr<m>, relax_sym.scope = #relax_sym.scope<>}

// -----

// expected-error @below {{'where' mentions symbol 'm', which the signature does not}}
relax_ext.func private @where(tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>}) where "m >= 1"
    attributes {symbol = "f", relax_sym.scope = #relax_sym.scope<>}

// -----

// expected-error @below {{relax_sym.scope mentions symbol 'm', which the signature does not}}
relax_ext.func private @scope(tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>})
    attributes {symbol = "f", relax_sym.scope = #relax_sym.scope<"m >= 1">}

// -----

// expected-error @below {{invalid fact: }}
relax_ext.func private @fact(tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>}) where "n >="
    attributes {symbol = "f", relax_sym.scope = #relax_sym.scope<>}

// -----

// expected-error @below {{attribute 'function_type' comes from the signature}}
relax_ext.func private @type() attributes {symbol = "f", function_type = () -> ()}
