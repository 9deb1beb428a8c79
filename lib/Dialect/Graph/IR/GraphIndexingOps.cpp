//===- GraphIndexingOps.cpp - Places known at run time --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphBinders.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphIndexingOps.cpp.inc"

void RelaxDialect::registerIndexingOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphIndexingOps.cpp.inc"
      >();
}

//===- Slices -------------------------------------------------------------===//

FailureOr<RankedTensorType> DynamicSliceOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(adaptor.getOperand().getType());
  ArrayRef<int64_t> axes = adaptor.getAxes();
  if (failed(inference.requireAxes("axes", axes, dims.size())) ||
      failed(inference.requireBinds(adaptor.getBinds(), axes.size())))
    return failure();
  for (Value bounds : adaptor.getOperands().drop_front()) {
    auto type = cast<RankedTensorType>(bounds.getType());
    if (type.getRank() != 1 || type.getDimSize(0) != static_cast<int64_t>(axes.size()))
      return inference.fail("bounds are expected to be tensors of ", axes.size(), " elements, got ", type);
    if (failed(inference.requireSameElementType(adaptor.getStarts().getType(), type)))
      return failure();
  }
  for (auto [axis, name] : llvm::zip_equal(axes, adaptor.getBinds().getAsValueRange<StringAttr>()))
    dims[axis] = SymExpr::symbol(inference.getContext(), name);
  return inference.makeType(dims, getElementTypeOrSelf(adaptor.getOperand().getType()));
}

SmallVector<sym::Fact> DynamicSliceOp::getDerivedFacts() {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(getOperand().getType());
  SmallVector<sym::Fact> facts;
  for (auto [axis, name] : llvm::zip_equal(getAxes(), getBoundSymbols()))
    if (dims[axis])
      facts.push_back({SymExpr::symbol(getContext(), name), sym::Fact::Op::LessEqual, dims[axis]});
  return facts;
}

//===- Gathering ----------------------------------------------------------===//

/// Extents of indices, but along `axis`, do not exceed the operand's.
static LogicalResult requireInside(TypeInference &inference, ArrayRef<SymExpr> dims, ArrayRef<SymExpr> indices,
                                   int64_t axis) {
  if (indices.size() != dims.size())
    return inference.fail("indices are expected to have rank ", dims.size(), ", got ", indices.size());
  for (auto [dim, extent] : llvm::enumerate(indices))
    if (static_cast<int64_t>(dim) != axis &&
        failed(inference.requireLessEqual("dimension " + Twine(dim) + " of the indices", extent, dims[dim])))
      return failure();
  return success();
}

FailureOr<RankedTensorType> TakeAlongAxisOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(adaptor.getOperand().getType());
  SmallVector<SymExpr> indices = sym::getSymbolicDims(adaptor.getIndices().getType());
  int64_t axis = adaptor.getAxis();
  if (failed(inference.requireAxis("axis", axis, dims.size())) || failed(requireInside(inference, dims, indices, axis)))
    return failure();
  return inference.makeType(indices, getElementTypeOrSelf(adaptor.getOperand().getType()));
}

/// Number of dimensions that the last dimension of `indices` holds indices for.
static FailureOr<int64_t> getTupleSize(TypeInference &inference, ArrayRef<SymExpr> indices, int64_t highest) {
  if (indices.empty())
    return inference.fail("indices are expected to have rank 1 or more, got 0");
  std::optional<int64_t> size = indices.back() ? indices.back().getConstant() : std::nullopt;
  if (!size || *size > highest)
    return inference.fail("last dimension of the indices is expected to be a number, at most ", highest, ", got ",
                          indices.back() ? indices.back().str() : "?");
  return *size;
}

FailureOr<RankedTensorType> GatherNDOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(adaptor.getOperand().getType());
  SmallVector<SymExpr> indices = sym::getSymbolicDims(adaptor.getIndices().getType());
  int64_t batch = adaptor.getBatchDims(), rank = dims.size(), indexRank = indices.size();
  if (batch < 0 || batch > rank || batch >= indexRank)
    return inference.fail("batch_dims is expected in [0, ", std::min(rank, indexRank - 1), "], got ", batch);
  FailureOr<int64_t> size = getTupleSize(inference, indices, rank - batch);
  if (failed(size))
    return failure();
  for (int64_t dim = 0; dim != batch; ++dim)
    if (failed(inference.requireEqual("dimension " + Twine(dim) + " of the indices", indices[dim], dims[dim])))
      return failure();
  SmallVector<SymExpr> result(ArrayRef<SymExpr>(indices).drop_back());
  llvm::append_range(result, ArrayRef<SymExpr>(dims).drop_front(batch + *size));
  return inference.makeType(result, getElementTypeOrSelf(adaptor.getOperand().getType()));
}

//===- Scattering ---------------------------------------------------------===//

static LogicalResult requireReduction(TypeInference &inference, StringRef reduction, Type type) {
  if (!llvm::is_contained({"none", "add", "mul", "max", "min"}, reduction))
    return inference.fail("reduction is expected to be none, add, mul, max or min, got \"", reduction, "\"");
  if (reduction != "none" && !sym::isTensorOf(type, sym::kNumbers))
    return inference.fail("reduction is expected to be none for bools, got \"", reduction, "\"");
  return success();
}

static LogicalResult requireUpdates(TypeInference &inference, ArrayRef<SymExpr> updates, ArrayRef<SymExpr> expected) {
  if (updates.size() != expected.size())
    return inference.fail("updates are expected to have rank ", expected.size(), ", got ", updates.size());
  for (auto [dim, extent] : llvm::enumerate(updates))
    if (failed(inference.requireEqual("dimension " + Twine(dim) + " of the updates", extent, expected[dim])))
      return failure();
  return success();
}

FailureOr<RankedTensorType> ScatterElementsOp::inferType(TypeInference &inference, Adaptor adaptor) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  SmallVector<SymExpr> dims = sym::getSymbolicDims(type);
  SmallVector<SymExpr> indices = sym::getSymbolicDims(adaptor.getIndices().getType());
  SmallVector<SymExpr> updates = sym::getSymbolicDims(adaptor.getUpdates().getType());
  int64_t axis = adaptor.getAxis();
  if (failed(inference.requireSameElementType(type, adaptor.getUpdates().getType())) ||
      failed(requireReduction(inference, adaptor.getReduction(), type)) ||
      failed(inference.requireAxis("axis", axis, dims.size())) ||
      failed(requireInside(inference, dims, indices, axis)) || failed(requireUpdates(inference, updates, indices)))
    return failure();
  return type;
}

FailureOr<RankedTensorType> ScatterNDOp::inferType(TypeInference &inference, Adaptor adaptor) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  SmallVector<SymExpr> dims = sym::getSymbolicDims(type);
  SmallVector<SymExpr> indices = sym::getSymbolicDims(adaptor.getIndices().getType());
  if (failed(inference.requireSameElementType(type, adaptor.getUpdates().getType())) ||
      failed(requireReduction(inference, adaptor.getReduction(), type)))
    return failure();
  FailureOr<int64_t> size = getTupleSize(inference, indices, dims.size());
  if (failed(size))
    return failure();
  SmallVector<SymExpr> expected(ArrayRef<SymExpr>(indices).drop_back());
  llvm::append_range(expected, ArrayRef<SymExpr>(dims).drop_front(*size));
  if (failed(requireUpdates(inference, sym::getSymbolicDims(adaptor.getUpdates().getType()), expected)))
    return failure();
  return type;
}
