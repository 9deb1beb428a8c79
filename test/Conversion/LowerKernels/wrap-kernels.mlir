// RUN: relax-opt %s --split-input-file --relax-wrap-kernels | FileCheck %s

// Kernels count their own sites, the module has one table.
// CHECK: module attributes {relax.sites = [{message = "host", status = 2 : i64}, {message = "too large", status = 4 : i64}]}
module attributes {relax.sites = [{message = "host", status = 2 : i64}]} {

// CHECK-LABEL: func.func private @relax_body_f(
//  CHECK-SAME:     %{{.*}}: memref<?x4xf32> {llvm.noalias}, %{{.*}}: index, %{{.*}}: memref<1xi64> {llvm.noalias}) -> index
//  CHECK-SAME:     attributes {llvm.linkage = #llvm.linkage<internal>, no_inline}

// CHECK-LABEL: func.func @relax_kernel_f(
//  CHECK-SAME:     %[[BUFFERS:.*]]: !llvm.ptr, %[[SCALARS:.*]]: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %[[ERROR:.*]]: !llvm.ptr) {
//       CHECK:   llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
//       CHECK:   %[[N:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
//       CHECK:   %[[X:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?x4xf32>
//       CHECK:   %[[K:.*]] = arith.index_cast %{{.*}} : i64 to index
//       CHECK:   %[[WORD:.*]] = llvm.alloca
//       CHECK:   %[[E:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<1xi64>
//       CHECK:   %[[FOUND:.*]] = call @relax_body_f(%[[X]], %[[K]], %[[E]])
//       CHECK:   %[[I:.*]] = arith.index_cast %[[FOUND]] : index to i64
//       CHECK:   llvm.store %[[I]], %{{.*}}
//       CHECK:   %[[OWN:.*]] = llvm.load %[[WORD]]
//       CHECK:   scf.if
//       CHECK:     %[[CODE:.*]] = arith.addi %[[OWN]], %{{.*}}
//       CHECK:     llvm.cmpxchg %[[ERROR]], %{{.*}}, %[[CODE]]
func.func private @f(%x: memref<?x4xf32> {relax_sym.shape = #relax_sym.shape<[n, 4]>}, %k: index, %e: memref<1xi64>) -> index
    attributes {relax_sym.scope = #relax_sym.scope<>, relax_tp.sites = ["too large"]} {
  return %k : index
}

// CHECK-LABEL: func.func private @no_kernel()
//   CHECK-NOT: relax_kernel_no_kernel
func.func private @no_kernel() {
  return
}
}

// -----

// A divided kernel gets the range of the launch, and a function that counts its parts.
// CHECK-LABEL: func.func @relax_parts_divided(
//  CHECK-SAME:     %[[SCALARS:.*]]: !llvm.ptr, %[[OUT:.*]]: !llvm.ptr
//       CHECK:   %[[UNIT:.*]] = llvm.mlir.constant(96 : i64)
//       CHECK:   llvm.getelementptr inbounds %[[SCALARS]][1]
//       CHECK:   %[[N:.*]] = llvm.load
//       CHECK:   %[[PARTS:.*]] = arith.ceildivui %[[N]], %[[UNIT]]
//       CHECK:   %[[SEVEN:.*]] = llvm.mlir.constant(7 : i64)
//       CHECK:   %[[WORK:.*]] = arith.muli %[[SEVEN]], %{{.*}}
//       CHECK:   llvm.store %[[PARTS]]
//       CHECK:   llvm.store %[[WORK]]
// CHECK-LABEL: func.func @relax_kernel_divided(
//  CHECK-SAME:     %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64
//   CHECK-DAG:   %[[B:.*]] = arith.index_cast %[[BEGIN]]
//   CHECK-DAG:   %[[E:.*]] = arith.index_cast %[[END]]
//       CHECK:   call @relax_body_divided(%{{.*}}, %{{.*}}, %[[B]], %[[E]], %{{.*}})
module {
func.func private @divided(%x: memref<?x4xf32>, %y: memref<4x?xf32>, %k: index, %b: index, %to: index, %e: memref<1xi64>)
    attributes {relax_tp.range = {buffer = 1 : i64, dim = 1 : i64, unit = 96 : i64, work = array<i64: 7, 1, 1>}} {
  return
}
}

// -----

// What is known of the work becomes a function of the scalars.
// CHECK-LABEL: func.func private @relax_body_worked(
// CHECK-LABEL: func.func @relax_work_worked(
//  CHECK-SAME:     %[[SCALARS:.*]]: !llvm.ptr, %[[OUT:.*]]: !llvm.ptr) {
//       CHECK:   %[[FIRST:.*]] = llvm.getelementptr inbounds %[[SCALARS]][0]
//       CHECK:   %[[LOADED:.*]] = llvm.load %[[FIRST]] : !llvm.ptr -> i64
//       CHECK:   %[[N:.*]] = arith.index_cast %[[LOADED]] : i64 to index
//       CHECK:   %[[BYTES:.*]] = arith.muli %[[N]], %{{.*}} : index
//       CHECK:   %[[NUMBER:.*]] = arith.index_cast %[[BYTES]] : index to i64
//       CHECK:   %[[SLOT:.*]] = llvm.getelementptr inbounds %[[OUT]][0]
//       CHECK:   llvm.store %[[NUMBER]], %[[SLOT]] : i64, !llvm.ptr
//       CHECK:   llvm.getelementptr inbounds %[[OUT]][1]
func.func private @worked(%x: memref<?x4xf32>, %e: memref<1xi64>)
    attributes {relax_tp.work = affine_map<()[s0] -> (s0 * 16, -1)>} {
  return
}
