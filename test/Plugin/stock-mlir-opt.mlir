// The distribution's own mlir-opt runs our dialects and passes.
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(relax-infer-shapes,canonicalize)' %s | FileCheck %s

// Either option alone registers the passes; the dialects need the first.
// RUN: mlir-opt --load-dialect-plugin=%plugin --pass-pipeline='builtin.module(relax-infer-shapes)' %s | FileCheck %s
// RUN: not mlir-opt --load-pass-plugin=%plugin --pass-pipeline='builtin.module(relax-infer-shapes)' %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-DIALECT

// Bytecode written by one host is read by the other.
// RUN: relax-opt --emit-bytecode %s | mlir-opt --load-dialect-plugin=%plugin | FileCheck %s

// CHECK: #[[SHAPE:.*]] = #relax_sym.shape<[n, 4]>
// CHECK: func.func @main(%[[X:.*]]: tensor<?x4xf32, #[[SHAPE]]>)
// CHECK: relax.relu %[[X]] : tensor<?x4xf32, #[[SHAPE]]>
// NO-DIALECT: error: {{.*}}relax
#n_4 = #relax_sym.shape<[n, 4]>
func.func @main(%x: tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.relu %x : tensor<?x4xf32, #n_4>
  return %0 : tensor<?x4xf32, #n_4>
}
