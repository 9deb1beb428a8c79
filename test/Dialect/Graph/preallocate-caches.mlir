// RUN: relax-opt %s --relax-preallocate-caches --split-input-file | FileCheck %s

// Keys of several heads. The mask shows how many entries there are, both caches have one capacity, and the entries that
// were there can be read by themselves.
#past = #relax_sym.shape<[b, 4, p, 8]>
#new = #relax_sym.shape<[b, 4, s, 8]>
#all = #relax_sym.shape<[b, 4, p + s, 8]>
// CHECK-DAG:   #[[$C:.*]] = #relax_sym.shape<[b, 4, capacity, 8]>
// CHECK-LABEL: func.func @step(
//  CHECK-SAME:     %[[K:.*]]: tensor<?x4x?x8xf32, #[[$C]]> {relax.donated}, %[[V:.*]]: tensor<?x4x?x8xf32, #[[$C]]> {relax.donated}, %[[NK:.*]]: tensor<?x4x?x8xf32, #{{.*}}>, %[[NV:.*]]: tensor{{.*}}, %[[MASK:.*]]: tensor<?x?xf32
//  CHECK-SAME:     relax_sym.scope = #relax_sym.scope<"{{.*}} <= capacity">
//       CHECK:   %[[BEFORE:.*]] = relax.slice %[[V]] {{.*}}ends = [#relax_sym.expr<p>]
//       CHECK:   %[[T:.*]] = relax.shape_to_tensor %{{.*}} : !relax.shape<[p]> -> tensor<1xi64>
//       CHECK:   %[[AT:.*]] = relax.squeeze %[[T]]
//       CHECK:   %[[U:.*]] = relax.cache_update %[[K]], %[[NK]], %[[AT]] {axis = 2 : i64}
//       CHECK:   %[[ALL:.*]] = relax.slice %[[U]] {{.*}}ends = [#relax_sym.expr<p + s>]
//       CHECK:   %[[W:.*]] = relax.cache_update %[[V]], %[[NV]]
//       CHECK:   relax.negate %[[ALL]]
//       CHECK:   relax.sum %[[BEFORE]]
//       CHECK:   return %{{.*}}, %[[U]], %[[W]], %{{.*}} : tensor<{{.*}}>, tensor<?x4x?x8xf32, #[[$C]]>, tensor<?x4x?x8xf32, #[[$C]]>, tensor<f32>
func.func @step(%k: tensor<?x4x?x8xf32, #past> {relax.donated}, %v: tensor<?x4x?x8xf32, #past> {relax.donated}, %nk: tensor<?x4x?x8xf32, #new>, %nv: tensor<?x4x?x8xf32, #new>, %mask: tensor<?x?xf32, #relax_sym.shape<[s, p + s]>>)
    -> (tensor<?x4x?x8xf32, #all>, tensor<?x4x?x8xf32, #all>, tensor<?x4x?x8xf32, #all>, tensor<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.concat %k, %nk {axis = 2 : i64} : (tensor<?x4x?x8xf32, #past>, tensor<?x4x?x8xf32, #new>) -> tensor<?x4x?x8xf32, #all>
  %1 = relax.concat %v, %nv {axis = 2 : i64} : (tensor<?x4x?x8xf32, #past>, tensor<?x4x?x8xf32, #new>) -> tensor<?x4x?x8xf32, #all>
  %2 = relax.negate %0 : tensor<?x4x?x8xf32, #all> -> tensor<?x4x?x8xf32, #all>
  %3 = relax.sum %v {axes = array<i64: 0, 1, 2, 3>} : (tensor<?x4x?x8xf32, #past>) -> tensor<f32>
  return %2, %0, %1, %3 : tensor<?x4x?x8xf32, #all>, tensor<?x4x?x8xf32, #all>, tensor<?x4x?x8xf32, #all>, tensor<f32>
}

// -----

// Nothing else shows how many entries there are: an argument does.
#past = #relax_sym.shape<[p, 8]>
// CHECK-LABEL: func.func @shown(
//  CHECK-SAME:     %{{.*}}: tensor<1x8xf32>, %[[P:.*]]: !relax.shape<[p]> {relax.name = "p"})
//       CHECK:   relax.shape_to_tensor %[[P]]
func.func @shown(%k: tensor<?x8xf32, #past> {relax.donated}, %new: tensor<1x8xf32>) -> tensor<?x8xf32, #relax_sym.shape<[p + 1, 8]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.concat %k, %new {axis = 0 : i64} : (tensor<?x8xf32, #past>, tensor<1x8xf32>) -> tensor<?x8xf32, #relax_sym.shape<[p + 1, 8]>>
  return %0 : tensor<?x8xf32, #relax_sym.shape<[p + 1, 8]>>
}

// -----

// Not donated; entries come first; the result is no output, or two.
#past = #relax_sym.shape<[p, 8]>
#all = #relax_sym.shape<[p + 1, 8]>
// CHECK-LABEL: func.func @kept(
//   CHECK-NOT:   capacity
//       CHECK:   return
func.func @kept(%k: tensor<?x8xf32, #past>, %l: tensor<?x8xf32, #past> {relax.donated}, %new: tensor<1x8xf32>) -> (tensor<?x8xf32, #all>, tensor<?x8xf32, #all>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.concat %k, %new {axis = 0 : i64} : (tensor<?x8xf32, #past>, tensor<1x8xf32>) -> tensor<?x8xf32, #all>
  %1 = relax.concat %new, %l {axis = 0 : i64} : (tensor<1x8xf32>, tensor<?x8xf32, #past>) -> tensor<?x8xf32, #all>
  return %0, %1 : tensor<?x8xf32, #all>, tensor<?x8xf32, #all>
}
// CHECK-LABEL: func.func @twice(
//   CHECK-NOT:   capacity
//       CHECK:   return
func.func @twice(%k: tensor<?x8xf32, #past> {relax.donated}, %l: tensor<?x8xf32, #past> {relax.donated}, %new: tensor<1x8xf32>) -> (tensor<?x8xf32, #all>, tensor<?x8xf32, #all>, tensor<?x8xf32, #all>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.concat %k, %new {axis = 0 : i64} : (tensor<?x8xf32, #past>, tensor<1x8xf32>) -> tensor<?x8xf32, #all>
  %1 = relax.concat %l, %new {axis = 0 : i64} : (tensor<?x8xf32, #past>, tensor<1x8xf32>) -> tensor<?x8xf32, #all>
  %2 = relax.negate %1 : tensor<?x8xf32, #all> -> tensor<?x8xf32, #all>
  return %0, %0, %2 : tensor<?x8xf32, #all>, tensor<?x8xf32, #all>, tensor<?x8xf32, #all>
}
