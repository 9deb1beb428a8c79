//===- RecurrentOps.cpp - LSTM, GRU and RNN -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphRecurrentOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

namespace {
/// An activation function and the values of its parameters when the file gives none.
struct Activation {
  StringRef name;
  bool hasAlpha = false, hasBeta = false;
  double alpha = 0, beta = 0;
};
} // namespace

/// Names are compared without regard to case, as the format demands.
static std::optional<Activation> findActivation(StringRef name) {
  using Found = std::optional<Activation>;
  return llvm::StringSwitch<Found>(name.lower())
      .Case("affine", Activation{"affine", true, true, 1, 0})
      .Case("elu", Activation{"elu", true, false, 1, 0})
      .Case("hardsigmoid", Activation{"hard_sigmoid", true, true, 0.2, 0.5})
      .Case("leakyrelu", Activation{"leaky_relu", true, false, 0.01, 0})
      .Case("relu", Activation{"relu"})
      .Case("scaledtanh", Activation{"scaled_tanh", true, true, 1, 1})
      .Case("sigmoid", Activation{"sigmoid"})
      .Case("softplus", Activation{"softplus"})
      .Case("softsign", Activation{"softsign"})
      .Case("tanh", Activation{"tanh"})
      .Case("thresholdedrelu", Activation{"thresholded_relu", true, false, 1, 0})
      .Default(std::nullopt);
}

/// Functions of every direction, with the parameters that the file gives in order to those that have some.
static void readActivations(NodeEmitter &e, StringRef cell, int64_t directions, ArrayRef<StringRef> defaults,
                            SmallVectorImpl<NamedAttribute> &attributes) {
  SmallVector<std::string> names = e.getStrings("activations");
  if (names.empty())
    for (int64_t direction = 0; direction < directions; ++direction)
      names.append(defaults.begin(), defaults.end());
  size_t expected = directions * graph::getNumActivations(cell);
  if (names.size() != expected)
    e.fail("attribute 'activations' has " + Twine(names.size()) + " values, expected " + Twine(expected));
  SmallVector<float> alphas = e.getFloats("activation_alpha"), betas = e.getFloats("activation_beta");
  SmallVector<Attribute> chosen;
  SmallVector<double> alpha, beta;
  size_t nextAlpha = 0, nextBeta = 0;
  for (StringRef name : names) {
    std::optional<Activation> found = findActivation(name);
    if (!found)
      return e.fail("activation '" + printable(name) + "' is not known");
    chosen.push_back(StringAttr::get(e.getContext(), found->name));
    alpha.push_back(found->hasAlpha && nextAlpha < alphas.size() ? alphas[nextAlpha++] : found->alpha);
    beta.push_back(found->hasBeta && nextBeta < betas.size() ? betas[nextBeta++] : found->beta);
  }
  attributes.push_back(e.attr("activations", ArrayAttr::get(e.getContext(), chosen)));
  attributes.push_back(e.attr("alpha", DenseF64ArrayAttr::get(e.getContext(), alpha)));
  attributes.push_back(e.attr("beta", DenseF64ArrayAttr::get(e.getContext(), beta)));
}

static void emitRecurrent(NodeEmitter &e, StringRef cell, ArrayRef<StringRef> activations) {
  std::string direction = e.getString("direction", "forward");
  if (!llvm::is_contained({"forward", "reverse", "bidirectional"}, direction))
    return e.fail("attribute 'direction' is '" + printable(direction) +
                  "', expected forward, reverse or bidirectional");
  if (e.getRank(0) != 3 || e.getRank(1) != 3 || e.getRank(2) != 3)
    return e.fail("X, W and R must have rank 3");
  int64_t directions = direction == "bidirectional" ? 2 : 1, hidden = e.getInt("hidden_size", -1);
  if (hidden >= 0 && e.getProver().isEqual(e.getDims(2)[2], e.constant(hidden)) == sym::Verdict::False)
    return e.fail("attribute 'hidden_size' is " + Twine(hidden) + ", R has " + e.getDims(2)[2].str());
  // Layout 1 has the batch first, of inputs and results alike.
  bool isBatchFirst = e.getOpset() >= 14 && e.getInt("layout", 0), isLSTM = cell == "lstm";
  if (e.getOpset() < 7)
    e.ignoreAttr("output_sequence"); // whether Y is there follows from its name
  auto read = [&](unsigned index, ArrayRef<int64_t> permutation) {
    Value value = e.has(index) ? e.getTensor(index) : Value();
    if (!value || !isBatchFirst)
      return value;
    if (e.getRank(index) != static_cast<int64_t>(permutation.size())) {
      e.fail("input " + Twine(index) + " has rank " + Twine(e.getRank(index)) + ", expected " +
             Twine(permutation.size()));
      return Value();
    }
    return e.permute(value, permutation);
  };
  SmallVector<NamedAttribute> attributes = {stringAttr(e, "cell", cell), stringAttr(e, "direction", direction)};
  readActivations(e, cell, directions, activations, attributes);
  if (float clip = e.getFloat("clip", 0); clip > 0)
    attributes.push_back(doubleAttr(e, "clip", clip));
  if (isLSTM && e.getInt("input_forget", 0))
    attributes.push_back(unitAttr(e, "input_forget"));
  if (cell == "gru" && e.getInt("linear_before_reset", 0))
    attributes.push_back(unitAttr(e, "linear_before_reset"));
  Value initialCell = isLSTM ? read(6, {1, 0, 2}) : Value(), peephole = isLSTM && e.has(7) ? e.getTensor(7) : Value();
  SmallVector<Value> results = createSegmented<graph::RecurrentOp>(
      e, isLSTM ? 3 : 2,
      {read(0, {1, 0, 2}), e.getTensor(1), e.getTensor(2), e.has(3) ? e.getTensor(3) : Value(),
       e.has(4) ? e.getTensor(4) : Value(), read(5, {1, 0, 2}), initialCell, peephole},
      attributes);
  for (auto [index, result] : llvm::enumerate(results)) {
    bool isSequence = index == 0;
    if (result && isBatchFirst)
      result = isSequence ? e.permute(result, {2, 0, 1, 3}) : e.permute(result, {1, 0, 2});
    if (e.wants(index))
      e.setResult(index, result);
  }
}

static void emitLSTM(NodeEmitter &e) { emitRecurrent(e, "lstm", {"Sigmoid", "Tanh", "Tanh"}); }
static void emitGRU(NodeEmitter &e) { emitRecurrent(e, "gru", {"Sigmoid", "Tanh"}); }
static void emitRNN(NodeEmitter &e) { emitRecurrent(e, "rnn", {"Tanh"}); }

ArrayRef<OpEntry> mlir::relax::onnx::getRecurrentOps() {
  static constexpr OpEntry entries[] = {
      {"LSTM", 1, 3, 8, 3, emitLSTM},
      {"GRU", 1, 3, 6, 2, emitGRU},
      {"RNN", 1, 3, 6, 2, emitRNN},
  };
  return entries;
}
