// RUN: relax-opt %s --relax-optimize | FileCheck %s

// Two programs written as loops become one whose loop does max, then add. Nothing else is left of them.
//   CHECK-NOT: relax_tp.func private @relu
//   CHECK-NOT: relax_tp.func private @add_one
// CHECK-LABEL: relax_tp.func private @fused_relu_add_one(
//  CHECK-SAME:   %[[X:.*]]: tensor<?x256xf32> {relax_sym.shape = #{{.*}}}) outs(%{{.*}}: tensor<?x256xf32> {relax_sym.shape = #{{.*}}})
//  CHECK-SAME:   relax_tp.pattern_kind = "elementwise"
//       CHECK:   %[[R:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[X]] :
//  CHECK-NEXT:   ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
//  CHECK-NEXT:     %[[MAX:.*]] = arith.maximumf %[[IN]], %{{.*}} : f32
//  CHECK-NEXT:     %[[ADD:.*]] = arith.addf %[[MAX]], %{{.*}} : f32
//  CHECK-NEXT:     linalg.yield %[[ADD]] : f32
//   CHECK-NOT:   linalg.generic
//       CHECK:   relax_tp.yield %[[R]]
// CHECK-LABEL: func.func @main(
//  CHECK-SAME:   %[[ARG:.*]]: tensor<?x256xf32, #{{.*}}>)
//  CHECK-NEXT:   %[[CALL:.*]] = relax.call_tp @fused_relu_add_one(%[[ARG]])
//  CHECK-NEXT:   return %[[CALL]]

#n_256 = #relax_sym.shape<[n, 256]>
relax_tp.func private @relu(%x: memref<?x256xf32> {relax_sym.shape = #n_256})
    outs(%o: memref<?x256xf32> {relax_sym.shape = #n_256}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x256xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 256 {
      %v = affine.load %x[%i, %j] : memref<?x256xf32>
      %r = arith.maximumf %v, %zero : f32
      affine.store %r, %o[%i, %j] : memref<?x256xf32>
    }
  }
  relax_tp.yield
}
relax_tp.func private @add_one(%x: memref<?x256xf32> {relax_sym.shape = #n_256})
    outs(%o: memref<?x256xf32> {relax_sym.shape = #n_256}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %x, %c0 : memref<?x256xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c256 step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x256xf32>
      %r = arith.addf %v, %one : f32
      memref.store %r, %o[%i, %j] : memref<?x256xf32>
    }
  }
  relax_tp.yield
}
func.func @main(%x: tensor<?x256xf32, #n_256>) -> tensor<?x256xf32, #n_256> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @relu(%x) : (tensor<?x256xf32, #n_256>) -> tensor<?x256xf32, #n_256>
  %1 = relax.call_tp @add_one(%0) : (tensor<?x256xf32, #n_256>) -> tensor<?x256xf32, #n_256>
  return %1 : tensor<?x256xf32, #n_256>
}
