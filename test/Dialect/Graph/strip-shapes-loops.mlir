// RUN: relax-opt %s --relax-strip-shapes --canonicalize | FileCheck %s

// Canonicalization must not take the static size of the initial value for the size of what is carried.
// CHECK-LABEL: func.func @grows(
//       CHECK:   %[[INIT:.*]] = tensor.reshape %{{.*}}(%{{.*}}) : (tensor<4xf32>, tensor<1xindex>) -> tensor<?xf32>
//       CHECK:   scf.for {{.*}} iter_args(%[[A:.*]] = %[[INIT]]) -> (tensor<?xf32>)
//       CHECK:     %[[NEXT:.*]] = tensor.concat dim(0) %[[A]], %[[A]]
//       CHECK:     scf.yield %[[NEXT]] : tensor<?xf32>
func.func @grows(%x: tensor<4xf32>, %count: index) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = relax.erase_shape %x : tensor<4xf32> to tensor<?xf32>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%a = %e) -> (tensor<?xf32>) {
    %next = tensor.concat dim(0) %a, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @partly(
//       CHECK:   tensor.reshape %{{.*}}(%{{.*}}) : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x?xf32>
//       CHECK:   scf.while
func.func @partly(%x: tensor<?x4xf32>, %c: i1) -> tensor<?x?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %e = relax.erase_shape %x : tensor<?x4xf32> to tensor<?x?xf32>
  %r = scf.while (%a = %e) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
    scf.condition(%c) %a : tensor<?x?xf32>
  } do {
  ^bb0(%b: tensor<?x?xf32>):
    %next = tensor.concat dim(1) %b, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %next : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
