// RUN: relax-opt %s --allow-unregistered-dialect --relax-import-stablehlo --canonicalize --split-input-file | FileCheck %s

// Symbols of arguments; equal ones where an op needs it; sizes that the module computes by tensors; calls inlined.
// CHECK-LABEL: func.func @main(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x4xf32, #[[N4:.*]]>, %[[Y:.*]]: tensor<?x4xf32, #[[N4]]>, %[[B:.*]]: tensor<4xf32>)
//  CHECK-SAME:   -> tensor<?x4xf32, #[[N4]]> attributes {relax_sym.scope = #relax_sym.scope<"d0 >= 1">}
//       CHECK:   %[[SUM:.*]] = relax.add %[[X]], %[[Y]]
//       CHECK:   %[[WIDE:.*]] = relax.broadcast_to %{{.*}}, %{{.*}} : {{.*}} -> tensor<?x4xf32, #[[N4]]>
//       CHECK:   %[[R:.*]] = relax.maximum %[[SUM]], %[[WIDE]]
//       CHECK:   return %[[R]]
//   CHECK-NOT: @inner
module attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32> {
    %n = "stablehlo.get_dimension_size"(%x) <{dimension = 0 : i64}> : (tensor<?x4xf32>) -> tensor<i32>
    %r = call @inner(%n, %x, %y, %b) : (tensor<i32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    return %r : tensor<?x4xf32>
  }
  func.func private @inner(%n: tensor<i32>, %x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32> {
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %ok = "stablehlo.compare"(%n, %one) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.custom_call"(%ok, %n) <{call_target_name = "shape_assertion"}> : (tensor<i1>, tensor<i32>) -> ()
    %sum = "stablehlo.add"(%x, %y) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %n1 = "stablehlo.reshape"(%n) : (tensor<i32>) -> tensor<1xi32>
    %c4 = "stablehlo.constant"() <{value = dense<4> : tensor<1xi32>}> : () -> tensor<1xi32>
    %shape = "stablehlo.concatenate"(%n1, %c4) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %wide = "stablehlo.dynamic_broadcast_in_dim"(%b, %shape) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
    %r = "stablehlo.maximum"(%sum, %wide) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    return %r : tensor<?x4xf32>
  }
}

// -----

// Static sizes need no scope; names that are given are kept.
// CHECK-LABEL: func.func @product(
//  CHECK-SAME:   tensor<2x3xf32>, %{{.*}}: tensor<?x3xf32, #{{.*}}> {relax.name = "w"}) -> tensor<2x?xf32
//       CHECK:   relax.matmul
func.func @product(%x: tensor<2x3xf32>, %w: tensor<?x3xf32> {relax.name = "w", relax_sym.shape = #relax_sym.shape<[m, 3]>}) -> tensor<2x?xf32> {
  %0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// -----

// Other functions are left alone.
// CHECK-LABEL: func.func @plain(%{{.*}}: tensor<?xf32>) -> tensor<?xf32> {
func.func @plain(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// Calls of functions that only call are inlined, too.
// CHECK-LABEL: func.func @outer(
//   CHECK-NOT:   call
//       CHECK:   relax.negate
func.func @outer(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @middle(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @middle(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @negate(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @negate(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "stablehlo.negate"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
