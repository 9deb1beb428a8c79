// RUN: relax-opt %s --pass-pipeline='builtin.module(relax-make-destinations,relax-plan-memory,relax-draw-memory{output=%t.html})' | FileCheck %s
// RUN: FileCheck %s --check-prefix=PAGE --input-file=%t.html
// RUN: not relax-opt %s --pass-pipeline='builtin.module(relax-draw-memory{output=%t.none/page.html})' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: relax-opt %s --pass-pipeline='builtin.module(relax-draw-memory{output=%t.empty.html})' -o /dev/null
// RUN: FileCheck %s --check-prefix=EMPTY --input-file=%t.empty.html

// ERROR: error: cannot open output file

// The page holds the report, in which no tag can begin, and names no other file.
// PAGE-LABEL: <!doctype html>
//   PAGE-NOT: src=
//   PAGE-NOT: href=
//       PAGE: <script id="reports" type="application/json">{"main":{"alignment":64,"arena":[{"above":[]
//  PAGE-SAME:   "facts":["n >= 1"]
//  PAGE-SAME:   "tensor":"tensor\u003c?x8xf32, #relax_sym.shape\u003c[n, 8]>>"
//  PAGE-SAME:   </script>
//   PAGE-NOT: src=
//       PAGE: </html>

// EMPTY: <script id="reports" type="application/json">{}</script>

#n_8 = #relax_sym.shape<[n, 8]>
relax_tp.func private @relu(%x: tensor<?x8xf32> {relax_sym.shape = #n_8})
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n_8}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  relax_tp.yield %o : tensor<?x8xf32>
}

// The module goes on as it was.
// CHECK-LABEL: func.func @main(
//       CHECK:   relax.storage
func.func @main(%x: tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #n_8> attributes {relax_sym.scope = #relax_sym.scope<"n >= 1">} {
  %0 = relax.call_tp @relu(%x) : (tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #n_8>
  %1 = relax.call_tp @relu(%0) : (tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #n_8>
  %2 = relax.call_tp @relu(%1) : (tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #n_8>
  return %2 : tensor<?x8xf32, #n_8>
}
