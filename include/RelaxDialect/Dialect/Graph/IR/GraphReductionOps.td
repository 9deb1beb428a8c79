//===- GraphReductionOps.td - Reductions ------------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHREDUCTIONOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHREDUCTIONOPS

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

class Relax_ReductionOp<string mnemonic, Type tensor, string meaning, string details,
                        string element = "f32">
    : Relax_TotalInferredOp<mnemonic> {
  let summary = meaning # " along axes.";
  let description = details # [{ No axis means every element by itself. With `keepdims` a reduced dimension stays with
    extent 1.

    Example: `%r = relax.}] # mnemonic # [{ %x {axes = array<i64: 1>} : (tensor<?x4x}] # element # [{, #relax_sym.shape<[n, 4]>>) -> tensor<?x}] # element # [{, #relax_sym.shape<[n]>>`
  }];
  let arguments = (ins tensor:$operand, DenseI64ArrayAttr:$axes, UnitAttr:$keepdims);
  let results = (outs tensor:$result);
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

def Relax_SumOp : Relax_ReductionOp<"sum", Relax_NumberTensor, "Sum",
    "An empty sum is 0. Integers wrap around; f16 is summed in f32.">;
def Relax_ProdOp : Relax_ReductionOp<"prod", Relax_NumberTensor, "Product",
    "An empty product is 1. Integers wrap around; f16 is multiplied in f32.">;
def Relax_MaxOp : Relax_ReductionOp<"max", Relax_NumberTensor, "Maximum",
    "The maximum of nothing is the lowest value (minus infinity). NaN if an element is NaN.">;
def Relax_MinOp : Relax_ReductionOp<"min", Relax_NumberTensor, "Minimum",
    "The minimum of nothing is the highest value (infinity). NaN if an element is NaN.">;
def Relax_MeanOp : Relax_ReductionOp<"mean", Relax_FloatTensor, "Mean",
    "The mean of nothing is NaN. f16 is summed in f32.">;

def Relax_AnyOp : Relax_ReductionOp<"any", Relax_BoolTensor, "Whether any element is true", "Of nothing: false.", "i1">;
def Relax_AllOp : Relax_ReductionOp<"all", Relax_BoolTensor, "Whether every element is true", "Of nothing: true.", "i1">;

class Relax_ArgReductionOp<string mnemonic, string meaning> : Relax_InferredOp<mnemonic> {
  let summary = "Position of the " # meaning # " along an axis.";
  let description = [{
    The first of equal elements, with `select_last_index` the last. NaN counts as the }] # meaning # [{. The extent must be 1 or more.
    With `keepdims` the dimension stays with extent 1.

    Example: `%r = relax.}] # mnemonic # [{ %x {axis = 1 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?xi64, #relax_sym.shape<[n]>>`
  }];
  let arguments = (ins Relax_NumberTensor:$operand, I64Attr:$axis, UnitAttr:$keepdims, UnitAttr:$select_last_index);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = inferenceDefinition # [{
    ::llvm::FailureOr<::mlir::RankedTensorType> $cppClass::inferType(
        ::mlir::relax::graph::TypeInference &inference, Adaptor adaptor) {
      return ::mlir::relax::graph::inferArgReduction(inference, adaptor.getOperand(), adaptor.getAxis(), adaptor.getKeepdims());
    }
  }];
}

def Relax_ArgmaxOp : Relax_ArgReductionOp<"argmax", "maximum">;
def Relax_ArgminOp : Relax_ArgReductionOp<"argmin", "minimum">;

class Relax_ScanOp<string mnemonic, string meaning, string details> : Relax_TotalInferredOp<mnemonic> {
  let summary = meaning # " of the elements so far, along an axis.";
  let description = details # [{ With `exclusive` the element itself does not count, with `reverse` it goes from the last to the
    first.

    Example: `%r = relax.}] # mnemonic # [{ %x {axis = 1 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_NumberTensor:$operand, I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Relax_NumberTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = inferenceDefinition # [{
    ::llvm::FailureOr<::mlir::RankedTensorType> $cppClass::inferType(
        ::mlir::relax::graph::TypeInference &inference, Adaptor adaptor) {
      auto type = ::mlir::cast<::mlir::RankedTensorType>(adaptor.getOperand().getType());
      if (::mlir::failed(inference.requireAxis("axis", adaptor.getAxis(), type.getRank())))
        return ::mlir::failure();
      return type;
    }
  }];
}

def Relax_CumsumOp : Relax_ScanOp<"cumsum", "Sum", "Integers wrap around; f16 is summed in f32, f32 in f64.">;
def Relax_CumprodOp : Relax_ScanOp<"cumprod", "Product", "Integers wrap around; f16 is multiplied in f32.">;

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHREDUCTIONOPS
