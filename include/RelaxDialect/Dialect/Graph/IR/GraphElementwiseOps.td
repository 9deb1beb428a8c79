//===- GraphElementwiseOps.td - Elementwise ops -----------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHELEMENTWISEOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHELEMENTWISEOPS

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

class Relax_UnaryOp<string mnemonic, Type tensor, string meaning, string details = "", string element = "f32">
    : Relax_TotalInferredOp<mnemonic, [Relax_Broadcasting]> {
  let summary = "Elementwise " # meaning # ".";
  let description = details # "\n\n    Example: `%r = relax." # mnemonic # " %x : tensor<?x4x" # element
      # ", #relax_sym.shape<[n, 4]>>`\n";
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
def Relax_LogicalNotOp : Relax_UnaryOp<"logical_not", Relax_BoolTensor, "logical negation", "", "i1">;
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

def Relax_AcosOp : Relax_UnaryOp<"acos", Relax_FloatTensor, "arc cosine", "NaN outside of [-1, 1].">;
def Relax_AcoshOp : Relax_UnaryOp<"acosh", Relax_FloatTensor, "inverse hyperbolic cosine", "NaN below 1.">;
def Relax_AsinOp : Relax_UnaryOp<"asin", Relax_FloatTensor, "arc sine", "NaN outside of [-1, 1].">;
def Relax_AsinhOp : Relax_UnaryOp<"asinh", Relax_FloatTensor, "inverse hyperbolic sine">;
def Relax_AtanOp : Relax_UnaryOp<"atan", Relax_FloatTensor, "arc tangent">;
def Relax_AtanhOp : Relax_UnaryOp<"atanh", Relax_FloatTensor, "inverse hyperbolic tangent",
    "Infinite at -1 and 1, NaN outside of [-1, 1].">;
def Relax_BitwiseNotOp : Relax_UnaryOp<"bitwise_not", Relax_IntTensor, "complement of every bit", "", "i32">;
def Relax_CoshOp : Relax_UnaryOp<"cosh", Relax_FloatTensor, "hyperbolic cosine">;
def Relax_Exp2Op : Relax_UnaryOp<"exp2", Relax_FloatTensor, "power of 2">;
def Relax_Expm1Op : Relax_UnaryOp<"expm1", Relax_FloatTensor, "`exp(x) - 1`", "Keeps its digits near 0.">;
def Relax_Log1pOp : Relax_UnaryOp<"log1p", Relax_FloatTensor, "`log(1 + x)`", "Keeps its digits near 0; NaN below -1.">;
def Relax_Log2Op : Relax_UnaryOp<"log2", Relax_FloatTensor, "logarithm to base 2">;
def Relax_SinhOp : Relax_UnaryOp<"sinh", Relax_FloatTensor, "hyperbolic sine">;
def Relax_TanOp : Relax_UnaryOp<"tan", Relax_FloatTensor, "tangent">;
def Relax_TruncOp : Relax_UnaryOp<"trunc", Relax_FloatTensor, "rounding toward zero">;

class Relax_PredicateOp<string mnemonic, string meaning> : Relax_TotalInferredOp<mnemonic, [Relax_Broadcasting]> {
  let summary = "Elementwise test for " # meaning # ".";
  let description = "\n\n    Example: `%r = relax." # mnemonic
      # " %x : tensor<?xf32, #relax_sym.shape<[n]>> -> tensor<?xi1, #relax_sym.shape<[n]>>`\n";
  let arguments = (ins Relax_FloatTensor:$operand);
  let results = (outs Relax_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<UnaryTypes>(type($operand), type($result))";
  let extraClassDefinition = inferenceDefinition # [{
    ::llvm::FailureOr<::mlir::RankedTensorType> $cppClass::inferType(
        ::mlir::relax::graph::TypeInference &inference, Adaptor adaptor) {
      return inference.makeType(::mlir::relax::sym::getSymbolicDims(adaptor.getOperand().getType()),
                                ::mlir::IntegerType::get(inference.getContext(), 1));
    }
  }];
}
def Relax_IsInfOp : Relax_PredicateOp<"is_inf", "infinity of either sign">;
def Relax_IsNaNOp : Relax_PredicateOp<"is_nan", "NaN">;

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
class Relax_BinaryOpBase<string mnemonic, Type tensor, Type resultTensor, bit same, string meaning, string details,
                         string element, string resultElement>
    : Relax_InferredOp<mnemonic, [Relax_Broadcasting]> {
  let summary = "Elementwise " # meaning # ".";
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs resultTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let description = "Operands are broadcast to each other. " # details # "\n\n    Example: `%r = relax." # mnemonic # " %x, %y : (tensor<?x4x"
      # element # ", #relax_sym.shape<[n, 4]>>, tensor<4x" # element # ">) -> tensor<?x4x" # resultElement
      # ", #relax_sym.shape<[n, 4]>>`\n";
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

class Relax_BinaryOp<string mnemonic, Type tensor, string meaning, string details = "", string element = "f32">
    : Relax_BinaryOpBase<mnemonic, tensor, tensor, 1, meaning, details, element, element>;
class Relax_CompareOp<string mnemonic, string meaning, string details = "">
    : Relax_BinaryOpBase<mnemonic, Relax_ComputedTensor, Relax_BoolTensor, 0, meaning, details, "f32", "i1">;

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
def Relax_LogicalAndOp : Relax_BinaryOp<"logical_and", Relax_BoolTensor, "logical and", "", "i1">;
def Relax_LogicalOrOp : Relax_BinaryOp<"logical_or", Relax_BoolTensor, "logical or", "", "i1">;
def Relax_LogicalXorOp : Relax_BinaryOp<"logical_xor", Relax_BoolTensor, "exclusive or", "", "i1">;
def Relax_BitwiseAndOp : Relax_BinaryOp<"bitwise_and", Relax_IntTensor, "and of every bit", "", "i32">;
def Relax_BitwiseOrOp : Relax_BinaryOp<"bitwise_or", Relax_IntTensor, "or of every bit", "", "i32">;
def Relax_BitwiseXorOp : Relax_BinaryOp<"bitwise_xor", Relax_IntTensor, "exclusive or of every bit", "", "i32">;
def Relax_ShiftLeftOp : Relax_BinaryOp<"shift_left", Relax_IntTensor, "shift to higher bits",
    "By an amount outside of [0, width) every bit leaves: 0.", "i32">;
def Relax_ShiftRightOp : Relax_BinaryOp<"shift_right", Relax_IntTensor, "shift to lower bits",
    "The sign comes in. By an amount outside of [0, width) only signs are left: 0 or -1.", "i32">;

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

class Relax_TernaryOp<string mnemonic, Type tensor, string meaning, string details>
    : Relax_InferredOp<mnemonic, [Relax_Broadcasting]> {
  let summary = "Elementwise " # meaning # ".";
  let description = details # " The three operands are broadcast to each other.\n\n    Example: `%r = relax." # mnemonic
      # " %x, %y, %z : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<f32>, tensor<4xf32>)"
      # " -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`\n";
  let arguments = (ins tensor:$x, tensor:$y, tensor:$z);
  let results = (outs tensor:$result);
  let assemblyFormat = "$x `,` $y `,` $z attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = inferenceDefinition # [{
    ::llvm::FailureOr<::mlir::RankedTensorType> $cppClass::inferType(
        ::mlir::relax::graph::TypeInference &inference, Adaptor adaptor) {
      return ::mlir::relax::graph::inferBroadcast(inference, adaptor.getOperands(), nullptr);
    }
  }];
}

def Relax_ClipOp : Relax_TernaryOp<"clip", Relax_NumberTensor, "restriction to a range",
    "`min(max(x, y), z)`: where the bounds cross, the upper one. NaN if an operand is NaN.">;
def Relax_FmaOp : Relax_TernaryOp<"fma", Relax_FloatTensor, "multiply and add",
    "`x * y + z`, rounded once; f16 is computed in f32.">;

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHELEMENTWISEOPS
