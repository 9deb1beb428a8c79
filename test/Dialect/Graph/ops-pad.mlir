// RUN: relax-opt %s | relax-opt | FileCheck %s
// RUN: relax-opt %s --emit-bytecode | relax-opt | FileCheck %s

// The example of the description.

// CHECK-LABEL: func.func @pad(
func.func @pad(%x: tensor<?xf32, #relax_sym.shape<[n]>>, %v: tensor<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  // CHECK: relax.pad
  %r = relax.pad %x value(%v) {low = [#relax_sym.expr<0>], high = [#relax_sym.expr<2>], mode = "constant"} : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<f32>) -> tensor<?xf32, #relax_sym.shape<[n + 2]>>
  return
}
