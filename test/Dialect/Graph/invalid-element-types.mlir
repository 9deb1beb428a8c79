// RUN: relax-opt %s -split-input-file -verify-diagnostics

func.func @arithmetic(%x: tensor<4xf8E4M3FN>) {
  // expected-error @below {{'relax.add' op operand #0 must be ranked tensor of floats or integers, but got 'tensor<4xf8E4M3FN>'}}
  %r = relax.add %x, %x : (tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
  return
}

// -----

func.func @comparison(%x: tensor<4xi4>) {
  // expected-error @below {{'relax.less' op operand #0 must be ranked tensor of floats, integers or bools, but got 'tensor<4xi4>'}}
  %r = relax.less %x, %x : (tensor<4xi4>, tensor<4xi4>) -> tensor<4xi1>
  return
}

// -----

func.func @bits_of_floats(%x: tensor<4xbf16>) {
  // expected-error @below {{'relax.bitwise_and' op operand #0 must be ranked tensor of integers of 8 to 64 bits, but got 'tensor<4xbf16>'}}
  %r = relax.bitwise_and %x, %x : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  return
}

// -----

func.func @signed_is_signless(%x: tensor<4xsi8>) {
  // expected-error @below {{'relax.shape_of' op operand #0 must be ranked tensor of an element type of relax, but got 'tensor<4xsi8>'}}
  %s = relax.shape_of %x : tensor<4xsi8> -> !relax.shape<[4]>
  return
}

// -----

func.func @unsigned_range(%x: tensor<ui8>) {
  // expected-error @below {{'relax.arange' op operand #0 must be ranked tensor of floats or signed integers, but got 'tensor<ui8>'}}
  %r = relax.arange %x, %x, %x binds [n] : (tensor<ui8>, tensor<ui8>, tensor<ui8>) -> tensor<?xui8, #relax_sym.shape<[n]>>
  return
}

// -----

func.func @small_to_small(%x: tensor<4xi4>) {
  // expected-error @below {{'relax.astype' op cannot convert 'i4' to 'ui4' directly; convert to i8 first}}
  %r = relax.astype %x {dtype = ui4} : (tensor<4xi4>) -> tensor<4xui4>
  return
}

// -----

func.func @integer_to_small_float(%x: tensor<4xi32>) {
  // expected-error @below {{'relax.astype' op cannot convert 'i32' to 'f8E5M2' directly; convert to f32 first}}
  %r = relax.astype %x {dtype = f8E5M2} : (tensor<4xi32>) -> tensor<4xf8E5M2>
  return
}

// -----

func.func @signs_differ(%x: tensor<4xui8>, %y: tensor<4xi8>) {
  // expected-error @below {{'relax.add' op}}
  %r = relax.add %x, %y : (tensor<4xui8>, tensor<4xi8>) -> tensor<4xui8>
  return
}

// -----

// expected-note @below {{the callee is here}}
relax_tp.func private @signless(%x: tensor<4xi8>) outs(%o: tensor<4xi8>) {
  relax_tp.yield %x : tensor<4xi8>
}
// Programs do not tell signed from unsigned integers, but widths are told.
func.func @widths_differ(%x: tensor<4xui8>, %y: tensor<4xui16>) {
  %0 = relax.call_tp @signless(%x) : (tensor<4xui8>) -> tensor<4xui8>
  // expected-error @below {{argument 0 must have element type 'i8', got 'ui16'}}
  %1 = relax.call_tp @signless(%y) : (tensor<4xui16>) -> tensor<4xi8>
  return
}
