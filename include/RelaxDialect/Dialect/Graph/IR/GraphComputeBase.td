//===- GraphComputeBase.td - Base class of computing ops --*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCOMPUTEBASE
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCOMPUTEBASE

include "RelaxDialect/Dialect/Graph/IR/GraphBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

// Elementwise with numpy broadcasting: each element of the result is computed from one element of each operand.
def Relax_Broadcasting : NativeOpTrait<"Broadcasting"> {
  let cppNamespace = "::mlir::relax::graph";
}

// Code shared by ops with one tensor result whose type follows from operands and attributes by one function,
//   static FailureOr<RankedTensorType> inferType(TypeInference &inference, Adaptor adaptor);
// which gives the type, the shape rules and the diagnostics (GraphTypeInference.h). Verifier, builders without a result
// type and the interfaces come from it.
class Relax_InferenceCode<bit hasRules, bit mayClaim = hasRules> {
  code declaration = [{
    /// Gives the result type and states the shape rules.
    static ::llvm::FailureOr<::mlir::RankedTensorType>
    inferType(::mlir::relax::graph::TypeInference &inference, Adaptor adaptor);
    /// The verifier compares types, with a better message.
    static bool isCompatibleReturnTypes(::mlir::TypeRange, ::mlir::TypeRange) { return true; }
  }];
  code definition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location, Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      ::mlir::relax::graph::TypeInference inference(context, location, getOperationName());
      ::llvm::FailureOr<::mlir::RankedTensorType> type = inferType(inference, adaptor);
      if (::mlir::failed(type))
        return ::mlir::failure();
      types.push_back(*type);
      return ::mlir::success();
    }
    ::llvm::LogicalResult $cppClass::verify() {
      ::mlir::relax::graph::TypeInference inference(getContext(), getLoc(), getOperationName());
      ::llvm::FailureOr<::mlir::RankedTensorType> type = inferType(inference, Adaptor(*this));
      return ::mlir::failed(type) ? ::mlir::failure()
                                  : inference.verifyResult(*type, getType(), /*mayClaim=*/}] # !if(mayClaim, "true", "false") # [{);
    }
    ::llvm::SmallVector<::mlir::relax::sym::SymExpr> $cppClass::getExactDims() {
      ::mlir::relax::graph::TypeInference inference(getOperation());
      ::llvm::FailureOr<::mlir::RankedTensorType> type = inferType(inference, Adaptor(*this));
      return ::mlir::failed(type) ? ::mlir::relax::sym::getSymbolicDims(getType()) : inference.getExactDims(*type);
    }
  }] # !if(hasRules, [{
    ::llvm::SmallVector<::mlir::relax::graph::ShapeRule> $cppClass::getShapeRules() {
      ::mlir::relax::graph::TypeInference inference(getOperation());
      ::llvm::FailureOr<::mlir::RankedTensorType> type = inferType(inference, Adaptor(*this));
      return ::mlir::failed(type) ? ::llvm::SmallVector<::mlir::relax::graph::ShapeRule>()
                                  : inference.takeRules(*type, getType());
    }
  }], "");
}
def Relax_RuleCode : Relax_InferenceCode<1>;
def Relax_TotalCode : Relax_InferenceCode<0>;
// A symbol has no value before the op that binds it, so that no claim about it can be checked there.
def Relax_BinderRuleCode : Relax_InferenceCode<1, 0>;

// Extents as values, of ops whose operands know them.
class Relax_ReifyCode {
  code definition = [{
    ::llvm::LogicalResult $cppClass::reifyResultShapes(::mlir::OpBuilder &builder,
                                                       ::mlir::ReifiedRankedShapedTypeDims &dims) {
      return ::mlir::relax::graph::reifyExtents(builder, getOperation(), getExactDims(), dims);
    }
  }];
}
def Relax_Reify : Relax_ReifyCode;

// SymbolBinderOpInterface of an op with the attribute `binds`.
class Relax_BinderMethods {
  code definition = [{
    ::llvm::SmallVector<::llvm::StringRef> $cppClass::getBoundSymbols() {
      return ::llvm::to_vector(getBinds().getAsValueRange<::mlir::StringAttr>());
    }
    void $cppClass::renameBoundSymbols(::llvm::function_ref<::std::string(::llvm::StringRef)> rename) {
      setBindsAttr(::mlir::relax::graph::renameBinds(getBinds(), rename));
    }
  }];
}
def Relax_Binder : Relax_BinderMethods;

// An op with shape rules. A written result type may be less precise (`?`); where it claims more, the claim is a rule.
class Relax_InferredOp<string mnemonic, list<Trait> traits = []>
    : Relax_ComputeOp<mnemonic, !listconcat([InferTypeOpAdaptor, DeclareOpInterfaceMethods<Relax_InferredShapeOpInterface>,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>],
                                            traits)> {
  let hasVerifier = 1;
  code inferenceDeclaration = Relax_RuleCode.declaration;
  code inferenceDefinition = !strconcat(Relax_RuleCode.definition, Relax_Reify.definition);
  let extraClassDeclaration = inferenceDeclaration;
  let extraClassDefinition = inferenceDefinition;
}

