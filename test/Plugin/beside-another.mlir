// Our plugin beside one that knows nothing of it, in both orders, in the stock program and in ours.
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin --load-dialect-plugin=%other_plugin \
// RUN:   --load-pass-plugin=%other_plugin --pass-pipeline='builtin.module(relax-infer-shapes,other-count)' %s | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%other_plugin --load-pass-plugin=%other_plugin --load-dialect-plugin=%plugin \
// RUN:   --load-pass-plugin=%plugin --pass-pipeline='builtin.module(other-count,relax-infer-shapes)' %s | FileCheck %s
// RUN: relax-opt --load-dialect-plugin=%other_plugin --load-pass-plugin=%other_plugin \
// RUN:   --pass-pipeline='builtin.module(relax-infer-shapes,other-count)' %s | FileCheck %s

// CHECK: #[[SHAPE:.*]] = #relax_sym.shape<[n, 4]>
// CHECK: module attributes {other.count = 1 : i64}
// CHECK: relax.relu %{{.*}} : tensor<?x4xf32, #[[SHAPE]]>
// CHECK: "other.use"
#n_4 = #relax_sym.shape<[n, 4]>
func.func @main(%x: tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.relu %x : tensor<?x4xf32, #n_4>
  "other.use"(%0) : (tensor<?x4xf32, #n_4>) -> ()
  return %0 : tensor<?x4xf32, #n_4>
}
