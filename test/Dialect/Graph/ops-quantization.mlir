// RUN: relax-opt %s --verify-roundtrip | FileCheck %s --check-prefix=PRINT
// RUN: relax-opt %s --relax-infer-shapes --mlir-print-local-scope | FileCheck %s
// RUN: relax-opt %s --relax-decompose-ops --mlir-print-local-scope | FileCheck %s --check-prefix=SIMPLE

#nm = #relax_sym.shape<[n, m]>

// PRINT-LABEL: func.func @formats(
// CHECK-LABEL: func.func @formats(
func.func @formats(%c: tensor<?x?xi8, #nm>, %x: tensor<?x?xf32, #nm>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // PRINT: relax.decode %{{.*}} {dtype = f32, format = "u4"} :
  // CHECK: relax.decode {{.*}} -> tensor<?x?xf32, #relax_sym.shape<[n, m * 2]>>
  %0 = relax.decode %c {format = "u4", dtype = f32} : (tensor<?x?xi8, #nm>) -> tensor<?x?xf32>
  // PRINT: relax.encode %{{.*}} {format = "i2", saturate} :
  // CHECK: relax.encode {{.*}} -> tensor<?x?xi8, #relax_sym.shape<[n, m ceildiv 4]>>
  %1 = relax.encode %x {format = "i2", saturate} : (tensor<?x?xf32, #nm>) -> tensor<?x?xi8>
  // PRINT: relax.bitcast %{{.*}} {dtype = i32} :
  // CHECK: relax.bitcast {{.*}} -> tensor<?x?xi32, #relax_sym.shape<[n, m]>>
  %2 = relax.bitcast %x {dtype = i32} : (tensor<?x?xf32, #nm>) -> tensor<?x?xi32>
  return
}

// SIMPLE-LABEL: func.func @quantize(
func.func @quantize(%x: tensor<?x?xf32, #nm>, %s: tensor<?xf32, #relax_sym.shape<[m]>>, %z: tensor<?xi8, #relax_sym.shape<[m]>>)
    -> tensor<?x?xi8, #nm> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // PRINT: relax.quantize %{{.*}}, %{{.*}} zero(%{{.*}}) {axis = 1 : i64, format = "u8"} :
  // SIMPLE: relax.divide
  // SIMPLE: relax.round
  // SIMPLE: relax.decode
  // SIMPLE: relax.add
  // SIMPLE: relax.encode {{.*}} {format = "u8", saturate}
  %0 = relax.quantize %x, %s zero(%z) {format = "u8", axis = 1 : i64}
      : (tensor<?x?xf32, #nm>, tensor<?xf32, #relax_sym.shape<[m]>>, tensor<?xi8, #relax_sym.shape<[m]>>) -> tensor<?x?xi8, #nm>
  return %0 : tensor<?x?xi8, #nm>
}

// PRINT-LABEL: func.func @blocks(
// CHECK-LABEL: func.func @blocks(
func.func @blocks(%c: tensor<?x16xi8, #relax_sym.shape<[n, 16]>>, %s: tensor<?x1xf16, #relax_sym.shape<[n, 1]>>, %a: tensor<?x4xi8, #relax_sym.shape<[n, 4]>>,
                  %b: tensor<4x8xi8>, %z: tensor<i8>, %x: tensor<1x3x8xi8>, %w: tensor<2x3x3xi8>, %f: tensor<?xf32, #relax_sym.shape<[n]>>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // PRINT: relax.dequantize %{{.*}}, %{{.*}} {axis = 1 : i64, block = 32 : i64, format = "i4"} :
  // CHECK: relax.dequantize {{.*}} -> tensor<?x32xf16, #relax_sym.shape<[n, 32]>>
  %0 = relax.dequantize %c, %s {format = "i4", axis = 1 : i64, block = 32 : i64}
      : (tensor<?x16xi8, #relax_sym.shape<[n, 16]>>, tensor<?x1xf16, #relax_sym.shape<[n, 1]>>) -> tensor<?x?xf16>
  // PRINT: relax.dynamic_quantize %{{.*}} :
  %1, %2, %3 = relax.dynamic_quantize %f : (tensor<?xf32, #relax_sym.shape<[n]>>) -> (tensor<?xi8, #relax_sym.shape<[n]>>, tensor<f32>, tensor<i8>)
  // CHECK: relax.quantized_matmul {{.*}} -> tensor<?x8xi32, #relax_sym.shape<[n, 8]>>
  %4 = relax.quantized_matmul %a, %b lhs_zero(%z) {lhs_format = "u8", rhs_format = "i8"}
      : (tensor<?x4xi8, #relax_sym.shape<[n, 4]>>, tensor<4x8xi8>, tensor<i8>) -> tensor<?x?xi32>
  // PRINT: relax.quantized_conv %{{.*}}, %{{.*}} weight_zero(%{{.*}}) {
  %5 = relax.quantized_conv %x, %w weight_zero(%z) {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64, input_format = "u8", weight_format = "i8"}
      : (tensor<1x3x8xi8>, tensor<2x3x3xi8>, tensor<i8>) -> tensor<1x2x8xi32>
  return
}
