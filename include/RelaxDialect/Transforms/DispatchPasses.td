//===- DispatchPasses.td - Patterns as data and libraries -*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TRANSFORMS_DISPATCHPASSES
#define RELAXDIALECT_TRANSFORMS_DISPATCHPASSES

include "mlir/Pass/PassBase.td"

def GroupPatternsPass : Pass<"relax-group-patterns", "::mlir::ModuleOp"> {
  let summary = "Groups the ops that match patterns of a file.";
  let description = [{
    Before: graph phase, functions without calls. After: ops that match a pattern are in a `relax.fusion_group` with the
    attributes `relax.pattern`, the pattern's name, and `relax.symbols`, its symbols in those of the function. Legalization
    and `relax-fuse-tensor-programs` make one tensor program of it, where they can.

    A pattern is a private `func.func` of graph ops with one result in a file of MLIR (docs/Passes/LibraryPasses.md). Arguments stand
    for any value of their element type and rank, symbols for extents; what the pattern's scope says must be proved. Values
    between the ops may have no other use. The first pattern of the file that matches wins.
  }];
  let dependentDialects = [
    "::mlir::relax::graph::RelaxDialect", "::mlir::relax::ext::RelaxExtDialect", "::mlir::func::FuncDialect",
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let options = [Option<"patterns", "patterns", "std::string", /*default=*/"", "File with the patterns.">];
}

def DispatchLibrariesPass : Pass<"relax-dispatch-libraries", "::mlir::ModuleOp"> {
  let summary = "Calls library functions where their patterns match.";
  let description = [{
    Before: graph phase, functions without calls. After: ops that match a pattern with `relax_ext.library` are in the else
    region of an `scf.if` whose then region calls that library function by `relax.call_dps`. The condition asks whether the
    function is available (`relax_ext.available`) and checks what its `where`, the pattern's scope and the width of its
    arguments need and the function's facts do not prove. Where they disprove it nothing changes. The `scf.if` has the attributes
    `relax.dispatch`, the library function's name, and `relax.symbols`.

    Files are tried in order, and in a file patterns: what an earlier one took stays in its else region, where a later one
    may match. An object file of a description is always available.
  }];
  let dependentDialects = [
    "::mlir::relax::graph::RelaxDialect", "::mlir::relax::ext::RelaxExtDialect", "::mlir::func::FuncDialect",
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let options = [ListOption<"libraries", "libraries", "std::string", "Files that describe libraries.">];
}

def DispatchByShapePass : Pass<"relax-dispatch-by-shape", "::mlir::ModuleOp"> {
  let summary = "Chooses between variants by sizes, as a table says.";
  let description = [{
    Before: graph phase, after `relax-dispatch-libraries` or `relax-group-patterns`. After: a library function is called only
    where the table's conditions for it hold, too; generated code has a copy of its own for each variant in the table, in
    which a symbol that the condition sets to a constant is that constant. Conditions are facts over the symbols of the pattern.
    What is proved while compiling is not tested; what is disproved goes.

    The table is JSON, as benchmarks/dispatch.py measures and writes it:
    `{"functions": {"sgemm": {"when": ["m * n * k >= 32768"]}}, "variants": {"sgemm": [["m == 1"]]}}`. Names in `variants` are those
    of library functions or of patterns that were grouped.
  }];
  let dependentDialects = [
    "::mlir::relax::graph::RelaxDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let options = [Option<"table", "table", "std::string", /*default=*/"", "File with the table.">];
}

#endif // RELAXDIALECT_TRANSFORMS_DISPATCHPASSES
