//===- PlainValues.cpp - Between symbolic and plain types -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "PlainValues.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;

Value relax::emitPlain(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  RankedTensorType plain = sym::stripEncoding(type);
  return plain == type ? tensor : graph::EraseShapeOp::create(builder, loc, plain, tensor).getResult();
}

Value relax::emitRetyped(OpBuilder &builder, Location loc, Value tensor, Type elementType) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getElementType() == elementType)
    return tensor;
  return UnrealizedConversionCastOp::create(builder, loc, Type(type.clone(elementType)), tensor).getResult(0);
}

SmallVector<Value> relax::emitEntries(OpBuilder &builder, Location loc, Value shape) {
  SmallVector<Value> entries;
  if (!shape)
    return entries;
  Value tensor;
  for (auto [index, dim] : llvm::enumerate(sym::getSymbolicDims(shape.getType()))) {
    if (dim && dim.getConstant()) {
      entries.push_back(arith::ConstantIndexOp::create(builder, loc, *dim.getConstant()));
      continue;
    }
    if (dim) {
      entries.push_back(
          graph::EvalExprOp::create(builder, loc, builder.getIndexType(), shape, sym::ExprAttr::get(dim)));
      continue;
    }
    if (!tensor) {
      int64_t rank = sym::getSymbolicDims(shape.getType()).size();
      auto type = RankedTensorType::get({rank}, builder.getI64Type());
      tensor = graph::ShapeToTensorOp::create(builder, loc, type, shape);
    }
    Value position = arith::ConstantIndexOp::create(builder, loc, index);
    Value entry = tensor::ExtractOp::create(builder, loc, tensor, ValueRange(position));
    entries.push_back(arith::IndexCastOp::create(builder, loc, builder.getIndexType(), entry));
  }
  return entries;
}

Value relax::emitResult(OpBuilder &builder, Location loc, Value value, Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType)
    return value;
  value = emitRetyped(builder, loc, value, tensorType.getElementType());
  if (value.getType() == type)
    return value;
  // Where symbols are, a cast by itself is not believed.
  if (!tensorType.getEncoding() && !sym::getScope(builder.getInsertionBlock()->getParentOp()))
    return tensor::CastOp::create(builder, loc, type, value);
  return graph::MatchCastOp::create(builder, loc, type, value, builder.getStrArrayAttr({}));
}
