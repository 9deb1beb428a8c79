//===- LoopNests.cpp - linalg.generic for the patterns --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;

AffineMap BroadcastAccess::getMap(unsigned numLoops, MLIRContext *context) const {
  SmallVector<AffineExpr> exprs = llvm::map_to_vector(loops, [&](int64_t loop) {
    return loop < 0 ? getAffineConstantExpr(0, context) : getAffineDimExpr(loop, context);
  });
  return AffineMap::get(numLoops, 0, exprs, context);
}

BroadcastAccess relax::getBroadcastAccess(sym::Prover &prover, ArrayRef<SymExpr> dims, ArrayRef<SymExpr> target) {
  BroadcastAccess access;
  size_t added = target.size() - dims.size();
  for (auto [dim, extent] : llvm::enumerate(dims)) {
    SymExpr loop = target[added + dim];
    bool isOne = extent && extent.getConstant() == 1;
    access.loops.push_back(isOne ? -1 : static_cast<int64_t>(added + dim));
    // A constant other than 1 is the loop's extent: broadcasting allows nothing else.
    access.ambiguous.push_back(!isOne && extent != loop && !(extent && extent.getConstant()) &&
                               !(extent && loop && prover.isEqual(extent, loop) == sym::Verdict::True));
  }
  return access;
}

SmallVector<Value> relax::readAmbiguousExtents(ProgramBody &body, Value tensor, const BroadcastAccess &access) {
  SmallVector<Value> extents(access.loops.size());
  for (auto [dim, ambiguous] : llvm::enumerate(access.ambiguous))
    if (ambiguous)
      extents[dim] = tensor::DimOp::create(body.builder, body.loc, tensor, dim);
  return extents;
}

Value relax::readElement(OpBuilder &builder, Location loc, Value tensor, const BroadcastAccess &access,
                         ArrayRef<Value> extents) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> indices;
  for (auto [dim, loop] : llvm::enumerate(access.loops)) {
    Value index = loop < 0 ? zero : linalg::IndexOp::create(builder, loc, loop).getResult();
    if (access.ambiguous[dim]) {
      Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, extents[dim], one);
      index = arith::SelectOp::create(builder, loc, isOne, zero, index);
    }
    indices.push_back(index);
  }
  return tensor::ExtractOp::create(builder, loc, tensor, indices);
}

Value relax::createGeneric(ProgramBody &body, ValueRange inputs, ArrayRef<AffineMap> inputMaps, Value output,
                           AffineMap outputMap, ArrayRef<utils::IteratorType> iterators,
                           function_ref<Value(OpBuilder &, Location, ValueRange)> element) {
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(outputMap);
  auto generic = linalg::GenericOp::create(body.builder, body.loc, output.getType(), inputs, output, maps, iterators,
                                           [&](OpBuilder &builder, Location loc, ValueRange elements) {
                                             Value result = element(builder, loc, elements);
                                             linalg::YieldOp::create(builder, loc, result);
                                           });
  return generic.getResult(0);
}

Value relax::createParallel(ProgramBody &body, ValueRange inputs, ArrayRef<AffineMap> inputMaps, Value output,
                            function_ref<Value(OpBuilder &, Location, ValueRange)> element) {
  unsigned rank = cast<RankedTensorType>(output.getType()).getRank();
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return createGeneric(body, inputs, inputMaps, output, body.builder.getMultiDimIdentityMap(rank), iterators, element);
}

Value relax::createCopy(ProgramBody &body, Value input, AffineMap map, Value output) {
  return createParallel(body, input, map, output,
                        [](OpBuilder &, Location, ValueRange elements) { return elements.front(); });
}

Value relax::createSliceCopy(ProgramBody &body, Value input, ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> strides) {
  SmallVector<OpFoldResult> inside(offsets);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(input.getType()).getShape();
  if (llvm::is_contained(shape, 0))
    return body.getOut();
  // An empty part may start behind the last element, which upstream refuses where it sees it.
  for (auto [offset, extent] : llvm::zip_equal(inside, shape))
    if (std::optional<int64_t> start = getConstantIntValue(offset);
        start && !ShapedType::isDynamic(extent) && *start >= extent)
      offset = body.builder.getIndexAttr(0);
  Value slice = tensor::ExtractSliceOp::create(body.builder, body.loc, cast<RankedTensorType>(body.getOut().getType()),
                                               input, inside, body.getSizes(body.getOutDims()), strides);
  return createCopy(body, slice, body.builder.getMultiDimIdentityMap(shape.size()), body.getOut());
}

Value relax::createFill(ProgramBody &body, Value output, Value scalar) {
  return linalg::FillOp::create(body.builder, body.loc, scalar, output).getResult(0);
}

Value relax::createBroadcast(ProgramBody &body, Value tensor, ArrayRef<SymExpr> dims, ArrayRef<SymExpr> target,
                             Value output) {
  BroadcastAccess access = getBroadcastAccess(body.prover, dims, target);
  if (!access.isAmbiguous())
    return createCopy(body, tensor, access.getMap(target.size(), body.builder.getContext()), output);
  SmallVector<Value> extents = readAmbiguousExtents(body, tensor, access);
  return createParallel(body, {}, {}, output, [&](OpBuilder &builder, Location loc, ValueRange) {
    return readElement(builder, loc, tensor, access, extents);
  });
}
