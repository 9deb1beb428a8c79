//===- GraphPatterns.cpp - Patterns of graph ops as data ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphPatterns.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;

// Attributes of a description.
static constexpr StringLiteral kLibraryAttrName = "relax_ext.library";   // pattern: @function
static constexpr StringLiteral kConstantAttrName = "relax_ext.constant"; // argument: known while compiling
static constexpr StringLiteral kVariableAttrName = "relax_ext.variable"; // argument: known at run time only
static constexpr StringLiteral kAnyAttrName = "relax_ext.any";           // op: names of attributes that do not matter
static constexpr StringLiteral kCommutesAttrName = "relax_ext.commutes"; // op: operands in either order

Operation *GraphPattern::getRoot() { return function.getBody().front().getTerminator()->getOperand(0).getDefiningOp(); }

//===- Files --------------------------------------------------------------===//

LogicalResult PatternFile::read(ModuleOp module, StringRef path) {
  if (!llvm::sys::fs::exists(path))
    return emitError(module.getLoc(), "cannot read '") << path << "': no such file";
  contents = parseSourceFile<ModuleOp>(path, ParserConfig(module.getContext()));
  if (!contents)
    return failure();
  for (func::FuncOp function : contents->getOps<func::FuncOp>())
    if (failed(addPattern(function)))
      return failure();
  return success();
}

/// The library function has the pattern's signature, in the same symbols.
static LogicalResult verifyLibrary(func::FuncOp pattern, ext::ExternFuncOp library) {
  auto program = cast<sym::TensorProgramInterface>(library.getOperation());
  if (library.getNumInputs() != pattern.getNumArguments() || library.getNumOuts() != 1 || library.getNumScalars() != 0)
    return pattern.emitError("expects of @")
           << library.getSymName() << " " << pattern.getNumArguments() << " inputs, one out and no scalars, got "
           << library.getNumInputs() << ", " << library.getNumOuts() << " and " << library.getNumScalars();
  for (unsigned index = 0, e = pattern.getNumArguments(); index <= e; ++index) {
    Type expected = index < e ? pattern.getArgumentTypes()[index] : pattern.getResultTypes().front();
    Type actual = graph::getProgramTensorType(program, index);
    if (actual != expected)
      return pattern.emitError("expects type ")
             << expected << " of argument " << index << " of @" << library.getSymName() << ", got " << actual;
  }
  return success();
}

LogicalResult PatternFile::addPattern(func::FuncOp function) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return function.emitError("a pattern needs a body of one block");
  Block &body = function.getBody().front();
  Operation *root = function.getNumResults() == 1 ? body.getTerminator()->getOperand(0).getDefiningOp() : nullptr;
  if (!root)
    return function.emitError("a pattern gives one value that one of its ops computes");
  for (Operation &op : body.without_terminator())
    if (op.getNumResults() != 1 || op.getNumRegions() != 0 || isa<sym::SymbolBinderOpInterface>(op))
      return op.emitOpError("cannot be in a pattern: it has regions, binds symbols or has several results");
  GraphPattern pattern{function, nullptr};
  if (auto name = function->getAttrOfType<FlatSymbolRefAttr>(kLibraryAttrName)) {
    pattern.library = contents->lookupSymbol<ext::ExternFuncOp>(name.getAttr());
    if (!pattern.library)
      return function.emitError("names the library function ") << name << ", which the file does not declare";
    if (failed(verifyLibrary(function, pattern.library)))
      return failure();
  }
  patterns.push_back(pattern);
  return success();
}

//===- Matching -----------------------------------------------------------===//

namespace {
/// What is known so far; copied to try operands in another order.
struct MatchState {
  SmallVector<Value> inputs;
  sym::SymbolMap symbols;
  /// Extents of the pattern that need all symbols, and those of the function.
  SmallVector<std::pair<SymExpr, SymExpr>> equations;
  DenseMap<Operation *, Operation *> ops; // by op of the pattern
  llvm::SmallSetVector<Operation *, 8> matched;
};

class Matcher {
public:
  Matcher(GraphPattern &pattern, Operation *root, sym::Prover &prover) : pattern(pattern), root(root), prover(prover) {}

  std::optional<PatternMatch> match();

private:
  bool matchValue(Value wanted, Value actual);
  bool matchArgument(BlockArgument argument, Value actual);
  bool matchOp(Operation *wanted, Operation *actual);
  bool matchOperands(Operation *wanted, ArrayRef<Value> actual);
  bool matchExtents(Type wanted, Type actual);
  bool isClosed() const;

  GraphPattern &pattern;
  Operation *root;
  sym::Prover &prover;
  MatchState state;
};
} // namespace

