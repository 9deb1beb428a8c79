//===- GraphManipulationOps.cpp - Moving elements -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphManipulationOps.cpp.inc"

void RelaxDialect::registerManipulationOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphManipulationOps.cpp.inc"
      >();
}

FailureOr<RankedTensorType> ReshapeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> from = sym::getSymbolicDims(adaptor.getOperand().getType());
  SmallVector<SymExpr> to = sym::getSymbolicDims(adaptor.getShape().getType());
  if (failed(inference.requireSameNumElements(from, to)))
    return failure();
  return inference.makeType(to, getElementTypeOrSelf(adaptor.getOperand().getType()));
}

FailureOr<RankedTensorType> BroadcastToOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> from = sym::getSymbolicDims(adaptor.getOperand().getType());
  SmallVector<SymExpr> to = sym::getSymbolicDims(adaptor.getShape().getType());
  if (from.size() > to.size())
    return inference.fail("result is expected to have rank ", from.size(), " or more, got ", to.size());
  size_t added = to.size() - from.size();
  for (auto [dim, extent] : llvm::enumerate(from))
    if (failed(inference.requireBroadcastsTo("dimension " + Twine(dim) + " of the operand", extent, to[added + dim])))
      return failure();
  return inference.makeType(to, getElementTypeOrSelf(adaptor.getOperand().getType()));
}

FailureOr<RankedTensorType> PermuteDimsOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(adaptor.getOperand().getType()), result;
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (permutation.size() != dims.size())
    return inference.fail("permutation is expected to have ", dims.size(), " entries, got ", permutation.size());
  if (failed(inference.requireAxes("permutation", permutation, dims.size())))
    return failure();
  for (int64_t axis : permutation)
    result.push_back(dims[axis]);
  return inference.makeType(result, getElementTypeOrSelf(adaptor.getOperand().getType()));
}

FailureOr<RankedTensorType> ExpandDimsOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(adaptor.getOperand().getType()), result;
  ArrayRef<int64_t> axes = adaptor.getAxes();
  size_t rank = dims.size() + axes.size(), next = 0;
  if (failed(inference.requireAxes("axes", axes, rank)))
    return failure();
  for (size_t dim = 0; dim != rank; ++dim)
    result.push_back(llvm::is_contained(axes, static_cast<int64_t>(dim)) ? inference.constant(1) : dims[next++]);
  return inference.makeType(result, getElementTypeOrSelf(adaptor.getOperand().getType()));
}

FailureOr<RankedTensorType> SqueezeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(adaptor.getOperand().getType()), result;
  if (failed(inference.requireAxes("axes", adaptor.getAxes(), dims.size())))
    return failure();
  for (auto [dim, extent] : llvm::enumerate(dims)) {
    if (!llvm::is_contained(adaptor.getAxes(), static_cast<int64_t>(dim)))
      result.push_back(extent);
    else if (failed(
                 inference.requireEqual("dimension " + Twine(dim) + " of the operand", extent, inference.constant(1))))
      return failure();
  }
  return inference.makeType(result, getElementTypeOrSelf(adaptor.getOperand().getType()));
}

/// Extent of one sliced axis, and the rules of its bounds.
static FailureOr<SymExpr> inferSlicedExtent(TypeInference &inference, int64_t axis, SymExpr extent, SymExpr start,
                                            SymExpr end, int64_t stride) {
  std::string at = " of axis " + std::to_string(axis);
  SymExpr zero = inference.constant(0);
  SymExpr low = stride > 0 ? start : end + 1, high = stride > 0 ? end : start + 1;
  if (failed(inference.requireLessEqual("lower bound" + at, zero, low)) ||
      failed(inference.requireLessEqual("bounds" + at, low, high)) ||
      failed(inference.requireLessEqual("upper bound" + at, high, extent)))
    return failure();
  SymExpr result = SymExpr::ceildiv(high - low, inference.constant(stride > 0 ? stride : -stride));
  if (!result)
    return inference.fail("extent", at, " does not fit 64 bits");
  return result;
}

SmallVector<SymExpr> SliceOp::getStartExprs() { return getExprs(getStarts()); }
SmallVector<SymExpr> SliceOp::getEndExprs() { return getExprs(getEnds()); }

void SliceOp::build(OpBuilder &builder, OperationState &state, Value operand, Value shape, ArrayRef<int64_t> axes,
                    ArrayRef<SymExpr> starts, ArrayRef<SymExpr> ends, ArrayRef<int64_t> strides) {
  auto toAttr = [&](ArrayRef<SymExpr> exprs) {
    return builder.getArrayAttr(
        llvm::map_to_vector(exprs, [](SymExpr expr) -> Attribute { return sym::ExprAttr::get(expr); }));
  };
  build(builder, state, operand, shape, axes, toAttr(starts), toAttr(ends), strides);
}

