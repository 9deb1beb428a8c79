//===- ShapeOps.cpp - Operators about shapes ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RuntimeAxes.h"
#include "TensorData.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;
using mlir::relax::sym::Verdict;

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// The extent for -1: the product of `from` divided by that of the others. Common factors go first, so that a batch of
/// zero does not matter.
static SymExpr inferExtent(NodeEmitter &e, SmallVector<SymExpr> from, ArrayRef<SymExpr> others) {
  SmallVector<SymExpr> remaining;
  for (SymExpr other : others) {
    auto *same = llvm::find(from, other);
    if (same != from.end() && other.getConstant() != 0)
      from.erase(same);
    else
      remaining.push_back(other);
  }
  SymExpr total = e.product(from), divisor = e.product(remaining);
  if (!total || !divisor) {
    e.fail("the number of elements does not fit 64 bits");
    return {};
  }
  if (divisor.getConstant() == 0) {
    e.fail("-1 cannot be inferred beside an extent of 0");
    return {};
  }
  if (divisor.getConstant() == 1)
    return total;
  SymExpr quotient = SymExpr::floordiv(total, divisor);
  if (!quotient || e.getProver().isDivisible(total, divisor) == Verdict::False) {
    e.fail("cannot reshape " + Twine(total.str()) + " elements: not divisible by " + divisor.str());
    return {};
  }
  // Where divisibility is not proved, the number of elements is checked at run time: that is a rule of relax.reshape.
  return quotient;
}

/// The target as a tensor operand with its 0 and -1 resolved at run time. An entry that has no meaning becomes
/// negative, which traps where the entries are bound.
static Value resolveTarget(NodeEmitter &e, ArrayRef<SymExpr> input, int64_t length, bool allowZero) {
  Value target = e.cast(e.getTensor(1), e.getI64());
  Value invalid = e.makeScalarLike(-2, target), one = e.makeScalarLike(1, target), zero = e.makeScalarLike(0, target);
  if (!allowZero) {
    int64_t shared = std::min<int64_t>(length, input.size());
    SmallVector<Value> parts = {e.makeDimsTensor(input.take_front(shared))};
    if (length > shared)
      parts.push_back(e.makeIntegers(SmallVector<int64_t>(length - shared, -2)));
    Value copies = e.concat(parts, 0);
    target = e.select(e.create<graph::EqualOp>({target, zero}), copies, target);
  }
  Value isOpen = e.create<graph::EqualOp>({target, e.makeScalarLike(-1, target)});
  Value count = e.reduceSum(e.cast(isOpen, e.getI64()), {0}, /*keepdims=*/false);
  Value known = e.reduceProd(e.select(isOpen, one, target), {0}, /*keepdims=*/false);
  Value total = e.reshape(e.makeDimsTensor({e.product(input)}), {});
  Value inferred = e.divide(total, e.create<graph::MaximumOp>({known, one}));
  Value isBad =
      e.create<graph::LogicalOrOp>({e.create<graph::GreaterOp>({count, one}), e.create<graph::LessOp>({known, one})});
  return e.select(isOpen, e.select(isBad, invalid, inferred), target);
}

static void emitReshape(NodeEmitter &e) {
  SmallVector<SymExpr> input = e.getDims(0);
  bool allowZero = e.getInt("allowzero", 0);
  std::optional<Elements> target = e.getElements(1);
  if (!target || e.getRank(1) != 1)
    return e.fail("the rank of the result is not known: the shape must be a vector of constant length, at most " +
                  Twine(kMaxElements));
  // A symbolic entry is an extent; that 0 would mean "copy" for it is only told of constants.
  SmallVector<SymExpr> dims;
  std::optional<unsigned> open;
  bool isUnknown = false;
  for (auto [index, entry] : llvm::enumerate(*target)) {
    std::optional<int64_t> value = entry ? entry.getConstant() : std::nullopt;
    isUnknown |= !entry;
    if (value == -1) {
      if (open)
        return e.fail("the shape has two entries of -1");
      open = index;
      dims.push_back({});
    } else if (value == 0 && !allowZero) {
      if (index >= input.size())
        return e.fail("entry " + Twine(index) + " of the shape is 0, the input has rank " + Twine(input.size()));
      dims.push_back(input[index]);
    } else if (value && *value < -1) {
      return e.fail("entry " + Twine(index) + " of the shape is " + Twine(*value));
    } else {
      dims.push_back(entry);
    }
  }
  Value x = e.getTensor(0);
  if (isUnknown) {
    Value resolved = resolveTarget(e, input, dims.size(), allowZero);
    if (!resolved)
      return;
    Value shape = e.getImporter().bindShape(resolved, dims, e.getSymbolStem(), e.getLoc());
    return e.setResult(0, e.create<graph::ReshapeOp>({x, shape}));
  }
  if (open) {
    SmallVector<SymExpr> others = dims;
    others.erase(others.begin() + *open);
    dims[*open] = inferExtent(e, input, others);
  }
  e.setResult(0, e.reshape(x, dims));
}

