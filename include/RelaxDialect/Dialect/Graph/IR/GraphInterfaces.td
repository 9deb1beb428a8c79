//===- GraphInterfaces.td - Interfaces of relax ------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHINTERFACES
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHINTERFACES

include "RelaxDialect/Dialect/Sym/IR/SymInterfaces.td"

def Relax_ShapeRuleOpInterface : OpInterface<"ShapeRuleOpInterface"> {
  let cppNamespace = "::mlir::relax::graph";
  let description = [{
    A computing op. Its rules are what must hold between the extents of its operands so that the op has a meaning: equal inner
    extents of a matmul, broadcastable extents of an add. An op whose rules do not hold at run time traps.
  }];
  let methods = [
    InterfaceMethod<[{
        What must hold, over the symbols of the operand types; nothing for what holds for every valuation. A rule about
        an unknown extent (`?`) cannot be stated and is left out: `relax-insert-checks` names such extents first.
      }],
      "::llvm::SmallVector<::mlir::relax::graph::ShapeRule>", "getShapeRules", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<"True when some operand values make the op trap even if its shape rules hold (integer division by zero).",
      "bool", "mayTrapOnValues", (ins), [{}], [{ return false; }]>
  ];
}

def Relax_ProgramCallOpInterface : OpInterface<"ProgramCallOpInterface"> {
  let cppNamespace = "::mlir::relax::graph";
  let description = [{
    A call of a tensor program or library function: `relax.call_tp`, `relax.call_tp_inplace`, `relax.call_dps`. Operands are
    the callee's inputs, then at most one `!relax.shape` whose entries are the callee's scalars, then either no destination or
    one for each result.
  }];
  let methods = [
    InterfaceMethod<"The callee, a sym::TensorProgramInterface.", "::mlir::FlatSymbolRefAttr", "getCalleeAttr">,
    InterfaceMethod<"Changes the callee.", "void", "setCalleeAttr", (ins "::mlir::FlatSymbolRefAttr":$callee)>,
    InterfaceMethod<"Values of the callee's inputs.", "::mlir::OperandRange", "getProgramInputs">,
    InterfaceMethod<"Values of the callee's inputs, mutable.", "::mlir::MutableOperandRange", "getProgramInputsMutable">,
    InterfaceMethod<"Values of the callee's scalars, null when it has none.", "::mlir::Value", "getShapeOperand">,
    InterfaceMethod<"Values of the callee's scalars, mutable.", "::mlir::MutableOperandRange", "getShapeOperandMutable">,
    InterfaceMethod<"Destinations, empty before relax-make-destinations and for in-place calls.",
      "::mlir::OperandRange", "getDestinations">,
    InterfaceMethod<"Operand that result `index` is written to: a destination or an input; null before destinations exist.",
      "::mlir::OpOperand *", "getTiedOperand", (ins "unsigned":$index)>
  ];
}

def Relax_InferredShapeOpInterface : OpInterface<"InferredShapeOpInterface"> {
  let cppNamespace = "::mlir::relax::graph";
  let description = [{
    A computing op with one result whose extents follow from operand types and attributes. Programs are made from these
    extents, not from the written type, which may say less (`?`) or claim more (a shape rule).
  }];
  let methods = [
    InterfaceMethod<[{
        Extents of the result whenever the shape rules hold. More precise than the inferred type where an extent depends on
        a run-time comparison (broadcasting `n` with `m`); null only where an operand's extent is unknown.
      }],
      "::llvm::SmallVector<::mlir::relax::sym::SymExpr>", "getExactDims">
  ];
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHINTERFACES
