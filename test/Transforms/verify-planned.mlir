// RUN: relax-opt %s --relax-verify-planned | FileCheck %s

// The tensor ends at one of two sums, each of which is below one of the sums that the storage is a maximum of; the sizes
// involved are quotients of products. No single pair of the values as they are computed shows it.
// CHECK-LABEL: func.func @cases(
//       CHECK:   relax.tensor_at
func.func @cases(%s: !relax.shape<[n, m]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c512 = arith.constant 512 : index
  %c448 = arith.constant 448 : index
  %c384 = arith.constant 384 : index
  %c320 = arith.constant 320 : index
  %c256 = arith.constant 256 : index
  %c192 = arith.constant 192 : index
  %c128 = arith.constant 128 : index
  %c64 = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %v2 = relax.eval_expr %s, ((m * n - n * (m floordiv 3)) ceildiv 16) * 64 : !relax.shape<[n, m]> -> index
  %v3 = relax.eval_expr %s, ((m * n) ceildiv 8) * 64 : !relax.shape<[n, m]> -> index
  %v4 = arith.addi %v2, %c64 overflow<nsw> : index
  %v5 = arith.addi %v2, %v2 overflow<nsw> : index
  %v6 = arith.addi %v2, %c128 overflow<nsw> : index
  %v7 = arith.addi %v2, %c192 overflow<nsw> : index
  %v8 = arith.addi %v2, %c256 overflow<nsw> : index
  %v9 = arith.addi %v2, %c320 overflow<nsw> : index
  %v10 = arith.maxsi %v8, %v7 : index
  %v11 = arith.addi %v10, %c64 overflow<nsw> : index
  %v12 = arith.addi %v2, %c384 overflow<nsw> : index
  %v13 = arith.addi %v2, %c448 overflow<nsw> : index
  %v14 = arith.maxsi %v12, %v7 : index
  %v15 = arith.addi %v14, %c64 overflow<nsw> : index
  %v16 = arith.addi %v2, %c512 overflow<nsw> : index
  %v17 = arith.addi %v14, %c128 overflow<nsw> : index
  %v18 = relax.eval_expr %s, ((m * min(n, 5)) ceildiv 16) * 64 : !relax.shape<[n, m]> -> index
  %v19 = arith.addi %v3, %v18 overflow<nsw> : index
  %v20 = arith.maxsi %v17, %v16 : index
  %v21 = arith.maxsi %v20, %v11 : index
  %v22 = arith.maxsi %v21, %v9 : index
  %v23 = arith.maxsi %v22, %v6 : index
  %v24 = arith.maxsi %v23, %v5 : index
  %v25 = arith.maxsi %v24, %v4 : index
  %v26 = arith.maxsi %v25, %v3 : index
  %v27 = arith.addi %v26, %v2 overflow<nsw> : index
  %v28 = arith.addi %v3, %v3 overflow<nsw> : index
  %v29 = relax.eval_expr %s, (min(n, 5) ceildiv 16) * 64 : !relax.shape<[n, m]> -> index
  %v30 = arith.addi %v19, %v29 overflow<nsw> : index
  %v31 = relax.eval_expr %s, (n ceildiv 8) * 64 : !relax.shape<[n, m]> -> index
  %v32 = arith.addi %v28, %v31 overflow<nsw> : index
  %v33 = arith.maxsi %v28, %v19 : index
  %v34 = relax.eval_expr %s, m * 64 + ((m * min(n, 5) - m * 8) ceildiv 8) * 64 : !relax.shape<[n, m]> -> index
  %v35 = arith.addi %v33, %v34 overflow<nsw> : index
  %v36 = arith.maxsi %v5, %v27 : index
  %v37 = arith.maxsi %v36, %v30 : index
  %v38 = arith.maxsi %v37, %v32 : index
  %v39 = arith.maxsi %v38, %v35 : index
  %v40 = relax.storage %v39 {alignment = 64 : i64, space = "arena"} : !relax.storage
  %t = relax.tensor_at %v40[%v15] : (!relax.storage, index) -> tensor<i1>
  return
}

// Canonicalization makes one expression of a maximum.
// CHECK-LABEL: func.func @folded(
//       CHECK:   relax.tensor_at
func.func @folded(%s: !relax.shape<[n, m]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %begin = relax.eval_expr %s, (n ceildiv 16) * 64 : !relax.shape<[n, m]> -> index
  %bytes = relax.eval_expr %s, max((m ceildiv 8) * 2, n ceildiv 16 + m ceildiv 8 + 1, (n * m) ceildiv 4) * 64 : !relax.shape<[n, m]> -> index
  %st = relax.storage %bytes {alignment = 64 : i64, space = "arena"} : !relax.storage
  %t = relax.tensor_at %st[%begin] : (!relax.storage, index) -> tensor<i1>
  return
}
