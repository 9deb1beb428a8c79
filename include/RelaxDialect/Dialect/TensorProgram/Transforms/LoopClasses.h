//===- LoopClasses.h - Loops that walk the same dimension ------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_LOOPCLASSES_H
#define RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_LOOPCLASSES_H

#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace mlir::relax::tp {

/// Loops of linalg operations on tensors and dimensions of the tensors between them: what walks the same dimension is
/// one class. Where every operation has exactly one parallel loop of a class and touches nothing outside of its own
/// step, steps of the class do not depend on each other.
class LoopClasses {
public:
  /// A dimension of a tensor, or a loop of an operation.
  using Node = std::pair<void *, int64_t>;
  static Node dimOf(Value tensor, int64_t dim) { return {tensor.getAsOpaquePointer(), dim}; }
  static Node loopOf(linalg::LinalgOp op, int64_t loop) { return {op.getOperation(), loop}; }

  /// Adds an operation and its operands that are tracked: results of operations before it, and what else the caller
  /// wants to know about. False when its body reads tensors or memory at places of its own.
  bool add(linalg::LinalgOp op, llvm::function_ref<bool(Value)> isTracked);
  ArrayRef<linalg::LinalgOp> getOps() const { return ops; }

  bool isSame(Node a, Node b) const { return classes.isEquivalent(a, b); }
  /// The loop of `op` that is in the class, if it is the only one, parallel, and moves one dimension of each tracked
  /// operand.
  std::optional<unsigned> getLoop(linalg::LinalgOp op, Node node) const;
  /// Steps of the class are independent of each other in all operations.
  bool isDivisible(Node node) const;

private:
  llvm::EquivalenceClasses<Node> classes;
  SmallVector<Node> refused; // loops that touch several places of a dimension
  SmallVector<linalg::LinalgOp> ops;
  llvm::DenseSet<Value> tracked;
};

/// An operation beside those that compute tensors: a place for a result, an extent, a constant, or a scalar.
bool isAuxiliary(Operation &op);

/// The number of leading dimensions of the program's only out such that each operation of the program computes the
/// elements of one index into them from those of the same index of input `input`. Without an input: of what the program
/// itself computes. 0 when a program is not understood.
unsigned computeRowRank(ProgramOp program, std::optional<unsigned> input);

} // namespace mlir::relax::tp

#endif // RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_LOOPCLASSES_H
