// A block of a language model: two library functions and a generated kernel. The attention's second result is the grown
// key cache in half precision: (batch, heads, past_len + seq_len, head_dim).
//
//   relax-run llm_block.rlx --library build/lib/librelax_example_llm.so --inputs in.npz --outputs out.npz

#ids = #relax_sym.shape<[batch, seq_len]>
#table = #relax_sym.shape<[vocab, heads * head_dim]>
#hidden = #relax_sym.shape<[batch, seq_len, heads * head_dim]>
#past = #relax_sym.shape<[batch, heads, past_len, head_dim]>
#present = #relax_sym.shape<[batch, heads, past_len + seq_len, head_dim]>

relax_ext.func private @embedding(%table: tensor<?x?xf32> {relax_sym.shape = #relax_sym.shape<[vocab, hidden]>},
                                  %ids: tensor<?x?xi64> {relax_sym.shape = #ids})
    outs(%o: tensor<?x?x?xf32> {relax_sym.shape = #relax_sym.shape<[batch, seq_len, hidden]>})
    attributes {symbol = "example_embedding", relax_sym.scope = #relax_sym.scope<>}

relax_ext.func private @attention(%x: tensor<?x?x?xf32> {relax_sym.shape = #hidden},
                                  %past: tensor<?x?x?x?xf16> {relax_sym.shape = #past})
    outs(%o: tensor<?x?x?xf32> {relax_sym.shape = #hidden}, %present: tensor<?x?x?x?xf16> {relax_sym.shape = #present})
    attributes {symbol = "example_attention", relax_sym.scope = #relax_sym.scope<>}

relax_tp.func private @relu(%x: tensor<?x?x?xf32> {relax_sym.shape = #relax_sym.shape<[a, b, c]>})
    outs(%o: tensor<?x?x?xf32> {relax_sym.shape = #relax_sym.shape<[a, b, c]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %zero = arith.constant 0.0 : f32
  %r = linalg.map ins(%x : tensor<?x?x?xf32>) outs(%o : tensor<?x?x?xf32>) (%v: f32, %init: f32) {
    %m = arith.maximumf %v, %zero : f32
    linalg.yield %m : f32
  }
  relax_tp.yield %r : tensor<?x?x?xf32>
}

func.func @main(%table: tensor<?x?xf32, #table> {relax.name = "table"}, %ids: tensor<?x?xi64, #ids> {relax.name = "ids"},
                %past: tensor<?x?x?x?xf16, #past> {relax.name = "past"})
    -> (tensor<?x?x?xf32, #hidden> {relax.name = "y"}, tensor<?x?x?x?xf16, #present> {relax.name = "present"})
    attributes {relax_sym.scope = #relax_sym.scope<"heads >= 1", "head_dim >= 1">} {
  %x = relax.call_dps @embedding(%table, %ids) : (tensor<?x?xf32, #table>, tensor<?x?xi64, #ids>) -> tensor<?x?x?xf32, #hidden>
  %0:2 = relax.call_dps @attention(%x, %past)
      : (tensor<?x?x?xf32, #hidden>, tensor<?x?x?x?xf16, #past>) -> (tensor<?x?x?xf32, #hidden>, tensor<?x?x?x?xf16, #present>)
  %1 = relax.call_tp @relu(%0#0) : (tensor<?x?x?xf32, #hidden>) -> tensor<?x?x?xf32, #hidden>
  return %1, %0#1 : tensor<?x?x?xf32, #hidden>, tensor<?x?x?x?xf16, #present>
}
