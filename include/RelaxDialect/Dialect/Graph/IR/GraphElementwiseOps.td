//===- GraphElementwiseOps.td - Elementwise ops -----------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHELEMENTWISEOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHELEMENTWISEOPS

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

def Relax_NumberTensor : RankedTensorOf<[F16, F32, F64, I8, I16, I32, I64]>;

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

class Relax_UnaryOp<string mnemonic, Type tensor, string meaning, string details = "">
    : Relax_TotalInferredOp<mnemonic, [Relax_Broadcasting]> {
  let summary = "Elementwise " # meaning # ".";
  let description = details # "\n\n    Example: `%r = relax." # mnemonic # " %x : tensor<?x4x"
      # !if(!eq(mnemonic, "logical_not"), "i1", "f32") # ", #relax_sym.shape<[n, 4]>>`\n";
  let arguments = (ins tensor:$operand);
  let results = (outs tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<UnaryTypes>(type($operand), type($result))";
  let hasFolder = 1;
  let extraClassDefinition = inferenceDefinition # [{
    ::llvm::FailureOr<::mlir::RankedTensorType> $cppClass::inferType(
        ::mlir::relax::graph::TypeInference &inference, Adaptor adaptor) {
      return ::mlir::cast<::mlir::RankedTensorType>(adaptor.getOperand().getType());
    }
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::mlir::relax::graph::foldElementwise(*this, adaptor.getOperands());
    }
  }];
}

def Relax_AbsOp : Relax_UnaryOp<"abs", Relax_NumberTensor, "absolute value", "The lowest integer stays as it is.">;
def Relax_CeilOp : Relax_UnaryOp<"ceil", Relax_FloatTensor, "rounding up">;
def Relax_CosOp : Relax_UnaryOp<"cos", Relax_FloatTensor, "cosine">;
def Relax_ErfOp : Relax_UnaryOp<"erf", Relax_FloatTensor, "error function">;
def Relax_ExpOp : Relax_UnaryOp<"exp", Relax_FloatTensor, "exponential">;
def Relax_FloorOp : Relax_UnaryOp<"floor", Relax_FloatTensor, "rounding down">;
def Relax_LogOp : Relax_UnaryOp<"log", Relax_FloatTensor, "natural logarithm">;
def Relax_LogicalNotOp : Relax_UnaryOp<"logical_not", Relax_BoolTensor, "logical negation">;
def Relax_NegateOp : Relax_UnaryOp<"negate", Relax_NumberTensor, "negation", "Integers wrap around.">;
def Relax_ReciprocalOp : Relax_UnaryOp<"reciprocal", Relax_FloatTensor, "`1 / x`">;
def Relax_ReluOp : Relax_UnaryOp<"relu", Relax_NumberTensor, "`max(x, 0)`", "NaN stays NaN.">;
def Relax_RoundOp : Relax_UnaryOp<"round", Relax_FloatTensor, "rounding to the nearest integer", "Halves go to the even neighbour.">;
def Relax_RsqrtOp : Relax_UnaryOp<"rsqrt", Relax_FloatTensor, "`1 / sqrt(x)`">;
def Relax_SigmoidOp : Relax_UnaryOp<"sigmoid", Relax_FloatTensor, "`1 / (1 + exp(-x))`">;
def Relax_SignOp : Relax_UnaryOp<"sign", Relax_NumberTensor, "sign", "-1, 0 or 1; NaN stays NaN.">;
def Relax_SinOp : Relax_UnaryOp<"sin", Relax_FloatTensor, "sine">;
def Relax_SqrtOp : Relax_UnaryOp<"sqrt", Relax_FloatTensor, "square root", "NaN for negative numbers.">;
def Relax_TanhOp : Relax_UnaryOp<"tanh", Relax_FloatTensor, "hyperbolic tangent">;

