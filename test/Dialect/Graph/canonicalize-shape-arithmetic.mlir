// RUN: relax-opt %s --canonicalize --relax-infer-shapes --canonicalize --cse | FileCheck %s
// RUN: relax-opt %s --canonicalize | FileCheck %s --check-prefix=CAST

#n_m_4 = #relax_sym.shape<[n, m, 4]>

// A shape computed by tensors becomes a symbolic one; the symbol that it bound gets its value.
// CHECK-LABEL: func.func @reshape(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x?x4xf32, #{{.*}}>) -> tensor<?x?xf32, #[[R:.*]]> attributes
//       CHECK:   %[[S:.*]] = relax.shape_of %[[X]]
//       CHECK:   %[[T:.*]] = relax.make_shape %[[S]] : (!relax.shape<[n, m, 4]>) -> !relax.shape<[n, m * 4]>
//       CHECK:   relax.reshape %[[X]], %[[T]] : (tensor<?x?x4xf32, #{{.*}}>, !relax.shape<[n, m * 4]>) -> tensor<?x?xf32, #[[R]]>
// CAST-LABEL: func.func @reshape(
//       CAST:   %[[T:.*]] = relax.make_shape %{{.*}} : (!relax.shape<[n, m, 4]>) -> !relax.shape<[n, m * 4]>
//       CAST:   relax.match_cast %[[T]] binds [a, b] : !relax.shape<[n, m * 4]> to !relax.shape<[a, b]>
func.func @reshape(%x: tensor<?x?x4xf32, #n_m_4>) -> tensor<?x?xf32, #relax_sym.shape<[a, b]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?x?x4xf32, #n_m_4> -> !relax.shape<[n, m, 4]>
  %t = relax.shape_to_tensor %s : !relax.shape<[n, m, 4]> -> tensor<3xi64>
  %first = relax.slice %t {axes = array<i64: 0>, starts = [#relax_sym.expr<0>], ends = [#relax_sym.expr<1>], strides = array<i64: 1>}
      : (tensor<3xi64>) -> tensor<1xi64>
  %i = relax.constant dense<[1, 2]> : tensor<2xi64>
  %rest = relax.take %t, %i {axis = 0 : i64} : (tensor<3xi64>, tensor<2xi64>) -> tensor<2xi64>
  %m = relax.slice %rest {axes = array<i64: 0>, starts = [#relax_sym.expr<0>], ends = [#relax_sym.expr<1>], strides = array<i64: 1>}
      : (tensor<2xi64>) -> tensor<1xi64>
  %zero = relax.constant dense<[[1]]> : tensor<1x1xi32>
  %one = relax.take %rest, %zero {axis = 0 : i64} : (tensor<2xi64>, tensor<1x1xi32>) -> tensor<1x1xi64>
  %four = relax.squeeze %one {axes = array<i64: 1>} : (tensor<1x1xi64>) -> tensor<1xi64>
  %product = relax.multiply %m, %four : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %target = relax.concat %first, %product {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %shape = relax.tensor_to_shape %target binds [a, b] : tensor<2xi64> -> !relax.shape<[a, b]>
  %r = relax.reshape %x, %shape : (tensor<?x?x4xf32, #n_m_4>, !relax.shape<[a, b]>) -> tensor<?x?xf32, #relax_sym.shape<[a, b]>>
  return %r : tensor<?x?xf32, #relax_sym.shape<[a, b]>>
}

// What rounds, wraps around or is negative stays a computation.
// CHECK-LABEL: func.func @inexact(
// CHECK-COUNT-2: relax.tensor_to_shape
func.func @inexact(%x: tensor<?xf32, #relax_sym.shape<[n]>>) -> (!relax.shape<[a]>, !relax.shape<[b]>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?xf32, #relax_sym.shape<[n]>> -> !relax.shape<[n]>
  %t = relax.shape_to_tensor %s : !relax.shape<[n]> -> tensor<1xi64>
  %narrow = relax.astype %t {dtype = i32} : (tensor<1xi64>) -> tensor<1xi32>
  %wide = relax.astype %narrow {dtype = i64} : (tensor<1xi32>) -> tensor<1xi64>
  %a = relax.tensor_to_shape %wide binds [a] : tensor<1xi64> -> !relax.shape<[a]>
  %c = relax.constant dense<3> : tensor<1xi64>
  %minus = relax.subtract %t, %c : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %half = relax.divide %minus, %c : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %b = relax.tensor_to_shape %half binds [b] : tensor<1xi64> -> !relax.shape<[b]>
  return %a, %b : !relax.shape<[a]>, !relax.shape<[b]>
}
