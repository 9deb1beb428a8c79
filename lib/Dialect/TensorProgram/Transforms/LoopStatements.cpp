//===- LoopStatements.cpp - Loop nests as structured statements -----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A nest with several stores is read as several nests, one per store. That keeps
// the meaning when two conditions hold for every pair of stores and every buffer
// that one of them writes and the other one touches: both touch the same element
// only in the same iteration of the loops they share, and within an iteration the
// order of the accesses is the order of the stores.
//
//===----------------------------------------------------------------------===//

#include "LoopStatements.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::tp;

static bool isLoop(Operation *op) { return isa<affine::AffineForOp, scf::ForOp>(op); }
static bool isLoad(Operation *op) { return isa<affine::AffineLoadOp, memref::LoadOp>(op); }
static bool isStore(Operation *op) { return isa<affine::AffineStoreOp, memref::StoreOp>(op); }

static Value getInductionVar(Operation *loop) {
  if (auto affineFor = dyn_cast<affine::AffineForOp>(loop))
    return affineFor.getInductionVar();
  return cast<scf::ForOp>(loop).getInductionVar();
}

static Value getBuffer(Operation *access) {
  if (auto op = dyn_cast<affine::AffineReadOpInterface>(access))
    return op.getMemRef();
  if (auto op = dyn_cast<affine::AffineWriteOpInterface>(access))
    return op.getMemRef();
  if (auto op = dyn_cast<memref::LoadOp>(access))
    return op.getMemRef();
  return cast<memref::StoreOp>(access).getMemRef();
}

static Value getStoredValue(Operation *store) {
  if (auto op = dyn_cast<affine::AffineStoreOp>(store))
    return op.getValueToStore();
  return cast<memref::StoreOp>(store).getValueToStore();
}

/// The order in which one iteration executes two accesses of a nest.
static bool isBefore(Operation *a, Operation *b) {
  Operation *ancestor = b->getBlock()->findAncestorOpInBlock(*a);
  if (ancestor)
    return ancestor != b && ancestor->isBeforeInBlock(b);
  ancestor = a->getBlock()->findAncestorOpInBlock(*b);
  if (ancestor)
    return a->isBeforeInBlock(ancestor);
  // Neither block contains the other: compare below the innermost common block.
  for (Block *block = a->getBlock(); block; block = block->getParentOp() ? block->getParentOp()->getBlock() : nullptr)
    if (Operation *other = block->findAncestorOpInBlock(*b))
      return block->findAncestorOpInBlock(*a)->isBeforeInBlock(other);
  return false;
}

LoopStatements::LoopStatements(ProgramOp program)
    : program(program), prover(program.getContext(), program.getProgramScope()) {}

LogicalResult LoopStatements::fail(Operation *op, const Twine &why) {
  reason = why.str();
  culprit = op;
  return failure();
}

//===- Structure ----------------------------------------------------------===//

LogicalResult LoopStatements::analyze() {
  for (Operation &op : program.getBody().front())
    if (failed(checkTopLevelOp(op)))
      return failure();
  return success();
}

LogicalResult LoopStatements::checkTopLevelOp(Operation &op) {
  if (isLoop(&op) || isStore(&op))
    return analyzeNest(&op);
  if (isa<YieldOp, memref::AllocOp, memref::AllocaOp, memref::DeallocOp, memref::DimOp>(op)) {
    if (isa<memref::AllocOp, memref::AllocaOp>(op) &&
        !cast<MemRefType>(op.getResult(0).getType()).getLayout().isIdentity())
      return fail(&op, "a local buffer has a layout");
    return success();
  }
  bool touchesBuffer = llvm::any_of(op.getOperandTypes(), llvm::IsaPred<BaseMemRefType>) ||
                       llvm::any_of(op.getResultTypes(), llvm::IsaPred<BaseMemRefType>);
  if (!touchesBuffer && op.getNumRegions() == 0 && isMemoryEffectFree(&op))
    return success();
  return fail(&op, "'" + op.getName().getStringRef() + "' is neither a loop nor a scalar computation");
}

