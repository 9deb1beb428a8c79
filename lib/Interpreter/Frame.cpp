//===- Frame.cpp - Values and symbols of one call -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphPoolOps.h"
#include "RelaxDialect/Interpreter/OpTable.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::interp;
using sym::SymExpr;

LogicalResult Frame::fail(const Twine &message) {
  if (!error.message.empty())
    return failure();
  error.message = current ? (current->getName().getStringRef() + ": " + message).str() : message.str();
  if (current)
    error.location = current->getLoc();
  return failure();
}

LogicalResult Frame::failAtLimit(const Twine &message) {
  error.exceedsLimits |= error.message.empty();
  return fail(message);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::shared_ptr<const Tensor> Frame::tensorPointer(Value value) {
  RuntimeValue &held = values[value];
  if (auto *placed = std::get_if<PlacedTensor>(&held)) {
    auto read = std::make_shared<Tensor>(placed->elementType, placed->dims);
    readBytes(placed->storage->bytes.data() + placed->offset, *read);
    return read;
  }
  return std::get<std::shared_ptr<const Tensor>>(held);
}

const Tensor &Frame::tensor(Value value) {
  std::shared_ptr<const Tensor> pointer = tensorPointer(value);
  // What was read from a storage lives as long as the op runs.
  if (std::holds_alternative<PlacedTensor>(values[value]))
    reads.push_back(pointer);
  return *pointer;
}

void Frame::setScalar(Value value, Number to) {
  Type type = value.getType();
  if (isa<FloatType>(type)) {
    double exact = to.f;
    to.f = roundToType(type, exact);
    if (interpreter.getOptions().perturbation && (type.isF64() ? false : exact != to.f) && std::isfinite(to.f))
      to.f = roundToType(type, to.f * (1 + 4 * getEpsilon(type) * interpreter.random()));
  } else {
    to.i = wrapToType(type, to.i);
  }
  values[value] = Scalar{type, to};
}

FailureOr<Tensor> Frame::makeTensor(Type elementType, ArrayRef<int64_t> dims) {
  if (!isSupportedElement(elementType)) {
    std::string text;
    llvm::raw_string_ostream(text) << elementType;
    return fail("element type " + text + " is not supported");
  }
  bool isEmpty = llvm::is_contained(dims, 0);
  uint64_t count = 1;
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (dim < 0)
      return fail("dimension " + Twine(index) + " would have extent " + Twine(dim));
    if (!isEmpty && (__builtin_mul_overflow(count, static_cast<uint64_t>(dim), &count) ||
                     count > interpreter.getOptions().maxElements))
      return failAtLimit("a tensor of shape " + formatShape(dims) + " has more than " +
                         Twine(interpreter.getOptions().maxElements) + " elements");
  }
  return Tensor(elementType, dims);
}

FailureOr<Tensor> Frame::makeGarbage(Type elementType, ArrayRef<int64_t> dims) {
  FailureOr<Tensor> tensor = makeTensor(elementType, dims);
  if (failed(tensor))
    return failure();
  for (int64_t i = 0; i < tensor->size(); ++i) {
    if (tensor->isFloat())
      tensor->setFloat(i, std::nan(""));
    else
      tensor->setInt(i, 0x5b5b5b5b5b5b5b5b);
  }
  return tensor;
}

/// Of 0.0 and -0.0 either is the maximum or minimum.
static bool choosesZeros(Operation *op) {
  return isa<graph::MaximumOp, graph::MinimumOp, graph::ClipOp, graph::ReluOp, graph::MaxOp, graph::MinOp,
             graph::MaxPoolOp, graph::AdaptiveMaxPoolOp, graph::ScatterElementsOp, graph::ScatterNDOp>(op);
}

/// A number that is at most `bound` away; what may be anything becomes NaN, or infinite in runs with a direction. At
/// the edges it is 0 or infinite where it may be: that is where quotients, logarithms and comparisons change their
/// answer.
static double move(Interpreter &interpreter, Type type, double number, double bound) {
  double random = interpreter.random();
  if (!interpreter.getOptions().goesToEdges)
    return std::isinf(bound) && !interpreter.getOptions().direction ? std::nan("") : number + bound * random;
  if (std::isinf(bound))
    return std::copysign(bound, random);
  double furthest = number + std::copysign(bound, number);
  return std::isinf(roundToType(type, furthest)) ? furthest : std::fabs(number) <= bound ? 0 : number + bound * random;
}

