//===- GraphElementSources.cpp - Where moved elements come from -----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphFolding.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

bool graph::isFoldable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !tensor.getEncoding() && tensor.getNumElements() <= kMaxFoldedElements;
}

void graph::nextPosition(ArrayRef<int64_t> shape, SmallVectorImpl<int64_t> &index) {
  for (size_t dim = shape.size(); dim-- != 0;) {
    if (++index[dim] < shape[dim])
      return;
    index[dim] = 0;
  }
}

int64_t graph::getBroadcastOffset(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  int64_t offset = 0;
  for (auto [extent, position] : llvm::zip_equal(shape, index.take_back(shape.size())))
    offset = offset * extent + (extent == 1 ? 0 : position);
  return offset;
}

namespace {
/// Gives a position in operand 0 for a position in the result.
using PositionMap = std::function<void(ArrayRef<int64_t> to, SmallVectorImpl<int64_t> &from)>;
using Sources = std::optional<SmallVector<ElementSource>>;
} // namespace

static ArrayRef<int64_t> getShape(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// Nullopt when a position lies outside: a written type may claim what is not so.
static Sources mapPositions(Operation *op, const PositionMap &map) {
  ArrayRef<int64_t> source = getShape(op->getOperand(0)), shape = getShape(op->getResult(0));
  SmallVector<ElementSource> result;
  SmallVector<int64_t> index(shape.size(), 0), from;
  for (int64_t count = ShapedType::getNumElements(shape); count != 0; --count, nextPosition(shape, index)) {
    from.clear();
    map(index, from);
    for (auto [extent, position] : llvm::zip_equal(source, from))
      if (position < 0 || (extent != 1 && position >= extent) || extent == 0)
        return std::nullopt;
    result.push_back({0, getBroadcastOffset(source, from)});
  }
  return result;
}

static Sources keepOrder(Operation *op) {
  int64_t count = ShapedType::getNumElements(getShape(op->getResult(0)));
  if (count != ShapedType::getNumElements(getShape(op->getOperand(0))))
    return std::nullopt;
  return llvm::map_to_vector(llvm::seq<int64_t>(0, count), [](int64_t position) { return ElementSource{0, position}; });
}

static Sources mapSlice(SliceOp op) {
  SmallVector<SymExpr> starts = op.getStartExprs();
  if (llvm::any_of(starts, [](SymExpr start) { return !start.getConstant(); }))
    return std::nullopt;
  return mapPositions(op, [&](ArrayRef<int64_t> to, SmallVectorImpl<int64_t> &from) {
    llvm::append_range(from, to);
    for (auto [axis, start, stride] : llvm::zip_equal(op.getAxes(), starts, op.getStrides()))
      from[axis] = *start.getConstant() + to[axis] * stride;
  });
}

/// Along the axis operand by operand; around it row-major order is kept.
static Sources mapConcat(ConcatOp op) {
  int64_t axis = op.getAxis(), outer = ShapedType::getNumElements(getShape(op.getResult()).take_front(axis));
  SmallVector<ElementSource> result;
  for (int64_t row = 0; row != outer; ++row)
    for (auto [operand, value] : llvm::enumerate(op.getOperands())) {
      int64_t size = ShapedType::getNumElements(getShape(value).drop_front(axis));
      for (int64_t position = row * size; position != (row + 1) * size; ++position)
        result.push_back({static_cast<unsigned>(operand), position});
    }
  if (static_cast<int64_t>(result.size()) != op.getType().getNumElements())
    return std::nullopt;
  return result;
}

static Sources mapTake(TakeOp op, DenseElementsAttr indices) {
  if (!indices)
    return std::nullopt;
  SmallVector<APInt> positions = llvm::to_vector(indices.getValues<APInt>());
  ArrayRef<int64_t> shape = getShape(op.getIndices());
  int64_t axis = op.getAxis(), rank = shape.size();
  // An index out of range stays for run time, where it is an error.
  return mapPositions(op, [&](ArrayRef<int64_t> to, SmallVectorImpl<int64_t> &from) {
    int64_t position = positions[getBroadcastOffset(shape, to.slice(axis, rank))].getSExtValue();
    llvm::append_range(from, to.take_front(axis));
    from.push_back(position < getShape(op.getOperand())[axis] ? position : -1);
    llvm::append_range(from, to.drop_front(axis + rank));
  });
}

std::optional<SmallVector<ElementSource>> graph::getElementSources(Operation *op, DenseElementsAttr indices) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (op->getNumResults() != 1 || !isFoldable(op->getResult(0).getType()) ||
      !llvm::all_of(op->getOperandTypes(), [&](Type type) { return !isTensor(type) || isFoldable(type); }))
    return std::nullopt;
  return TypeSwitch<Operation *, Sources>(op)
      .Case<ReshapeOp, ExpandDimsOp, SqueezeOp>([](Operation *moved) { return keepOrder(moved); })
      .Case([&](SliceOp slice) { return mapSlice(slice); })
      .Case([&](ConcatOp concat) { return mapConcat(concat); })
      .Case([&](TakeOp take) { return mapTake(take, indices); })
      .Case([&](BroadcastToOp) {
        return mapPositions(op, [&](ArrayRef<int64_t> to, SmallVectorImpl<int64_t> &from) {
          llvm::append_range(from, to.take_back(getShape(op->getOperand(0)).size()));
        });
      })
      .Case([&](PermuteDimsOp permute) {
        return mapPositions(op, [&](ArrayRef<int64_t> to, SmallVectorImpl<int64_t> &from) {
          from.resize(to.size());
          for (auto [dim, axis] : llvm::enumerate(permute.getPermutation()))
            from[axis] = to[dim];
        });
      })
      .Default([](Operation *) { return Sources(); });
}

OpFoldResult graph::foldManipulation(Operation *op, ArrayRef<Attribute> operands) {
  SmallVector<DenseElementsAttr> constants =
      llvm::map_to_vector(operands, [](Attribute attr) { return dyn_cast_or_null<DenseElementsAttr>(attr); });
  for (auto [type, constant] : llvm::zip_equal(op->getOperandTypes(), constants))
    if (isa<RankedTensorType>(type) && !constant)
      return {};
  Sources sources = getElementSources(op, constants.back());
  if (!sources)
    return {};
  SmallVector<Attribute> values;
  for (const ElementSource &source : *sources)
    values.push_back(constants[source.operand].getValues<Attribute>()[source.position]);
  return DenseElementsAttr::get(cast<RankedTensorType>(op->getResult(0).getType()), values);
}
