//===- GraphDataflowOps.td - Dataflow blocks and fusion groups --*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDATAFLOWOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDATAFLOWOPS

include "RelaxDialect/Dialect/Graph/IR/GraphBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

// A region that runs once and gives the operands of its terminator as results.
class Relax_RegionOp<string mnemonic> : Relax_Op<mnemonic, [
    RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock, NoRegionArguments,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getRegionInvocationBounds"]>]> {
  let results = (outs Variadic<AnyTypeOf<[Relax_Tensor, Relax_Shape, Index]>>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`->` `(` type($results)^ `)`)? attr-dict-with-keyword $body";
}

class Relax_RegionTerminatorOp<string mnemonic, string parent> : Relax_Op<mnemonic, [
    Pure, ReturnLike, Terminator, HasParent<parent>]> {
  let arguments = (ins Variadic<AnyTypeOf<[Relax_Tensor, Relax_Shape, Index]>>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ }]>];
}

def Relax_DataflowOp : Relax_RegionOp<"dataflow"> {
  let summary = "A block of pure ops.";
  let description = [{
    A promise that nothing inside writes memory; not a fence. Symbols bound inside do not leave it.

    Example:
    ```mlir
    %r = relax.dataflow -> (tensor<4xf32>) {
      %0 = relax.constant dense<0.0> : tensor<4xf32>
      relax.output %0 : tensor<4xf32>
    }
    ```
  }];
  let hasRegionVerifier = 1;
}

def Relax_OutputOp : Relax_RegionTerminatorOp<"output", "DataflowOp"> {
  let summary = "Results of relax.dataflow.";
  let description = [{ Example: `relax.output %0 : tensor<4xf32>` }];
}

def Relax_FusionGroupOp : Relax_RegionOp<"fusion_group"> {
  let summary = "Ops that become one tensor program.";
  let description = [{
    Made by `relax-fuse-ops`. Sees values from above. Symbols bound inside do not leave it.

    Example:
    ```mlir
    %r = relax.fusion_group -> (tensor<4xf32>) {
      %0 = relax.call_tp @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
      relax.yield %0 : tensor<4xf32>
    }
    ```
  }];
}

def Relax_YieldOp : Relax_RegionTerminatorOp<"yield", "FusionGroupOp"> {
  let summary = "Results of relax.fusion_group.";
  let description = [{ Example: `relax.yield %0 : tensor<4xf32>` }];
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDATAFLOWOPS
