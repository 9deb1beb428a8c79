// RUN: relax-opt %s --relax-fuse-tensor-programs --split-input-file --verify-diagnostics --remark-format=emitRemark --remarks-filter='relax-.*' | FileCheck %s

// Groups that cannot become a program are dissolved.
// CHECK-NOT: relax.fusion_group
//     CHECK: relax.call_tp @buffers
// CHECK-NOT: relax.fusion_group

relax_tp.func private @buffers(%x: memref<4xf32>) outs(%o: memref<4xf32>) {
  relax_tp.yield
}
func.func @buffer_form(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{dissolved a group: @buffers is not in tensor form}}
  %0 = relax.fusion_group -> (tensor<4xf32>) {
    %1 = relax.call_tp @buffers(%x) : (tensor<4xf32>) -> tensor<4xf32>
    relax.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @other_op(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{dissolved a group: 'relax.constant' is not a call of a tensor program}}
  %0 = relax.fusion_group -> (tensor<4xf32>) {
    %1 = relax.constant dense<0.0> : tensor<4xf32>
    relax.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @outside(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{dissolved a group: the group gives a value from outside}}
  %0 = relax.fusion_group -> (tensor<4xf32>) {
    relax.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

relax_tp.func private @found(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) -> (index) {
  %c0 = arith.constant 0 : index
  relax_tp.yield %x, %c0 : tensor<4xf32>, index
}
func.func @extents(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{dissolved a group: the call of @found has destinations or finds extents}}
  %0 = relax.fusion_group -> (tensor<4xf32>) {
    %1, %2 = relax.call_tp @found(%x) : (tensor<4xf32>) -> (tensor<4xf32>, index)
    relax.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
relax_tp.func private @add(%x: tensor<?xf32> {relax_sym.shape = #n}, %y: tensor<?xf32> {relax_sym.shape = #n})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  relax_tp.yield %0 : tensor<?xf32>
}
func.func @not_proved(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // expected-remark @below {{dissolved a group: the extents of the call of @add are not proved}}
  %0 = relax.fusion_group -> (tensor<?xf32, #n>) {
    %1 = relax.call_tp @add(%x, %y) : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32, #n>
    relax.yield %1 : tensor<?xf32, #n>
  }
  return %0 : tensor<?xf32, #n>
}

// -----

#n = #relax_sym.shape<[n]>
relax_tp.func private @exp(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  relax_tp.yield %0 : tensor<?xf32>
}
func.func @unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark @below {{dissolved a group: the call of @exp has unknown extents}}
  %0 = relax.fusion_group -> (tensor<?xf32>) {
    %1 = relax.call_tp @exp(%x) : (tensor<?xf32>) -> tensor<?xf32>
    relax.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// Two results, one of them given twice and used inside too; the program that is still called elsewhere stays.
relax_tp.func private @exp(%x: tensor<4xf32>) outs(%o: tensor<4xf32>) {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  relax_tp.yield %0 : tensor<4xf32>
}
// CHECK: relax_tp.func private @exp(
// CHECK: relax_tp.func private @fused_exp_exp(
// CHECK: relax_tp.yield %[[A:.*]], %{{.*}}, %[[A]]
func.func @several(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // expected-remark @below {{fused 2 calls into @fused_exp_exp}}
  %0:3 = relax.fusion_group -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %1 = relax.call_tp @exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = relax.call_tp @exp(%1) : (tensor<4xf32>) -> tensor<4xf32>
    relax.yield %1, %2, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  %3 = relax.call_tp @exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0#0, %0#1, %0#2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

#q = #relax_sym.shape<[n floordiv m]>
relax_tp.func private @sized(%x: tensor<f32>) outs(%o: tensor<?xf32> {relax_sym.shape = #relax_sym.shape<[a]>})
    scalars(%k: index {relax_sym.expr = #relax_sym.expr<a>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %v = tensor.extract %x[] : tensor<f32>
  %0 = linalg.fill ins(%v : f32) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  relax_tp.yield %0 : tensor<?xf32>
}
func.func @divisor(%x: tensor<f32>, %s: !relax.shape<[n, m]>) -> tensor<?xf32, #q> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %t = relax.make_shape %s : (!relax.shape<[n, m]>) -> !relax.shape<[n floordiv m]>
  // expected-remark @below {{dissolved a group: the call of @sized has extents with divisors that are not proved positive}}
  %0 = relax.fusion_group -> (tensor<?xf32, #q>) {
    %1 = relax.call_tp @sized(%x) shape(%t) : (tensor<f32>, !relax.shape<[n floordiv m]>) -> tensor<?xf32, #q>
    relax.yield %1 : tensor<?xf32, #q>
  }
  return %0 : tensor<?xf32, #q>
}
