//===- LowerKernelMath.cpp - Math functions that vectorize ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "ExpandBFloat16.h"
#include "KernelMath.h"
#include "KernelSignature.h"
#include "RelaxDialect/Conversion/Passes.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <limits>

namespace mlir::relax {
#define GEN_PASS_DEF_LOWERKERNELMATHPASS
#include "RelaxDialect/Conversion/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

Value makeConstant(OpBuilder &builder, Location loc, Type type, double value) {
  TypedAttr attr = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

/// exp(x) - 1 and log(1 + x) with all their digits near 0, where upstream's lowering has none: the exponential, or the
/// sum, is rounded, and the logarithm of what it is, or its difference to 1, tells by how much.
template <typename OpTy> struct ExpandNearZero final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType();
    if (!isa<Float32Type, Float64Type>(getElementTypeOrSelf(type)))
      return rewriter.notifyMatchFailure(op, "computed in f32 first");
    Value x = op.getOperand(), one = makeConstant(rewriter, loc, type, 1);
    Value infinity = makeConstant(rewriter, loc, type, std::numeric_limits<double>::infinity());
    auto isEqual = [&](Value a, Value b) -> Value {
      return arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OEQ, a, b);
    };
    auto select = [&](Value condition, Value yes, Value no) -> Value {
      return arith::SelectOp::create(rewriter, loc, condition, yes, no);
    };
    Value near, difference, result;
    if constexpr (std::is_same_v<OpTy, math::ExpM1Op>) {
      near = math::ExpOp::create(rewriter, loc, x);
      difference = arith::SubFOp::create(rewriter, loc, near, one);
      Value logarithm = math::LogOp::create(rewriter, loc, near);
      result = arith::MulFOp::create(rewriter, loc, difference, arith::DivFOp::create(rewriter, loc, x, logarithm));
      Value minusOne = makeConstant(rewriter, loc, type, -1);
      result = select(isEqual(difference, minusOne), minusOne, result);
    } else {
      near = arith::AddFOp::create(rewriter, loc, one, x);
      difference = arith::SubFOp::create(rewriter, loc, near, one);
      Value logarithm = math::LogOp::create(rewriter, loc, near);
      result = arith::MulFOp::create(rewriter, loc, logarithm, arith::DivFOp::create(rewriter, loc, x, difference));
    }
    result = select(isEqual(near, infinity), infinity, result);
    rewriter.replaceOp(op, select(isEqual(near, one), x, result));
    return success();
  }
};

/// Numbers below the normal ones are enlarged: the polynomial takes them for the smallest normal number.
struct NormalizeLog final : OpRewritePattern<math::LogOp> {
  NormalizeLog(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::LogOp op, PatternRewriter &rewriter) const override {
    constexpr StringLiteral kDone = "relax.normal";
    Location loc = op.getLoc();
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32() || op->hasAttr(kDone))
      return rewriter.notifyMatchFailure(op, "not of f32, or done");
    Value x = op.getOperand(), least = makeConstant(rewriter, loc, type, 0x1p-126);
    Value isSmall = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OLT, x, least);
    Value large = arith::MulFOp::create(rewriter, loc, x, makeConstant(rewriter, loc, type, 0x1p24));
    auto logarithm = math::LogOp::create(rewriter, loc, arith::SelectOp::create(rewriter, loc, isSmall, large, x));
    logarithm->setAttr(kDone, rewriter.getUnitAttr());
    constexpr double kLog = 24 * 0.69314718055994530942;
    Value moved = arith::SubFOp::create(rewriter, loc, logarithm, makeConstant(rewriter, loc, type, kLog));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isSmall, moved, logarithm);
    return success();
  }
};

