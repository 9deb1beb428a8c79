//===- ShapeRules.cpp - The dialect shape in foreign functions ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The dialect need not be there: its ops are known by their names.
//
//===----------------------------------------------------------------------===//
#include "IndexRules.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;
using Emit = ForeignImporter::Emit;

/// The extents of operand `index`; an error where they are not known.
static Dims getShape(ForeignImporter &w, Operation *op, unsigned index) {
  std::optional<Dims> known = w.getElements(op->getOperand(index));
  if (known && !llvm::is_contained(*known, SymExpr()))
    return *known;
  w.fail("uses a shape that no sizes give");
  return {};
}

static void emitShapeOf(ForeignImporter &w, Operation *op) {
  Dims dims = w.getDims(op->getOperand(0));
  if (!w.failed())
    w.setElements(op->getResult(0), dims);
}

static void emitConstShape(ForeignImporter &w, Operation *op) {
  auto dense = op->getAttrOfType<DenseIntElementsAttr>("shape");
  if (!dense)
    return w.fail("has no constant shape");
  w.setElements(op->getResult(0), llvm::map_to_vector(dense.getValues<APInt>(), [&](const APInt &number) {
                  return w.expr(number.getSExtValue());
                }));
}

/// Extents that are not 1 are equal: what the broadcast needs.
static void emitBroadcast(ForeignImporter &w, Operation *op) {
  Dims result;
  for (unsigned index = 0; index < op->getNumOperands(); ++index) {
    Dims dims = getShape(w, op, index);
    if (w.failed())
      return;
    if (dims.size() > result.size())
      result.insert(result.begin(), dims.size() - result.size(), w.expr(1));
    MutableArrayRef<SymExpr> common = MutableArrayRef(result).take_back(dims.size());
    for (auto [kept, dim] : llvm::zip_equal(common, dims)) {
      if (dim.getConstant() == 1)
        continue;
      if (kept.getConstant() != 1)
        w.requireEqual(kept, dim);
      if (!kept.getConstant() || kept.getConstant() == 1)
        kept = dim;
    }
  }
  w.setElements(op->getResult(0), result);
}

static void emitConcat(ForeignImporter &w, Operation *op) {
  Dims result = getShape(w, op, 0);
  llvm::append_range(result, getShape(w, op, 1));
  w.setElements(op->getResult(0), result);
}

/// A negative index counts from the end.
static void emitSplitAt(ForeignImporter &w, Operation *op) {
  Dims shape = getShape(w, op, 0);
  std::optional<int64_t> index = getIndex(w, op->getOperand(1)).getConstant();
  if (w.failed())
    return;
  int64_t rank = static_cast<int64_t>(shape.size()), place = index && *index < 0 ? *index + rank : index.value_or(-1);
  if (place < 0 || place > rank || op->getNumResults() != 2)
    return w.fail("has a dimension that is not constant or not there");
  w.setElements(op->getResult(0), llvm::to_vector(ArrayRef(shape).take_front(place)));
  w.setElements(op->getResult(1), llvm::to_vector(ArrayRef(shape).drop_front(place)));
}

static void emitFromExtents(ForeignImporter &w, Operation *op) {
  Dims result;
  for (Value extent : op->getOperands())
    result.push_back(getIndex(w, extent));
  w.setElements(op->getResult(0), result);
}

static void emitGetExtent(ForeignImporter &w, Operation *op) {
  Dims shape = getShape(w, op, 0);
  std::optional<int64_t> axis = getIndex(w, op->getOperand(1)).getConstant();
  if (w.failed())
    return;
  if (!axis || *axis < 0 || *axis >= static_cast<int64_t>(shape.size()))
    return w.fail("has a dimension that is not constant or not there");
  w.setElements(op->getResult(0), {shape[*axis]});
}

static void emitNumElements(ForeignImporter &w, Operation *op) {
  Dims shape = getShape(w, op, 0);
  if (!w.failed())
    w.setElements(op->getResult(0), {w.product(shape)});
}

static void emitSame(ForeignImporter &w, Operation *op) { w.setElements(op->getResult(0), getShape(w, op, 0)); }

static void emitEqualShapes(ForeignImporter &w, Operation *op) {
  Dims first = getShape(w, op, 0);
  for (unsigned index = 1; index < op->getNumOperands() && !w.failed(); ++index) {
    Dims other = getShape(w, op, index);
    if (first.size() != other.size())
      return w.fail("needs shapes of the same rank");
    for (auto [a, b] : llvm::zip_equal(first, other))
      w.requireEqual(a, b);
  }
}

/// What a witness says is checked by the ops that need it.
static void emitNothing(ForeignImporter &, Operation *) {}

static void emitAssuming(ForeignImporter &w, Operation *op) {
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
    return w.fail("has no region of one block");
  SmallVector<Value> results = w.writeBlock(op->getRegion(0).front(), {}, /*always=*/true);
  if (w.failed())
    return;
  if (results.size() != op->getNumResults())
    return w.fail("has another number of results than its region");
  for (auto [foreign, result] : llvm::zip_equal(op->getResults(), results))
    w.set(foreign, result);
}

Emit relax::getShapeDialectRule(StringRef name) {
  return llvm::StringSwitch<Emit>(name)
      .Case("shape.assuming", emitAssuming)
      .Cases({"shape.assuming_all", "shape.cstr_broadcastable"}, emitNothing)
      .Case("shape.broadcast", emitBroadcast)
      .Case("shape.concat", emitConcat)
      .Case("shape.const_shape", emitConstShape)
      .Case("shape.cstr_eq", emitEqualShapes)
      .Case("shape.from_extents", emitFromExtents)
      .Case("shape.get_extent", emitGetExtent)
      .Case("shape.num_elements", emitNumElements)
      .Case("shape.shape_of", emitShapeOf)
      .Case("shape.split_at", emitSplitAt)
      .Cases({"shape.from_extent_tensor", "shape.index_to_size", "shape.size_to_index", "shape.to_extent_tensor"},
             emitSame)
      .Default(nullptr);
}
