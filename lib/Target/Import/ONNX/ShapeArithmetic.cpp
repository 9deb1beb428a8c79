//===- ShapeArithmetic.cpp - Integer tensors element by element -----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Models compute shapes by tensors: Shape, Gather, Mul, Concat, then Reshape.
// Here each element of such a small tensor is an expression in the symbols of
// the inputs, so that the Reshape gets a symbolic target. Expressions are exact
// integers: where a result would depend on rounding of negative numbers or on
// an undecided comparison, the element is unknown (null) and the node is
// imported as the tensor computation that it is.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "TensorData.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;
using mlir::relax::sym::Verdict;
using Known = std::optional<KnownElements>;

/// Constants wrap around in their type; symbolic elements stand for values that fit.
static SymExpr wrap(SymExpr element, Type elementType) {
  std::optional<int64_t> value = element ? element.getConstant() : std::nullopt;
  unsigned width = elementType.getIntOrFloatBitWidth();
  if (value && width >= 64 && elementType.isUnsignedInteger())
    return *value < 0 ? SymExpr() : element;
  if (!value || width >= 64)
    return element;
  if (elementType.isUnsignedInteger())
    return SymExpr::constant(element.getContext(), *value & ((int64_t(1) << width) - 1));
  if (width == 1)
    return SymExpr::constant(element.getContext(), *value != 0);
  return SymExpr::constant(element.getContext(),
                           APInt(64, *value, /*isSigned=*/true).trunc(width).sext(64).getSExtValue());
}

/// A result of rank 0 or 1.
static Known makeKnown(Elements elements, Type elementType, bool isScalar) {
  if (elements.size() > static_cast<size_t>(kMaxElements) || (isScalar && elements.size() != 1))
    return std::nullopt;
  for (SymExpr &element : elements)
    element = wrap(element, elementType);
  SmallVector<int64_t> extents;
  if (!isScalar)
    extents.push_back(elements.size());
  return KnownElements{RankedTensorType::get(extents, elementType), std::move(elements)};
}

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

static bool isAtLeast(NodeEmitter &e, SymExpr value, int64_t bound) {
  return value && e.getProver().lowerBound(value).value_or(bound - 1) >= bound;
}

static SymExpr decide(NodeEmitter &e, Verdict verdict, bool whenTrue) {
  return verdict == Verdict::Depends ? SymExpr() : e.constant((verdict == Verdict::True) == whenTrue);
}

static SymExpr compare(NodeEmitter &e, StringRef op, SymExpr a, SymExpr b) {
  sym::Prover &prover = e.getProver();
  if (op == "Equal")
    return decide(e, prover.isEqual(a, b), true);
  if (op == "LessOrEqual")
    return decide(e, prover.isLessEqual(a, b), true);
  if (op == "GreaterOrEqual")
    return decide(e, prover.isLessEqual(b, a), true);
  if (op == "Less")
    return decide(e, prover.isLessEqual(b, a), false);
  return decide(e, prover.isLessEqual(a, b), false); // Greater
}

/// Larger products are not followed.
static constexpr size_t kMaxTerms = 256;

/// Null when the result is not an expression of the operands.
static SymExpr combine(NodeEmitter &e, StringRef op, SymExpr a, SymExpr b) {
  // Operands that passed this have products of a bounded size.
  if (!a || !b || isTooComplex(a) || isTooComplex(b))
    return {};
  if (op == "Add")
    return a + b;
  if (op == "Sub")
    return a - b;
  if (op == "Mul")
    return sym::getTerms(a).size() * sym::getTerms(b).size() > kMaxTerms ? SymExpr() : a * b;
  // The quotient rounds to zero and the remainder has either sign: plain floor division only where nothing is negative.
  if (op == "Div")
    return isAtLeast(e, a, 0) && isAtLeast(e, b, 1) ? SymExpr::floordiv(a, b) : SymExpr();
  if (op == "Mod")
    return isAtLeast(e, a, 0) && isAtLeast(e, b, 1) ? SymExpr::mod(a, b) : SymExpr();
  if (op == "Max")
    return SymExpr::max({a, b});
  if (op == "Min")
    return SymExpr::min({a, b});
  if (op == "And" || op == "Or") {
    std::optional<int64_t> x = a.getConstant(), y = b.getConstant();
    return x && y ? e.constant(op == "And" ? (*x && *y) : (*x || *y)) : SymExpr();
  }
  return compare(e, op, a, b);
}

//===----------------------------------------------------------------------===//
// One operator
//===----------------------------------------------------------------------===//

/// Broadcast length of rank 0 and 1 operands; nullopt when they do not fit.
static std::optional<size_t> getCommonLength(ArrayRef<Elements> operands) {
  size_t length = 1;
  for (const Elements &operand : operands) {
    if (operand.size() == 1 || operand.size() == length)
      continue;
    if (length != 1)
      return std::nullopt;
    length = operand.size();
  }
  return length;
}

