// RUN: relax-opt %s --canonicalize | FileCheck %s

// A constant is not folded to a type that claims more elements than there are.
// CHECK-LABEL: func.func @broadcast(
//       CHECK:   relax.broadcast_to
func.func @broadcast(%s: !relax.shape<[n]>) -> tensor<4xi64> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c = relax.constant dense<[1, 2]> : tensor<2xi64>
  %0 = relax.broadcast_to %c, %s : (tensor<2xi64>, !relax.shape<[n]>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