// An op that never traps. A written result type is less precise or equal for every valuation.
class Relax_TotalInferredOp<string mnemonic, list<Trait> traits = []>
    : Relax_TotalOp<mnemonic, !listconcat([InferTypeOpAdaptor, DeclareOpInterfaceMethods<Relax_InferredShapeOpInterface>,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>],
                                          traits)> {
  let hasVerifier = 1;
  code inferenceDeclaration = Relax_TotalCode.declaration;
  code inferenceDefinition = !strconcat(Relax_TotalCode.definition, Relax_Reify.definition);
  let extraClassDeclaration = inferenceDeclaration;
  let extraClassDefinition = inferenceDefinition;
}

// An op that finds extents while it runs and gives them names. A written result type is less precise or equal.
class Relax_BinderOp<string mnemonic, list<Trait> traits = []>
    : Relax_ComputeOp<mnemonic, !listconcat([InferTypeOpAdaptor, DeclareOpInterfaceMethods<Relax_InferredShapeOpInterface>,
          DeclareOpInterfaceMethods<RelaxSym_SymbolBinderOpInterface, ["getDerivedFacts"]>], traits)> {
  let hasVerifier = 1;
  code inferenceDeclaration = Relax_BinderRuleCode.declaration;
  code inferenceDefinition = !strconcat(Relax_BinderRuleCode.definition, Relax_Binder.definition);
  let extraClassDeclaration = inferenceDeclaration;
  let extraClassDefinition = inferenceDefinition;
}

// Several results, whose types one function gives:
//   static LogicalResult inferTypes(TypeInference &inference, Adaptor adaptor, SmallVectorImpl<RankedTensorType> &types);
class Relax_MultiCode<bit mayClaim> {
  code declaration = [{
    /// Gives the result types and states the shape rules.
    static ::llvm::LogicalResult inferTypes(::mlir::relax::graph::TypeInference &inference, Adaptor adaptor,
                                            ::llvm::SmallVectorImpl<::mlir::RankedTensorType> &types);
    /// The verifier compares types, with a better message.
    static bool isCompatibleReturnTypes(::mlir::TypeRange, ::mlir::TypeRange) { return true; }
  }];
  code definition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location, Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      ::mlir::relax::graph::TypeInference inference(context, location, getOperationName());
      ::llvm::SmallVector<::mlir::RankedTensorType> inferred;
      if (::mlir::failed(inferTypes(inference, adaptor, inferred)))
        return ::mlir::failure();
      types.append(inferred.begin(), inferred.end());
      return ::mlir::success();
    }
    ::llvm::LogicalResult $cppClass::verify() {
      ::mlir::relax::graph::TypeInference inference(getContext(), getLoc(), getOperationName());
      ::llvm::SmallVector<::mlir::RankedTensorType> inferred;
      if (::mlir::failed(inferTypes(inference, Adaptor(*this), inferred)))
        return ::mlir::failure();
      return inference.verifyResults(inferred, getOperation()->getResultTypes(), /*mayClaim=*/}] # !if(mayClaim, "true", "false") # [{);
    }
    ::llvm::SmallVector<::mlir::relax::graph::ShapeRule> $cppClass::getShapeRules() {
      ::mlir::relax::graph::TypeInference inference(getOperation());
      ::llvm::SmallVector<::mlir::RankedTensorType> inferred;
      ::llvm::SmallVector<::mlir::relax::graph::ShapeRule> rules;
      if (::mlir::succeeded(inferTypes(inference, Adaptor(*this), inferred)))
        for (auto [type, written] : ::llvm::zip(inferred, getOperation()->getResultTypes()))
          rules.append(inference.takeRules(type, written));
      return rules;
    }
  }];
}
def Relax_MultiRuleCode : Relax_MultiCode<1>;
def Relax_MultiBinderCode : Relax_MultiCode<0>;

class Relax_MultiOp<string mnemonic, list<Trait> traits = []>
    : Relax_ComputeOp<mnemonic, !listconcat([InferTypeOpAdaptor], traits)> {
  let hasVerifier = 1;
  code inferenceDeclaration = Relax_MultiRuleCode.declaration;
  code inferenceDefinition = Relax_MultiRuleCode.definition;
  let extraClassDeclaration = inferenceDeclaration;
  let extraClassDefinition = inferenceDefinition;
}

// Indices of elements.
def Relax_IndexTensor : RankedTensorOf<[I32, I64]>;
// Expressions that may be negative, unlike the extents of a shape.
def Relax_ExprArrayAttr : TypedArrayAttrBase<RelaxSym_ExprAttr, "array of expressions">;

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCOMPUTEBASE
