// RUN: relax-opt %s --canonicalize | relax-opt | FileCheck %s

// Folding knows no sign either: 200 is more than 100, -1 is not less than 0.

// CHECK-LABEL: func.func @folds_unsigned
func.func @folds_unsigned() -> (tensor<2xi1>, tensor<2xui8>, tensor<2xui8>, tensor<2xui8>, tensor<2xi32>, tensor<2xui8>) {
  %x = relax.constant dense<[200, 255]> : tensor<2xui8>
  %y = relax.constant dense<[100, 3]> : tensor<2xui8>
  %s = relax.constant dense<[-1, 300]> : tensor<2xi32>
  // CHECK-DAG: relax.constant dense<false> : tensor<2xi1>
  %less = relax.less %x, %y : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  // CHECK-DAG: relax.constant dense<[2, 85]> : tensor<2xui8>
  %quotient = relax.divide %x, %y : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  // CHECK-DAG: relax.constant dense<0> : tensor<2xui8>
  %rest = relax.mod %x, %y : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  // CHECK-DAG: relax.constant dense<[200, 255]> : tensor<2xui8>
  %most = relax.maximum %x, %y : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  // CHECK-DAG: relax.constant dense<[200, 255]> : tensor<2xi32>
  %wide = relax.astype %x {dtype = i32} : (tensor<2xui8>) -> tensor<2xi32>
  // CHECK-DAG: relax.constant dense<[255, 44]> : tensor<2xui8>
  %narrow = relax.astype %s {dtype = ui8} : (tensor<2xi32>) -> tensor<2xui8>
  return %less, %quotient, %rest, %most, %wide, %narrow
      : tensor<2xi1>, tensor<2xui8>, tensor<2xui8>, tensor<2xui8>, tensor<2xi32>, tensor<2xui8>
}