static std::optional<SmallVector<Elements>> getAllElements(NodeEmitter &e) {
  SmallVector<Elements> operands;
  for (unsigned index = 0; index < e.getNumInputs(); ++index) {
    std::optional<Elements> elements = e.getElements(index);
    if (!elements)
      return std::nullopt;
    operands.push_back(std::move(*elements));
  }
  return operands;
}

static bool areAllScalars(NodeEmitter &e) {
  for (unsigned index = 0; index < e.getNumInputs(); ++index)
    if (e.getRank(index) != 0)
      return false;
  return true;
}

static Known followElementwise(NodeEmitter &e, bool isComparison) {
  std::optional<SmallVector<Elements>> operands = getAllElements(e);
  std::optional<size_t> length = operands ? getCommonLength(*operands) : std::nullopt;
  if (!length || (e.getOpType() == "Mod" && e.getInt("fmod", 0)) || (e.getOpset() < 7 && e.hasAttr("broadcast")))
    return std::nullopt;
  Elements result;
  for (size_t i = 0; i < *length; ++i) {
    SymExpr value = (*operands)[0][(*operands)[0].size() == 1 ? 0 : i];
    for (const Elements &operand : llvm::drop_begin(*operands))
      value = combine(e, e.getOpType(), value, operand[operand.size() == 1 ? 0 : i]);
    result.push_back(value);
  }
  Type elementType = isComparison ? e.getI1() : e.getType(0).getElementType();
  return makeKnown(std::move(result), elementType, areAllScalars(e));
}

static Known followUnary(NodeEmitter &e) {
  std::optional<Elements> elements = e.getElements(0);
  if (!elements)
    return std::nullopt;
  for (SymExpr &element : *elements) {
    if (!element || e.getOpType() == "Identity")
      continue;
    if (e.getOpType() == "Neg")
      element = -element;
    else if (e.getOpType() == "Not")
      element = element.getConstant() ? e.constant(!*element.getConstant()) : SymExpr();
    else // Abs
      element =
          element.getConstant() ? SymExpr::max({element, -element}) : (isAtLeast(e, element, 0) ? element : SymExpr());
  }
  return makeKnown(std::move(*elements), e.getType(0).getElementType(), e.getRank(0) == 0);
}

static Known followWhere(NodeEmitter &e) {
  std::optional<SmallVector<Elements>> operands = getAllElements(e);
  std::optional<size_t> length = operands ? getCommonLength(*operands) : std::nullopt;
  if (!length)
    return std::nullopt;
  Elements result;
  for (size_t i = 0; i < *length; ++i) {
    auto at = [&](unsigned operand) { return (*operands)[operand][(*operands)[operand].size() == 1 ? 0 : i]; };
    SymExpr condition = at(0), x = at(1), y = at(2);
    if (condition && condition.getConstant())
      result.push_back(*condition.getConstant() ? x : y);
    else
      result.push_back(x == y ? x : SymExpr());
  }
  return makeKnown(std::move(result), e.getType(1).getElementType(), areAllScalars(e));
}

static Known followShape(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t rank = dims.size();
  auto clampAxis = [&](int64_t axis) { return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank); };
  int64_t start = clampAxis(e.getInt("start", 0)), end = clampAxis(e.getInt("end", rank));
  return makeKnown(Elements(ArrayRef(dims).slice(start, std::max<int64_t>(end - start, 0))), e.getI64(), false);
}

static Known followCast(NodeEmitter &e) {
  std::optional<Elements> elements = e.getElements(0);
  Type elementType = getElementType(e.getContext(), e.getInt("to", 0));
  if (!elements || !isa_and_present<IntegerType>(elementType))
    return std::nullopt;
  e.ignoreAttr("saturate");
  e.ignoreAttr("round_mode");
  for (SymExpr &element : *elements)
    if (element && !element.getConstant() && elementType.isInteger(1))
      element = isAtLeast(e, element, 1) ? e.constant(1) : SymExpr();
  return makeKnown(std::move(*elements), elementType, e.getRank(0) == 0);
}

static Known followConcat(NodeEmitter &e) {
  std::optional<SmallVector<Elements>> operands = getAllElements(e);
  if (!operands || areAllScalars(e))
    return std::nullopt;
  int64_t axis = e.getInt("axis", 0);
  Elements result;
  for (const Elements &operand : *operands)
    llvm::append_range(result, operand);
  return axis == 0 || axis == -1 ? makeKnown(std::move(result), e.getType(0).getElementType(), false) : std::nullopt;
}

