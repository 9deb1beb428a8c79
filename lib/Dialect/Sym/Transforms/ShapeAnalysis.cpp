//===- ShapeAnalysis.cpp - Symbolic extents of upstream IR ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ShapeAnalysis.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/IndexingMapOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;

static bool hasExtents(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && type.hasRank() && isa<RankedTensorType, MemRefType>(type);
}

/// Operands and results of such an op have one shape.
static bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) || op->hasTrait<OpTrait::SameOperandsAndResultShape>();
}

static bool isKnown(ArrayRef<SymExpr> dims) {
  return llvm::all_of(dims, [](SymExpr dim) { return static_cast<bool>(dim); });
}

ShapeAnalysis::ShapeAnalysis(FunctionOpInterface function) : function(function), evaluator(function.getContext()) {}

void ShapeAnalysis::run(Visitor visitor) {
  bindArguments();
  visit(function.getFunctionBody(), visitor);
}

void ShapeAnalysis::bindArguments() {
  // Names that the function gives stay its own.
  SmallVector<std::pair<Value, ShapeAttr>> given;
  auto reserve = [&](SymExpr expr) {
    if (expr)
      for (StringRef symbol : expr.getSymbols())
        evaluator.reserveSymbol(symbol);
  };
  for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
    auto shape = function.getArgAttrOfType<ShapeAttr>(index, kShapeAttrName);
    if (!hasExtents(argument) || !shape || shape.getDims().size() != evaluator.getDims(argument).size())
      continue;
    llvm::for_each(shape.getDims(), reserve);
    given.emplace_back(argument, shape);
  }
  auto facts = function->getAttrOfType<ScopeAttr>(kFactsAttrName);
  for (const Fact &fact : facts ? facts.getFacts() : ArrayRef<Fact>()) {
    reserve(fact.lhs);
    reserve(fact.rhs);
  }
  for (auto [argument, shape] : given) {
    SmallVector<SymExpr> dims = evaluator.getDims(argument);
    for (auto [dim, expr] : llvm::zip_equal(dims, shape.getDims()))
      if (dim && expr)
        evaluator.addFact({expr, Fact::Op::Equal, dim});
      else if (expr)
        dim = expr;
    evaluator.setDims(argument, dims);
  }
  for (const Fact &fact : facts ? facts.getFacts() : ArrayRef<Fact>())
    evaluator.addFact(fact);
  for (Value argument : function.getArguments())
    fillUnknown(argument);
}

/// Sizes that nothing determines get symbols.
void ShapeAnalysis::fillUnknown(Value value) {
  if (!hasExtents(value))
    return;
  SmallVector<SymExpr> dims = evaluator.getDims(value);
  for (SymExpr &dim : dims)
    if (!dim)
      dim = evaluator.makeSymbol();
  evaluator.setDims(value, dims);
}

//===- Control flow -------------------------------------------------------===//

void ShapeAnalysis::visit(Region &region, Visitor visitor) {
  for (Block &block : region)
    visit(block, visitor);
}

void ShapeAnalysis::visit(Block &block, Visitor visitor) {
  // What holds here says nothing beside.
  size_t known = evaluator.getFacts().size();
  for (BlockArgument argument : block.getArguments())
    fillUnknown(argument);
  for (Operation &op : block)
    visit(&op, visitor);
  evaluator.truncateFacts(known);
}

void ShapeAnalysis::visit(Operation *op, Visitor visitor) {
  // A loop is tried more than once.
  evaluator.forget(op);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    visitLoop(loop, visitor);
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    visitBranches(op, branch.getCondition(), visitor);
  } else {
    for (Region &region : op->getRegions())
      visit(region, visitor);
  }
  findResults(op);
  for (Value result : op->getResults())
    if (result.getType().isIndex() || result.getType().isInteger(64))
      if (!evaluator.getIndex(result))
        evaluator.setIndex(result, getBoundedValue(result, std::nullopt));
  visitor(op, evaluator);
  addFactsOf(op);
}

/// A counter that starts at a size and grows is one.
void ShapeAnalysis::bindCounters(LoopLikeOpInterface loop) {
  std::optional<SmallVector<Value>> counters = loop.getLoopInductionVars();
  std::optional<SmallVector<OpFoldResult>> lowers = loop.getLoopLowerBounds(), uppers = loop.getLoopUpperBounds();
  if (!counters || !lowers || !uppers)
    return;
  SymExpr zero = SymExpr::constant(loop.getContext(), 0);
  for (auto [counter, low, high] : llvm::zip(*counters, *lowers, *uppers)) {
    SymExpr lower = evaluator.getIndex(low), upper = evaluator.getIndex(high);
    if (!lower || evaluator.getProver().isLessEqual(zero, lower) != Verdict::True)
      continue;
    SymExpr symbol = evaluator.makeSymbol();
    evaluator.setIndex(counter, symbol);
    evaluator.addFact({lower, Fact::Op::LessEqual, symbol});
    evaluator.addFact({symbol, Fact::Op::Less, upper});
  }
}

