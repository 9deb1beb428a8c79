//===- DispatchByShape.cpp - Variants chosen by sizes ---------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphPatterns.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "RelaxDialect/Transforms/DispatchPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#define DEBUG_TYPE "relax-dispatch-by-shape"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;

namespace mlir::relax {
#define GEN_PASS_DEF_DISPATCHBYSHAPEPASS
#include "RelaxDialect/Transforms/DispatchPasses.h.inc"
} // namespace mlir::relax

//===- The table ----------------------------------------------------------===//

namespace {
using Facts = SmallVector<sym::Fact>;

/// What the file says, by the name of a library function or pattern.
class Table {
public:
  explicit Table(ModuleOp module, StringRef path) : module(module), path(path) {}

  LogicalResult read();
  const Facts *getConditions(StringRef name) const {
    auto found = conditions.find(name);
    return found == conditions.end() ? nullptr : &found->second;
  }
  ArrayRef<Facts> getVariants(StringRef name) const {
    auto found = variants.find(name);
    return found == variants.end() ? ArrayRef<Facts>() : ArrayRef<Facts>(found->second);
  }

private:
  InFlightDiagnostic error() { return emitError(module.getLoc(), "table '") << path << "': "; }
  LogicalResult readFacts(const llvm::json::Value *list, StringRef where, Facts &facts);

  ModuleOp module;
  StringRef path;
  llvm::StringMap<Facts> conditions;
  llvm::StringMap<SmallVector<Facts>> variants;
};
} // namespace

LogicalResult Table::readFacts(const llvm::json::Value *list, StringRef where, Facts &facts) {
  const llvm::json::Array *texts = list ? list->getAsArray() : nullptr;
  if (!texts)
    return error() << "expects a list of facts at " << where;
  for (const llvm::json::Value &value : *texts) {
    std::optional<StringRef> text = value.getAsString();
    std::string reason = "not a string";
    FailureOr<sym::Fact> fact = failure();
    if (text)
      fact = sym::Fact::parse(module.getContext(), *text, reason);
    if (failed(fact))
      return error() << "invalid fact at " << where << ": " << reason;
    facts.push_back(*fact);
  }
  return success();
}

LogicalResult Table::read() {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return error() << buffer.getError().message();
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse((*buffer)->getBuffer());
  if (!parsed)
    return error() << llvm::toString(parsed.takeError());
  const llvm::json::Object *root = parsed->getAsObject();
  if (!root)
    return error() << "expects an object";
  if (const llvm::json::Object *functions = root->getObject("functions"))
    for (const auto &[name, value] : *functions) {
      const llvm::json::Object *entry = value.getAsObject();
      if (failed(readFacts(entry ? entry->get("when") : nullptr, ("functions." + name.str() + ".when"),
                           conditions[name.str()])))
        return failure();
    }
  if (const llvm::json::Object *all = root->getObject("variants"))
    for (const auto &[name, value] : *all) {
      const llvm::json::Array *list = value.getAsArray();
      if (!list)
        return error() << "expects a list at variants." << name.str();
      for (const llvm::json::Value &variant : *list)
        if (failed(readFacts(&variant, "variants." + name.str(), variants[name.str()].emplace_back())))
          return failure();
    }
  return success();
}

//===- Choices ------------------------------------------------------------===//

static sym::SymbolMap getSymbols(Operation *op) {
  sym::SymbolMap symbols;
  if (auto entries = op->getAttrOfType<DictionaryAttr>(kPatternSymbolsAttrName))
    for (NamedAttribute entry : entries)
      if (auto expr = dyn_cast<sym::ExprAttr>(entry.getValue()))
        symbols[entry.getName().getValue()] = expr.getValue();
  return symbols;
}

/// Values from outside that `ops` use.
static SmallVector<Value> getCaptures(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 8> inside(ops.begin(), ops.end());
  llvm::SetVector<Value> captures;
  auto isInside = [&](Value value) {
    Operation *owner = value.getDefiningOp() ? value.getDefiningOp() : value.getParentBlock()->getParentOp();
    for (; owner; owner = owner->getParentOp())
      if (inside.contains(owner))
        return true;
    return false;
  };
  for (Operation *op : ops)
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!isInside(operand))
          captures.insert(operand);
    });
  return captures.takeVector();
}

