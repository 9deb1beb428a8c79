//===- LaneSums.cpp - Which contractions are added up in lanes ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "LaneSums.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <numeric>

using namespace mlir;
using namespace mlir::relax;

std::optional<int64_t> relax::getInterleaving(ShapedType type, AffineMap map, unsigned lane) {
  constexpr int64_t kMost = 4;
  int64_t rank = type ? type.getRank() : 0;
  if (rank < 2 || map.getNumResults() != rank || type.isDynamicDim(rank - 1) || type.getDimSize(rank - 1) > kMost ||
      type.getElementTypeBitWidth() % 8 != 0)
    return std::nullopt;
  if (auto memref = dyn_cast<MemRefType>(type)) {
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < rank - 1; ++dim)
      groups.push_back({dim});
    groups.back().push_back(rank - 1);
    if (!memref::CollapseShapeOp::isGuaranteedCollapsible(memref, groups) || !memref.isLastDimUnitStride())
      return std::nullopt;
  }
  for (AffineExpr expr : map.getResults().drop_back(2))
    if (expr.isFunctionOfDim(lane))
      return std::nullopt;
  AffineExpr rest = map.getResult(rank - 2) - getAffineDimExpr(lane, map.getContext());
  if (!isa<AffineConstantExpr>(map.getResult(rank - 1)) ||
      simplifyAffineExpr(rest, map.getNumDims(), 0).isFunctionOfDim(lane))
    return std::nullopt;
  return type.getDimSize(rank - 1);
}

/// Where neither side computes anything by itself, a few rows are used and the many, or unknown number, stream by: each
/// of them is read once, for all of the few.
static void preferStreams(linalg::GenericOp op, unsigned lane, SumSides &sides) {
  constexpr int64_t kFew = 8;
  auto isFew = [&](ArrayRef<unsigned> loops) {
    int64_t rows = 1;
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    return llvm::all_of(loops, [&](unsigned loop) {
      return !ShapedType::isDynamic(ranges[loop]) && !llvm::MulOverflow(rows, ranges[loop], rows) && rows <= kFew;
    });
  };
  if (!sides.used.empty() && isFew(sides.made) && !isFew(sides.used) && countSideWork(op, sides.made, lane) == 0 &&
      countSideWork(op, sides.used, lane) == 0)
    std::swap(sides.made, sides.used);
}

std::optional<LaneSum> relax::chooseLaneSum(linalg::GenericOp op, int64_t vectorBits) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (iterators.empty() || iterators.back() != utils::IteratorType::reduction || !isLaneableSum(op) ||
      !isVectorizable(op))
    return std::nullopt;

  unsigned lane = iterators.size() - 1;
  LaneSum sum;
  if (ShapedType::isDynamic(ranges[lane]) || ranges[lane] == 0)
    return std::nullopt;
  sum.lanes =
      std::gcd(ranges[lane], vectorBits / getElementTypeOrSelf(op.getDpsInitOperand(0)->get()).getIntOrFloatBitWidth());
  if (sum.lanes < 4)
    return std::nullopt;

  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    auto type = dyn_cast<MemRefType>(input->get().getType());
    if (type && map.isFunctionOfDim(lane) && !isUnitStride(input->get(), map, lane) &&
        !getInterleaving(type, map, lane))
      return std::nullopt;
  }
  std::optional<SumSides> sides = chooseSides(op, lane);
  if (!sides)
    return std::nullopt;
  sum.sides = *sides;
  preferStreams(op, lane, sum.sides);
  sum.unrolled = countUnrolled(op, lane, ranges[lane] / sum.lanes);
  return sum;
}