void ShapeAnalysis::visitLoop(LoopLikeOpInterface loop, Visitor visitor) {
  size_t known = evaluator.getFacts().size();
  bindCounters(loop);
  SmallVector<Region *> regions = loop.getLoopRegions();
  std::optional<MutableArrayRef<OpOperand>> yields = loop.getYieldedValuesMutable();
  ResultRange results = loop->getResults();
  auto arguments = loop.getRegionIterArgs();
  MutableArrayRef<OpOperand> inits = loop.getInitsMutable();
  bool isPlain = regions.size() == 1 && regions.front()->hasOneBlock() && yields && arguments.size() == inits.size() &&
                 yields->size() == inits.size() && results.size() == inits.size();
  SmallVector<SmallVector<SymExpr>> kept;
  for (OpOperand &init : inits)
    kept.push_back(evaluator.getDims(init.get()));
  if (!isPlain) {
    // What iterations write to together keeps its extents.
    if (isa<DestinationStyleOpInterface>(loop.getOperation()) && arguments.size() == inits.size())
      for (auto [argument, dims] : llvm::zip_equal(arguments, kept))
        evaluator.setDims(argument, dims);
    for (Region &region : loop->getRegions())
      visit(region, visitor);
    evaluator.truncateFacts(known);
    return;
  }
  Block &body = regions.front()->front();
  // Extents stay what they were at the start where an iteration keeps them; tried without a visitor.
  for (bool stable = inits.empty(); !stable;) {
    stable = true;
    for (auto [argument, dims] : llvm::zip_equal(arguments, kept))
      if (hasExtents(argument)) {
        evaluator.setDims(argument, dims);
        fillUnknown(argument);
      }
    visit(body, [](Operation *, IndexEvaluator &) {});
    for (auto [argument, yielded, dims] : llvm::zip_equal(arguments, *yields, kept)) {
      if (!hasExtents(argument))
        continue;
      for (auto [before, after] : llvm::zip_equal(dims, evaluator.getDims(yielded.get())))
        if (before && before != after && (!after || evaluator.getProver().isEqual(before, after) != Verdict::True)) {
          before = SymExpr();
          stable = false;
        }
    }
  }
  visit(body, visitor);
  evaluator.truncateFacts(known);
  for (auto [result, dims] : llvm::zip_equal(results, kept))
    if (hasExtents(result))
      evaluator.setDims(result, dims);
}

void ShapeAnalysis::visitBranches(Operation *op, Value condition, Visitor visitor) {
  for (Region &region : op->getRegions()) {
    size_t known = evaluator.getFacts().size();
    Facts added;
    evaluator.addFacts(condition, region.getRegionNumber() == 0, added);
    for (const Fact &fact : added)
      evaluator.addFact(fact);
    visit(region, visitor);
    evaluator.truncateFacts(known);
  }
  // One extent from both branches, or none.
  for (OpResult result : op->getResults()) {
    if (!hasExtents(result))
      continue;
    SmallVector<SymExpr> common;
    for (Region &region : op->getRegions()) {
      Value yielded = region.front().getTerminator()->getOperand(result.getResultNumber());
      SmallVector<SymExpr> dims = evaluator.getDims(yielded);
      if (region.getRegionNumber() == 0) {
        common = dims;
        continue;
      }
      for (auto [dim, other] : llvm::zip_equal(common, dims))
        if (dim != other)
          dim = SymExpr();
    }
    SmallVector<SymExpr> written = evaluator.getDims(result);
    for (auto [dim, other] : llvm::zip_equal(written, common))
      if (!dim)
        dim = other;
    evaluator.setDims(result, written);
  }
}

//===- Results ------------------------------------------------------------===//

void ShapeAnalysis::findResults(Operation *op) {
  SmallVector<SmallVector<SymExpr>> shapes;
  bool missing = false;
  auto style = dyn_cast<DestinationStyleOpInterface>(op);
  for (OpResult result : op->getResults()) {
    SmallVector<SymExpr> dims = evaluator.getDims(result);
    if (style && hasExtents(result))
      if (OpOperand *init = style.getTiedOpOperand(result))
        for (auto [dim, other] : llvm::zip(dims, evaluator.getDims(init->get())))
          if (!dim)
            dim = other;
    if (isElementwise(op) && hasExtents(result))
      for (Value operand : op->getOperands())
        if (hasExtents(operand))
          for (auto [dim, other] : llvm::zip(dims, evaluator.getDims(operand)))
            if (!dim)
              dim = other;
    missing |= hasExtents(result) && !isKnown(dims);
    shapes.push_back(dims);
  }
  // Control flow was looked at above.
  bool isControlFlow = isa<RegionBranchOpInterface>(op);
  if (missing && !isControlFlow)
    reify(op, shapes);
  for (auto [result, dims] : llvm::zip_equal(op->getResults(), shapes)) {
    if (!hasExtents(result))
      continue;
    for (auto [index, dim] : llvm::enumerate(dims))
      if (!dim && !isControlFlow)
        dim = getBoundedValue(result, index);
    evaluator.setDims(result, dims);
    fillUnknown(result);
  }
}

void ShapeAnalysis::reify(Operation *op, MutableArrayRef<SmallVector<SymExpr>> shapes) {
  if (!isa<ReifyRankedShapedTypeOpInterface>(op))
    return;
  // What the interface writes to answer the question goes again.
  Operation *before = op->getPrevNode();
  OpBuilder builder(op);
  ReifiedRankedShapedTypeDims reified;
  if (succeeded(reifyResultShapes(builder, op, reified))) {
    size_t next = 0;
    for (auto [result, dims] : llvm::zip_equal(op->getResults(), shapes)) {
      if (!isa<ShapedType>(result.getType()) || next == reified.size())
        continue;
      for (auto [dim, size] : llvm::zip(dims, reified[next]))
        if (!dim && size)
          dim = evaluator.getIndex(size);
      ++next;
    }
  }
  while (Operation *made = op->getPrevNode()) {
    if (made == before)
      break;
    evaluator.forget(made);
    made->erase();
  }
}

/// The value in terms of what is directly before it, by upstream's bounds.
SymExpr ShapeAnalysis::getBoundedValue(Value value, std::optional<int64_t> dim) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<ValueBoundsOpInterface>(op))
    return {};
  AffineMap map;
  ValueDimList operands;
  auto stop = [&](Value other, std::optional<int64_t>, ValueBoundsConstraintSet &) { return other != value; };
  ValueBoundsConstraintSet::Variable variable =
      dim ? ValueBoundsConstraintSet::Variable(value, *dim) : ValueBoundsConstraintSet::Variable(value);
  if (failed(ValueBoundsConstraintSet::computeBound(map, operands, presburger::BoundType::EQ, variable, stop)) ||
      map.getNumResults() != 1)
    return {};
  SmallVector<SymExpr> exprs;
  for (auto [operand, position] : operands) {
    SmallVector<SymExpr> dims = evaluator.getDims(operand);
    exprs.push_back(!position                                      ? evaluator.getIndex(operand)
                    : static_cast<size_t>(*position) < dims.size() ? dims[*position]
                                                                   : SymExpr());
  }
  return evaluator.evaluate(map.getResult(0), ArrayRef(exprs).take_front(map.getNumDims()),
                            ArrayRef(exprs).drop_front(map.getNumDims()));
}

//===- Facts --------------------------------------------------------------===//

void ShapeAnalysis::addFactsOf(Operation *op) {
  SymExpr zero = SymExpr::constant(op->getContext(), 0);
  if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
    Facts added;
    evaluator.addFacts(assertion.getArg(), true, added);
    for (const Fact &fact : added)
      evaluator.addFact(fact);
  }
  // A size is not negative.
  for (Value result : op->getResults())
    if (hasExtents(result))
      for (SymExpr dim : evaluator.getDims(result))
        if (dim && !dim.getSymbol() && !dim.getConstant())
          evaluator.addFact({zero, Fact::Op::LessEqual, dim});
  // A cast keeps the extents, and the operands of an elementwise op have those of the result.
  bool isCast = isa<CastOpInterface>(op) && !isa<UnrealizedConversionCastOp>(op);
  if (op->getNumResults() == 1 && hasExtents(op->getResult(0)) && (isCast || isElementwise(op))) {
    SmallVector<SymExpr> after = evaluator.getDims(op->getResult(0));
    for (Value operand : op->getOperands())
      if (hasExtents(operand))
        if (SmallVector<SymExpr> before = evaluator.getDims(operand); before.size() == after.size())
          for (auto [from, to] : llvm::zip_equal(before, after))
            evaluator.addFact({from, Fact::Op::Equal, to});
  }
  // Operands that one loop walks through agree.
  if (auto indexed = dyn_cast<IndexingMapOpInterface>(op)) {
    DenseMap<unsigned, SymExpr> extents;
    SmallVector<AffineMap> maps = indexed.getIndexingMapsArray();
    for (auto [operand, map] : llvm::zip(op->getOperands(), maps)) {
      if (!hasExtents(operand))
        continue;
      for (auto [expr, dim] : llvm::zip(map.getResults(), evaluator.getDims(operand))) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (!loop || !dim)
          continue;
        auto [first, isNew] = extents.try_emplace(loop.getPosition(), dim);
        if (!isNew && first->second != dim)
          evaluator.addFact({first->second, Fact::Op::Equal, dim});
      }
    }
  }
}
