// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @rank(%q: tensor<4x2x3xf32>, %k: tensor<1x2x5x3xf32>, %v: tensor<1x2x5x3xf32>) {
  // expected-error @below {{'relax.attention' op query, key and value are expected to have rank 4, got 3, 4 and 4}}
  %0 = relax.attention %q, %k, %v {} : (tensor<4x2x3xf32>, tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>) -> tensor<1x4x2x3xf32>
  return
}

// -----

func.func @type(%q: tensor<1x4x2x3xf32>, %k: tensor<1x2x5x3xf16>, %v: tensor<1x2x5x3xf32>) {
  // expected-error @below {{'relax.attention' op element types of the operands differ: expected 'f32', got 'f16'}}
  %0 = relax.attention %q, %k, %v {} : (tensor<1x4x2x3xf32>, tensor<1x2x5x3xf16>, tensor<1x2x5x3xf32>) -> tensor<1x4x2x3xf32>
  return
}

// -----

func.func @batch(%q: tensor<1x4x2x3xf32>, %k: tensor<2x2x5x3xf32>, %v: tensor<1x2x5x3xf32>) {
  // expected-error @below {{'relax.attention' op dimension 0 of the key is expected to be 1, got 2}}
  %0 = relax.attention %q, %k, %v {} : (tensor<1x4x2x3xf32>, tensor<2x2x5x3xf32>, tensor<1x2x5x3xf32>) -> tensor<1x4x2x3xf32>
  return
}

// -----

func.func @value_batch(%q: tensor<1x4x2x3xf32>, %k: tensor<1x2x5x3xf32>, %v: tensor<2x2x5x3xf32>) {
  // expected-error @below {{'relax.attention' op dimension 0 of the value is expected to be 1, got 2}}
  %0 = relax.attention %q, %k, %v {} : (tensor<1x4x2x3xf32>, tensor<1x2x5x3xf32>, tensor<2x2x5x3xf32>) -> tensor<1x4x2x3xf32>
  return
}

// -----

func.func @value_heads(%q: tensor<1x4x2x3xf32>, %k: tensor<1x2x5x3xf32>, %v: tensor<1x4x5x3xf32>) {
  // expected-error @below {{'relax.attention' op dimension 1 of the value is expected to be 2, got 4}}
  %0 = relax.attention %q, %k, %v {} : (tensor<1x4x2x3xf32>, tensor<1x2x5x3xf32>, tensor<1x4x5x3xf32>) -> tensor<1x4x2x3xf32>
  return
}

// -----

func.func @keys(%q: tensor<1x4x2x3xf32>, %k: tensor<1x2x5x3xf32>, %v: tensor<1x2x6x3xf32>) {
  // expected-error @below {{'relax.attention' op dimension 2 of the value is expected to be 5, got 6}}
  %0 = relax.attention %q, %k, %v {} : (tensor<1x4x2x3xf32>, tensor<1x2x5x3xf32>, tensor<1x2x6x3xf32>) -> tensor<1x4x2x3xf32>
  return
}

// -----

func.func @depth(%q: tensor<1x4x2x3xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x3xf32>) {
  // expected-error @below {{'relax.attention' op dimension 3 of the key is expected to be 3, got 4}}
  %0 = relax.attention %q, %k, %v {} : (tensor<1x4x2x3xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x3xf32>) -> tensor<1x4x2x3xf32>
  return
}

// -----

func.func @heads(%q: tensor<1x4x2x3xf32>, %k: tensor<1x3x5x3xf32>, %v: tensor<1x3x5x3xf32>) {
  // expected-error @below {{'relax.attention' op rest of dimension 1 of the query divided by that of the key is expected to be 0, got 1}}
  %0 = relax.attention %q, %k, %v {} : (tensor<1x4x2x3xf32>, tensor<1x3x5x3xf32>, tensor<1x3x5x3xf32>) -> tensor<1x4x2x3xf32>
  return
}

// -----

func.func @mask_rank(%q: tensor<1x4x2x3xf32>, %k: tensor<1x2x5x3xf32>, %v: tensor<1x2x5x3xf32>, %m: tensor<1x1x1x1x5xi1>) {
  // expected-error @below {{'relax.attention' op mask is expected to have rank 4 or less, got 5}}
  %0 = relax.attention %q, %k, %v mask(%m) {} : (tensor<1x4x2x3xf32>, tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>, tensor<1x1x1x1x5xi1>) -> tensor<1x4x2x3xf32>
  return
}

// -----

func.func @mask_extent(%q: tensor<1x4x2x3xf32>, %k: tensor<1x2x5x3xf32>, %v: tensor<1x2x5x3xf32>, %m: tensor<4xi1>) {
  // expected-error @below {{'relax.attention' op dimension 0 of the mask is expected to be 1 or 5, got 4}}
  %0 = relax.attention %q, %k, %v mask(%m) {} : (tensor<1x4x2x3xf32>, tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>, tensor<4xi1>) -> tensor<1x4x2x3xf32>
  return
}

