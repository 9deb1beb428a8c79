//===- LegalizeReduction.cpp - Reductions to programs ---------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "ProgramPattern.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "ScalarBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// What an empty reduction gives.
static Value createInitial(Operation *op, Type type, OpBuilder &builder, Location loc) {
  if (isa<MaxOp, MinOp>(op))
    return createExtreme(builder, loc, type, /*isHighest=*/isa<MinOp>(op));
  return createScalar(builder, loc, type, isa<ProdOp, AllOp>(op) ? 1 : 0);
}

static Value combine(Operation *op, OpBuilder &builder, Location loc, Value element, Value sum) {
  bool isFloat = isa<FloatType>(sum.getType());
  if (isa<MaxOp>(op))
    return createMax(builder, loc, getElementTypeOrSelf(op->getOperand(0)), element, sum);
  if (isa<MinOp>(op))
    return createMin(builder, loc, getElementTypeOrSelf(op->getOperand(0)), element, sum);
  if (isa<ProdOp>(op))
    return isFloat ? arith::MulFOp::create(builder, loc, element, sum).getResult()
                   : arith::MulIOp::create(builder, loc, element, sum).getResult();
  if (isa<AnyOp>(op))
    return arith::OrIOp::create(builder, loc, element, sum);
  if (isa<AllOp>(op))
    return arith::AndIOp::create(builder, loc, element, sum);
  return isFloat ? arith::AddFOp::create(builder, loc, element, sum).getResult()
                 : arith::AddIOp::create(builder, loc, element, sum).getResult();
}

/// Number of elements that one mean is taken of; 0 gives 0.0 / 0.0, NaN.
static Value getCount(ProgramBody &body, ArrayRef<int64_t> axes) {
  Value count = body.getConstant(1);
  SmallVector<SymExpr> dims = body.getInputDims(0);
  for (int64_t axis : axes)
    count = arith::MulIOp::create(body.builder, body.loc, count, body.getIndex(dims[axis]));
  return count;
}

template <typename OpTy> static Value writeReduction(OpTy op, ProgramBody &body) {
  OpBuilder &builder = body.builder;
  SmallVector<SymExpr> dims = body.getInputDims(0), target = body.getOutDims();
  Type type = op.getType().getElementType(), sumType = isa<MaxOp, MinOp>(op) ? type : getAccumulatorType(type);
  // A variance written as the difference of two sums loses the digits that they have in common: keep more.
  if (isa<SumOp, MeanOp>(op) && type.isF32())
    sumType = builder.getF64Type();
  bool isMean = isa<MeanOp>(op);

  SmallVector<utils::IteratorType> iterators(dims.size(), utils::IteratorType::parallel);
  SmallVector<AffineExpr> outExprs;
  for (auto [dim, extent] : llvm::enumerate(dims)) {
    if (!llvm::is_contained(op.getAxes(), static_cast<int64_t>(dim))) {
      outExprs.push_back(builder.getAffineDimExpr(dim));
      continue;
    }
    iterators[dim] = utils::IteratorType::reduction;
    if (op.getKeepdims())
      outExprs.push_back(builder.getAffineConstantExpr(0));
  }
  AffineMap outMap = AffineMap::get(dims.size(), 0, outExprs, op.getContext());

  // The sum goes to the output itself unless it is converted or divided afterwards.
  bool isFinal = sumType == type && !isMean;
  Value sums = isFinal ? body.getOut() : body.createEmpty(target, sumType);
  Value initial = createInitial(op, sumType, builder, body.loc);
  sums = createFill(body, sums, initial);
  sums = createGeneric(body, body.getInput(0), builder.getMultiDimIdentityMap(dims.size()), sums, outMap, iterators,
                       [&](OpBuilder &inner, Location loc, ValueRange elements) {
                         Value element = elements[0];
                         if (sumType != type)
                           element = convertFloat(inner, loc, element, sumType);
                         return combine(op, inner, loc, element, elements[1]);
                       });
  if (isFinal)
    return sums;

  Value divisor;
  if (isMean) {
    Value elements = getCount(body, op.getAxes());
    Value integer = arith::IndexCastOp::create(builder, body.loc, builder.getI64Type(), elements);
    divisor = arith::SIToFPOp::create(builder, body.loc, sumType, integer);
  }
  return createParallel(body, sums, builder.getMultiDimIdentityMap(target.size()), body.getOut(),
                        [&](OpBuilder &inner, Location loc, ValueRange elements) {
                          Value result = elements[0];
                          if (divisor)
                            result = arith::DivFOp::create(inner, loc, result, divisor);
                          return convertFloat(inner, loc, result, type);
                        });
}

template <typename... Ops> static void addPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  (patterns.add<ProgramPattern<Ops>>(patterns.getContext(), library, writeReduction<Ops>), ...);
}

void relax::populateReductionToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  addPatterns<SumOp, ProdOp, MaxOp, MinOp, MeanOp, AnyOp, AllOp>(patterns, library);
}
