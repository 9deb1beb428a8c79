//===- PatternKinds.h - What tensor programs compute -----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_PATTERNKINDS_H
#define RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_PATTERNKINDS_H

#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::relax::tp {

/// What the body of `program` computes; does not look at the attribute.
PatternKind computePatternKind(ProgramOp program);
PatternKind computePatternKind(linalg::LinalgOp op);

/// How the outs of a program depend on one input.
struct ArgumentUse {
  /// Elementwise: each element of an out reads the element at the same place. Broadcast: an element may be read for
  /// several. Injective: at another place. Reduction: each element is read once by a reduction. Contraction: several
  /// times.
  PatternKind kind = PatternKind::Elementwise;
  /// Number of operations that read it.
  unsigned count = 0;
};
/// For programs in tensor form with one out.
ArgumentUse computeArgumentUse(ProgramOp program, unsigned input);
/// The same for one operand of one operation.
PatternKind computeOperandKind(linalg::LinalgOp op, OpOperand *operand);

/// Loops read single elements of a tensor at places that they compute, perhaps with a check: each element of the result
/// is to be computed, once.
bool isGather(Operation *op);
/// Something in the body costs far more than reading memory (exp, divide), so that doing it twice is a loss.
bool isExpensive(Operation *op);
/// The body only compares, selects and converts integers, as for a one-hot matrix: its result is much larger than what
/// it reads and is best never stored.
bool isSelection(Operation *op);

/// When `op` only moves elements (transposes, adds or drops dimensions of 1, repeats): the index of its input that each
/// index of its result reads.
std::optional<AffineMap> getMove(linalg::LinalgOp op);
/// The same of a program with one input that does nothing else.
std::optional<AffineMap> getMove(ProgramOp program);
/// `op` gives each number in a wider type, which loses nothing and costs less than memory for more bytes.
bool isWidening(Operation *op);
/// getMove, also when elements are widened on the way: who reads the result can as well read the narrow elements.
std::optional<AffineMap> getWideningMove(linalg::LinalgOp op);
std::optional<AffineMap> getWideningMove(ProgramOp program);
/// The program reads parts of its input and moves elements, nothing else: its readers can as well do it, each by
/// itself.
bool onlyMoves(ProgramOp program);
/// A contraction may read `source` by `map` in the place of `operand`, so that nothing has to be moved before: its loop
/// along the rows of `source`, the last dimension, walks the rows of its result, or is a reduction of known length that
/// walks rows of everything else that depends on it.
bool readsInStep(linalg::LinalgOp contraction, OpOperand *operand, AffineMap map, RankedTensorType source);

} // namespace mlir::relax::tp

#endif // RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_PATTERNKINDS_H