/// A cast whose extents the condition of the branch makes equal.
static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  return value.getType() == type
             ? value
             : graph::MatchCastOp::create(builder, loc, type, value, builder.getStrArrayAttr({})).getResult();
}

/// Symbols that `facts` set to a constant.
static sym::SymbolMap getConstants(ArrayRef<sym::Fact> facts) {
  sym::SymbolMap constants;
  for (const sym::Fact &fact : facts) {
    if (fact.op != sym::Fact::Op::Equal)
      continue;
    for (auto [a, b] : {std::pair(fact.lhs, fact.rhs), std::pair(fact.rhs, fact.lhs)})
      if (a.getSymbol() && b.getConstant())
        constants[*a.getSymbol()] = b;
  }
  return constants;
}

/// `ops`, which give `result`, become the else region of a choice; the then region has a copy of them for `facts`. The
/// new result replaces the old one.
static LogicalResult addVariant(ArrayRef<Operation *> ops, Value result, ArrayRef<sym::Fact> facts) {
  Location loc = result.getLoc();
  SmallVector<Value> captures = getCaptures(ops);
  OpBuilder builder(ops.front()->getContext());
  builder.setInsertionPointAfter(ops.back());
  Value condition = emitFacts(builder, loc, facts, captures);
  auto choice = scf::IfOp::create(builder, loc, result.getType(), condition, true, true);
  result.replaceAllUsesWith(choice.getResult(0));
  sym::SymbolMap constants = getConstants(facts);
  auto map = [&](StringRef name) { return constants.lookup(name); };

  builder.setInsertionPointToStart(choice.thenBlock());
  IRMapping values;
  for (Value capture : captures)
    values.map(capture, castTo(builder, loc, capture, sym::substituteType(capture.getType(), map)));
  for (Operation *op : ops)
    if (failed(graph::substituteSymbols(builder.clone(*op, values), map)))
      return failure();
  scf::YieldOp::create(builder, loc, castTo(builder, loc, values.lookup(result), result.getType()));

  for (Operation *op : ops)
    op->moveBefore(choice.elseBlock(), choice.elseBlock()->end());
  builder.setInsertionPointToEnd(choice.elseBlock());
  scf::YieldOp::create(builder, loc, result);
  return success();
}

namespace {
struct DispatchByShapePass final : relax::impl::DispatchByShapePassBase<DispatchByShapePass> {
  using Base::Base;

  void runOnOperation() override {
    Table rules(getOperation(), table);
    if (failed(rules.read()))
      return signalPassFailure();
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      sym::Prover prover(&getContext(), sym::getScope(function));
      // Innermost last: what is inside of a choice is generated code of it.
      SmallVector<Operation *> choices;
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        // What a table was applied to knows no symbols any more.
        if (op->hasAttr(kPatternSymbolsAttrName))
          choices.push_back(op);
      });
      for (Operation *op : llvm::reverse(choices))
        if (failed(refine(op, rules, prover)))
          return signalPassFailure();
    }
  }

private:
  LogicalResult refine(Operation *op, const Table &rules, sym::Prover &prover);
  LogicalResult restrict(scf::IfOp choice, ArrayRef<sym::Fact> facts, const sym::SymbolMap &symbols,
                         sym::Prover &prover);
  LogicalResult addVariants(Operation *op, ArrayRef<Facts> variants, const sym::SymbolMap &symbols,
                            sym::Prover &prover);
};
} // namespace

static std::string toText(ArrayRef<sym::Fact> facts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(facts, os, [&](const sym::Fact &fact) { fact.print(os); }, " and ");
  return text;
}

static remark::RemarkOpts named(StringRef name) { return remark::RemarkOpts::name(name).category(DEBUG_TYPE); }

static LogicalResult checkSymbols(Operation *op, ArrayRef<sym::Fact> facts, const sym::SymbolMap &symbols) {
  for (const sym::Fact &fact : facts)
    for (SymExpr expr : {fact.lhs, fact.rhs})
      for (StringRef name : expr.getSymbols())
        if (!symbols.contains(name))
          return op->emitOpError("has no symbol '") << name << "', which the table mentions";
  return success();
}

