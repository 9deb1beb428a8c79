//===- GraphBlockOps.cpp - Weights in blocks of few bits ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphBlockOps.h"
#include "GraphFamilies.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphBlockOps.cpp.inc"

void graph::addBlockOps(Dialect &dialect) {
  addFamily<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphBlockOps.cpp.inc"
      >(dialect);
}

std::optional<BlockFormat> BlockFormat::parse(StringRef name) {
  return StringSwitch<std::optional<BlockFormat>>(name)
      .Case("f16", BlockFormat{F16, 1, 2})
      .Case("bf16", BlockFormat{BF16, 1, 2})
      .Case("q4_0", BlockFormat{Q4_0, 32, 18})
      .Case("q4_1", BlockFormat{Q4_1, 32, 20})
      .Case("q5_0", BlockFormat{Q5_0, 32, 22})
      .Case("q5_1", BlockFormat{Q5_1, 32, 24})
      .Case("q8_0", BlockFormat{Q8_0, 32, 34})
      .Case("q2_k", BlockFormat{Q2_K, 256, 84})
      .Case("q3_k", BlockFormat{Q3_K, 256, 110})
      .Case("q4_k", BlockFormat{Q4_K, 256, 144})
      .Case("q5_k", BlockFormat{Q5_K, 256, 176})
      .Case("q6_k", BlockFormat{Q6_K, 256, 210})
      .Default(std::nullopt);
}

/// Extents of the numbers in `blocks`: the last two dimensions become one.
static FailureOr<SmallVector<SymExpr>> getNumbers(TypeInference &inference, Value blocks, StringRef name) {
  std::optional<BlockFormat> format = BlockFormat::parse(name);
  if (!format)
    return inference.fail("there is no block format '", name, "'");
  SmallVector<SymExpr> dims = sym::getSymbolicDims(blocks.getType());
  if (dims.size() < 2)
    return inference.fail("blocks are expected to have rank 2 or more, got ", dims.size());
  // The length of a block is part of the format: nothing is left to run time.
  SymExpr bytes = dims.pop_back_val();
  if (!bytes || bytes.getConstant() != format->bytes)
    return inference.fail("the last dimension of blocks is expected to be ", format->bytes, ", the bytes of a '", name,
                          "' block, got ", blocks.getType());
  if (SymExpr count = dims.back()) {
    dims.back() = count * format->numbers;
    if (!dims.back())
      return inference.fail("dimension ", dims.size() - 1, " of the numbers does not fit 64 bits");
  }
  return dims;
}

FailureOr<RankedTensorType> DequantizeBlockOp::inferType(TypeInference &inference, Adaptor adaptor) {
  FailureOr<SmallVector<SymExpr>> dims = getNumbers(inference, adaptor.getBlocks(), adaptor.getFormat());
  if (failed(dims))
    return failure();
  return inference.makeType(*dims, Float32Type::get(inference.getContext()));
}

/// Extents of the products of `lhs` with rows of blocks.
static FailureOr<SmallVector<SymExpr>> getProducts(TypeInference &inference, Value lhs, Value blocks, StringRef name) {
  FailureOr<SmallVector<SymExpr>> rows = getNumbers(inference, blocks, name);
  if (failed(rows))
    return failure();
  SmallVector<SymExpr> dims = sym::getSymbolicDims(lhs.getType());
  if (rows->size() != 2)
    return inference.fail("blocks are expected to have rank 3, got ", rows->size() + 1);
  if (dims.empty())
    return inference.fail("lhs is expected to have rank 1 or more, got 0");
  if (failed(inference.requireEqual("the last dimension of lhs", dims.back(), rows->back())))
    return failure();
  dims.back() = rows->front();
  return dims;
}

FailureOr<RankedTensorType> BlockMatmulOp::inferType(TypeInference &inference, Adaptor adaptor) {
  FailureOr<SmallVector<SymExpr>> dims =
      getProducts(inference, adaptor.getLhs(), adaptor.getBlocks(), adaptor.getFormat());
  if (failed(dims))
    return failure();
  return inference.makeType(*dims, Float32Type::get(inference.getContext()));
}

FailureOr<RankedTensorType> QuantizedBlockMatmulOp::inferType(TypeInference &inference, Adaptor adaptor) {
  std::optional<BlockFormat> format = BlockFormat::parse(adaptor.getFormat());
  if (format && !format->hasIntegers())
    return inference.fail("numbers of the format '", adaptor.getFormat(), "' are no integers");
  FailureOr<SmallVector<SymExpr>> dims =
      getProducts(inference, adaptor.getLhs(), adaptor.getBlocks(), adaptor.getFormat());
  if (failed(dims))
    return failure();
  SmallVector<SymExpr> scales = sym::getSymbolicDims(adaptor.getScales().getType());
  if (scales.size() != dims->size())
    return inference.fail("scales are expected to have the rank of lhs, ", dims->size(), ", got ", scales.size());
  for (auto [dim, extents] : llvm::enumerate(llvm::zip(ArrayRef(*dims).drop_back(), scales)))
    if (failed(inference.requireEqual("dimension " + std::to_string(dim) + " of scales", std::get<1>(extents),
                                      std::get<0>(extents))))
      return failure();
  SymExpr blocks = sym::getSymbolicDims(adaptor.getBlocks().getType())[1];
  SymExpr wanted = blocks ? blocks * (format->numbers / kActivationBlock) : SymExpr();
  if (failed(inference.requireEqual("the last dimension of scales", scales.back(), wanted)))
    return failure();
  return inference.makeType(*dims, Float32Type::get(inference.getContext()));
}
