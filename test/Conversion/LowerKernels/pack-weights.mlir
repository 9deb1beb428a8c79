// RUN: relax-opt %s --relax-pack-weights=vector-bits=64 | FileCheck %s

// Panels of 3 vectors of 2 columns.
#n_2 = #relax_sym.shape<[n, 2]>
#n_7 = #relax_sym.shape<[n, 7]>
// CHECK-DAG: #[[$FILTER:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 floordiv 6, d2, d3, d0 mod 6)>
// CHECK-DAG: #[[PANELS:.*]] = affine_map<(d0, d1, d2) -> (d1 floordiv 6, d2, d1 mod 6)>

// CHECK: relax.weight_data @w_panels : tensor<2x2x6xf32> = dense<
// CHECK-SAME{LITERAL}: [[[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00], [8.000000e+00, 9.000000e+00, 1.000000e+01, 1.100000e+01, 1.200000e+01, 1.300000e+01]],
// CHECK-SAME{LITERAL}:  [[7.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00], [1.400000e+01, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00]]]
relax.weight_data @w : tensor<2x7xf32> = dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0]]> : tensor<2x7xf32>

// A weight with another reader stays.
// CHECK: relax.weight_data @kept : tensor<2x7xf32>
relax.weight_data @kept : tensor<2x7xf32> = dense<1.0> : tensor<2x7xf32>

// CHECK: relax_tp.func private @matmul_0(%{{.*}}: tensor<?x2xf32> {{.*}}, %{{.*}}: tensor<2x2x6xf32>)
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[PANELS]], #{{.*}}]
// CHECK: relax_tp.func private @matmul(%{{.*}}: tensor<?x2xf32> {{.*}}, %{{.*}}: tensor<2x7xf32>)
relax_tp.func private @matmul(%x: tensor<?x2xf32> {relax_sym.shape = #n_2}, %w: tensor<2x7xf32>)
    outs(%o: tensor<?x7xf32> {relax_sym.shape = #n_7}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %zero = arith.constant 0.0 : f32
  %fill = linalg.fill ins(%zero : f32) outs(%o : tensor<?x7xf32>) -> tensor<?x7xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x2xf32>, tensor<2x7xf32>) outs(%fill : tensor<?x7xf32>) -> tensor<?x7xf32>
  relax_tp.yield %r : tensor<?x7xf32>
}

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x2xf32, #n_2>) -> (tensor<?x7xf32, #n_7>, tensor<?x7xf32, #n_7>, tensor<2x7xf32>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[W:.*]] = relax.weight @w_panels : tensor<2x2x6xf32>
  // CHECK: relax.call_tp @matmul_0(%{{.*}}, %[[W]])
  // CHECK: relax.call_tp @matmul(
  %w = relax.weight @w : tensor<2x7xf32>
  %kept = relax.weight @kept : tensor<2x7xf32>
  %a = relax.call_tp @matmul(%x, %w) : (tensor<?x2xf32, #n_2>, tensor<2x7xf32>) -> tensor<?x7xf32, #n_7>
  %b = relax.call_tp @matmul(%x, %kept) : (tensor<?x2xf32, #n_2>, tensor<2x7xf32>) -> tensor<?x7xf32, #n_7>
  return %a, %b, %kept : tensor<?x7xf32, #n_7>, tensor<?x7xf32, #n_7>, tensor<2x7xf32>
}

// Out channels of a convolution are columns, although they are no neighbours in the result.
// CHECK: relax.weight_data @filter_panels : tensor<1x2x16x6xf32>
relax.weight_data @filter : tensor<6x2x16xf32> = dense<1.0> : tensor<6x2x16xf32>
#x = #relax_sym.shape<[2, n + 15]>
#y = #relax_sym.shape<[6, n]>
// CHECK: relax_tp.func private @conv_1(%{{.*}}: tensor<2x?xf32> {{.*}}, %{{.*}}: tensor<1x2x16x6xf32>)
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[$FILTER]], #{{.*}}]
relax_tp.func private @conv(%x: tensor<2x?xf32> {relax_sym.shape = #x}, %w: tensor<6x2x16xf32>)
    outs(%o: tensor<6x?xf32> {relax_sym.shape = #y}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %zero = arith.constant 0.0 : f32
  %fill = linalg.fill ins(%zero : f32) outs(%o : tensor<6x?xf32>) -> tensor<6x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(o, i, c, k) -> (c, i + k)>, affine_map<(o, i, c, k) -> (o, c, k)>, affine_map<(o, i, c, k) -> (o, i)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<2x?xf32>, tensor<6x2x16xf32>) outs(%fill : tensor<6x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %out, %p : f32
    linalg.yield %q : f32
  } -> tensor<6x?xf32>
  relax_tp.yield %r : tensor<6x?xf32>
}
func.func @convolution(%x: tensor<2x?xf32, #x>) -> tensor<6x?xf32, #y> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %w = relax.weight @filter : tensor<6x2x16xf32>
  %a = relax.call_tp @conv(%x, %w) : (tensor<2x?xf32, #x>, tensor<6x2x16xf32>) -> tensor<6x?xf32, #y>
  return %a : tensor<6x?xf32, #y>
}