void Frame::perturb(Value value) {
  auto *pointer = std::get_if<std::shared_ptr<const Tensor>>(&values[value]);
  if (!pointer || !*pointer)
    return;
  Tensor moved = **pointer;
  // The sign of a NaN means nothing, that of some zeros neither: runs show both.
  double sign = interpreter.getOptions().perturbation % 2 == 0 ? 1 : -1;
  bool isAnyZero = choosesZeros(value.getDefiningOp()), hasAny = false;
  for (int64_t i = 0; moved.isFloat() && i < moved.size(); ++i)
    if (std::isnan(moved.f(i)) || (isAnyZero && moved.f(i) == 0)) {
      moved.setFloat(i, std::copysign(moved.f(i), sign));
      hasAny = true;
    }
  if (!hasAny && (*pointer)->getErrors().empty())
    return;
  for (auto [index, bound] : llvm::enumerate((*pointer)->getErrors()))
    if (bound != 0)
      moved.setFloat(index, move(interpreter, moved.getElementType(), moved.f(index), bound));
  moved.clearErrors();
  *pointer = std::make_shared<const Tensor>(std::move(moved));
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

std::optional<int64_t> Frame::evaluate(SymExpr expr) {
  if (!expr)
    return std::nullopt;
  return expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
    auto found = symbols.find(name);
    return found == symbols.end() ? std::nullopt : std::optional<int64_t>(found->second);
  });
}

/// The only symbol of an expression that is not bound; nothing when there are none or several.
static std::optional<StringRef> getOnlyUnbound(SymExpr expr, llvm::function_ref<bool(StringRef)> isBound) {
  std::optional<StringRef> only;
  for (StringRef symbol : expr.getSymbols()) {
    if (isBound(symbol))
      continue;
    if (only)
      return std::nullopt;
    only = symbol;
  }
  return only;
}

/// True when the symbol is no part of a maximum or division.
static bool isPolynomialIn(SymExpr expr, StringRef symbol) {
  return llvm::all_of(sym::getTerms(expr), [&](const sym::SymTerm &term) {
    return llvm::all_of(term.factors, [&](auto factor) {
      const sym::SymAtom *atom = factor.first;
      return llvm::none_of(atom->operands, [&](SymExpr operand) { return operand.usesSymbol(symbol); });
    });
  });
}

LogicalResult Frame::bindExtents(ArrayRef<SymExpr> exprs, ArrayRef<int64_t> actual) {
  for (auto [expr, value] : llvm::zip_equal(exprs, actual))
    if (expr)
      if (std::optional<StringRef> symbol = expr.getSymbol())
        if (!isBound(*symbol))
          bind(*symbol, value);
  // `c * n + r`, one unknown at a time. What was solved wrongly shows when extents are compared.
  for (bool progress = true; progress;) {
    progress = false;
    for (auto [expr, value] : llvm::zip_equal(exprs, actual)) {
      std::optional<StringRef> unknown =
          expr ? getOnlyUnbound(expr, [&](StringRef name) { return isBound(name); }) : std::nullopt;
      if (!unknown || !isPolynomialIn(expr, *unknown))
        continue;
      auto at = [&, expr = expr](int64_t guess) {
        return expr.evaluate(
            [&](StringRef name) -> std::optional<int64_t> { return name == *unknown ? guess : symbols.lookup(name); });
      };
      std::optional<int64_t> rest = at(0), one = at(1), two = at(2);
      if (!rest || !one || !two || *one - *rest == 0 || *two - *one != *one - *rest)
        continue;
      int64_t solution = (value - *rest) / (*one - *rest);
      if (solution < 0)
        return fail("the extents of the inputs give " + *unknown + " = " + Twine(solution) + ", expected a size >= 0");
      bind(*unknown, solution);
      progress = true;
    }
  }
  return success();
}

LogicalResult Frame::checkExtents(ArrayRef<SymExpr> exprs, ArrayRef<int64_t> actual, const Twine &what) {
  if (exprs.size() != actual.size())
    return fail(what + "s: expected " + Twine(exprs.size()) + ", actual " + Twine(actual.size()));
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(exprs, actual))) {
    auto [expr, value] = pair;
    if (!expr)
      continue;
    std::optional<int64_t> expected = evaluate(expr);
    if (!expected)
      return fail(what + " " + Twine(index) + ": " + expr.str() + " has no value in 64 bits here");
    if (*expected == value)
      continue;
    std::string text = expr.getConstant() ? expr.str() : expr.str() + " = " + std::to_string(*expected);
    return fail(what + " " + Twine(index) + ": expected " + text + ", actual " + Twine(value));
  }
  return success();
}

