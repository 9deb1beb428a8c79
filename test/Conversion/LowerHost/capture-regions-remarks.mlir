// RUN: relax-opt %s --relax-capture-regions=min-calls=2 -o /dev/null --remarks=relax-capture-regions 2>&1 | FileCheck %s

#n = #relax_sym.shape<[n]>
relax_tp.func private @relu(%x: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

// CHECK: capture-regions-remarks.mlir:[[#@LINE+10]]:8: remark: [Passed] Captured | Category:relax-capture-regions | Remark="2 launches are recorded as region 0"
// CHECK: capture-regions-remarks.mlir:[[#@LINE+14]]:8: remark: [Missed] NotCaptured | Category:relax-capture-regions | Remark="not recorded: 1 in a row, wanted are 2"
func.func @parts(%x: tensor<?xf32, #n>, %i: tensor<i64>) -> (tensor<?xf32, #n>, i64) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %s = relax.shape_of %x : tensor<?xf32, #n> -> !relax.shape<[n]>
  %size = relax.eval_expr %s, n * 4 : !relax.shape<[n]> -> index
  %out = relax.storage %size {alignment = 64 : i64, relax.output = 0 : i64, space = "output"} : !relax.storage
  %b = relax.tensor_at %out[%c0], %s : (!relax.storage, index, !relax.shape<[n]>) -> tensor<?xf32, #n>

  // Two in a row, then one: what is read from a tensor comes between.
  %1 = relax.call_tp @relu(%x) into(%b) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %2 = relax.call_tp @relu(%1) into(%b) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %e = tensor.extract %i[] : tensor<i64>


  %3 = relax.call_tp @relu(%2) into(%b) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %3, %e : tensor<?xf32, #n>, i64
}
