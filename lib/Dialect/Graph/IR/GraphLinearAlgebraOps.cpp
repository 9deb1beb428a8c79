//===- GraphLinearAlgebraOps.cpp - Products -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphLinearAlgebraOps.cpp.inc"

void RelaxDialect::registerLinearAlgebraOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphLinearAlgebraOps.cpp.inc"
      >();
}

FailureOr<RankedTensorType> MatmulOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> lhs = sym::getSymbolicDims(adaptor.getLhs().getType());
  SmallVector<SymExpr> rhs = sym::getSymbolicDims(adaptor.getRhs().getType());
  if (failed(inference.requireSameElementType(adaptor.getLhs().getType(), adaptor.getRhs().getType())))
    return failure();
  if (lhs.size() < 2 || rhs.size() < 2)
    return inference.fail("operands are expected to have rank 2 or more, got ", lhs.size(), " and ", rhs.size());
  size_t lhsBatch = lhs.size() - 2, rhsBatch = rhs.size() - 2;
  if (failed(inference.requireEqual("dimension " + Twine(rhsBatch) + " of the right operand", rhs[rhsBatch],
                                    lhs[lhsBatch + 1])))
    return failure();
  FailureOr<SmallVector<SymExpr>> dims =
      inference.broadcast({SmallVector<SymExpr>(ArrayRef<SymExpr>(lhs).take_front(lhsBatch)),
                           SmallVector<SymExpr>(ArrayRef<SymExpr>(rhs).take_front(rhsBatch))},
                          "batch dimension");
  if (failed(dims))
    return failure();
  dims->push_back(lhs[lhsBatch]);
  dims->push_back(rhs[rhsBatch + 1]);
  return inference.makeType(*dims, getElementTypeOrSelf(adaptor.getLhs().getType()));
}

/// Attributes that must have one positive or nonnegative entry per spatial dimension.
static LogicalResult verifyWindow(TypeInference &inference, StringRef name, ArrayRef<int64_t> values, size_t count,
                                  int64_t lowest) {
  if (values.size() != count)
    return inference.fail(name, " is expected to have ", count, " entries, got ", values.size());
  for (int64_t value : values)
    if (value < lowest)
      return inference.fail(name, " is expected to be at least ", lowest, ", got ", value);
  return success();
}

FailureOr<RankedTensorType> ConvOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> input = sym::getSymbolicDims(adaptor.getInput().getType());
  SmallVector<SymExpr> weight = sym::getSymbolicDims(adaptor.getWeight().getType());
  if (failed(inference.requireSameElementType(adaptor.getInput().getType(), adaptor.getWeight().getType())))
    return failure();
  if (input.size() < 3 || input.size() > 5)
    return inference.fail("input is expected to have rank 3, 4 or 5, got ", input.size());
  if (weight.size() != input.size())
    return inference.fail("weight is expected to have rank ", input.size(), ", got ", weight.size());
  size_t spatial = input.size() - 2;
  ArrayRef<int64_t> strides = adaptor.getStrides(), pads = adaptor.getPads(), dilations = adaptor.getDilations();
  int64_t groups = adaptor.getGroups();
  if (failed(verifyWindow(inference, "strides", strides, spatial, 1)) ||
      failed(verifyWindow(inference, "pads", pads, 2 * spatial, 0)) ||
      failed(verifyWindow(inference, "dilations", dilations, spatial, 1)))
    return failure();
  if (groups < 1)
    return inference.fail("groups is expected to be at least 1, got ", groups);
  SymExpr channels = weight[1] ? weight[1] * groups : SymExpr();
  if (weight[1] && !channels)
    return inference.fail("number of channels does not fit 64 bits");
  if (failed(inference.requireEqual("dimension 1 of the input", input[1], channels)))
    return failure();
  if (weight[0] &&
      failed(inference.requireEqual("rest of dimension 0 of the weight divided by groups",
                                    SymExpr::mod(weight[0], inference.constant(groups)), inference.constant(0))))
    return failure();

  SmallVector<SymExpr> dims = {input[0], weight[0]};
  for (size_t i = 0; i != spatial; ++i) {
    SymExpr extent = input[i + 2], kernel = weight[i + 2];
    if (!extent || !kernel) {
      dims.emplace_back();
      continue;
    }
    SymExpr room = extent + pads[i] + pads[spatial + i] - (kernel - 1) * dilations[i];
    if (!room)
      return inference.fail("dimension ", i + 2, " of the result does not fit 64 bits");
    if (failed(inference.requireLessEqual("dimension " + Twine(i + 2) + " of the input", inference.constant(0), room)))
      return failure();
    dims.push_back(SymExpr::floordiv(room - 1, inference.constant(strides[i])) + 1);
  }
  return inference.makeType(dims, getElementTypeOrSelf(adaptor.getInput().getType()));
}