static Known followGather(NodeEmitter &e) {
  std::optional<Elements> data = e.getElements(0);
  std::optional<SmallVector<int64_t>> indices = e.getIntegers(1);
  int64_t axis = e.getInt("axis", 0);
  if (!data || !indices || e.getRank(0) != 1 || (axis != 0 && axis != -1))
    return std::nullopt;
  int64_t length = data->size();
  Elements result;
  for (int64_t index : *indices) {
    if (index < -length || index >= length) {
      e.fail("index " + Twine(index) + " is out of range for extent " + Twine(length));
      return std::nullopt;
    }
    result.push_back((*data)[index < 0 ? index + length : index]);
  }
  return makeKnown(std::move(result), e.getType(0).getElementType(), e.getRank(1) == 0);
}

static Known followSlice(NodeEmitter &e) {
  std::optional<Elements> data = e.getElements(0);
  if (!data || e.getRank(0) != 1)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> starts, ends, axes = SmallVector<int64_t>{0}, steps = SmallVector<int64_t>{1};
  if (e.getOpset() < 10) {
    starts = e.getInts("starts");
    ends = e.getInts("ends");
    if (e.hasAttr("axes"))
      axes = e.getInts("axes");
  } else {
    if (e.getNumInputs() < 3)
      return std::nullopt;
    starts = e.getConstantBounds(1);
    ends = e.getConstantBounds(2);
    if (e.has(3))
      axes = e.getIntegers(3);
    if (e.has(4))
      steps = e.getIntegers(4);
  }
  auto isOne = [](const std::optional<SmallVector<int64_t>> &values) { return values && values->size() == 1; };
  if (!isOne(starts) || !isOne(ends) || !isOne(axes) || !isOne(steps) || ((*axes)[0] != 0 && (*axes)[0] != -1))
    return std::nullopt;
  int64_t length = data->size(), step = (*steps)[0];
  if (step == 0 || step == std::numeric_limits<int64_t>::min())
    return std::nullopt;
  auto clamp = [&](int64_t bound, int64_t low, int64_t high) {
    return std::clamp<int64_t>(bound < 0 ? bound + length : bound, low, std::max(low, high));
  };
  Elements result;
  if (step > 0) {
    int64_t end = clamp((*ends)[0], 0, length);
    for (int64_t i = clamp((*starts)[0], 0, length); i < end; i += std::min(step, length))
      result.push_back((*data)[i]);
  } else if (length > 0) {
    int64_t end = clamp((*ends)[0], -1, length - 1);
    for (int64_t i = clamp((*starts)[0], 0, length - 1); i > end; i -= std::min(-step, length))
      result.push_back((*data)[i]);
  }
  return makeKnown(std::move(result), e.getType(0).getElementType(), false);
}

/// Axes of a Squeeze, Unsqueeze or reduction; nullopt when they are not constants.
static std::optional<SmallVector<int64_t>> getAxes(NodeEmitter &e, int64_t inputSince) {
  if (e.getOpset() < inputSince)
    return e.getInts("axes");
  return e.has(1) ? e.getIntegers(1) : SmallVector<int64_t>();
}

static Known followUnsqueeze(NodeEmitter &e) {
  std::optional<Elements> elements = e.getElements(0);
  std::optional<SmallVector<int64_t>> axes = getAxes(e, 13);
  if (!elements || !axes || e.getRank(0) != 0 || axes->size() != 1 || ((*axes)[0] != 0 && (*axes)[0] != -1))
    return std::nullopt;
  return makeKnown(std::move(*elements), e.getType(0).getElementType(), false);
}

static Known followSqueeze(NodeEmitter &e) {
  std::optional<Elements> elements = e.getElements(0);
  std::optional<SmallVector<int64_t>> axes = getAxes(e, 13);
  if (!elements || !axes || e.getRank(0) != 1 || elements->size() != 1 || axes->size() > 1 ||
      (axes->size() == 1 && (*axes)[0] != 0 && (*axes)[0] != -1))
    return std::nullopt;
  return makeKnown(std::move(*elements), e.getType(0).getElementType(), true);
}

static Known followReshape(NodeEmitter &e) {
  std::optional<Elements> elements = e.getElements(0);
  std::optional<SmallVector<int64_t>> target = e.getIntegers(1);
  if (!elements || !target || target->size() > 1 || e.hasAttr("allowzero"))
    return std::nullopt;
  if (target->size() == 1 && (*target)[0] != -1 && (*target)[0] != static_cast<int64_t>(elements->size()))
    return std::nullopt;
  return makeKnown(std::move(*elements), e.getType(0).getElementType(), target->empty());
}

