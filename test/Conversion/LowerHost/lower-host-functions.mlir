// RUN: relax-opt %s --relax-plan --relax-lower-host --relax-verify-host --canonicalize | FileCheck %s

#n = #relax_sym.shape<[n]>

// CHECK: {message = "call of 'f': argument 0: dimension 0: expected 4, actual {0}", status = 3 : i64}
// CHECK-SAME: {message = "fact n <= 9 does not hold: n = {0} (call of 'f': argument 1 dimension 0)", status = 3 : i64}

// A function that others call takes words and gives its results in the caller's memory.
// CHECK-LABEL: func.func @relax_entry_main(
//       CHECK:   call @relax_function_f(%{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, i64, !llvm.ptr) -> i32
func.func @main(%x: tensor<?xf32, #n>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call @f(%x, %x) : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @relax_function_f(
//  CHECK-SAME:     %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr) -> i32
//  CHECK-SAME:     llvm.linkage = #llvm.linkage<internal>
func.func private @f(%x: tensor<4xf32>, %y: tensor<?xf32, #n>) -> tensor<?xf32> attributes {relax_sym.scope = #relax_sym.scope<"n <= 9">} {
  %0 = relax.erase_shape %y : tensor<?xf32, #n> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
