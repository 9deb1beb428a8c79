//===- StripShapes.cpp - relax-strip-shapes -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ExprLowering.h"
#include "LoopCasts.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace mlir::relax::graph {
#define GEN_PASS_DEF_STRIPSHAPESPASS
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mlir::relax::graph

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

static RankedTensorType getPlainType(Value value) {
  return sym::stripEncoding(cast<RankedTensorType>(value.getType()));
}

namespace {
/// One function. Shape values become lists of index values, symbols index values.
class FunctionStripper {
public:
  explicit FunctionStripper(func::FuncOp function) : function(function), builder(function.getContext()) {}

  LogicalResult run() {
    if (!function.isExternal()) {
      builder.setInsertionPointToStart(&function.front());
      if (failed(bindArguments()))
        return failure();
      SmallVector<Operation *> ops;
      function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
      for (Operation *op : ops)
        if (failed(convert(op)))
          return failure();
    }
    return success();
  }

  /// After every function is converted: nothing reads a shape value any more.
  LogicalResult finish() {
    for (Operation *op : llvm::reverse(dead))
      if (op->use_empty())
        op->erase();
    auto isShape = [](Type type) { return isa<ShapeType>(type); };
    WalkResult result = function.getBody().walk([&](Operation *op) {
      if (!llvm::any_of(op->getOperandTypes(), isShape) && !llvm::any_of(op->getResultTypes(), isShape))
        return WalkResult::advance();
      op->emitOpError("has a shape value that cannot be replaced by index values");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
    if (!function.isExternal())
      function.front().eraseArguments([&](BlockArgument argument) { return isShape(argument.getType()); });
    function->removeAttr(sym::kScopeAttrName);
    return success();
  }

private:
  //===- Values ----------------------------------------------------------===//

  Value makeExtent(Value tensor, unsigned dim) { return tensor::DimOp::create(builder, tensor.getLoc(), tensor, dim); }

  /// Run-time extents of a tensor or shape.
  SmallVector<Value> getExtents(Value value) {
    if (isa<ShapeType>(value.getType()))
      return entries.lookup(value);
    SmallVector<Value> extents;
    for (unsigned dim = 0, rank = cast<RankedTensorType>(value.getType()).getRank(); dim < rank; ++dim)
      extents.push_back(makeExtent(value, dim));
    return extents;
  }

  Value evaluate(Location loc, SymExpr expr) {
    return ExprLowering(builder, loc, [&](StringRef name) { return symbols.lookup(name); }).lower(expr);
  }

  void assertTrue(Location loc, Value condition, const Twine &message) {
    cf::AssertOp::create(builder, loc, condition, builder.getStringAttr(message));
  }

  void assertEqual(Location loc, Value actual, SymExpr expected, const Twine &what) {
    Value value = evaluate(loc, expected);
    Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, actual, value);
    assertTrue(loc, same, what + " must be " + expected.str());
  }

  void assertNotNegative(Location loc, Value value, const Twine &what) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    assertTrue(loc, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, value, zero),
               what + " must not be negative");
  }

  void assertFact(Location loc, const sym::Fact &fact, const Twine &message) {
    using Op = sym::Fact::Op;
    auto predicate = [&] {
      switch (fact.op) {
      case Op::Equal:
        return arith::CmpIPredicate::eq;
      case Op::LessEqual:
        return arith::CmpIPredicate::sle;
      case Op::GreaterEqual:
        return arith::CmpIPredicate::sge;
      case Op::Less:
        return arith::CmpIPredicate::slt;
      case Op::Greater:
        return arith::CmpIPredicate::sgt;
      }
      llvm_unreachable("all operators are listed");
    }();
    Value lhs = evaluate(loc, fact.lhs), rhs = evaluate(loc, fact.rhs);
    assertTrue(loc, arith::CmpIOp::create(builder, loc, predicate, lhs, rhs), message);
  }

  //===- Entry -----------------------------------------------------------===//

