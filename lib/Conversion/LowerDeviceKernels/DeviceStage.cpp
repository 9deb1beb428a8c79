//===- DeviceStage.cpp - linalg ops as device functions -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "StageBuilder.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::relax;

Type relax::getStorageType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (element.isBF16())
    return IntegerType::get(element.getContext(), 16);
  bool isKnown = element.isInteger(8) || element.isInteger(16) || element.isInteger(32) || element.isInteger(64) ||
                 element.isF16() || element.isF32() || element.isF64();
  return isKnown ? element : Type();
}

LogicalResult relax::readLoops(linalg::GenericOp op, const DeviceScope &scope, StageLoops &loops, std::string &reason) {
  auto fail = [&](StringRef text) {
    if (reason.empty())
      reason = text.str();
    return failure();
  };
  loops.op = op;
  SmallVector<Size> flat;
  for (Value operand : op->getOperands())
    if (const DeviceView *view = scope.find(operand))
      llvm::append_range(flat, view->sizes);
    else if (isa<MemRefType>(operand.getType()))
      return fail("uses memory of an unknown place");
  AffineMap map = op.getShapesToLoopsMap();
  if (!map || map.getNumDims() != flat.size())
    return fail("has loops whose length no operand shows");
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return fail("has loops whose length no operand shows");
    loops.sizes.push_back(flat[dim.getPosition()]);
  }
  for (auto [index, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      loops.reduction.push_back(index);
    else if (kind != utils::IteratorType::parallel)
      return fail("has a loop that is neither parallel nor a reduction");
  unsigned numParallel = loops.sizes.size() - loops.reduction.size();
  for (OpOperand &out : op.getDpsInitsMutable()) {
    SmallVector<unsigned> walked;
    for (AffineExpr expr : op.getMatchingIndexingMap(&out).getResults()) {
      if (isa<AffineConstantExpr>(expr))
        continue;
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || llvm::is_contained(loops.reduction, dim.getPosition()) ||
          llvm::is_contained(walked, dim.getPosition()))
        return fail("writes elements in an order that is not that of its loops");
      walked.push_back(dim.getPosition());
    }
    if (walked.size() != numParallel)
      return fail("writes an element several times");
    if (loops.parallel.empty())
      loops.parallel = walked;
  }
  return success();
}

std::optional<SmallVector<Operation *>> relax::matchCombiners(linalg::GenericOp op) {
  SmallVector<Operation *> combiners;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    SmallVector<Operation *> found;
    if (!matchReduction(op.getRegionOutputArgs(), i, found) || found.size() != 1 || found[0]->getNumOperands() != 2 ||
        !found[0]->hasTrait<OpTrait::IsCommutative>() || !arith::getNeutralElement(found[0]))
      return std::nullopt;
    combiners.push_back(found[0]);
  }
  return combiners;
}

std::optional<SmallVector<unsigned>> relax::getPlainDims(AffineMap map, const DeviceView *view) {
  SmallVector<unsigned> dims;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr);
        constant && constant.getValue() == 0 && view && getConstantIntValue(view->sizes[position]) == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || llvm::is_contained(dims, dim.getPosition()))
      return std::nullopt;
    dims.push_back(dim.getPosition());
  }
  return dims;
}

//===----------------------------------------------------------------------===//
// Constants before reductions
//===----------------------------------------------------------------------===//

static bool writesEveryElement(linalg::GenericOp op, const StageLoops &loops, OpOperand *out,
                               const DeviceScope &scope) {
  auto dims = getPlainDims(op.getMatchingIndexingMap(out), scope.find(out->get()));
  return dims && dims->size() == loops.parallel.size();
}

/// The constant that an op writes to every element of its result; null when it does something else.
static Operation *findFill(linalg::GenericOp op, const DeviceScope &scope) {
  std::string reason;
  StageLoops loops;
  if (op.getNumDpsInits() != 1 || failed(readLoops(op, scope, loops, reason)) || !loops.reduction.empty() ||
      !writesEveryElement(op, loops, op.getDpsInitOperand(0), scope))
    return nullptr;
  Value value = op.getBody()->getTerminator()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == op.getBody())
    value = op.getMatchingOpOperand(argument)->get();
  Operation *constant = value.getDefiningOp();
  return constant && constant->hasTrait<OpTrait::ConstantLike>() && !isa<MemRefType>(value.getType()) ? constant
                                                                                                      : nullptr;
}

/// Roots that an op reads or writes.
static SmallVector<unsigned> findRoots(linalg::GenericOp op, const DeviceScope &scope) {
  llvm::SetVector<Value> values;
  getUsedValuesDefinedAbove(op.getRegion(), values);
  values.insert(op->operand_begin(), op->operand_end());
  SmallVector<unsigned> roots;
  for (Value value : values)
    if (const DeviceView *view = scope.find(value); view && !llvm::is_contained(roots, view->root))
      roots.push_back(view->root);
  return roots;
}

/// The result of `op` through which a fill is all that it reads of `memref`.
static OpOperand *findUpdated(linalg::GenericOp op, Value memref, const DeviceScope &scope) {
  unsigned root = scope.find(memref)->root, uses = 0;
  llvm::SetVector<Value> values;
  getUsedValuesDefinedAbove(op.getRegion(), values);
  for (Value value : values)
    if (const DeviceView *view = scope.find(value); view && view->root == root)
      return nullptr;
  OpOperand *updated = nullptr;
  for (OpOperand &operand : op->getOpOperands()) {
    const DeviceView *view = scope.find(operand.get());
    if (!view || view->root != root)
      continue;
    ++uses;
    bool isSame = operand.get() == memref || (view->isWhole() && scope.find(memref)->isWhole());
    if (isSame && op.isDpsInit(&operand))
      updated = &operand;
  }
  return uses == 1 ? updated : nullptr;
}

/// Drops fills whose value only the next op that uses the memory reads, and writes over everywhere.
static SmallVector<linalg::GenericOp> foldFills(ArrayRef<linalg::GenericOp> ops, DeviceScope &scope) {
  SmallVector<linalg::GenericOp> kept;
  for (size_t index = 0; index < ops.size(); ++index) {
    linalg::GenericOp op = ops[index];
    Operation *constant = findFill(op, scope);
    OpOperand *updated = nullptr;
    if (constant) {
      Value memref = op.getDpsInits()[0];
      unsigned root = scope.find(memref)->root;
      auto rest = ops.drop_front(index + 1);
      const auto *next = llvm::find_if(
          rest, [&](linalg::GenericOp other) { return llvm::is_contained(findRoots(other, scope), root); });
      StageLoops loops;
      std::string reason;
      if (next != rest.end() && succeeded(readLoops(*next, scope, loops, reason)))
        updated = findUpdated(*next, memref, scope);
      if (updated) {
        linalg::GenericOp user = *next;
        if (!writesEveryElement(user, loops, updated, scope))
          updated = nullptr;
      }
    }
    if (updated)
      scope.initial[updated] = constant;
    else
      kept.push_back(op);
  }
  return kept;
}

LogicalResult relax::emitStages(ArrayRef<linalg::GenericOp> ops, DeviceScope &scope, gpu::GPUModuleOp module,
                                std::string &reason) {
  SmallVector<linalg::GenericOp> kept = foldFills(ops, scope);
  SmallVector<SmallVector<unsigned>> users(scope.rootTypes.size());
  for (auto [index, op] : llvm::enumerate(kept))
    for (unsigned root : findRoots(op, scope))
      users[root].push_back(index);
  for (size_t next = 0; next < kept.size();) {
    StageQueue queue{ArrayRef(kept).drop_front(next), static_cast<unsigned>(next), users};
    unsigned taken = emitTileStage(queue, scope, module);
    if (!taken)
      taken = emitRowStage(queue, scope, module);
    if (!taken)
      taken = emitTransposeStage(queue, scope, module);
    if (!taken) {
      if (failed(emitSerialStage(kept[next], scope, module, reason)))
        return failure();
      taken = 1;
    }
    next += taken;
  }
  return success();
}
