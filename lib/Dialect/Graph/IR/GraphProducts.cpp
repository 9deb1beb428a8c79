//===- GraphProducts.cpp - What is common to products ---------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Models of the interface, in one place: products belong to several families.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphProducts.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphBlockOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphWindows.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

#include "RelaxDialect/Dialect/Graph/IR/GraphProducts.cpp.inc"

static unsigned getRank(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

namespace {
struct MatmulProduct final : ProductOpInterface::ExternalModel<MatmulProduct, MatmulOp> {
  std::optional<ProductColumns> getColumns(Operation *op) const {
    auto product = cast<MatmulOp>(op);
    unsigned rank = getRank(product.getRhs());
    if (rank < 2) // a vector is summed whole
      return std::nullopt;
    return ProductColumns{rank - 1, getRank(product.getResult()) - 1};
  }
};

struct BlockMatmulProduct final : ProductOpInterface::ExternalModel<BlockMatmulProduct, BlockMatmulOp> {
  std::optional<ProductColumns> getColumns(Operation *op) const {
    return ProductColumns{0, getRank(op->getResult(0)) - 1};
  }
};

template <typename OpTy> struct ConvProduct final : ProductOpInterface::ExternalModel<ConvProduct<OpTy>, OpTy> {
  std::optional<ProductColumns> getColumns(Operation *op) const {
    if (cast<OpTy>(op).getGroups() != 1) // each group of channels has its own columns
      return std::nullopt;
    bool last = std::is_same_v<OpTy, ConvChannelsLastOp>;
    return ProductColumns{0, ImageDims::get(getRank(op->getResult(0)), last).channel};
  }
};
} // namespace

void graph::addProductModels(MLIRContext &context) {
  MatmulOp::attachInterface<MatmulProduct>(context);
  BlockMatmulOp::attachInterface<BlockMatmulProduct>(context);
  ConvOp::attachInterface<ConvProduct<ConvOp>>(context);
  ConvChannelsLastOp::attachInterface<ConvProduct<ConvChannelsLastOp>>(context);
}