// -----

func.func @window(%q: tensor<1x4x2x3xf32>, %k: tensor<1x2x5x3xf32>, %v: tensor<1x2x5x3xf32>) {
  // expected-error @below {{'relax.attention' op window is expected to be at least 1, got 0}}
  %0 = relax.attention %q, %k, %v {window = 0 : i64} : (tensor<1x4x2x3xf32>, tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>) -> tensor<1x4x2x3xf32>
  return
}

// -----

func.func @offset(%q: tensor<1x4x2x3xf32>, %k: tensor<1x2x5x3xf32>, %v: tensor<1x2x5x3xf32>) {
  // expected-error @below {{'relax.attention' op offset mentions symbol 'p', which no operand type mentions}}
  %0 = relax.attention %q, %k, %v {causal, offset = #relax_sym.expr<p>} : (tensor<1x4x2x3xf32>, tensor<1x2x5x3xf32>, tensor<1x2x5x3xf32>) -> tensor<1x4x2x3xf32>
  return
}

// -----

func.func @mask_shape(%s: !relax.shape<[2]>) {
  // expected-error @below {{'relax.attention_mask' op shape is expected to have 2 or 3 entries, got 1}}
  %0 = relax.attention_mask %s {causal} : (!relax.shape<[2]>) -> tensor<2x2xi1>
  return
}

// -----

func.func @rotary_rank(%x: tensor<2x6xf32>, %c: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // expected-error @below {{'relax.rotary_embedding' op sin is expected to have rank 2, got 1}}
  %0 = relax.rotary_embedding %x, %c, %s : (tensor<2x6xf32>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @rotary_ranks(%x: tensor<2x6xf32>, %c: tensor<1x2x3xf32>, %s: tensor<1x2x3xf32>) {
  // expected-error @below {{'relax.rotary_embedding' op cos is expected to have rank 1 to 2, got 3}}
  %0 = relax.rotary_embedding %x, %c, %s : (tensor<2x6xf32>, tensor<1x2x3xf32>, tensor<1x2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @rotary_sin(%x: tensor<2x6xf32>, %c: tensor<2x3xf32>, %s: tensor<2x2xf32>) {
  // expected-error @below {{'relax.rotary_embedding' op dimension 1 of sin is expected to be 3, got 2}}
  %0 = relax.rotary_embedding %x, %c, %s : (tensor<2x6xf32>, tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @rotary_cos(%x: tensor<2x6xf32>, %c: tensor<3x3xf32>, %s: tensor<3x3xf32>) {
  // expected-error @below {{'relax.rotary_embedding' op dimension 0 of cos is expected to be 1 or 2, got 3}}
  %0 = relax.rotary_embedding %x, %c, %s : (tensor<2x6xf32>, tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @rotary_half(%x: tensor<2x6xf32>, %c: tensor<2x4xf32>, %s: tensor<2x4xf32>) {
  // expected-error @below {{'relax.rotary_embedding' op twice the last dimension of cos: expected 8 <= 6}}
  %0 = relax.rotary_embedding %x, %c, %s : (tensor<2x6xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @cache_rank(%c: tensor<2x3xf32>, %u: tensor<2xf32>, %p: tensor<i64>) {
  // expected-error @below {{'relax.cache_update' op update is expected to have rank 2, got 1}}
  %0 = relax.cache_update %c, %u, %p {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2xf32>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cache_dims(%c: tensor<2x3xf32>, %u: tensor<3x1xf32>, %p: tensor<i64>) {
  // expected-error @below {{'relax.cache_update' op dimension 0 of the update is expected to be 2, got 3}}
  %0 = relax.cache_update %c, %u, %p {axis = 1 : i64} : (tensor<2x3xf32>, tensor<3x1xf32>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cache_capacity(%c: tensor<2x3xf32>, %u: tensor<2x4xf32>, %p: tensor<i64>) {
  // expected-error @below {{'relax.cache_update' op dimension 1 of the update: expected 4 <= 3}}
  %0 = relax.cache_update %c, %u, %p {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cache_position(%c: tensor<2x3xf32>, %u: tensor<1x3xf32>, %p: tensor<2xi64>) {
  // expected-error @below {{'relax.cache_update' op position is expected to have rank 0, got 1}}
  %0 = relax.cache_update %c, %u, %p {axis = 0 : i64} : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cache_positions(%c: tensor<2x3xf32>, %u: tensor<2x1xf32>, %p: tensor<3xi64>) {
  // expected-error @below {{'relax.cache_update' op dimension 0 of the position is expected to be 2, got 3}}
  %0 = relax.cache_update %c, %u, %p {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}
