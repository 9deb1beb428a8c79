// RUN: relax-opt %s > %t.mlir
// RUN: relax-opt %s --emit-bytecode | relax-opt | diff - %t.mlir

relax_tp.func private @f(%x: tensor<?x4xf32> {relax_sym.shape = #relax_sym.shape<[n, 4]>})
    outs(%o: tensor<?x4xf32> {relax_sym.shape = #relax_sym.shape<[n, 4]>})
    scalars(%k: index {relax_sym.expr = #relax_sym.expr<k>}) -> (index)
    attributes {relax_sym.scope = #relax_sym.scope<"n >= 1">, relax_tp.pattern_kind = "opaque"} {
  %true = arith.constant true
  relax_tp.assert %true, "always"
  relax_tp.yield %x, %k : tensor<?x4xf32>, index
}
