// RUN: relax-opt %s --split-input-file --relax-lower-host --verify-diagnostics

// expected-error @below {{argument 0 has type 'f32', expected a tensor or a shape}}
func.func @scalar(%x: f32) {
  return
}

// -----

// expected-error @below {{has several blocks, which host code does not support}}
func.func @blocks() {
  cf.br ^next
^next:
  return
}

// -----

// expected-error @below {{its entry needs the name 'relax_entry_f', which is taken}}
func.func @f() {
  return
}
func.func private @relax_entry_f() {
  return
}

// -----

func.func @graph(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot be lowered to host code}}
  %0 = tensor.insert_slice %x into %x[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

relax_tp.func private @relu(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @early(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{has no destinations, host code is made from the planned phase}}
  %0 = relax.call_tp @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @space() {
  %c = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %st = relax.storage %c {alignment = 64 : i64, space = "moon"} : !relax.storage
  // expected-error @below {{is in a storage of unknown space, expected 'arena', 'output', 'growing' or 'alternating'}}
  %0 = relax.tensor_at %st[%c0] : (!relax.storage, index) -> tensor<4xf32>
  return
}

// -----

func.func @result(%x: tensor<i1>) -> i1 {
  %0 = tensor.extract %x[] : tensor<i1>
  // expected-error @below {{result 0 has type 'i1', expected a tensor, a shape or an index}}
  return %0 : i1
}

// -----

func.func @dynamic_dim(%x: tensor<4xf32>, %s: !relax.shape<[n]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %n = relax.eval_expr %s, n : !relax.shape<[n]> -> index
  // expected-error @below {{has a dimension that is not a constant inside of the rank, which host code does not support}}
  %d = tensor.dim %x, %n : tensor<4xf32>
  return
}

// -----

// expected-error @below {{two arguments have the name 'x'}}
func.func @arguments(%x: tensor<f32> {relax.name = "x"}, %y: tensor<f32> {relax.name = "x"}) {
  return
}

// -----

// expected-error @below {{two results have the name 'result1'}}
func.func @results(%x: tensor<f32>) -> (tensor<f32> {relax.name = "result1"}, tensor<f32>) {
  return %x, %x : tensor<f32>, tensor<f32>
}

// -----

func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{calls 'declared', which has no body}}
  %0 = relax.call @declared(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{its entry needs the name 'relax_function_f', which is taken}}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @relax_function_f() {
  return
}

// -----

func.func @select(%x: tensor<4xf32>, %c: tensor<4xi1>) -> tensor<4xf32> {
  // expected-error @below {{selects by a tensor of conditions, which host code does not support}}
  %0 = arith.select %c, %x, %x : tensor<4xi1>, tensor<4xf32>
  return %0 : tensor<4xf32>
}
