//===- GraphComposedOps.cpp - Abbreviations -------------------------------===//
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
using sym::Fact;
using sym::SymExpr;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphComposedOps.cpp.inc"

void RelaxDialect::registerComposedOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphComposedOps.cpp.inc"
      >();
}

static SmallVector<SymExpr> getDims(Value value) { return sym::getSymbolicDims(value.getType()); }
static Type getElementType(Value value) { return getElementTypeOrSelf(value.getType()); }
static Type getI64(TypeInference &inference) { return IntegerType::get(inference.getContext(), 64); }

/// The symbols that `binds` lists, as expressions.
static SmallVector<SymExpr> getSymbols(ArrayAttr binds) {
  return llvm::map_to_vector(binds.getAsValueRange<StringAttr>(),
                             [&](StringRef name) { return SymExpr::symbol(binds.getContext(), name); });
}

//===- Manipulation -------------------------------------------------------===//

FailureOr<RankedTensorType> DynamicReshapeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  auto target = cast<RankedTensorType>(adaptor.getTarget().getType());
  if (target.getRank() != 1 || target.isDynamicDim(0))
    return inference.fail("target is expected to have rank 1 and a static extent, got ", target);
  if (failed(inference.requireBinds(adaptor.getBinds(), target.getDimSize(0))))
    return failure();
  return inference.makeType(getSymbols(adaptor.getBinds()), getElementType(adaptor.getOperand()));
}

SmallVector<Fact> DynamicReshapeOp::getDerivedFacts() { return {}; }

FailureOr<RankedTensorType> CompressOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = getDims(adaptor.getOperand()), mask = getDims(adaptor.getMask());
  int64_t axis = adaptor.getAxis(), rank = dims.size(), maskRank = mask.size();
  if (failed(inference.requireBinds(adaptor.getBinds(), 1)) || failed(inference.requireAxis("axis", axis, rank)))
    return failure();
  if (maskRank == 0 || axis + maskRank > rank)
    return inference.fail("mask is expected to have rank 1 to ", rank - axis, ", got ", maskRank);
  for (auto [dim, extent] : llvm::enumerate(mask))
    if (failed(inference.requireEqual("dimension " + Twine(dim) + " of the mask", extent, dims[axis + dim])))
      return failure();
  SmallVector<SymExpr> result(ArrayRef<SymExpr>(dims).take_front(axis));
  llvm::append_range(result, getSymbols(adaptor.getBinds()));
  llvm::append_range(result, ArrayRef<SymExpr>(dims).drop_front(axis + maskRank));
  return inference.makeType(result, getElementType(adaptor.getOperand()));
}

SmallVector<Fact> CompressOp::getDerivedFacts() {
  SymExpr size = getNumElements(getContext(), getDims(getMask()));
  if (!size)
    return {};
  return {{getSymbols(getBinds()).front(), Fact::Op::LessEqual, size}};
}

LogicalResult SplitOp::inferTypes(TypeInference &inference, Adaptor adaptor, SmallVectorImpl<RankedTensorType> &types) {
  SmallVector<SymExpr> dims = getDims(adaptor.getOperand());
  int64_t axis = adaptor.getAxis();
  if (failed(inference.requireAxis("axis", axis, dims.size())))
    return failure();
  SymExpr extent = dims[axis];
  std::string what = "extent of axis " + std::to_string(axis);
  auto addPart = [&](SymExpr size) {
    dims[axis] = size;
    types.push_back(inference.makeType(dims, getElementType(adaptor.getOperand())));
  };
  if (adaptor.getSizes().has_value() == adaptor.getSections().has_value())
    return inference.fail("expects either sizes or sections");
  if (std::optional<ArrayAttr> attr = adaptor.getSizes()) {
    if (adaptor.getUneven())
      return inference.fail("uneven is expected with sections only");
    SmallVector<SymExpr> sizes = getExprs(*attr);
    SymExpr sum = inference.constant(0);
    for (auto [index, size] : llvm::enumerate(sizes)) {
      if (failed(inference.requireShown("sizes", size, adaptor.getOperands())) ||
          failed(inference.requireLessEqual("size " + Twine(index), inference.constant(0), size)))
        return failure();
      sum = sum + size;
      addPart(size);
    }
    return inference.requireEqual("sum of the sizes", sum, extent);
  }
  int64_t sections = *adaptor.getSections();
  if (sections < 1)
    return inference.fail("sections is expected to be 1 or more, got ", sections);
  SymExpr count = inference.constant(sections);
  if (!adaptor.getUneven() && extent &&
      failed(inference.requireEqual("rest of the " + what, SymExpr::mod(extent, count), inference.constant(0))))
    return failure();
  SymExpr size = extent ? SymExpr::ceildiv(extent, count) : extent;
  for (int64_t index = 0; index != sections; ++index) {
    SymExpr begin = size * index, end = size * (index + 1);
    if (!adaptor.getUneven())
      addPart(extent ? SymExpr::floordiv(extent, count) : extent);
    else
      addPart(extent ? SymExpr::min({end, extent}) - SymExpr::min({begin, extent}) : extent);
  }
  return success();
}

