// RUN: split-file %s %t
// RUN: not relax-opt %t/main.mlir --relax-dispatch-by-shape=table=%t/none.json 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not relax-opt %t/main.mlir --relax-dispatch-by-shape=table=%t/syntax.json 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not relax-opt %t/main.mlir --relax-dispatch-by-shape=table=%t/list.json 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not relax-opt %t/main.mlir --relax-dispatch-by-shape=table=%t/when.json 2>&1 | FileCheck %s --check-prefix=WHEN
// RUN: not relax-opt %t/main.mlir --relax-dispatch-by-shape=table=%t/fact.json 2>&1 | FileCheck %s --check-prefix=FACT
// RUN: not relax-opt %t/main.mlir --relax-dispatch-by-shape=table=%t/variants.json 2>&1 | FileCheck %s --check-prefix=VARIANTS
// RUN: not relax-opt %t/main.mlir --relax-dispatch-by-shape=table=%t/symbol.json 2>&1 | FileCheck %s --check-prefix=SYMBOL

// NONE: error: table '{{.*}}none.json': {{.*}}o such file
// SYNTAX: error: table '{{.*}}syntax.json': [{{.*}}: Expected object key
// LIST: error: table '{{.*}}list.json': expects an object
// WHEN: error: table '{{.*}}when.json': expects a list of facts at functions.f.when
// FACT: error: table '{{.*}}fact.json': invalid fact at functions.f.when:
// VARIANTS: error: table '{{.*}}variants.json': expects a list at variants.f
// SYMBOL: error: 'relax.fusion_group' op has no symbol 'q', which the table mentions

//--- syntax.json
{
//--- list.json
[]
//--- when.json
{"functions": {"f": {}}}
//--- fact.json
{"functions": {"f": {"when": ["n >="]}}}
//--- variants.json
{"variants": {"f": 3}}
//--- symbol.json
{"variants": {"p": [["q == 1"]]}}
//--- main.mlir
#n = #relax_sym.shape<[n]>
func.func @main(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.fusion_group -> (tensor<?xf32, #n>) attributes {relax.pattern = "p", relax.symbols = {m = #relax_sym.expr<n>}} {
    %1 = relax.exp %x : tensor<?xf32, #n>
    relax.yield %1 : tensor<?xf32, #n>
  }
  return %0 : tensor<?xf32, #n>
}
