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
