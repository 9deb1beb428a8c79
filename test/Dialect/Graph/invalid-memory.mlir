// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @unknown_alloc() {
  // expected-error @below {{'relax.alloc' op needs known extents, but dimension 1 of 'tensor<4x?xf32>' is unknown}}
  %0 = relax.alloc : () -> tensor<4x?xf32>
  return
}

// -----

func.func @foreign_alloc(%s: !relax.shape<[n]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-error @below {{'relax.alloc' op result mentions symbol 'n', which no operand type mentions}}
  %0 = relax.alloc : () -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}

// -----

func.func @alignment(%bytes: index) {
  // expected-error @below {{'relax.storage' op alignment must be a power of two, got 48}}
  %0 = relax.storage %bytes {alignment = 48 : i64, space = "arena"} : !relax.storage
  return
}

// -----

func.func @size() {
  %bytes = arith.constant -8 : index
  // expected-error @below {{'relax.storage' op size must not be negative, got -8}}
  %0 = relax.storage %bytes {alignment = 64 : i64, space = "arena"} : !relax.storage
  return
}

// -----

func.func @offset(%st: !relax.storage) {
  %offset = arith.constant -8 : index
  // expected-error @below {{'relax.tensor_at' op offset must not be negative, got -8}}
  %0 = relax.tensor_at %st[%offset] : (!relax.storage, index) -> tensor<4xf32>
  return
}

// -----

func.func @unknown_tensor_at(%st: !relax.storage, %offset: index) {
  // expected-error @below {{'relax.tensor_at' op needs known extents, but dimension 0 of 'tensor<?xf32>' is unknown}}
  %0 = relax.tensor_at %st[%offset] : (!relax.storage, index) -> tensor<?xf32>
  return
}
