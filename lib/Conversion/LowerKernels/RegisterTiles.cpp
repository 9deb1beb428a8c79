//===- RegisterTiles.cpp - Which contractions have register tiles --------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RegisterTiles.h"
#include "PanelLayout.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/PatternKinds.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::relax;

/// 4 rows of 3 vectors, 3 factors and 1 broadcast fill 16 registers.
constexpr int64_t kRows = 4, kVectors = 3;
/// Steps of the reduction and tiles of columns in a copied block: 96 KiB of f32, which fit the second cache.
constexpr int64_t kBlockSteps = 256, kPanels = 4;
/// Steps of a reduction from which on a strided result is worth it.
constexpr int64_t kLeastStridedSteps = 32;

static bool isByteSized(Type type) { return type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0; }

/// True when one step of loop `dim` moves this access by one element: `dim` plus terms without it, in the last
/// position.
bool relax::isUnitStride(Value buffer, AffineMap map, unsigned dim) {
  auto type = dyn_cast<ShapedType>(buffer.getType());
  if (!type || map.getNumResults() == 0 || !isByteSized(type.getElementType()))
    return false;
  if (auto memref = dyn_cast<MemRefType>(type); memref && !memref.isLastDimUnitStride())
    return false;
  if (llvm::any_of(map.getResults().drop_back(), [&](AffineExpr expr) { return expr.isFunctionOfDim(dim); }))
    return false;
  AffineExpr self = getAffineDimExpr(dim, map.getContext());
  return !simplifyAffineExpr(map.getResults().back() - self, map.getNumDims(), 0).isFunctionOfDim(dim);
}

bool relax::isVectorizable(linalg::GenericOp op, std::optional<unsigned> column) {
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      if (index.getDim() == column)
        return false;
      continue;
    }
    if (inner.getNumRegions() != 0 || !isPure(&inner))
      return false;
    bool constant = inner.getNumOperands() == 0;
    if (!constant && !OpTrait::hasElementwiseMappableTraits(&inner))
      return false;
  }
  return true;
}

/// Copies blocks of `input` when the size of a block is known: all reduction loops but the first are static and short.
static bool choosePacking(linalg::GenericOp op, OpOperand *input, RegisterTile &tile) {
  AffineMap map = op.getMatchingIndexingMap(input);
  auto type = dyn_cast<ShapedType>(input->get().getType());
  if (!type || !isByteSized(type.getElementType()))
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t steps = kBlockSteps;
  bool first = true;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator != utils::IteratorType::reduction)
      continue;
    if (!map.isFunctionOfDim(loop))
      return false;
    if (!std::exchange(first, false))
      steps = ShapedType::isDynamic(ranges[loop]) || ranges[loop] == 0 ? 0 : steps / ranges[loop];
  }
  if (steps == 0)
    return false;
  tile.packed = input->getOperandNumber();
  tile.blockSteps = steps;
  return true;
}

/// The map of the only result, when the op is a reduction that may run on vectors.
static std::optional<AffineMap> getResultMap(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (map.getNumResults() == 0 || !map.isProjectedPermutation())
    return std::nullopt;
  return map;
}

/// The loop along the last dimension of the result, when the op may run on vectors along it.
static std::optional<unsigned> chooseColumn(linalg::GenericOp op) {
  std::optional<AffineMap> map = getResultMap(op);
  if (!map)
    return std::nullopt;
  unsigned column = map->getDimPosition(map->getNumResults() - 1);
  if (!isUnitStride(op.getDpsInitOperand(0)->get(), *map, column) || !isVectorizable(op, column))
    return std::nullopt;
  return column;
}

/// The loop whose columns lie in panels of some input, when the op may run on vectors along it. The result may be
/// strided along it: out channels of a convolution.
static std::optional<unsigned> findPanelColumn(linalg::GenericOp op) {
  std::optional<AffineMap> map = getResultMap(op);
  if (!map)
    return std::nullopt;
  for (AffineExpr expr : map->getResults()) {
    unsigned column = cast<AffineDimExpr>(expr).getPosition();
    bool inPanels = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      return getPanelAccess(op.getMatchingIndexingMap(input), column).has_value();
    });
    if (inPanels && isVectorizable(op, column))
      return column;
  }
  return std::nullopt;
}

static int64_t getNumLanes(linalg::GenericOp op, int64_t vectorBits) {
  return vectorBits / getElementTypeOrSelf(op.getDpsInitOperand(0)->get()).getIntOrFloatBitWidth();
}

