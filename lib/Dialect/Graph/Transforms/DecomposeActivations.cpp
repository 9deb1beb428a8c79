//===- DecomposeActivations.cpp - Activations in simpler ops --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphNNOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Patterns.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

/// `negative` where x < 0, x elsewhere; NaN stays NaN.
static Value chooseBySign(Composer &c, Value x, Value negative) {
  return c.select(c.less(x, c.scalar(0, x)), negative, x);
}

/// alpha * (exp(x) - 1)
static Value growth(Composer &c, Value x, double alpha) { return c.mul(c.add(c.make<ExpOp>(x), -1), alpha); }

static Value clamp(Composer &c, Value x, double low, double high) {
  return c.make<MaximumOp>(c.make<MinimumOp>(x, c.scalar(high, x)), c.scalar(low, x));
}

static Value write(GeluOp op, Composer &c, Value x) {
  Value inner;
  if (op.getApproximate()) {
    Value cube = c.mul(c.mul(x, x), c.mul(x, 0.044715));
    inner = c.make<TanhOp>(c.mul(c.add(x, cube), 0.79788456080286535588));
  } else {
    inner = c.make<ErfOp>(c.mul(x, 0.70710678118654752440));
  }
  return c.mul(c.mul(x, 0.5), c.add(inner, 1));
}

static Value write(SiluOp op, Composer &c, Value x) {
  double alpha = c.number(op.getAlpha());
  return c.mul(x, c.make<SigmoidOp>(alpha == 1 ? x : c.mul(x, alpha)));
}

static Value write(LeakyReluOp op, Composer &c, Value x) {
  return chooseBySign(c, x, c.mul(x, c.number(op.getAlpha())));
}

static Value write(EluOp op, Composer &c, Value x) { return chooseBySign(c, x, growth(c, x, c.number(op.getAlpha()))); }

static Value write(SeluOp op, Composer &c, Value x) {
  return c.mul(chooseBySign(c, x, growth(c, x, c.number(op.getAlpha()))), c.number(op.getGamma()));
}

static Value write(CeluOp op, Composer &c, Value x) {
  double alpha = c.number(op.getAlpha());
  return chooseBySign(c, x, growth(c, c.div(x, c.scalar(alpha, x)), alpha));
}

static Value write(HardSigmoidOp op, Composer &c, Value x) {
  return clamp(c, c.add(c.mul(x, c.number(op.getAlpha())), c.number(op.getBeta())), 0, 1);
}

static Value write(HardSwishOp, Composer &c, Value x) {
  return c.mul(x, clamp(c, c.add(c.mul(x, 1.0 / 6), 0.5), 0, 1));
}

static Value write(HardTanhOp op, Composer &c, Value x) {
  return clamp(c, x, c.number(op.getLow()), c.number(op.getHigh()));
}

static Value write(SoftplusOp, Composer &c, Value x) { return c.softplus(x); }

static Value write(SoftsignOp, Composer &c, Value x) { return c.div(x, c.add(c.make<AbsOp>(x), 1)); }

static Value write(MishOp, Composer &c, Value x) { return c.mul(x, c.make<TanhOp>(c.softplus(x))); }

static Value write(ThresholdedReluOp op, Composer &c, Value x) {
  return c.select(c.less(c.scalar(c.number(op.getAlpha()), x), x), x, c.scalar(0, x));
}

static Value write(PReluOp op, Composer &c, Value x) { return chooseBySign(c, x, c.mul(x, c.widen(op.getSlope()))); }

void graph::populateActivationDecompositionPatterns(RewritePatternSet &patterns) {
  patterns
      .add<DecomposeUnary<CeluOp, write>, DecomposeUnary<EluOp, write>, DecomposeUnary<GeluOp, write>,
           DecomposeUnary<HardSigmoidOp, write>, DecomposeUnary<HardSwishOp, write>, DecomposeUnary<HardTanhOp, write>,
           DecomposeUnary<LeakyReluOp, write>, DecomposeUnary<MishOp, write>, DecomposeUnary<PReluOp, write>,
           DecomposeUnary<SeluOp, write>, DecomposeUnary<SiluOp, write>, DecomposeUnary<SoftplusOp, write>,
           DecomposeUnary<SoftsignOp, write>, DecomposeUnary<ThresholdedReluOp, write>>(patterns.getContext());
}