  /// Finds the argument symbols and checks every further occurrence and the facts about them.
  LogicalResult bindArguments() {
    SmallVector<BlockArgument> originals(function.getArguments());
    for (BlockArgument argument : originals)
      if (auto shape = dyn_cast<ShapeType>(argument.getType())) {
        SmallVector<Value> &values = entries[argument];
        for (unsigned entry = 0; entry < shape.getDims().size(); ++entry)
          values.push_back(
              function.front().insertArgument(argument.getArgNumber(), builder.getIndexType(), argument.getLoc()));
      }
    struct Extent {
      SymExpr pattern;
      Value value;
      std::string what;
    };
    SmallVector<Extent> extents;
    SmallVector<std::pair<SymExpr, SymExpr>> equations;
    for (BlockArgument argument : originals) {
      unsigned number = llvm::find(originals, argument) - originals.begin();
      if (!sym::mentionsSymbol(argument.getType())) {
        if (isa<ShapeType>(argument.getType()))
          for (auto [dim, value] : llvm::zip_equal(sym::getSymbolicDims(argument.getType()), entries[argument]))
            if (dim)
              extents.push_back({dim, value, "an entry of argument " + std::to_string(number)});
        continue;
      }
      SmallVector<Value> values = getExtents(argument);
      for (auto [dim, pattern] : llvm::enumerate(sym::getSymbolicDims(argument.getType())))
        if (pattern && !(pattern.getConstant() && isa<RankedTensorType>(argument.getType())))
          extents.push_back(
              {pattern, values[dim], "argument " + std::to_string(number) + " dimension " + std::to_string(dim)});
    }
    // The run-time extents are symbols of their own, with a prefix that no other has, while the equations are solved.
    std::string prefix = "@";
    for (const Extent &extent : extents)
      for (StringRef symbol : extent.pattern.getSymbols())
        while (symbol.starts_with(prefix))
          prefix += '@';
    for (auto [index, extent] : llvm::enumerate(extents)) {
      std::string name = prefix + std::to_string(index);
      equations.emplace_back(extent.pattern, SymExpr::symbol(builder.getContext(), name));
      symbols[name] = extent.value;
    }
    sym::Prover prover(builder.getContext());
    sym::Solution solution = prover.solve(equations, [&](StringRef name) { return !name.starts_with(prefix); });
    if (solution.kind == sym::Solution::Kind::Ambiguous)
      return function.emitOpError("cannot find its symbols: ") << solution.reason;
    Location loc = function.getLoc();
    for (const Extent &extent : extents)
      for (StringRef symbol : extent.pattern.getSymbols()) {
        SymExpr value = solution.values.lookup(symbol);
        if (symbols.contains(symbol))
          continue;
        if (!value)
          return function.emitOpError("cannot find the symbol '") << symbol << '\'';
        symbols[symbol] = evaluate(loc, value);
        if (!value.getSymbol())
          assertNotNegative(loc, symbols[symbol], "symbol " + symbol);
      }
    for (const Extent &extent : extents) {
      std::optional<StringRef> symbol = extent.pattern.getSymbol();
      if (!symbol || symbols.lookup(*symbol) != extent.value)
        assertEqual(loc, extent.value, extent.pattern, extent.what);
    }
    if (sym::ScopeAttr scope = function->getAttrOfType<sym::ScopeAttr>(sym::kScopeAttrName))
      for (const sym::Fact &fact : scope.getFacts())
        if (isKnown(fact.lhs) && isKnown(fact.rhs))
          assertFact(loc, fact, "the arguments must satisfy " + formatFact(fact));
    return success();
  }

  bool isKnown(SymExpr expr) {
    return llvm::all_of(expr.getSymbols(), [&](StringRef name) { return symbols.contains(name); });
  }

  //===- Ops -------------------------------------------------------------===//

  /// Symbols that `op` binds, checks of the other known extents.
  void bindAndCheck(Operation *op, ArrayRef<SymExpr> dims, ArrayRef<Value> values, SmallVector<StringRef> bound) {
    SmallVector<bool> binds(dims.size());
    for (auto [dim, expr] : llvm::enumerate(dims))
      if (std::optional<StringRef> symbol = expr ? expr.getSymbol() : std::nullopt;
          symbol && llvm::is_contained(bound, *symbol) && !symbols.contains(*symbol)) {
        symbols[*symbol] = values[dim];
        binds[dim] = true;
      }
    for (auto [dim, expr] : llvm::enumerate(dims))
      if (expr && !binds[dim])
        assertEqual(op->getLoc(), values[dim], expr, op->getName().getStringRef() + ": dimension " + Twine(dim));
  }

