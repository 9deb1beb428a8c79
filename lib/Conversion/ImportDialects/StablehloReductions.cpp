//===- StablehloReductions.cpp - Reductions and sorting -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Stablehlo.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using Emit = ForeignImporter::Emit;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Reduces, then combines with the initial value; folding drops neutral ones.
template <typename ReduceOp, typename CombineOp>
static Value reduceWith(ForeignImporter &w, Value x, Value init, ArrayRef<int64_t> axes) {
  return w.create<CombineOp>({w.reduce<ReduceOp>(x, axes), init});
}

static Value reduceSimply(ForeignImporter &w, StringRef combiner, Value x, Value init, ArrayRef<int64_t> axes) {
  using namespace mlir::relax::graph;
  using Write = Value (*)(ForeignImporter &, Value, Value, ArrayRef<int64_t>);
  bool isBool = x && w.elementType(x).isInteger(1);
  Write write = isBool ? llvm::StringSwitch<Write>(combiner)
                             .Cases({"or", "add", "maximum"}, reduceWith<AnyOp, LogicalOrOp>)
                             .Cases({"and", "multiply", "minimum"}, reduceWith<AllOp, LogicalAndOp>)
                             .Default(nullptr)
                       : llvm::StringSwitch<Write>(combiner)
                             .Case("add", reduceWith<SumOp, AddOp>)
                             .Case("multiply", reduceWith<ProdOp, MultiplyOp>)
                             .Case("maximum", reduceWith<MaxOp, MaximumOp>)
                             .Case("minimum", reduceWith<MinOp, MinimumOp>)
                             .Default(nullptr);
  if (!write) {
    w.fail("combines elements in a way that is not supported");
    return {};
  }
  return write(w, x, init, axes);
}

/// The value is the index along `axis`.
static bool isIndexAlong(Value value, int64_t axis) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  StringRef name = op->getName().getStringRef();
  if (name == "stablehlo.iota" || name == "stablehlo.dynamic_iota")
    return stablehlo::getInteger(op, "iota_dimension", -1) == axis;
  if (name != "stablehlo.broadcast_in_dim" && name != "stablehlo.dynamic_broadcast_in_dim")
    return false;
  SmallVector<int64_t> axes = stablehlo::getIntegers(op, "broadcast_dimensions");
  auto *place = llvm::find(axes, axis);
  return place != axes.end() && isIndexAlong(op->getOperand(0), place - axes.begin());
}

/// 1 when the region keeps the larger of two numbers and its index, -1 for the smaller one, 0 otherwise. Of equal
/// numbers it is the first, NaN wins. The region only compares, so that these cases are all there are.
static int classifyArgReduction(Region &region) {
  const double nan = std::nan("");
  const double numbers[] = {-1, 0, 2, nan};
  bool isMax = true, isMin = true;
  for (double a : numbers)
    for (double b : numbers)
      for (auto [i, j] : {std::pair(3.0, 5.0), std::pair(5.0, 3.0)}) {
        if (std::isnan(a) && std::isnan(b))
          continue; // the first one by numpy, either by the specification
        std::optional<SmallVector<double>> result = stablehlo::evaluate(region, {a, i, b, j});
        if (!result || result->size() != 2)
          return 0;
        auto isRight = [&, i = i, j = j](bool takesFirst) {
          double number = takesFirst ? a : b;
          bool isSame = (*result)[0] == number || (std::isnan((*result)[0]) && std::isnan(number));
          return isSame && (*result)[1] == (takesFirst ? i : j);
        };
        bool isTie = a == b, hasNaN = std::isnan(a) || std::isnan(b);
        isMax &= isRight(hasNaN ? std::isnan(a) : isTie ? i < j : a > b);
        isMin &= isRight(hasNaN ? std::isnan(a) : isTie ? i < j : a < b);
      }
  return isMax ? 1 : isMin ? -1 : 0;
}

template <typename ArgOp, typename ReduceOp>
static void emitArgReduction(ForeignImporter &w, Operation *op, int64_t axis) {
  Value x = w.get(op->getOperand(0));
  Value index = w.create<ArgOp>(x, w.attr("axis", axis));
  w.set(op->getResult(0), w.reduce<ReduceOp>(x, axis));
  w.set(op->getResult(1), w.astype(index, getElementTypeOrSelf(op->getResult(1).getType())));
}