/// The quotient of polynomials at their end is 1 only where products are fused into sums. With an infinity next to it
/// the difference from 1 is all that counts: infinity times 0 is not a number.
struct EndTangent final : OpRewritePattern<math::TanhOp> {
  EndTangent(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::TanhOp op, PatternRewriter &rewriter) const override {
    constexpr StringLiteral kDone = "relax.ended";
    Location loc = op.getLoc();
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32() || op->hasAttr(kDone))
      return rewriter.notifyMatchFailure(op, "not of f32, or done");
    constexpr double kEnd = 10; // it is 1, rounded to f32, from 9.02 on
    Value x = op.getOperand();
    auto tangent = math::TanhOp::create(rewriter, loc, x);
    tangent->setAttr(kDone, rewriter.getUnitAttr());
    auto choose = [&](arith::CmpFPredicate predicate, double side, Value otherwise) {
      Value isBeyond =
          arith::CmpFOp::create(rewriter, loc, predicate, x, makeConstant(rewriter, loc, type, side * kEnd));
      return arith::SelectOp::create(rewriter, loc, isBeyond, makeConstant(rewriter, loc, type, side), otherwise);
    };
    Value below = choose(arith::CmpFPredicate::OLT, -1, tangent);
    rewriter.replaceOp(op, choose(arith::CmpFPredicate::OGT, 1, below));
    return success();
  }
};

/// A square is one multiplication, which rounds once: what `pow` gives when it is exact, on any device.
struct SquareByMultiplication final : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    APFloat exponent(0.0);
    if (!matchPattern(op.getRhs(), m_ConstantFloat(&exponent)) || !exponent.isExactlyValue(2.0))
      return rewriter.notifyMatchFailure(op, "not a square");
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), op.getLhs());
    return success();
  }
};

struct LowerKernelMathPass final : relax::impl::LowerKernelMathPassBase<LowerKernelMathPass> {
  using Base::Base;

  void runOnOperation() override {
    if (getKernelSignature(getOperation()) && failed(lowerKernelMath(getOperation(), /*keepCombiners=*/false)))
      signalPassFailure();
  }
};

} // namespace

/// The op that puts a step into the result of a reduction, alone: schedules know it by its kind.
static bool isCombiner(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op->getParentOp());
  if (!generic || generic.getNumReductionLoops() == 0 || op->getNumOperands() != 2 || !op->hasOneUse() ||
      !op->hasTrait<OpTrait::IsCommutative>() || !arith::getNeutralElement(op))
    return false;
  OpOperand &use = *op->use_begin();
  if (use.getOwner() != generic.getBody()->getTerminator())
    return false;
  BlockArgument sum = generic.getRegionOutputArgs()[use.getOperandNumber()];
  return sum.hasOneUse() && *sum.user_begin() == op;
}

LogicalResult relax::lowerKernelMath(Operation *root, bool keepCombiners) {
  DenseSet<Operation *> kept;
  if (keepCombiners)
    root->walk([&](Operation *op) {
      if (isCombiner(op))
        kept.insert(op);
    });
  expandBFloat16(root, kept);
  // sinh, cosh and exp2 stay: written with exp they lose digits near 0 or of large arguments. sin, cos and pow stay:
  // their approximations lose all digits of large arguments, or several of every argument.
  auto approximated = [](StringRef name) {
    return llvm::is_contained({math::ExpOp::getOperationName(), math::LogOp::getOperationName(),
                               math::TanhOp::getOperationName(), math::ErfOp::getOperationName()},
                              name);
  };
  RewritePatternSet patterns(root->getContext());
  patterns.add<ExpandNearZero<math::ExpM1Op>, ExpandNearZero<math::Log1pOp>, NormalizeLog, EndTangent,
               SquareByMultiplication>(root->getContext());
  populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; });
  populateMathPolynomialApproximationPatterns(patterns, approximated);
  math::populateExpansionPatterns(patterns, {"rsqrt", "ctlz"});
  arith::populateArithExpandOpsPatterns(patterns);
  auto config = GreedyRewriteConfig().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (kept.empty())
    return applyPatternsGreedily(root, std::move(patterns), config);
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (op != root && !kept.contains(op))
      ops.push_back(op);
  });
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  return applyOpPatternsGreedily(ops, std::move(patterns), config);
}
