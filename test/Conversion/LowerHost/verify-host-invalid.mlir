// RUN: relax-opt %s --split-input-file --relax-verify-host --verify-diagnostics

// expected-error @below {{no entry for {name = "main", symbol = "relax_entry_main"}}}
module attributes {relax.functions = [{name = "main", symbol = "relax_entry_main"}]} {
}

// -----

module attributes {relax.functions = [{name = "main", symbol = "relax_entry_main"}]} {
  // expected-error @below {{entry has type '() -> ()', expected '(!llvm.ptr) -> i32'}}
  func.func @relax_entry_main() {
    return
  }
}

// -----

module attributes {relax.functions = [{name = "main", symbol = "relax_entry_main"}]} {
  func.func @relax_entry_main(%inv: !llvm.ptr) -> i32 {
    // expected-error @below {{is left in host code, expected func, arith, scf, cf and llvm only}}
    %0 = relax.constant dense<0> : tensor<i64>
    %c = arith.constant 0 : i32
    return %c : i32
  }
}

// -----

// expected-error @below {{is left beside host code}}
relax.weight_data @w : tensor<f32> = dense<0.0> : tensor<f32>
