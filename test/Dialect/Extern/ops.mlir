// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s
// RUN: relax-opt %s > %t.mlir
// RUN: relax-opt %s --emit-bytecode | relax-opt | diff - %t.mlir

// CHECK-LABEL: relax_ext.func private @gemm(
//  CHECK-SAME:   tensor<?x4xf32> {relax_sym.shape = #n_4}, tensor<4x8xf32>)
//  CHECK-SAME:   outs(tensor<?x8xf32> {relax_sym.shape = #n_8}) where "n >= 16", "n mod 4 == 0"
//  CHECK-SAME:   attributes {capturable, relax_sym.scope = #relax_sym.scope<>, symbol = "lib_gemm", workspace_bytes = #relax_sym.expr<n * 32>}
relax_ext.func private @gemm(%a: tensor<?x4xf32> {relax_sym.shape = #relax_sym.shape<[n, 4]>}, %b: tensor<4x8xf32>)
    outs(%c: tensor<?x8xf32> {relax_sym.shape = #relax_sym.shape<[n, 8]>}) where "n >= 16", "n mod 4 == 0"
    attributes {symbol = "lib_gemm", workspace_bytes = #relax_sym.expr<n * 32>, capturable, relax_sym.scope = #relax_sym.scope<>}

// CHECK-LABEL: relax_ext.func private @two(tensor<4xf16>) outs(tensor<4xf16>, tensor<2xi1>)
//  CHECK-SAME:   scalars(index {relax_sym.expr = #relax_sym.expr<"past len">}, index)
//  CHECK-SAME:   where "\22past len\22 <= 8" attributes {relax_sym.scope = #relax_sym.scope<>, symbol = "lib_two"}
relax_ext.func private @two(tensor<4xf16>) outs(tensor<4xf16>, tensor<2xi1>)
    scalars(index {relax_sym.expr = #relax_sym.expr<"past len">}, index) where "\"past len\" <= 8"
    attributes {symbol = "lib_two", abi = "c", relax_sym.scope = #relax_sym.scope<>}