/// Loops count from 0 in steps of 1 and carry no values.
LogicalResult LoopStatements::checkLoop(Operation *loop) {
  auto isConstant = [](Value value, int64_t expected) { return getConstantIntValue(value) == expected; };
  if (auto affineFor = dyn_cast<affine::AffineForOp>(loop)) {
    if (affineFor.getNumResults() != 0)
      return fail(loop, "the loop carries values");
    if (!affineFor.hasConstantLowerBound() || affineFor.getConstantLowerBound() != 0 || affineFor.getStepAsInt() != 1)
      return fail(loop, "the loop does not count from 0 in steps of 1");
  } else {
    auto scfFor = cast<scf::ForOp>(loop);
    if (scfFor.getNumResults() != 0)
      return fail(loop, "the loop carries values");
    if (!scfFor.getInductionVar().getType().isIndex() || !isConstant(scfFor.getLowerBound(), 0) ||
        !isConstant(scfFor.getStep(), 1))
      return fail(loop, "the loop does not count from 0 in steps of 1");
  }
  sym::SymExpr bound = getLoopBound(loop);
  if (!bound)
    return fail(loop, "the loop's upper bound is not an expression of the extents");
  bounds[loop] = bound;
  return success();
}

LogicalResult LoopStatements::analyzeNest(Operation *root) {
  SmallVector<Operation *> stores;
  llvm::SmallDenseSet<Value> written;
  WalkResult result = root->walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (isLoop(op))
      return checkLoop(op);
    if (isStore(op)) {
      stores.push_back(op);
      written.insert(getBuffer(op));
      return WalkResult::advance();
    }
    if (isLoad(op) || isa<affine::AffineYieldOp, scf::YieldOp, memref::DimOp>(op))
      return WalkResult::advance();
    if (op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>) ||
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>))
      return fail(op, "'" + op->getName().getStringRef() + "' cannot be part of a structured operation");
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();

  SmallVector<LoopStatement, 0> &statements = nests[root];
  for (Operation *store : stores)
    if (failed(collectStatement(store, root, statements.emplace_back())) ||
        failed(checkWrittenLoads(statements.back(), written)))
      return failure();
  for (auto [index, second] : llvm::enumerate(statements))
    for (const LoopStatement &first : ArrayRef(statements).take_front(index))
      if (failed(checkPair(first, second)))
        return failure();
  return success();
}

//===- One statement ------------------------------------------------------===//

LogicalResult LoopStatements::collectStatement(Operation *store, Operation *root, LoopStatement &statement) {
  for (Operation *op = store; op != root;) {
    op = op->getParentOp();
    statement.loops.push_back(op);
  }
  std::reverse(statement.loops.begin(), statement.loops.end());
  for (Operation *loop : statement.loops)
    statement.ivs.push_back(getInductionVar(loop));
  statement.value = getStoredValue(store);
  statement.store = {store, getBuffer(store), getAccessMap(store, statement.ivs)};
  if (!statement.store.map)
    return fail(store, "an index of the store is not affine in the loops");
  if (failed(collectSlice(statement, root)) || failed(classifyLoops(statement)) || failed(checkLoads(statement)))
    return failure();
  return checkReduction(statement);
}

/// Everything inside the nest that the stored value is computed from.
LogicalResult LoopStatements::collectSlice(LoopStatement &statement, Operation *root) {
  SmallVector<Value> worklist = {statement.value};
  llvm::SmallDenseSet<Operation *> seen;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || !root->isProperAncestor(op) || !seen.insert(op).second)
      continue;
    if (!isLoad(op))
      llvm::append_range(worklist, op->getOperands());
  }
  // Program order makes cloning easy.
  WalkResult result = root->walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (!seen.contains(op))
      return WalkResult::advance();
    if (!isLoad(op)) {
      statement.scalars.insert(op);
      return WalkResult::advance();
    }
    LoopAccess load{op, getBuffer(op), getAccessMap(op, statement.ivs)};
    if (!load.map)
      return fail(op, "an index of the load is not affine in the loops");
    bool isAccumulator = load.buffer == statement.store.buffer && load.map == statement.store.map;
    (isAccumulator ? statement.accumulators : statement.loads).push_back(load);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Loops that index the store are parallel and cover the whole buffer, the others reduce.
