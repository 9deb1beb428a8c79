//===- EmitDotSums.cpp - Sums of products of small integers ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A sum of terms such as `scale * float(a * b)` over a group of numbers that
// share the scale is `scale * float(sum of a * b)`. The scalar body is evaluated
// in three ways: what no loop of the group tells apart as scalars; integers of 8
// bits as vectors with a number in each lane; floats as vectors with a lane for
// each four numbers, whose products are added. A load covers what the lanes need
// and is shuffled to them: a byte with the high bits of eight numbers, or the
// halves of a byte that belong to two of them.
//
//===----------------------------------------------------------------------===//
#include "DotPanels.h"
#include "DotValues.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::relax;

namespace {

/// What is made for a tile, of either side, takes many instructions: both sides are used several times. AVX-512 has 32
/// registers, others have 16.
constexpr SumTileShape kTiles[] = {{8, 1}, {4, 2}, {2, 4}, {1, 4}}, kLargeTiles[] = {{8, 2}, {4, 2}, {2, 4}, {1, 4}};

class DotSumEmitter final : public SumTileEmitter {
public:
  DotSumEmitter(OpBuilder &builder, linalg::GenericOp op, const DotSum &sum, ValueRange extents, DotProducts dots)
      : SumTileEmitter(builder, op, sum.sides, extents,
                       dots == DotProducts::AVX512 ? ArrayRef(kLargeTiles) : ArrayRef(kTiles), DotValues::kSums.count,
                       sum.unrolled),
        sum(sum), dots(builder, op.getLoc(), dots), values(builder, op, sum, at, loopsOf),
        ranges(op.getStaticLoopRanges()) {
    // In a group every index is known.
    for (unsigned loop = sum.firstLane; loop < op.getNumLoops(); ++loop)
      at[loop] = constant(0);
  }

private:
  void addTerms(unsigned number, MutableArrayRef<Value> sums) override {
    values.forget();
    known.clear();
    dots.forget();
    if (used.size() > made.size())
      return emitCopies(number, [&] { addPairs(sums); });
    for (auto [row, madeRow] : llvm::enumerate(made)) {
      moveTo(sides.made, madeRow);
      emitCopies(number, [&, row = row] { addRow(row, sums); });
    }
  }

  /// The loops that are written out, around groups.
  void emitCopies(unsigned number, function_ref<void()> body) {
    if (number == reductions.size() || reductions[number] >= sum.firstLane)
      return body();
    unsigned loop = reductions[number];
    for (int64_t index = 0; index < ranges[loop]; ++index) {
      at[loop] = constant(index);
      emitCopies(number + 1, body);
    }
  }

  /// What is loaded for the present made row is used up before the next one needs registers.
  void addRow(size_t row, MutableArrayRef<Value> sums) {
    forEachUsed(row, [&](size_t place) { sums[place] = addTerms(sums[place], getAddend(), false); });
  }

  /// The other way round, where there are more used rows: a few made ones stay in registers.
  void addPairs(MutableArrayRef<Value> sums) {
    for (auto [number, usedRow] : llvm::enumerate(used)) {
      moveTo(sides.used, usedRow);
      for (auto [row, madeRow] : llvm::enumerate(made)) {
        moveTo(sides.made, madeRow);
        Value &total = sums[row * used.size() + number];
        total = addTerms(total, getAddend(), false);
      }
    }
  }

  //===--------------------------------------------------------------------===//
  // Floats: a lane for four numbers
  //===--------------------------------------------------------------------===//

  /// Terms are added one after another, each a product and a sum that CPUs fuse, whatever else they do.
  Value addTerms(Value total, Value value, bool isNegative) {
    Operation *inner = value.getDefiningOp();
    if (isa<arith::AddFOp, arith::SubFOp>(inner)) {
      total = addTerms(total, inner->getOperand(0), isNegative);
      return addTerms(total, inner->getOperand(1), isNegative != isa<arith::SubFOp>(inner));
    }
    if (!isNegative)
      return addTo(total, evaluateSum(value));
    return arith::SubFOp::create(builder, loc, total, evaluateSum(value), cast<arith::AddFOp>(combiner).getFastmath());
  }

