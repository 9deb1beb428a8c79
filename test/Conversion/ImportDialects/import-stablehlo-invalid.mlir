// RUN: relax-opt %s --allow-unregistered-dialect --relax-import-stablehlo --split-input-file --verify-diagnostics

func.func @unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'stablehlo.rng' op is not known to the import}}
  %0 = "stablehlo.rng"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @never_equal(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'stablehlo.add' op needs 3 to be 4}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @combiner(%x: tensor<?xf32>, %z: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{'stablehlo.reduce' op combines elements in a way that is not supported}}
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = "stablehlo.divide"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @no_body(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{calls @outside, which has no body}}
  %0 = call @outside(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "stablehlo.negate"(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func private @outside(tensor<?xf32>) -> tensor<?xf32>

// -----

// expected-error@+1 {{calls itself, which cannot be imported}}
func.func @recursive(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "stablehlo.negate"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = call @recursive(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// expected-error@+1 {{has an argument or result of type f32, expected ranked tensors}}
func.func @scalar(%x: f32, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.negate"(%y) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @assertion(%x: tensor<?xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  // expected-error@+1 {{asserts something that is no comparison of sizes}}
  "stablehlo.custom_call"(%c, %x) <{call_target_name = "shape_assertion"}> : (tensor<i1>, tensor<?xf32>) -> ()
  return %x : tensor<?xf32>
}
