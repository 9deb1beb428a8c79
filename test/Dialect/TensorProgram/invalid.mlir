// RUN: relax-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{input #0 must be a ranked tensor or memref, got 'f32'}}
relax_tp.func @scalar_input(%x: f32) {
  relax_tp.yield
}

// -----

// expected-error @below {{expected an argument such as %x: tensor<4xf32>}}
relax_tp.func @unnamed(tensor<4xf32>) {
  relax_tp.yield
}

// -----

// expected-error @below {{attribute 'segments' comes from the signature}}
relax_tp.func @segments_given() attributes {segments = array<i32: 0, 0, 0, 0>} {
  relax_tp.yield
}

// -----

// expected-error @below {{expects 4 segments: inputs, outs, workspaces, scalars; got 3}}
"relax_tp.func"() <{function_type = () -> (), segments = array<i32: 0, 0, 0>, sym_name = "f"}> ({
  "relax_tp.yield"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{has a negative segment: -1}}
"relax_tp.func"() <{function_type = () -> (), segments = array<i32: 1, -1, 0, 0>, sym_name = "f"}> ({
  "relax_tp.yield"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{has 0 arguments, but its segments count 1}}
"relax_tp.func"() <{function_type = () -> (), segments = array<i32: 1, 0, 0, 0>, sym_name = "f"}> ({
  "relax_tp.yield"() : () -> ()
}) : () -> ()

// -----

// expected-error @below {{must have a plain type with a relax_sym.shape attribute beside it, got 'tensor<?xf32, #relax_sym.shape<[n]>>'}}
relax_tp.func @encoded(%x: tensor<?xf32, #relax_sym.shape<[n]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield
}

// -----

// expected-error @below {{input #0 must have the identity layout and no memory space, got 'memref<4xf32, 1>'}}
relax_tp.func @space(%x: memref<4xf32, 1>) {
  relax_tp.yield
}

// -----

// expected-error @below {{out #0 must have the identity layout and no memory space, got 'memref<4xf32, strided<[2]>>'}}
relax_tp.func @layout() outs(%x: memref<4xf32, strided<[2]>>) {
  relax_tp.yield
}

// -----

// expected-error @below {{input #0 must have integer or float elements, got 'index'}}
relax_tp.func @element(%x: tensor<4xindex>) {
  relax_tp.yield
}

// -----

// expected-error @below {{out #0 is 'memref<4xf32>', but the first argument is 'tensor<4xf32>': arguments are all tensors or all memrefs}}
relax_tp.func @mixed(%x: tensor<4xf32>) outs(%o: memref<4xf32>) {
  relax_tp.yield
}

// -----

// expected-error @below {{input #0 cannot have a relax_sym.expr}}
relax_tp.func @expr_on_tensor(%x: tensor<4xf32> {relax_sym.expr = #relax_sym.expr<4>}) {
  relax_tp.yield
}

// -----

// expected-error @below {{relax_sym.shape}}
relax_tp.func @shape_kind(%x: tensor<4xf32> {relax_sym.shape = 4 : i64}) {
  relax_tp.yield
}

// -----

// expected-error @below {{has rank 1, but its shape has 2 extents}}
relax_tp.func @rank(%x: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n, 4]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield
}

// -----

// expected-error @below {{dimension 1 is 8 in the type, but 4 in the shape}}
relax_tp.func @static(%x: tensor<?x8xf32> {relax_sym.shape = #relax_sym.shape<[n, 4]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield
}

// -----

// expected-error @below {{dimension 1 is 4 in the type, but n in the shape}}
relax_tp.func @static_symbol(%x: tensor<?x4xf32> {relax_sym.shape = #relax_sym.shape<[n, n]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield
}

// -----

// expected-error @below {{dimension 1 is dynamic in the type, but 4 in the shape}}
relax_tp.func @dynamic(%x: tensor<?x?xf32> {relax_sym.shape = #relax_sym.shape<[n, 4]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield
}

// -----

// expected-error @below {{out #0 dimension 0 must have a known extent}}
relax_tp.func @unknown_out() outs(%o: tensor<?xf32>) {
  relax_tp.yield %o : tensor<?xf32>
}

// -----

// expected-error @below {{scalar #0 must be an index, got 'i64'}}
relax_tp.func @scalar_type() scalars(%k: i64) {
  relax_tp.yield
}

// -----

// expected-error @below {{relax_sym.expr}}
relax_tp.func @scalar_expr() scalars(%k: index {relax_sym.expr = "k"}) {
  relax_tp.yield
}

// -----

// expected-error @below {{scalar #0 cannot have a relax_sym.shape}}
relax_tp.func @scalar_shape() scalars(%k: index {relax_sym.shape = #relax_sym.shape<[]>}) {
  relax_tp.yield
}

// -----

// expected-error @below {{mentions symbol 'n' and must carry relax_sym.scope}}
relax_tp.func @no_scope(%x: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>}) {
  relax_tp.yield
}

// -----

// expected-error @below {{symbol 'm' is not determined by inputs and scalars}}
relax_tp.func @undetermined(%x: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>})
    outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[m]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

// -----

// expected-error @below {{result #0 must be an index (an extent found), got 'tensor<4xf32>'}}
relax_tp.func @result(%x: tensor<4xf32>) -> (tensor<4xf32>) {
  relax_tp.yield %x : tensor<4xf32>
}

// -----

// expected-error @below {{relax_tp.pattern_kind must be one of "elementwise", "broadcast", "injective", "reduction", "contraction", "opaque"; got "fast"}}
relax_tp.func @kind() attributes {relax_tp.pattern_kind = "fast"} {
  relax_tp.yield
}

// -----

// expected-error @below {{has the unknown attribute "relax_tp.speed"}}
relax_tp.func @unknown_attr() attributes {relax_tp.speed = "fast"} {
  relax_tp.yield
}

// -----

// expected-error @below {{relax_tp.sites must be an array of strings, got [1]}}
func.func private @sites() attributes {relax_tp.sites = [1]}

// -----

// expected-error @below {{relax_tp.segments must be an array of 4 i32, got 4 : i64}}
func.func private @segments() attributes {relax_tp.segments = 4 : i64}

// -----

relax_tp.func @yield_count(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) -> (index) {
  // expected-error @below {{expects 1 outs and 1 extents, got 1 values}}
  relax_tp.yield %x : tensor<4xf32>
}

// -----

relax_tp.func @yield_type(%x: tensor<4xf32>) outs(%o: tensor<8xf32>) {
  // expected-error @below {{operand #0 must be 'tensor<8xf32>', got 'tensor<4xf32>'}}
  relax_tp.yield %x : tensor<4xf32>
}

// -----

relax_tp.func @yield_buffer(%x: memref<4xf32>) outs(%o: memref<4xf32>) {
  // expected-error @below {{expects 0 outs and 0 extents, got 1 values}}
  relax_tp.yield %o : memref<4xf32>
}

// -----

// expected-error @below {{body must end with relax_tp.yield}}
"relax_tp.func"() <{function_type = () -> (), segments = array<i32: 0, 0, 0, 0>, sym_name = "f"}> ({
  "llvm.unreachable"() : () -> ()
}) : () -> ()

// -----

relax_tp.func @written_input(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  %view = memref.expand_shape %x [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  // expected-error @below {{writes input #0 of the tensor program}}
  memref.store %v, %view[%c0, %c0] : memref<2x2xf32>
  relax_tp.yield
}

// -----

relax_tp.func @no_message(%x: tensor<4xf32>) {
  %true = arith.constant true
  // expected-error @below {{expects a message}}
  relax_tp.assert %true, ""
  relax_tp.yield
}

// -----

func.func @yield_elsewhere() {
  // expected-error @below {{expects parent op 'relax_tp.func'}}
  relax_tp.yield
}

// -----

// expected-error @below {{relax_tp.range must be a dictionary on a function, got 3 : i64}}
func.func private @range_kind(memref<4xf32>) attributes {relax_tp.range = 3 : i64}

// -----

// expected-error @below {{relax_tp.range: 'buffer' and 'dim' must name a dimension of an argument}}
func.func private @range_place(memref<4xf32>) attributes {relax_tp.range = {buffer = 0 : i64, dim = 1 : i64, unit = 1 : i64, work = array<i64: 1>}}

// -----

// expected-error @below {{relax_tp.range: 'unit' must be a positive integer}}
func.func private @range_unit(memref<4xf32>) attributes {relax_tp.range = {buffer = 0 : i64, dim = 0 : i64, unit = 0 : i64, work = array<i64: 1>}}

// -----

// expected-error @below {{relax_tp.range: 'work' must be a number and pairs of argument and dimension}}
func.func private @range_work(memref<4xf32>) attributes {relax_tp.range = {buffer = 0 : i64, dim = 0 : i64, unit = 1 : i64, work = array<i64: 1, 0>}}

// -----

// expected-error @below {{relax_tp.range: 'work' must be a number and pairs of argument and dimension}}
func.func private @range_work_place(memref<4xf32>) attributes {relax_tp.range = {buffer = 0 : i64, dim = 0 : i64, unit = 1 : i64, work = array<i64: 1, 1, 0>}}

// -----

// expected-error @below {{relax_tp.work must be a map from scalars to bytes and operations, got affine_map<(d0) -> (d0)>}}
func.func private @work_kind(memref<4xf32>) attributes {relax_tp.work = affine_map<(d0) -> (d0)>}
