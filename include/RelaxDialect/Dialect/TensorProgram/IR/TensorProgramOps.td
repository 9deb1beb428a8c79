//===- TensorProgramOps.td - Operations of relax_tp -------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_TENSORPROGRAM_IR_TENSORPROGRAMOPS
#define RELAXDIALECT_DIALECT_TENSORPROGRAM_IR_TENSORPROGRAMOPS

include "RelaxDialect/Dialect/Sym/IR/SymInterfaces.td"
include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgramDialect.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class RelaxTp_Op<string opMnemonic, list<Trait> traits = []> : Op<RelaxTp_Dialect, opMnemonic, traits>;

def RelaxTp_ProgramOp : RelaxTp_Op<"func", [
    AffineScope, AutomaticAllocationScope, FunctionOpInterface, IsolatedFromAbove, SingleBlock,
    DeclareOpInterfaceMethods<RelaxSym_TensorProgramInterface>]> {
  let summary = "A tensor program.";
  let description = [{
    A function with four groups of arguments: inputs, `outs` (destinations), `workspaces` (scratch memory of the caller) and
    `scalars` (index values that no buffer shows). Types are plain; extents stand beside them as argument attributes
    `relax_sym.shape`, the value of a scalar as `relax_sym.expr`. Inputs and scalars determine the extents of outs and
    workspaces.

    *Tensor form*: the groups hold tensors, `relax_tp.yield` gives one tensor per out, the outs' own values are
    unspecified at entry, distinct results never share memory. *Buffer form*: identity-layout memrefs that do not alias;
    inputs are not written; the yield gives no tensor. Index results are extents found while running; they follow the
    tensors in the yield.

    Example:

    ```mlir
    relax_tp.func private @relu(%x: tensor<?x4xf32> {relax_sym.shape = #relax_sym.shape<[n, 4]>})
        outs(%o: tensor<?x4xf32> {relax_sym.shape = #relax_sym.shape<[n, 4]>})
        attributes {relax_sym.scope = #relax_sym.scope<>} {
      %0 = linalg.generic ... ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) {...} -> tensor<?x4xf32>
      relax_tp.yield %0 : tensor<?x4xf32>
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, TypeAttrOf<FunctionType>:$function_type,
    // Number of inputs, outs, workspaces and scalars. The sum is checked, so that a pass which drops an argument is caught.
    DenseI32ArrayAttr:$segments, OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;

  let builders = [
    // Types may carry shape encodings: they become the `relax_sym.shape` attributes of plain arguments. Makes a private
    // program with an empty entry block, and an empty scope when a symbol is mentioned. `scalars` may hold nulls (free).
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::TypeRange":$inputs, "::mlir::TypeRange":$outs,
      CArg<"::mlir::TypeRange", "{}">:$workspaces, CArg<"::llvm::ArrayRef<::mlir::relax::sym::SymExpr>", "{}">:$scalars,
      CArg<"unsigned", "0">:$numExtents)>
  ];

  let extraClassDeclaration = [{
    //===- FunctionOpInterface -------------------------------------------===//
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }

    //===- Groups of arguments -------------------------------------------===//
    ::mlir::Block::BlockArgListType getInputs();
    ::mlir::Block::BlockArgListType getOuts();
    ::mlir::Block::BlockArgListType getWorkspaces();
    ::mlir::Block::BlockArgListType getScalars();

    /// Arguments are memrefs. A program without any buffer is in tensor form.
    bool isBufferForm();
    /// Number of index results.
    unsigned getNumExtents() { return getResultTypes().size(); }
    /// The terminator.
    ::mlir::relax::tp::YieldOp getYield();
    /// Extents of buffer argument `index` (static ones as constants, null where unknown).
    ::llvm::SmallVector<::mlir::relax::sym::SymExpr> getArgumentDims(unsigned index);
    /// Sets or replaces the shape attribute of buffer argument `index`; removes it when the dims name no symbol.
    void setArgumentDims(unsigned index, ::llvm::ArrayRef<::mlir::relax::sym::SymExpr> dims);
  }];
}

def RelaxTp_YieldOp : RelaxTp_Op<"yield", [Pure, ReturnLike, Terminator, HasParent<"ProgramOp">]> {
  let summary = "Ends a tensor program.";
  let description = [{
    In tensor form one tensor per out, in buffer form none, then the extents found.
    Example: `relax_tp.yield %r : tensor<?x4xf32>`.
  }];
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def RelaxTp_AssertOp : RelaxTp_Op<"assert", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Reports a run-time error of a tensor program.";
  let description = [{
    When `condition` is false the kernel's error word is set (the first error of a launch wins) and execution goes on: the
    values computed from there on must be harmless, for example by clamping the index that was refused. The write effect
    keeps the check where it is. Allowed anywhere in a program, also inside `linalg.generic`.
    Example: `relax_tp.assert %inside, "index is out of range"`.
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

#endif // RELAXDIALECT_DIALECT_TENSORPROGRAM_IR_TENSORPROGRAMOPS