static void emitReduce(ForeignImporter &w, Operation *op) {
  SmallVector<int64_t> axes = stablehlo::getIntegers(op, "dimensions");
  unsigned count = op->getNumOperands() / 2;
  if (op->getNumRegions() != 1 || count == 0 || op->getNumOperands() != 2 * count)
    return w.fail("has no initial value for each operand");
  if (count == 1) {
    Value x = w.get(op->getOperand(0)), init = w.get(op->getOperand(1));
    if (axes.empty())
      return w.fail("has no dimensions");
    return w.set(op->getResult(0), reduceSimply(w, stablehlo::getCombiner(op->getRegion(0)), x, init, axes));
  }
  int kind = count == 2 && axes.size() == 1 && isIndexAlong(op->getOperand(1), axes[0])
                 ? classifyArgReduction(op->getRegion(0))
                 : 0;
  if (kind > 0)
    return emitArgReduction<graph::ArgmaxOp, graph::MaxOp>(w, op, axes[0]);
  if (kind < 0)
    return emitArgReduction<graph::ArgminOp, graph::MinOp>(w, op, axes[0]);
  w.fail("reduces several operands in a way that is not supported");
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// 1 when the region puts smaller numbers of its first pair first and NaN last, -1 for the opposite order, 0 otherwise.
/// A tie of the first pair must not be decided by the others.
static int classifyOrder(Region &region, bool isFloat) {
  const double nan = std::nan("");
  SmallVector<double> numbers = {-2, 0, 3};
  if (isFloat)
    numbers.append({nan, std::numeric_limits<double>::infinity()});
  bool ascends = true, descends = true;
  for (double a : numbers)
    for (double b : numbers)
      for (double other : {-1.0, 1.0}) {
        SmallVector<double> arguments = {a, b};
        for (unsigned index = 2; index < region.getNumArguments(); ++index)
          arguments.push_back(index % 2 ? other : -other);
        std::optional<SmallVector<double>> result = stablehlo::evaluate(region, arguments);
        if (!result || result->size() != 1)
          return 0;
        auto isLess = [](double x, double y) { return std::isnan(y) ? !std::isnan(x) : x < y; };
        ascends &= ((*result)[0] != 0) == isLess(a, b);
        descends &= ((*result)[0] != 0) == isLess(b, a);
      }
  return ascends ? 1 : descends ? -1 : 0;
}

static void emitSort(ForeignImporter &w, Operation *op) {
  if (op->getNumRegions() != 1 || op->getNumOperands() == 0)
    return w.fail("has no comparator");
  Value key = w.get(op->getOperand(0));
  if (w.failed())
    return;
  int64_t axis = stablehlo::getInteger(op, "dimension", -1);
  if (axis < 0)
    axis += w.rank(key);
  int order = classifyOrder(op->getRegion(0), isa<FloatType>(w.elementType(key)));
  if (order == 0)
    return w.fail("has a comparator that is not supported");
  SmallVector<NamedAttribute> attributes = {w.attr("axis", axis)};
  if (order < 0)
    attributes.push_back(w.flag("descending"));
  Value indices = w.create<graph::ArgsortOp>(key, attributes);
  for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
    w.set(result, w.create<graph::TakeAlongAxisOp>({w.get(operand), indices}, w.attr("axis", axis)));
}

static void emitTopK(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0));
  int64_t k = stablehlo::getInteger(op, "k", 0), axis = w.rank(x) - 1;
  if (w.failed())
    return;
  if (op->getNumResults() != 2 || axis < 0)
    return w.fail("has a scalar operand or other results");
  Value indices = w.create<graph::ArgsortOp>(x, {w.attr("axis", axis), w.flag("descending")});
  Dims own = w.dims(x), starts(own.size(), w.expr(0)), ends = own;
  ends[axis] = w.expr(k);
  w.require({ends[axis], sym::Fact::Op::LessEqual, own[axis]}, "takes more elements than there are");
  Value first = w.slice(indices, starts, ends, SmallVector<int64_t>(own.size(), 1));
  w.set(op->getResult(0), w.create<graph::TakeAlongAxisOp>({x, first}, w.attr("axis", axis)));
  w.set(op->getResult(1), w.astype(first, getElementTypeOrSelf(op->getResult(1).getType())));
}

Emit stablehlo::getReductionRule(StringRef name) {
  return llvm::StringSwitch<Emit>(name)
      .Case("stablehlo.reduce", emitReduce)
      .Case("stablehlo.sort", emitSort)
      .Case("chlo.top_k", emitTopK)
      .Default(nullptr);
}
