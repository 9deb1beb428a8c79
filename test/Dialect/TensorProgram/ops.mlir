// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --mlir-print-op-generic | relax-opt | FileCheck %s

#n_4 = #relax_sym.shape<[n, 4]>

// CHECK-LABEL: relax_tp.func private @tensor_form(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x4xf32> {relax_sym.shape = #[[N4:.*]]}, %{{.*}}: tensor<4x8xf32>)
//  CHECK-SAME:   outs(%[[O:.*]]: tensor<?x4xf32> {relax_sym.shape = #[[N4]]})
//  CHECK-SAME:   workspaces(%{{.*}}: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n * 2]>})
//  CHECK-SAME:   scalars(%[[K:.*]]: index {relax_sym.expr = #relax_sym.expr<k>}, %{{.*}}: index) -> (index)
//  CHECK-SAME:   attributes {relax_sym.scope = #relax_sym.scope<>, relax_tp.pattern_kind = "elementwise"} {
//       CHECK:   relax_tp.yield %[[X]], %[[K]] : tensor<?x4xf32>, index
relax_tp.func private @tensor_form(%x: tensor<?x4xf32> {relax_sym.shape = #n_4}, %w: tensor<4x8xf32>)
    outs(%o: tensor<?x4xf32> {relax_sym.shape = #n_4}) workspaces(%s: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n * 2]>})
    scalars(%k: index {relax_sym.expr = #relax_sym.expr<k>}, %free: index) -> (index)
    attributes {relax_sym.scope = #relax_sym.scope<>, relax_tp.pattern_kind = "elementwise"} {
  relax_tp.yield %x, %k : tensor<?x4xf32>, index
}

// CHECK-LABEL: relax_tp.func @buffer_form(
//       CHECK:   relax_tp.assert %{{.*}}, "x[0] is positive"
//       CHECK:   relax_tp.yield{{$}}
relax_tp.func @buffer_form(%x: memref<4xf32>) outs(%o: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = memref.load %x[%c0] : memref<4xf32>
  %ok = arith.cmpf ogt, %v, %zero : f32
  relax_tp.assert %ok, "x[0] is positive"
  memref.store %v, %o[%c0] : memref<4xf32>
  relax_tp.yield
}

// Nothing at all is a program too; extents of inputs may be unknown.
// CHECK-LABEL: relax_tp.func private @nothing() {
//  CHECK-NEXT:   relax_tp.yield{{$}}
relax_tp.func private @nothing() {
  relax_tp.yield
}

// CHECK-LABEL: relax_tp.func private @unknown_input(%{{.*}}: tensor<?x?xf32> {relax_sym.shape = #relax_sym.shape<[?, n]>})
//  CHECK-SAME:   outs(%{{.*}}: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>})
relax_tp.func private @unknown_input(%x: tensor<?x?xf32> {relax_sym.shape = #relax_sym.shape<[?, n]>})
    outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n]>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?xf32>
}

// n is determined by solving, m by the scalar n * m once n is known.
// CHECK-LABEL: relax_tp.func private @solved
relax_tp.func private @solved(%x: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n * 2 + 1]>})
    outs(%o: tensor<?x?xf32> {relax_sym.shape = #relax_sym.shape<[n, m]>})
    scalars(%k: index {relax_sym.expr = #relax_sym.expr<n + m * 3>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?x?xf32>
}
