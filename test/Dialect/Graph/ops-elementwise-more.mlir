// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --emit-bytecode | relax-opt | FileCheck %s

// The examples of the descriptions.

// CHECK-LABEL: func.func @acos(
func.func @acos(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.acos
  %r = relax.acos %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @acosh(
func.func @acosh(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.acosh
  %r = relax.acosh %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @asin(
func.func @asin(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.asin
  %r = relax.asin %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @asinh(
func.func @asinh(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.asinh
  %r = relax.asinh %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @atan(
func.func @atan(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.atan
  %r = relax.atan %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @atanh(
func.func @atanh(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.atanh
  %r = relax.atanh %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @bitwise_and(
func.func @bitwise_and(%x: tensor<?x4xi32, #relax_sym.shape<[n, 4]>>, %y: tensor<4xi32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.bitwise_and
  %r = relax.bitwise_and %x, %y : (tensor<?x4xi32, #relax_sym.shape<[n, 4]>>, tensor<4xi32>) -> tensor<?x4xi32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @bitwise_not(
func.func @bitwise_not(%x: tensor<?x4xi32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.bitwise_not
  %r = relax.bitwise_not %x : tensor<?x4xi32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @bitwise_or(
func.func @bitwise_or(%x: tensor<?x4xi32, #relax_sym.shape<[n, 4]>>, %y: tensor<4xi32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.bitwise_or
  %r = relax.bitwise_or %x, %y : (tensor<?x4xi32, #relax_sym.shape<[n, 4]>>, tensor<4xi32>) -> tensor<?x4xi32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @bitwise_xor(
func.func @bitwise_xor(%x: tensor<?x4xi32, #relax_sym.shape<[n, 4]>>, %y: tensor<4xi32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.bitwise_xor
  %r = relax.bitwise_xor %x, %y : (tensor<?x4xi32, #relax_sym.shape<[n, 4]>>, tensor<4xi32>) -> tensor<?x4xi32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @clip(
func.func @clip(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %y: tensor<f32>, %z: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.clip
  %r = relax.clip %x, %y, %z : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<f32>, tensor<4xf32>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @cosh(
func.func @cosh(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.cosh
  %r = relax.cosh %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @exp2(
func.func @exp2(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.exp2
  %r = relax.exp2 %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @expm1(
func.func @expm1(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.expm1
  %r = relax.expm1 %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @fma(
func.func @fma(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %y: tensor<f32>, %z: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.fma
  %r = relax.fma %x, %y, %z : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<f32>, tensor<4xf32>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @is_inf(
func.func @is_inf(%x: tensor<?xf32, #relax_sym.shape<[n]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.is_inf
  %r = relax.is_inf %x : tensor<?xf32, #relax_sym.shape<[n]>> -> tensor<?xi1, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @is_nan(
func.func @is_nan(%x: tensor<?xf32, #relax_sym.shape<[n]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.is_nan
  %r = relax.is_nan %x : tensor<?xf32, #relax_sym.shape<[n]>> -> tensor<?xi1, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @log1p(
func.func @log1p(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.log1p
  %r = relax.log1p %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @log2(
func.func @log2(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.log2
  %r = relax.log2 %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @logical_xor(
func.func @logical_xor(%x: tensor<?x4xi1, #relax_sym.shape<[n, 4]>>, %y: tensor<4xi1>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.logical_xor
  %r = relax.logical_xor %x, %y : (tensor<?x4xi1, #relax_sym.shape<[n, 4]>>, tensor<4xi1>) -> tensor<?x4xi1, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @shift_left(
func.func @shift_left(%x: tensor<?x4xi32, #relax_sym.shape<[n, 4]>>, %y: tensor<4xi32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.shift_left
  %r = relax.shift_left %x, %y : (tensor<?x4xi32, #relax_sym.shape<[n, 4]>>, tensor<4xi32>) -> tensor<?x4xi32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @shift_right(
func.func @shift_right(%x: tensor<?x4xi32, #relax_sym.shape<[n, 4]>>, %y: tensor<4xi32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.shift_right
  %r = relax.shift_right %x, %y : (tensor<?x4xi32, #relax_sym.shape<[n, 4]>>, tensor<4xi32>) -> tensor<?x4xi32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @sinh(
func.func @sinh(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.sinh
  %r = relax.sinh %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @softplus(
func.func @softplus(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.softplus
  %r = relax.softplus %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @tan(
func.func @tan(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.tan
  %r = relax.tan %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @trunc(
func.func @trunc(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.trunc
  %r = relax.trunc %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}
