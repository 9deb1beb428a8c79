//===- DotValues.cpp - Values of the body of a sum of small products ------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "DotValues.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::relax;

DotValues::DotValues(OpBuilder &builder, linalg::GenericOp op, const DotSum &sum, ArrayRef<Value> at,
                     const DenseMap<Value, llvm::SmallBitVector> &loopsOf)
    : builder(builder), op(op), loc(op.getLoc()), firstLane(sum.firstLane), numLoops(op.getNumLoops()), at(at),
      loopsOf(loopsOf), ranges(op.getStaticLoopRanges()) {}

bool DotValues::movesInGroup(Value value) const {
  auto loops = loopsOf.find(value);
  return loops != loopsOf.end() && loops->second.find_last() >= static_cast<int>(firstLane);
}

bool DotValues::isMovedBy(Value value, unsigned loop) const {
  auto loops = loopsOf.find(value);
  return loops != loopsOf.end() && loops->second.test(loop);
}

int64_t DotValues::countSame(Value value) const {
  auto loops = loopsOf.find(value);
  unsigned inner = firstLane;
  if (loops != loopsOf.end())
    inner = std::max<int>(firstLane, loops->second.find_last() + 1);
  return std::accumulate(ranges.begin() + inner, ranges.end(), int64_t(1), std::multiplies<>());
}

std::vector<void *> DotValues::getKey(Value value) const {
  std::vector<void *> key = {value.getAsOpaquePointer()};
  if (auto loops = loopsOf.find(value); loops != loopsOf.end())
    for (unsigned loop : loops->second.set_bits())
      key.push_back(at[loop].getAsOpaquePointer());
  return key;
}

Value DotValues::evaluate(Value value, Lanes lanes) {
  if (movesInGroup(value))
    return evaluateLanes(value, lanes);
  return vector::BroadcastOp::create(builder, loc, VectorType::get(lanes.count, value.getType()),
                                     evaluateLanes(value, Lanes()));
}

/// A value at the present place, from an earlier place where they are the same.
Value DotValues::evaluateLanes(Value value, Lanes lanes) {
  if (!loopsOf.contains(value))
    return value; // from outside
  std::vector<void *> key = getKey(value);
  for (int64_t number : {lanes.step, lanes.first, lanes.count})
    key.push_back(toKey(number));
  if (auto known = values.find(key); known != values.end())
    return known->second;
  Value result = compute(value, lanes);
  values[key] = result;
  return result;
}

Value DotValues::compute(Value value, Lanes lanes) {
  bool isVector = lanes.count != 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    if (!isa<MemRefType>(operand.get().getType()))
      return operand.get();
    return isVector ? load(operand, lanes)
                    : memref::LoadOp::create(builder, loc, operand.get(), getAccessIndices(builder, op, operand, at))
                          .getResult();
  }
  Operation *inner = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return isVector ? getLaneIndices(index.getDim(), lanes) : at[index.getDim()];
  if (isVector && isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(inner))
    if (std::optional<int64_t> size = getPieceSize(inner->getOperand(1), lanes))
      return computePieces(value, lanes, *size);

  SmallVector<Value> operands;
  for (Value operand : inner->getOperands())
    operands.push_back(isVector ? evaluate(operand, lanes) : evaluateLanes(operand, lanes));
  SmallVector<Type> types;
  for (Type type : inner->getResultTypes())
    types.push_back(isVector ? Type(VectorType::get(lanes.count, type)) : type);
  Operation *copy = builder.create(loc, inner->getName().getIdentifier(), operands, types, inner->getAttrs());
  return copy->getResult(cast<OpResult>(value).getResultNumber());
}

/// CPUs shift all bytes of a vector by the same amount. When the amount differs between parts of the group only: how
/// many lanes have the same.
std::optional<int64_t> DotValues::getPieceSize(Value amount, Lanes lanes) const {
  if (!movesInGroup(amount))
    return std::nullopt;
  int64_t size = countSame(amount) / lanes.step;
  if (size < DotSum::kQuad || size >= lanes.count)
    return std::nullopt;
  return size;
}

Value DotValues::computePieces(Value value, Lanes lanes, int64_t size) {
  SmallVector<Value> pieces;
  for (int64_t lane = 0; lane < lanes.count; lane += size)
    pieces.push_back(evaluateLanes(value, {lanes.step, lanes.first + lane * lanes.step, size}));
  while (pieces.size() > 1) {
    SmallVector<Value> joined;
    for (size_t i = 0; i + 1 < pieces.size(); i += 2) {
      int64_t length = 2 * cast<VectorType>(pieces[i].getType()).getDimSize(0);
      joined.push_back(vector::ShuffleOp::create(builder, loc, pieces[i], pieces[i + 1],
                                                 llvm::to_vector(llvm::seq<int64_t>(0, length))));
    }
    pieces = std::move(joined);
  }
  return pieces.front();
}

Value DotValues::load(OpOperand &operand, Lanes lanes) {
  GroupAccess access = *getGroupAccess(op, operand, firstLane);
  SmallVector<int64_t> chosen;
  for (int64_t lane = 0; lane < lanes.count; ++lane)
    chosen.push_back(access.offsets[lanes.first + lane * lanes.step]);
  int64_t first = *llvm::min_element(chosen), covered = *llvm::max_element(chosen) - first + 1;
  for (int64_t &place : chosen)
    place -= first;

  auto type = cast<MemRefType>(operand.get().getType());
  Value buffer = operand.get();
  SmallVector<Value> indices = getAccessIndices(builder, op, operand, at);
  if (int64_t rank = type.getRank(); access.firstDim + 1 != rank) {
    SmallVector<ReassociationIndices> groups;
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (dim <= access.firstDim)
        groups.emplace_back();
      groups.back().push_back(dim);
    }
    buffer = memref::CollapseShapeOp::create(builder, loc, buffer, groups);
    for (int64_t dim = access.firstDim + 1; dim < rank; ++dim) {
      Value &joined = indices[access.firstDim];
      joined = builder.createOrFold<arith::MulIOp>(loc, joined, constant(type.getDimSize(dim)));
      joined = builder.createOrFold<arith::AddIOp>(loc, joined, indices[dim]);
    }
    indices.truncate(access.firstDim + 1);
  }
  if (first != 0)
    indices.back() = builder.createOrFold<arith::AddIOp>(loc, indices.back(), constant(first));
  Value elements =
      vector::LoadOp::create(builder, loc, VectorType::get(covered, type.getElementType()), buffer, indices);
  if (chosen == llvm::to_vector(llvm::seq<int64_t>(0, covered)))
    return elements;
  return vector::ShuffleOp::create(builder, loc, elements, elements, chosen);
}

Value DotValues::getLaneIndices(unsigned loop, Lanes lanes) {
  int64_t inside = std::accumulate(ranges.begin() + loop + 1, ranges.end(), int64_t(1), std::multiplies<>());
  SmallVector<int64_t> steps;
  for (int64_t lane = 0; lane < lanes.count; ++lane)
    steps.push_back((lanes.first + lane * lanes.step) / inside % ranges[loop]);
  auto type = VectorType::get(lanes.count, builder.getIndexType());
  return arith::ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, ArrayRef(steps)));
}
