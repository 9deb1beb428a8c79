//===- LoopStatements.h - Loop nests as structured statements --*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Reads a tensor program in buffer form as a list of stores, each of which can
// become one structured operation. Nothing is changed.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_TENSORPROGRAM_TRANSFORMS_LOOPSTATEMENTS_H
#define RELAXDIALECT_LIB_DIALECT_TENSORPROGRAM_TRANSFORMS_LOOPSTATEMENTS_H

#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::relax::tp {

/// A read or write of one element.
struct LoopAccess {
  Operation *op = nullptr;
  Value buffer;
  AffineMap map; // from the induction variables of the statement's loops to the indices
};

/// One store with the loads and scalar operations that compute its value.
struct LoopStatement {
  LoopAccess store;
  Value value;
  SmallVector<Operation *> loops;             // outermost first
  SmallVector<Value> ivs;                     // of the loops
  SmallVector<utils::IteratorType> iterators; // of the loops
  SmallVector<LoopAccess> loads;              // from other places than the stored element
  SmallVector<LoopAccess> accumulators;       // loads of the stored element
  llvm::SetVector<Operation *> scalars;       // operations without memory effects, in program order
};

/// All statements of a program. Construction never fails; `analyze` says whether the program fits.
class LoopStatements {
public:
  explicit LoopStatements(ProgramOp program);

  LogicalResult analyze();

  /// Statements in the order in which they may be executed one after the other, by the operation at the top level of
  /// the body that contains them.
  const llvm::MapVector<Operation *, SmallVector<LoopStatement, 0>> &getNests() const { return nests; }
  StringRef getReason() const { return reason; }
  Operation *getCulprit() const { return culprit; }

private:
  LogicalResult fail(Operation *op, const Twine &why);
  LogicalResult checkTopLevelOp(Operation &op);
  LogicalResult checkLoop(Operation *loop);
  LogicalResult analyzeNest(Operation *root);
  LogicalResult collectStatement(Operation *store, Operation *root, LoopStatement &statement);
  LogicalResult collectSlice(LoopStatement &statement, Operation *root);
  LogicalResult classifyLoops(LoopStatement &statement);
  LogicalResult checkLoads(LoopStatement &statement);
  LogicalResult checkReduction(LoopStatement &statement);
  LogicalResult checkWrittenLoads(const LoopStatement &statement, const llvm::SmallDenseSet<Value> &written);
  LogicalResult checkPair(const LoopStatement &first, const LoopStatement &second);
  LogicalResult checkSameIteration(const LoopStatement &a, const LoopAccess &accessA, const LoopStatement &b,
                                   const LoopAccess &accessB);

  AffineMap getAccessMap(Operation *op, ArrayRef<Value> ivs);
  AffineExpr getAffineExpr(Value value, ArrayRef<Value> ivs);
  bool extentIs(Value buffer, unsigned dim, Operation *loop);
  sym::SymExpr getLoopBound(Operation *loop);
  sym::SymExpr getIndexExpr(Value value);
  sym::SymExpr getExtent(Value buffer, unsigned dim);
  sym::SymExpr translate(AffineExpr expr, ArrayRef<Value> operands, unsigned numDims);

  ProgramOp program;
  sym::Prover prover;
  llvm::MapVector<Operation *, SmallVector<LoopStatement, 0>> nests;
  llvm::SmallDenseMap<Operation *, sym::SymExpr> bounds;
  std::string reason;
  Operation *culprit = nullptr;
};

} // namespace mlir::relax::tp

#endif // RELAXDIALECT_LIB_DIALECT_TENSORPROGRAM_TRANSFORMS_LOOPSTATEMENTS_H
