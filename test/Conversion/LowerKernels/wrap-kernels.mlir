// RUN: relax-opt %s --relax-wrap-kernels | FileCheck %s

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