static void emitFlatten(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t rank = dims.size(), axis = e.getInt("axis", 1);
  if (axis != rank)
    axis = e.normalizeAxis(axis, rank);
  SymExpr outer = e.product(ArrayRef(dims).take_front(axis)), inner = e.product(ArrayRef(dims).drop_front(axis));
  e.setResult(0, e.reshape(e.getTensor(0), {outer, inner}));
}

//===----------------------------------------------------------------------===//
// Expand, Squeeze, Unsqueeze
//===----------------------------------------------------------------------===//

/// The extent that two broadcast to; the target's where only run time tells, which relax.broadcast_to then checks.
static SymExpr expandExtent(NodeEmitter &e, SymExpr extent, SymExpr target) {
  if (extent == target || target.getConstant() == 1)
    return extent;
  if (extent.getConstant() != 1 && e.getProver().isEqual(extent, target) == Verdict::True)
    return extent;
  return target;
}

/// Where an entry of the target is 1 the input's extent stays: only run time tells.
static void emitRuntimeExpand(NodeEmitter &e, ArrayRef<SymExpr> known) {
  SmallVector<SymExpr> input = e.getDims(0), dims;
  int64_t length = known.size(), rank = std::max<int64_t>(length, input.size());
  Value target = e.cast(e.getTensor(1), e.getI64());
  if (rank > length)
    target = e.concat({e.makeIntegers(SmallVector<int64_t>(rank - length, 1)), target}, 0);
  SmallVector<SymExpr> aligned(rank - input.size(), e.constant(1));
  llvm::append_range(aligned, input);
  Value isOne = e.create<graph::EqualOp>({target, e.makeScalarLike(1, target)});
  Value extents = e.select(isOne, e.makeDimsTensor(aligned), target);
  if (!extents)
    return;
  for (int64_t index = 0; index < rank; ++index) {
    SymExpr entry = index < rank - length ? e.constant(1) : known[index - (rank - length)];
    dims.push_back(entry ? expandExtent(e, aligned[index], entry) : entry);
  }
  Value shape = e.getImporter().bindShape(extents, dims, e.getSymbolStem(), e.getLoc());
  e.setResult(0, e.create<graph::BroadcastToOp>({e.getTensor(0), shape}));
}

static void emitExpand(NodeEmitter &e) {
  SmallVector<SymExpr> input = e.getDims(0), dims;
  if (std::optional<Elements> known = e.getElements(1);
      known && e.getRank(1) == 1 && llvm::is_contained(*known, SymExpr()))
    return emitRuntimeExpand(e, *known);
  Elements target = e.requireExtents(1, "the shape");
  if (e.failed())
    return;
  size_t rank = std::max(input.size(), target.size());
  for (size_t index = 0; index < rank; ++index) {
    // Aligned at the last dimension.
    size_t missing = rank - input.size(), missingInTarget = rank - target.size();
    if (index < missing)
      dims.push_back(target[index - missingInTarget]);
    else if (index < missingInTarget)
      dims.push_back(input[index - missing]);
    else
      dims.push_back(expandExtent(e, input[index - missing], target[index - missingInTarget]));
  }
  e.setResult(0, e.broadcastTo(e.getTensor(0), dims));
}

/// Axes as an attribute before opset 13, then as an input.
static SmallVector<int64_t> readAxes(NodeEmitter &e) {
  if (e.getOpset() >= 13)
    return e.has(1) ? e.requireIntegers(1, "axes") : SmallVector<int64_t>();
  if (e.has(1))
    e.fail("has 2 inputs, expected 1 before opset 13");
  return e.getInts("axes");
}

/// The axes are an input that only run time knows.
static bool hasRuntimeAxes(NodeEmitter &e) { return e.getOpset() >= 13 && e.has(1) && !e.getIntegers(1); }

/// A dimension that is no 1 is found by the reshape: the number of elements would change.
static void emitRuntimeSqueeze(NodeEmitter &e) {
  RuntimeAxes axes = readRuntimeAxes(e, 1, e.getRank(0));
  SmallVector<SymExpr> dims;
  Value extents = removeAxes(e, axes, e.makeDimsTensor(e.getDims(0)));
  Value shape = bindExtents(e, extents, axes.rank - axes.count, axes.isValid, dims);
  e.setResult(0, e.create<graph::ReshapeOp>({e.getTensor(0), shape}));
}

