// RUN: relax-opt %s --relax-plan --relax-lower-host --relax-verify-host --canonicalize | FileCheck %s

#n4 = #relax_sym.shape<[n, 4]>
#n8 = #relax_sym.shape<[n, 8]>

//      CHECK: module attributes {
// CHECK-SAME: relax.externs = [{symbol = "lib"}]
// CHECK-SAME: relax.functions = [{inputs = [{name = "x", type = tensor<?x4xf32, #{{.*}}>}, {name = "arg1", type = tensor<?x4xf32, #{{.*}}>}], name = "main",
// CHECK-SAME:   outputs = [{name = "result0", type = tensor<?x8xf32, #{{.*}}>}], symbol = "relax_entry_main"}]
// CHECK-SAME: relax.kernels = ["matmul"]
// CHECK-SAME: relax.sites = [
// CHECK-SAME:   {message = "input 'x': dimension 1: expected 4, actual {0}", status = 2 : i64}
// CHECK-SAME:   {message = "input 'arg1': dimension 0: expected n = {0}, actual {1}", status = 2 : i64}
// CHECK-SAME:   {message = "fact n mod 2 == 0 does not hold: n = {0} (input 'x' dimension 0), n mod 2 = {1}", status = 2 : i64}
// CHECK-SAME:   {message = "the value of n * 32 does not fit 64 bits", status = 3 : i64}
// CHECK-SAME: relax.weights = [{name = "w", offset = 0 : i64, type = tensor<4x8xf32>, value = dense<1.000000e+00> : tensor<4x8xf32>}]

// What nothing calls is gone; weights and library declarations are in the tables.
//   CHECK-NOT: @unused
//   CHECK-NOT: relax_ext.func
//   CHECK-NOT: relax.weight_data
//       CHECK: relax_tp.func private @matmul
relax.weight_data @w : tensor<4x8xf32> = dense<1.0> : tensor<4x8xf32>
relax_tp.func private @unused() outs(%o: tensor<4xf32>) {
  relax_tp.yield %o : tensor<4xf32>
}
relax_tp.func private @matmul(%x: tensor<?x4xf32> {relax_sym.shape = #n4}, %w: tensor<4x8xf32>)
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n8}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?x8xf32>
}
relax_ext.func private @lib(%x: tensor<?x8xf32> {relax_sym.shape = #n8}) outs(%o: tensor<?x8xf32> {relax_sym.shape = #n8})
    attributes {relax_sym.scope = #relax_sym.scope<>, symbol = "lib"}

// CHECK-LABEL: func.func @relax_entry_main(
//  CHECK-SAME:     %[[INV:.*]]: !llvm.ptr) -> i32 {
// Entry checks branch to the one block that reports.
//       CHECK:   cf.cond_br %{{.*}}, ^{{.*}}, ^[[GUARD:.*]](%{{.*}} : i64, i64, i64, i64, i64, i64)
//       CHECK:   cf.cond_br %{{.*}}, ^{{.*}}, ^[[GUARD]](
//       CHECK:   arith.remsi
//       CHECK:   cf.cond_br %{{.*}}, ^{{.*}}, ^[[GUARD]](
// The size of the arena, checked for overflow.
//       CHECK:   llvm.intr.smul.with.overflow
//       CHECK:   cf.cond_br %{{.*}}, ^{{.*}}, ^[[GUARD]](
// reserve_arena, launch, alloc_output, call_extern.
//       CHECK:   llvm.call %{{.*}}(%[[INV]], %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr) -> i32
//       CHECK:   cf.cond_br %{{.*}}, ^{{.*}}, ^[[RETURN:.*]](%{{.*}} : i32)
//       CHECK:   llvm.call %{{.*}}(%[[INV]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr, i64) -> i32
//       CHECK:   llvm.call %{{.*}}(%[[INV]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32
//       CHECK:   llvm.call %{{.*}}(%[[INV]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr, i64) -> i32
//       CHECK:   return %{{.*}} : i32
//       CHECK: ^[[GUARD]](
//       CHECK:   llvm.call %{{.*}}(%[[INV]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr, i64) -> i32
//       CHECK: ^[[RETURN]](%[[STATUS:.*]]: i32):
//       CHECK:   return %[[STATUS]] : i32
func.func @main(%x: tensor<?x4xf32, #n4> {relax.name = "x"}, %y: tensor<?x4xf32, #n4>) -> tensor<?x8xf32, #n8>
    attributes {relax_sym.scope = #relax_sym.scope<"n mod 2 == 0">} {
  %w = relax.weight @w : tensor<4x8xf32>
  %0 = relax.call_tp @matmul(%x, %w) : (tensor<?x4xf32, #n4>, tensor<4x8xf32>) -> tensor<?x8xf32, #n8>
  %1 = relax.call_dps @lib(%0) : (tensor<?x8xf32, #n8>) -> tensor<?x8xf32, #n8>
  return %1 : tensor<?x8xf32, #n8>
}
