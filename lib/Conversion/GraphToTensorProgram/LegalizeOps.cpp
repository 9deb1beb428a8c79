//===- LegalizeOps.cpp - relax-legalize-ops -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/ProgramLibrary.h"
#include "RelaxDialect/Conversion/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::relax {
#define GEN_PASS_DEF_LEGALIZEOPSPASS
#include "RelaxDialect/Conversion/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

namespace {
/// Prepares the computing ops of one function: operands have known extents and what their rules say is checked, so that the
/// programs may rely on both.
class Preparation {
public:
  explicit Preparation(func::FuncOp function) : function(function), names(function), scope(sym::getScope(function)) {
    if (scope)
      facts.append(scope.getFacts().begin(), scope.getFacts().end());
  }

  void visit(Region &region) {
    for (Block &block : region) {
      // What is asserted here holds in what follows and inside, not beside.
      size_t known = facts.size();
      for (Operation &op : llvm::make_early_inc_range(block)) {
        for (Region &inner : op.getRegions())
          visit(inner);
        visit(&op);
      }
      facts.truncate(known);
    }
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
    for (const sym::Fact &rule : computing.getShapeRules()) {
      sym::Prover prover(op->getContext(), facts);
      if (prover.holds(rule) == sym::Verdict::True)
        continue;
      OpBuilder builder(op);
      createShapeAssertion(builder, op->getLoc(), rule, op->getOperands(), getMessage(op));
      facts.push_back(rule);
    }
  }

  static std::string getMessage(Operation *op) {
    std::string text = op->getName().getStringRef().str() + ": the extents";
    for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
      text += (index == 0 ? " " : ", ") + formatDims(sym::getSymbolicDims(type));
    return text + " do not fit";
  }

  /// Gives the result its exact extents; other users see the type that was written.
  void makeExact(Operation *op) {
    if (!isa<InferredShapeOpInterface>(op))
      return;
    Value result = op->getResult(0);
    Type written = result.getType(), exact = getExactType(op);
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

  func::FuncOp function;
  FreshSymbols names;
  sym::ScopeAttr scope;
  /// Facts of the function, then what dominating assertions say.
  SmallVector<sym::Fact> facts;
  DenseMap<Value, Value> knownValues;
};

struct LegalizeOpsPass final : relax::impl::LegalizeOpsPassBase<LegalizeOpsPass> {
  using Base::Base;

  void runOnOperation() override {
    ProgramLibrary library(getOperation());
    RewritePatternSet patterns(&getContext());
    populateElementwiseToTensorProgramPatterns(patterns, library);
    populateReductionToTensorProgramPatterns(patterns, library);
    populateLinearAlgebraToTensorProgramPatterns(patterns, library);
    populateManipulationToTensorProgramPatterns(patterns, library);
    populateCreationToTensorProgramPatterns(patterns, library);
    populateSearchToTensorProgramPatterns(patterns, library);
    FrozenRewritePatternSet frozen(std::move(patterns));
    for (func::FuncOp function : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      Preparation(function).visit(function.getBody());
      walkAndApplyPatterns(function, frozen);
    }
  }
};
} // namespace
