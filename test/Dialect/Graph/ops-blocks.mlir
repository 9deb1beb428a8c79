// RUN: relax-opt %s --verify-roundtrip | FileCheck %s

#n_64 = #relax_sym.shape<[n, 64]>
#n_2_34 = #relax_sym.shape<[n, 2, 34]>

// CHECK-LABEL: func.func @blocks(
func.func @blocks(%x: tensor<?x64xf32, #n_64>, %w: tensor<10x2x34xi8>, %v: tensor<?x2x34xi8, #n_2_34>)
    -> (tensor<?x10xf32, #relax_sym.shape<[n, 10]>>, tensor<?x64xf32, #n_64>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.block_matmul %{{.*}}, %{{.*}} {format = "q8_0"} : (tensor<?x64xf32, #{{.*}}>, tensor<10x2x34xi8>) -> tensor<?x10xf32, #{{.*}}>
  %0 = relax.block_matmul %x, %w {format = "q8_0"} : (tensor<?x64xf32, #n_64>, tensor<10x2x34xi8>) -> tensor<?x10xf32, #relax_sym.shape<[n, 10]>>
  // CHECK: relax.dequantize_block %{{.*}} {format = "q8_0"} : (tensor<?x2x34xi8, #{{.*}}>) -> tensor<?x64xf32, #{{.*}}>
  %1 = relax.dequantize_block %v {format = "q8_0"} : (tensor<?x2x34xi8, #n_2_34>) -> tensor<?x64xf32, #n_64>
  return %0, %1 : tensor<?x10xf32, #relax_sym.shape<[n, 10]>>, tensor<?x64xf32, #n_64>
}

// CHECK-LABEL: func.func @integers(
func.func @integers(%x: tensor<?x64xi8, #n_64>, %s: tensor<?x2xf32, #relax_sym.shape<[n, 2]>>, %w: tensor<10x2x34xi8>)
    -> tensor<?x10xf32, #relax_sym.shape<[n, 10]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.quantized_block_matmul %{{.*}}, %{{.*}}, %{{.*}} {format = "q8_0"} : (tensor<?x64xi8, #{{.*}}>, tensor<?x2xf32, #{{.*}}>, tensor<10x2x34xi8>) -> tensor<?x10xf32, #{{.*}}>
  %0 = relax.quantized_block_matmul %x, %s, %w {format = "q8_0"} : (tensor<?x64xi8, #n_64>, tensor<?x2xf32, #relax_sym.shape<[n, 2]>>, tensor<10x2x34xi8>) -> tensor<?x10xf32, #relax_sym.shape<[n, 10]>>
  return %0 : tensor<?x10xf32, #relax_sym.shape<[n, 10]>>
}
