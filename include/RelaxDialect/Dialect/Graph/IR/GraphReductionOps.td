//===- GraphReductionOps.td - Reductions ------------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHREDUCTIONOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHREDUCTIONOPS

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

class Relax_ReductionOp<string mnemonic, list<Type> elementTypes, string meaning, string details>
    : Relax_TotalInferredOp<mnemonic> {
  let summary = meaning # " along axes.";
  let description = details # [{ No axis means every element by itself. With `keepdims` a reduced dimension stays with
    extent 1.

    Example: `%r = relax.}] # mnemonic # [{ %x {axes = array<i64: 1>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>`
  }];
  let arguments = (ins RankedTensorOf<elementTypes>:$operand, DenseI64ArrayAttr:$axes, UnitAttr:$keepdims);
  let results = (outs RankedTensorOf<elementTypes>:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let extraClassDefinition = inferenceDefinition # [{
    ::llvm::FailureOr<::mlir::RankedTensorType> $cppClass::inferType(
        ::mlir::relax::graph::TypeInference &inference, Adaptor adaptor) {
      return ::mlir::relax::graph::inferReduction(inference, adaptor.getOperand(), adaptor.getAxes(), adaptor.getKeepdims());
    }
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor) {
      if (getAxes().empty() && getOperand().getType() == getType())
        return getOperand();
      return {};
    }
  }];
}

def Relax_SumOp : Relax_ReductionOp<"sum", [F16, F32, F64, I8, I16, I32, I64], "Sum",
    "An empty sum is 0. Integers wrap around; f16 is summed in f32.">;
def Relax_ProdOp : Relax_ReductionOp<"prod", [F16, F32, F64, I8, I16, I32, I64], "Product",
    "An empty product is 1. Integers wrap around; f16 is multiplied in f32.">;
def Relax_MaxOp : Relax_ReductionOp<"max", [F16, F32, F64, I8, I16, I32, I64], "Maximum",
    "The maximum of nothing is the lowest value (minus infinity). NaN if an element is NaN.">;
def Relax_MinOp : Relax_ReductionOp<"min", [F16, F32, F64, I8, I16, I32, I64], "Minimum",
    "The minimum of nothing is the highest value (infinity). NaN if an element is NaN.">;
def Relax_MeanOp : Relax_ReductionOp<"mean", [F16, F32, F64], "Mean",
    "The mean of nothing is NaN. f16 is summed in f32.">;

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHREDUCTIONOPS
