// oneDNN 3: matrix products of f32. Licensed under the Apache License, Version 2.0. See LICENSE.
//
// dnnl_sgemm(transA, transB, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc), row-major; 78 is 'N', 84 is 'T'. Sizes are 64
// bits wide. It returns 0 for success.

#onednn = ["libdnnl.so.3", "libdnnl.so"]
#m_k = #relax_sym.shape<[m, k]>
#k_n = #relax_sym.shape<[k, n]>
#m_n = #relax_sym.shape<[m, n]>
#b_m_k = #relax_sym.shape<[b, m, k]>
#b_m_n = #relax_sym.shape<[b, m, n]>
#m = {i64 = #relax_sym.expr<m>}
#b_m = {i64 = #relax_sym.expr<b * m>}
#n = {i64 = #relax_sym.expr<n>}
#k = {i64 = #relax_sym.expr<k>}

relax_ext.func private @onednn_sgemm(tensor<?x?xf32> {relax_sym.shape = #m_k}, tensor<?x?xf32> {relax_sym.shape = #k_n})
    outs(tensor<?x?xf32> {relax_sym.shape = #m_n}) where "m >= 1", "n >= 1", "k >= 1"
    attributes {symbol = "dnnl_sgemm", abi = "call", capturable, sonames = #onednn, status, relax_sym.scope = #relax_sym.scope<>,
                arguments = [78 : i8, 78 : i8, #m, #n, #k, 1.0 : f32, "in0", #k, "in1", #n, 0.0 : f32, "out0", #n]}
func.func private @matmul_f32(%a: tensor<?x?xf32, #m_k>, %b: tensor<?x?xf32, #k_n>) -> tensor<?x?xf32, #m_n>
    attributes {relax_ext.library = @onednn_sgemm, relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %a, %b : (tensor<?x?xf32, #m_k>, tensor<?x?xf32, #k_n>) -> tensor<?x?xf32, #m_n>
  return %0 : tensor<?x?xf32, #m_n>
}

// Rows of all batches are the rows of one matrix.
relax_ext.func private @onednn_sgemm_rows(tensor<?x?x?xf32> {relax_sym.shape = #b_m_k}, tensor<?x?xf32> {relax_sym.shape = #k_n})
    outs(tensor<?x?x?xf32> {relax_sym.shape = #b_m_n}) where "b * m >= 1", "n >= 1", "k >= 1"
    attributes {symbol = "dnnl_sgemm", abi = "call", capturable, sonames = #onednn, status, relax_sym.scope = #relax_sym.scope<>,
                arguments = [78 : i8, 78 : i8, #b_m, #n, #k, 1.0 : f32, "in0", #k, "in1", #n, 0.0 : f32, "out0", #n]}
func.func private @matmul_rows_f32(%a: tensor<?x?x?xf32, #b_m_k>, %b: tensor<?x?xf32, #k_n>) -> tensor<?x?x?xf32, #b_m_n>
    attributes {relax_ext.library = @onednn_sgemm_rows, relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %a, %b : (tensor<?x?x?xf32, #b_m_k>, tensor<?x?xf32, #k_n>) -> tensor<?x?x?xf32, #b_m_n>
  return %0 : tensor<?x?x?xf32, #b_m_n>
}
