//===- DotPanels.cpp - Which sums of small products run in panels ---------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "DotPanels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::relax;

/// Bytes of used rows that are copied together: part of a second cache.
constexpr int64_t kMostBytes = 1 << 18;
/// Vectors that repay decoding.
constexpr int64_t kMostVectors = 8;

namespace {
/// Walks the body of a sum down to what one side alone decides.
class PanelReader {
public:
  PanelReader(linalg::GenericOp op, const DotSum &sum, DotProducts dots, function_ref<void(Value, DotCopy, bool)> add)
      : sum(sum), dots(dots), add(add), loopsOf(findLoopsOfValues(op)), lane(op.getNumLoops() - 1) {}

  bool readSum(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto conversion = dyn_cast<arith::SIToFPOp>(op))
      return llvm::all_of(*getIntegerTerms(conversion.getIn()),
                          [&](const IntegerTerm &term) { return readTerm(term.a, term.b); });
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return isa<arith::MulFOp>(op) && !isMovedBy(operand, lane) ? readFactor(operand) : readSum(operand);
    });
  }

private:
  bool isMovedBy(Value value, ArrayRef<unsigned> loops) const {
    auto known = loopsOf.find(value);
    return known != loopsOf.end() && llvm::any_of(loops, [&](unsigned loop) { return known->second.test(loop); });
  }
  bool isOfBoth(Value value) const { return isMovedBy(value, sum.sides.used) && isMovedBy(value, sum.sides.made); }

  bool readTerm(Value a, Value b) {
    if (isOfBoth(a) || (b && isOfBoth(b)))
      return false;
    bool isUsed = isMovedBy(a, sum.sides.used);
    if (!b) {
      add(a, isUsed ? DotCopy::Bytes : DotCopy::Sums, isUsed);
      return true;
    }
    if (isUsed == isMovedBy(b, sum.sides.used))
      return false;
    Value used = isUsed ? a : b, made = isUsed ? b : a;
    DotForm form = chooseDotForm(dots, used, made);
    if (form == DotForm::Wide)
      return false;
    add(made, DotCopy::Bytes, false);
    if (form == DotForm::FirstShifted)
      add(made, DotCopy::Offsets, false);
    else if (form == DotForm::SecondMagnitude)
      add(made, DotCopy::Magnitude, false);
    if (form == DotForm::FirstMagnitude)
      add(used, DotCopy::Magnitude, true);
    add(used, form == DotForm::FirstShifted ? DotCopy::Shifted : DotCopy::Bytes, true);
    return true;
  }

  bool readFactor(Value value) {
    if (isOfBoth(value)) {
      Operation *op = value.getDefiningOp();
      return op && llvm::all_of(op->getOperands(), [&](Value operand) { return readFactor(operand); });
    }
    if (!value.getType().isF32())
      return false;
    if (loopsOf.contains(value))
      add(value, DotCopy::Factors, isMovedBy(value, sum.sides.used));
    return true;
  }

  const DotSum &sum;
  DotProducts dots;
  function_ref<void(Value, DotCopy, bool)> add;
  DenseMap<Value, llvm::SmallBitVector> loopsOf;
  unsigned lane;
};
} // namespace

static bool readCopies(linalg::GenericOp op, const DotSum &sum, DotProducts dots,
                       function_ref<void(Value, DotCopy, bool)> add) {
  Operation *combiner = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  Value addend = combiner->getOperand(combiner->getOperand(0) == op.getRegionOutputArgs()[0] ? 1 : 0);
  return PanelReader(op, sum, dots, add).readSum(addend);
}

void relax::forEachDotCopy(linalg::GenericOp op, const DotSum &sum, DotProducts dots,
                           function_ref<void(Value, DotCopy, bool)> add) {
  (void)readCopies(op, sum, dots, add);
}

std::optional<DotPanel> relax::chooseDotPanel(linalg::GenericOp op, const DotSum &sum, DotProducts dots) {
  if (dots == DotProducts::Plain || sum.sides.used.empty() ||
      sum.sides.used.size() + sum.sides.made.size() != op.getNumParallelLoops())
    return std::nullopt;
  // AVX-512 has registers for two tiles of the other CPUs.
  bool isWide = dots == DotProducts::AVX512;
  DotPanel panel{isWide ? 16 : 8, kMostVectors, isWide ? 2 : 1, 1};
  int64_t bytes = panel.lanes;
  for (auto [iterator, range] : llvm::zip(op.getIteratorTypesArray(), op.getStaticLoopRanges())) {
    if (iterator != utils::IteratorType::reduction)
      continue;
    if (ShapedType::isDynamic(range) || range == 0 || llvm::MulOverflow(bytes, range, bytes))
      return std::nullopt;
  }
  if (bytes > kMostBytes)
    return std::nullopt;
  panel.groups = bytes / panel.lanes / DotSum::kGroup;
  panel.vectors = std::min(kMostVectors, kMostBytes / bytes);
  if (!readCopies(op, sum, dots, [](Value, DotCopy, bool) {}))
    return std::nullopt;
  return panel;
}
