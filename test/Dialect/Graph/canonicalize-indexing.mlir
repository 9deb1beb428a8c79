// RUN: relax-opt %s --canonicalize --relax-infer-shapes --canonicalize --cse | FileCheck %s

#n = #relax_sym.shape<[n]>
#u = #relax_sym.shape<[u]>

// Bounds that are known become those of a slice, clamped.
// CHECK-LABEL: func.func @constant(
//       CHECK:   relax.slice %arg0 {axes = array<i64: 0>
//  CHECK-SAME:     ends = [#relax_sym.expr<n>]
//  CHECK-SAME:     starts = [#relax_sym.expr<{{(n - min\(n, 3\)|max\(n - 3, 0\)|max\(0, n - 3\))}}>]
func.func @constant(%x: tensor<?xf32, #n>) -> tensor<?xf32, #u> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %b = relax.constant dense<-3> : tensor<1xi64>
  %e = relax.constant dense<9223372036854775807> : tensor<1xi64>
  %r = relax.dynamic_slice %x, %b, %e binds [u] {axes = array<i64: 0>} : (tensor<?xf32, #n>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32, #u>
  return %r : tensor<?xf32, #u>
}

// Nobody knows the sign of m - 1.
// CHECK-LABEL: func.func @sign(
//       CHECK:   relax.dynamic_slice
func.func @sign(%x: tensor<?xf32, #n>, %s: !relax.shape<[m]>) -> tensor<?xf32, #u> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %m = relax.shape_to_tensor %s : !relax.shape<[m]> -> tensor<1xi64>
  %one = relax.constant dense<1> : tensor<1xi64>
  %b = relax.subtract %m, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %r = relax.dynamic_slice %x, %b, %m binds [u] {axes = array<i64: 0>} : (tensor<?xf32, #n>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32, #u>
  return %r : tensor<?xf32, #u>
}

// A stride of 0 stays, to be refused at run time.
// CHECK-LABEL: func.func @zero(
//  CHECK-SAME:   relax_sym.scope = #relax_sym.scope<"u <= n">
//       CHECK:   relax.dynamic_slice
func.func @zero(%x: tensor<?xf32, #n>, %s: !relax.shape<[m]>) -> tensor<?xf32, #u> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %z = relax.constant dense<0> : tensor<1xi64>
  %r = relax.dynamic_slice %x, %z, %z strides(%z) binds [u] {axes = array<i64: 0>}
      : (tensor<?xf32, #n>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32, #u>
  return %r : tensor<?xf32, #u>
}