LogicalResult LoopStatements::classifyLoops(LoopStatement &statement) {
  statement.iterators.assign(statement.loops.size(), utils::IteratorType::reduction);
  for (auto [dim, expr] : llvm::enumerate(statement.store.map.getResults())) {
    auto iv = dyn_cast<AffineDimExpr>(expr);
    if (!iv || statement.iterators[iv.getPosition()] == utils::IteratorType::parallel)
      return fail(statement.store.op, "the store's indices are not distinct loops");
    statement.iterators[iv.getPosition()] = utils::IteratorType::parallel;
    if (!extentIs(statement.store.buffer, dim, statement.loops[iv.getPosition()]))
      return fail(statement.loops[iv.getPosition()],
                  "the loop's upper bound is not proved equal to dimension " + Twine(dim) + " of the stored buffer");
  }
  return success();
}

/// A linear form without negative parts, and within a static extent where all is static.
static bool isSafeIndex(AffineExpr expr, ArrayRef<std::optional<int64_t>> loopBounds, int64_t extent) {
  int64_t greatest = 0;
  bool isStatic = !ShapedType::isDynamic(extent);
  SmallVector<AffineExpr> terms = {expr};
  while (!terms.empty()) {
    AffineExpr term = terms.pop_back_val();
    int64_t coefficient = 1;
    if (auto binary = dyn_cast<AffineBinaryOpExpr>(term)) {
      if (binary.getKind() == AffineExprKind::Add) {
        terms.append({binary.getLHS(), binary.getRHS()});
        continue;
      }
      auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
      if (binary.getKind() != AffineExprKind::Mul || !factor)
        return false;
      coefficient = factor.getValue();
      term = binary.getLHS();
    }
    int64_t value = 0;
    if (auto constant = dyn_cast<AffineConstantExpr>(term)) {
      value = constant.getValue();
    } else if (auto iv = dyn_cast<AffineDimExpr>(term)) {
      std::optional<int64_t> bound = loopBounds[iv.getPosition()];
      isStatic &= bound.has_value();
      value = bound ? std::max<int64_t>(*bound, 1) - 1 : 0;
    } else {
      return false;
    }
    if (coefficient < 0 || value < 0 || llvm::MulOverflow(coefficient, value, value) ||
        llvm::AddOverflow(greatest, value, greatest))
      return false;
  }
  return !isStatic || greatest < extent;
}

/// The extents of what a structured operation reads must agree with its loops, and give the bound of each reduction.
LogicalResult LoopStatements::checkLoads(LoopStatement &statement) {
  auto loopBounds =
      llvm::map_to_vector(statement.loops, [&](Operation *loop) { return bounds.lookup(loop).getConstant(); });
  llvm::SmallDenseSet<unsigned> known;
  for (const LoopAccess &load : statement.loads) {
    if (load.buffer == statement.store.buffer)
      return fail(load.op, "the loop reads other elements of the buffer that it stores");
    for (auto [dim, expr] : llvm::enumerate(load.map.getResults())) {
      if (auto iv = dyn_cast<AffineDimExpr>(expr)) {
        if (!extentIs(load.buffer, dim, statement.loops[iv.getPosition()]))
          return fail(load.op, "dimension " + Twine(dim) + " of the loaded buffer is not proved equal to its loop");
        known.insert(iv.getPosition());
        continue;
      }
      if (!isSafeIndex(expr, loopBounds, cast<MemRefType>(load.buffer.getType()).getDimSize(dim)))
        return fail(load.op, "index " + Twine(dim) + " of the load is not a sum of loops within the buffer");
    }
  }
  for (auto [index, kind] : llvm::enumerate(statement.iterators))
    if (kind == utils::IteratorType::reduction && !known.contains(index))
      return fail(statement.loops[index], "no load shows the extent of the reduction loop");
  return success();
}

