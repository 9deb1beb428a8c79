//===- BufferOps.cpp - Meaning of memref, affine and bufferization ------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// What bodies of tensor programs in buffer form use.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Interpreter/OpTable.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::interp;

static SmallVector<int64_t> getIndex(Frame &frame, ValueRange indices) {
  return llvm::map_to_vector(indices, [&](Value index) { return frame.index(index); });
}

/// Address of an element.
static FailureOr<Number *> getElement(Frame &frame, Value memref, ArrayRef<int64_t> index) {
  Buffer buffer = frame.buffer(memref);
  for (auto [dim, pair] : llvm::enumerate(llvm::zip_equal(index, buffer.dims)))
    if (std::get<0>(pair) < 0 || std::get<0>(pair) >= std::get<1>(pair))
      return frame.fail("index " + Twine(std::get<0>(pair)) + " is outside of dimension " + Twine(dim) + " of extent " +
                        Twine(std::get<1>(pair)));
  return &(*buffer.memory)[buffer.at(index)];
}

/// Results of a map of dimensions, then symbols.
static FailureOr<SmallVector<int64_t>> evaluateMap(Frame &frame, AffineMap map, ValueRange operands) {
  MLIRContext *context = map.getContext();
  SmallVector<Attribute> constants, results;
  for (Value operand : operands)
    constants.push_back(IntegerAttr::get(IndexType::get(context), frame.index(operand)));
  if (failed(map.constantFold(constants, results)))
    return frame.fail("the map has no value");
  return llvm::map_to_vector(results, [](Attribute result) { return cast<IntegerAttr>(result).getInt(); });
}

//===----------------------------------------------------------------------===//
// memref
//===----------------------------------------------------------------------===//

static LogicalResult interpretLoad(Frame &frame, memref::LoadOp op) {
  FailureOr<Number *> element = getElement(frame, op.getMemref(), getIndex(frame, op.getIndices()));
  if (failed(element))
    return failure();
  frame.set(op.getResult(), Scalar{op.getType(), **element});
  return success();
}

static LogicalResult interpretStore(Frame &frame, memref::StoreOp op) {
  FailureOr<Number *> element = getElement(frame, op.getMemref(), getIndex(frame, op.getIndices()));
  if (failed(element))
    return failure();
  **element = frame.scalar(op.getValue());
  return success();
}

static LogicalResult interpretDim(Frame &frame, memref::DimOp op) {
  Buffer buffer = frame.buffer(op.getSource());
  int64_t dim = frame.index(op.getIndex());
  if (dim < 0 || dim >= static_cast<int64_t>(buffer.dims.size()))
    return frame.fail("dimension " + Twine(dim) + " is outside of rank " + Twine(buffer.dims.size()));
  frame.setIndex(op.getResult(), buffer.dims[dim]);
  return success();
}

template <typename OpTy> static LogicalResult interpretAlloc(Frame &frame, OpTy op) {
  MemRefType type = op.getType();
  if (!type.getLayout().isIdentity())
    return frame.fail("is interpreted for an identity layout only");
  SmallVector<int64_t> dims;
  auto next = op.getDynamicSizes().begin();
  for (int64_t dim : type.getShape())
    dims.push_back(ShapedType::isDynamic(dim) ? frame.index(*next++) : dim);
  FailureOr<Tensor> garbage = frame.makeGarbage(type.getElementType(), dims);
  if (failed(garbage))
    return failure();
  frame.set(op.getResult(), makeBuffer(*garbage));
  return success();
}

static LogicalResult interpretDealloc(Frame &, memref::DeallocOp) { return success(); }

static LogicalResult interpretSubView(Frame &frame, memref::SubViewOp op) {
  Buffer from = frame.buffer(op.getSource()), view = from;
  auto number = [&](OpFoldResult mixed) {
    auto attr = dyn_cast<Attribute>(mixed);
    return attr ? cast<IntegerAttr>(attr).getInt() : frame.index(cast<Value>(mixed));
  };
  llvm::SmallBitVector dropped = op.getDroppedDims();
  view.dims.clear();
  view.strides.clear();
  for (unsigned dim = 0; dim != from.dims.size(); ++dim) {
    int64_t offset = number(op.getMixedOffsets()[dim]), size = number(op.getMixedSizes()[dim]);
    int64_t stride = number(op.getMixedStrides()[dim]), last = offset + (size - 1) * stride;
    if (size < 0 || (size > 0 && (offset < 0 || last < 0 || offset >= from.dims[dim] || last >= from.dims[dim])))
      return frame.fail("dimension " + Twine(dim) + " of extent " + Twine(from.dims[dim]) + ": " + Twine(size) +
                        " elements from " + Twine(offset) + " are outside");
    view.offset += offset * from.strides[dim];
    if (dropped.test(dim))
      continue;
    view.dims.push_back(size);
    view.strides.push_back(stride * from.strides[dim]);
  }
  frame.set(op.getResult(), view);
  return success();
}

