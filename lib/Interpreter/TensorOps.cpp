//===- TensorOps.cpp - Meaning of the tensor dialect ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Interpreter/OpTable.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::interp;

/// Numbers given as attributes and index values.
static SmallVector<int64_t> getNumbers(Frame &frame, ArrayRef<OpFoldResult> mixed) {
  return llvm::map_to_vector(mixed, [&](OpFoldResult number) {
    if (auto attr = dyn_cast<Attribute>(number))
      return cast<IntegerAttr>(attr).getInt();
    return frame.index(cast<Value>(number));
  });
}

/// Extents of a result type whose dynamic ones are given in order.
static SmallVector<int64_t> getDims(Frame &frame, ShapedType type, ValueRange dynamic) {
  SmallVector<int64_t> dims;
  auto next = dynamic.begin();
  for (int64_t dim : type.getShape())
    dims.push_back(ShapedType::isDynamic(dim) ? frame.index(*next++) : dim);
  return dims;
}

static LogicalResult checkIndex(Frame &frame, ArrayRef<int64_t> index, ArrayRef<int64_t> dims) {
  for (auto [dim, pair] : llvm::enumerate(llvm::zip_equal(index, dims)))
    if (std::get<0>(pair) < 0 || std::get<0>(pair) >= std::get<1>(pair))
      return frame.fail("index " + Twine(std::get<0>(pair)) + " is outside of dimension " + Twine(dim) + " of extent " +
                        Twine(std::get<1>(pair)));
  return success();
}

static SmallVector<int64_t> getIndex(Frame &frame, ValueRange indices) {
  return llvm::map_to_vector(indices, [&](Value index) { return frame.index(index); });
}

static FailureOr<Tensor> interpretEmpty(Frame &frame, tensor::EmptyOp op) {
  return frame.makeGarbage(op.getType().getElementType(), getDims(frame, op.getType(), op.getDynamicSizes()));
}

static LogicalResult interpretDim(Frame &frame, tensor::DimOp op) {
  const Tensor &x = frame.tensor(op.getSource());
  int64_t dim = frame.index(op.getIndex());
  if (dim < 0 || dim >= x.getRank())
    return frame.fail("dimension " + Twine(dim) + " is outside of rank " + Twine(x.getRank()));
  frame.setIndex(op.getResult(), x.getDim(dim));
  return success();
}

static LogicalResult interpretExtract(Frame &frame, tensor::ExtractOp op) {
  const Tensor &x = frame.tensor(op.getTensor());
  SmallVector<int64_t> index = getIndex(frame, op.getIndices());
  if (failed(checkIndex(frame, index, x.getDims())))
    return failure();
  frame.set(op.getResult(), Scalar{op.getType(), x[x.at(index)]});
  return success();
}

static FailureOr<Tensor> interpretInsert(Frame &frame, tensor::InsertOp op) {
  Tensor result = frame.tensor(op.getDest());
  SmallVector<int64_t> index = getIndex(frame, op.getIndices());
  if (failed(checkIndex(frame, index, result.getDims())))
    return failure();
  result.set(result.at(index), frame.scalar(op.getScalar()));
  return result;
}

/// Offsets, sizes and strides stay inside of the larger tensor.
static LogicalResult checkSlice(Frame &frame, ArrayRef<int64_t> dims, ArrayRef<int64_t> offsets,
                                ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  for (size_t dim = 0; dim != dims.size(); ++dim) {
    int64_t last = offsets[dim] + (sizes[dim] - 1) * strides[dim];
    bool isInside = sizes[dim] == 0 || (offsets[dim] >= 0 && offsets[dim] < dims[dim] && last >= 0 && last < dims[dim]);
    if (sizes[dim] < 0 || !isInside)
      return frame.fail("dimension " + Twine(dim) + " of extent " + Twine(dims[dim]) + ": " + Twine(sizes[dim]) +
                        " elements from " + Twine(offsets[dim]) + " are outside");
  }
  return success();
}

static FailureOr<Tensor> interpretExtractSlice(Frame &frame, tensor::ExtractSliceOp op) {
  const Tensor &x = frame.tensor(op.getSource());
  SmallVector<int64_t> offsets = getNumbers(frame, op.getMixedOffsets()), sizes = getNumbers(frame, op.getMixedSizes()),
                       strides = getNumbers(frame, op.getMixedStrides());
  if (failed(checkSlice(frame, x.getDims(), offsets, sizes, strides)))
    return failure();
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), sizes);
  if (failed(result))
    return failure();
  int64_t position = 0;
  forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    for (auto [dim, value] : llvm::enumerate(from))
      value = offsets[dim] + value * strides[dim];
    result->set(position++, x[x.at(from)]);
  });
  SmallVector<int64_t> kept;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!dropped.test(dim))
      kept.push_back(size);
  return result->reshaped(kept);
}

static FailureOr<Tensor> interpretInsertSlice(Frame &frame, tensor::InsertSliceOp op) {
  const Tensor &x = frame.tensor(op.getSource());
  Tensor result = frame.tensor(op.getDest());
  SmallVector<int64_t> offsets = getNumbers(frame, op.getMixedOffsets()), sizes = getNumbers(frame, op.getMixedSizes()),
                       strides = getNumbers(frame, op.getMixedStrides());
  if (failed(checkSlice(frame, result.getDims(), offsets, sizes, strides)))
    return failure();
  int64_t count = 1, position = 0;
  for (int64_t size : sizes)
    count *= size;
  if (count != x.size())
    return frame.fail("the sizes " + formatShape(sizes) + " are not those of the source " + formatShape(x.getDims()));
  forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> to(index);
    for (auto [dim, value] : llvm::enumerate(to))
      value = offsets[dim] + value * strides[dim];
    result.set(result.at(to), x[position++]);
  });
  return result;
}

static FailureOr<Tensor> reshape(Frame &frame, const Tensor &x, ArrayRef<int64_t> dims) {
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), dims);
  if (failed(result))
    return failure();
  if (result->size() != x.size())
    return frame.fail("cannot reshape " + formatShape(x.getDims()) + " to " + formatShape(dims));
  return x.reshaped(dims);
}

static FailureOr<Tensor> interpretExpandShape(Frame &frame, tensor::ExpandShapeOp op) {
  return reshape(frame, frame.tensor(op.getSrc()), getNumbers(frame, op.getMixedOutputShape()));
}

static FailureOr<Tensor> interpretCollapseShape(Frame &frame, tensor::CollapseShapeOp op) {
  const Tensor &x = frame.tensor(op.getSrc());
  SmallVector<int64_t> dims;
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    dims.push_back(1);
    for (int64_t dim : group)
      dims.back() *= x.getDim(dim);
  }
  return reshape(frame, x, dims);
}

static FailureOr<Tensor> interpretReshape(Frame &frame, tensor::ReshapeOp op) {
  const Tensor &shape = frame.tensor(op.getShape());
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < shape.size(); ++i)
    dims.push_back(shape.i(i));
  return reshape(frame, frame.tensor(op.getSource()), dims);
}

static FailureOr<Tensor> interpretCast(Frame &frame, tensor::CastOp op) {
  if (!isa<RankedTensorType>(op.getType()) || !isa<RankedTensorType>(op.getSource().getType()))
    return frame.fail("is interpreted for ranked tensors only");
  return frame.tensor(op.getSource());
}

static FailureOr<Tensor> interpretFromElements(Frame &frame, tensor::FromElementsOp op) {
  Tensor result(op.getType().getElementType(), op.getType().getShape());
  for (auto [index, element] : llvm::enumerate(op.getElements()))
    result.set(index, frame.scalar(element));
  return result;
}

static FailureOr<Tensor> interpretSplat(Frame &frame, tensor::SplatOp op) {
  FailureOr<Tensor> result =
      frame.makeTensor(op.getType().getElementType(), getDims(frame, op.getType(), op.getDynamicSizes()));
  for (int64_t i = 0; succeeded(result) && i < result->size(); ++i)
    result->set(i, frame.scalar(op.getInput()));
  return result;
}

/// Runs a body that yields the element at each index.
static LogicalResult fill(Frame &frame, Tensor &result, Block &body, ArrayRef<int64_t> dims) {
  int64_t position = 0;
  return forEachIndexOrFail(dims, [&](ArrayRef<int64_t> index) -> LogicalResult {
    for (auto [argument, value] : llvm::zip_equal(body.getArguments(), index))
      frame.setIndex(argument, value);
    if (failed(frame.runBody(body)))
      return failure();
    result.set(position++, frame.scalar(body.getTerminator()->getOperand(0)));
    return success();
  });
}

static FailureOr<Tensor> interpretGenerate(Frame &frame, tensor::GenerateOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  FailureOr<Tensor> result = frame.makeTensor(type.getElementType(), getDims(frame, type, op.getDynamicExtents()));
  if (failed(result) || failed(fill(frame, *result, op.getBody().front(), result->getDims())))
    return failure();
  return result;
}

static FailureOr<Tensor> interpretPad(Frame &frame, tensor::PadOp op) {
  Tensor x = frame.tensor(op.getSource());
  SmallVector<int64_t> low = getNumbers(frame, op.getMixedLowPad()), high = getNumbers(frame, op.getMixedHighPad());
  SmallVector<int64_t> dims(x.getDims());
  for (auto [dim, extent] : llvm::enumerate(dims)) {
    if (low[dim] < 0 || high[dim] < 0)
      return frame.fail("dimension " + Twine(dim) + ": expected a padding >= 0");
    extent += low[dim] + high[dim];
  }
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), dims);
  if (failed(result) || failed(fill(frame, *result, op.getRegion().front(), dims)))
    return failure();
  int64_t position = 0;
  forEachIndex(x.getDims(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> to(index);
    for (auto [dim, value] : llvm::enumerate(to))
      value += low[dim];
    result->set(result->at(to), x[position++]);
  });
  return result;
}

void interp::registerTensorOps(OpTable &table) {
  table.add(interpretEmpty);
  table.add(interpretDim);
  table.add(interpretExtract);
  table.add(interpretInsert);
  table.add(interpretExtractSlice);
  table.add(interpretInsertSlice);
  table.add(interpretExpandShape);
  table.add(interpretCollapseShape);
  table.add(interpretReshape);
  table.add(interpretCast);
  table.add(interpretFromElements);
  table.add(interpretSplat);
  table.add(interpretGenerate);
  table.add(interpretPad);
}
