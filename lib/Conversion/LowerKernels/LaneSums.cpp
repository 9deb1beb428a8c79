//===- LaneSums.cpp - Which contractions are added up in lanes ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "LaneSums.h"
#include "RegisterTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <numeric>

using namespace mlir;
using namespace mlir::relax;

/// Copies of the body for the loops that are written out: enough for the constants of a block of numbers to be shared.
constexpr int64_t kCopies = 8;

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

/// True when the result adds up what does not depend on it, in any order.
static bool isSum(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1)
    return false;
  BlockArgument sum = op.getRegionOutputArgs()[0];
  Operation *combiner = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || !sum.hasOneUse() || *sum.user_begin() != combiner)
    return false;
  if (auto add = dyn_cast<arith::AddFOp>(combiner))
    return arith::bitEnumContainsAll(add.getFastmath(), arith::FastMathFlags::reassoc);
  return isa<arith::AddIOp>(combiner) && sum.getType().isSignlessInteger();
}

DenseMap<Value, llvm::SmallBitVector> relax::findLoopsOfValues(linalg::GenericOp op) {
  unsigned numLoops = op.getNumLoops();
  DenseMap<Value, llvm::SmallBitVector> loops;
  for (OpOperand &operand : op->getOpOperands()) {
    llvm::SmallBitVector used(numLoops);
    for (unsigned loop = 0; loop < numLoops; ++loop)
      if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop))
        used.set(loop);
    loops[op.getMatchingBlockArgument(&operand)] = used;
  }
  for (Operation &inner : op.getBody()->without_terminator()) {
    llvm::SmallBitVector used(numLoops);
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      used.set(index.getDim());
    for (Value operand : inner.getOperands())
      if (auto known = loops.find(operand); known != loops.end())
        used |= known->second;
    for (Value result : inner.getResults())
      loops[result] = used;
  }
  return loops;
}

/// Operations along the lanes that depend on no other parallel loop than those of `group`.
static int64_t countWork(linalg::GenericOp op, ArrayRef<unsigned> group) {
  unsigned lane = op.getNumLoops() - 1;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  DenseMap<Value, llvm::SmallBitVector> loops = findLoopsOfValues(op);
  int64_t work = 0;
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (inner.getNumResults() == 0)
      continue;
    const llvm::SmallBitVector &used = loops.find(inner.getResult(0))->second;
    bool inside = used.test(lane);
    for (unsigned loop : used.set_bits())
      inside &= iterators[loop] == utils::IteratorType::reduction || llvm::is_contained(group, loop);
    work += inside;
  }
  return work;
}

std::optional<LaneSum> relax::chooseLaneSum(linalg::GenericOp op, int64_t vectorBits) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (iterators.empty() || iterators.back() != utils::IteratorType::reduction || !isSum(op) || !isVectorizable(op))
    return std::nullopt;
  OpOperand *init = op.getDpsInitOperand(0);
  if (!isa<MemRefType>(init->get().getType()) || !op.getMatchingIndexingMap(init).isProjectedPermutation())
    return std::nullopt;

  unsigned lane = iterators.size() - 1;
  LaneSum sum;
  if (ShapedType::isDynamic(ranges[lane]) || ranges[lane] == 0)
    return std::nullopt;
  sum.lanes = std::gcd(ranges[lane], vectorBits / getElementTypeOrSelf(init->get()).getIntOrFloatBitWidth());
  if (sum.lanes < 4)
    return std::nullopt;

  SmallVector<AffineMap> moving;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!isa<MemRefType>(input->get().getType()) || !map.isFunctionOfDim(lane))
      continue;
    if (!isUnitStride(input->get(), map, lane) && !getInterleaving(cast<MemRefType>(input->get().getType()), map, lane))
      return std::nullopt;
    moving.push_back(map);
  }
  if (moving.size() < 2)
    return std::nullopt;

  // Loops that one operand knows of belong to the same side; those that all know of share nothing.
  auto isParallel = [&](unsigned loop) { return iterators[loop] == utils::IteratorType::parallel; };
  llvm::EquivalenceClasses<unsigned> sides;
  auto isShared = [&](unsigned loop) {
    return isParallel(loop) && llvm::any_of(moving, [&](AffineMap map) { return !map.isFunctionOfDim(loop); }) &&
           llvm::any_of(moving, [&](AffineMap map) { return map.isFunctionOfDim(loop); });
  };
  for (AffineMap map : moving) {
    std::optional<unsigned> first;
    for (unsigned loop = 0; loop < iterators.size(); ++loop) {
      if (!isShared(loop) || !map.isFunctionOfDim(loop))
        continue;
      sides.insert(loop);
      sides.unionSets(first ? *first : loop, loop);
      first = loop;
    }
  }
  SmallVector<SmallVector<unsigned>> groups;
  for (const auto *leader : sides) {
    if (!leader->isLeader())
      continue;
    groups.emplace_back(sides.member_begin(*leader), sides.member_end());
    llvm::sort(groups.back());
  }
  if (groups.empty() || groups.size() > 2)
    return std::nullopt;
  // Between equals the order of the loops decides, not that of the classes.
  llvm::sort(groups);
  if (groups.size() == 2 && countWork(op, groups[1]) > countWork(op, groups[0]))
    std::swap(groups[0], groups[1]);
  sum.made = groups[0];
  if (groups.size() == 2)
    sum.used = groups[1];

  int64_t copies = ranges[lane] / sum.lanes;
  sum.unrolled = copies <= kCopies ? 1 : 0;
  for (unsigned loop = lane; sum.unrolled > 0 && loop-- > 0 && !isParallel(loop); ++sum.unrolled) {
    if (ShapedType::isDynamic(ranges[loop]) || ranges[loop] == 0 || llvm::MulOverflow(copies, ranges[loop], copies) ||
        copies > kCopies)
      break;
  }
  return sum;
}
