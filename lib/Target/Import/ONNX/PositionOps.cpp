//===- PositionOps.cpp - Operators about positions ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "TensorData.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

/// Positions along one axis of a tensor of that rank, to broadcast along the others.
static Value makePositions(NodeEmitter &e, SymExpr extent, int64_t axis, int64_t rank) {
  SmallVector<SymExpr> dims(rank, e.constant(1));
  dims[axis] = extent;
  return e.iota(dims, axis);
}

//===----------------------------------------------------------------------===//
// Extreme elements
//===----------------------------------------------------------------------===//

template <typename OpTy> static void emitArgExtreme(NodeEmitter &e) {
  int64_t axis = e.normalizeAxis(e.getInt("axis", 0), e.getRank(0));
  SmallVector<NamedAttribute> attributes = {e.attr("axis", axis)};
  if (e.getInt("keepdims", 1))
    attributes.push_back(unitAttr(e, "keepdims"));
  if (e.getInt("select_last_index", 0))
    attributes.push_back(unitAttr(e, "select_last_index"));
  e.setResult(0, e.create<OpTy>(e.getTensor(0), attributes));
}

/// 1 at the first largest element along the axis. Before opset 13 everything from the axis on is one row.
static void emitHardmax(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t rank = dims.size();
  bool flattens = e.getOpset() < 13;
  int64_t axis = e.getInt("axis", flattens ? 1 : -1);
  axis = flattens && axis == rank ? rank : e.normalizeAxis(axis, rank);
  if (e.failed())
    return;
  Value x = e.getTensor(0);
  if (flattens) {
    x = e.reshape(x, {e.product(ArrayRef(dims).take_front(axis)), e.product(ArrayRef(dims).drop_front(axis))});
    axis = 1;
  }
  if (!x)
    return;
  Value found = e.create<graph::ArgmaxOp>(x, {e.attr("axis", axis), unitAttr(e, "keepdims")});
  SmallVector<SymExpr> own = sym::getSymbolicDims(x.getType());
  Value isFound = e.create<graph::EqualOp>({makePositions(e, own[axis], axis, own.size()), found});
  e.setResult(0, e.reshape(e.cast(isFound, e.getType(0).getElementType()), dims));
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

static void emitEyeLike(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int32_t code = e.getInt("dtype", getTypeCode(e.getType(0).getElementType()));
  Type type = getElementType(e.getContext(), code);
  int64_t diagonal = e.getInt("k", 0);
  if (!type)
    return e.fail("unsupported element type " + getTypeName(code));
  if (dims.size() != 2)
    return e.fail("input has rank " + Twine(dims.size()) + ", expected 2");
  SymExpr one = e.constant(1);
  Value row = e.add(e.iota({dims[0], one}, 0), e.makeIntegers({diagonal}));
  e.setResult(0, e.cast(e.create<graph::EqualOp>({row, e.iota({one, dims[1]}, 1)}), type));
}

static void emitTrilu(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t rank = dims.size();
  if (rank < 2)
    return e.fail("input has rank " + Twine(rank) + ", expected at least 2");
  bool upper = e.getInt("upper", 1);
  SymExpr one = e.constant(1);
  Value row = e.iota({dims[rank - 2], one}, 0), column = e.iota({one, dims[rank - 1]}, 1);
  if (e.has(1))
    row = e.add(row, e.reshape(e.cast(e.getTensor(1), e.getI64()), {}));
  Value isKept = upper ? e.create<graph::GreaterEqualOp>({column, row}) : e.create<graph::LessEqualOp>({column, row});
  Value x = e.getTensor(0);
  Value zero = e.getType(0).getElementType().isInteger(1) ? e.cast(e.makeScalar(0, e.getI64()), e.getI1())
                                                          : e.makeScalarLike(0, x);
  e.setResult(0, e.select(isKept, x, zero));
}

//===----------------------------------------------------------------------===//
// Gathering by flat positions
//===----------------------------------------------------------------------===//

namespace {
/// A flat position from one per dimension, added from the last dimension to the first.
class FlatPosition {
public:
  explicit FlatPosition(NodeEmitter &e) : e(e), stride(e.constant(1)) {}

  /// `index` is known to be in the range of the dimension.
  void add(Value index, SymExpr extent) {
    if (!stride)
      return;
    Value part = e.multiply(index, e.dimScalar(stride, e.getI64()));
    flat = flat ? e.add(flat, part) : part;
    stride = stride * extent;
    if (!stride)
      e.fail("the number of elements does not fit 64 bits");
  }

  /// `index` is a value of run time; a negative one counts from the end.
  void addChecked(Value index, SymExpr extent) {
    index = e.cast(index, e.getI64());
    Value size = e.dimScalar(extent, e.getI64()), zero = e.makeScalar(0, e.getI64());
    Value wrapped = e.select(e.create<graph::LessOp>({index, zero}), e.add(index, size), index);
    Value isOutside = e.create<graph::LogicalOrOp>(
        {e.create<graph::LessOp>({wrapped, zero}), e.create<graph::GreaterEqualOp>({wrapped, size})});
    isBad = isBad ? e.create<graph::LogicalOrOp>({isBad, isOutside}) : isOutside;
    add(wrapped, extent);
  }

  /// -1 where an index is out of range, which taking an element refuses.
  Value get() { return isBad ? e.select(isBad, e.makeScalar(-1, e.getI64()), flat) : flat; }

private:
  NodeEmitter &e;
  SymExpr stride;
  Value flat, isBad;
};
} // namespace

/// Elements of `x` at flat positions of any shape.
static Value takeFlat(NodeEmitter &e, Value x, Value position) {
  if (!x || e.failed())
    return {};
  Value flat = e.reshape(x, {e.product(sym::getSymbolicDims(x.getType()))});
  return e.create<graph::TakeOp>({flat, position}, e.attr("axis", int64_t(0)));
}

static void emitGatherElements(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t axis = e.normalizeAxis(e.getInt("axis", 0), dims.size());
  if (e.failed())
    return;
  Value indices = wrapIndices(e, e.getTensor(1), dims[axis]);
  e.setResult(0, e.create<graph::TakeAlongAxisOp>({e.getTensor(0), indices}, e.attr("axis", axis)));
}

static void emitGatherND(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0), indexDims = e.getDims(1);
  int64_t rank = dims.size(), indexRank = indexDims.size(), batch = e.getInt("batch_dims", 0);
  std::optional<int64_t> length = indexRank ? indexDims.back().getConstant() : std::nullopt;
  if (!length)
    return e.fail("the last dimension of the indices must be constant");
  if (batch < 0 || batch >= std::min(rank, indexRank) || *length < 1 || *length > rank - batch)
    return e.fail("indices of " + Twine(*length) + " entries and batch_dims " + Twine(batch) +
                  " do not fit data of rank " + Twine(rank));
  Value indices = wrapIndices(e, e.getTensor(1), ArrayRef(dims).slice(batch, *length));
  e.setResult(0, e.create<graph::GatherNDOp>({e.getTensor(0), indices}, e.attr("batch_dims", batch)));
}

