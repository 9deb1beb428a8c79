// RUN: relax-opt %s --relax-inline-tensor-programs --split-input-file | FileCheck %s

#n_4 = #relax_sym.shape<[n, 4]>

// Extents go away before the body and come back after it; nothing is checked that is proved.
// CHECK-LABEL: func.func @proved(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x4xf32, #[[N4:.*]]>)
//   CHECK-NOT:   cf.assert
//       CHECK:   %[[P:.*]] = relax.erase_shape %[[X]] : tensor<?x4xf32, #[[N4]]> to tensor<?x4xf32>
//       CHECK:   %[[DIM:.*]] = tensor.dim %[[P]]
//       CHECK:   %[[EMPTY:.*]] = tensor.empty(%[[DIM]]) : tensor<?x4xf32>
//       CHECK:   %[[E:.*]] = linalg.exp ins(%[[P]] : tensor<?x4xf32>) outs(%[[EMPTY]] : tensor<?x4xf32>)
//       CHECK:   %[[R:.*]] = relax.match_cast %[[E]] : tensor<?x4xf32> to tensor<?x4xf32, #[[N4]]>
//       CHECK:   return %[[R]]
relax_tp.func private @exp(%x: tensor<?x4xf32> {relax_sym.shape = #n_4}) outs(%o: tensor<?x4xf32> {relax_sym.shape = #n_4})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = linalg.exp ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  relax_tp.yield %0 : tensor<?x4xf32>
}
// CHECK-NOT: relax_tp.func
func.func @proved(%x: tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.dataflow -> (tensor<?x4xf32, #n_4>) {
    %1 = relax.call_tp @exp(%x) : (tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4>
    relax.output %1 : tensor<?x4xf32, #n_4>
  }
  return %0 : tensor<?x4xf32, #n_4>
}

// -----

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>

// What unification does not prove is asserted; so is what the program checks itself. A static operand is cast.
// CHECK-LABEL: func.func @checked(
//       CHECK:   %[[SAME:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
//  CHECK-NEXT:   cf.assert %[[SAME]], "dimension 0 of input 1 of @add must be n"
//       CHECK:   tensor.empty(%{{.*}}) : tensor<?xf32>
//       CHECK:   linalg.add
//       CHECK:   cf.assert %true{{.*}}, "own check"
// CHECK-LABEL: func.func @static(
//  CHECK-SAME:   %[[X:.*]]: tensor<8xf32>
//   CHECK-NOT:   cf.assert %{{[0-9]}}
//       CHECK:   tensor.cast %[[X]] : tensor<8xf32> to tensor<?xf32>
//       CHECK:   %[[SUM:.*]] = linalg.add
//       CHECK:   %[[R:.*]] = tensor.cast %[[SUM]] : tensor<?xf32> to tensor<8xf32>
//       CHECK:   return %[[R]]
relax_tp.func private @add(%x: tensor<?xf32> {relax_sym.shape = #n}, %y: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %true = arith.constant true
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  relax_tp.assert %true, "own check"
  relax_tp.yield %0 : tensor<?xf32>
}
func.func @checked(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @add(%x, %y) : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32, #n>
  return %0 : tensor<?xf32, #n>
}
func.func @static(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = relax.call_tp @add(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
relax_tp.func private @exp_8(%x: tensor<8xf32>) outs(%o: tensor<8xf32>) {
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  relax_tp.yield %0 : tensor<8xf32>
}
// CHECK-LABEL: func.func @static_argument(
//       CHECK:   %[[PLAIN:.*]] = relax.erase_shape
//       CHECK:   %[[X:.*]] = relax.match_cast %[[PLAIN]] : tensor<?xf32> to tensor<8xf32>
//       CHECK:   linalg.exp ins(%[[X]]
func.func @static_argument(%x: tensor<?xf32, #n>) -> tensor<8xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @exp_8(%x) : (tensor<?xf32, #n>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// Where symbols are, a claim is a check.
// CHECK-LABEL: func.func @static_beside_symbols(
//       CHECK:   %[[SUM:.*]] = linalg.add
//       CHECK:   relax.match_cast %[[SUM]] : tensor<?xf32> to tensor<8xf32>
func.func @static_beside_symbols(%x: tensor<8xf32>, %y: tensor<?xf32, #n>) -> tensor<8xf32>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @add(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Scalars come from the shape, by value where they are known only at run time; n is solved from n * 2 + 1. Extents found are
// results.
// CHECK-LABEL: func.func @scalars(
//  CHECK-SAME:   %[[X:.*]]: tensor<?xf32, #{{.*}}>, %[[S:.*]]: !relax.shape<[k, 3, ?]>)
//   CHECK-DAG:   %[[K:.*]] = relax.eval_expr %[[S]], k : !relax.shape<[k, 3, ?]> -> index
//   CHECK-DAG:   %[[T:.*]] = relax.shape_to_tensor %[[S]] : !relax.shape<[k, 3, ?]> -> tensor<3xi64>
//       CHECK:   %[[ENTRY:.*]] = tensor.extract %[[T]]
//       CHECK:   %[[FREE:.*]] = arith.index_cast %[[ENTRY]] : i64 to index
//       CHECK:   %[[D:.*]] = tensor.dim
//       CHECK:   arith.floordivsi
//       CHECK:   %[[O:.*]] = tensor.empty(%{{.*}}, %[[K]]) : tensor<?x?xf32>
//       CHECK:   relax.match_cast %[[O]]
//       CHECK:   return %{{.*}}, %[[FREE]]
relax_tp.func private @sized(%x: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[n * 2 + 1]>})
    outs(%o: tensor<?x?xf32> {relax_sym.shape = #relax_sym.shape<[n, a]>})
    scalars(%a: index {relax_sym.expr = #relax_sym.expr<a>}, %b: index {relax_sym.expr = #relax_sym.expr<3>}, %c: index) -> (index)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o, %c : tensor<?x?xf32>, index
}
func.func @scalars(%x: tensor<?xf32, #relax_sym.shape<[n * 2 + 1]>>, %s: !relax.shape<[k, 3, ?]>)
    -> (tensor<?x?xf32, #relax_sym.shape<[n, k]>>, index) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0, %1 = relax.call_tp @sized(%x) shape(%s) : (tensor<?xf32, #relax_sym.shape<[n * 2 + 1]>>, !relax.shape<[k, 3, ?]>)
      -> (tensor<?x?xf32, #relax_sym.shape<[n, k]>>, index)
  return %0, %1 : tensor<?x?xf32, #relax_sym.shape<[n, k]>>, index
}

// -----

// Loops work on a buffer of their own. A public program stays, and so do calls of library functions.
// CHECK-LABEL: relax_tp.func @copy(
// CHECK-LABEL: func.func @buffers(
//  CHECK-SAME:   %[[X:.*]]: tensor<4xf32>)
//       CHECK:   %[[IN:.*]] = bufferization.to_buffer %[[X]] read_only : tensor<4xf32> to memref<4xf32>
//       CHECK:   %[[OUT:.*]] = memref.alloc() : memref<4xf32>
//       CHECK:   affine.for
//       CHECK:     affine.load %[[IN]]
//       CHECK:     affine.store %{{.*}}, %[[OUT]]
//       CHECK:   %[[R:.*]] = bufferization.to_tensor %[[OUT]] restrict writable : memref<4xf32> to tensor<4xf32>
//       CHECK:   relax.call_dps @library(%[[R]])
relax_tp.func @copy(%x: memref<4xf32>) outs(%o: memref<4xf32>) {
  affine.for %i = 0 to 4 {
    %v = affine.load %x[3 - %i] : memref<4xf32>
    affine.store %v, %o[%i] : memref<4xf32>
  }
  relax_tp.yield
}
relax_ext.func private @library(tensor<4xf32>) outs(tensor<4xf32>) attributes {symbol = "f"}
func.func @buffers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.call_tp @copy(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.call_dps @library(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