static void emitRuntimeUnsqueeze(NodeEmitter &e) {
  RankedTensorType type = e.getType(1);
  int64_t added = type.hasStaticShape() && type.getNumElements() <= kMaxElements ? type.getNumElements() : 0;
  RuntimeAxes axes = readRuntimeAxes(e, 1, e.getRank(0) + added);
  SmallVector<SymExpr> dims;
  Value extents = insertAxes(e, axes, e.makeDimsTensor(e.getDims(0)));
  Value shape = bindExtents(e, extents, axes.rank, axes.isValid, dims);
  e.setResult(0, e.create<graph::ReshapeOp>({e.getTensor(0), shape}));
}

static void emitSqueeze(NodeEmitter &e) {
  if (hasRuntimeAxes(e))
    return emitRuntimeSqueeze(e);
  SmallVector<SymExpr> dims = e.getDims(0);
  SmallVector<int64_t> axes = e.normalizeAxes(readAxes(e), dims.size());
  bool all = e.getOpset() >= 13 ? !e.has(1) : !e.hasAttr("axes");
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (!all)
      break;
    Verdict isOne = e.getProver().isEqual(dim, e.constant(1));
    // The rank would depend on the extent: it is taken to be no 1, which run time checks.
    if (SymExpr distance = dim - 1; isOne == Verdict::Depends)
      assertFact(e, {e.constant(1), sym::Fact::Op::LessEqual, distance ? distance * distance : distance},
                 "without axes, dimension " + Twine(index) + " of extent " + dim.str() + " must not be 1");
    if (isOne == Verdict::True)
      axes.push_back(index);
  }
  llvm::sort(axes);
  e.setResult(0, e.squeeze(e.getTensor(0), axes));
}

