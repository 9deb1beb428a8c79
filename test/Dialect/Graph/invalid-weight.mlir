// RUN: relax-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'relax.weight_data' op needs a static type without encoding, got 'tensor<?xf32>'}}
relax.weight_data @w : tensor<?xf32> = dense<1.0> : tensor<2xf32>

// -----

// expected-error @below {{'relax.weight_data' op value has type 'tensor<2xf32>', expected 'tensor<3xf32>'}}
relax.weight_data @w : tensor<3xf32> = dense<1.0> : tensor<2xf32>

// -----

// expected-error @below {{'relax.weight_data' op value must be an elements attribute or '#relax.blob', got "text"}}
relax.weight_data @w : tensor<3xf32> = "text"

// -----

// expected-error @below {{'relax.weight_data' op type 'tensor<3xf32>' needs 12 bytes, but the blob has 8}}
relax.weight_data @w : tensor<3xf32> = #relax.blob<"f", 0, 8, "00000000">

// -----

// expected-error @below {{'relax.weight_data' op type 'tensor<4611686018427387904x8xf32>' has too many bytes}}
relax.weight_data @w : tensor<4611686018427387904x8xf32> = #relax.blob<"f", 0, 8, "00000000">

// -----

// expected-error @below {{'relax.weight_data' op must have private visibility}}
"relax.weight_data"() {sym_name = "w", type = tensor<1xf32>, value = dense<1.0> : tensor<1xf32>} : () -> ()

// -----

// expected-error @below {{blob needs a file name}}
relax.weight_data @w : tensor<3xf32> = #relax.blob<"", 0, 12, "00000000">

// -----

// expected-error @below {{blob needs an offset and a size >= 0, got -1 and 12}}
relax.weight_data @w : tensor<3xf32> = #relax.blob<"f", -1, 12, "00000000">

// -----

// expected-error @below {{blob needs a digest of 8 lower-case hex digits, got "0000000G"}}
relax.weight_data @w : tensor<3xf32> = #relax.blob<"f", 0, 12, "0000000G">

// -----

func.func @missing() {
  // expected-error @below {{'relax.weight' op 'missing' is not a 'relax.weight_data'}}
  %0 = relax.weight @missing : tensor<3xf32>
  return
}

// -----

// expected-note @below {{the weight is here}}
relax.weight_data @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
func.func @type() {
  // expected-error @below {{'relax.weight' op has type 'tensor<3xf32>', but the weight has type 'tensor<2xf32>'}}
  %0 = relax.weight @w : tensor<3xf32>
  return
}