/// Symbols get the extents where they stand alone; what else is said is looked at in the end.
bool Matcher::matchExtents(Type wanted, Type actual) {
  if (!isa<RankedTensorType, graph::ShapeType>(wanted))
    return wanted == actual;
  if (wanted.getTypeID() != actual.getTypeID() ||
      (isa<RankedTensorType>(wanted) && getElementTypeOrSelf(wanted) != getElementTypeOrSelf(actual)))
    return false;
  SmallVector<SymExpr> wantedDims = sym::getSymbolicDims(wanted), actualDims = sym::getSymbolicDims(actual);
  if (wantedDims.size() != actualDims.size())
    return false;
  for (auto [expected, given] : llvm::zip_equal(wantedDims, actualDims)) {
    if (!expected)
      continue;
    if (!given)
      return false;
    std::optional<StringRef> symbol = expected.getSymbol();
    if (symbol && state.symbols.try_emplace(*symbol, given).second)
      continue;
    state.equations.push_back({expected, given});
  }
  return true;
}

bool Matcher::matchArgument(BlockArgument argument, Value actual) {
  Value &known = state.inputs[argument.getArgNumber()];
  if (known)
    return known == actual;
  known = actual;
  bool isConstant = mlir::matchPattern(actual, m_Constant()) || actual.getDefiningOp<graph::WeightOp>();
  unsigned index = argument.getArgNumber();
  if (pattern.function.getArgAttr(index, isConstant ? kVariableAttrName : kConstantAttrName))
    return false;
  return matchExtents(argument.getType(), actual.getType());
}

bool Matcher::matchValue(Value wanted, Value actual) {
  if (auto argument = dyn_cast<BlockArgument>(wanted))
    return matchArgument(argument, actual);
  // Types proved equal mean the same value.
  SmallVector<Operation *, 2> refined;
  while (auto refine = actual.getDefiningOp<graph::RefineOp>()) {
    refined.push_back(refine);
    actual = refine.getSource();
  }
  Operation *op = actual.getDefiningOp();
  if (!op || op->getBlock() != root->getBlock() || !matchOp(wanted.getDefiningOp(), op))
    return false;
  state.matched.insert_range(refined);
  return true;
}

static bool haveSameAttributes(Operation *wanted, Operation *actual) {
  auto any = wanted->getAttrOfType<ArrayAttr>(kAnyAttrName);
  auto matters = [&](Operation *op, NamedAttribute attribute) {
    return !op->getDiscardableAttr(attribute.getName()) &&
           !(any && llvm::is_contained(any.getAsValueRange<StringAttr>(), attribute.getName().getValue()));
  };
  auto agrees = [&](Operation *op, Operation *other) {
    return llvm::all_of(op->getAttrs(), [&](NamedAttribute attribute) {
      return !matters(op, attribute) || other->getAttr(attribute.getName()) == attribute.getValue();
    });
  };
  // An optional attribute that only one of them has is a difference.
  return agrees(wanted, actual) && agrees(actual, wanted);
}

bool Matcher::matchOperands(Operation *wanted, ArrayRef<Value> actual) {
  return llvm::all_of(llvm::zip_equal(wanted->getOperands(), actual),
                      [&](auto pair) { return matchValue(std::get<0>(pair), std::get<1>(pair)); });
}

bool Matcher::matchOp(Operation *wanted, Operation *actual) {
  auto [place, isNew] = state.ops.try_emplace(wanted, actual);
  if (!isNew)
    return place->second == actual;
  if (wanted->getName() != actual->getName() || actual->getNumResults() != 1 ||
      wanted->getNumOperands() != actual->getNumOperands() || !haveSameAttributes(wanted, actual) ||
      !matchExtents(wanted->getResult(0).getType(), actual->getResult(0).getType()))
    return false;
  state.matched.insert(actual);
  SmallVector<Value> operands(actual->getOperands());
  if (!wanted->hasAttr(kCommutesAttrName) || operands.size() != 2)
    return matchOperands(wanted, operands);
  MatchState before = state;
  if (matchOperands(wanted, operands))
    return true;
  state = std::move(before);
  std::swap(operands[0], operands[1]);
  return matchOperands(wanted, operands);
}

/// Nothing but the result is used outside, and no input comes from inside.
bool Matcher::isClosed() const {
  for (Operation *op : state.matched)
    if (op != root && !llvm::all_of(op->getUsers(), [&](Operation *user) { return state.matched.contains(user); }))
      return false;
  return llvm::none_of(state.inputs,
                       [&](Value input) { return input && state.matched.contains(input.getDefiningOp()); });
}

