// RUN: not relax-opt %s --relax-specialize-symbols 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not relax-opt %s --relax-specialize-symbols="symbols=n" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not relax-opt %s --relax-specialize-symbols="symbols=n=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not relax-opt %s --relax-specialize-symbols="symbols=n=1,n=2" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not relax-opt %s --relax-specialize-symbols="symbols=q=1" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not relax-opt %s --relax-specialize-symbols="symbols=u=1 function=main" 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not relax-opt %s --relax-specialize-symbols="symbols=n=4 function=mian" 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not relax-opt %s --relax-specialize-symbols="symbols=n=65" 2>&1 | FileCheck %s --check-prefix=FACT
// RUN: not relax-opt %s --relax-specialize-symbols="symbols=n=0" 2>&1 | FileCheck %s --check-prefix=TOGETHER
// RUN: not relax-opt %s --relax-specialize-symbols="symbols=n=4 variant=true" 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not relax-opt %s --relax-specialize-symbols="symbols=n=64" 2>&1 | FileCheck %s --check-prefix=CALL

// NONE: error: expected the option 'symbols', such as symbols=n=128
// NUMBER: error: expected a symbol and a number >= 0, such as n=128, got 'n'
// NEGATIVE: error: expected a symbol and a number >= 0, such as n=128, got 'n=-1'
// TWICE: error: symbol 'n' has two values: 1 and 2
// UNKNOWN: error: no arguments of a public function show symbol 'q'
// INNER: error: no arguments of 'main' show symbol 'u'
// FUNCTION: error: no public function 'mian' with a body
// FACT: specialize-symbols-invalid.mlir:[[@LINE+5]]:{{.*}}error: fact 'n <= 64' becomes '65 <= 64', which never holds
// TOGETHER: error: no extents satisfy the facts when symbols get values:
// TAKEN: error: cannot have the variant 'main_n4': the name is taken
// CALL: error: 'relax.call' op argument 0 dimension 0 must be 64, got 5
#nm = #relax_sym.shape<[n, m]>
func.func @main(%x: tensor<?x?xf32, #nm>) attributes {relax_sym.scope = #relax_sym.scope<"n <= 64", "m <= n + 5", "m + n >= 6">} {
  %0 = relax.unique %x binds [u] : (tensor<?x?xf32, #nm>) -> tensor<?xf32, #relax_sym.shape<[u]>>
  return
}
func.func private @main_n4() {
  return
}
func.func @caller(%x: tensor<5x5xf32>) {
  relax.call @main(%x) : (tensor<5x5xf32>) -> ()
  return
}