std::optional<RegisterTile> relax::chooseRegisterTile(linalg::GenericOp op, int64_t vectorBits) {
  std::optional<unsigned> column = findPanelColumn(op);
  if (!column)
    column = chooseColumn(op);
  if (!column)
    return std::nullopt;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  RegisterTile tile;
  tile.column = *column;
  tile.rows = kRows;
  tile.vectors = kVectors;
  tile.panels = kPanels;
  tile.blockSteps = kBlockSteps;
  tile.lanes = getNumLanes(op, vectorBits);
  tile.packedElements = kBlockSteps * kPanels * kVectors * tile.lanes;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto isShort = [&](unsigned loop, int64_t least) {
    return !ShapedType::isDynamic(ranges[loop]) && ranges[loop] < least;
  };
  if (tile.lanes < 2 || isShort(tile.column, tile.lanes))
    return std::nullopt;

  // What has another stride along the columns can only be read from a copy, unless it is in panels.
  OpOperand *strided = nullptr, *panels = nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!isa<ShapedType>(input->get().getType()) && !input->get().getType().isIntOrFloat())
      return std::nullopt;
    if (!map.isFunctionOfDim(tile.column) || isUnitStride(input->get(), map, tile.column))
      continue;
    std::optional<PanelAccess> access = getPanelAccess(map, tile.column);
    if (panels || strided)
      return std::nullopt;
    bool whole = access && access->width % (tile.vectors * tile.lanes) == 0;
    (whole ? panels : strided) = input;
  }
  tile.inPanels = panels;

  // Rows: parallel loops whose steps read the same vector of some input, which the innermost such loop decides.
  OpOperand *shared = panels ? panels : strided;
  for (unsigned loop = iterators.size(); loop-- > 0 && !shared;) {
    if (iterators[loop] != utils::IteratorType::parallel || loop == tile.column || isShort(loop, kRows))
      continue;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (!shared && !map.isFunctionOfDim(loop) && map.isFunctionOfDim(tile.column))
        shared = input;
    }
  }
  if (!shared)
    return std::nullopt;
  int64_t rows = 1; // as far as known
  for (auto [loop, iterator] : llvm::enumerate(iterators)) {
    if (iterator != utils::IteratorType::parallel || loop == tile.column ||
        op.getMatchingIndexingMap(shared).isFunctionOfDim(loop))
      continue;
    tile.rowLoops.push_back(loop);
    rows = ShapedType::isDynamic(ranges[loop]) ? kRows : std::min(kRows, rows * std::min(kRows, ranges[loop]));
  }
  if (!panels && (rows < kRows || (!choosePacking(op, shared, tile) && strided)))
    return std::nullopt;
  return tile;
}

Value relax::getPackedValue(linalg::GenericOp op, const RegisterTile &tile) {
  Value value = op.getMatchingBlockArgument(&op->getOpOperand(*tile.packed));
  while (value.hasOneUse() && tp::isWidening(*value.user_begin()))
    value = value.user_begin()->getResult(0);
  return value;
}

/// How many columns of loop `column` make a panel of `input`.
static std::optional<int64_t> choosePanelWidth(linalg::GenericOp op, OpOperand &input, unsigned column,
                                               int64_t vectorBits) {
  AffineMap map = op.getMatchingIndexingMap(&input);
  auto type = dyn_cast<ShapedType>(input.get().getType());
  if (!type || !type.hasStaticShape() || !isByteSized(type.getElementType()) || !map.isProjectedPermutation() ||
      !map.isFunctionOfDim(column))
    return std::nullopt;
  int64_t lanes = getNumLanes(op, vectorBits), range = op.getStaticLoopRanges()[column];
  if (lanes < 2 || ShapedType::isDynamic(range) || range < lanes)
    return std::nullopt;
  bool shared = op.getNumParallelLoops() == 1;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool addressed = map.isFunctionOfDim(loop);
    if (iterator == utils::IteratorType::reduction && !addressed)
      return std::nullopt;
    shared |= !addressed;
    // Panels do not say how many columns there are: another operand must.
    AffineExpr self = getAffineDimExpr(loop, op.getContext());
    bool known =
        (addressed && loop != column) || llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
          return &operand != &input && llvm::is_contained(op.getMatchingIndexingMap(&operand).getResults(), self);
        });
    if (!known)
      return std::nullopt;
  }
  for (OpOperand *other : op.getDpsInputOperands()) {
    AffineMap otherMap = op.getMatchingIndexingMap(other);
    if (other != &input && otherMap.isFunctionOfDim(column) && !isUnitStride(other->get(), otherMap, column))
      return std::nullopt;
  }
  if (!shared)
    return std::nullopt;
  return kVectors * lanes;
}

std::optional<PanelChoice> relax::choosePanels(linalg::GenericOp op, OpOperand &input, int64_t vectorBits) {
  if (std::optional<unsigned> column = chooseColumn(op))
    if (std::optional<int64_t> width = choosePanelWidth(op, input, *column, vectorBits))
      return PanelChoice{*column, *width};
  // A strided result costs a scatter for each tile, which pays when a tile is whole and its sums are long.
  std::optional<AffineMap> map = getResultMap(op);
  int64_t steps = 1;
  for (auto [range, iterator] : llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      steps = ShapedType::isDynamic(range) ? kBlockSteps : steps * std::min(range, kBlockSteps);
  if (!map || steps < kLeastStridedSteps)
    return std::nullopt;
  for (AffineExpr expr : llvm::reverse(map->getResults().drop_back())) {
    unsigned column = cast<AffineDimExpr>(expr).getPosition();
    std::optional<int64_t> width = choosePanelWidth(op, input, column, vectorBits);
    if (width && op.getStaticLoopRanges()[column] >= *width && isVectorizable(op, column))
      return PanelChoice{column, *width};
  }
  return std::nullopt;
}