FailureOr<RankedTensorType> TileOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = getDims(adaptor.getOperand()), repeats = getExprs(adaptor.getRepeats());
  if (repeats.size() != dims.size())
    return inference.fail("repeats is expected to have ", dims.size(), " entries, got ", repeats.size());
  if (failed(inference.requireShown("repeats", repeats, adaptor.getOperands())))
    return failure();
  for (auto [axis, extent, count] : llvm::enumerate(dims, repeats)) {
    if (failed(inference.requireLessEqual("repeats of axis " + Twine(axis), inference.constant(0), count)))
      return failure();
    SymExpr result = extent * count;
    if (extent && !result)
      return inference.fail("extent of axis ", axis, " does not fit 64 bits");
    extent = result;
  }
  return inference.makeType(dims, getElementType(adaptor.getOperand()));
}

FailureOr<RankedTensorType> RepeatOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = getDims(adaptor.getOperand());
  int64_t axis = adaptor.getAxis();
  SymExpr count = adaptor.getRepeats().getValue();
  if (failed(inference.requireAxis("axis", axis, dims.size())) ||
      failed(inference.requireShown("repeats", count, adaptor.getOperands())) ||
      failed(inference.requireLessEqual("repeats", inference.constant(0), count)))
    return failure();
  SymExpr result = dims[axis] * count;
  if (dims[axis] && !result)
    return inference.fail("extent of axis ", axis, " does not fit 64 bits");
  dims[axis] = result;
  return inference.makeType(dims, getElementType(adaptor.getOperand()));
}

FailureOr<RankedTensorType> StackOp::inferType(TypeInference &inference, Adaptor adaptor) {
  if (adaptor.getOperands().empty())
    return inference.fail("expects at least one operand");
  Value first = adaptor.getOperands()[0];
  SmallVector<SymExpr> dims = getDims(first);
  int64_t axis = adaptor.getAxis();
  if (failed(inference.requireAxis("axis", axis, dims.size() + 1)))
    return failure();
  for (auto [index, operand] : llvm::enumerate(adaptor.getOperands())) {
    SmallVector<SymExpr> other = getDims(operand);
    if (failed(inference.requireSameElementType(first.getType(), operand.getType())))
      return failure();
    if (other.size() != dims.size())
      return inference.fail("operand ", index, " is expected to have rank ", dims.size(), ", got ", other.size());
    for (auto [dim, extent] : llvm::enumerate(other)) {
      if (failed(inference.requireEqual("dimension " + Twine(dim) + " of operand " + Twine(index), extent, dims[dim])))
        return failure();
      if (!dims[dim] || (extent && extent.getConstant()))
        dims[dim] = extent;
    }
  }
  dims.insert(dims.begin() + axis, inference.constant(adaptor.getOperands().size()));
  return inference.makeType(dims, getElementType(first));
}

FailureOr<RankedTensorType> FlipOp::inferType(TypeInference &inference, Adaptor adaptor) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  if (failed(inference.requireAxes("axes", adaptor.getAxes(), type.getRank())))
    return failure();
  return type;
}

FailureOr<RankedTensorType> RollOp::inferType(TypeInference &inference, Adaptor adaptor) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  if (failed(inference.requireAxes("axes", adaptor.getAxes(), type.getRank())))
    return failure();
  if (adaptor.getShifts().size() != adaptor.getAxes().size())
    return inference.fail("shifts is expected to have ", adaptor.getAxes().size(), " entries, got ",
                          adaptor.getShifts().size());
  if (failed(inference.requireShown("shifts", getExprs(adaptor.getShifts()), adaptor.getOperands())))
    return failure();
  return type;
}

//===- Creation -----------------------------------------------------------===//

FailureOr<RankedTensorType> ArangeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  if (failed(inference.requireBinds(adaptor.getBinds(), 1)))
    return failure();
  for (Value operand : adaptor.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getRank() != 0)
      return inference.fail("operands are expected to have rank 0, got ", type.getRank());
    if (failed(inference.requireSameElementType(adaptor.getStart().getType(), type)))
      return failure();
  }
  return inference.makeType(getSymbols(adaptor.getBinds()), getElementType(adaptor.getStart()));
}

SmallVector<Fact> ArangeOp::getDerivedFacts() { return {}; }

FailureOr<RankedTensorType> EyeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = getDims(adaptor.getShape());
  if (dims.size() != 2)
    return inference.fail("shape is expected to have 2 entries, got ", dims.size());
  if (failed(inference.requireNumber("dtype", adaptor.getDtype())))
    return failure();
  return inference.makeType(dims, adaptor.getDtype());
}