  LogicalResult convert(Operation *op) {
    builder.setInsertionPoint(op);
    Location loc = op->getLoc();
    if (auto shapeOf = dyn_cast<ShapeOfOp>(op)) {
      entries[shapeOf.getResult()] = getExtents(shapeOf.getSource());
    } else if (auto make = dyn_cast<MakeShapeOp>(op)) {
      SmallVector<Value> values;
      for (SymExpr dim : getShapeDims(make.getResult())) {
        values.push_back(evaluate(loc, dim));
        if (!dim.getConstant() && !dim.getSymbol())
          assertNotNegative(loc, values.back(), dim.str());
      }
      entries[make.getResult()] = values;
    } else if (auto toTensor = dyn_cast<ShapeToTensorOp>(op)) {
      convertShapeToTensor(toTensor);
    } else if (auto toShape = dyn_cast<TensorToShapeOp>(op)) {
      convertTensorToShape(toShape);
    } else if (auto eval = dyn_cast<EvalExprOp>(op)) {
      eval.replaceAllUsesWith(evaluate(loc, eval.getExpr().getValue()));
    } else if (auto assertion = dyn_cast<AssertShapeOp>(op)) {
      if (FailureOr<sym::Fact> fact = assertion.getParsedFact(); succeeded(fact))
        assertFact(loc, *fact, assertion.getMessage() + " (" + formatFact(*fact) + ")");
    } else if (isa<MatchCastOp, RefineOp, EraseShapeOp>(op)) {
      convertCast(op);
    } else if (auto call = dyn_cast<CallOp>(op)) {
      return convertCall(call);
    } else {
      return success();
    }
    dead.push_back(op);
    return success();
  }

  void convertShapeToTensor(ShapeToTensorOp op) {
    SmallVector<Value> values;
    for (Value value : entries.lookup(op.getShape()))
      values.push_back(arith::IndexCastOp::create(builder, op.getLoc(), builder.getI64Type(), value));
    Value tensor;
    if (values.empty())
      tensor = tensor::EmptyOp::create(builder, op.getLoc(), ArrayRef<int64_t>{0}, builder.getI64Type());
    else
      tensor = tensor::FromElementsOp::create(builder, op.getLoc(), op.getType(), values);
    op.replaceAllUsesWith(tensor);
  }

  void convertTensorToShape(TensorToShapeOp op) {
    Location loc = op.getLoc();
    SmallVector<Value> values;
    for (unsigned entry = 0; entry < getShapeDims(op.getResult()).size(); ++entry) {
      Value position = arith::ConstantIndexOp::create(builder, loc, entry);
      Value element = tensor::ExtractOp::create(builder, loc, op.getSource(), position);
      values.push_back(arith::IndexCastOp::create(builder, loc, builder.getIndexType(), element));
      assertNotNegative(loc, values.back(), "relax.tensor_to_shape: entry " + Twine(entry));
    }
    bindAndCheck(op, getShapeDims(op.getResult()), values, op.getBoundSymbols());
    entries[op.getResult()] = values;
  }

  void convertCast(Operation *op) {
    Value source = op->getOperand(0), result = op->getResult(0);
    if (auto cast = dyn_cast<MatchCastOp>(op))
      bindAndCheck(op, sym::getSymbolicDims(result.getType()), getExtents(source), cast.getBoundSymbols());
    if (isa<ShapeType>(source.getType())) {
      entries[result] = entries.lookup(source);
      return;
    }
    if (getPlainType(source) != getPlainType(result))
      source = tensor::CastOp::create(builder, op->getLoc(), getPlainType(result), source);
    result.replaceAllUsesWith(source);
  }

  LogicalResult convertCall(CallOp call) {
    SmallVector<Value> operands;
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    if (!callee)
      return call.emitOpError("callee must be a func.func");
    // The callee checks its own extents, but not what the call says about its symbols.
    sym::Prover prover(builder.getContext(), sym::getScope(call));
    FailureOr<CallUnification> unification = unifyCall(call, cast<FunctionOpInterface>(callee.getOperation()), prover);
    if (failed(unification))
      return failure();
    for (const CallExtent &extent : unification->checks)
      if (extent.expected)
        assertEqual(call.getLoc(), getExtents(call.getInputs()[extent.index])[extent.dim], extent.expected,
                    "relax.call @" + call.getCallee() + ": argument " + Twine(extent.index) + " dimension " +
                        Twine(extent.dim));
    for (Value input : call.getInputs()) {
      if (isa<ShapeType>(input.getType()))
        llvm::append_range(operands, entries.lookup(input));
      else
        operands.push_back(input);
    }
    pendingCalls.push_back({call, callee, operands});
    return success();
  }

public:
  struct PendingCall {
    CallOp call;
    func::FuncOp callee;
    SmallVector<Value> operands;
  };
  SmallVector<PendingCall> pendingCalls;

private:
  func::FuncOp function;
  OpBuilder builder;
  llvm::StringMap<Value> symbols;
  DenseMap<Value, SmallVector<Value>> entries;
  SmallVector<Operation *> dead;
};
} // namespace

