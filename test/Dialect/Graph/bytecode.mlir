// RUN: relax-opt %s --emit-bytecode -o %t.mlirbc
// RUN: relax-opt %t.mlirbc > %t.back.mlir
// RUN: relax-opt %s > %t.text.mlir
// RUN: diff %t.text.mlir %t.back.mlir
// RUN: FileCheck %s < %t.back.mlir

// What the dialect stores by itself: attributes, types and properties survive bytecode.

// CHECK: relax.weight_data @w : tensor<4x8xf16> = #relax.blob<"model.bin", 4096, 64, "3d3ff1a5">
relax.weight_data @w : tensor<4x8xf16> = #relax.blob<"model.bin", 4096, 64, "3d3ff1a5">

func.func private @callee(!relax.shape<["past len", ?]>) attributes {relax_sym.scope = #relax_sym.scope<>}

// CHECK-LABEL: func.func @all(
//  CHECK-SAME:     !relax.shape<[n, ?]> {relax.name = "sizes"}
func.func @all(%s: !relax.shape<[n, ?]> {relax.name = "sizes"}, %st: !relax.storage, %x: tensor<?xf32>, %t: tensor<2xi64>)
    attributes {relax_sym.scope = #relax_sym.scope<"n mod 4 == 0">} {
  // CHECK: relax.call @callee(%{{.*}}) {"past len" = n}
  relax.call @callee(%s) {"past len" = n} : (!relax.shape<[n, ?]>) -> ()
  // CHECK: relax.match_cast %{{.*}} binds ["a b"]
  %0 = relax.match_cast %x binds ["a b"] : tensor<?xf32> to tensor<?xf32, #relax_sym.shape<["a b"]>>
  // CHECK: relax.tensor_to_shape %{{.*}} binds [c]
  %1 = relax.tensor_to_shape %t binds [c] : tensor<2xi64> -> !relax.shape<[c, 4]>
  // CHECK: relax.eval_expr %{{.*}}, max(n, 4) * 8 :
  %2 = relax.eval_expr %s, max(n, 4) * 8 : !relax.shape<[n, ?]> -> index
  // CHECK: relax.assert_shape %{{.*}}, "n >= 4", "few"
  relax.assert_shape %s, "n >= 4", "few" : !relax.shape<[n, ?]>
  // CHECK: relax.tensor_at
  %3 = relax.tensor_at %st[%2], %s : (!relax.storage, index, !relax.shape<[n, ?]>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}