FailureOr<RankedTensorType> FullLikeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  TypedAttr value = adaptor.getValue();
  if (!isa<FloatAttr, IntegerAttr>(value) || isa<IndexType>(value.getType()))
    return inference.fail("value is expected to be a float or integer, got ", Attribute(value));
  return inference.makeType(getDims(adaptor.getOperand()), value.getType());
}

FailureOr<RankedTensorType> OneHotOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = getDims(adaptor.getIndices()), depth = getDims(adaptor.getDepth());
  int64_t axis = adaptor.getAxis();
  if (depth.size() != 1)
    return inference.fail("depth is expected to have 1 entry, got ", depth.size());
  for (Value value : {adaptor.getOn(), adaptor.getOff()})
    if (cast<RankedTensorType>(value.getType()).getRank() != 0)
      return inference.fail("on and off are expected to have rank 0, got ", value.getType());
  if (failed(inference.requireSameElementType(adaptor.getOn().getType(), adaptor.getOff().getType())) ||
      failed(inference.requireAxis("axis", axis, dims.size() + 1)))
    return failure();
  dims.insert(dims.begin() + axis, depth.front());
  return inference.makeType(dims, getElementType(adaptor.getOn()));
}

FailureOr<RankedTensorType> RandomNormalOp::inferType(TypeInference &inference, Adaptor adaptor) {
  if (failed(inference.requireFloat("dtype", adaptor.getDtype())))
    return failure();
  return inference.makeType(getDims(adaptor.getShape()), adaptor.getDtype());
}

//===- Search and sort ----------------------------------------------------===//

FailureOr<RankedTensorType> SortOp::inferType(TypeInference &inference, Adaptor adaptor) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  if (failed(inference.requireAxis("axis", adaptor.getAxis(), type.getRank())))
    return failure();
  return type;
}

LogicalResult TopKOp::inferTypes(TypeInference &inference, Adaptor adaptor, SmallVectorImpl<RankedTensorType> &types) {
  SmallVector<SymExpr> dims = getDims(adaptor.getOperand()), k = getDims(adaptor.getK());
  int64_t axis = adaptor.getAxis();
  if (k.size() != 1)
    return inference.fail("k is expected to have 1 entry, got ", k.size());
  if (failed(inference.requireAxis("axis", axis, dims.size())))
    return failure();
  dims[axis] = k.front() && dims[axis] ? SymExpr::min({k.front(), dims[axis]}) : SymExpr();
  types.push_back(inference.makeType(dims, getElementType(adaptor.getOperand())));
  types.push_back(inference.makeType(dims, getI64(inference)));
  return success();
}

LogicalResult UniqueAllOp::inferTypes(TypeInference &inference, Adaptor adaptor,
                                      SmallVectorImpl<RankedTensorType> &types) {
  if (failed(inference.requireBinds(adaptor.getBinds(), 1)))
    return failure();
  SmallVector<SymExpr> dims = getDims(adaptor.getOperand()), found = getSymbols(adaptor.getBinds());
  SymExpr size = getNumElements(inference.getContext(), dims);
  if (!size && !llvm::is_contained(dims, SymExpr()))
    return inference.fail("number of elements does not fit 64 bits");
  Type i64 = getI64(inference);
  types.push_back(inference.makeType(found, getElementType(adaptor.getOperand())));
  types.push_back(inference.makeType(found, i64));
  types.push_back(inference.makeType(size, i64));
  types.push_back(inference.makeType(found, i64));
  return success();
}

SmallVector<Fact> UniqueAllOp::getDerivedFacts() {
  SymExpr size = getNumElements(getContext(), getDims(getOperand()));
  if (!size)
    return {};
  return {{getSymbols(getBinds()).front(), Fact::Op::LessEqual, size}};
}

FailureOr<RankedTensorType> BucketizeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  auto boundaries = cast<RankedTensorType>(adaptor.getBoundaries().getType());
  if (boundaries.getRank() != 1)
    return inference.fail("boundaries are expected to have rank 1, got ", boundaries.getRank());
  if (failed(inference.requireSameElementType(adaptor.getOperand().getType(), boundaries)))
    return failure();
  return inference.makeType(getDims(adaptor.getOperand()), getI64(inference));
}

//===- Products -----------------------------------------------------------===//

FailureOr<RankedTensorType> OuterOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims;
  for (Value operand : adaptor.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getRank() != 1)
      return inference.fail("operands are expected to have rank 1, got ", type.getRank());
    dims.push_back(sym::getSymbolicDims(type).front());
  }
  if (failed(inference.requireSameElementType(adaptor.getLhs().getType(), adaptor.getRhs().getType())))
    return failure();
  return inference.makeType(dims, getElementType(adaptor.getLhs()));
}
