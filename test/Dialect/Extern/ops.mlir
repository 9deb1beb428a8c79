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

// CHECK-LABEL: relax_ext.func private @called(
//  CHECK-SAME:   attributes {abi = "call", arguments = [101 : i32, {i32 = #relax_sym.expr<n>}, 1.000000e+00 : f32, "in0", "out0", "workspace"], relax_sym.scope = #relax_sym.scope<>, sonames = ["libcalled.so.1", "libcalled.so"], status, symbol = "called", workspace_bytes = #relax_sym.expr<n * 4>}
relax_ext.func private @called(%x: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>}) outs(%y: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>})
    attributes {symbol = "called", abi = "call", sonames = ["libcalled.so.1", "libcalled.so"], status, workspace_bytes = #relax_sym.expr<n * 4>,
                arguments = [101 : i32, {i32 = #relax_sym.expr<n>}, 1.0 : f32, "in0", "out0", "workspace"], relax_sym.scope = #relax_sym.scope<>}

// CHECK-LABEL: func.func @available(
//       CHECK:   relax_ext.available @called if %{{.*}} {site = 0 : i64}
func.func @available(%wanted: i1) -> i1 {
  %0 = relax_ext.available @called if %wanted {site = 0 : i64}
  return %0 : i1
}