std::optional<PatternMatch> Matcher::match() {
  state.inputs.resize(pattern.function.getNumArguments());
  if (!matchOp(pattern.getRoot(), root) || !isClosed() || llvm::is_contained(state.inputs, Value()))
    return std::nullopt;
  PatternMatch result;
  auto map = [&](SymExpr expr) { return graph::applyMapping(expr, state.symbols); };
  for (auto [expected, given] : state.equations)
    if (SymExpr mapped = map(expected); !mapped || prover.isEqual(mapped, given) != sym::Verdict::True)
      return std::nullopt;
  sym::ScopeAttr scope = sym::getScope(pattern.getRoot());
  if (scope && !addConditions(scope.getFacts(), state.symbols, prover, result.conditions))
    return std::nullopt;
  result.inputs = std::move(state.inputs);
  result.symbols = std::move(state.symbols);
  result.ops = state.matched.takeVector();
  llvm::sort(result.ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return result;
}

std::optional<PatternMatch> relax::matchPattern(GraphPattern &pattern, Operation *root, sym::Prover &prover) {
  return Matcher(pattern, root, prover).match();
}

DictionaryAttr PatternMatch::getSymbols(MLIRContext *context) const {
  NamedAttrList list;
  for (const auto &entry : symbols)
    list.append(entry.getKey(), sym::ExprAttr::get(entry.getValue()));
  return list.getDictionary(context);
}

//===- Conditions ---------------------------------------------------------===//

bool relax::addConditions(ArrayRef<sym::Fact> facts, const sym::SymbolMap &symbols, sym::Prover &prover,
                          SmallVectorImpl<sym::Fact> &conditions) {
  for (const sym::Fact &fact : facts) {
    sym::Fact mapped{graph::applyMapping(fact.lhs, symbols), fact.op, graph::applyMapping(fact.rhs, symbols)};
    if (!mapped.lhs || !mapped.rhs)
      return false;
    sym::Verdict verdict = prover.holds(mapped);
    if (verdict == sym::Verdict::False)
      return false;
    if (verdict == sym::Verdict::Depends && !llvm::is_contained(conditions, mapped))
      conditions.push_back(mapped);
  }
  return true;
}

static arith::CmpIPredicate getPredicate(sym::Fact::Op op) {
  switch (op) {
  case sym::Fact::Op::Equal:
    return arith::CmpIPredicate::eq;
  case sym::Fact::Op::LessEqual:
    return arith::CmpIPredicate::sle;
  case sym::Fact::Op::GreaterEqual:
    return arith::CmpIPredicate::sge;
  case sym::Fact::Op::Less:
    return arith::CmpIPredicate::slt;
  case sym::Fact::Op::Greater:
    return arith::CmpIPredicate::sgt;
  }
  llvm_unreachable("all comparisons are covered");
}

/// A shape whose entries show the symbols of `facts`, from tensors and shapes among `values`.
static Value emitSymbols(OpBuilder &builder, Location loc, ArrayRef<sym::Fact> facts, ValueRange values) {
  llvm::SmallSetVector<StringRef, 4> needed;
  for (const sym::Fact &fact : facts)
    for (SymExpr expr : {fact.lhs, fact.rhs})
      needed.insert_range(expr.getSymbols());
  SmallVector<Value> shapes;
  llvm::SmallSetVector<StringRef, 4> given;
  for (Value value : values) {
    SmallVector<StringRef> symbols;
    sym::collectSymbols(value.getType(), symbols);
    if (llvm::none_of(symbols, [&](StringRef name) { return needed.contains(name) && !given.contains(name); }))
      continue;
    given.insert_range(symbols);
    shapes.push_back(isa<graph::ShapeType>(value.getType()) ? value : graph::ShapeOfOp::create(builder, loc, value));
  }
  if (shapes.size() == 1)
    return shapes.front();
  auto entries =
      llvm::map_to_vector(needed, [&](StringRef name) { return SymExpr::symbol(builder.getContext(), name); });
  return graph::MakeShapeOp::create(builder, loc, graph::ShapeType::get(builder.getContext(), entries), shapes);
}

Value relax::emitFacts(OpBuilder &builder, Location loc, ArrayRef<sym::Fact> facts, ValueRange values) {
  if (facts.empty())
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  Value shape = emitSymbols(builder, loc, facts, values), all;
  auto evaluate = [&](SymExpr expr) -> Value {
    if (std::optional<int64_t> constant = expr.getConstant())
      return arith::ConstantIndexOp::create(builder, loc, *constant);
    return graph::EvalExprOp::create(builder, loc, builder.getIndexType(), shape, sym::ExprAttr::get(expr));
  };
  for (const sym::Fact &fact : facts) {
    Value lhs = evaluate(fact.lhs), rhs = evaluate(fact.rhs);
    Value holds = arith::CmpIOp::create(builder, loc, getPredicate(fact.op), lhs, rhs);
    all = all ? Value(arith::AndIOp::create(builder, loc, all, holds)) : holds;
  }
  return all;
}
