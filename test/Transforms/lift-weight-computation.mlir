// RUN: split-file %s %t
// RUN: relax-opt %t/lift.mlir --relax-lift-weight-computation | FileCheck %s
// RUN: relax-opt %t/blob.mlir --relax-lift-weight-computation=blob-directory=%t | FileCheck %s --check-prefix=BLOB
// RUN: relax-opt %t/invalid.mlir --relax-lift-weight-computation=blob-directory=%t --verify-diagnostics
// RUN: relax-opt %t/lift.mlir --relax-lift-weight-computation --remark-format=emitRemark --remarks-filter='relax-.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] Lifted | Category:relax-lift-weight-computation | Remark="computed 'transpose' of weights"
// REMARK: [Passed] Lifted | Category:relax-lift-weight-computation | Remark="computed 'double' of weights"

//--- data.bin
abcdefgh
//--- lift.mlir
// CHECK-NOT: relax.weight_data @w :
// CHECK: relax.weight_data @[[$SUM:.*]] : tensor<3x2xf32> = dense<{{\[}}[2.000000e+00, 8.000000e+00], [4.000000e+00, 1.000000e+01], [6.000000e+00, 1.200000e+01]]>
// CHECK-NOT: relax.weight_data @w :
// CHECK: relax.weight_data @twice : tensor<200x200xf32>
relax.weight_data @w : tensor<2x3xf32> = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
relax.weight_data @twice : tensor<200x200xf32> = dense<1.0> : tensor<200x200xf32>

relax_tp.func private @transpose(%x: tensor<2x3xf32>) outs(%o: tensor<3x2xf32>) {
  %r = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%o : tensor<3x2xf32>) permutation = [1, 0]
  relax_tp.yield %r : tensor<3x2xf32>
}
relax_tp.func private @double(%x: tensor<3x2xf32>) outs(%o: tensor<3x2xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x2xf32>) outs(%o : tensor<3x2xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %a : f32
      linalg.yield %c : f32
  } -> tensor<3x2xf32>
  relax_tp.yield %r : tensor<3x2xf32>
}
relax_tp.func private @large(%x: tensor<200x200xf32>) outs(%o: tensor<200x200xf32>) {
  %r = linalg.transpose ins(%x : tensor<200x200xf32>) outs(%o : tensor<200x200xf32>) permutation = [1, 0]
  relax_tp.yield %r : tensor<200x200xf32>
}
relax_tp.func private @refused(%x: tensor<2xf32>) outs(%o: tensor<2xf32>) {
  %false = arith.constant false
  relax_tp.assert %false, "never"
  %r = linalg.copy ins(%x : tensor<2xf32>) outs(%o : tensor<2xf32>) -> tensor<2xf32>
  relax_tp.yield %r : tensor<2xf32>
}

// A chain disappears, the weights that nothing reads too.
// CHECK-LABEL: func.func @chain
//       CHECK:   %[[W:.*]] = relax.weight @[[$SUM]] : tensor<3x2xf32>
//  CHECK-NEXT:   return %[[W]]
func.func @chain() -> tensor<3x2xf32> {
  %w = relax.weight @w : tensor<2x3xf32>
  %t = relax.call_tp @transpose(%w) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %r = relax.call_tp @double(%t) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// What is needed both ways would be there twice.
// CHECK-LABEL: func.func @both_ways
//       CHECK:   relax.call_tp @large
func.func @both_ways() -> (tensor<200x200xf32>, tensor<200x200xf32>) {
  %w = relax.weight @twice : tensor<200x200xf32>
  %t = relax.call_tp @large(%w) : (tensor<200x200xf32>) -> tensor<200x200xf32>
  return %w, %t : tensor<200x200xf32>, tensor<200x200xf32>
}

// An error stays an error of the run.
// CHECK-LABEL: func.func @error
//       CHECK:   relax.call_tp @refused
func.func @error() -> tensor<2xf32> {
  %c = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = relax.call_tp @refused(%c) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

//--- blob.mlir
// BLOB: relax.weight_data @{{.*}} : tensor<2x1xi16> = dense<{{\[}}[25699], [26213]]>
relax.weight_data @blob : tensor<1x2xi16> = #relax.blob<"data.bin", 2, 4, "fb52bf82">
relax_tp.func private @transpose(%x: tensor<1x2xi16>) outs(%o: tensor<2x1xi16>) {
  %r = linalg.transpose ins(%x : tensor<1x2xi16>) outs(%o : tensor<2x1xi16>) permutation = [1, 0]
  relax_tp.yield %r : tensor<2x1xi16>
}
func.func @f() -> tensor<2x1xi16> {
  %w = relax.weight @blob : tensor<1x2xi16>
  %r = relax.call_tp @transpose(%w) : (tensor<1x2xi16>) -> tensor<2x1xi16>
  return %r : tensor<2x1xi16>
}

//--- invalid.mlir
// expected-error @below {{missing.bin'}}
relax.weight_data @missing : tensor<1x2xi16> = #relax.blob<"missing.bin", 0, 4, "00000000">
relax_tp.func private @transpose(%x: tensor<1x2xi16>) outs(%o: tensor<2x1xi16>) {
  %r = linalg.transpose ins(%x : tensor<1x2xi16>) outs(%o : tensor<2x1xi16>) permutation = [1, 0]
  relax_tp.yield %r : tensor<2x1xi16>
}
func.func @f() -> tensor<2x1xi16> {
  %w = relax.weight @missing : tensor<1x2xi16>
  %r = relax.call_tp @transpose(%w) : (tensor<1x2xi16>) -> tensor<2x1xi16>
  return %r : tensor<2x1xi16>
}
