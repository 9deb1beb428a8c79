// RUN: relax-opt %s --split-input-file --relax-clone-device-kernels --relax-outline-device-kernels --verify-diagnostics | FileCheck %s

// Elementwise: maps agree, so elements are counted through without division. Bytes of the two buffers come first.
// CHECK-LABEL: gpu.module @double attributes {relax.buffers = 2 : i64, relax.scratch = 0 : i64, relax.sizes = "relax_device_double"}
//       CHECK:   gpu.func @stage0(%[[X:[a-z0-9]+]]: memref<?xf32>, %[[Y:[a-z0-9]+]]: memref<?xf32>, %{{.*}}: memref<?xi32>) kernel
//  CHECK-SAME:       relax.bindings = array<i64: 0, 1, 4294967294>
//  CHECK-SAME:       relax.written = array<i64: 0, 1, 0>
//       CHECK:     %[[N:.*]] = arith.index_cast %{{.*}} : i32 to index
//       CHECK:     scf.for %[[I:.*]] = %{{.*}} to %[[N]] step
//       CHECK:       memref.load %[[X]][%[[I]]]
//       CHECK:       arith.addf
//       CHECK:       memref.store %{{.*}}, %[[Y]]
// CHECK-LABEL: func.func @relax_device_double(
//  CHECK-SAME:     %[[SCALARS:.*]]: !llvm.ptr, %[[OUT:.*]]: !llvm.ptr)
//       CHECK:   llvm.getelementptr inbounds %[[OUT]][0]
//       CHECK:   llvm.store %{{.*}}, %{{.*}} : i64, !llvm.ptr
//       CHECK:   llvm.getelementptr inbounds %[[OUT]][1]
//       CHECK:   llvm.getelementptr inbounds %[[OUT]][2]
module attributes {relax.kernels = ["double"]} {
func.func private @double(%x: memref<?x4xf32>, %y: memref<?x4xf32>, %e: memref<1xi64>) {
  %t = bufferization.to_tensor %x restrict : memref<?x4xf32> to tensor<?x4xf32>
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?x4xf32>
  %o = tensor.empty(%n) : tensor<?x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%t : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %d = arith.addf %in, %in : f32
    linalg.yield %d : f32
  } -> tensor<?x4xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<?x4xf32>, memref<?x4xf32>) -> ()
  return
}
}

// -----

// A sum: a loop in each invocation. i1 is a byte in memory.
// CHECK-LABEL: gpu.module @any
//       CHECK:   gpu.func @stage0(%[[X:[a-z0-9]+]]: memref<?xi8>
//       CHECK:     scf.for
//       CHECK:       scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i1)
//       CHECK:         arith.muli
//       CHECK:         memref.load %[[X]]
//       CHECK:         arith.cmpi ne, %{{.*}} : i8
//       CHECK:         arith.ori
//       CHECK:         scf.yield
//       CHECK:       arith.extui %{{.*}} : i1 to i8
module attributes {relax.kernels = ["any"]} {
func.func private @any(%x: memref<?x?xi1>, %y: memref<?xi1>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xi1>) outs(%y : memref<?xi1>) {
  ^bb0(%in: i1, %out: i1):
    %d = arith.ori %in, %out : i1
    linalg.yield %d : i1
  }
  return
}
}

// -----

// What has no stage runs on the CPU.
// CHECK-LABEL: module @relax_device
//   CHECK-NOT:   gpu.module
module attributes {relax.kernels = ["sine", "rest", "loop"]} {
// expected-remark @below {{kernel 'sine' runs on the CPU: it 'math.sin' has no exact form on devices}}
func.func private @sine(%x: memref<?xf32>, %y: memref<?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %d = math.sin %in : f32
    linalg.yield %d : f32
  }
  return
}
// expected-remark @below {{kernel 'rest' runs on the CPU: it 'arith.remf' has no exact form on devices}}
func.func private @rest(%x: memref<?xf32>, %y: memref<?xf32>, %e: memref<1xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %d = arith.remf %in, %out : f32
    linalg.yield %d : f32
  }
  return
}
// expected-remark @below {{kernel 'loop' runs on the CPU: it 'scf.for' outside of linalg operations}}
func.func private @loop(%x: memref<?xf32>, %e: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %zero, %x[%i] : memref<?xf32>
  }
  return
}
}
