//===- GraphCompositeBase.td - Ops made of simpler ones ---*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCOMPOSITEBASE
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCOMPOSITEBASE

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

// `relax-decompose-ops` replaces the op by simpler ones; it has no program of its own.
def Relax_Composite : NativeOpTrait<"Composite"> {
  let cppNamespace = "::mlir::relax::graph";
}

class Relax_CompositeOp<string mnemonic, list<Trait> traits = []>
    : Relax_InferredOp<mnemonic, !listconcat([Relax_Composite], traits)>;
class Relax_TotalCompositeOp<string mnemonic, list<Trait> traits = []>
    : Relax_TotalInferredOp<mnemonic, !listconcat([Relax_Composite], traits)>;

class Relax_DoubleAttr<string value> : DefaultValuedAttr<F64Attr, value>;

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCOMPOSITEBASE
