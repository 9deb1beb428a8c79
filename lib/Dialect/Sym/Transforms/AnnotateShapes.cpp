//===- AnnotateShapes.cpp - relax-annotate-shapes -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/Transforms/Passes.h"
#include "ShapeAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#define DEBUG_TYPE "relax-annotate-shapes"

namespace mlir::relax::sym {
#define GEN_PASS_DEF_ANNOTATESHAPESPASS
#include "RelaxDialect/Dialect/Sym/Transforms/Passes.h.inc"
} // namespace mlir::relax::sym

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;

static std::string formatDims(ArrayRef<SymExpr> dims) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printSymExprList(os, dims);
  return text;
}

static bool isDynamic(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() && !shaped.hasStaticShape();
}

namespace {
/// What becomes of a value: another value or a number.
struct Replacement {
  Value from, to;
  std::optional<int64_t> number;
};

class Annotator {
public:
  Annotator(FunctionOpInterface function, bool fold)
      : function(function), fold(fold), dominance(function), analysis(function) {}

  void run() {
    analysis.run([&](Operation *op, IndexEvaluator &evaluator) {
      annotate(op, evaluator);
      compare(op, evaluator);
      if (fold)
        findEqual(op, evaluator);
    });
    annotateSignature(analysis.getEvaluator());
    apply();
  }

private:
  //===- Attributes -----------------------------------------------------------===//

  static ShapeAttr makeShape(Value value, IndexEvaluator &evaluator) {
    SmallVector<SymExpr> dims = evaluator.getDims(value);
    for (SymExpr &dim : dims)
      if (dim)
        dim = evaluator.simplify(dim);
    return ShapeAttr::get(value.getContext(), dims);
  }

  void annotate(Operation *op, IndexEvaluator &evaluator) {
    if (op->hasTrait<OpTrait::ReturnLike>() && op->getParentOp() == function.getOperation())
      addReturned(op, evaluator);
    if (llvm::none_of(op->getResultTypes(), isDynamic))
      return;
    SmallVector<Attribute> shapes;
    for (OpResult result : op->getResults()) {
      if (!isa<RankedTensorType, MemRefType>(result.getType())) {
        shapes.push_back(UnitAttr::get(op->getContext()));
        continue;
      }
      ShapeAttr shape = makeShape(result, evaluator);
      shapes.push_back(shape);
      if (isDynamic(result.getType()))
        remark::analysis(op->getLoc(), remark::RemarkOpts::name("Extents").category(DEBUG_TYPE))
            << "result " + std::to_string(result.getResultNumber()) + " is " + formatDims(shape.getDims());
    }
    op->setAttr(kShapesAttrName, ArrayAttr::get(op->getContext(), shapes));
  }

  /// What every return gives.
  void addReturned(Operation *op, IndexEvaluator &evaluator) {
    for (auto [index, value] : llvm::enumerate(op->getOperands())) {
      SmallVector<SymExpr> dims;
      if (isDynamic(value.getType()))
        dims = llvm::to_vector(makeShape(value, evaluator).getDims());
      if (index == returned.size()) {
        returned.push_back(dims);
        continue;
      }
      if (index < returned.size() && returned[index].size() == dims.size())
        for (auto [dim, other] : llvm::zip_equal(returned[index], dims))
          if (dim != other)
            dim = SymExpr();
    }
  }

  void annotateSignature(IndexEvaluator &evaluator) {
    llvm::StringSet<> shown;
    for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
      if (!isDynamic(argument.getType()))
        continue;
      SmallVector<SymExpr> dims = evaluator.getDims(argument);
      for (SymExpr dim : dims)
        for (StringRef symbol : dim.getSymbols())
          shown.insert(symbol);
      function.setArgAttr(index, kShapeAttrName, ShapeAttr::get(function.getContext(), dims));
    }
    // Callers know the symbols of the arguments only.
    for (auto [index, dims] : llvm::enumerate(returned)) {
      if (dims.empty() || index >= function.getNumResults())
        continue;
      for (SymExpr &dim : dims)
        if (dim && !llvm::all_of(dim.getSymbols(), [&](StringRef symbol) { return shown.contains(symbol); }))
          dim = SymExpr();
      function.setResultAttr(index, kShapeAttrName, ShapeAttr::get(function.getContext(), dims));
    }
  }

  //===- Proofs ---------------------------------------------------------------===//

  /// Conditions that are decided.
  void compare(Operation *op, IndexEvaluator &evaluator) {
    if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      Verdict verdict = evaluator.getVerdict(assertion.getArg());
      if (verdict == Verdict::Depends)
        return;
      remark::analysis(op->getLoc(), remark::RemarkOpts::name("Assertion").category(DEBUG_TYPE))
          << (verdict == Verdict::True ? "the assertion always holds" : "the assertion never holds");
      if (verdict == Verdict::True && fold)
        erased.push_back(op);
      return;
    }
    auto comparison = dyn_cast<arith::CmpIOp>(op);
    if (!comparison)
      return;
    Verdict verdict = evaluator.getVerdict(comparison.getResult());
    if (verdict == Verdict::Depends)
      return;
    SymExpr lhs = evaluator.getIndex(comparison.getLhs()), rhs = evaluator.getIndex(comparison.getRhs());
    if (lhs && rhs)
      remark::analysis(op->getLoc(), remark::RemarkOpts::name("Comparison").category(DEBUG_TYPE))
          << "always " + std::string(verdict == Verdict::True ? "true" : "false") + ": " +
                 arith::stringifyCmpIPredicate(comparison.getPredicate()).str() + " of " + lhs.str() + " and " +
                 rhs.str();
    if (fold)
      replacements.push_back({comparison.getResult(), Value(), verdict == Verdict::True});
  }

  /// Sizes that another value, or a number, is too.
  void findEqual(Operation *op, IndexEvaluator &evaluator) {
    if (op->getNumRegions() != 0 || !isMemoryEffectFree(op) || matchPattern(op, m_Constant()))
      return;
    for (Value result : op->getResults()) {
      if (!result.getType().isIndex() && !result.getType().isInteger(64))
        continue;
      SymExpr expr = evaluator.getIndex(result);
      if (!expr)
        continue;
      SymExpr simple = evaluator.simplify(expr);
      if (std::optional<int64_t> number = simple.getConstant()) {
        replacements.push_back({result, Value(), number});
        continue;
      }
      Value equal = findLeader(result, simple);
      if (!equal)
        equal = findLeader(result, expr);
      if (!equal)
        equal = findOperand(op, result, expr, evaluator);
      if (equal) {
        replacements.push_back({result, equal, std::nullopt});
        continue;
      }
      leaders[expr].push_back(result);
      if (simple != expr)
        leaders[simple].push_back(result);
    }
  }

  Value findLeader(Value value, SymExpr expr) {
    for (Value leader : leaders.lookup(expr))
      if (leader.getType() == value.getType() && dominance.properlyDominates(leader, value.getDefiningOp()))
        return leader;
    return {};
  }

  /// The smaller of n and n + 1 is n.
  static Value findOperand(Operation *op, Value result, SymExpr expr, IndexEvaluator &evaluator) {
    for (Value operand : op->getOperands())
      if (operand.getType() == result.getType())
        if (SymExpr other = evaluator.getIndex(operand);
            other && evaluator.getProver().isEqual(other, expr) == Verdict::True)
          return operand;
    return {};
  }

  //===- Changes --------------------------------------------------------------===//

  void apply() {
    DenseMap<Value, Value> replaced;
    for (Replacement &replacement : replacements) {
      Operation *op = replacement.from.getDefiningOp();
      OpBuilder builder(op);
      Value to = replacement.to;
      if (auto later = replaced.find(to); to && later != replaced.end())
        to = later->second;
      if (!to) {
        Type type = replacement.from.getType();
        TypedAttr number = type.isInteger(1) ? TypedAttr(builder.getBoolAttr(*replacement.number != 0))
                                             : builder.getIntegerAttr(type, *replacement.number);
        to = arith::ConstantOp::create(builder, op->getLoc(), number);
      }
      replaced[replacement.from] = to;
      replacement.from.replaceAllUsesWith(to);
    }
    for (Operation *op : erased)
      op->erase();
    llvm::SetVector<Operation *> unused;
    for (const Replacement &replacement : replacements)
      unused.insert(replacement.from.getDefiningOp());
    for (Operation *op : llvm::reverse(unused))
      if (op->use_empty())
        op->erase();
  }

  FunctionOpInterface function;
  bool fold;
  DominanceInfo dominance;
  ShapeAnalysis analysis;
  /// Extents of the function's results; empty for static ones.
  SmallVector<SmallVector<SymExpr>> returned;
  DenseMap<SymExpr, SmallVector<Value, 1>> leaders;
  SmallVector<Replacement> replacements;
  SmallVector<Operation *> erased;
};

struct AnnotateShapesPass final : mlir::relax::sym::impl::AnnotateShapesPassBase<AnnotateShapesPass> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([&](FunctionOpInterface candidate) {
      // Graph functions say all this in their types.
      if (!candidate.isExternal() && !candidate->hasAttr(kScopeAttrName))
        Annotator(candidate, fold).run();
    });
  }
};
} // namespace