FailureOr<RankedTensorType> SliceOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(adaptor.getOperand().getType());
  ArrayRef<int64_t> axes = adaptor.getAxes(), strides = adaptor.getStrides();
  SmallVector<SymExpr> starts = getExprs(adaptor.getStarts()), ends = getExprs(adaptor.getEnds());
  if (failed(inference.requireAxes("axes", axes, dims.size())))
    return failure();
  auto haveCount = [&](StringRef name, size_t count) -> LogicalResult {
    return count == axes.size() ? success()
                                : inference.fail(name, " is expected to have ", axes.size(), " entries, got ", count);
  };
  if (failed(haveCount("starts", starts.size())) || failed(haveCount("ends", ends.size())) ||
      failed(haveCount("strides", strides.size())))
    return failure();

  for (auto [axis, start, end, stride] : llvm::zip_equal(axes, starts, ends, strides)) {
    if (stride == 0 || stride == std::numeric_limits<int64_t>::min())
      return inference.fail("stride of axis ", axis, " is expected to be neither 0 nor the lowest integer");
    if (failed(inference.requireShown("bounds of axis " + Twine(axis), {start, end}, adaptor.getOperands())))
      return failure();
    FailureOr<SymExpr> extent = inferSlicedExtent(inference, axis, dims[axis], start, end, stride);
    if (failed(extent))
      return failure();
    dims[axis] = *extent;
  }
  return inference.makeType(dims, getElementTypeOrSelf(adaptor.getOperand().getType()));
}

FailureOr<RankedTensorType> ConcatOp::inferType(TypeInference &inference, Adaptor adaptor) {
  if (adaptor.getOperands().empty())
    return inference.fail("expects at least one operand");
  Type first = adaptor.getOperands()[0].getType();
  SmallVector<SymExpr> dims = sym::getSymbolicDims(first);
  int64_t axis = adaptor.getAxis();
  if (failed(inference.requireAxis("axis", axis, dims.size())))
    return failure();
  for (auto [index, operand] : llvm::enumerate(adaptor.getOperands().drop_front())) {
    SmallVector<SymExpr> other = sym::getSymbolicDims(operand.getType());
    if (failed(inference.requireSameElementType(first, operand.getType())))
      return failure();
    if (other.size() != dims.size())
      return inference.fail("operand ", index + 1, " is expected to have rank ", dims.size(), ", got ", other.size());
    for (auto [dim, extent] : llvm::enumerate(other)) {
      if (static_cast<int64_t>(dim) == axis) {
        dims[dim] = dims[dim] + extent;
        continue;
      }
      if (failed(
              inference.requireEqual("dimension " + Twine(dim) + " of operand " + Twine(index + 1), extent, dims[dim])))
        return failure();
      // A static extent, or any, says more than an unknown one.
      if (!dims[dim] || (extent && extent.getConstant()))
        dims[dim] = extent;
    }
  }
  return inference.makeType(dims, getElementTypeOrSelf(first));
}

FailureOr<RankedTensorType> TakeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(adaptor.getOperand().getType());
  SmallVector<SymExpr> indices = sym::getSymbolicDims(adaptor.getIndices().getType());
  int64_t axis = adaptor.getAxis();
  if (failed(inference.requireAxis("axis", axis, dims.size())))
    return failure();
  SmallVector<SymExpr> result(ArrayRef<SymExpr>(dims).take_front(axis));
  llvm::append_range(result, indices);
  llvm::append_range(result, ArrayRef<SymExpr>(dims).drop_front(axis + 1));
  return inference.makeType(result, getElementTypeOrSelf(adaptor.getOperand().getType()));
}

SmallVector<SymExpr> PadOp::getLowExprs() { return getExprs(getLow()); }

FailureOr<RankedTensorType> PadOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(adaptor.getOperand().getType());
  Type elementType = getElementTypeOrSelf(adaptor.getOperand().getType());
  SmallVector<SymExpr> low = getExprs(adaptor.getLow()), high = getExprs(adaptor.getHigh());
  StringRef mode = adaptor.getMode();
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap")
    return inference.fail("mode is expected to be constant, edge, reflect or wrap, got \"", mode, "\"");
  if (Value value = adaptor.getValue()) {
    auto type = cast<RankedTensorType>(value.getType());
    if (mode != "constant")
      return inference.fail("value is expected with the mode constant only, got the mode \"", mode, "\"");
    if (type.getRank() != 0 || type.getElementType() != elementType)
      return inference.fail("value is expected to have type ", RankedTensorType::get({}, elementType), ", got ", type);
  }
  if (low.size() != dims.size() || high.size() != dims.size())
    return inference.fail("low and high are expected to have ", dims.size(), " entries, got ", low.size(), " and ",
                          high.size());
  SymExpr zero = inference.constant(0);
  for (auto [axis, extent] : llvm::enumerate(dims)) {
    std::string at = "of axis " + std::to_string(axis);
    SymExpr added = low[axis] + high[axis];
    if (failed(inference.requireShown("amounts " + at, {low[axis], high[axis]}, adaptor.getOperands())) ||
        failed(inference.requireLessEqual("amount before axis " + Twine(axis), zero, low[axis])) ||
        failed(inference.requireLessEqual("amount after axis " + Twine(axis), zero, high[axis])))
      return failure();
    // Nothing can be copied from a dimension without elements.
    if (mode != "constant" && failed(inference.requireLessEqual("amounts " + at, added, added * extent)))
      return failure();
    SymExpr result = extent + added;
    if (extent && !result)
      return inference.fail("extent ", at, " does not fit 64 bits");
    extent = result;
  }
  return inference.makeType(dims, elementType);
}
