// RUN: relax-opt %s --relax-verify-planned | FileCheck %s
// RUN: relax-opt %s --canonicalize --relax-verify-planned | FileCheck %s

#nmk = #relax_sym.shape<[n, m - m floordiv 3, k - k floordiv 5]>

// Constants are one term of a sum, wherever they are added.
// CHECK-LABEL: func.func @constants_of_sums(
// CHECK: relax.tensor_at {{.*}} -> tensor<i1>
func.func @constants_of_sums(%s: !relax.shape<[n, m, k]>) -> (tensor<?x?x?xf32, #nmk>, tensor<i1>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c448 = arith.constant 448 : index
  %a = relax.eval_expr %s, ((n * (m - m floordiv 3) * (k - k floordiv 5)) ceildiv 16) * 64 : !relax.shape<[n, m, k]> -> index
  %b = arith.addi %a, %c64 overflow<nsw> : index
  %two = arith.addi %a, %b overflow<nsw> : index
  %sum = arith.addi %two, %c448 overflow<nsw> : index
  %other = relax.eval_expr %s, ((n * m) ceildiv 16) * 64 : !relax.shape<[n, m, k]> -> index
  %size = arith.maxsi %sum, %other : index
  %st = relax.storage %size {alignment = 64 : i64, space = "arena"} : !relax.storage
  %off = arith.addi %a, %c448 overflow<nsw> : index
  %0 = relax.tensor_at %st[%c0], %s : (!relax.storage, index, !relax.shape<[n, m, k]>) -> tensor<?x?x?xf32, #nmk>
  %1 = relax.tensor_at %st[%off] : (!relax.storage, index) -> tensor<i1>
  return %0, %1 : tensor<?x?x?xf32, #nmk>, tensor<i1>
}
