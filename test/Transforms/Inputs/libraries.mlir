// A library for dispatch tests: a product of its own, and one with bias and relu.
#m_k = #relax_sym.shape<[m, k]>
#k_n = #relax_sym.shape<[k, n]>
#m_n = #relax_sym.shape<[m, n]>
#n = #relax_sym.shape<[n]>

relax_ext.func private @linear_relu(tensor<?x?xf32> {relax_sym.shape = #m_k}, tensor<?x?xf32> {relax_sym.shape = #k_n}, tensor<?xf32> {relax_sym.shape = #n})
    outs(tensor<?x?xf32> {relax_sym.shape = #m_n}) where "m >= 16"
    attributes {symbol = "test_linear_relu", sonames = ["libtest.so.1", "libtest.so"], workspace_bytes = #relax_sym.expr<(m + 1) * k * 4>, relax_sym.scope = #relax_sym.scope<>}
func.func private @linear_relu_pattern(%a: tensor<?x?xf32, #m_k>, %b: tensor<?x?xf32, #k_n>, %c: tensor<?xf32, #n>) -> tensor<?x?xf32, #m_n>
    attributes {relax_ext.library = @linear_relu, relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %a, %b : (tensor<?x?xf32, #m_k>, tensor<?x?xf32, #k_n>) -> tensor<?x?xf32, #m_n>
  %1 = relax.add %0, %c {relax_ext.commutes} : (tensor<?x?xf32, #m_n>, tensor<?xf32, #n>) -> tensor<?x?xf32, #m_n>
  %2 = relax.relu %1 : tensor<?x?xf32, #m_n>
  return %2 : tensor<?x?xf32, #m_n>
}

relax_ext.func private @product(tensor<?x?xf32> {relax_sym.shape = #m_k}, tensor<?x?xf32> {relax_sym.shape = #k_n})
    outs(tensor<?x?xf32> {relax_sym.shape = #m_n})
    attributes {symbol = "test_product", abi = "call", object = "product.o", status, relax_sym.scope = #relax_sym.scope<>,
                arguments = [{i64 = #relax_sym.expr<m>}, {i64 = #relax_sym.expr<n>}, {i64 = #relax_sym.expr<k>}, "in0", "in1", "out0"]}
func.func private @product_pattern(%a: tensor<?x?xf32, #m_k>, %b: tensor<?x?xf32, #k_n>) -> tensor<?x?xf32, #m_n>
    attributes {relax_ext.library = @product, relax_sym.scope = #relax_sym.scope<"k mod 8 == 0">} {
  %0 = relax.matmul %a, %b : (tensor<?x?xf32, #m_k>, tensor<?x?xf32, #k_n>) -> tensor<?x?xf32, #m_n>
  return %0 : tensor<?x?xf32, #m_n>
}
