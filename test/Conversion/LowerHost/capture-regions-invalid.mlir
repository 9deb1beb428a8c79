// RUN: relax-opt %s --split-input-file --verify-diagnostics --relax-lower-host

#n = #relax_sym.shape<[n]>
relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
func.func @reads(%x: tensor<?xf32, #n>, %flag: tensor<i1>, %a: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %1 = relax.call_tp @relu(%x) into(%a) {relax.capture = 0 : i64} : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  // expected-error@+1 {{cannot be in region 0 of launches that are recorded}}
  %c = tensor.extract %flag[] : tensor<i1>
  %2 = relax.call_tp @relu(%x) into(%a) {relax.capture = 0 : i64} : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return
}

// -----

#n = #relax_sym.shape<[n]>
relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}
func.func @name(%x: tensor<?xf32, #n>, %a: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error@+1 {{has the attribute 'relax.capture', which is not an integer}}
  %1 = relax.call_tp @relu(%x) into(%a) {relax.capture = "all"} : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return
}

// -----

#n = #relax_sym.shape<[n]>
relax_ext.func private @plain(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {symbol = "lib_plain", relax_sym.scope = #relax_sym.scope<>}
func.func @library(%x: tensor<?xf32, #n>, %a: tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error@+1 {{cannot be in region 0 of launches that are recorded}}
  %1 = relax.call_dps @plain(%x) into(%a) {relax.capture = 0 : i64} : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return
}
