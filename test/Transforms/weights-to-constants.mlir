// RUN: split-file %s %t
// RUN: relax-opt %t/weights.mlir --relax-weights-to-constants=blob-directory=%t | FileCheck %s
// RUN: relax-opt %t/invalid.mlir --relax-weights-to-constants=blob-directory=%t --split-input-file --verify-diagnostics

//--- data.bin
abcdefgh
//--- weights.mlir
relax.weight_data @dense : tensor<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
relax.weight_data @blob : tensor<2xi16> = #relax.blob<"data.bin", 2, 4, "fb52bf82">
relax.weight_data @bools : tensor<3xi1> = #relax.blob<"data.bin", 0, 3, "352441c2">
relax.weight_data @unused : tensor<0xi8> = #relax.blob<"data.bin", 0, 0, "00000000">

// CHECK-NOT: relax.weight_data
// CHECK-LABEL: func.func @f(
//   CHECK-DAG:   %[[A:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
//   CHECK-DAG:   %[[B:.*]] = arith.constant dense<[25699, 26213]> : tensor<2xi16>
//   CHECK-DAG:   %[[C:.*]] = arith.constant dense<true> : tensor<3xi1>
//   CHECK-DAG:   %[[D:.*]] = arith.constant dense<3> : tensor<4xi8>
//       CHECK:   return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @f() -> (tensor<2xf32>, tensor<2xi16>, tensor<3xi1>, tensor<4xi8>) {
  %0 = relax.weight @dense : tensor<2xf32>
  %1 = relax.weight @blob : tensor<2xi16>
  %2 = relax.weight @bools : tensor<3xi1>
  %3 = relax.constant dense<3> : tensor<4xi8>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xi16>, tensor<3xi1>, tensor<4xi8>
}
//--- invalid.mlir
// expected-error @below {{data.bin': it has digest}}
relax.weight_data @digest : tensor<2xi16> = #relax.blob<"data.bin", 2, 4, "00000000">

// -----

// expected-error @below {{data.bin': it ends before the weight does}}
relax.weight_data @short : tensor<8xi16> = #relax.blob<"data.bin", 0, 16, "00000000">

// -----

// expected-error @below {{missing.bin'}}
relax.weight_data @missing : tensor<8xi16> = #relax.blob<"missing.bin", 0, 16, "00000000">