static Known followReduction(NodeEmitter &e) {
  std::optional<Elements> elements = e.getElements(0);
  std::optional<SmallVector<int64_t>> axes = getAxes(e, e.getOpType() == "ReduceSum" ? 13 : 18);
  bool all = axes && (axes->empty() || (axes->size() == 1 && ((*axes)[0] == 0 || (*axes)[0] == -1)));
  if (!elements || !all || e.getRank(0) != 1 || (axes->empty() && e.getInt("noop_with_empty_axes", 0)))
    return std::nullopt;
  StringRef op = llvm::StringSwitch<StringRef>(e.getOpType())
                     .Case("ReduceProd", "Mul")
                     .Case("ReduceSum", "Add")
                     .Case("ReduceMax", "Max")
                     .Default("Min");
  if (elements->empty() && (op == "Max" || op == "Min"))
    return std::nullopt;
  SymExpr result = elements->empty() ? e.constant(op == "Mul") : elements->front();
  for (SymExpr element : llvm::drop_begin(*elements, elements->empty() ? 0 : 1))
    result = combine(e, op, result, element);
  e.ignoreAttr("noop_with_empty_axes");
  return makeKnown({result}, e.getType(0).getElementType(), !e.getInt("keepdims", 1));
}

static Known followRange(NodeEmitter &e) {
  constexpr int64_t kMaxBound = int64_t(1) << 60; // sums of two do not overflow
  SmallVector<int64_t> bounds;
  for (unsigned index = 0; index < 3; ++index) {
    std::optional<SmallVector<int64_t>> value = e.getIntegers(index);
    if (!value || value->size() != 1 || (*value)[0] > kMaxBound || (*value)[0] < -kMaxBound)
      return std::nullopt;
    bounds.push_back((*value)[0]);
  }
  if (bounds[2] == 0)
    return std::nullopt;
  Elements result;
  for (int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1]; i += bounds[2]) {
    result.push_back(e.constant(i));
    if (result.size() > static_cast<size_t>(kMaxElements))
      return std::nullopt;
  }
  return makeKnown(std::move(result), e.getType(0).getElementType(), false);
}

static Known followExpand(NodeEmitter &e) {
  std::optional<Elements> elements = e.getElements(0);
  std::optional<SmallVector<int64_t>> target = e.getIntegers(1);
  if (!elements || !target || target->size() != 1 || elements->size() != 1 || (*target)[0] < 0 ||
      (*target)[0] > kMaxElements)
    return std::nullopt;
  return makeKnown(Elements((*target)[0], elements->front()), e.getType(0).getElementType(), false);
}

SmallVector<std::optional<KnownElements>> mlir::relax::onnx::followElements(NodeEmitter &e) {
  using Follow = Known (*)(NodeEmitter &);
  Follow arithmetic = [](NodeEmitter &e) { return followElementwise(e, /*isComparison=*/false); };
  Follow comparison = [](NodeEmitter &e) { return followElementwise(e, /*isComparison=*/true); };
  Follow size = [](NodeEmitter &e) { return makeKnown({e.product(e.getDims(0))}, e.getI64(), true); };
  Follow follow = llvm::StringSwitch<Follow>(e.getOpType())
                      .Cases({"Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "And", "Or"}, arithmetic)
                      .Cases({"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"}, comparison)
                      .Cases({"Identity", "Neg", "Abs", "Not"}, followUnary)
                      .Cases({"ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin"}, followReduction)
                      .Case("Where", followWhere)
                      .Case("Shape", followShape)
                      .Case("Size", size)
                      .Case("Cast", followCast)
                      .Case("Concat", followConcat)
                      .Case("Gather", followGather)
                      .Case("Slice", followSlice)
                      .Case("Unsqueeze", followUnsqueeze)
                      .Case("Squeeze", followSqueeze)
                      .Case("Reshape", followReshape)
                      .Case("Range", followRange)
                      .Case("Expand", followExpand)
                      .Default(nullptr);
  if (!follow)
    return {};
  Known known = follow(e);
  if (!known || e.failed())
    return {};
  return {std::move(known)};
}

std::optional<sym::Fact> mlir::relax::onnx::followFact(NodeEmitter &e) {
  using Op = sym::Fact::Op;
  if (e.getOpType() == "Identity")
    return e.getFact(0);
  std::optional<Op> op = llvm::StringSwitch<std::optional<Op>>(e.getOpType())
                             .Case("Equal", Op::Equal)
                             .Case("Less", Op::Less)
                             .Case("LessOrEqual", Op::LessEqual)
                             .Case("Greater", Op::Greater)
                             .Case("GreaterOrEqual", Op::GreaterEqual)
                             .Default(std::nullopt);
  std::optional<Elements> a = op ? e.getElements(0) : std::nullopt, b = a ? e.getElements(1) : std::nullopt;
  if (!b || a->size() != 1 || b->size() != 1 || !a->front() || !b->front())
    return std::nullopt;
  return sym::Fact{a->front(), *op, b->front()};
}
