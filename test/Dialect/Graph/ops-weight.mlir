// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --emit-bytecode | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

// CHECK: relax.weight_data @dense : tensor<2xf32> = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
relax.weight_data @dense : tensor<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
// CHECK: relax.weight_data @blob : tensor<4x8xf16> = #relax.blob<"model.bin", 4096, 64, "3d3ff1a5">
relax.weight_data @blob : tensor<4x8xf16> = #relax.blob<"model.bin", 4096, 64, "3d3ff1a5">
// CHECK: relax.weight_data @empty : tensor<0x8xf16> = #relax.blob<"model.bin", 4096, 0, "00000000"> attributes {note = "none"}
relax.weight_data @empty : tensor<0x8xf16> = #relax.blob<"model.bin", 4096, 0, "00000000"> attributes {note = "none"}

// CHECK-LABEL: func.func @weights(
func.func @weights() -> (tensor<2xf32>, tensor<4x8xf16>, tensor<3xi1>) {
  // CHECK: relax.weight @dense : tensor<2xf32>
  %0 = relax.weight @dense : tensor<2xf32>
  // CHECK: relax.weight @blob : tensor<4x8xf16>
  %1 = relax.weight @blob : tensor<4x8xf16>
  // CHECK: relax.constant dense<[true, false, true]> : tensor<3xi1>
  %2 = relax.constant dense<[true, false, true]> : tensor<3xi1>
  return %0, %1, %2 : tensor<2xf32>, tensor<4x8xf16>, tensor<3xi1>
}

// A weight that nothing names goes.
// RUN: relax-opt %s --symbol-dce | FileCheck %s --check-prefix=DCE
// DCE: @dense
// DCE-NOT: relax.weight_data @empty
