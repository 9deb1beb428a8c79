//===- LoopCasts.cpp - Casts in front of loops ----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LoopCasts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;

static Value reshapeToSameSize(OpBuilder &builder, Location loc, Value source, RankedTensorType type) {
  auto from = cast<RankedTensorType>(source.getType());
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(from.getShape()))
    sizes.push_back(ShapedType::isDynamic(size)
                        ? tensor::DimOp::create(builder, loc, source, static_cast<int64_t>(dim)).getResult()
                        : arith::ConstantIndexOp::create(builder, loc, size).getResult());
  auto shapeType = RankedTensorType::get({from.getRank()}, builder.getIndexType());
  Value shape = tensor::FromElementsOp::create(builder, loc, shapeType, sizes);
  return tensor::ReshapeOp::create(builder, loc, type, source, shape);
}

void graph::replaceLoopCasts(func::FuncOp function) {
  function.walk([](Operation *loop) {
    if (!isa<scf::ForOp, scf::WhileOp>(loop))
      return;
    for (OpOperand &operand : loop->getOpOperands()) {
      auto cast = operand.get().getDefiningOp<tensor::CastOp>();
      auto type = cast ? dyn_cast<RankedTensorType>(cast.getType()) : RankedTensorType();
      // A scalar has no size to forget.
      if (!type || type.getRank() == 0)
        continue;
      OpBuilder builder(loop);
      operand.set(reshapeToSameSize(builder, loop->getLoc(), cast.getSource(), type));
    }
  });
}
