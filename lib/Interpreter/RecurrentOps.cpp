//===- RecurrentOps.cpp - Meaning of recurrent layers ---------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// One sequence after the other, step by step, by the table of the description.
//
//===----------------------------------------------------------------------===//

#include "NeuralOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphRecurrentOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

namespace {
using Row = std::vector<double>;

/// Activations of one direction.
struct Activations {
  ArrayRef<Attribute> names;
  ArrayRef<double> alpha, beta;
  std::optional<double> clip;

  double apply(unsigned number, double x) const;
};

/// What the steps of one direction need. A vector is empty when it is absent.
struct Direction {
  StringRef cell;
  int64_t hidden;
  Row recurrence;                     // (gates * hidden, hidden)
  Row peephole, inputBias, stateBias; // of i, o, f; of the gates
  Activations activations;
  bool inputForget, linearBeforeReset;
};

/// State of one sequence.
struct State {
  Row h, c;
};
} // namespace

double Activations::apply(unsigned number, double x) const {
  if (clip && !std::isnan(x))
    x = std::max(std::min(x, *clip), -*clip);
  StringRef name = cast<StringAttr>(names[number]).getValue();
  double a = alpha[number], b = beta[number];
  if (name == "affine")
    return a * x + b;
  if (name == "elu")
    return x < 0 ? a * std::expm1(x) : x;
  if (name == "hard_sigmoid") {
    double line = a * x + b;
    return std::isnan(line) ? line : std::max(std::min(line, 1.0), 0.0);
  }
  if (name == "leaky_relu")
    return x < 0 ? a * x : x;
  if (name == "relu")
    return x < 0 ? 0 : x;
  if (name == "scaled_tanh")
    return a * std::tanh(b * x);
  if (name == "sigmoid")
    return 1 / (1 + std::exp(-x));
  if (name == "softplus")
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
  if (name == "softsign")
    return x / (1 + std::abs(x));
  if (name == "tanh")
    return std::tanh(x);
  return x < a ? 0 : x; // thresholded_relu
}

/// Row `row` of R times what `element` gives.
static double multiply(const Direction &how, int64_t row, llvm::function_ref<double(int64_t)> element) {
  double sum = 0;
  for (int64_t k = 0; k < how.hidden; ++k)
    sum += how.recurrence[row * how.hidden + k] * element(k);
  return sum;
}

/// One step; `x` holds the input times its weights for each gate, without biases.
static void step(const Direction &how, const Row &x, State &state) {
  int64_t hidden = how.hidden;
  const Activations &f = how.activations;
  State old = state;
  auto last = [&](int64_t k) { return old.h[k]; };
  auto bias = [&](const Row &row, int64_t gate) { return row.empty() ? 0 : row[gate]; };
  auto sum = [&](int64_t gate) { // x + h R
    return x[gate] + multiply(how, gate, last) + bias(how.inputBias, gate) + bias(how.stateBias, gate);
  };
  auto seen = [&](int64_t number, int64_t j, double content) {
    return how.peephole.empty() ? 0 : how.peephole[number * hidden + j] * content;
  };
  Row reset(hidden);
  if (how.cell == "gru")
    for (int64_t j = 0; j < hidden; ++j)
      reset[j] = f.apply(0, sum(hidden + j));
  for (int64_t j = 0; j < hidden; ++j) {
    if (how.cell == "rnn") {
      state.h[j] = f.apply(0, sum(j));
    } else if (how.cell == "gru") {
      int64_t gate = 2 * hidden + j;
      double update = f.apply(0, sum(j)), fresh = x[gate] + bias(how.inputBias, gate);
      if (how.linearBeforeReset)
        fresh += reset[j] * (multiply(how, gate, last) + bias(how.stateBias, gate));
      else
        fresh += multiply(how, gate, [&](int64_t k) { return reset[k] * old.h[k]; }) + bias(how.stateBias, gate);
      state.h[j] = (1 - update) * f.apply(1, fresh) + update * old.h[j];
    } else {
      double input = f.apply(0, sum(j) + seen(0, j, old.c[j]));
      double forget = how.inputForget ? 1 - input : f.apply(0, sum(2 * hidden + j) + seen(2, j, old.c[j]));
      state.c[j] = forget * old.c[j] + input * f.apply(1, sum(3 * hidden + j));
      double output = f.apply(0, sum(hidden + j) + seen(1, j, state.c[j]));
      state.h[j] = output * f.apply(2, state.c[j]);
    }
  }
}

/// Numbers of the elements `[begin, end)`.
static Row getRow(const Tensor &tensor, int64_t begin, int64_t end) {
  Row row;
  for (int64_t at = begin; at < end; ++at)
    row.push_back(tensor.f(at));
  return row;
}

