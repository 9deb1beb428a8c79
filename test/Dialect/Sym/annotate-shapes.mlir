// The prover on IR that knows nothing of relax, in the distribution's mlir-opt and in ours.
// RUN: mlir-opt --load-pass-plugin=%plugin --pass-pipeline='builtin.module(relax-annotate-shapes)' %s | FileCheck %s
// RUN: relax-opt --relax-annotate-shapes %s | FileCheck %s

// CHECK-DAG: #[[$S0_S1:.*]] = #relax_sym.shape<[s0, s1]>
// CHECK-DAG: #[[$PRODUCT:.*]] = #relax_sym.shape<[s0 * s1]>
// CHECK-DAG: #[[$SUM:.*]] = #relax_sym.shape<[s0 + s1, 4]>
// CHECK-DAG: #[[$HALF:.*]] = #relax_sym.shape<[(s0 + s1) ceildiv 2, 4]>
// CHECK-DAG: #[[$PADDED:.*]] = #relax_sym.shape<[(s0 + s1) ceildiv 2 + 3, 6]>
// CHECK-DAG: #[[$GROWN:.*]] = #relax_sym.shape<[s0, s1 + s3]>
// CHECK-DAG: #[[$GROWN_RESULT:.*]] = #relax_sym.shape<[s0, s4]>
// CHECK-DAG: #[[$UNKNOWN:.*]] = #relax_sym.shape<[?]>

// Elementwise and structured ops.
// CHECK-LABEL: func.func @elementwise(
//  CHECK-SAME:     %[[X:.*]]: tensor<?x?xf32> {relax_sym.shape = #[[$S0_S1]]}) -> (tensor<?x?xf32> {relax_sym.shape = #[[$S0_S1]]})
func.func @elementwise(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c0 : tensor<?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?xf32>
  // CHECK: tensor.empty(%{{.*}}, %{{.*}}) {relax_sym.shapes = [#[[$S0_S1]]]}
  %e = tensor.empty(%a, %b) : tensor<?x?xf32>
  // CHECK: linalg.exp {relax_sym.shapes = [#[[$S0_S1]]]}
  %0 = linalg.exp ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: arith.addf %{{.*}}, %{{.*}} {relax_sym.shapes = [#[[$S0_S1]]]}
  %1 = arith.addf %0, %x : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// Products, which affine analyses cannot say.
// CHECK-LABEL: func.func @collapse(
//  CHECK-SAME:     -> (tensor<?xf32> {relax_sym.shape = #[[$PRODUCT]]})
func.func @collapse(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] {relax_sym.shapes = [#[[$PRODUCT]]]}
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Slices, padding, concatenation.
// CHECK-LABEL: func.func @moves(
func.func @moves(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x6xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  // CHECK: tensor.concat {{.*}} {relax_sym.shapes = [#[[$SUM]]]}
  %0 = tensor.concat dim(0) %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %n = tensor.dim %0, %c0 : tensor<?x4xf32>
  %m = arith.ceildivsi %n, %c2 : index
  // CHECK: tensor.extract_slice {{.*}} {relax_sym.shapes = [#[[$HALF]]]}
  %1 = tensor.extract_slice %0[0, 0] [%m, 4] [2, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  // CHECK: tensor.pad
  // CHECK: } {relax_sym.shapes = [#[[$PADDED]]]}
  %2 = tensor.pad %1 low[1, 0] high[2, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x4xf32> to tensor<?x6xf32>
  return %2 : tensor<?x6xf32>
}

// What nothing determines gets a symbol of its own.
// CHECK-LABEL: func.func @unknown(
//  CHECK-SAME:     -> (tensor<?xf32> {relax_sym.shape = #[[$UNKNOWN]]})
func.func @unknown(%n: index) -> tensor<?xf32> {
  // CHECK: tensor.empty(%{{.*}}) {relax_sym.shapes = [#[[S0:.*]]]}
  %0 = tensor.empty(%n) : tensor<?xf32>
  // CHECK: call @other(%{{.*}}) {relax_sym.shapes = [#[[S1:.*]]]}
  %1 = func.call @other(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func private @other(tensor<?xf32>) -> tensor<?xf32>

// Branches and loops keep what does not change.
// CHECK-LABEL: func.func @control_flow(
func.func @control_flow(%x: tensor<?x?xf32>, %c: i1, %count: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.if
  // CHECK: } {relax_sym.shapes = [#[[$S0_S1]]]}
  %0 = scf.if %c -> tensor<?x?xf32> {
    %1 = math.exp %x : tensor<?x?xf32>
    scf.yield %1 : tensor<?x?xf32>
  } else {
    scf.yield %x : tensor<?x?xf32>
  }
  // CHECK: scf.for
  // CHECK: tensor.concat {{.*}} {relax_sym.shapes = [#[[$GROWN]]]}
  // CHECK: } {relax_sym.shapes = [#[[$GROWN_RESULT]]]}
  %2 = scf.for %i = %c0 to %count step %c1 iter_args(%a = %0) -> tensor<?x?xf32> {
    %3 = tensor.concat dim(1) %a, %x : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %3 : tensor<?x?xf32>
  }
  return %2 : tensor<?x?xf32>
}

// Any loop: counters are below the bound, carried tensors keep their extents.
// CHECK-LABEL: func.func @loops(
func.func @loops(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  // CHECK: affine.for
  // CHECK: math.exp {{.*}} {relax_sym.shapes = [#[[$S0_S1]]]}
  %0 = affine.for %i = 0 to %n iter_args(%a = %x) -> tensor<?x?xf32> {
    %1 = math.exp %a : tensor<?x?xf32>
    affine.yield %1 : tensor<?x?xf32>
  }
  // CHECK: scf.forall
  // CHECK: tensor.extract_slice {{.*}} {relax_sym.shapes = [#[[$ROW:.*]]]}
  %2 = scf.forall (%i) in (%n) shared_outs(%o = %0) -> tensor<?x?xf32> {
    %c1 = arith.constant 1 : index
    %m = tensor.dim %o, %c1 : tensor<?x?xf32>
    %3 = tensor.extract_slice %o[%i, 0] [1, %m] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %3 into %o[%i, 0] [1, %m] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
    }
  }
  // CHECK: } {relax_sym.shapes = [#[[$S0_S1]]]}
  return %2 : tensor<?x?xf32>
}
