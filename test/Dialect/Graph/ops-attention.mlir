// RUN: relax-opt %s --verify-roundtrip | FileCheck %s --check-prefix=PRINT
// RUN: relax-opt %s --relax-decompose-ops --mlir-print-local-scope | FileCheck %s

#q = #relax_sym.shape<[b, 8, s, 64]>
#k = #relax_sym.shape<[b, 2, p + s, 64]>

// PRINT-LABEL: func.func @attention(
// CHECK-LABEL: func.func @attention(
func.func @attention(%q: tensor<?x8x?x64xf32, #q>, %k: tensor<?x2x?x64xf32, #k>, %m: tensor<?xi1, #relax_sym.shape<[p + s]>>)
    -> tensor<?x8x?x64xf32, #q> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // PRINT: relax.attention %{{.*}}, %{{.*}}, %{{.*}} mask(%{{.*}}) {causal, offset = #relax_sym.expr<p>, window = 128 : i64} :
  // Heads that share keys become a dimension of their own.
  // CHECK: relax.reshape {{.*}} -> tensor<?x2x4x?x64xf32, #relax_sym.shape<[b, 2, 4, s, 64]>>
  // CHECK: relax.matmul {{.*}} -> tensor<?x2x4x?x?xf32, #relax_sym.shape<[b, 2, 4, s, p + s]>>
  // CHECK: relax.where
  // CHECK: %[[MASK:.*]] = relax.attention_mask %{{.*}} {causal, window = 128 : i64} : (!relax.shape<[s, p + s, p]>) -> tensor<?x?xi1, #relax_sym.shape<[s, p + s]>>
  // CHECK: relax.where %[[MASK]]
  // CHECK: relax.max
  // CHECK: relax.divide
  // CHECK: relax.matmul
  // CHECK: relax.reshape {{.*}} -> tensor<?x8x?x64xf32, #relax_sym.shape<[b, 8, s, 64]>>
  %0 = relax.attention %q, %k, %k mask(%m) {causal, window = 128 : i64, offset = #relax_sym.expr<p>}
      : (tensor<?x8x?x64xf32, #q>, tensor<?x2x?x64xf32, #k>, tensor<?x2x?x64xf32, #k>, tensor<?xi1, #relax_sym.shape<[p + s]>>)
      -> tensor<?x8x?x64xf32, #q>
  return %0 : tensor<?x8x?x64xf32, #q>
}

// PRINT-LABEL: func.func @rotary(
// CHECK-LABEL: func.func @rotary(
func.func @rotary(%x: tensor<?x8x?x64xf32, #q>, %c: tensor<?x16xf32, #relax_sym.shape<[s, 16]>>) -> tensor<?x8x?x64xf32, #q>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // PRINT: relax.rotary_embedding %{{.*}}, %{{.*}}, %{{.*}} :
  // CHECK-COUNT-3: relax.slice
  // CHECK: relax.concat
  %0 = relax.rotary_embedding %x, %c, %c
      : (tensor<?x8x?x64xf32, #q>, tensor<?x16xf32, #relax_sym.shape<[s, 16]>>, tensor<?x16xf32, #relax_sym.shape<[s, 16]>>)
      -> tensor<?x8x?x64xf32, #q>
  return %0 : tensor<?x8x?x64xf32, #q>
}

#cache = #relax_sym.shape<[b, 2, 128, 64]>
#new = #relax_sym.shape<[b, 2, s, 64]>

// PRINT-LABEL: func.func @cache_update(
// CHECK-LABEL: func.func @cache_update(
func.func @cache_update(%c: tensor<?x2x128x64xf32, #cache>, %u: tensor<?x2x?x64xf32, #new>, %p: tensor<i64>,
                        %q: tensor<?xi32, #relax_sym.shape<[b]>>) -> tensor<?x2x128x64xf32, #cache>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // PRINT: relax.cache_update %{{.*}}, %{{.*}}, %{{.*}} {axis = 2 : i64} :
  // PRINT: relax.cache_update %{{.*}}, %{{.*}}, %{{.*}} {axis = 2 : i64, circular} :
  // CHECK-COUNT-2: relax.cache_update
  %0 = relax.cache_update %c, %u, %p {axis = 2 : i64} : (tensor<?x2x128x64xf32, #cache>, tensor<?x2x?x64xf32, #new>, tensor<i64>) -> tensor<?x2x128x64xf32, #cache>
  %1 = relax.cache_update %0, %u, %q {axis = 2 : i64, circular} : (tensor<?x2x128x64xf32, #cache>, tensor<?x2x?x64xf32, #new>, tensor<?xi32, #relax_sym.shape<[b]>>) -> tensor<?x2x128x64xf32, #cache>
  return %1 : tensor<?x2x128x64xf32, #cache>
}

// PRINT-LABEL: func.func @mask(
func.func @mask(%s: !relax.shape<[s, t]>) -> tensor<?x?xi1, #relax_sym.shape<[s, t]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // PRINT: relax.attention_mask %{{.*}} {causal, window = 4 : i64} : (!relax.shape<[s, t]>) -> tensor<?x?xi1, #{{.*}}>
  %0 = relax.attention_mask %s {causal, window = 4 : i64} : (!relax.shape<[s, t]>) -> tensor<?x?xi1, #relax_sym.shape<[s, t]>>
  return %0 : tensor<?x?xi1, #relax_sym.shape<[s, t]>>
}
