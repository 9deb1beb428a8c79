//===- GraphTypeInference.cpp - Shapes of computing ops -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphTypeInference.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::Fact;
using sym::SymExpr;
using sym::Verdict;

static std::string describe(SymExpr extent) { return extent ? extent.str() : "?"; }

static Fact equal(SymExpr a, SymExpr b) { return {a, Fact::Op::Equal, b}; }

/// What broadcasting gives for two extents that fit: the larger one, but 0 beside 1 is 0. One atom, which later proofs
/// treat as a symbol; sums of maxima they would have to take apart.
static SymExpr broadcastExtent(SymExpr a, SymExpr b) {
  return SymExpr::floordiv(a * b, SymExpr::max({SymExpr::constant(a.getContext(), 1), SymExpr::min({a, b})}));
}

/// `extent` is 1 where `symbol` is: min(s, 512) beside s.
static bool isOneWith(SymExpr extent, SymExpr symbol) {
  std::optional<StringRef> name = extent && symbol ? symbol.getSymbol() : std::nullopt;
  if (!name)
    return false;
  SymExpr one = SymExpr::constant(extent.getContext(), 1);
  SymExpr value = extent.substitute([&](StringRef other) { return other == *name ? one : SymExpr(); });
  return value == one;
}

static SymExpr fromAtom(MLIRContext *context, const sym::SymAtom &atom) {
  switch (atom.kind) {
  case sym::SymAtom::Kind::Symbol:
    return SymExpr::symbol(context, atom.name);
  case sym::SymAtom::Kind::FloorDiv:
    return SymExpr::floordiv(atom.operands[0], atom.operands[1]);
  case sym::SymAtom::Kind::Max:
    return SymExpr::max(atom.operands);
  }
  llvm_unreachable("all kinds are covered");
}

/// `a == b`, or what a person would write for it: `n mod 2 == 0` for `n * 4 == (n floordiv 2) * 8`.
static Fact simplifyEquation(SymExpr a, SymExpr b) {
  SymExpr difference = a - b;
  if (!difference)
    return equal(a, b);
  MLIRContext *context = a.getContext();
  for (const sym::SymTerm &term : sym::getTerms(difference)) {
    for (const auto &[atom, power] : term.factors) {
      std::optional<int64_t> divisor =
          atom->kind == sym::SymAtom::Kind::FloorDiv ? atom->operands[1].getConstant() : std::nullopt;
      if (!divisor || power != 1 || term.coefficient % *divisor != 0)
        continue;
      SymExpr rest = SymExpr::mod(atom->operands[0], atom->operands[1]);
      for (const auto &[other, otherPower] : term.factors)
        for (unsigned i = 0; other != atom && i < otherPower; ++i)
          rest = rest * fromAtom(context, *other);
      if (rest && rest * (term.coefficient / *divisor) == -difference)
        return equal(rest, SymExpr::constant(context, 0));
    }
  }
  return equal(a, b);
}

void TypeInference::addRule(ArrayRef<Fact> anyOf) {
  ShapeRule rule{SmallVector<Fact, 1>(anyOf)};
  bool isStated = llvm::all_of(anyOf, [](const Fact &fact) { return fact.lhs && fact.rhs; });
  if (isStated && !llvm::is_contained(rules, rule))
    rules.push_back(rule);
}

LogicalResult TypeInference::requireEqual(const Twine &what, SymExpr actual, SymExpr expected) {
  if (!actual || !expected || actual == expected)
    return success();
  Verdict verdict = prover.isEqual(actual, expected);
  if (verdict == Verdict::False && !knowsFacts)
    return fail(what.str(), " is expected to be ", expected.str(), ", got ", actual.str());
  if (verdict != Verdict::True)
    addRule(equal(actual, expected));
  return success();
}

LogicalResult TypeInference::requireLessEqual(const Twine &what, SymExpr smaller, SymExpr larger) {
  if (!smaller || !larger)
    return success();
  Verdict verdict = prover.isLessEqual(smaller, larger);
  if (verdict == Verdict::False && !knowsFacts)
    return fail(what.str(), ": expected ", smaller.str(), " <= ", larger.str());
  if (verdict != Verdict::True)
    addRule(Fact{smaller, Fact::Op::LessEqual, larger});
  return success();
}

LogicalResult TypeInference::requireBroadcastsTo(const Twine &what, SymExpr extent, SymExpr target) {
  if (!extent || !target || extent.getConstant() == 1 || isKnownEqual(extent, target))
    return success();
  if (extent.getConstant() && target.getConstant())
    return fail(what.str(), " is expected to be 1 or ", target.str(), ", got ", extent.str());
  SymExpr one = constant(1);
  if (extent.getConstant())
    addRule(equal(target, extent)); // not 1, so it must be the target
  else if (target.getConstant() == 1)
    addRule(equal(extent, one));
  else
    addRule({equal(extent, target), equal(extent, one)});
  return success();
}

