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
#include "DotSums.h"

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

/// `count` numbers of a group from number `first` on, each `step`th; none: a scalar.
struct Lanes {
  int64_t step = 0, first = 0, count = 0;
};

/// What is made for a tile, of either side, takes many instructions: both sides are used several times. AVX-512 has 32
/// registers, others have 16.
constexpr SumTileShape kTiles[] = {{8, 1}, {4, 2}, {2, 4}, {1, 4}}, kLargeTiles[] = {{8, 2}, {4, 2}, {2, 4}, {1, 4}};

class DotSumEmitter final : public SumTileEmitter {
public:
  DotSumEmitter(OpBuilder &builder, linalg::GenericOp op, const DotSum &sum, ValueRange extents, DotProducts dots)
      : SumTileEmitter(builder, op, sum.sides, extents,
                       dots == DotProducts::AVX512 ? ArrayRef(kLargeTiles) : ArrayRef(kTiles), kSums.count,
                       sum.unrolled),
        sum(sum), dots(builder, op.getLoc(), dots), numLoops(op.getNumLoops()), ranges(op.getStaticLoopRanges()) {
    // In a group every index is known.
    for (unsigned loop = sum.firstLane; loop < numLoops; ++loop)
      at[loop] = constant(0);
  }

private:
  static constexpr Lanes kNumbers = {1, 0, DotSum::kGroup};
  static constexpr Lanes kSums = {DotSum::kQuad, 0, DotSum::kGroup / DotSum::kQuad};

  void addTerms(unsigned number, MutableArrayRef<Value> sums) override {
    values.clear();
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
    std::vector<void *> key = getKey(value, loopsOf.find(value)->second);
    key.push_back(nullptr); // no lanes
    if (auto known = values.find(key); known != values.end())
      return known->second;
    Operation *inner = value.getDefiningOp();
    Value result;
    if (auto conversion = dyn_cast<arith::SIToFPOp>(inner)) {
      auto type = VectorType::get(kSums.count, conversion.getType());
      result = arith::SIToFPOp::create(builder, loc, type, evaluateProducts(conversion.getIn()));
    } else {
      bool isProduct = isa<arith::MulFOp>(inner);
      Value operands[2];
      for (auto [place, operand] : llvm::enumerate(inner->getOperands()))
        operands[place] = isProduct && isFactor(operand) ? evaluate(operand, kSums) : evaluateSum(operand);
      result = builder
                   .create(loc, inner->getName().getIdentifier(), ValueRange(operands),
                           TypeRange(operands[0].getType()), inner->getAttrs())
                   ->getResult(0);
    }
    values[key] = result;
    return result;
  }

  bool isFactor(Value value) const {
    auto known = loopsOf.find(value);
    return known == loopsOf.end() || !known->second.test(numLoops - 1);
  }

