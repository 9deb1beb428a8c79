// RUN: relax-opt %s --split-input-file --relax-quantize-activations | FileCheck %s
// RUN: relax-opt %s --split-input-file --relax-quantize-activations --remark-format=emitRemark --remarks-filter=relax-quantize-activations 2>&1 >/dev/null | FileCheck %s --check-prefix=KEPT

#x = #relax_sym.shape<[n, 512]>

// One rounding for all products of an operand.
// CHECK-LABEL: func.func @shared
// CHECK-SAME:    %[[X:.*]]: tensor<?x512xf32,
func.func @shared(%x: tensor<?x512xf32, #x>, %v: tensor<3x16x34xi8>, %w: tensor<4x2x144xi8>)
    -> (tensor<?x3xf32, #relax_sym.shape<[n, 3]>>, tensor<?x4xf32, #relax_sym.shape<[n, 4]>>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: %[[B:.*]] = relax.reshape %[[X]], %{{.*}} -> tensor<?x16x32xf32, #{{.*}}>
  // CHECK: relax.abs %[[B]]
  // CHECK: %[[LARGEST:.*]] = relax.max
  // CHECK: relax.greater %[[LARGEST]]
  // CHECK: relax.where
  // CHECK: %[[ROUND:.*]] = relax.round
  // CHECK: relax.astype %[[ROUND]] {dtype = i8}
  // CHECK: %[[Q:.*]] = relax.reshape {{.*}} -> tensor<?x512xi8, #{{.*}}>
  // CHECK: %[[S:.*]] = relax.reshape {{.*}} -> tensor<?x16xf32, #{{.*}}>
  // CHECK: relax.quantized_block_matmul %[[Q]], %[[S]], %{{.*}} {format = "q8_0"}
  // CHECK-NOT: relax.round
  // CHECK: relax.quantized_block_matmul %[[Q]], %[[S]], %{{.*}} {format = "q4_k"}
  %0 = relax.block_matmul %x, %v {format = "q8_0"} : (tensor<?x512xf32, #x>, tensor<3x16x34xi8>) -> tensor<?x3xf32, #relax_sym.shape<[n, 3]>>
  %1 = relax.block_matmul %x, %w {format = "q4_k"} : (tensor<?x512xf32, #x>, tensor<4x2x144xi8>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
  return %0, %1 : tensor<?x3xf32, #relax_sym.shape<[n, 3]>>, tensor<?x4xf32, #relax_sym.shape<[n, 4]>>
}

// -----

#x = #relax_sym.shape<[n * 32]>

// CHECK-LABEL: func.func @symbolic
func.func @symbolic(%x: tensor<?xf32, #x>, %w: tensor<?x?x22xi8, #relax_sym.shape<[m, n, 22]>>)
    -> tensor<?xf32, #relax_sym.shape<[m]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.quantized_block_matmul %{{.*}}, %{{.*}}, %{{.*}} {format = "q5_0"} : (tensor<?xi8, #{{.*}}>, tensor<?xf32, #{{.*}}>, tensor<?x?x22xi8, #{{.*}}>)
  %0 = relax.block_matmul %x, %w {format = "q5_0"} : (tensor<?xf32, #x>, tensor<?x?x22xi8, #relax_sym.shape<[m, n, 22]>>) -> tensor<?xf32, #relax_sym.shape<[m]>>
  return %0 : tensor<?xf32, #relax_sym.shape<[m]>>
}

// -----

// CHECK-LABEL: func.func @floats
func.func @floats(%x: tensor<64xf32>, %w: tensor<3x64x2xi8>) -> tensor<3xf32> {
  // CHECK: relax.block_matmul
  // KEPT: remark: {{.*}}its numbers are no integers
  %0 = relax.block_matmul %x, %w {format = "bf16"} : (tensor<64xf32>, tensor<3x64x2xi8>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Neither product is always there before the other.
// CHECK-LABEL: func.func @branches
func.func @branches(%c: tensor<i1>, %x: tensor<64xf32>, %w: tensor<3x2x34xi8>) -> tensor<3xf32> {
  // CHECK: relax.round
  // CHECK: relax.round
  %b = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %b -> (tensor<3xf32>) {
    %1 = relax.block_matmul %x, %w {format = "q8_0"} : (tensor<64xf32>, tensor<3x2x34xi8>) -> tensor<3xf32>
    scf.yield %1 : tensor<3xf32>
  } else {
    %2 = relax.block_matmul %x, %w {format = "q8_0"} : (tensor<64xf32>, tensor<3x2x34xi8>) -> tensor<3xf32>
    scf.yield %2 : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}
