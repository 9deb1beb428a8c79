// RUN: relax-opt %s --split-input-file --relax-bufferize-kernels --verify-diagnostics

// expected-error @below {{kernel cannot be bufferized}}
func.func private @unknown(%x: memref<4xf32>, %o: memref<4xf32>, %e: memref<1xi64>) {
  %t = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
  // expected-error @below {{op was not bufferized}}
  %r = tensor.bitcast %t : tensor<4xf32> to tensor<4xi32>
  %s = arith.sitofp %r : tensor<4xi32> to tensor<4xf32>
  bufferization.materialize_in_destination %s in restrict writable %o : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