  Value evaluateProducts(Value value) {
    Value total;
    auto terms = getIntegerTerms(value);
    for (const IntegerTerm &term : *terms) {
      Value a = evaluate(term.a, kNumbers), product;
      if (!term.b) {
        product = dots.emitSum(a);
      } else {
        // What depends on the second one alone is computed once for all rows of the other side: those there are more
        // of.
        Value b = evaluate(term.b, kNumbers);
        ArrayRef<unsigned> many = used.size() > made.size() ? sides.used : sides.made;
        bool swap = dependsOn(term.b, many) && !dependsOn(term.a, many);
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

  bool dependsOn(Value value, ArrayRef<unsigned> loops) const {
    auto known = loopsOf.find(value);
    return known != loopsOf.end() && llvm::any_of(loops, [&](unsigned loop) { return known->second.test(loop); });
  }

  //===--------------------------------------------------------------------===//
  // Values of the body
  //===--------------------------------------------------------------------===//

  /// As a vector, whatever tells it apart.
  Value evaluate(Value value, Lanes lanes) {
    auto loops = loopsOf.find(value);
    bool moves = loops != loopsOf.end() && loops->second.find_last() >= static_cast<int>(sum.firstLane);
    if (moves)
      return evaluateLanes(value, lanes);
    return vector::BroadcastOp::create(builder, loc, VectorType::get(lanes.count, value.getType()),
                                       evaluateLanes(value, Lanes()));
  }

  /// A value at the present place, from an earlier place where they are the same.
  Value evaluateLanes(Value value, Lanes lanes) {
    auto loops = loopsOf.find(value);
    if (loops == loopsOf.end())
      return value; // from outside
    std::vector<void *> key = getKey(value, loops->second);
    for (int64_t number : {lanes.step, lanes.first, lanes.count})
      key.push_back(reinterpret_cast<void *>(static_cast<intptr_t>(number)));
    if (auto known = values.find(key); known != values.end())
      return known->second;
    Value result = compute(value, loops->second, lanes);
    values[key] = result;
    return result;
  }

  Value compute(Value value, const llvm::SmallBitVector &loops, Lanes lanes) {
    bool isVector = lanes.count != 0;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      OpOperand &operand = op->getOpOperand(argument.getArgNumber());
      if (!isa<MemRefType>(operand.get().getType()))
        return operand.get();
      return isVector ? load(operand, lanes)
                      : memref::LoadOp::create(builder, loc, operand.get(), getIndices(operand)).getResult();
    }
    Operation *inner = value.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      return isVector ? getLaneIndices(index.getDim(), lanes) : at[index.getDim()];
    if (isVector && isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(inner))
      if (std::optional<int64_t> size = getPieceSize(inner->getOperand(1), lanes))
        return computePieces(value, lanes, *size);

    SmallVector<Value> operands;
    for (Value operand : inner->getOperands())
      operands.push_back(isVector ? evaluate(operand, lanes) : evaluateLanes(operand, lanes));
    SmallVector<Type> types;
    for (Type type : inner->getResultTypes())
      types.push_back(isVector ? Type(VectorType::get(lanes.count, type)) : type);
    Operation *copy = builder.create(loc, inner->getName().getIdentifier(), operands, types, inner->getAttrs());
    return copy->getResult(cast<OpResult>(value).getResultNumber());
  }

  /// CPUs shift all bytes of a vector by the same amount. When the amount differs between parts of the group only: how
  /// many lanes have the same.
  std::optional<int64_t> getPieceSize(Value amount, Lanes lanes) const {
    auto loops = loopsOf.find(amount);
    int last = loops == loopsOf.end() ? -1 : loops->second.find_last();
    if (last < static_cast<int>(sum.firstLane))
      return std::nullopt;
    int64_t size = std::accumulate(ranges.begin() + last + 1, ranges.end(), int64_t(1), std::multiplies<>());
    size /= lanes.step;
    if (size < DotSum::kQuad || size >= lanes.count)
      return std::nullopt;
    return size;
  }

  Value computePieces(Value value, Lanes lanes, int64_t size) {
    SmallVector<Value> pieces;
    for (int64_t lane = 0; lane < lanes.count; lane += size)
      pieces.push_back(evaluateLanes(value, {lanes.step, lanes.first + lane * lanes.step, size}));
    while (pieces.size() > 1) {
      SmallVector<Value> joined;
      for (size_t i = 0; i + 1 < pieces.size(); i += 2) {
        int64_t length = 2 * cast<VectorType>(pieces[i].getType()).getDimSize(0);
        joined.push_back(vector::ShuffleOp::create(builder, loc, pieces[i], pieces[i + 1],
                                                   llvm::to_vector(llvm::seq<int64_t>(0, length))));
      }
      pieces = std::move(joined);
    }
    return pieces.front();
  }

  Value load(OpOperand &operand, Lanes lanes) {
    GroupAccess access = *getGroupAccess(op, operand, sum.firstLane);
    SmallVector<int64_t> chosen;
    for (int64_t lane = 0; lane < lanes.count; ++lane)
      chosen.push_back(access.offsets[lanes.first + lane * lanes.step]);
    int64_t first = *llvm::min_element(chosen), covered = *llvm::max_element(chosen) - first + 1;
    for (int64_t &place : chosen)
      place -= first;

    auto type = cast<MemRefType>(operand.get().getType());
    Value buffer = operand.get();
    SmallVector<Value> indices = getIndices(operand);
    if (int64_t rank = type.getRank(); access.firstDim + 1 != rank) {
      SmallVector<ReassociationIndices> groups;
      for (int64_t dim = 0; dim < rank; ++dim) {
        if (dim <= access.firstDim)
          groups.emplace_back();
        groups.back().push_back(dim);
      }
      buffer = memref::CollapseShapeOp::create(builder, loc, buffer, groups);
      for (int64_t dim = access.firstDim + 1; dim < rank; ++dim) {
        Value &joined = indices[access.firstDim];
        joined = builder.createOrFold<arith::MulIOp>(loc, joined, constant(type.getDimSize(dim)));
        joined = builder.createOrFold<arith::AddIOp>(loc, joined, indices[dim]);
      }
      indices.truncate(access.firstDim + 1);
    }
    if (first != 0)
      indices.back() = builder.createOrFold<arith::AddIOp>(loc, indices.back(), constant(first));
    Value elements =
        vector::LoadOp::create(builder, loc, VectorType::get(covered, type.getElementType()), buffer, indices);
    if (chosen == llvm::to_vector(llvm::seq<int64_t>(0, covered)))
      return elements;
    return vector::ShuffleOp::create(builder, loc, elements, elements, chosen);
  }

  Value getLaneIndices(unsigned loop, Lanes lanes) {
    int64_t inside = std::accumulate(ranges.begin() + loop + 1, ranges.end(), int64_t(1), std::multiplies<>());
    SmallVector<int64_t> steps;
    for (int64_t lane = 0; lane < lanes.count; ++lane)
      steps.push_back((lanes.first + lane * lanes.step) / inside % ranges[loop]);
    auto type = VectorType::get(lanes.count, builder.getIndexType());
    return arith::ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, ArrayRef(steps)));
  }

  const DotSum &sum;
  DotEmitter dots;
  unsigned numLoops;
  SmallVector<int64_t> ranges;
  /// Values of the body, with the indices of the loops that they depend on, and lanes.
  std::map<std::vector<void *>, Value> values;
};

} // namespace

void relax::emitDotSum(OpBuilder &builder, linalg::GenericOp op, const DotSum &sum, ValueRange extents,
                       DotProducts dots) {
  DotSumEmitter(builder, op, sum, extents, dots).emit();
}
