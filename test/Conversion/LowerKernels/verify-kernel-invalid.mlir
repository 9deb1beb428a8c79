// RUN: relax-opt %s --split-input-file --relax-verify-kernel --verify-diagnostics

// expected-error @below {{no kernel 'f', which relax.kernels names}}
module attributes {relax.kernels = ["f"]} {
}

// -----

module attributes {relax.kernels = ["f"]} {
  // expected-error @below {{kernel is 'relax_tp.func', expected 'func.func'}}
  relax_tp.func private @f(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
    relax_tp.yield %o : tensor<4xf32>
  }
}

// -----

module attributes {relax.kernels = ["f"]} {
  // expected-error @below {{kernel 'f' has no body}}
  func.func private @f(memref<1xi64>)
}

// -----

module attributes {relax.kernels = ["f"]} {
  // expected-error @below {{kernel 'f' has no trailing memref<1xi64> error word}}
  func.func private @f(%x: memref<4xf32>) {
    return
  }
}

// -----

module attributes {relax.kernels = ["f"]} {
  // expected-error @below {{kernel 'f' takes a buffer after a scalar, at argument 1}}
  func.func private @f(%k: index, %x: memref<4xf32>, %e: memref<1xi64>) {
    return
  }
}

// -----

module attributes {relax.kernels = ["f"]} {
  // expected-error @below {{kernel 'f' takes a buffer that is not a plain identity-layout memref, at argument 0}}
  func.func private @f(%x: memref<4xf32, strided<[2]>>, %e: memref<1xi64>) {
    return
  }
}

// -----

module attributes {relax.kernels = ["f"]} {
  // expected-error @below {{kernel 'f' takes neither a memref nor an index, at argument 0}}
  func.func private @f(%x: tensor<4xf32>, %e: memref<1xi64>) {
    return
  }
}

// -----

module attributes {relax.kernels = ["f"]} {
  // expected-error @below {{kernel 'f' returns something that is not an index}}
  func.func private @f(%e: memref<1xi64>) -> i32 {
    %c = arith.constant 0 : i32
    return %c : i32
  }
}

// -----

module attributes {relax.kernels = ["f"]} {
  func.func private @f(%e: memref<1xi64>) {
    // expected-error @below {{is left in a kernel, expected upstream dialects only}}
    %c = relax.constant dense<0.0> : tensor<f32>
    return
  }
}
