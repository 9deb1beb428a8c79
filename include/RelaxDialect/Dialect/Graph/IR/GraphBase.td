//===- GraphBase.td - Base classes of relax ---------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHBASE
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHBASE

include "RelaxDialect/Dialect/Graph/IR/GraphDialect.td"
include "RelaxDialect/Dialect/Graph/IR/GraphInterfaces.td"
include "RelaxDialect/Dialect/Graph/IR/GraphTypes.td"
include "RelaxDialect/Dialect/Sym/IR/SymAttrs.td"
include "RelaxDialect/Dialect/Sym/IR/SymInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Refuses symbols in a function without a scope, and result types that mention a symbol which no operand type mentions
// (unless the op implements SymbolBinderOpInterface). Verified after the op's own types.
def Relax_ScopedSymbols : NativeOpTrait<"ScopedSymbols"> {
  let cppNamespace = "::mlir::relax::graph";
}

class Relax_Op<string mnemonic, list<Trait> traits = []>
    : Op<Relax_Dialect, mnemonic, !listconcat(traits, [Relax_ScopedSymbols])>;

// Tensors of the graph level: ranked, of one of the element types of Spec.md section 3, which are the table of
// Sym/IR/ElementTypes.h.
class Relax_TensorOf<string families, string description>
    : Type<CPred<"::mlir::relax::sym::isTensorOf($_self, ::mlir::relax::sym::" # families # ")">, description,
           "::mlir::RankedTensorType">;
def Relax_Tensor : Relax_TensorOf<"kElements", "ranked tensor of an element type of relax">;
// Not what is only stored.
def Relax_ComputedTensor
    : Relax_TensorOf<"kNumbers | ::mlir::relax::sym::kBools", "ranked tensor of floats, integers or bools">;
// The same without bool.
def Relax_NumberTensor : Relax_TensorOf<"kNumbers", "ranked tensor of floats or integers">;
def Relax_FloatTensor : Relax_TensorOf<"kFloats", "ranked tensor of f16, bf16, f32 or f64">;
def Relax_IntTensor : Relax_TensorOf<"kInts", "ranked tensor of integers of 8 to 64 bits">;
def Relax_SignedTensor
    : Relax_TensorOf<"kFloats | ::mlir::relax::sym::kSignedInts", "ranked tensor of floats or signed integers">;
def Relax_BoolTensor : RankedTensorOf<[I1]>;

// Speculatable when the op carries `relax.assured` (its shape rules are proved) and values cannot make it trap.
def Relax_SpeculatableWhenAssuredImpl : NativeOpTrait<"SpeculatableWhenAssuredImpl"> {
  let cppNamespace = "::mlir::relax::graph";
}
def Relax_SpeculatableWhenAssured : TraitList<[ConditionallySpeculatable, Relax_SpeculatableWhenAssuredImpl]>;

// The op implements `inferReturnTypes(context, location, adaptor, types)`, which gives the most precise types or a
// diagnostic. A written result type may be less precise (`?`) or equal for every valuation.
def Relax_InferTypes : InferTypeOpAdaptorBase<[{
  static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange actual) {
    return ::mlir::relax::graph::areCompatibleResultTypes(inferred, actual);
  }
}]>;

// Shape and storage values. Not the type definitions themselves: those would print as `<[n]>` without `!relax.shape`.
def Relax_Shape : Type<CPred<"::llvm::isa<::mlir::relax::graph::ShapeType>($_self)">, "shape value">;
def Relax_Storage : Type<CPred<"::llvm::isa<::mlir::relax::graph::StorageType>($_self)">, "storage">,
    BuildableType<"::mlir::relax::graph::StorageType::get($_builder.getContext())">;

// A graph op that computes and has shape rules: run-time extents may break them, which traps. Erasable, never
// speculated unless assured. Implements `getShapeRules`.
class Relax_ComputeOp<string mnemonic, list<Trait> traits = []>
    : Relax_Op<mnemonic, !listconcat([NoMemoryEffect, Relax_SpeculatableWhenAssured,
          DeclareOpInterfaceMethods<Relax_ShapeRuleOpInterface, ["getShapeRules"]>], traits)>;

// A graph op that computes and never traps, whatever the extents and values are.
class Relax_TotalOp<string mnemonic, list<Trait> traits = []>
    : Relax_Op<mnemonic, !listconcat([Pure, Relax_ShapeRuleOpInterface], traits)>;

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHBASE
