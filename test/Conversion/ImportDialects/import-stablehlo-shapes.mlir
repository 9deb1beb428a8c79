// RUN: relax-opt %s --allow-unregistered-dialect --relax-import-stablehlo --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// Extents that are broadcast and not 1 are equal; what constraints say is checked where it is needed.
// CHECK-LABEL: func.func @broadcast(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x?xf32, #[[NM:.*]]>, %[[Y:.*]]: tensor<?xf32, #d1>) -> tensor<?x?xf32, #[[NM]]>
//   CHECK-NOT:   relax.assert_shape
//       CHECK:   %[[B:.*]] = relax.broadcast_to %{{.*}} -> tensor<?x?xf32, #[[NM]]>
//       CHECK:   relax.add %[[X]], %[[B]]
func.func @broadcast(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %s = "shape.shape_of"(%x) : (tensor<?x?xf32>) -> tensor<2xindex>
  %t = "shape.shape_of"(%y) : (tensor<?xf32>) -> tensor<1xindex>
  %ok = "shape.cstr_broadcastable"(%s, %t) : (tensor<2xindex>, tensor<1xindex>) -> !shape.witness
  %all = "shape.assuming_all"(%ok) : (!shape.witness) -> !shape.witness
  %r = "shape.assuming"(%all) ({
    %u = "shape.broadcast"(%s, %t) : (tensor<2xindex>, tensor<1xindex>) -> tensor<2xindex>
    %b = "stablehlo.dynamic_broadcast_in_dim"(%y, %u) <{broadcast_dimensions = array<i64: 1>}> : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    %c = "stablehlo.add"(%x, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    "shape.assuming_yield"(%c) : (tensor<?x?xf32>) -> ()
  }) : (!shape.witness) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

func.func @unknown_shape(%x: tensor<4xf32>, %t: tensor<2xindex>) -> tensor<?x?xf32> {
  // expected-error @below {{'shape.broadcast' op uses a shape that no sizes give}}
  %u = "shape.broadcast"(%t, %t) : (tensor<2xindex>, tensor<2xindex>) -> tensor<2xindex>
  %r = "stablehlo.dynamic_reshape"(%x, %u) : (tensor<4xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

func.func @rank(%x: tensor<?x4xf32>, %y: tensor<?xf32>) -> tensor<?x4xf32> {
  %s = "shape.shape_of"(%x) : (tensor<?x4xf32>) -> tensor<2xindex>
  %t = "shape.shape_of"(%y) : (tensor<?xf32>) -> tensor<1xindex>
  // expected-error @below {{'shape.cstr_eq' op needs shapes of the same rank}}
  %ok = "shape.cstr_eq"(%s, %t) : (tensor<2xindex>, tensor<1xindex>) -> !shape.witness
  %r = "stablehlo.negate"(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

func.func @axis(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  %i = arith.constant 2 : index
  %s = "shape.shape_of"(%x) : (tensor<?x4xf32>) -> tensor<2xindex>
  // expected-error @below {{'shape.get_extent' op has a dimension that is not constant or not there}}
  %n = "shape.get_extent"(%s, %i) : (tensor<2xindex>, index) -> index
  %t = "shape.from_extents"(%n) : (index) -> !shape.shape
  %r = "stablehlo.dynamic_reshape"(%x, %t) : (tensor<?x4xf32>, !shape.shape) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @flat(
//       CHECK:   relax.reshape %{{.*}} -> tensor<?xf32, #{{.*}}>
func.func @flat(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  %s = "shape.shape_of"(%x) : (tensor<?x4xf32>) -> tensor<2xindex>
  %n = "shape.num_elements"(%s) : (tensor<2xindex>) -> index
  %t = "shape.from_extents"(%n) : (index) -> !shape.shape
  %r = "stablehlo.dynamic_reshape"(%x, %t) : (tensor<?x4xf32>, !shape.shape) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
