//===- MemoryOps.cpp - Meaning of destinations and plans ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Memory is bytes that hold whatever was written last, so that a plan which
// lets two live tensors overlap gives wrong values here too.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Interpreter/OpTable.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

static constexpr uint8_t kUnwritten = 0x5b;

/// Extents of a result type; they use symbols that are bound.
static FailureOr<Shape> evaluateDims(Frame &frame, Type type) {
  Shape dims;
  for (sym::SymExpr expr : sym::getSymbolicDims(type)) {
    std::optional<int64_t> value = frame.evaluate(expr);
    if (!value)
      return frame.fail(expr ? expr.str() + " has no value in 64 bits" : "an extent is not known");
    dims.push_back(*value);
  }
  return dims;
}

/// A tensor of this type that is not anywhere yet, and its bytes.
static FailureOr<std::pair<PlacedTensor, int64_t>> getPlace(Frame &frame, Type type) {
  FailureOr<Shape> dims = evaluateDims(frame, type);
  if (failed(dims))
    return failure();
  Type elementType = cast<RankedTensorType>(type).getElementType();
  FailureOr<Tensor> shape = frame.makeTensor(elementType, *dims); // checks the extents
  if (failed(shape))
    return failure();
  return std::make_pair(PlacedTensor{nullptr, 0, elementType, *dims}, shape->size() * getElementBytes(elementType));
}

/// Memory of an output that begins with the elements of an argument (relax-grow-in-place).
static LogicalResult writeExtended(Frame &frame, Operation *maker, const PlacedTensor &tensor, int64_t room) {
  auto number = maker ? maker->getAttrOfType<IntegerAttr>("relax.extends") : IntegerAttr();
  if (!number)
    return success();
  auto function = maker->getParentOfType<FunctionOpInterface>();
  if (!function || number.getInt() < 0 || number.getInt() >= function.getNumArguments())
    return frame.fail("continues an argument that is not there");
  const Tensor &argument = frame.tensor(function.getArgument(number.getInt()));
  if (argument.size() * getElementBytes(argument.getElementType()) > room)
    return frame.fail("is smaller than the argument that it continues");
  writeBytes(argument, tensor.storage->bytes.data() + tensor.offset);
  return success();
}

static LogicalResult interpretAlloc(Frame &frame, AllocOp op) {
  auto place = getPlace(frame, op.getType());
  if (failed(place))
    return failure();
  auto [tensor, bytes] = *place;
  tensor.storage = std::make_shared<Storage>();
  tensor.storage->bytes.assign(bytes, kUnwritten);
  frame.set(op.getResult(), tensor);
  return writeExtended(frame, op, tensor, bytes);
}

static LogicalResult interpretStorage(Frame &frame, StorageOp op) {
  int64_t bytes = frame.index(op.getBytes());
  if (bytes < 0)
    return frame.fail("needs " + Twine(bytes) + " bytes");
  if (static_cast<uint64_t>(bytes) > 8 * frame.interpreter.getOptions().maxElements)
    return frame.failAtLimit("needs " + Twine(bytes) + " bytes");
  auto storage = std::make_shared<Storage>();
  storage->bytes.assign(bytes, kUnwritten);
  frame.set(op.getResult(), storage);
  return success();
}

static LogicalResult interpretTensorAt(Frame &frame, TensorAtOp op) {
  auto place = getPlace(frame, op.getType());
  if (failed(place))
    return failure();
  auto [tensor, bytes] = *place;
  RuntimeValue held = frame.get(op.getStorage());
  auto storage = std::get<std::shared_ptr<Storage>>(held);
  // Memory that grows loses what it held; of two blocks that alternate the other one keeps it.
  auto made = op.getStorage().getDefiningOp<StorageOp>();
  if (made && made.getSpace() == "growing")
    storage->bytes.assign(std::max<size_t>(storage->bytes.size(), bytes), kUnwritten);
  if (made && made.getSpace() == "alternating") {
    storage = std::make_shared<Storage>();
    storage->bytes.assign(bytes, kUnwritten);
  }
  int64_t offset = frame.index(op.getOffset()), size = storage->bytes.size();
  if (offset < 0 || bytes > size || offset > size - bytes)
    return frame.fail(Twine(bytes) + " bytes at " + Twine(offset) + " are outside of a storage of " + Twine(size) +
                      " bytes");
  tensor.storage = storage;
  tensor.offset = offset;
  frame.set(op.getResult(), tensor);
  return writeExtended(frame, made, tensor, bytes);
}

void interp::registerMemoryOps(OpTable &table) {
  table.add(interpretAlloc);
  table.add(interpretStorage);
  table.add(interpretTensorAt);
}