  /// Sums over the group of what is linear in integers.
  Value evaluateSum(Value value) {
    std::vector<void *> key = values.getKey(value);
    if (auto found = known.find(key); found != known.end())
      return found->second;
    Operation *inner = value.getDefiningOp();
    Value result;
    if (auto conversion = dyn_cast<arith::SIToFPOp>(inner)) {
      auto type = VectorType::get(DotValues::kSums.count, conversion.getType());
      result = arith::SIToFPOp::create(builder, loc, type, evaluateProducts(conversion.getIn()));
    } else {
      bool isProduct = isa<arith::MulFOp>(inner);
      Value operands[2];
      for (auto [place, operand] : llvm::enumerate(inner->getOperands()))
        operands[place] = isProduct && values.isFactor(operand) ? evaluateFactor(operand) : evaluateSum(operand);
      result = builder
                   .create(loc, inner->getName().getIdentifier(), ValueRange(operands),
                           TypeRange(operands[0].getType()), inner->getAttrs())
                   ->getResult(0);
    }
    known[key] = result;
    return result;
  }

  /// What both sides decide is made of vectors that each side has already.
  Value evaluateFactor(Value value) {
    auto product = value.getDefiningOp<arith::MulFOp>();
    if (!product || !values.isMovedBy(value, sides.made) || !values.isMovedBy(value, sides.used))
      return values.evaluate(value, DotValues::kSums);
    Value &result = known[values.getKey(value)];
    if (!result) {
      Value lhs = evaluateFactor(product.getLhs()), rhs = evaluateFactor(product.getRhs());
      result = arith::MulFOp::create(builder, loc, lhs, rhs, product.getFastmath());
    }
    return result;
  }

  Value evaluateProducts(Value value) {
    Value total;
    auto terms = getIntegerTerms(value);
    for (const IntegerTerm &term : *terms) {
      Value a = values.evaluate(term.a, DotValues::kNumbers), product;
      if (!term.b) {
        product = dots.emitSum(a);
      } else {
        // What depends on the second one alone is computed once for all rows of the other side: those there are more
        // of.
        Value b = values.evaluate(term.b, DotValues::kNumbers);
        ArrayRef<unsigned> many = used.size() > made.size() ? sides.used : sides.made;
        bool swap = values.isMovedBy(term.b, many) && !values.isMovedBy(term.a, many);
        product = swap ? dots.emit(b, a, term.b, term.a) : dots.emit(a, b, term.a, term.b);
      }
      if (term.factor != 1) {
        auto type = cast<VectorType>(product.getType());
        auto factor = DenseElementsAttr::get(type, static_cast<int32_t>(term.factor));
        product = arith::MulIOp::create(builder, loc, product, arith::ConstantOp::create(builder, loc, type, factor));
      }
      total = total ? arith::AddIOp::create(builder, loc, total, product).getResult() : product;
    }
    return total;
  }

  const DotSum &sum;
  DotEmitter dots;
  DotValues values;
  SmallVector<int64_t> ranges;
  /// Sums over the group at the present place.
  std::map<std::vector<void *>, Value> known;
};

} // namespace

void relax::emitDotSum(OpBuilder &builder, linalg::GenericOp op, const DotSum &sum, ValueRange extents,
                       DotProducts dots) {
  Value done;
  if (std::optional<DotPanel> panel = chooseDotPanel(op, sum, dots))
    done = emitDotPanels(builder, op, sum, *panel, extents, dots);
  DotSumEmitter emitter(builder, op, sum, extents, dots);
  if (done)
    emitter.setFirstUsed(done);
  emitter.emit();
}
