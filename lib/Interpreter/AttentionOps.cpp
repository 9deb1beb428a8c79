//===- AttentionOps.cpp - Meaning of attention and rotary embedding -------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// By the formulas of the descriptions, one query after the other, in double.
//
//===----------------------------------------------------------------------===//

#include "NeuralOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphAttentionOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

LogicalResult interp::checkDims(Frame &frame, const Tensor &tensor, ArrayRef<int64_t> wanted, const Twine &name) {
  if (tensor.getDims() == wanted)
    return success();
  return frame.fail("the " + name + " has shape " + formatShape(tensor.getDims()) + ", expected " +
                    formatShape(wanted));
}

/// Which keys take part for a query because of their positions.
static bool takesPart(int64_t query, int64_t key, int64_t offset, bool causal, std::optional<uint64_t> window) {
  if (causal && key > query + offset)
    return false;
  return !window || key > query + offset - static_cast<int64_t>(*window);
}

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

namespace {
/// One number for each key of a query.
struct Scores {
  SmallVector<double> values;
  double largest = -INFINITY; // NaN when one of them is
  double magnitude = 0;       // of what was added up on the way

  void add(double value, double magnitudeOfTerms) {
    values.push_back(value);
    if (std::isnan(value) || value > largest)
      largest = std::isnan(largest) ? largest : value;
    if (std::isfinite(magnitudeOfTerms))
      magnitude = std::max(magnitude, magnitudeOfTerms);
  }
};

class Attention {
public:
  Attention(Frame &frame, AttentionOp op)
      : op(op), q(frame.tensor(op.getQuery())), k(frame.tensor(op.getKey())), v(frame.tensor(op.getValue())),
        mask(op.getMask() ? &frame.tensor(op.getMask()) : nullptr),
        scale(op.getScale() ? op.getScale()->convertToDouble() : 1 / std::sqrt(static_cast<double>(q.getDim(3)))) {}

  LogicalResult check(Frame &frame) {
    int64_t heads = q.getDim(1), kvHeads = k.getDim(1), keys = k.getDim(2);
    if (failed(checkDims(frame, k, {q.getDim(0), kvHeads, keys, q.getDim(3)}, "key")) ||
        failed(checkDims(frame, v, {q.getDim(0), kvHeads, keys, v.getDim(3)}, "value")))
      return failure();
    if (kvHeads == 0 ? heads != 0 : heads % kvHeads != 0)
      return frame.fail(Twine(heads) + " heads are not a multiple of " + Twine(kvHeads) + " kv heads");
    if (mask) {
      SmallVector<int64_t> target = {q.getDim(0), heads, q.getDim(2), keys};
      for (auto [extent, wanted] :
           llvm::zip_equal(mask->getDims(), ArrayRef<int64_t>(target).take_back(mask->getRank())))
        if (extent != 1 && extent != wanted)
          return frame.fail("mask of shape " + formatShape(mask->getDims()) + " is not broadcast to " +
                            formatShape(target));
    }
    if (sym::ExprAttr attr = op.getOffsetAttr()) {
      std::optional<int64_t> value = frame.evaluate(attr.getValue());
      if (!value)
        return frame.fail("offset has no value");
      offset = *value;
    }
    return success();
  }

  Scores getScores(int64_t batch, int64_t head, int64_t query) {
    Scores scores;
    int64_t kvHead = head / (q.getDim(1) / k.getDim(1));
    for (int64_t key = 0; key < k.getDim(2); ++key) {
      double sum = 0, magnitude = 0;
      for (int64_t d = 0; d < q.getDim(3); ++d) {
        double term = scale * q.f(q.at({batch, head, query, d})) * k.f(k.at({batch, kvHead, key, d}));
        sum += term;
        magnitude += std::abs(term);
      }
      if (op.getSoftcap()) {
        double cap = op.getSoftcap()->convertToDouble();
        sum = cap * std::tanh(sum / cap);
      }
      if (mask) {
        int64_t at = broadcastPosition(*mask, {batch, head, query, key});
        if (!mask->isFloat()) {
          sum = mask->i(at) != 0 ? sum : -INFINITY;
        } else {
          sum += mask->f(at);
          magnitude += std::abs(mask->f(at));
        }
      }
      if (!takesPart(query, key, offset, op.getCausal(), op.getWindow()))
        sum = -INFINITY;
      scores.add(sum, magnitude);
    }
    return scores;
  }

  /// softmax(scores) times the values.
  void store(Tensor &result, int64_t at, int64_t batch, int64_t head, int64_t channel, const Scores &scores) const {
    int64_t kvHead = head / (q.getDim(1) / k.getDim(1));
    double total = 0, sum = 0, largest = 0;
    for (double score : scores.values)
      total += std::exp(score - scores.largest);
    for (auto [key, score] : llvm::enumerate(scores.values)) {
      double value = v.f(v.at({batch, kvHead, static_cast<int64_t>(key), channel}));
      sum += std::exp(score - scores.largest) / total * value;
      if (std::isfinite(value))
        largest = std::max(largest, std::abs(value));
    }
    // A score is rounded once per term, its exponential moves by as much.
    auto terms = static_cast<double>(q.getDim(3) + k.getDim(2) + 64);
    double error = getEpsilon(getWideType(q.getElementType())) * terms * (2 * scores.magnitude + 2) * largest;
    if (std::isfinite(sum)) {
      error = getWideError(q.getElementType(), scores.magnitude, error);
      error = getWideError(q.getElementType(), largest * static_cast<double>(k.getDim(2)), error);
    }
    result.setFloat(at, sum, std::isfinite(sum) ? error : 0);
  }

private:
  AttentionOp op;
  const Tensor &q, &k, &v, *mask;
  double scale;
  int64_t offset = 0;
};
} // namespace

static FailureOr<Tensor> interpretAttention(Frame &frame, AttentionOp op) {
  const Tensor &q = frame.tensor(op.getQuery()), &v = frame.tensor(op.getValue());
  Attention attention(frame, op);
  if (failed(attention.check(frame)))
    return failure();
  SmallVector<int64_t> outer = {q.getDim(0), q.getDim(1), q.getDim(2)}, dims(outer);
  dims.push_back(v.getDim(3));
  FailureOr<Tensor> result = frame.makeTensor(q.getElementType(), dims);
  if (failed(result))
    return failure();
  int64_t at = 0;
  forEachIndex(outer, [&](ArrayRef<int64_t> index) {
    Scores scores = attention.getScores(index[0], index[1], index[2]);
    for (int64_t channel = 0; channel < dims[3]; ++channel)
      attention.store(*result, at++, index[0], index[1], channel, scores);
  });
  return result;
}

static FailureOr<Tensor> interpretAttentionMask(Frame &frame, AttentionMaskOp op) {
  Shape shape = frame.shape(op.getShape());
  int64_t offset = shape.size() > 2 ? shape[2] : 0;
  SmallVector<int64_t> dims(ArrayRef<int64_t>(shape).take_front(2));
  FailureOr<Tensor> result = frame.makeTensor(IntegerType::get(op.getContext(), 1), dims);
  if (failed(result))
    return failure();
  forEachIndex(dims, [&](ArrayRef<int64_t> index) {
    result->setInt(result->at(index), takesPart(index[0], index[1], offset, op.getCausal(), op.getWindow()));
  });
  return result;
}

