//===- GraphCallOps.td - Calls -----------------------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCALLOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCALLOPS

include "RelaxDialect/Dialect/Graph/IR/GraphBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"

// A call of a program. Without destinations it is a pure graph op that may trap; with destinations it reads its inputs and
// writes its destinations.
class Relax_ProgramCallOp<string mnemonic, list<Trait> traits = []> : Relax_Op<mnemonic, !listconcat([
    Relax_ProgramCallOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>, AttrSizedOperandSegments, Relax_SpeculatableWhenAssured], traits)> {
  let results = (outs Variadic<AnyTypeOf<[Relax_Tensor, Index]>>:$results);
  let hasVerifier = 1;

  code programCallMethods = [{
    ::mlir::OperandRange getProgramInputs() { return getInputs(); }
    ::mlir::MutableOperandRange getProgramInputsMutable() { return getInputsMutable(); }
    ::mlir::Value getShapeOperand() { return getShape(); }
    ::mlir::MutableOperandRange getShapeOperandMutable() { return getShapeMutable(); }
  }];
}

class Relax_DestinationCallOp<string mnemonic> : Relax_ProgramCallOp<mnemonic> {
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Relax_Tensor>:$inputs, Optional<Relax_Shape>:$shape,
                       Variadic<Relax_Tensor>:$destinations);
  let assemblyFormat = [{
    $callee `(` $inputs `)` (`shape` `(` $shape^ `)`)? (`into` `(` $destinations^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::FlatSymbolRefAttr":$callee, "::mlir::ValueRange":$inputs),
    [{ build($_builder, $_state, results, callee, inputs, /*shape=*/::mlir::Value(), /*destinations=*/::mlir::ValueRange()); }]>];
  let extraClassDeclaration = programCallMethods # [{
    ::mlir::OpOperand *getTiedOperand(unsigned index) {
      ::mlir::MutableOperandRange destinations = getDestinationsMutable();
      return index < destinations.size() ? &destinations[index] : nullptr;
    }
  }];
}

def Relax_CallTPOp : Relax_DestinationCallOp<"call_tp"> {
  let summary = "Calls a tensor program.";
  let description = [{
    Calls a `relax_tp.func`. Operands are the program's inputs, then optionally one `!relax.shape` with the values of its
    scalars, then, from the destination phase on, one destination for each output. Results are the outputs, then the
    extents that the program found. The program's shapes are unified with the operand types; result types are the program's
    output shapes with that mapping. What unification cannot prove is checked at run time and traps.

    Example: `%r = relax.call_tp @f(%x, %w) : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>`
  }];
}

def Relax_CallDPSOp : Relax_DestinationCallOp<"call_dps"> {
  let summary = "Calls a library function.";
  let description = [{
    Like `relax.call_tp`, but the callee is a `relax_ext.func`.

    Example: `%r = relax.call_dps @sgemm(%x, %w) : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>`
  }];
}

def Relax_CallTPInplaceOp : Relax_ProgramCallOp<"call_tp_inplace"> {
  let summary = "Calls a tensor program that overwrites some of its inputs.";
  let description = [{
    Result `i` is written over operand `inplace[i]`, whose value is lost for every other reader.

    Example: `%r = relax.call_tp_inplace @f(%x, %y) {inplace = array<i64: 0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Relax_Tensor>:$inputs, Optional<Relax_Shape>:$shape,
                       DenseI64ArrayAttr:$inplace);
  let assemblyFormat = [{
    $callee `(` $inputs `)` (`shape` `(` $shape^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = programCallMethods # [{
    ::mlir::OperandRange getDestinations() { return getOperation()->getOperands().take_front(0); }
    ::mlir::OpOperand *getTiedOperand(unsigned index);
  }];
}

def Relax_CallOp : Relax_Op<"call", [NoMemoryEffect, DeclareOpInterfaceMethods<SymbolUserOpInterface>, CallOpInterface]> {
  let summary = "Calls a function.";
  let description = [{
    Calls a `func.func`. The callee has symbols of its own; `mapping` gives them in the caller's symbols. Absent entries are
    found by unification of the argument types and stored by `relax-infer-shapes`. Result types are the callee's with the
    mapping applied; what the mapping does not reach (a size found inside the callee) is unknown.

    Example: `%r = relax.call @g(%x) {n = m * 4} : (tensor<?xf32, #relax_sym.shape<[m * 4]>>) -> tensor<?xf32, #relax_sym.shape<[m * 4]>>`
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyTypeOf<[Relax_Tensor, Relax_Shape, Index]>>:$inputs,
                       OptionalAttr<DictionaryAttr>:$mapping);
  let results = (outs Variadic<AnyTypeOf<[Relax_Tensor, Relax_Shape, Index]>>:$results);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `` custom<SymbolMapping>($mapping) attr-dict-with-keyword `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // CallOpInterface. A call has no argument attributes.
    ::mlir::CallInterfaceCallable getCallableForCallee() { return getCalleeAttr(); }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
    ::mlir::Operation::operand_range getArgOperands() { return getInputs(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getInputsMutable(); }
    ::mlir::ArrayAttr getArgAttrsAttr() { return {}; }
    ::mlir::ArrayAttr getResAttrsAttr() { return {}; }
    void setArgAttrsAttr(::mlir::ArrayAttr) {}
    void setResAttrsAttr(::mlir::ArrayAttr) {}
    ::mlir::Attribute removeArgAttrsAttr() { return {}; }
    ::mlir::Attribute removeResAttrsAttr() { return {}; }

    /// The stored expression of a callee's symbol, null when absent.
    ::mlir::relax::sym::SymExpr getMapped(::llvm::StringRef symbol);
  }];
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCALLOPS
