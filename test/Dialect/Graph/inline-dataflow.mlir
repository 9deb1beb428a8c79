// RUN: relax-opt %s --relax-inline-dataflow | FileCheck %s

// CHECK-LABEL: func.func @nested(
//  CHECK-SAME:     %[[X:.*]]: tensor<4xf32>)
//  CHECK-NEXT:   %[[C:.*]] = relax.constant
//  CHECK-NEXT:   return %[[C]], %[[X]]
func.func @nested(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = relax.dataflow -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = relax.dataflow -> (tensor<4xf32>) {
      %c = relax.constant dense<0.0> : tensor<4xf32>
      relax.output %c : tensor<4xf32>
    }
    relax.output %1, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
