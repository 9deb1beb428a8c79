// RUN: relax-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{requires attribute 'symbol'}}
relax_ext.func private @no_symbol(tensor<4xf32>)

// -----

// expected-error @below {{expects the name of the library function in 'symbol'}}
relax_ext.func private @empty_symbol(tensor<4xf32>) attributes {symbol = ""}

// -----

// expected-error @below {{expects abi "c" or "call", got "stdcall"}}
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

// -----

// expected-error @below {{has both 'sonames' and 'object'}}
relax_ext.func private @both(tensor<4xf32>) attributes {symbol = "f", sonames = ["libf.so"], object = "f.o"}

// -----

// expected-error @below {{expects 'arguments' exactly with abi "call"}}
relax_ext.func private @arguments(tensor<4xf32>) attributes {symbol = "f", arguments = ["in0"]}

// -----

// expected-error @below {{expects 'status' only with abi "call"}}
relax_ext.func private @status(tensor<4xf32>) attributes {symbol = "f", status}

// -----

// expected-error @below {{expects 'sonames' or 'object' with abi "call"}}
relax_ext.func private @where(tensor<4xf32>) attributes {symbol = "f", abi = "call", arguments = ["in0"]}

// -----

// expected-error @below {{cannot have scalars with abi "call"; sizes are arguments}}
relax_ext.func private @scalars(tensor<4xf32>) scalars(index) attributes {symbol = "f", abi = "call", arguments = ["in0"], object = "f.o"}

// -----

// expected-error @below {{argument #1 names 'out0', which does not exist}}
relax_ext.func private @out(tensor<4xf32>) attributes {symbol = "f", abi = "call", arguments = ["in0", "out0"], object = "f.o"}

// -----

// expected-error @below {{argument #0 expects in0.., out0.. or workspace, got 'x'}}
relax_ext.func private @name(tensor<4xf32>) attributes {symbol = "f", abi = "call", arguments = ["x"], object = "f.o"}

// -----

// expected-error @below {{argument #0 is the workspace, but there are no workspace_bytes}}
relax_ext.func private @workspace(tensor<4xf32>) attributes {symbol = "f", abi = "call", arguments = ["workspace"], object = "f.o"}

// -----

// expected-error @below {{argument #0 expects one type and its value}}
relax_ext.func private @sizes(tensor<4xf32>) attributes {symbol = "f", abi = "call", arguments = [{}], object = "f.o"}

// -----

// expected-error @below {{argument #0 expects a type of i8, i16, i32, i64, got 'i7'}}
relax_ext.func private @width(tensor<4xf32>) attributes {symbol = "f", abi = "call", arguments = [{i7 = #relax_sym.expr<4>}], object = "f.o"}

// -----

// expected-error @below {{argument #0 expects a #relax_sym.expr as size}}
relax_ext.func private @size(tensor<4xf32>) attributes {symbol = "f", abi = "call", arguments = [{i32 = 4 : i32}], object = "f.o"}

// -----

// expected-error @below {{argument #0 expects a constant, a size or the name of a tensor}}
relax_ext.func private @kind(tensor<4xf32>) attributes {symbol = "f", abi = "call", arguments = [unit], object = "f.o"}

// -----

// expected-error @below {{'arguments' mentions symbol 'm', which the signature does not}}
relax_ext.func private @symbol(tensor<4xf32>) attributes {symbol = "f", abi = "call", arguments = [{i32 = #relax_sym.expr<m>}], object = "f.o"}

// -----

func.func @available(%wanted: i1) -> i1 {
  // expected-error @below {{expects a library function, 'none' is none}}
  %0 = relax_ext.available @none if %wanted {site = 0 : i64}
  return %0 : i1
}