/// The library function is called only where `facts` hold, too.
LogicalResult DispatchByShapePass::restrict(scf::IfOp choice, ArrayRef<sym::Fact> facts, const sym::SymbolMap &symbols,
                                            sym::Prover &prover) {
  Facts conditions;
  if (failed(checkSymbols(choice, facts, symbols)))
    return failure();
  if (!addConditions(facts, symbols, prover, conditions)) {
    remark::missed(choice.getLoc(), named("NeverCalled")) << "the library is not called: never " + toText(facts);
    Operation *yield = choice.elseBlock()->getTerminator();
    choice.replaceAllUsesWith(yield->getOperands());
    for (Operation &op : llvm::make_early_inc_range(choice.elseBlock()->without_terminator()))
      op.moveBefore(choice);
    choice.erase();
    return success();
  }
  if (conditions.empty())
    return success();
  remark::passed(choice.getLoc(), named("Restricted")) << "the library is called where " + toText(conditions);
  Operation *call = nullptr;
  choice.getThenRegion().walk([&](graph::CallDPSOp op) { call = op; });
  if (!call)
    return choice.emitOpError("has no library call in its first region");
  // Asking for a function that is not wanted would count as a fallback.
  ext::AvailableOp available;
  Operation *condition = choice.getCondition().getDefiningOp();
  if (condition)
    available = dyn_cast<ext::AvailableOp>(condition);
  if (auto both = dyn_cast_or_null<arith::AndIOp>(condition))
    for (Value operand : both->getOperands())
      if (auto query = operand.getDefiningOp<ext::AvailableOp>())
        available = query;
  OpBuilder builder(available ? available.getOperation() : choice.getOperation());
  Value holds = emitFacts(builder, choice.getLoc(), conditions, call->getOperands());
  if (available) {
    Value wanted = arith::AndIOp::create(builder, choice.getLoc(), available.getWanted(), holds);
    available.getWantedMutable().assign(wanted);
  }
  builder.setInsertionPoint(choice);
  choice.getConditionMutable().assign(
      arith::AndIOp::create(builder, choice.getLoc(), choice.getCondition(), holds).getResult());
  return success();
}

/// Copies of the generated code, the first one tested first.
LogicalResult DispatchByShapePass::addVariants(Operation *op, ArrayRef<Facts> variants, const sym::SymbolMap &symbols,
                                               sym::Prover &prover) {
  SmallVector<Operation *> ops;
  Value result;
  if (auto choice = dyn_cast<scf::IfOp>(op)) {
    for (Operation &inner : choice.elseBlock()->without_terminator())
      ops.push_back(&inner);
    result = choice.elseBlock()->getTerminator()->getOperand(0);
  } else {
    ops.push_back(op);
    result = op->getResult(0);
  }
  if (ops.empty() || !llvm::is_contained(ops, result.getDefiningOp()))
    return success();
  for (const Facts &facts : variants) {
    Facts conditions;
    if (failed(checkSymbols(op, facts, symbols)))
      return failure();
    // Always true: the code that is there knows it as well.
    if (!addConditions(facts, symbols, prover, conditions) || conditions.empty())
      continue;
    remark::passed(op->getLoc(), named("Variant")) << "a variant where " + toText(conditions);
    if (failed(addVariant(ops, result, conditions)))
      return op->emitOpError("has a variant whose extents do not fit 64 bits");
  }
  return success();
}

LogicalResult DispatchByShapePass::refine(Operation *op, const Table &rules, sym::Prover &prover) {
  sym::SymbolMap symbols = getSymbols(op);
  op->removeAttr(kPatternSymbolsAttrName);
  auto name = op->getAttrOfType<StringAttr>(kDispatchAttrName);
  auto choice = dyn_cast<scf::IfOp>(op);
  if (name && choice && choice.elseBlock() && op->getNumResults() == 1) {
    if (failed(addVariants(op, rules.getVariants(name), symbols, prover)))
      return failure();
    const Facts *conditions = rules.getConditions(name);
    if (conditions && failed(restrict(choice, *conditions, symbols, prover)))
      return failure();
    return success();
  }
  auto pattern = op->getAttrOfType<StringAttr>(kPatternAttrName);
  if (pattern && isa<graph::FusionGroupOp>(op) && op->getNumResults() == 1)
    return addVariants(op, rules.getVariants(pattern), symbols, prover);
  return success();
}
