// RUN: relax-opt %s --relax-inline-tensor-programs --split-input-file --verify-diagnostics

relax_tp.func private @exp(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  relax_tp.yield %0 : tensor<4xf32>
}
func.func @inplace(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{writes a destination and cannot be inlined}}
  %0 = relax.call_tp_inplace @exp(%x) {inplace = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

relax_tp.func private @exp(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  relax_tp.yield %0 : tensor<4xf32>
}
func.func @destination(%x: tensor<4xf32>) -> tensor<4xf32> {
  %d = relax.alloc : () -> tensor<4xf32>
  // expected-error @below {{writes a destination and cannot be inlined}}
  %0 = relax.call_tp @exp(%x) into(%d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
