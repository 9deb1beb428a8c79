// RUN: relax-opt %s --canonicalize | FileCheck %s

#n = #relax_sym.shape<[n]>

// Neutral elements go where that is exact: x + 0.0 is not x for x = -0.0.
// CHECK-LABEL: func.func @neutral(
//  CHECK-SAME:   %[[X:.*]]: tensor<?xf32
//       CHECK:   %[[ADD:.*]] = relax.add %[[X]]
//       CHECK:   return %[[X]], %[[X]], %[[X]], %[[X]], %[[ADD]]
func.func @neutral(%x: tensor<?xf32, #n>) -> (tensor<?xf32, #n>, tensor<?xf32, #n>, tensor<?xf32, #n>, tensor<?xf32, #n>, tensor<?xf32, #n>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %zero = relax.constant dense<0.0> : tensor<f32>
  %minus = relax.constant dense<-0.0> : tensor<f32>
  %one = relax.constant dense<1.0> : tensor<f32>
  %0 = relax.multiply %x, %one : (tensor<?xf32, #n>, tensor<f32>) -> tensor<?xf32, #n>
  %1 = relax.divide %x, %one : (tensor<?xf32, #n>, tensor<f32>) -> tensor<?xf32, #n>
  %2 = relax.subtract %x, %zero : (tensor<?xf32, #n>, tensor<f32>) -> tensor<?xf32, #n>
  %3 = relax.add %minus, %x : (tensor<f32>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %4 = relax.add %x, %zero : (tensor<?xf32, #n>, tensor<f32>) -> tensor<?xf32, #n>
  return %0, %1, %2, %3, %4 : tensor<?xf32, #n>, tensor<?xf32, #n>, tensor<?xf32, #n>, tensor<?xf32, #n>, tensor<?xf32, #n>
}

// A neutral operand that broadcasts stays: the result is larger.
// CHECK-LABEL: func.func @broadcasts(
//       CHECK:   relax.multiply
func.func @broadcasts(%x: tensor<1xf32>) -> tensor<4xf32> {
  %one = relax.constant dense<1.0> : tensor<4xf32>
  %0 = relax.multiply %x, %one : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @same(
//  CHECK-SAME:   %[[X:.*]]: tensor<?xf32, #{{.*}}>, %[[C:.*]]: tensor<?xi1
//       CHECK:   return %[[X]], %[[X]]
func.func @same(%x: tensor<?xf32, #n>, %c: tensor<?xi1, #n>) -> (tensor<?xf32, #n>, tensor<?xf32, #n>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.astype %x {dtype = f32} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %1 = relax.where %c, %x, %x : (tensor<?xi1, #n>, tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %0, %1 : tensor<?xf32, #n>, tensor<?xf32, #n>
}

// CHECK-LABEL: func.func @integers(
//   CHECK-DAG:   %[[SUM:.*]] = relax.constant dense<{{\[\[}}11, 12], [21, 22]]> : tensor<2x2xi64>
//   CHECK-DAG:   %[[MOD:.*]] = relax.constant dense<[2, -1]> : tensor<2xi64>
//   CHECK-DAG:   %[[DIV:.*]] = relax.constant dense<[-2, 2]> : tensor<2xi64>
//   CHECK-DAG:   %[[LESS:.*]] = relax.constant dense<[true, false]> : tensor<2xi1>
//   CHECK-DAG:   %[[WHERE:.*]] = relax.constant dense<[1, -7]> : tensor<2xi64>
//   CHECK-DAG:   %[[CAST:.*]] = relax.constant dense<[1, 0]> : tensor<2xi8>
//       CHECK:   return %[[SUM]], %[[MOD]], %[[DIV]], %[[LESS]], %[[WHERE]], %[[CAST]]
func.func @integers() -> (tensor<2x2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi1>, tensor<2xi64>, tensor<2xi8>) {
  %a = relax.constant dense<[1, 2]> : tensor<2xi64>
  %b = relax.constant dense<[[10], [20]]> : tensor<2x1xi64>
  %c = relax.constant dense<[-7, -7]> : tensor<2xi64>
  %d = relax.constant dense<[3, -3]> : tensor<2xi64>
  %0 = relax.add %a, %b : (tensor<2xi64>, tensor<2x1xi64>) -> tensor<2x2xi64>
  %1 = relax.mod %c, %d : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %2 = relax.divide %c, %d : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %3 = relax.less %a, %d : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
  %4 = relax.greater %a, %d : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
  %5 = relax.where %3, %a, %c : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %6 = relax.astype %3 {dtype = i8} : (tensor<2xi1>) -> tensor<2xi8>
  return %0, %1, %2, %3, %5, %6 : tensor<2x2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi1>, tensor<2xi64>, tensor<2xi8>
}

// Division by zero stays for run time, where it is an error.
// CHECK-LABEL: func.func @by_zero(
//       CHECK:   relax.divide
func.func @by_zero() -> tensor<i64> {
  %a = relax.constant dense<1> : tensor<i64>
  %b = relax.constant dense<0> : tensor<i64>
  %0 = relax.divide %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}
