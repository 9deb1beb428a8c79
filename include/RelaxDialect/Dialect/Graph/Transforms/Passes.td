//===- Passes.td - Passes on graphs -----------------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_PASSES
#define RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def InferShapesPass : Pass<"relax-infer-shapes", "::mlir::ModuleOp"> {
  let summary = "Makes result types as precise as the operands allow.";
  let description = [{
    Before: graph or mixed phase. After: an extent that was unknown (`?`) is known where type inference of the op knows it;
    known extents stay as they are written. Goes through dataflow blocks, `scf.if`, `scf.for`, `scf.while` and `relax.call`
    (the symbol mapping is stored, argument and result types of private callees are made precise) to a fixed point. What ops
    that bind symbols say about them (a part is not larger than the whole) joins the facts of the function. A use that needs the old type,
    such as a function's result, gets it through `relax.erase_shape`. Types with a static dimension beside a symbolic
    expression lose the expression.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def InsertChecksPass : Pass<"relax-insert-checks", "::mlir::ModuleOp"> {
  let summary = "Makes the shape checks of ops explicit.";
  let description = [{
    Before: graph or mixed phase. After: each computing op and call whose shape rules follow from the facts of the function
    carries `relax.assured`. Before every other one stand `relax.assert_shape` ops with what is not proved, unless the
    condition of control flow around it, an assertion or a `relax.match_cast` that dominates it says so already (such a cast
    gets an assertion beside it, so that nothing removes the check). Unknown extents of the operands get fresh symbols by `relax.match_cast` first.
    A rule that never holds is reported as a warning.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def SimplifyMatchCastsPass : Pass<"relax-simplify-match-casts", "::mlir::ModuleOp"> {
  let summary = "Gives equal extents one symbol and removes casts that check nothing.";
  let description = [{
    Before: graph or mixed phase. After: a symbol that `relax.match_cast` or `relax.tensor_to_shape` binds to an extent that is
    known there is that extent everywhere, and a data-dependent op that repeats a dominating one shares its symbol. Where a
    cast dominates another use of its operand, the use reads the cast. A cast whose remaining checks follow from the facts of
    the function is a `relax.refine` or gone, and `relax.tensor_to_shape` of `relax.shape_to_tensor` is a cast of the shape.
    Types are inferred again as symbols disappear. A symbol stays where a fact about it is checked, or where an op would be
    refused that traps whenever it is reached; a remark says so.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def HoistChecksPass : Pass<"relax-hoist-checks", "::mlir::ModuleOp"> {
  let summary = "Moves shape assertions to the earliest place and removes those that follow.";
  let description = [{
    Before: graph or mixed phase. After: each `relax.assert_shape` stands where its symbols are bound, or below the last op that
    could report another error or have an effect before it: which error is reported first does not change (running out of
    memory aside). It leaves dataflow blocks, loops that run at least once, and both branches of an `scf.if` that start with
    it. An assertion that follows from the facts of the function or from earlier ones is removed.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def SpecializeSymbolsPass : Pass<"relax-specialize-symbols", "::mlir::ModuleOp"> {
  let summary = "Fixes the values of symbols of public functions.";
  let description = [{
    Before: graph or mixed phase. After: in public functions whose arguments show one of the symbols it is that number, and so is
    every symbol that the facts then determine. The types say so, hence the function refuses other extents at entry. Calls of
    the function are checked against the number. With `variant` the function stays as it is and a copy named after the
    values, `main_n128`, stands beside it. Facts that exclude the value are an error, and so is a symbol that no function has.
  }];
  let options = [
    ListOption<"symbols", "symbols", "std::string", "Symbols and their values: n=128,m=4.">,
    Option<"function", "function", "std::string", /*default=*/"\"\"", "Only this function.">,
    Option<"variant", "variant", "bool", /*default=*/"false", "Specialize a copy of the function.">
  ];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def DecomposeOpsPass : Pass<"relax-decompose-ops", "::mlir::ModuleOp"> {
  let summary = "Writes composite ops in terms of simpler ones.";
  let description = [{
    Before: graph phase. After: no op whose description names `relax-decompose-ops` or gives a formula over simpler ops
    (softmax, normalizations, activations, top-k, einsum) is left. Their shape rules are asserted first, as in `relax-insert-checks`;
    unknown extents of their operands get names. A result keeps its type.

    Example: `relax.topk` becomes the front of a `relax.argsort` and a `relax.take_along_axis`.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def InlineDataflowPass : Pass<"relax-inline-dataflow", "::mlir::ModuleOp"> {
  let summary = "Replaces dataflow blocks by their contents.";
  let description = [{ Before: graph or mixed phase. After: there is no `relax.dataflow`. }];
}

def InlineCallsPass : Pass<"relax-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Replaces calls of private functions by their bodies.";
  let description = [{
    Before: graph or mixed phase. After: no `relax.call` of a private function with a body of one block is left, except of
    functions that call themselves. Symbols that the callee binds get fresh names; its argument symbols become the caller's
    expressions. What the caller's facts do not prove about the arguments is checked at the place of the call. Unused
    functions stay; `symbol-dce` removes them.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def SpecializeFunctionsPass : Pass<"relax-specialize-functions", "::mlir::ModuleOp"> {
  let summary = "Makes private functions for the sizes of their callers.";
  let description = [{
    Before: graph or mixed phase. After: a `relax.call` of a private function with a body that passes constants for some of its
    symbols calls a copy of the function in which they are constants; calls with the same constants share one. A function
    that calls itself with ever new constants is copied `max-copies` times at most. Functions that nothing calls any more stay;
    `symbol-dce` removes them.
  }];
  let options = [Option<"maxCopies", "max-copies", "unsigned", /*default=*/"8", "Most copies of one function.">];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def StripShapesPass : Pass<"relax-strip-shapes", "::mlir::ModuleOp"> {
  let summary = "Turns symbolic shapes into plain ones with assertions.";
  let description = [{
    Before: functions whose computing ops are upstream ops; of `relax` only shape ops, `relax.call`, constants and weights may be
    left. After: no type has an encoding, there is no shape value and no scope. Entry conditions, facts, casts and assertions
    are `cf.assert` over `tensor.dim`; an argument of type `!relax.shape` is one `index` argument for each entry; `relax.call` is
    `func.call`. Expressions are computed in `index` arithmetic without a check for overflow.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::tensor::TensorDialect", "::mlir::relax::graph::RelaxDialect"
  ];
}

def VerifyGraphPass : Pass<"relax-verify-graph", "::mlir::ModuleOp"> {
  let summary = "Checks that functions are in the graph phase.";
  let description = [{
    Before and after: functions contain graph ops of `relax`, `scf`, arithmetic on scalars, `tensor.dim`, `tensor.extract`, casts
    that forget extents and `func.return`; no type has a static dimension beside a symbolic expression; each `relax.refine` follows from the facts.
  }];
}

#endif // RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_PASSES