static void emitUnsqueeze(NodeEmitter &e) {
  if (hasRuntimeAxes(e))
    return emitRuntimeUnsqueeze(e);
  SmallVector<int64_t> axes = readAxes(e);
  axes = e.normalizeAxes(axes, e.getRank(0) + axes.size());
  llvm::sort(axes);
  e.setResult(0, e.expandDims(e.getTensor(0), axes));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Shape and Size are followed element by element; what comes here does not fit.
static void emitUnfollowed(NodeEmitter &e) { e.fail("the number of elements does not fit 64 bits"); }

static void setDense(NodeEmitter &e, DenseElementsAttr value) {
  e.setConstant(0, value, cast<RankedTensorType>(value.getType()));
}

static void emitConstant(NodeEmitter &e) {
  if (e.getNode().attribute_size() != 1)
    return e.fail("has " + Twine(e.getNode().attribute_size()) + " attributes, expected 1");
  MLIRContext *context = e.getContext();
  auto vectorOf = [](int64_t length, Type type) { return RankedTensorType::get({length}, type); };
  if (e.hasAttr("value_int"))
    return setDense(e, DenseElementsAttr::get(RankedTensorType::get({}, e.getI64()), e.getInt("value_int", 0)));
  if (e.hasAttr("value_float"))
    return setDense(e, DenseElementsAttr::get(RankedTensorType::get({}, e.getF32()), e.getFloat("value_float", 0)));
  if (e.hasAttr("value_ints")) {
    SmallVector<int64_t> values = e.getInts("value_ints");
    return setDense(e, DenseElementsAttr::get(vectorOf(values.size(), e.getI64()), ArrayRef(values)));
  }
  if (e.hasAttr("value_floats")) {
    SmallVector<float> values = e.getFloats("value_floats");
    return setDense(e, DenseElementsAttr::get(vectorOf(values.size(), e.getF32()), ArrayRef(values)));
  }
  const relax_onnx_wire::TensorProto *tensor = e.getTensorAttr("value");
  if (!tensor)
    return e.fail("has no attribute of a supported kind");
  std::string error;
  RankedTensorType type = getStoredType(context, *tensor, error);
  Attribute stored = type ? getStoredValue(e.getImporter().getFile(), *tensor, type, error) : Attribute();
  if (!stored)
    return e.fail("its value " + error);
  e.setConstant(0, stored, type);
}

static void emitConstantOfShape(NodeEmitter &e) {
  TypedAttr value = FloatAttr::get(e.getF32(), 0);
  if (const relax_onnx_wire::TensorProto *tensor = e.getTensorAttr("value")) {
    std::string error;
    RankedTensorType type = getStoredType(e.getContext(), *tensor, error);
    Attribute stored = type ? getStoredValue(e.getImporter().getFile(), *tensor, type, error) : Attribute();
    auto dense = dyn_cast_if_present<DenseElementsAttr>(stored);
    if (!dense)
      return e.fail("its value " + (stored ? "has more than one element" : error));
    if (dense.getNumElements() != 1)
      return e.fail("its value has " + Twine(dense.getNumElements()) + " elements, expected 1");
    value = cast<TypedAttr>(*dense.value_begin<Attribute>());
  }
  Elements dims = e.requireExtents(0, "the shape");
  Value result = e.full(dims, value);
  if (!result)
    return;
  // Small ones of constant extents stay constants that shape arithmetic can use.
  auto type = cast<RankedTensorType>(result.getType());
  if (type.hasStaticShape() && type.getRank() <= 1 && type.getNumElements() <= kMaxInlineElements)
    return setDense(e, DenseElementsAttr::get(type, value));
  e.setResult(0, result);
}

/// The number of elements: from the elements of the inputs where they are known, else computed.
static SymExpr getRangeLength(NodeEmitter &e, ArrayRef<Value> bounds) {
  bool isFloat = isa<FloatType>(e.getType(0).getElementType());
  SymExpr known[3];
  for (unsigned index : {0, 1, 2})
    if (std::optional<Elements> elements = e.getElements(index); elements && elements->size() == 1)
      known[index] = (*elements)[0];
  if (std::optional<int64_t> delta = known[2] ? known[2].getConstant() : std::nullopt;
      delta && *delta > 0 && known[0] && known[1])
    if (SymExpr length = SymExpr::ceildiv(known[1] - known[0], known[2]))
      return e.maximum(e.constant(0), length);
  Value length, span = e.subtract(bounds[1], bounds[0]);
  if (isFloat) {
    length = e.cast(e.create<graph::CeilOp>(e.divide(span, bounds[2])), e.getI64());
  } else {
    // Quotients of absolute values: integer division rounds towards zero.
    Value isBackward = e.create<graph::LessOp>({bounds[2], e.makeScalarLike(0, bounds[2])});
    span = e.select(isBackward, e.create<graph::NegateOp>(span), span);
    Value size = e.create<graph::AbsOp>(bounds[2]), one = e.makeScalarLike(1, span);
    span = e.create<graph::MaximumOp>({span, e.makeScalarLike(0, span)});
    length = e.divide(e.subtract(e.add(span, size), one), size);
  }
  length = e.create<graph::MaximumOp>({length, e.makeScalarLike(0, length)});
  Elements extent(1);
  if (Value vector = e.reshape(length, {e.constant(1)}))
    e.getImporter().bindShape(vector, extent, e.getSymbolStem(), e.getLoc());
  return extent[0];
}

/// Small integer ranges of constants are followed element by element.
static void emitRange(NodeEmitter &e) {
  Type type = e.getType(0).getElementType();
  e.ignoreAttr("stash_type"); // what is computed below is at least as precise
  if (type.isInteger(1))
    return e.fail("a range of bools is not supported");
  Type computed = type.isF16() ? e.getF32() : isa<FloatType>(type) ? type : e.getI64();
  SmallVector<Value> bounds;
  for (unsigned index : {0, 1, 2})
    bounds.push_back(e.cast(e.reshape(e.getTensor(index), {}), computed));
  if (e.failed())
    return;
  SymExpr length = getRangeLength(e, bounds);
  if (!length)
    return e.fail("the number of elements does not fit 64 bits");
  Value position = e.cast(e.iota({length}, 0), computed);
  e.setResult(0, e.cast(e.add(e.multiply(position, bounds[2]), bounds[0]), type));
}

ArrayRef<OpEntry> mlir::relax::onnx::getShapeOps() {
  static constexpr OpEntry entries[] = {
      {"Reshape", 5, 2, 2, 1, emitReshape},
      {"Flatten", 1, 1, 1, 1, emitFlatten},
      {"Expand", 8, 2, 2, 1, emitExpand},
      {"Squeeze", 1, 1, 2, 1, emitSqueeze},
      {"Unsqueeze", 1, 1, 2, 1, emitUnsqueeze},
      {"Shape", 1, 1, 1, 1, emitUnfollowed},
      {"Size", 1, 1, 1, 1, emitUnfollowed},
      {"Constant", 1, 0, 0, 1, emitConstant},
      {"ConstantOfShape", 9, 1, 1, 1, emitConstantOfShape},
      {"Range", 11, 3, 3, 1, emitRange},
  };
  return entries;
}