//===----------------------------------------------------------------------===//
// rotary_embedding
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> interpretRotaryEmbedding(Frame &frame, RotaryEmbeddingOp op) {
  const Tensor &x = frame.tensor(op.getOperand()), &cos = frame.tensor(op.getCos()), &sin = frame.tensor(op.getSin());
  int64_t last = x.getRank() - 1, half = cos.getDims().back();
  if (failed(checkDims(frame, sin, cos.getDims(), "sin")))
    return failure();
  if (2 * half > x.getDim(last))
    return frame.fail("the last dimension of cos has extent " + Twine(half) + ", more than half of " +
                      Twine(x.getDim(last)));
  ArrayRef<int64_t> around = x.getDims().drop_back().take_back(cos.getRank() - 1);
  for (auto [extent, wanted] : llvm::zip_equal(cos.getDims().drop_back(), around))
    if (extent != 1 && extent != wanted)
      return frame.fail("cos of shape " + formatShape(cos.getDims()) + " is not broadcast to " +
                        formatShape(x.getDims()));
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), x.getDims());
  if (failed(result))
    return failure();
  double epsilon = getEpsilon(getWideType(x.getElementType()));
  forEachIndex(x.getDims(), [&](ArrayRef<int64_t> index) {
    int64_t at = x.at(index), place = index[last];
    if (place >= 2 * half)
      return result->set(at, x[at]);
    // The pair's number, and whether this is its second element.
    int64_t pair = op.getInterleaved() ? place / 2 : place % half;
    bool isSecond = op.getInterleaved() ? place % 2 == 1 : place >= half;
    SmallVector<int64_t> other(index), angle(index);
    other[last] = op.getInterleaved() ? place + (isSecond ? -1 : 1) : place + (isSecond ? -half : half);
    angle[last] = pair;
    // Extents of 1 repeat, but not the last, which the pairs count.
    SmallVector<int64_t> own(ArrayRef<int64_t>(angle).take_back(cos.getRank()));
    for (int64_t dim = 0; dim + 1 < cos.getRank(); ++dim)
      own[dim] = cos.getDim(dim) == 1 ? 0 : own[dim];
    double straight = x.f(at) * cos.f(cos.at(own)), crossed = x.f(x.at(other)) * sin.f(sin.at(own));
    double value = isSecond ? straight + crossed : straight - crossed;
    double magnitude = std::abs(straight) + std::abs(crossed);
    result->setFloat(at, value,
                     std::isfinite(value) ? getWideError(x.getElementType(), magnitude, 4 * epsilon * magnitude) : 0);
  });
  return result;
}

//===----------------------------------------------------------------------===//
// cache_update
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> interpretCacheUpdate(Frame &frame, CacheUpdateOp op) {
  Tensor result = frame.tensor(op.getCache());
  result.clearErrors();
  const Tensor &update = frame.tensor(op.getUpdate()), &positions = frame.tensor(op.getPosition());
  auto axis = static_cast<int64_t>(op.getAxis());
  int64_t capacity = result.getDim(axis), count = update.getDim(axis);
  SmallVector<int64_t> wanted(result.getDims());
  wanted[axis] = count;
  if (failed(checkDims(frame, update, wanted, "update")) ||
      (positions.getRank() != 0 && failed(checkDims(frame, positions, result.getDim(0), "position"))))
    return failure();
  if (count > capacity)
    return frame.fail("the update has " + Twine(count) + " entries, the cache " + Twine(capacity));
  if (result.size() != 0)
    for (int64_t i = 0; i < positions.size(); ++i)
      if (positions.i(i) < 0 || (!op.getCircular() && positions.i(i) > capacity - count))
        return frame.fail("position in the cache is out of range: " + Twine(positions.i(i)));
  forEachIndex(update.getDims(), [&](ArrayRef<int64_t> from) {
    SmallVector<int64_t> to(from);
    to[axis] = (positions.i(positions.getRank() == 0 ? 0 : from[0]) % capacity + from[axis]) % capacity;
    result.set(result.at(to), update[update.at(from)]);
  });
  return result;
}

void interp::registerAttentionOps(OpTable &table) {
  table.add(interpretCacheUpdate);
  table.add(interpretAttention);
  table.add(interpretAttentionMask);
  table.add(interpretRotaryEmbedding);
}
