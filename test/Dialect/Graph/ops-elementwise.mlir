// RUN: relax-opt %s --verify-roundtrip | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

#n_4 = #relax_sym.shape<[n, 4]>

// CHECK-LABEL: func.func @unary(
func.func @unary(%x: tensor<?x4xf32, #n_4>, %b: tensor<?x4xi1, #n_4>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.abs %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %abs = relax.abs %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.negate %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %negate = relax.negate %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.relu %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %relu = relax.relu %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.sign %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %sign = relax.sign %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.ceil %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %ceil = relax.ceil %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.cos %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %cos = relax.cos %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.erf %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %erf = relax.erf %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.exp %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %exp = relax.exp %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.floor %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %floor = relax.floor %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.log %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %log = relax.log %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.reciprocal %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %reciprocal = relax.reciprocal %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.round %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %round = relax.round %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.rsqrt %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %rsqrt = relax.rsqrt %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.sigmoid %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %sigmoid = relax.sigmoid %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.sin %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %sin = relax.sin %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.sqrt %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %sqrt = relax.sqrt %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.tanh %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %tanh = relax.tanh %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.logical_not %{{.*}} : tensor<?x4xi1, #{{.*}}>
  %not = relax.logical_not %b : tensor<?x4xi1, #n_4>
  // A result may be written less precisely.
  // CHECK: relax.abs %{{.*}} : tensor<?x4xf32, #{{.*}}> -> tensor<?x?xf32>
  %less = relax.abs %x : tensor<?x4xf32, #n_4> -> tensor<?x?xf32>
  // CHECK: relax.astype %{{.*}} {dtype = i64} : (tensor<?x4xf32, #{{.*}}>) -> tensor<?x4xi64, #{{.*}}>
  %cast = relax.astype %x {dtype = i64} : (tensor<?x4xf32, #n_4>) -> tensor<?x4xi64, #n_4>
  return
}

// CHECK-LABEL: func.func @binary(
func.func @binary(%x: tensor<?x4xf32, #n_4>, %y: tensor<4xf32>, %b: tensor<?x4xi1, #n_4>, %c: tensor<4xi1>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.add %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xf32, #{{.*}}>
  %add = relax.add %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xf32, #n_4>
  // CHECK: relax.subtract %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xf32, #{{.*}}>
  %subtract = relax.subtract %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xf32, #n_4>
  // CHECK: relax.multiply %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xf32, #{{.*}}>
  %multiply = relax.multiply %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xf32, #n_4>
  // CHECK: relax.divide %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xf32, #{{.*}}>
  %divide = relax.divide %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xf32, #n_4>
  // CHECK: relax.mod %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xf32, #{{.*}}>
  %mod = relax.mod %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xf32, #n_4>
  // CHECK: relax.power %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xf32, #{{.*}}>
  %power = relax.power %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xf32, #n_4>
  // CHECK: relax.maximum %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xf32, #{{.*}}>
  %maximum = relax.maximum %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xf32, #n_4>
  // CHECK: relax.minimum %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xf32, #{{.*}}>
  %minimum = relax.minimum %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xf32, #n_4>
  // CHECK: relax.logical_and %{{.*}}, %{{.*}} : (tensor<?x4xi1, #{{.*}}>, tensor<4xi1>) -> tensor<?x4xi1, #{{.*}}>
  %logical_and = relax.logical_and %b, %c : (tensor<?x4xi1, #n_4>, tensor<4xi1>) -> tensor<?x4xi1, #n_4>
  // CHECK: relax.logical_or %{{.*}}, %{{.*}} : (tensor<?x4xi1, #{{.*}}>, tensor<4xi1>) -> tensor<?x4xi1, #{{.*}}>
  %logical_or = relax.logical_or %b, %c : (tensor<?x4xi1, #n_4>, tensor<4xi1>) -> tensor<?x4xi1, #n_4>
  // CHECK: relax.equal %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xi1, #{{.*}}>
  %equal = relax.equal %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xi1, #n_4>
  // CHECK: relax.not_equal %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xi1, #{{.*}}>
  %not_equal = relax.not_equal %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xi1, #n_4>
  // CHECK: relax.less %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xi1, #{{.*}}>
  %less = relax.less %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xi1, #n_4>
  // CHECK: relax.less_equal %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xi1, #{{.*}}>
  %less_equal = relax.less_equal %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xi1, #n_4>
  // CHECK: relax.greater %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xi1, #{{.*}}>
  %greater = relax.greater %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xi1, #n_4>
  // CHECK: relax.greater_equal %{{.*}}, %{{.*}} : (tensor<?x4xf32, #{{.*}}>, tensor<4xf32>) -> tensor<?x4xi1, #{{.*}}>
  %greater_equal = relax.greater_equal %x, %y : (tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xi1, #n_4>
  // CHECK: relax.where
  %where = relax.where %c, %x, %y : (tensor<4xi1>, tensor<?x4xf32, #n_4>, tensor<4xf32>) -> tensor<?x4xf32, #n_4>
  return
}

// Extents n, 1 and 0 are kept apart; what only run time decides is unknown unless the author says more.
// CHECK-LABEL: func.func @broadcasting(
func.func @broadcasting(%n: tensor<?xf32, #relax_sym.shape<[n]>>, %m: tensor<?xf32, #relax_sym.shape<[m]>>,
                        %one: tensor<1xf32>, %zero: tensor<0xf32>, %four: tensor<4xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<"n == m">} {
  %0 = relax.add %n, %one : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<1xf32>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  %1 = relax.add %one, %zero : (tensor<1xf32>, tensor<0xf32>) -> tensor<0xf32>
  %2 = relax.add %n, %four : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<4xf32>) -> tensor<4xf32>
  %3 = relax.add %n, %m : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<?xf32, #relax_sym.shape<[m]>>) -> tensor<?xf32>
  // CHECK: relax.add %{{.*}} -> tensor<?xf32, #n>
  %4 = relax.add %n, %m : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<?xf32, #relax_sym.shape<[m]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @more_unary(
func.func @more_unary(%x: tensor<?x4xf32, #n_4>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.acos %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %acos = relax.acos %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.acosh %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %acosh = relax.acosh %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.asin %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %asin = relax.asin %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.asinh %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %asinh = relax.asinh %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.atan %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %atan = relax.atan %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.atanh %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %atanh = relax.atanh %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.cosh %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %cosh = relax.cosh %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.exp2 %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %exp2 = relax.exp2 %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.expm1 %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %expm1 = relax.expm1 %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.log1p %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %log1p = relax.log1p %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.log2 %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %log2 = relax.log2 %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.sinh %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %sinh = relax.sinh %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.tan %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %tan = relax.tan %x : tensor<?x4xf32, #n_4>
  // CHECK: relax.trunc %{{.*}} : tensor<?x4xf32, #{{.*}}>
  %trunc = relax.trunc %x : tensor<?x4xf32, #n_4>
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