static void emitReverseSequence(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t rank = dims.size();
  int64_t batch = e.normalizeAxis(e.getInt("batch_axis", 1), rank);
  int64_t time = e.normalizeAxis(e.getInt("time_axis", 0), rank);
  if (!e.failed() && batch == time)
    e.fail("batch_axis and time_axis are the same");
  if (e.failed())
    return;
  SmallVector<SymExpr> lengthDims(rank, e.constant(1));
  lengthDims[batch] = dims[batch];
  Value length = e.reshape(e.cast(e.getTensor(1), e.getI64()), lengthDims);
  Value place = makePositions(e, dims[time], time, rank);
  Value mirrored = e.subtract(e.subtract(length, place), e.makeScalar(1, e.getI64()));
  Value source = e.select(e.create<graph::LessOp>({place, length}), mirrored, place);
  FlatPosition position(e);
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    if (dim == time)
      position.addChecked(source, dims[dim]);
    else
      position.add(makePositions(e, dims[dim], dim, rank), dims[dim]);
  }
  e.setResult(0, e.reshape(takeFlat(e, e.getTensor(0), position.get()), dims));
}

ArrayRef<OpEntry> mlir::relax::onnx::getPositionOps() {
  static constexpr OpEntry entries[] = {
      {"ArgMax", 1, 1, 1, 1, emitArgExtreme<graph::ArgmaxOp>},
      {"ArgMin", 1, 1, 1, 1, emitArgExtreme<graph::ArgminOp>},
      {"Hardmax", 1, 1, 1, 1, emitHardmax},
      {"EyeLike", 9, 1, 1, 1, emitEyeLike},
      {"Trilu", 14, 1, 2, 1, emitTrilu},
      {"GatherElements", 11, 2, 2, 1, emitGatherElements},
      {"GatherND", 11, 2, 2, 1, emitGatherND},
      {"ReverseSequence", 10, 2, 2, 1, emitReverseSequence},
  };
  return entries;
}