/// Moves a state by what another implementation may be away after the step, which later steps magnify.
static void perturb(Frame &frame, Type type, Row &row, double magnitude) {
  if (frame.interpreter.getOptions().perturbation == 0)
    return;
  double epsilon = getEpsilon(getWideType(type)), terms = static_cast<double>(row.size()) + 2;
  for (double &value : row)
    if (std::isfinite(value))
      value += getWideError(type, magnitude, 8 * epsilon * terms * (std::abs(value) + magnitude + 1)) *
               frame.interpreter.random();
}

/// Number of steps of each sequence.
static FailureOr<SmallVector<int64_t>> getLengths(Frame &frame, Value lengths, int64_t steps, int64_t batch) {
  SmallVector<int64_t> result(batch, steps);
  if (!lengths)
    return result;
  const Tensor &given = frame.tensor(lengths);
  if (failed(checkDims(frame, given, batch, "lengths")))
    return failure();
  for (int64_t sequence = 0; sequence < batch; ++sequence) {
    result[sequence] = given.i(sequence);
    if (result[sequence] < 0 || result[sequence] > steps)
      return frame.fail("length of a sequence is out of range: " + Twine(result[sequence]) + " of " + Twine(steps) +
                        " steps");
  }
  return result;
}

//===----------------------------------------------------------------------===//
// recurrent
//===----------------------------------------------------------------------===//

static LogicalResult checkOperands(Frame &frame, RecurrentOp op, int64_t directions) {
  const Tensor &x = frame.tensor(op.getInput()), &r = frame.tensor(op.getRecurrence());
  int64_t batch = x.getDim(1), hidden = r.getDim(2), gates = getNumGates(op.getCell()) * hidden;
  auto check = [&](Value operand, ArrayRef<int64_t> wanted, StringRef name) {
    return operand ? checkDims(frame, frame.tensor(operand), wanted, name) : success();
  };
  return success(succeeded(check(op.getRecurrence(), {directions, gates, hidden}, "recurrence")) &&
                 succeeded(check(op.getWeight(), {directions, gates, x.getDim(2)}, "weight")) &&
                 succeeded(check(op.getBias(), {directions, 2 * gates}, "bias")) &&
                 succeeded(check(op.getInitial(), {directions, batch, hidden}, "initial state")) &&
                 succeeded(check(op.getInitialCell(), {directions, batch, hidden}, "initial cell")) &&
                 succeeded(check(op.getPeephole(), {directions, 3 * hidden}, "peephole")));
}

static Direction getDirection(Frame &frame, RecurrentOp op, int64_t number) {
  const Tensor &r = frame.tensor(op.getRecurrence());
  int64_t hidden = r.getDim(2), gates = getNumGates(op.getCell()) * hidden;
  unsigned count = getNumActivations(op.getCell());
  Direction how{op.getCell(),
                hidden,
                getRow(r, number * gates * hidden, (number + 1) * gates * hidden),
                {},
                {},
                {},
                {op.getActivations().getValue().slice(number * count, count),
                 op.getAlpha().slice(number * count, count), op.getBeta().slice(number * count, count), std::nullopt},
                op.getInputForget(),
                op.getLinearBeforeReset()};
  if (op.getClip())
    how.activations.clip = op.getClip()->convertToDouble();
  if (op.getPeephole())
    how.peephole = getRow(frame.tensor(op.getPeephole()), number * 3 * hidden, (number + 1) * 3 * hidden);
  if (op.getBias()) {
    const Tensor &bias = frame.tensor(op.getBias());
    how.inputBias = getRow(bias, number * 2 * gates, (number * 2 + 1) * gates);
    how.stateBias = getRow(bias, (number * 2 + 1) * gates, (number + 1) * 2 * gates);
  }
  return how;
}

