// RUN: relax-opt %s --split-input-file --relax-verify-destinations --verify-diagnostics

relax_tp.func private @relu(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @missing(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{has no destinations, expected one for each result}}
  %0 = relax.call_tp @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

relax_tp.func private @relu(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @argument(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{destination 0 is not made by 'relax.alloc'}}
  %0 = relax.call_tp @relu(%x) into(%d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

relax_tp.func private @relu(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
func.func @shared(%x: tensor<4xf32>) -> tensor<4xf32> {
  %d = relax.alloc : () -> tensor<4xf32>
  // expected-error @below {{destination 0 has more than one use, expected one call}}
  %0 = relax.call_tp @relu(%x) into(%d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.call_tp @relu(%0) into(%d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @planned() {
  %c = arith.constant 64 : index
  // expected-error @below {{belongs to the planned phase, expected 'relax.alloc'}}
  %0 = relax.storage %c {alignment = 64 : i64, space = "arena"} : !relax.storage
  return
}
