//===- DotSums.cpp - Which contractions are sums of small products --------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "DotSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::relax;

/// Elements that one load may cover.
constexpr int64_t kMostCovered = 64;

/// A number of 8 bits, before it was made longer.
static Value getByte(Value value) {
  auto extension = value.getDefiningOp<arith::ExtSIOp>();
  return extension && extension.getIn().getType().isInteger(8) ? extension.getIn() : Value();
}

/// Adds `factor * value`; false when it is no sum of products.
static bool addTerms(Value value, int64_t factor, SmallVectorImpl<IntegerTerm> &terms) {
  constexpr int64_t kMostFactor = 1 << 8, kMostTerms = 8;
  if (std::abs(factor) > kMostFactor || terms.size() > kMostTerms)
    return false;
  if (Value byte = getByte(value)) {
    terms.push_back({factor, byte, Value()});
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return addTerms(op->getOperand(0), factor, terms) &&
           addTerms(op->getOperand(1), isa<arith::SubIOp>(op) ? -factor : factor, terms);
  auto product = dyn_cast_if_present<arith::MulIOp>(op);
  if (!product)
    return false;
  for (int place : {0, 1}) {
    Value one = op->getOperand(place), other = op->getOperand(1 - place);
    APInt constant;
    if (matchPattern(one, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 16)
      return addTerms(other, factor * constant.getSExtValue(), terms);
  }
  Value a = getByte(product.getLhs()), b = getByte(product.getRhs());
  if (!a || !b)
    return false;
  terms.push_back({factor, a, b});
  return true;
}

std::optional<SmallVector<IntegerTerm>> relax::getIntegerTerms(Value value) {
  SmallVector<IntegerTerm> terms;
  if (value.getType().isInteger(8))
    return SmallVector<IntegerTerm>{{1, value, Value()}};
  if (!value.getType().isInteger(32) || !addTerms(value, 1, terms))
    return std::nullopt;
  // A wrapped sum would be another number than the sum of the converted ones.
  int64_t most = 0;
  for (const IntegerTerm &term : terms)
    most += std::abs(term.factor) * (term.b ? 1 << 14 : 1 << 7) * DotSum::kQuad;
  if (most > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  return terms;
}

std::optional<GroupAccess> relax::getGroupAccess(linalg::GenericOp op, OpOperand &operand, unsigned firstLane) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> strides, ranges = op.getStaticLoopRanges();
  int64_t start;
  if (!type || failed(type.getStridesAndOffset(strides, start)) || strides.empty() || strides.back() != 1)
    return std::nullopt;
  MLIRContext *context = op.getContext();
  GroupAccess access{static_cast<unsigned>(type.getRank() - 1), {0}};
  // Inner loops last: what is there so far is repeated for each of their steps.
  for (unsigned loop = firstLane; loop < op.getNumLoops(); ++loop) {
    int64_t stride = 0;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      if (!expr.isFunctionOfDim(loop))
        continue;
      AffineExpr next = expr.replace(getAffineDimExpr(loop, context), getAffineDimExpr(loop, context) + 1);
      auto step = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(next - expr, map.getNumDims(), 0));
      if (!step || step.getValue() < 0 || ShapedType::isDynamic(strides[dim]))
        return std::nullopt;
      stride += step.getValue() * strides[dim];
      access.firstDim = std::min<unsigned>(access.firstDim, dim);
    }
    SmallVector<int64_t> offsets;
    for (int64_t offset : access.offsets)
      for (int64_t step = 0; step < ranges[loop]; ++step)
        offsets.push_back(offset + step * stride);
    access.offsets = std::move(offsets);
  }
  if (access.offsets.back() >= kMostCovered)
    return std::nullopt;
  // Several dimensions are read as one.
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (dim <= access.firstDim)
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  if (access.firstDim + 1 != type.getRank() && !memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
    return std::nullopt;
  return access;
}

namespace {
/// Reads a body as a sum that is linear in integers.
class LinearReader {
public:
  LinearReader(linalg::GenericOp op, unsigned firstLane)
      : loopsOf(findLoopsOfValues(op)), firstLane(firstLane), lane(op.getNumLoops() - 1) {}

  bool isLinear(Value value) const {
    Operation *op = value.getDefiningOp();
    if (auto conversion = dyn_cast_if_present<arith::SIToFPOp>(op); conversion && isInGroup(value))
      return conversion.getType().isF32() && getIntegerTerms(conversion.getIn());
    if (isa_and_nonnull<arith::AddFOp, arith::SubFOp>(op))
      return isLinear(op->getOperand(0)) && isLinear(op->getOperand(1));
    if (isa_and_nonnull<arith::MulFOp>(op))
      return (isFactor(op->getOperand(0)) && isLinear(op->getOperand(1))) ||
             (isFactor(op->getOperand(1)) && isLinear(op->getOperand(0)));
    return false;
  }
  /// The same for all steps of the innermost loop.
  bool isFactor(Value value) const {
    auto known = loopsOf.find(value);
    return known == loopsOf.end() || !known->second.test(lane);
  }

private:
  bool isInGroup(Value value) const { return loopsOf.find(value)->second.find_last() >= static_cast<int>(firstLane); }

  DenseMap<Value, llvm::SmallBitVector> loopsOf;
  unsigned firstLane, lane;
};
} // namespace

std::optional<DotSum> relax::chooseDotSum(linalg::GenericOp op) {
  if (!isLaneableSum(op) || !isVectorizable(op))
    return std::nullopt;
  auto combiner = dyn_cast<arith::AddFOp>(op.getBody()->getTerminator()->getOperand(0).getDefiningOp());
  if (!combiner || !combiner.getType().isF32())
    return std::nullopt;

  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  DotSum sum;
  int64_t group = 1;
  sum.firstLane = iterators.size();
  while (group < DotSum::kGroup) {
    if (sum.firstLane == 0 || iterators[sum.firstLane - 1] != utils::IteratorType::reduction ||
        ShapedType::isDynamic(ranges[sum.firstLane - 1]) || ranges[sum.firstLane - 1] == 0)
      return std::nullopt;
    group *= ranges[--sum.firstLane];
  }
  if (group != DotSum::kGroup || ranges.back() % DotSum::kQuad != 0)
    return std::nullopt;

  LinearReader reader(op, sum.firstLane);
  BlockArgument total = op.getRegionOutputArgs()[0];
  if (!reader.isLinear(combiner.getLhs() == total ? combiner.getRhs() : combiner.getLhs()))
    return std::nullopt;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool moves = false;
    for (unsigned loop = sum.firstLane; loop < iterators.size(); ++loop)
      moves |= map.isFunctionOfDim(loop);
    if (moves && !getGroupAccess(op, *input, sum.firstLane))
      return std::nullopt;
  }
  std::optional<SumSides> sides = chooseSides(op, sum.firstLane);
  if (!sides)
    return std::nullopt;
  sum.sides = *sides;
  sum.unrolled = countUnrolled(op, sum.firstLane, 1);
  return sum;
}