static LogicalResult interpretRecurrent(Frame &frame, RecurrentOp op) {
  const Tensor &x = frame.tensor(op.getInput()), &w = frame.tensor(op.getWeight());
  int64_t steps = x.getDim(0), batch = x.getDim(1), size = x.getDim(2);
  int64_t directions = op.getDirection() == "bidirectional" ? 2 : 1;
  int64_t hidden = frame.tensor(op.getRecurrence()).getDim(2), gates = getNumGates(op.getCell()) * hidden;
  if (failed(checkOperands(frame, op, directions)))
    return failure();
  FailureOr<SmallVector<int64_t>> lengths = getLengths(frame, op.getLengths(), steps, batch);
  Type type = x.getElementType();
  FailureOr<Tensor> outputs = frame.makeTensor(type, {steps, directions, batch, hidden}),
                    states = frame.makeTensor(type, {directions, batch, hidden}),
                    cells = frame.makeTensor(type, {directions, batch, hidden});
  if (failed(lengths) || failed(outputs) || failed(states) || failed(cells))
    return failure();
  for (int64_t direction = 0; direction < directions; ++direction) {
    Direction how = getDirection(frame, op, direction);
    bool isReverse = op.getDirection() == "reverse" || direction == 1;
    for (int64_t sequence = 0; sequence < batch; ++sequence) {
      int64_t first = (direction * batch + sequence) * hidden, length = (*lengths)[sequence];
      State state{Row(hidden, 0), Row(hidden, 0)};
      if (op.getInitial())
        state.h = getRow(frame.tensor(op.getInitial()), first, first + hidden);
      if (op.getInitialCell())
        state.c = getRow(frame.tensor(op.getInitialCell()), first, first + hidden);
      for (int64_t done = 0; done < length; ++done) {
        int64_t at = isReverse ? length - 1 - done : done;
        Row sums(gates, 0);
        double magnitude = 0;
        for (int64_t gate = 0; gate < gates; ++gate)
          for (int64_t i = 0; i < size; ++i) {
            double term = w.f(w.at({direction, gate, i})) * x.f(x.at({at, sequence, i}));
            sums[gate] += term;
            magnitude += std::isfinite(term) ? std::abs(term) : 0;
          }
        step(how, sums, state);
        perturb(frame, type, state.h, magnitude);
        perturb(frame, type, state.c, magnitude);
        for (int64_t j = 0; j < hidden; ++j)
          outputs->setFloat(outputs->at({at, direction, sequence, j}), state.h[j]);
      }
      for (int64_t j = 0; j < hidden; ++j) {
        states->setFloat(first + j, state.h[j]);
        cells->setFloat(first + j, state.c[j]);
      }
    }
  }
  frame.set(op->getResult(0), std::move(*outputs));
  frame.set(op->getResult(1), std::move(*states));
  if (op->getNumResults() > 2)
    frame.set(op->getResult(2), std::move(*cells));
  return success();
}

//===----------------------------------------------------------------------===//
// recurrent_scan
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> interpretRecurrentScan(Frame &frame, RecurrentScanOp op) {
  const Tensor &x = frame.tensor(op.getInput()), &r = frame.tensor(op.getRecurrence());
  int64_t steps = x.getDim(0), batch = x.getDim(1), hidden = r.getDim(1);
  int64_t gates = getNumGates(op.getCell()) * hidden, size = op.getCell() == "lstm" ? 2 * hidden : hidden;
  if (failed(checkDims(frame, r, {gates, hidden}, "recurrence")) ||
      failed(checkDims(frame, x, {steps, batch, gates}, "input")) ||
      failed(checkDims(frame, frame.tensor(op.getState()), {batch, size}, "state")) ||
      (op.getPeephole() && failed(checkDims(frame, frame.tensor(op.getPeephole()), {3 * hidden}, "peephole"))) ||
      (op.getBias() && failed(checkDims(frame, frame.tensor(op.getBias()), {hidden}, "bias"))))
    return failure();
  FailureOr<SmallVector<int64_t>> lengths = getLengths(frame, op.getLengths(), steps, batch);
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), {steps + 1, batch, size});
  if (failed(lengths) || failed(result))
    return failure();
  Direction how{op.getCell(),
                hidden,
                getRow(r, 0, r.size()),
                {},
                {},
                {},
                {op.getActivations().getValue(), op.getAlpha(), op.getBeta(), std::nullopt},
                op.getInputForget(),
                op.getLinearBeforeReset()};
  if (op.getClip())
    how.activations.clip = op.getClip()->convertToDouble();
  if (op.getPeephole())
    how.peephole = getRow(frame.tensor(op.getPeephole()), 0, 3 * hidden);
  if (op.getBias()) {
    // Only the last gate has one here.
    how.stateBias.assign(gates, 0);
    for (int64_t j = 0; j < hidden; ++j)
      how.stateBias[2 * hidden + j] = frame.tensor(op.getBias()).f(j);
  }
  for (int64_t sequence = 0; sequence < batch; ++sequence) {
    int64_t length = (*lengths)[sequence];
    Row given = getRow(frame.tensor(op.getState()), sequence * size, (sequence + 1) * size);
    State state{Row(given.begin(), given.begin() + hidden), Row(given.begin() + hidden, given.end())};
    auto store = [&](int64_t at) {
      for (int64_t k = 0; k < size; ++k)
        result->setFloat(result->at({at, sequence, k}), k < hidden ? state.h[k] : state.c[k - hidden]);
    };
    for (int64_t done = 0; done < length; ++done) {
      int64_t at = op.getReverse() ? length - 1 - done : done, first = (at * batch + sequence) * gates;
      Row sums = getRow(x, first, first + gates);
      double magnitude = 0;
      for (double sum : sums)
        magnitude += std::isfinite(sum) ? std::abs(sum) : 0;
      step(how, sums, state);
      perturb(frame, x.getElementType(), state.h, magnitude);
      perturb(frame, x.getElementType(), state.c, magnitude);
      store(at);
    }
    store(steps);
  }
  return result;
}

void interp::registerRecurrentOps(OpTable &table) {
  table.add(interpretRecurrent);
  table.add(interpretRecurrentScan);
}
