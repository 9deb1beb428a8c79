// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --emit-bytecode | relax-opt | FileCheck %s

// The examples of the descriptions.

// CHECK-LABEL: func.func @arange(
func.func @arange(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.arange
  %r = relax.arange %a, %b, %c binds [u] : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64, #relax_sym.shape<[u]>>
  return
}

// CHECK-LABEL: func.func @bucketize(
func.func @bucketize(%x: tensor<?xf32, #relax_sym.shape<[n]>>, %b: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.bucketize
  %r = relax.bucketize %x, %b : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<4xf32>) -> tensor<?xi64, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @compress(
func.func @compress(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %m: tensor<?xi1, #relax_sym.shape<[n]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.compress
  %r = relax.compress %x, %m binds [u] {axis = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<?xi1, #relax_sym.shape<[n]>>) -> tensor<?x4xf32, #relax_sym.shape<[u, 4]>>
  return
}

// CHECK-LABEL: func.func @dynamic_reshape(
func.func @dynamic_reshape(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %t: tensor<2xi64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.dynamic_reshape
  %r = relax.dynamic_reshape %x, %t binds [a, b] : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<2xi64>) -> tensor<?x?xf32, #relax_sym.shape<[a, b]>>
  return
}

// CHECK-LABEL: func.func @einsum(
func.func @einsum(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, %y: tensor<4x8xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.einsum
  %r = relax.einsum %x, %y {equation = "nk,km->nm"} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<4x8xf32>) -> tensor<?x8xf32, #relax_sym.shape<[n, 8]>>
  return
}

// CHECK-LABEL: func.func @eye(
func.func @eye(%s: !relax.shape<[n, 4]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.eye
  %r = relax.eye %s {diagonal = 0 : i64, dtype = f32} : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @flip(
func.func @flip(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.flip
  %r = relax.flip %x {axes = array<i64: 0>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @full_like(
func.func @full_like(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.full_like
  %r = relax.full_like %x, 1 : i32 : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xi32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @log_sum_exp(
func.func @log_sum_exp(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.log_sum_exp
  %r = relax.log_sum_exp %x {axes = array<i64: 1>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @norm_l1(
func.func @norm_l1(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.norm_l1
  %r = relax.norm_l1 %x {axes = array<i64: 1>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @norm_l2(
func.func @norm_l2(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.norm_l2
  %r = relax.norm_l2 %x {axes = array<i64: 1>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @one_hot(
func.func @one_hot(%i: tensor<?xi64, #relax_sym.shape<[n]>>, %d: !relax.shape<[m]>, %on: tensor<f32>, %off: tensor<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.one_hot
  %r = relax.one_hot %i, %d, %on, %off {axis = 1 : i64} : (tensor<?xi64, #relax_sym.shape<[n]>>, !relax.shape<[m]>, tensor<f32>, tensor<f32>) -> tensor<?x?xf32, #relax_sym.shape<[n, m]>>
  return
}

// CHECK-LABEL: func.func @outer(
func.func @outer(%x: tensor<?xf32, #relax_sym.shape<[n]>>, %y: tensor<4xf32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.outer
  %r = relax.outer %x, %y : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<4xf32>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @random_normal(
func.func @random_normal(%s: !relax.shape<[n, 4]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.random_normal
  %r = relax.random_normal %s {seed = 7 : i64, dtype = f32} : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @repeat(
func.func @repeat(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.repeat
  %r = relax.repeat %x {axis = 0 : i64, repeats = #relax_sym.expr<2>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n * 2, 4]>>
  return
}

// CHECK-LABEL: func.func @roll(
func.func @roll(%x: tensor<?xf32, #relax_sym.shape<[n]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.roll
  %r = relax.roll %x {axes = array<i64: 0>, shifts = [#relax_sym.expr<-1>]} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @sort(
func.func @sort(%x: tensor<?xf32, #relax_sym.shape<[n]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.sort
  %r = relax.sort %x {axis = 0 : i64, descending} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}

// CHECK-LABEL: func.func @split(
func.func @split(%x: tensor<?xf32, #relax_sym.shape<[n * 2]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.split
  %r:2 = relax.split %x {axis = 0 : i64, sections = 2 : i64} : (tensor<?xf32, #relax_sym.shape<[n * 2]>>) -> (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<?xf32, #relax_sym.shape<[n]>>)
  return
}

// CHECK-LABEL: func.func @stack(
func.func @stack(%x: tensor<?xf32, #relax_sym.shape<[n]>>, %y: tensor<?xf32, #relax_sym.shape<[n]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.stack
  %r = relax.stack %x, %y {axis = 0 : i64} : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<2x?xf32, #relax_sym.shape<[2, n]>>
  return
}

// CHECK-LABEL: func.func @tile(
func.func @tile(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.tile
  %r = relax.tile %x {repeats = [#relax_sym.expr<2>, #relax_sym.expr<1>]} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n * 2, 4]>>
  return
}

// CHECK-LABEL: func.func @topk(
func.func @topk(%x: tensor<?xf32, #relax_sym.shape<[n]>>, %k: !relax.shape<[k]>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.topk
  %v, %i = relax.topk %x, %k {axis = 0 : i64} : (tensor<?xf32, #relax_sym.shape<[n]>>, !relax.shape<[k]>) -> (tensor<?xf32, #relax_sym.shape<[min(k, n)]>>, tensor<?xi64, #relax_sym.shape<[min(k, n)]>>)
  return
}

// CHECK-LABEL: func.func @tril(
func.func @tril(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.tril
  %r = relax.tril %x {diagonal = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @triu(
func.func @triu(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.triu
  %r = relax.triu %x {diagonal = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return
}

// CHECK-LABEL: func.func @unique_all(
func.func @unique_all(%x: tensor<?xf32, #relax_sym.shape<[n]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.unique_all
  %v, %i, %j, %c = relax.unique_all %x binds [u] : (tensor<?xf32, #relax_sym.shape<[n]>>) -> (tensor<?xf32, #relax_sym.shape<[u]>>, tensor<?xi64, #relax_sym.shape<[u]>>, tensor<?xi64, #relax_sym.shape<[n]>>, tensor<?xi64, #relax_sym.shape<[u]>>)
  return
}

// CHECK-LABEL: func.func @variance(
func.func @variance(%x: tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.variance
  %r = relax.variance %x {axes = array<i64: 1>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>
  return
}