/// Row-major memory with other extents.
static LogicalResult setReshaped(Frame &frame, Value result, Buffer buffer, ArrayRef<int64_t> dims) {
  int64_t stride = 1;
  bool isEmpty = llvm::is_contained(dims, 0);
  for (size_t dim = buffer.dims.size(); dim-- != 0; stride *= buffer.dims[dim])
    if (!isEmpty && buffer.dims[dim] != 1 && buffer.strides[dim] != stride)
      return frame.fail("is interpreted for row-major memory only");
  buffer.dims.assign(dims.begin(), dims.end());
  buffer.strides.resize(dims.size());
  stride = 1;
  for (size_t dim = dims.size(); dim-- != 0; stride *= dims[dim])
    buffer.strides[dim] = stride;
  frame.set(result, buffer);
  return success();
}

static LogicalResult interpretCollapseShape(Frame &frame, memref::CollapseShapeOp op) {
  Buffer from = frame.buffer(op.getSrc());
  SmallVector<int64_t> dims;
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    dims.push_back(1);
    for (int64_t dim : group)
      dims.back() *= from.dims[dim];
  }
  return setReshaped(frame, op.getResult(), from, dims);
}

static LogicalResult interpretExpandShape(Frame &frame, memref::ExpandShapeOp op) {
  SmallVector<int64_t> dims;
  for (OpFoldResult mixed : op.getMixedOutputShape()) {
    auto attr = dyn_cast<Attribute>(mixed);
    dims.push_back(attr ? cast<IntegerAttr>(attr).getInt() : frame.index(cast<Value>(mixed)));
  }
  return setReshaped(frame, op.getResult(), frame.buffer(op.getSrc()), dims);
}

static LogicalResult interpretCast(Frame &frame, memref::CastOp op) {
  if (!isa<MemRefType>(op.getType()))
    return frame.fail("is interpreted for ranked memory only");
  frame.set(op.getResult(), frame.get(op.getSource()));
  return success();
}

static LogicalResult interpretCopy(Frame &frame, memref::CopyOp op) {
  Buffer from = frame.buffer(op.getSource()), to = frame.buffer(op.getTarget());
  if (from.dims != to.dims)
    return frame.fail("extents " + formatShape(from.dims) + " and " + formatShape(to.dims) + " differ");
  forEachIndex(from.dims,
               [&](ArrayRef<int64_t> index) { (*to.memory)[to.at(index)] = (*from.memory)[from.at(index)]; });
  return success();
}

//===----------------------------------------------------------------------===//
// bufferization
//===----------------------------------------------------------------------===//

// Buffers are made of copies: what is written to one never shows in the tensor that it was made from.

static LogicalResult interpretToBuffer(Frame &frame, bufferization::ToBufferOp op) {
  if (!isa<MemRefType>(op.getType()))
    return frame.fail("is interpreted for ranked memory only");
  frame.set(op->getResult(0), makeBuffer(frame.tensor(op.getTensor())));
  return success();
}

static LogicalResult interpretToTensor(Frame &frame, bufferization::ToTensorOp op) {
  if (!isa<MemRefType>(op.getBuffer().getType()))
    return frame.fail("is interpreted for ranked memory only");
  frame.set(op->getResult(0), readBuffer(frame.buffer(op.getBuffer())));
  return success();
}

//===----------------------------------------------------------------------===//
// affine
//===----------------------------------------------------------------------===//

/// What an access of affine names.
template <typename OpTy> static FailureOr<Number *> getAffineElement(Frame &frame, OpTy op) {
  FailureOr<SmallVector<int64_t>> index = evaluateMap(frame, op.getAffineMap(), op.getMapOperands());
  if (failed(index))
    return failure();
  return getElement(frame, op.getMemref(), *index);
}

static LogicalResult interpretAffineLoad(Frame &frame, affine::AffineLoadOp op) {
  FailureOr<Number *> element = getAffineElement(frame, op);
  if (failed(element))
    return failure();
  frame.set(op.getResult(), Scalar{op.getType(), **element});
  return success();
}

static LogicalResult interpretAffineStore(Frame &frame, affine::AffineStoreOp op) {
  FailureOr<Number *> element = getAffineElement(frame, op);
  if (failed(element))
    return failure();
  **element = frame.scalar(op.getValue());
  return success();
}

static LogicalResult interpretApply(Frame &frame, affine::AffineApplyOp op) {
  FailureOr<SmallVector<int64_t>> value = evaluateMap(frame, op.getAffineMap(), op.getMapOperands());
  if (failed(value))
    return failure();
  frame.setIndex(op.getResult(), value->front());
  return success();
}

static LogicalResult interpretAffineMin(Frame &frame, affine::AffineMinOp op) {
  FailureOr<SmallVector<int64_t>> values = evaluateMap(frame, op.getAffineMap(), op.getOperands());
  if (failed(values))
    return failure();
  frame.setIndex(op.getResult(), *llvm::min_element(*values));
  return success();
}

static LogicalResult interpretAffineMax(Frame &frame, affine::AffineMaxOp op) {
  FailureOr<SmallVector<int64_t>> values = evaluateMap(frame, op.getAffineMap(), op.getOperands());
  if (failed(values))
    return failure();
  frame.setIndex(op.getResult(), *llvm::max_element(*values));
  return success();
}

static LogicalResult interpretAffineFor(Frame &frame, affine::AffineForOp op) {
  FailureOr<SmallVector<int64_t>> lower = evaluateMap(frame, op.getLowerBoundMap(), op.getLowerBoundOperands());
  FailureOr<SmallVector<int64_t>> upper = evaluateMap(frame, op.getUpperBoundMap(), op.getUpperBoundOperands());
  if (failed(lower) || failed(upper))
    return failure();
  SmallVector<RuntimeValue> carried;
  for (Value init : op.getInits())
    carried.push_back(frame.get(init));
  int64_t end = *llvm::min_element(*upper);
  for (int64_t i = *llvm::max_element(*lower); i < end; i += op.getStepAsInt()) {
    if (!frame.interpreter.countStep())
      return frame.failAtLimit("the run takes too many steps");
    frame.setIndex(op.getInductionVar(), i);
    SmallVector<RuntimeValue> next;
    if (failed(frame.runBlock(*op.getBody(), op.getRegionIterArgs(), carried, next)))
      return failure();
    carried = std::move(next);
  }
  for (auto [result, value] : llvm::zip_equal(op->getResults(), carried))
    frame.set(result, value);
  return success();
}

static LogicalResult interpretAffineIf(Frame &frame, affine::AffineIfOp op) {
  IntegerSet set = op.getIntegerSet();
  bool holds = true;
  for (unsigned i = 0; i != set.getNumConstraints(); ++i) {
    AffineMap map = AffineMap::get(set.getNumDims(), set.getNumSymbols(), set.getConstraint(i));
    FailureOr<SmallVector<int64_t>> value = evaluateMap(frame, map, op.getOperands());
    if (failed(value))
      return failure();
    holds &= set.isEq(i) ? value->front() == 0 : value->front() >= 0;
  }
  Region &region = holds ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return success();
  SmallVector<RuntimeValue> results;
  if (failed(frame.runBlock(region.front(), {}, {}, results)))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), results))
    frame.set(result, value);
  return success();
}

void interp::registerBufferOps(OpTable &table) {
  table.add(interpretLoad);
  table.add(interpretStore);
  table.add(interpretDim);
  table.add(interpretAlloc<memref::AllocOp>);
  table.add(interpretAlloc<memref::AllocaOp>);
  table.add(interpretDealloc);
  table.add(interpretSubView);
  table.add(interpretCollapseShape);
  table.add(interpretExpandShape);
  table.add(interpretCast);
  table.add(interpretCopy);
  table.add(interpretToBuffer);
  table.add(interpretToTensor);
  table.add(interpretAffineLoad);
  table.add(interpretAffineStore);
  table.add(interpretApply);
  table.add(interpretAffineMin);
  table.add(interpretAffineMax);
  table.add(interpretAffineFor);
  table.add(interpretAffineIf);
}