/// Signature with one index argument for each entry of a shape argument.
static FailureOr<FunctionType> getStrippedSignature(func::FuncOp function) {
  SmallVector<Type> arguments;
  for (Type type : function.getArgumentTypes()) {
    auto shape = dyn_cast<ShapeType>(type);
    if (shape)
      arguments.append(shape.getDims().size(), IndexType::get(function.getContext()));
    else
      arguments.push_back(type);
  }
  if (llvm::any_of(function.getResultTypes(), llvm::IsaPred<ShapeType>))
    return function.emitOpError("returns a shape value, which cannot be replaced by index values");
  return FunctionType::get(function.getContext(), arguments, function.getResultTypes());
}

/// Argument attributes follow the arguments.
static void setSignature(func::FuncOp function, FunctionType type) {
  SmallVector<Attribute> attributes;
  for (auto [index, argument] : llvm::enumerate(function.getArgumentTypes())) {
    auto shape = dyn_cast<ShapeType>(argument);
    DictionaryAttr dictionary = function.getArgAttrDict(index);
    attributes.append(shape ? shape.getDims().size() : 1,
                      dictionary ? dictionary : DictionaryAttr::get(function.getContext()));
  }
  bool has = function.getArgAttrsAttr() != nullptr;
  function.setType(type);
  if (has)
    function.setArgAttrsAttr(ArrayAttr::get(function.getContext(), attributes));
}

/// A relax.call becomes a func.call of plain types.
static void replaceCall(FunctionStripper::PendingCall &pending) {
  CallOp call = pending.call;
  OpBuilder builder(call);
  auto cast = [&](Value value, Type type) -> Value {
    return value.getType() == type ? value : tensor::CastOp::create(builder, call.getLoc(), type, value).getResult();
  };
  SmallVector<Value> operands;
  for (auto [value, type] : llvm::zip_equal(pending.operands, pending.callee.getArgumentTypes()))
    operands.push_back(cast(value, type));
  auto plain = func::CallOp::create(builder, call.getLoc(), pending.callee, operands);
  SmallVector<Value> results;
  for (auto [value, result] : llvm::zip_equal(plain.getResults(), call.getResults()))
    results.push_back(cast(value, result.getType()));
  call->replaceAllUsesWith(results);
  call->erase();
}

/// Casts between signed and unsigned integers, now of one type.
static void removeRetyping(func::FuncOp function) {
  function.walk([](UnrealizedConversionCastOp op) {
    if (op->getOperandTypes() != op->getResultTypes())
      return;
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
  });
}

namespace {
struct StripShapesPass final : mlir::relax::graph::impl::StripShapesPassBase<StripShapesPass> {
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run() {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    SmallVector<FunctionType> signatures;
    for (func::FuncOp function : functions) {
      FailureOr<FunctionType> type = getStrippedSignature(function);
      if (failed(type))
        return failure();
      signatures.push_back(*type);
    }
    std::vector<FunctionStripper> strippers(functions.begin(), functions.end());
    for (FunctionStripper &stripper : strippers)
      if (failed(stripper.run()))
        return failure();

    for (auto [function, type] : llvm::zip_equal(functions, signatures))
      setSignature(function, type);
    AttrTypeReplacer replacer;
    // Upstream arithmetic knows no sign of integers either.
    replacer.addReplacement(
        [](RankedTensorType type) { return cast<RankedTensorType>(sym::getProgramType(sym::stripEncoding(type))); });
    for (func::FuncOp function : functions)
      replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                            /*replaceTypes=*/true);
    for (FunctionStripper &stripper : strippers)
      for (FunctionStripper::PendingCall &call : stripper.pendingCalls)
        replaceCall(call);
    for (FunctionStripper &stripper : strippers)
      if (failed(stripper.finish()))
        return failure();
    for (func::FuncOp function : functions) {
      removeRetyping(function);
      replaceLoopCasts(function);
    }
    return success();
  }
};
} // namespace