LogicalResult TypeInference::requireSameNumElements(ArrayRef<SymExpr> from, ArrayRef<SymExpr> to) {
  if (llvm::is_contained(from, SymExpr()) || llvm::is_contained(to, SymExpr()))
    return success();
  Verdict verdict = prover.sameNumElements(from, to);
  auto product = [&](ArrayRef<SymExpr> dims) {
    SymExpr result = constant(1);
    for (SymExpr dim : dims)
      result = result * dim;
    return result;
  };
  SymExpr actual = product(from), expected = product(to);
  if (verdict == Verdict::False && !knowsFacts)
    return fail("number of elements of the result is expected to be ", describe(actual), ", got ", describe(expected));
  if (verdict != Verdict::True && !(actual && expected))
    return fail("number of elements does not fit 64 bits");
  if (verdict != Verdict::True)
    addRule(simplifyEquation(actual, expected));
  return success();
}

FailureOr<SmallVector<SymExpr>> TypeInference::broadcast(ArrayRef<SmallVector<SymExpr>> shapes, StringRef what) {
  size_t rank = 0;
  for (const SmallVector<SymExpr> &shape : shapes)
    rank = std::max(rank, shape.size());

  SmallVector<SymExpr> result;
  for (size_t dim = 0; dim != rank; ++dim) {
    // Distinct extents other than 1, in operand order.
    SymExpr one = constant(1), fixed;
    llvm::SmallSetVector<SymExpr, 4> extents;
    for (const SmallVector<SymExpr> &shape : shapes) {
      size_t missing = rank - shape.size();
      SymExpr extent = dim < missing ? one : shape[dim - missing];
      if (extent == one)
        continue;
      if (llvm::none_of(extents, [&](SymExpr other) { return isKnownEqual(extent, other); }))
        extents.insert(extent);
      if (!extent || !extent.getConstant())
        continue;
      if (fixed && fixed != extent)
        return fail(what, " ", dim, ": cannot broadcast ", fixed.str(), " with ", extent.str());
      fixed = extent;
    }
    if (fixed) {
      // Whatever the others are, they are 1 or this.
      for (SymExpr extent : extents)
        if (failed(requireBroadcastsTo(what + " " + Twine(dim), extent, fixed)))
          return failure();
      result.push_back(fixed);
      exactDims.push_back(fixed);
      continue;
    }
    // What is 1 beside a symbol that is 1 is the symbol, or 1: it does not matter for the result.
    for (SymExpr extent : llvm::to_vector(extents)) {
      auto decides = [&](SymExpr other) { return other != extent && isOneWith(extent, other); };
      const auto *other = llvm::find_if(extents, decides);
      if (other == extents.end())
        continue;
      if (failed(requireBroadcastsTo(what + " " + Twine(dim), extent, *other)))
        return failure();
      extents.remove(extent);
    }
    if (extents.size() <= 1) {
      result.push_back(extents.empty() ? one : extents.front());
      exactDims.push_back(result.back());
      continue;
    }
    // Only run time decides. The exact extent is known when all operands' extents are.
    SymExpr exact = extents.contains(SymExpr()) ? SymExpr() : extents.front();
    ArrayRef<SymExpr> list = extents.getArrayRef();
    for (size_t i = 0; i != list.size(); ++i) {
      if (i != 0 && exact)
        exact = broadcastExtent(exact, list[i]);
      for (size_t j = 0; j != i; ++j)
        if (list[i] && list[j])
          addRule({equal(list[j], list[i]), equal(list[j], one), equal(list[i], one)});
    }
    result.push_back(SymExpr());
    exactDims.push_back(exact);
  }
  return result;
}

LogicalResult TypeInference::requireSameElementType(Type first, Type second) {
  Type a = getElementTypeOrSelf(first), b = getElementTypeOrSelf(second);
  if (a != b)
    return fail("element types of the operands differ: expected ", a, ", got ", b);
  return success();
}

LogicalResult TypeInference::requireAxis(StringRef name, int64_t axis, int64_t rank) {
  if (axis < 0 || axis >= rank)
    return fail(name, " is expected in [0, ", rank, "), got ", axis);
  return success();
}

LogicalResult TypeInference::requireAxes(StringRef name, ArrayRef<int64_t> axes, int64_t rank) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t axis : axes) {
    if (failed(requireAxis(name, axis, rank)))
      return failure();
    if (!seen.insert(axis).second)
      return fail(name, " lists ", axis, " twice");
  }
  return success();
}