def Relax_AsTypeOp : Relax_TotalInferredOp<"astype", [Relax_Broadcasting]> {
  let summary = "Elementwise conversion to another element type.";
  let description = [{
    Number to bool is `x != 0`, bool to number 0 or 1. Float to integer cuts the fraction off; what does not fit becomes the
    nearest representable integer, NaN becomes 0. Integer to integer keeps the low bits.

    Example: `%r = relax.astype %x {dtype = f32} : (tensor<?xi32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, TypeAttr:$dtype);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

// `same` is true where the result has the operands' element type, false where it is i1.
class Relax_BinaryOpBase<string mnemonic, Type tensor, Type resultTensor, bit same, string meaning, string details>
    : Relax_InferredOp<mnemonic, [Relax_Broadcasting]> {
  let summary = "Elementwise " # meaning # ".";
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs resultTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let description = "Operands are broadcast to each other. " # details # "\n\n    Example: `%r = relax." # mnemonic # " %x, %y : (tensor<?x4x"
      # !if(!eq(!substr(mnemonic, 0, 7), "logical"), "i1", "f32") # ", #relax_sym.shape<[n, 4]>>, tensor<4x"
      # !if(!eq(!substr(mnemonic, 0, 7), "logical"), "i1", "f32") # ">) -> tensor<?x4x"
      # !if(!and(same, !ne(!substr(mnemonic, 0, 7), "logical")), "f32", "i1") # ", #relax_sym.shape<[n, 4]>>`\n";
  let hasFolder = 1;
  let extraClassDefinition = inferenceDefinition # [{
    ::llvm::FailureOr<::mlir::RankedTensorType> $cppClass::inferType(
        ::mlir::relax::graph::TypeInference &inference, Adaptor adaptor) {
      return ::mlir::relax::graph::inferBroadcast(inference, adaptor.getOperands(), }] # !if(same, "nullptr", "::mlir::IntegerType::get(inference.getContext(), 1)") # [{);
    }
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::mlir::relax::graph::foldElementwise(*this, adaptor.getOperands());
    }
  }];
}

class Relax_BinaryOp<string mnemonic, Type tensor, string meaning, string details = "">
    : Relax_BinaryOpBase<mnemonic, tensor, tensor, 1, meaning, details>;
class Relax_CompareOp<string mnemonic, string meaning, string details = "">
    : Relax_BinaryOpBase<mnemonic, Relax_Tensor, Relax_BoolTensor, 0, meaning, details>;

// Integer division by zero traps, whatever the extents are.
class Relax_DivisionOp<string mnemonic, string meaning, string details>
    : Relax_BinaryOp<mnemonic, Relax_NumberTensor, meaning, details> {
  let extraClassDeclaration = inferenceDeclaration # [{
    bool mayTrapOnValues() { return getType().getElementType().isInteger(); }
  }];
}

def Relax_AddOp : Relax_BinaryOp<"add", Relax_NumberTensor, "sum", "Integers wrap around.">;
def Relax_SubtractOp : Relax_BinaryOp<"subtract", Relax_NumberTensor, "difference", "Integers wrap around.">;
def Relax_MultiplyOp : Relax_BinaryOp<"multiply", Relax_NumberTensor, "product", "Integers wrap around.">;
def Relax_DivideOp : Relax_DivisionOp<"divide", "quotient",
    "Integers round toward zero; division by zero is a run-time error.">;
def Relax_ModOp : Relax_DivisionOp<"mod", "remainder",
    "The result has the sign of the divisor; integer division by zero is a run-time error.">;
def Relax_PowerOp : Relax_DivisionOp<"power", "power",
    "Integers wrap around; a negative integer exponent is a run-time error.">;
def Relax_MaximumOp : Relax_BinaryOp<"maximum", Relax_NumberTensor, "maximum", "NaN if an operand is NaN.">;
def Relax_MinimumOp : Relax_BinaryOp<"minimum", Relax_NumberTensor, "minimum", "NaN if an operand is NaN.">;
def Relax_LogicalAndOp : Relax_BinaryOp<"logical_and", Relax_BoolTensor, "logical and">;
def Relax_LogicalOrOp : Relax_BinaryOp<"logical_or", Relax_BoolTensor, "logical or">;

def Relax_EqualOp : Relax_CompareOp<"equal", "`x == y`">;
def Relax_NotEqualOp : Relax_CompareOp<"not_equal", "`x != y`">;
def Relax_LessOp : Relax_CompareOp<"less", "`x < y`">;
def Relax_LessEqualOp : Relax_CompareOp<"less_equal", "`x <= y`">;
def Relax_GreaterOp : Relax_CompareOp<"greater", "`x > y`">;
def Relax_GreaterEqualOp : Relax_CompareOp<"greater_equal", "`x >= y`">;

def Relax_WhereOp : Relax_InferredOp<"where", [Relax_Broadcasting]> {
  let summary = "Elementwise choice.";
  let description = [{
    `x` where `condition` is true, `y` elsewhere. The three operands are broadcast to each other.

    Example: `%r = relax.where %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>`
  }];
  let arguments = (ins Relax_BoolTensor:$condition, Relax_Tensor:$x, Relax_Tensor:$y);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$condition `,` $x `,` $y attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHELEMENTWISEOPS
