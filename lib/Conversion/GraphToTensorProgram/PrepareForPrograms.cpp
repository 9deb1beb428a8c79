//===- PrepareForPrograms.cpp - Known extents, checked rules --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/ProgramLibrary.h"
#include "RelaxDialect/Dialect/Graph/Transforms/BranchFacts.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {
/// Prepares the computing ops of one function.
class Preparation {
public:
  explicit Preparation(func::FuncOp function) : function(function), names(function), scope(sym::getScope(function)) {
    if (scope)
      facts.append(scope.getFacts().begin(), scope.getFacts().end());
  }

  void visit(Region &region) {
    // What control flow and assertions say here holds in what follows and inside, not beside.
    size_t outside = facts.size();
    collectRegionFacts(region, facts);
    for (Block &block : region) {
      size_t known = facts.size();
      for (Operation &op : llvm::make_early_inc_range(block)) {
        for (Region &inner : op.getRegions())
          visit(inner);
        visit(&op);
      }
      facts.truncate(known);
    }
    facts.truncate(outside);
  }

private:
  void visit(Operation *op) {
    if (auto assertion = dyn_cast<AssertShapeOp>(op)) {
      if (FailureOr<sym::Fact> fact = assertion.getParsedFact(); succeeded(fact))
        facts.push_back(*fact);
      return;
    }
    if (!isa<InferredShapeOpInterface, UniqueOp>(op))
      return;
    for (OpOperand &operand : op->getOpOperands())
      operand.set(getKnown(operand.get()));
    checkRules(op);
    makeExact(op);
  }

  /// The same value with a type without unknown extents.
  Value getKnown(Value value) {
    if (auto erased = value.getDefiningOp<EraseShapeOp>(); erased && hasKnownExtents(erased.getSource()))
      return erased.getSource();
    if (!isa<RankedTensorType, ShapeType>(value.getType()) || hasKnownExtents(value))
      return value;
    Value &known = knownValues[value];
    if (!known) {
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(value);
      known = nameUnknownExtents(builder, value.getLoc(), value, names);
      ensureScope(function);
      scope = sym::getScope(function);
    }
    return known;
  }

  /// `relax-insert-checks` may not have run, or may have known less.
  void checkRules(Operation *op) {
    auto computing = dyn_cast<ShapeRuleOpInterface>(op);
    if (!computing || isAssured(op))
      return;
    for (const ShapeRule &rule : computing.getShapeRules()) {
      sym::Fact fact = rule.getFact();
      if (llvm::is_contained(facts, fact))
        continue;
      sym::Prover prover(op->getContext(), getRelevantFacts(facts, rule.anyOf));
      if (llvm::any_of(rule.anyOf, [&](const sym::Fact &each) { return prover.holds(each) == sym::Verdict::True; }))
        continue;
      OpBuilder builder(op);
      createShapeAssertion(builder, op->getLoc(), fact, op->getOperands(), formatBrokenRule(op, rule));
      facts.push_back(fact);
    }
  }

  /// Gives the result its exact extents; other users see the type that was written.
  void makeExact(Operation *op) {
    auto shaped = dyn_cast<InferredShapeOpInterface>(op);
    if (!shaped)
      return;
    Value result = op->getResult(0);
    Type written = result.getType();
    SmallVector<SymExpr> dims = shaped.getExactDims();
    nameDecidedLate(op, dims);
    Type exact = withSymbolicDims(written, dims);
    if (written == exact)
      return;
    sym::Prover prover(op->getContext(), scope);
    result.setType(exact);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value cast = castToType(builder, op->getLoc(), result, written, prover);
    SmallPtrSet<Operation *, 2> casts;
    for (Operation *user = cast.getDefiningOp(); user != op; user = user->getOperand(0).getDefiningOp())
      casts.insert(user);
    result.replaceAllUsesExcept(cast, casts);
  }

  /// An extent that a run-time comparison decides is a long expression. It gets a symbol of its own.
  void nameDecidedLate(Operation *op, MutableArrayRef<SymExpr> dims) {
    SmallVector<Type> inferred;
    if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(op->getContext(), std::nullopt, op->getOperands(),
                                                               op->getDiscardableAttrDictionary(),
                                                               op->getPropertiesStorage(), op->getRegions(), inferred)))
      return;
    OpBuilder builder(op);
    for (auto [dim, sure] : llvm::zip_equal(dims, sym::getSymbolicDims(inferred.front()))) {
      if (sure || dim.getSymbol() || dim.getConstant())
        continue;
      SmallVector<Value> shapes;
      for (Value operand : op->getOperands())
        shapes.push_back(isa<ShapeType>(operand.getType()) ? operand
                                                           : ShapeOfOp::create(builder, op->getLoc(), operand));
      MLIRContext *context = op->getContext();
      Value shape = MakeShapeOp::create(builder, op->getLoc(), ShapeType::get(context, dim), shapes);
      std::string name = names.make("d");
      dim = SymExpr::symbol(context, name);
      MatchCastOp::create(builder, op->getLoc(), ShapeType::get(context, dim), shape,
                          builder.getStrArrayAttr(StringRef(name)));
    }
  }

  func::FuncOp function;
  FreshSymbols names;
  sym::ScopeAttr scope;
  /// Facts of the function, then what dominating assertions say.
  SmallVector<sym::Fact> facts;
  DenseMap<Value, Value> knownValues;
};

} // namespace

void relax::prepareForPrograms(func::FuncOp function) { Preparation(function).visit(function.getBody()); }
