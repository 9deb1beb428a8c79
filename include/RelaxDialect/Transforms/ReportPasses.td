//===- ReportPasses.td - Passes that tell and change nothing -*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TRANSFORMS_REPORTPASSES
#define RELAXDIALECT_TRANSFORMS_REPORTPASSES

include "mlir/Pass/PassBase.td"

def DrawMemoryPass : Pass<"relax-draw-memory", "::mlir::ModuleOp"> {
  let summary = "Writes a page with a picture of the memory plan.";
  let description = [{
    After `relax-plan-memory`. Writes one HTML file that needs no other one: the arena and the results of each function, time
    by address, the bytes planned and the lower bound, at sizes of the symbols that the reader of the page chooses. The
    page evaluates `relax.memory_report`, nothing else. The module stays as it is.
  }];
  let options = [Option<"output", "output", "std::string", /*default=*/"\"-\"", "The page; '-' is standard output.">];
}

def PrintAliasesPass : Pass<"relax-print-aliases", "::mlir::func::FuncOp"> {
  let summary = "Prints which tensors may be the same memory.";
  let description = [{
    For every tensor of a function that is another one's memory or may be: the tensors that it may be the memory of, which
    are destinations, arguments and others that are made by themselves. To the standard error, in program order. It is what
    relax-make-destinations, relax-plan-memory and relax-grow-in-place go by.
  }];
}

#endif // RELAXDIALECT_TRANSFORMS_REPORTPASSES
