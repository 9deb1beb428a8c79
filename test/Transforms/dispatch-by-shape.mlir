// RUN: relax-opt %s --relax-dispatch-libraries=libraries=%S/Inputs/libraries.mlir --relax-dispatch-by-shape=table=%S/Inputs/dispatch-table.json | FileCheck %s
// RUN: relax-opt %s --relax-dispatch-libraries=libraries=%S/Inputs/libraries.mlir --relax-dispatch-by-shape=table=%S/Inputs/dispatch-table.json --canonicalize --relax-legalize-ops --relax-verify-mixed | FileCheck %s --check-prefix=MIXED
// RUN: relax-opt %s --relax-group-patterns=patterns=%S/Inputs/libraries.mlir --relax-dispatch-by-shape=table=%S/Inputs/dispatch-table.json | FileCheck %s --check-prefix=GROUP

#n_4 = #relax_sym.shape<[n, 4]>
#n_6 = #relax_sym.shape<[n, 6]>
#n_8 = #relax_sym.shape<[n, 8]>

// The library is asked for only where the table wants it. Of the generated code there are a copy for one row, in which the
// row is no symbol any more, one for few rows, and one for the rest.
// CHECK-LABEL: func.func @linear(
//       CHECK:   %[[VOLUME:.*]] = relax.eval_expr %{{.*}}, n * 24
//       CHECK:   arith.cmpi sge, %[[VOLUME]], %c1000
//       CHECK:   %[[TABLE:.*]] = arith.andi
//       CHECK:   %[[WANTED:.*]] = arith.andi %{{.*}}, %[[TABLE]]
//       CHECK:   relax_ext.available @linear_relu if %[[WANTED]]
//       CHECK:   scf.if
//       CHECK:     relax.call_dps @linear_relu
//       CHECK:   } else {
//       CHECK:     arith.cmpi eq, %{{.*}}, %c1
//       CHECK:     %[[ONE:.*]] = scf.if
//       CHECK:       relax.match_cast %{{.*}} to tensor<1x4xf32>
//       CHECK:       relax.matmul %{{.*}} -> tensor<1x6xf32>
//       CHECK:       relax.match_cast %{{.*}} to tensor<?x6xf32
//       CHECK:     } else {
//       CHECK:       arith.cmpi sle, %{{.*}}, %c8
//       CHECK:       %[[FEW:.*]] = scf.if
//       CHECK:         relax.matmul %{{.*}} -> tensor<?x6xf32
//       CHECK:       } else {
//       CHECK:         relax.matmul %{{.*}} -> tensor<?x6xf32
// MIXED-DAG:  relax_tp.func private @matmul(%{{.*}}: tensor<1x4xf32>
// MIXED-DAG:  relax_tp.func private @matmul{{.*}}(%{{.*}}: tensor<?x4xf32>
func.func @linear(%x: tensor<?x4xf32, #n_4>, %w: tensor<4x6xf32>, %b: tensor<6xf32>) -> tensor<?x6xf32, #n_6>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x4xf32, #n_4>, tensor<4x6xf32>) -> tensor<?x6xf32, #n_6>
  %1 = relax.add %0, %b : (tensor<?x6xf32, #n_6>, tensor<6xf32>) -> tensor<?x6xf32, #n_6>
  %2 = relax.relu %1 : tensor<?x6xf32, #n_6>
  return %2 : tensor<?x6xf32, #n_6>
}

// The table disproves the library for these sizes, and one row.
// CHECK-LABEL: func.func @never(
//   CHECK-NOT:   relax.call_dps
//       CHECK:   relax.relu
//       CHECK:   return
func.func @never(%x: tensor<?x4xf32, #n_4>, %w: tensor<4x6xf32>, %b: tensor<6xf32>) -> tensor<?x6xf32, #n_6>
    attributes {relax_sym.scope = #relax_sym.scope<"n >= 16", "n <= 40">} {
  %0 = relax.matmul %x, %w : (tensor<?x4xf32, #n_4>, tensor<4x6xf32>) -> tensor<?x6xf32, #n_6>
  %1 = relax.add %0, %b : (tensor<?x6xf32, #n_6>, tensor<6xf32>) -> tensor<?x6xf32, #n_6>
  %2 = relax.relu %1 : tensor<?x6xf32, #n_6>
  return %2 : tensor<?x6xf32, #n_6>
}

// GROUP-LABEL: func.func @group(
//       GROUP:   scf.if
//       GROUP:     relax.fusion_group -> (tensor<1x6xf32>)
//       GROUP:   } else {
//       GROUP:     relax.fusion_group -> (tensor<?x6xf32
func.func @group(%x: tensor<?x8xf32, #n_8>, %w: tensor<8x6xf32>) -> tensor<?x6xf32, #n_6>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.matmul %x, %w : (tensor<?x8xf32, #n_8>, tensor<8x6xf32>) -> tensor<?x6xf32, #n_6>
  return %0 : tensor<?x6xf32, #n_6>
}