LogicalResult TypeInference::requireShown(const Twine &what, ArrayRef<SymExpr> exprs, ValueRange operands) {
  SmallVector<StringRef> shown;
  for (Type type : operands.getTypes())
    sym::collectSymbols(type, shown);
  for (SymExpr expr : exprs)
    for (StringRef symbol : expr.getSymbols())
      if (!llvm::is_contained(shown, symbol))
        return fail(what, " use '", symbol, "', which no operand type shows");
  return success();
}

LogicalResult TypeInference::requireBinds(ArrayAttr binds, size_t count) {
  if (binds.size() != count)
    return fail("expects to bind ", count, " symbols, got ", binds.size());
  for (StringRef name : binds.getAsValueRange<StringAttr>())
    if (name.empty())
      return fail("expects the name of a symbol");
  return success();
}

LogicalResult TypeInference::requireFloat(StringRef name, Type type) {
  if (!sym::isElementOf(type, sym::kFloats))
    return fail(name, " is expected to be ", sym::listElementTypes(sym::kFloats), ", got ", type);
  return success();
}

LogicalResult TypeInference::requireNumber(StringRef name, Type type) {
  if (!sym::isElementOf(type, sym::kNumbers))
    return fail(name, " is expected to be ", sym::listElementTypes(sym::kNumbers), ", got ", type);
  return success();
}

SmallVector<SymExpr> TypeInference::getExactDims(RankedTensorType inferred) const {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(inferred);
  for (auto [index, exact] : llvm::enumerate(exactDims))
    if (!dims[index])
      dims[index] = exact;
  return dims;
}

LogicalResult TypeInference::verifyResult(RankedTensorType inferred, Type written, bool mayClaim) {
  auto type = dyn_cast<RankedTensorType>(written);
  if (!type || type.getRank() != inferred.getRank())
    return fail("result is expected to have rank ", inferred.getRank(), ", got ", written);
  if (type.getElementType() != inferred.getElementType())
    return fail("result is expected to have element type ", inferred.getElementType(), ", got ", type.getElementType());
  SmallVector<SymExpr> claims = sym::getSymbolicDims(type);
  for (auto [index, exact, claim] : llvm::enumerate(getExactDims(inferred), claims)) {
    if (!claim || exact == claim)
      continue;
    Verdict verdict = exact ? prover.isEqual(exact, claim) : Verdict::Depends;
    if (verdict == Verdict::False || (verdict == Verdict::Depends && !mayClaim))
      return fail("dimension ", index, " of the result is expected to be ", describe(exact), ", got ", claim.str());
  }
  return success();
}

LogicalResult TypeInference::verifyResults(ArrayRef<RankedTensorType> inferred, TypeRange written, bool mayClaim) {
  if (inferred.size() != written.size())
    return fail("expects ", inferred.size(), " results, got ", written.size());
  for (auto [type, actual] : llvm::zip_equal(inferred, written))
    if (failed(verifyResult(type, actual, mayClaim)))
      return failure();
  return success();
}

SmallVector<ShapeRule> TypeInference::takeRules(RankedTensorType inferred, Type written) {
  SmallVector<SymExpr> claims = sym::getSymbolicDims(written);
  for (auto [exact, claim] : llvm::zip_equal(getExactDims(inferred), claims))
    if (exact && claim && !isKnownEqual(exact, claim))
      addRule(equal(exact, claim));
  return std::move(rules);
}

LogicalResult graph::reifyExtents(OpBuilder &builder, Operation *op, ArrayRef<SymExpr> extents,
                                  ReifiedRankedShapedTypeDims &dims) {
  SmallVector<StringRef> symbols;
  for (Type type : op->getOperandTypes())
    sym::collectSymbols(type, symbols);
  // One shape value that shows every symbol of the operands, made when it is needed.
  Value shape;
  auto getShape = [&]() {
    if (shape)
      return shape;
    SmallVector<Value> shapes;
    for (Value operand : op->getOperands())
      shapes.push_back(isa<ShapeType>(operand.getType()) ? operand : ShapeOfOp::create(builder, op->getLoc(), operand));
    if (shapes.size() == 1)
      return shape = shapes.front();
    SmallVector<SymExpr> entries =
        llvm::map_to_vector(symbols, [&](StringRef symbol) { return SymExpr::symbol(op->getContext(), symbol); });
    return shape = MakeShapeOp::create(builder, op->getLoc(), ShapeType::get(op->getContext(), entries), shapes);
  };
  SmallVector<OpFoldResult> &result = dims.emplace_back();
  for (SymExpr extent : extents) {
    if (!extent)
      result.emplace_back();
    else if (std::optional<int64_t> constant = extent.getConstant())
      result.push_back(builder.getIndexAttr(*constant));
    else
      result.push_back(
          EvalExprOp::create(builder, op->getLoc(), builder.getIndexType(), getShape(), sym::ExprAttr::get(extent))
              .getResult());
  }
  return success();
}
