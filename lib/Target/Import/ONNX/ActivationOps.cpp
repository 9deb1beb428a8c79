//===- ActivationOps.cpp - Activation functions ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;

template <typename OpTy> static void emitUnary(NodeEmitter &e) { e.setResult(0, e.create<OpTy>(e.getTensor(0))); }

/// `negative` where x < 0, x elsewhere; NaN stays NaN.
static Value chooseBySign(NodeEmitter &e, Value x, Value negative, Value other) {
  return e.select(e.create<graph::LessOp>({x, e.makeScalarLike(0, x)}), negative, other);
}

/// scale * (exp(x) - 1)
static Value scaledExpMinusOne(NodeEmitter &e, Value x, double scale) {
  Value grown = e.subtract(e.create<graph::ExpOp>(x), e.makeScalarLike(1, x));
  return e.multiply(grown, e.makeScalarLike(scale, x));
}

static void emitLeakyRelu(NodeEmitter &e) {
  Value x = e.getTensor(0);
  e.setResult(0, chooseBySign(e, x, e.multiply(x, e.makeScalarLike(e.getFloat("alpha", 0.01f), x)), x));
}

/// Before opset 7 a vector of slopes has one per channel.
static void emitPRelu(NodeEmitter &e) {
  Value x = e.getTensor(0), slope = e.getTensor(1);
  int64_t rank = e.getRank(0);
  if (e.getOpset() < 7 && e.getRank(1) == 1 && rank > 2)
    slope = e.expandDims(slope, llvm::to_vector(llvm::seq<int64_t>(1, rank - 1)));
  e.setResult(0, chooseBySign(e, x, e.multiply(x, slope), x));
}

static void emitElu(NodeEmitter &e) {
  Value x = e.getTensor(0);
  e.setResult(0, chooseBySign(e, x, scaledExpMinusOne(e, x, e.getFloat("alpha", 1)), x));
}

static void emitSelu(NodeEmitter &e) {
  Value x = e.getTensor(0);
  float alpha = e.getFloat("alpha", 1.67326319217681884765625f),
        gamma = e.getFloat("gamma", 1.05070102214813232421875f);
  Value scaled = chooseBySign(e, x, scaledExpMinusOne(e, x, alpha), x);
  e.setResult(0, e.multiply(scaled, e.makeScalarLike(gamma, x)));
}

static void emitCelu(NodeEmitter &e) {
  Value x = e.getTensor(0);
  float alpha = e.getFloat("alpha", 1);
  Value negative = scaledExpMinusOne(e, e.divide(x, e.makeScalarLike(alpha, x)), alpha);
  e.setResult(0, chooseBySign(e, x, negative, x));
}

static void emitThresholdedRelu(NodeEmitter &e) {
  Value x = e.getTensor(0);
  Value isAbove = e.create<graph::GreaterOp>({x, e.makeScalarLike(e.getFloat("alpha", 1), x)});
  e.setResult(0, e.select(isAbove, x, e.makeScalarLike(0, x)));
}

/// max(0, min(1, alpha * x + beta))
static Value hardSigmoid(NodeEmitter &e, Value x, double alpha, double beta) {
  Value line = e.add(e.multiply(x, e.makeScalarLike(alpha, x)), e.makeScalarLike(beta, x));
  Value below = e.create<graph::MinimumOp>({line, e.makeScalarLike(1, x)});
  return e.create<graph::MaximumOp>({below, e.makeScalarLike(0, x)});
}

static void emitHardSigmoid(NodeEmitter &e) {
  float alpha = e.getFloat("alpha", 0.2f), beta = e.getFloat("beta", 0.5f);
  e.setResult(0, hardSigmoid(e, e.getTensor(0), alpha, beta));
}

static void emitHardSwish(NodeEmitter &e) {
  Value x = e.getTensor(0);
  e.setResult(0, e.multiply(x, hardSigmoid(e, x, 1.0 / 6, 0.5)));
}

/// log(1 + exp(x)) without overflow: max(x, 0) + log(1 + exp(-|x|))
static Value softplus(NodeEmitter &e, Value x) {
  Value small = e.create<graph::ExpOp>(e.create<graph::NegateOp>(e.create<graph::AbsOp>(x)));
  return e.add(e.create<graph::ReluOp>(x), e.create<graph::LogOp>(e.add(small, e.makeScalarLike(1, x))));
}

static void emitSoftplus(NodeEmitter &e) { e.setResult(0, softplus(e, e.getTensor(0))); }

static void emitSoftsign(NodeEmitter &e) {
  Value x = e.getTensor(0);
  e.setResult(0, e.divide(x, e.add(e.create<graph::AbsOp>(x), e.makeScalarLike(1, x))));
}

static void emitMish(NodeEmitter &e) {
  Value x = e.getTensor(0);
  e.setResult(0, e.multiply(x, e.create<graph::TanhOp>(softplus(e, x))));
}

static void emitSwish(NodeEmitter &e) {
  Value x = e.getTensor(0);
  Value scaled = e.multiply(x, e.makeScalarLike(e.getFloat("alpha", 1), x));
  e.setResult(0, e.multiply(x, e.create<graph::SigmoidOp>(scaled)));
}

static void emitGelu(NodeEmitter &e) {
  std::string approximate = e.getString("approximate", "none");
  Value x = e.getTensor(0), inner;
  if (approximate == "none") {
    inner = e.create<graph::ErfOp>(e.multiply(x, e.makeScalarLike(0.70710678118654752440, x)));
  } else if (approximate == "tanh") {
    Value cube = e.multiply(e.multiply(x, x), e.multiply(x, e.makeScalarLike(0.044715, x)));
    inner = e.create<graph::TanhOp>(e.multiply(e.add(x, cube), e.makeScalarLike(0.79788456080286535588, x)));
  } else {
    return e.fail("attribute 'approximate' is '" + printable(approximate) + "', expected 'none' or 'tanh'");
  }
  Value half = e.multiply(x, e.makeScalarLike(0.5, x));
  e.setResult(0, e.multiply(half, e.add(inner, e.makeScalarLike(1, x))));
}

ArrayRef<OpEntry> mlir::relax::onnx::getActivationOps() {
  static constexpr OpEntry entries[] = {
      {"Relu", 1, 1, 1, 1, emitUnary<graph::ReluOp>},
      {"Sigmoid", 1, 1, 1, 1, emitUnary<graph::SigmoidOp>},
      {"Tanh", 1, 1, 1, 1, emitUnary<graph::TanhOp>},
      {"LeakyRelu", 1, 1, 1, 1, emitLeakyRelu},
      {"PRelu", 1, 2, 2, 1, emitPRelu},
      {"Elu", 1, 1, 1, 1, emitElu},
      {"Selu", 1, 1, 1, 1, emitSelu},
      {"Celu", 12, 1, 1, 1, emitCelu},
      {"ThresholdedRelu", 10, 1, 1, 1, emitThresholdedRelu},
      {"HardSigmoid", 1, 1, 1, 1, emitHardSigmoid},
      {"HardSwish", 14, 1, 1, 1, emitHardSwish},
      {"Softplus", 1, 1, 1, 1, emitSoftplus},
      {"Softsign", 1, 1, 1, 1, emitSoftsign},
      {"Mish", 18, 1, 1, 1, emitMish},
      {"Swish", 24, 1, 1, 1, emitSwish},
      {"Gelu", 20, 1, 1, 1, emitGelu},
  };
  return entries;
}
