//===- GraphMemoryOps.cpp - Memory ----------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphMemoryOps.cpp.inc"

void RelaxDialect::registerMemoryOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphMemoryOps.cpp.inc"
      >();
}

/// Memory needs a size: every extent is known.
static LogicalResult verifyKnownExtents(Operation *op, Type type) {
  SmallVector<sym::SymExpr> dims = sym::getSymbolicDims(type);
  for (auto [index, dim] : llvm::enumerate(dims))
    if (!dim)
      return op->emitOpError("needs known extents, but dimension ") << index << " of " << type << " is unknown";
  return success();
}

void AllocOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getOpResult(0));
}

LogicalResult AllocOp::verify() { return verifyKnownExtents(*this, getType()); }

void StorageOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getOpResult(0));
}

LogicalResult StorageOp::verify() {
  if (int64_t alignment = getAlignment(); alignment <= 0 || !llvm::isPowerOf2_64(alignment))
    return emitOpError("alignment must be a power of two, got ") << alignment;
  if (IntegerAttr bytes; matchPattern(getBytes(), m_Constant(&bytes)) && bytes.getValue().isNegative())
    return emitOpError("size must not be negative, got ") << bytes.getValue().getSExtValue();
  return success();
}

LogicalResult TensorAtOp::verify() {
  if (IntegerAttr offset; matchPattern(getOffset(), m_Constant(&offset)) && offset.getValue().isNegative())
    return emitOpError("offset must not be negative, got ") << offset.getValue().getSExtValue();
  return verifyKnownExtents(*this, getType());
}
