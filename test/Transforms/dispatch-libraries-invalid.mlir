// RUN: split-file %s %t
// RUN: not relax-opt %t/main.mlir --relax-dispatch-libraries=libraries=%t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not relax-opt %t/main.mlir --relax-dispatch-libraries=libraries=%t/unknown.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not relax-opt %t/main.mlir --relax-dispatch-libraries=libraries=%t/signature.mlir 2>&1 | FileCheck %s --check-prefix=SIGNATURE
// RUN: not relax-opt %t/main.mlir --relax-dispatch-libraries=libraries=%t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not relax-opt %t/main.mlir --relax-group-patterns=patterns=%t/empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not relax-opt %t/main.mlir --relax-group-patterns=patterns=%t/argument.mlir 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not relax-opt %t/main.mlir --relax-group-patterns=patterns=%t/binder.mlir 2>&1 | FileCheck %s --check-prefix=BINDER

// NONE: error: cannot read '{{.*}}none.mlir': no such file

//--- main.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- unknown.mlir
// UNKNOWN: unknown.mlir{{.*}}error: names the library function @f, which the file does not declare
func.func private @p(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax_ext.library = @f} {
  %0 = relax.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- signature.mlir
// SIGNATURE: error: expects of @f 1 inputs, one out and no scalars, got 2, 1 and 0
relax_ext.func private @f(tensor<4xf32>, tensor<4xf32>) outs(tensor<4xf32>) attributes {symbol = "f"}
func.func private @p(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax_ext.library = @f} {
  %0 = relax.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- type.mlir
// TYPE: error: expects type 'tensor<4xf32>' of argument 1 of @f, got 'tensor<5xf32>'
relax_ext.func private @f(tensor<4xf32>) outs(tensor<5xf32>) attributes {symbol = "f"}
func.func private @p(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax_ext.library = @f} {
  %0 = relax.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- empty.mlir
// EMPTY: error: a pattern needs a body of one block
func.func private @p(%x: tensor<4xf32>) -> tensor<4xf32>

//--- argument.mlir
// ARGUMENT: error: a pattern gives one value that one of its ops computes
func.func private @p(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- binder.mlir
// BINDER: error: 'relax.nonzero' op cannot be in a pattern: it has regions, binds symbols or has several results
func.func private @p(%x: tensor<4xf32>) -> tensor<1x?xi64, #relax_sym.shape<[1, u]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.nonzero %x binds [u] : (tensor<4xf32>) -> tensor<1x?xi64, #relax_sym.shape<[1, u]>>
  return %0 : tensor<1x?xi64, #relax_sym.shape<[1, u]>>
}
