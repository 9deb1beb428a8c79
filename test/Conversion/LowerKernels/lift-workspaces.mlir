// RUN: relax-opt %s --relax-lift-workspaces | FileCheck %s
// RUN: relax-opt %s --relax-lift-workspaces --relax-plan | FileCheck %s --check-prefix=PLANNED
// RUN: relax-opt %s --relax-lift-workspaces --remark-format=emitRemark --remarks-filter='relax-.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] Lifted | Category:relax-lift-workspaces | Remark="lifted a buffer of @product"

#n_k = #relax_sym.shape<[n, k]>
#n = #relax_sym.shape<[n]>
#n_n = #relax_sym.shape<[n, n]>
#n1_k2 = #relax_sym.shape<[n + 1, k * 2]>
#map = affine_map<(d0, d1) -> (d0, d1)>

// Sums of f16 in f32 need memory for all of them; each element of what is between is read by several.
// CHECK-LABEL: relax_tp.func private @product(
//  CHECK-SAME:   outs(%[[OUT:.*]]: tensor<?x?xf16> {relax_sym.shape = #{{.*}}}) workspaces(%[[SUMS:.*]]: tensor<?x?xf32> {relax_sym.shape = #n_n})
//   CHECK-NOT:   tensor.empty
//       CHECK:   linalg.fill ins(%{{.*}}) outs(%[[SUMS]] : tensor<?x?xf32>)
relax_tp.func private @product(%a: tensor<?x?xf16> {relax_sym.shape = #n_k}, %b: tensor<?x?xf16> {relax_sym.shape = #relax_sym.shape<[k, n]>})
    outs(%o: tensor<?x?xf16> {relax_sym.shape = #n_n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x?xf16>
  %e = tensor.empty(%n, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %m = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%m : tensor<?x?xf32>) outs(%o : tensor<?x?xf16>) {
    ^bb0(%x: f32, %y: f16):
      %t = arith.truncf %x : f32 to f16
      linalg.yield %t : f16
  } -> tensor<?x?xf16>
  relax_tp.yield %r : tensor<?x?xf16>
}

// In buffer form; extents that are no symbol alone.
// CHECK-LABEL: relax_tp.func private @loops(
//  CHECK-SAME:   workspaces(%[[SCRATCH:.*]]: memref<?x?xf32> {relax_sym.shape = #{{.*}}})
//   CHECK-NOT:   memref.alloc
//   CHECK-NOT:   memref.dealloc
relax_tp.func private @loops(%x: memref<?x?xf32> {relax_sym.shape = #n_k}) outs(%o: memref<?x?xf32> {relax_sym.shape = #n_k})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %k = memref.dim %x, %c1 : memref<?x?xf32>
  %n1 = arith.addi %n, %c1 : index
  %k2 = arith.muli %k, %c2 : index
  %s = memref.alloc(%n1, %k2) : memref<?x?xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %k step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x?xf32>
      memref.store %v, %s[%i, %j] : memref<?x?xf32>
    }
  }
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %k step %c1 {
      %v = memref.load %s[%i, %j] : memref<?x?xf32>
      memref.store %v, %o[%i, %j] : memref<?x?xf32>
    }
  }
  memref.dealloc %s : memref<?x?xf32>
  relax_tp.yield
}

// A row after the other needs memory for one row.
// CHECK-LABEL: relax_tp.func private @rows(
//   CHECK-NOT:   workspaces
//       CHECK:   tensor.empty
relax_tp.func private @rows(%x: tensor<?x?xf16> {relax_sym.shape = #n_k}) outs(%o: tensor<?xf16> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf16>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#map, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf16>) outs(%f : tensor<?xf32>) {
    ^bb0(%a: f16, %b: f32):
      %w = arith.extf %a : f16 to f32
      %t = arith.addf %b, %w : f32
      linalg.yield %t : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%s : tensor<?xf32>) outs(%o : tensor<?xf16>) {
    ^bb0(%a: f32, %b: f16):
      %t = arith.truncf %a : f32 to f16
      linalg.yield %t : f16
  } -> tensor<?xf16>
  relax_tp.yield %r : tensor<?xf16>
}

// PLANNED-LABEL: func.func @main(
//       PLANNED:   relax.eval_expr %{{.*}}, ((k * n + k) ceildiv 8) * 64
//       PLANNED:   arith.maxsi
//       PLANNED:   relax.call_tp @product(%{{.*}}) into(%{{[0-9]*}}, %{{[0-9]*}})
//       PLANNED:   relax.call_tp @loops(%{{.*}}) into(%{{[0-9]*}}, %{{[0-9]*}})
func.func @main(%a: tensor<?x?xf16, #n_k>, %b: tensor<?x?xf16, #relax_sym.shape<[k, n]>>, %x: tensor<?x?xf32, #n_k>)
    -> (tensor<?x?xf16, #n_n>, tensor<?x?xf32, #n_k>, tensor<?xf16, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @product(%a, %b) : (tensor<?x?xf16, #n_k>, tensor<?x?xf16, #relax_sym.shape<[k, n]>>) -> tensor<?x?xf16, #n_n>
  %1 = relax.call_tp @loops(%x) : (tensor<?x?xf32, #n_k>) -> tensor<?x?xf32, #n_k>
  %2 = relax.call_tp @rows(%a) : (tensor<?x?xf16, #n_k>) -> tensor<?xf16, #n>
  return %0, %1, %2 : tensor<?x?xf16, #n_n>, tensor<?x?xf32, #n_k>, tensor<?xf16, #n>
}