LogicalResult Frame::checkFacts(sym::ScopeAttr scope, ArrayRef<StringRef> changed) {
  for (const sym::Fact &fact : scope ? scope.getFacts() : ArrayRef<sym::Fact>()) {
    SmallVector<StringRef> used = fact.lhs.getSymbols();
    for (StringRef symbol : fact.rhs.getSymbols())
      if (!llvm::is_contained(used, symbol))
        used.push_back(symbol);
    if (!llvm::all_of(used, [&](StringRef symbol) { return isBound(symbol); }))
      continue;
    if (!changed.empty() && llvm::none_of(used, [&](StringRef symbol) { return llvm::is_contained(changed, symbol); }))
      continue;
    std::optional<bool> holds =
        fact.evaluate([&](StringRef name) -> std::optional<int64_t> { return symbols.lookup(name); });
    if (holds && *holds)
      continue;
    std::string text = "fact ";
    llvm::raw_string_ostream os(text);
    fact.print(os);
    os << (holds ? " does not hold" : " has no value in 64 bits");
    for (auto [index, symbol] : llvm::enumerate(used))
      os << (index ? ", " : ": ") << symbol << " = " << symbols.lookup(symbol);
    return fail(text);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// Extents, element type and rank are what the result type says.
LogicalResult Frame::checkResult(Operation *op, unsigned index) {
  Value value = op->getResult(index);
  const RuntimeValue &held = values[value];
  auto where = [&](StringRef part) { return ("result " + Twine(index) + ": " + part).str(); };
  if (auto type = dyn_cast<RankedTensorType>(value.getType())) {
    Type element;
    ArrayRef<int64_t> dims;
    if (auto *placed = std::get_if<PlacedTensor>(&held)) {
      element = placed->elementType;
      dims = placed->dims;
    } else if (auto *pointer = std::get_if<std::shared_ptr<const Tensor>>(&held)) {
      element = (*pointer)->getElementType();
      dims = (*pointer)->getDims();
    } else {
      return fail("result " + Twine(index) + " has no value");
    }
    if (element != type.getElementType())
      return fail("result " + Twine(index) + " has another element type than its type");
    return checkExtents(sym::getSymbolicDims(type), dims, where("dimension"));
  }
  if (isa<graph::ShapeType>(value.getType())) {
    auto *shape = std::get_if<Shape>(&held);
    if (!shape)
      return fail("result " + Twine(index) + " has no value");
    for (auto [entry, size] : llvm::enumerate(*shape))
      if (size < 0)
        return fail("result " + Twine(index) + ": entry " + Twine(entry) + ": expected a size >= 0, actual " +
                    Twine(size));
    return checkExtents(sym::getSymbolicDims(value.getType()), *shape, where("entry"));
  }
  if (std::holds_alternative<std::monostate>(held))
    return fail("result " + Twine(index) + " has no value");
  return success();
}

LogicalResult Frame::runOp(Operation *op) {
  Operation *outer = current;
  current = op;
  reads.clear();
  if (!interpreter.countStep())
    return failAtLimit("the run takes more than " + Twine(interpreter.getOptions().maxSteps) + " steps");
  const OpTable::Function *function = interpreter.getTable().lookup(op);
  if (!function)
    return fail("has no meaning in the reference interpreter");
  if (failed((*function)(*this, op)))
    return failure();
  current = op; // regions have moved it
  for (unsigned i = 0, e = op->getNumResults(); i != e; ++i) {
    if (failed(checkResult(op, i)))
      return failure();
    if (interpreter.getOptions().perturbation)
      perturb(op->getResult(i));
  }
  current = outer;
  return success();
}

LogicalResult Frame::runBody(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(runOp(&op)))
      return failure();
  return success();
}

LogicalResult Frame::runBlock(Block &block, ValueRange arguments, ArrayRef<RuntimeValue> given,
                              SmallVectorImpl<RuntimeValue> &results) {
  for (auto [argument, value] : llvm::zip_equal(arguments, given))
    values[argument] = value;
  if (failed(runBody(block)))
    return failure();
  results.clear();
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(values[value]);
  return success();
}