/// Operations whose order of combination does not matter.
static bool isCombiner(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

LogicalResult LoopStatements::checkReduction(LoopStatement &statement) {
  for (const LoopAccess &accumulator : statement.accumulators)
    if (accumulator.op->getBlock() != statement.store.op->getBlock())
      return fail(accumulator.op, "the stored element is loaded outside of the innermost loop");
  if (!llvm::is_contained(statement.iterators, utils::IteratorType::reduction))
    return success();
  if (statement.accumulators.size() != 1)
    return fail(statement.store.op, "each iteration overwrites the element that the previous one stored");
  Value accumulator = statement.accumulators.front().op->getResult(0);
  Operation *combiner = statement.value.getDefiningOp();
  if (!combiner || !isCombiner(combiner) || !accumulator.hasOneUse() || *accumulator.getUsers().begin() != combiner)
    return fail(statement.store.op, "the stored value is not an associative combination with the stored element");
  return success();
}

//===- Several statements -------------------------------------------------===//

LogicalResult LoopStatements::checkWrittenLoads(const LoopStatement &statement,
                                                const llvm::SmallDenseSet<Value> &written) {
  for (const LoopAccess &load : statement.loads)
    if (written.contains(load.buffer) && load.op->getBlock() != statement.store.op->getBlock())
      return fail(load.op, "a buffer that the nest writes is loaded outside of the innermost loop");
  return success();
}

LogicalResult LoopStatements::checkSameIteration(const LoopStatement &a, const LoopAccess &accessA,
                                                 const LoopStatement &b, const LoopAccess &accessB) {
  for (auto [index, loops] : llvm::enumerate(llvm::zip(a.loops, b.loops))) {
    if (std::get<0>(loops) != std::get<1>(loops))
      break;
    AffineExpr iv = getAffineDimExpr(index, program.getContext());
    bool fixed = llvm::any_of(llvm::zip(accessA.map.getResults(), accessB.map.getResults()),
                              [&](auto exprs) { return std::get<0>(exprs) == iv && std::get<1>(exprs) == iv; });
    if (!fixed)
      return fail(accessB.op, "another iteration of the loop may touch the same element");
  }
  return success();
}

LogicalResult LoopStatements::checkPair(const LoopStatement &first, const LoopStatement &second) {
  auto checkAccesses = [&](const LoopStatement &writer, const LoopStatement &reader,
                           bool writerFirst) -> LogicalResult {
    for (const LoopAccess &load : llvm::concat<const LoopAccess>(reader.loads, reader.accumulators)) {
      if (load.buffer != writer.store.buffer)
        continue;
      if (failed(checkSameIteration(writer, writer.store, reader, load)))
        return failure();
      if (isBefore(writer.store.op, load.op) != writerFirst)
        return fail(load.op, "the element is stored again between this load and the store that uses it");
    }
    return success();
  };
  if (failed(checkAccesses(first, second, true)) || failed(checkAccesses(second, first, false)))
    return failure();
  if (first.store.buffer == second.store.buffer)
    return checkSameIteration(first, first.store, second, second.store);
  return success();
}

//===- Indices and extents ------------------------------------------------===//

AffineExpr LoopStatements::getAffineExpr(Value value, ArrayRef<Value> ivs) {
  MLIRContext *context = program.getContext();
  if (const auto *it = llvm::find(ivs, value); it != ivs.end())
    return getAffineDimExpr(it - ivs.begin(), context);
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, context);
  Operation *op = value.getDefiningOp();
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getAffineMap();
    SmallVector<AffineExpr> operands;
    for (Value operand : apply.getMapOperands()) {
      operands.push_back(getAffineExpr(operand, ivs));
      if (!operands.back())
        return {};
    }
    ArrayRef<AffineExpr> all = operands;
    return map.getResult(0).replaceDimsAndSymbols(all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
  }
  if (!isa_and_nonnull<arith::AddIOp, arith::MulIOp, arith::SubIOp>(op) || !value.getType().isIndex())
    return {};
  AffineExpr lhs = getAffineExpr(op->getOperand(0), ivs), rhs = getAffineExpr(op->getOperand(1), ivs);
  if (!lhs || !rhs)
    return {};
  if (isa<arith::AddIOp>(op))
    return lhs + rhs;
  if (isa<arith::SubIOp>(op))
    return lhs - rhs;
  return lhs.isSymbolicOrConstant() || rhs.isSymbolicOrConstant() ? lhs * rhs : AffineExpr();
}

AffineMap LoopStatements::getAccessMap(Operation *op, ArrayRef<Value> ivs) {
  SmallVector<AffineExpr> indices;
  auto translateAffine = [&](AffineMap map, OperandRange operands) {
    SmallVector<AffineExpr> values;
    for (Value operand : operands) {
      AffineExpr expr = getAffineExpr(operand, ivs);
      if (!expr)
        return false;
      values.push_back(expr);
    }
    ArrayRef<AffineExpr> all = values;
    for (AffineExpr result : map.getResults())
      indices.push_back(
          result.replaceDimsAndSymbols(all.take_front(map.getNumDims()), all.drop_front(map.getNumDims())));
    return true;
  };
  bool known = true;
  if (auto load = dyn_cast<affine::AffineLoadOp>(op)) {
    known = translateAffine(load.getAffineMap(), load.getMapOperands());
  } else if (auto store = dyn_cast<affine::AffineStoreOp>(op)) {
    known = translateAffine(store.getAffineMap(), store.getMapOperands());
  } else {
    OperandRange operands =
        isa<memref::LoadOp>(op) ? cast<memref::LoadOp>(op).getIndices() : cast<memref::StoreOp>(op).getIndices();
    for (Value index : operands) {
      indices.push_back(getAffineExpr(index, ivs));
      known &= static_cast<bool>(indices.back());
    }
  }
  return known ? AffineMap::get(ivs.size(), 0, indices, program.getContext()) : AffineMap();
}

