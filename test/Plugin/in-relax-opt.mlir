// relax-opt, which has everything already, loads the plugin too: the same dialects and passes, registered once.
// RUN: relax-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin \
// RUN:   --pass-pipeline='builtin.module(relax-infer-shapes)' %s | FileCheck %s
// RUN: relax-opt --load-dialect-plugin=%plugin --relax-infer-shapes %s | FileCheck %s

// CHECK: #[[SHAPE:.*]] = #relax_sym.shape<[n, 4]>
// CHECK: relax.relu %{{.*}} : tensor<?x4xf32, #[[SHAPE]]>
#n_4 = #relax_sym.shape<[n, 4]>
func.func @main(%x: tensor<?x4xf32, #n_4>) -> tensor<?x4xf32, #n_4> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.relu %x : tensor<?x4xf32, #n_4>
  return %0 : tensor<?x4xf32, #n_4>
}
