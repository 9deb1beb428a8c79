// OpenBLAS: matrix products of f32 and f64. Licensed under the Apache License, Version 2.0. See LICENSE.
//
// cblas_?gemm(order, transA, transB, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc); 101: row-major, 111: as it is, 112:
// transposed. Sizes are 32 bits wide. It takes no empty matrices.

#openblas = ["libopenblas.so.0", "libopenblas.so"]
#m_k = #relax_sym.shape<[m, k]>
#k_n = #relax_sym.shape<[k, n]>
#n_k = #relax_sym.shape<[n, k]>
#m_n = #relax_sym.shape<[m, n]>
#b_m_k = #relax_sym.shape<[b, m, k]>
#b_m_n = #relax_sym.shape<[b, m, n]>
#m = {i32 = #relax_sym.expr<m>}
#b_m = {i32 = #relax_sym.expr<b * m>}
#n = {i32 = #relax_sym.expr<n>}
#k = {i32 = #relax_sym.expr<k>}

// A transposed right operand is read as it lies. That of a weight is made while compiling.
relax_ext.func private @openblas_sgemm_nt(tensor<?x?xf32> {relax_sym.shape = #m_k}, tensor<?x?xf32> {relax_sym.shape = #n_k})
    outs(tensor<?x?xf32> {relax_sym.shape = #m_n}) where "m >= 1", "n >= 1", "k >= 1"
    attributes {symbol = "cblas_sgemm", abi = "call", capturable, sonames = #openblas, relax_sym.scope = #relax_sym.scope<>,
                arguments = [101 : i32, 111 : i32, 112 : i32, #m, #n, #k, 1.0 : f32, "in0", #k, "in1", #k, 0.0 : f32, "out0", #n]}
func.func private @matmul_nt_f32(%a: tensor<?x?xf32, #m_k>, %b: tensor<?x?xf32, #n_k> {relax_ext.variable}) -> tensor<?x?xf32, #m_n>
    attributes {relax_ext.library = @openblas_sgemm_nt, relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.permute_dims %b {permutation = array<i64: 1, 0>} : (tensor<?x?xf32, #n_k>) -> tensor<?x?xf32, #k_n>
  %1 = relax.matmul %a, %0 : (tensor<?x?xf32, #m_k>, tensor<?x?xf32, #k_n>) -> tensor<?x?xf32, #m_n>
  return %1 : tensor<?x?xf32, #m_n>
}

relax_ext.func private @openblas_sgemm(tensor<?x?xf32> {relax_sym.shape = #m_k}, tensor<?x?xf32> {relax_sym.shape = #k_n})
    outs(tensor<?x?xf32> {relax_sym.shape = #m_n}) where "m >= 1", "n >= 1", "k >= 1"
    attributes {symbol = "cblas_sgemm", abi = "call", capturable, sonames = #openblas, relax_sym.scope = #relax_sym.scope<>,
                arguments = [101 : i32, 111 : i32, 111 : i32, #m, #n, #k, 1.0 : f32, "in0", #k, "in1", #n, 0.0 : f32, "out0", #n]}
func.func private @matmul_f32(%a: tensor<?x?xf32, #m_k>, %b: tensor<?x?xf32, #k_n>) -> tensor<?x?xf32, #m_n>
    attributes {relax_ext.library = @openblas_sgemm, relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %a, %b : (tensor<?x?xf32, #m_k>, tensor<?x?xf32, #k_n>) -> tensor<?x?xf32, #m_n>
  return %0 : tensor<?x?xf32, #m_n>
}

// Rows of all batches are the rows of one matrix.
relax_ext.func private @openblas_sgemm_rows(tensor<?x?x?xf32> {relax_sym.shape = #b_m_k}, tensor<?x?xf32> {relax_sym.shape = #k_n})
    outs(tensor<?x?x?xf32> {relax_sym.shape = #b_m_n}) where "b * m >= 1", "n >= 1", "k >= 1"
    attributes {symbol = "cblas_sgemm", abi = "call", capturable, sonames = #openblas, relax_sym.scope = #relax_sym.scope<>,
                arguments = [101 : i32, 111 : i32, 111 : i32, #b_m, #n, #k, 1.0 : f32, "in0", #k, "in1", #n, 0.0 : f32, "out0", #n]}
func.func private @matmul_rows_f32(%a: tensor<?x?x?xf32, #b_m_k>, %b: tensor<?x?xf32, #k_n>) -> tensor<?x?x?xf32, #b_m_n>
    attributes {relax_ext.library = @openblas_sgemm_rows, relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %a, %b : (tensor<?x?x?xf32, #b_m_k>, tensor<?x?xf32, #k_n>) -> tensor<?x?x?xf32, #b_m_n>
  return %0 : tensor<?x?x?xf32, #b_m_n>
}

relax_ext.func private @openblas_dgemm(tensor<?x?xf64> {relax_sym.shape = #m_k}, tensor<?x?xf64> {relax_sym.shape = #k_n})
    outs(tensor<?x?xf64> {relax_sym.shape = #m_n}) where "m >= 1", "n >= 1", "k >= 1"
    attributes {symbol = "cblas_dgemm", abi = "call", capturable, sonames = #openblas, relax_sym.scope = #relax_sym.scope<>,
                arguments = [101 : i32, 111 : i32, 111 : i32, #m, #n, #k, 1.0 : f64, "in0", #k, "in1", #n, 0.0 : f64, "out0", #n]}
func.func private @matmul_f64(%a: tensor<?x?xf64, #m_k>, %b: tensor<?x?xf64, #k_n>) -> tensor<?x?xf64, #m_n>
    attributes {relax_ext.library = @openblas_dgemm, relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %a, %b : (tensor<?x?xf64, #m_k>, tensor<?x?xf64, #k_n>) -> tensor<?x?xf64, #m_n>
  return %0 : tensor<?x?xf64, #m_n>
}
