//===- ProgramLibrary.h - Making and calling tensor programs ---*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_CONVERSION_GRAPHTOTENSORPROGRAM_PROGRAMLIBRARY_H
#define RELAXDIALECT_CONVERSION_GRAPHTOTENSORPROGRAM_PROGRAMLIBRARY_H

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relax {

/// The inside of a program while it is written.
class ProgramBody {
public:
  ProgramBody(OpBuilder &builder, Location loc, tp::ProgramOp program, sym::Prover &prover);

  OpBuilder &builder;
  Location loc;
  tp::ProgramOp program;
  /// Knows the facts of the calling function.
  sym::Prover &prover;

  Value getInput(unsigned index) { return program.getInputs()[index]; }
  Value getOut(unsigned index = 0) { return program.getOuts()[index]; }
  Value getWorkspace(unsigned index) { return program.getWorkspaces()[index]; }
  /// Extents of an input or of the first out.
  SmallVector<sym::SymExpr> getInputDims(unsigned index) { return program.getArgumentDims(index); }
  SmallVector<sym::SymExpr> getOutDims() { return program.getArgumentDims(program.getInputs().size()); }

  /// The value of an expression over the program's symbols.
  Value getIndex(sym::SymExpr expr);
  OpFoldResult getIndexOrConstant(sym::SymExpr expr);
  SmallVector<OpFoldResult> getSizes(ArrayRef<sym::SymExpr> dims);
  Value getConstant(int64_t value);
  /// A fresh tensor for an intermediate.
  Value createEmpty(ArrayRef<sym::SymExpr> dims, Type elementType);

private:
  Value getSymbol(StringRef name);
  Value emit(sym::SymExpr expr, function_ref<Value(StringRef)> symbol);
  void solveSymbols();

  llvm::StringMap<Value> symbols;
  bool solved = false;
  sym::Solution solution; // symbols in terms of extents named by position
  SmallVector<std::pair<Value, int64_t>> extents;
};

/// What a program is made from.
struct ProgramRequest {
  StringRef name;
  SmallVector<Value> inputs;
  SmallVector<RankedTensorType> results;    // with exact extents
  SmallVector<RankedTensorType> workspaces; // with exact extents
  SmallVector<sym::SymExpr> exprs;          // what the body asks for besides extents
  bool bufferForm = false;
  function_ref<SmallVector<Value>(ProgramBody &)> body; // gives what the program yields
};

struct ProgramTypes;

/// The programs that one run makes: identical ones are shared, names are readable and do not depend on anything else.
class ProgramLibrary {
public:
  explicit ProgramLibrary(ModuleOp module);

  /// Makes or finds the program and creates its call. Symbols that no input shows become scalars, whose values come
  /// from the operands of `op` or from where the function binds them.
  FailureOr<graph::CallTPOp> createCall(PatternRewriter &rewriter, Operation *op, const ProgramRequest &request);

  /// Replaces a computing op by a call of the requested program. The result gets the type that was written.
  LogicalResult replaceWithCall(PatternRewriter &rewriter, Operation *op, const ProgramRequest &request);

private:
  tp::ProgramOp makeProgram(Operation *op, const ProgramRequest &request, const ProgramTypes &types,
                            sym::Prover &prover);
  tp::ProgramOp findOrInsert(tp::ProgramOp program, StringRef base);

  ModuleOp module;
  SymbolTable symbolTable;
  /// Candidates for sharing, by what is cheap to compare.
  DenseMap<std::pair<Attribute, Attribute>, SmallVector<tp::ProgramOp>> programs;
};

/// Every extent is known.
bool hasKnownExtents(ValueRange values);
/// Every extent of operands and results is known, as the patterns need and `prepareForPrograms` makes it.
inline bool isPrepared(Operation *op) {
  return hasKnownExtents(op->getOperands()) && hasKnownExtents(op->getResults());
}

} // namespace mlir::relax

#endif // RELAXDIALECT_CONVERSION_GRAPHTOTENSORPROGRAM_PROGRAMLIBRARY_H
