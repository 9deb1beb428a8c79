//===- Passes.td - Passes about the symbols of any IR -----*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_SYM_TRANSFORMS_PASSES
#define RELAXDIALECT_DIALECT_SYM_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def AnnotateShapesPass : Pass<"relax-annotate-shapes", "::mlir::ModuleOp"> {
  let summary = "Finds symbolic extents in IR of upstream dialects.";
  let description = [{
    Before: functions with tensors or memrefs that have `?` extents; `relax` is not needed. After: each op with such a result
    carries `relax_sym.shapes`, a `#relax_sym.shape` for each result, and arguments and results of the function carry
    `relax_sym.shape`. Symbols are `s0`, `s1`, ...: extents of the arguments, then sizes that nothing determines. An argument
    that carries `relax_sym.shape` already is taken at its word, and so are the facts in the function's `relax_sym.facts`.

    Extents come from `ReifyRankedShapedTypeOpInterface`, `DestinationStyleOpInterface` and `ValueBoundsOpInterface`. Facts
    come from `cf.assert`, conditions of `scf.if`, bounds of `scf.for`, casts to static extents, operands of ops with indexing
    maps and sizes of tensors; they hold for what they dominate. As in upstream analyses, arithmetic on `index` does not wrap and an
    op whose operands do not fit has no defined result.

    With `fold`, sizes that are proved equal become one value or a constant, comparisons that are decided become constants and
    assertions that always hold disappear. Remarks tell what was found. Functions with `relax_sym.scope` are left alone.
  }];
  let options = [Option<"fold", "fold", "bool", /*default=*/"false", "Use what is proved.">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::relax::sym::RelaxSymDialect"];
}

#endif // RELAXDIALECT_DIALECT_SYM_TRANSFORMS_PASSES