bool LoopStatements::extentIs(Value buffer, unsigned dim, Operation *loop) {
  sym::SymExpr extent = getExtent(buffer, dim), bound = bounds.lookup(loop);
  return extent && bound && (extent == bound || prover.isEqual(extent, bound) == sym::Verdict::True);
}

sym::SymExpr LoopStatements::getLoopBound(Operation *loop) {
  if (auto scfFor = dyn_cast<scf::ForOp>(loop))
    return getIndexExpr(scfFor.getUpperBound());
  auto affineFor = cast<affine::AffineForOp>(loop);
  AffineMap map = affineFor.getUpperBoundMap();
  SmallVector<Value> operands = llvm::to_vector(affineFor.getUpperBoundOperands());
  if (map.getNumResults() != 1)
    return {};
  return translate(map.getResult(0), operands, map.getNumDims());
}

/// Extents of arguments are known by their shapes, an unknown one gets a name of its own; those of local buffers by the
/// sizes they are made with.
sym::SymExpr LoopStatements::getExtent(Value buffer, unsigned dim) {
  MLIRContext *context = program.getContext();
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return sym::SymExpr::constant(context, type.getDimSize(dim));
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    if (argument.getOwner() != &program.getBody().front())
      return {};
    if (sym::SymExpr extent = program.getArgumentDims(argument.getArgNumber())[dim])
      return extent;
    return sym::SymExpr::symbol(context, ("$" + Twine(argument.getArgNumber()) + "." + Twine(dim)).str());
  }
  Operation *alloc = buffer.getDefiningOp();
  if (!isa<memref::AllocOp, memref::AllocaOp>(alloc))
    return {};
  return getIndexExpr(alloc->getOperand(type.getDynamicDimIndex(dim)));
}

/// Only values that are expressions of extents: those are never negative, as the prover assumes of symbols.
sym::SymExpr LoopStatements::getIndexExpr(Value value) {
  MLIRContext *context = program.getContext();
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return sym::SymExpr::constant(context, *constant);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Block::BlockArgListType scalars = program.getScalars();
    const auto *it = llvm::find(scalars, argument);
    return it == scalars.end() ? sym::SymExpr() : program.getProgramScalar(it - scalars.begin());
  }
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    if (!index || !type || *index < 0 || *index >= type.getRank())
      return {};
    return getExtent(dim.getSource(), *index);
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<Value> operands = llvm::to_vector(apply.getMapOperands());
    return translate(apply.getAffineMap().getResult(0), operands, apply.getAffineMap().getNumDims());
  }
  if (!value.getType().isIndex())
    return {};
  if (isa<arith::AddIOp>(op))
    return getIndexExpr(op->getOperand(0)) + getIndexExpr(op->getOperand(1));
  if (isa<arith::SubIOp>(op))
    return getIndexExpr(op->getOperand(0)) - getIndexExpr(op->getOperand(1));
  if (isa<arith::MulIOp>(op))
    return getIndexExpr(op->getOperand(0)) * getIndexExpr(op->getOperand(1));
  return {};
}

sym::SymExpr LoopStatements::translate(AffineExpr expr, ArrayRef<Value> operands, unsigned numDims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return sym::SymExpr::constant(program.getContext(), constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return getIndexExpr(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return getIndexExpr(operands[numDims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  sym::SymExpr lhs = translate(binary.getLHS(), operands, numDims), rhs = translate(binary.getRHS(), operands, numDims);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return sym::SymExpr::floordiv(lhs, rhs);
  case AffineExprKind::CeilDiv:
    return sym::SymExpr::ceildiv(lhs, rhs);
  default:
    return sym::SymExpr::mod(lhs, rhs);
  }
}
