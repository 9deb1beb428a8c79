//===- GraphShapeOps.td - Shape values and shape checks ----*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHSHAPEOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHSHAPEOPS

include "RelaxDialect/Dialect/Graph/IR/GraphBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/ValueBoundsOpInterface.td"

// A tensor, or a shape value in its place.
def Relax_TensorOrShape : AnyTypeOf<[Relax_Tensor, Relax_Shape]>;

def Relax_ShapeOfOp : Relax_Op<"shape_of", [Pure, Relax_InferTypes]> {
  let summary = "The shape of a tensor.";
  let description = [{
    Example: `%s = relax.shape_of %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>> -> !relax.shape<[n, 4]>`
  }];
  let arguments = (ins Relax_Tensor:$source);
  let results = (outs Relax_Shape:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasCanonicalizeMethod = 1;
}

def Relax_MakeShapeOp : Relax_Op<"make_shape", [NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "A shape computed from the symbols of other shapes.";
  let description = [{
    The result type holds the expressions; they use symbols of the operand types. Traps when an entry is negative.

    Example: `%s = relax.make_shape %a : (!relax.shape<[n, 4]>) -> !relax.shape<[n * 4]>`
  }];
  let arguments = (ins Variadic<Relax_Shape>:$shapes);
  let results = (outs Relax_Shape:$result);
  let assemblyFormat = "($shapes^)? attr-dict `:` functional-type($shapes, $result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Relax_ShapeToTensorOp : Relax_Op<"shape_to_tensor", [Pure]> {
  let summary = "The entries of a shape as a tensor.";
  let description = [{
    Example: `%t = relax.shape_to_tensor %s : !relax.shape<[n, 4]> -> tensor<2xi64>`
  }];
  let arguments = (ins Relax_Shape:$shape);
  let results = (outs 1DTensorOf<[I64]>:$result);
  let assemblyFormat = "$shape attr-dict `:` type($shape) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Relax_TensorToShapeOp : Relax_Op<"tensor_to_shape", [NoMemoryEffect, DeclareOpInterfaceMethods<RelaxSym_SymbolBinderOpInterface>]> {
  let summary = "A shape read from a tensor.";
  let description = [{
    Gives each listed symbol, which is an entry by itself, its value; the other known entries are checked. Traps on a
    negative value and on a failed check.

    Example: `%s = relax.tensor_to_shape %t binds [m] : tensor<2xi64> -> !relax.shape<[m, 4]>`
  }];
  let arguments = (ins 1DTensorOf<[I64]>:$source, DefaultValuedAttr<StrArrayAttr, "{}">:$binds);
  let results = (outs Relax_Shape:$result);
  let assemblyFormat = "$source `` custom<BoundSymbols>($binds) attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Relax_MatchCastOp : Relax_Op<"match_cast", [NoMemoryEffect, DeclareOpInterfaceMethods<RelaxSym_SymbolBinderOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<ValueBoundsOpInterface, ["populateBoundsForShapedValueDim"]>]> {
  let summary = "States more precise extents, checked at run time.";
  let description = [{
    Each symbol listed in `binds` is an extent of the result type by itself and gets the run-time extent as its value. Every
    other known extent of the result type is checked, and may use any symbol bound before. Traps when a check fails.

    Example: `%y = relax.match_cast %x binds [m] : tensor<?x4xf32> to tensor<?x4xf32, #relax_sym.shape<[m, 4]>>`
  }];
  let arguments = (ins Relax_TensorOrShape:$source, DefaultValuedAttr<StrArrayAttr, "{}">:$binds);
  let results = (outs Relax_TensorOrShape:$result);
  let assemblyFormat = "$source `` custom<BoundSymbols>($binds) attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Relax_RefineOp : Relax_Op<"refine", [NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<ValueBoundsOpInterface, ["populateBoundsForShapedValueDim"]>]> {
  let summary = "Joins types that are proved equal.";
  let description = [{
    The facts of the function prove that the extents are equal; there is no code. Unlike `relax.match_cast` an unknown extent
    stays unknown. The verifier refuses what is false for every valuation, `relax-verify-graph` what the facts do not prove.

    Example: `%y = relax.refine %x : tensor<?xf32, #relax_sym.shape<[n + m]>> to tensor<?xf32, #relax_sym.shape<[k]>>`
  }];
  let arguments = (ins Relax_TensorOrShape:$source);
  let results = (outs Relax_TensorOrShape:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Relax_EraseShapeOp : Relax_Op<"erase_shape", [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<ValueBoundsOpInterface, ["populateBoundsForShapedValueDim"]>]> {
  let summary = "Forgets extents.";
  let description = [{
    Each extent of the result type is the operand's or unknown.

    Example: `%y = relax.erase_shape %x : tensor<?x4xf32, #relax_sym.shape<[n, 4]>> to tensor<?x?xf32>`
  }];
  let arguments = (ins Relax_TensorOrShape:$source);
  let results = (outs Relax_TensorOrShape:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Relax_EvalExprOp : Relax_Op<"eval_expr", [NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "The value of an expression.";
  let description = [{
    The expression uses symbols of the operand's type. Traps when the value leaves 64 bits.

    Example: `%n = relax.eval_expr %s, n * 32 : !relax.shape<[n, 4]> -> index`
  }];
  let arguments = (ins Relax_Shape:$shape, RelaxSym_ExprAttr:$expr);
  let results = (outs Index:$result);
  let assemblyFormat = "$shape `,` custom<Expression>($expr) attr-dict `:` type($shape) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Relax_AssertShapeOp : Relax_Op<"assert_shape", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Traps unless a fact holds.";
  let description = [{
    The fact uses symbols of the operand's type. The message is what the user reads when it does not hold, with the values of
    the symbols.

    Example: `relax.assert_shape %s, "n mod 2 == 0", "halves of an odd extent" : !relax.shape<[n]>`
  }];
  let arguments = (ins Relax_Shape:$shape, StrAttr:$fact, StrAttr:$message);
  let assemblyFormat = "$shape `,` $fact `,` $message attr-dict `:` type($shape)";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    /// The fact, parsed; verified ops always have one.
    ::mlir::FailureOr<::mlir::relax::sym::Fact> getParsedFact();
  }];
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHSHAPEOPS
