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
class Relax_InferenceCode<bit hasRules> {
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
                                  : inference.verifyResult(*type, getType(), /*mayClaim=*/}] # !if(hasRules, "true", "false") # [{);
    }
    ::llvm::SmallVector<::mlir::relax::sym::SymExpr> $cppClass::getExactDims() {
      ::mlir::relax::graph::TypeInference inference(getOperation());
      ::llvm::FailureOr<::mlir::RankedTensorType> type = inferType(inference, Adaptor(*this));
      return ::mlir::failed(type) ? ::mlir::relax::sym::getSymbolicDims(getType()) : inference.getExactDims(*type);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(::mlir::OpBuilder &builder,
                                                       ::mlir::ReifiedRankedShapedTypeDims &dims) {
      return ::mlir::relax::graph::reifyExtents(builder, getOperation(), getExactDims(), dims);
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

// An op with shape rules. A written result type may be less precise (`?`); where it claims more, the claim is a rule.
class Relax_InferredOp<string mnemonic, list<Trait> traits = []>
    : Relax_ComputeOp<mnemonic, !listconcat([InferTypeOpAdaptor, DeclareOpInterfaceMethods<Relax_InferredShapeOpInterface>,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>],
                                            traits)> {
  let hasVerifier = 1;
  code inferenceDeclaration = Relax_RuleCode.declaration;
  code inferenceDefinition = Relax_RuleCode.definition;
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
  code inferenceDefinition = Relax_TotalCode.definition;
  let extraClassDeclaration = inferenceDeclaration;
  let extraClassDefinition = inferenceDefinition;
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCOMPUTEBASE
