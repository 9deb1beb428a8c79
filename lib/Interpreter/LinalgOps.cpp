//===- LinalgOps.cpp - Meaning of structured ops --------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Every structured op, named or not, is a nest of loops in row-major order
// around its body; operands are tensors or buffers.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Interpreter/OpTable.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::interp;

namespace {
/// An operand and how the loops address it.
struct Access {
  Value value;
  AffineMap map;
  std::shared_ptr<Tensor> tensor; // a tensor that is read, or the result that grows from an init
  std::optional<Buffer> buffer;   // memory
  bool isScalar = false;

  SmallVector<int64_t> getDims() const {
    return tensor   ? SmallVector<int64_t>(tensor->getDims())
           : buffer ? SmallVector<int64_t>(buffer->dims)
                    : SmallVector<int64_t>();
  }
};
} // namespace

static FailureOr<Access> getAccess(Frame &frame, linalg::LinalgOp op, OpOperand &operand) {
  Access access;
  access.value = operand.get();
  access.map = op.getMatchingIndexingMap(&operand);
  if (isa<RankedTensorType>(access.value.getType()))
    access.tensor = std::make_shared<Tensor>(frame.tensor(access.value));
  else if (isa<MemRefType>(access.value.getType()))
    access.buffer = frame.buffer(access.value);
  else if (access.value.getType().isIntOrIndexOrFloat())
    access.isScalar = true;
  else
    return frame.fail("has an operand that is neither a ranked tensor nor a buffer nor a scalar");
  return access;
}

/// Value of an indexing map.
static SmallVector<int64_t> apply(AffineMap map, ArrayRef<int64_t> loops) { return map.compose(loops); }

/// Number of iterations of each loop; every operand agrees with them.
static FailureOr<SmallVector<int64_t>> getLoops(Frame &frame, linalg::LinalgOp op, ArrayRef<Access> accesses) {
  SmallVector<int64_t> all;
  for (const Access &access : accesses)
    llvm::append_range(all, access.getDims());
  AffineMap map = op.getShapesToLoopsMap();
  if (!map)
    return frame.fail("the operands do not determine the loops");
  SmallVector<int64_t> loops = map.compose(all);
  if (llvm::is_contained(loops, 0))
    return loops;
  // The first and the last index of every loop stay inside.
  SmallVector<int64_t> first(loops.size(), 0), last;
  for (int64_t count : loops)
    last.push_back(count - 1);
  for (auto [number, access] : llvm::enumerate(accesses)) {
    SmallVector<int64_t> dims = access.getDims(), low = apply(access.map, first), high = apply(access.map, last);
    for (size_t dim = 0; !access.isScalar && dim != dims.size(); ++dim)
      if (std::min(low[dim], high[dim]) < 0 || std::max(low[dim], high[dim]) >= dims[dim])
        return frame.fail("operand " + Twine(number) + " dimension " + Twine(dim) + ": index " +
                          Twine(std::max(low[dim], high[dim])) + " is outside of extent " + Twine(dims[dim]));
  }
  return loops;
}

static LogicalResult interpretLinalg(Frame &frame, linalg::LinalgOp op) {
  SmallVector<Access> accesses;
  for (OpOperand &operand : op->getOpOperands()) {
    FailureOr<Access> access = getAccess(frame, op, operand);
    if (failed(access))
      return failure();
    accesses.push_back(std::move(*access));
  }
  FailureOr<SmallVector<int64_t>> loops = getLoops(frame, op, accesses);
  if (failed(loops))
    return failure();
  Block *body = op.getBlock();
  unsigned numInputs = op.getNumDpsInputs();
  LogicalResult status = forEachIndexOrFail(*loops, [&](ArrayRef<int64_t> index) -> LogicalResult {
    for (auto [access, argument] : llvm::zip(accesses, body->getArguments())) {
      if (access.isScalar)
        frame.set(argument, frame.get(access.value));
      else if (access.tensor)
        frame.set(argument, Scalar{argument.getType(), (*access.tensor)[access.tensor->at(apply(access.map, index))]});
      else
        frame.set(argument,
                  Scalar{argument.getType(), (*access.buffer->memory)[access.buffer->at(apply(access.map, index))]});
    }
    frame.loops.push_back(index);
    LogicalResult result = frame.runBody(*body);
    frame.loops.pop_back();
    if (failed(result))
      return failure();
    for (auto [number, value] : llvm::enumerate(body->getTerminator()->getOperands())) {
      Access &out = accesses[numInputs + number];
      if (out.tensor)
        out.tensor->set(out.tensor->at(apply(out.map, index)), frame.scalar(value));
      else
        (*out.buffer->memory)[out.buffer->at(apply(out.map, index))] = frame.scalar(value);
    }
    return success();
  });
  if (failed(status))
    return failure();
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    frame.set(result, std::shared_ptr<const Tensor>(accesses[numInputs + number].tensor));
  return success();
}

static LogicalResult interpretIndex(Frame &frame, linalg::IndexOp op) {
  frame.setIndex(op.getResult(), frame.loops.back()[op.getDim()]);
  return success();
}

void interp::registerLinalgOps(OpTable &table) {
  // Found for every op with the interface.
  table.addFunction<linalg::GenericOp>(
      [](Frame &frame, Operation *op) { return interpretLinalg(frame, cast<linalg::LinalgOp>(op)); });
  table.add(interpretIndex);
}
