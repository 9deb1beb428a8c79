//===- LinearAlgebraOps.cpp - Meaning of products -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "NeuralOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Interpreter/OpTable.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

namespace {
/// Adds products up, floats or integers.
class ProductSum {
public:
  explicit ProductSum(Type type) : type(type) {}

  void add(Number a, Number b) {
    if (isa<FloatType>(type))
      sum.add(a.f * b.f);
    else
      integers += static_cast<uint64_t>(a.i) * static_cast<uint64_t>(b.i);
  }

  void store(Tensor &result, int64_t at) const {
    if (!isa<FloatType>(type))
      return result.setInt(at, static_cast<int64_t>(integers));
    // f16 is accumulated in f32.
    Type accumulator = type.getIntOrFloatBitWidth() < 32 ? Type(Float32Type::get(type.getContext())) : type;
    result.setFloat(at, sum.get(), sum.getError(accumulator));
  }

private:
  Type type;
  Sum sum;
  uint64_t integers = 0;
};
} // namespace

FailureOr<Tensor> interp::multiplyMatrices(Frame &frame, Tensor a, Tensor b, Type type) {
  // A vector is a row on the left and a column on the right; the result does not have that dimension.
  bool isRow = a.getRank() == 1, isColumn = b.getRank() == 1;
  if (isRow)
    a = a.reshaped({1, a.getDim(0)});
  if (isColumn)
    b = b.reshaped({b.getDim(0), 1});
  int64_t rows = a.getDim(a.getRank() - 2), inner = a.getDim(a.getRank() - 1), columns = b.getDim(b.getRank() - 1);
  if (b.getDim(b.getRank() - 2) != inner)
    return frame.fail("inner extents " + Twine(inner) + " and " + Twine(b.getDim(b.getRank() - 2)) + " differ");
  FailureOr<SmallVector<int64_t>> dims = broadcastShapes(frame, {a.getDims().drop_back(2), b.getDims().drop_back(2)});
  if (failed(dims))
    return failure();
  SmallVector<int64_t> batch = *dims;
  if (!isRow)
    dims->push_back(rows);
  if (!isColumn)
    dims->push_back(columns);
  FailureOr<Tensor> result = frame.makeTensor(type, *dims);
  if (failed(result))
    return failure();

  // Position of (batch, i, j) in an operand whose batch extents may be 1.
  auto at = [&](const Tensor &x, ArrayRef<int64_t> index, int64_t i, int64_t j) {
    SmallVector<int64_t> full(index);
    full.append({i, j});
    ArrayRef<int64_t> own = ArrayRef<int64_t>(full).take_back(x.getRank());
    int64_t position = 0;
    for (int64_t dim = 0; dim < x.getRank(); ++dim) {
      bool repeats = dim < x.getRank() - 2 && x.getDim(dim) == 1;
      position = position * x.getDim(dim) + (repeats ? 0 : own[dim]);
    }
    return position;
  };
  int64_t position = 0;
  forEachIndex(batch, [&](ArrayRef<int64_t> index) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        ProductSum sum(type);
        for (int64_t k = 0; k < inner; ++k)
          sum.add(a[at(a, index, i, k)], b[at(b, index, k, j)]);
        sum.store(*result, position++);
      }
  });
  return result;
}

static FailureOr<Tensor> interpretMatmul(Frame &frame, MatmulOp op) {
  return multiplyMatrices(frame, frame.tensor(op.getLhs()), frame.tensor(op.getRhs()),
                          cast<RankedTensorType>(op.getType()).getElementType());
}

FailureOr<Tensor> interp::convolve(Frame &frame, const Tensor &x, const Tensor &w, const Convolution &how) {
  size_t spatial = how.strides.size();
  int64_t groups = how.groups, outChannels = w.getDim(0), groupChannels = w.getDim(1);
  if (x.getDim(1) != groupChannels * groups)
    return frame.fail("input has " + Twine(x.getDim(1)) + " channels, the weight expects " +
                      Twine(groupChannels * groups));
  if (outChannels % groups != 0)
    return frame.fail(Twine(outChannels) + " out channels cannot be divided into " + Twine(groups) + " groups");
  SmallVector<int64_t> dims = {x.getDim(0), outChannels}, kernel = {groupChannels}, before;
  for (size_t i = 0; i != spatial; ++i) {
    int64_t reach = how.dilations[i] * (w.getDim(i + 2) - 1) + 1;
    int64_t first = how.pads[i], last = how.pads[spatial + i], stride = how.strides[i];
    if (auto mode = how.autoPad) {
      int64_t places = llvm::divideCeilSigned(x.getDim(i + 2), stride);
      int64_t total = std::max<int64_t>((places - 1) * stride + reach - x.getDim(i + 2), 0);
      first = *mode == "same_upper" ? total / 2 : total - total / 2;
      last = total - first;
    }
    before.push_back(first);
    int64_t room = x.getDim(i + 2) + first + last - reach;
    // Rounds down, so that one element too few gives an extent of 0 at stride 1.
    int64_t steps =
        how.autoPad ? llvm::divideCeilSigned(x.getDim(i + 2), stride) : llvm::divideFloorSigned(room, stride) + 1;
    // At a larger stride that could be several too few, which is an error all the same.
    if (!how.autoPad && room < -1)
      return frame.fail("the kernel is larger than the padded input along spatial dimension " + Twine(i));
    dims.push_back(steps);
    kernel.push_back(w.getDim(i + 2));
  }
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), dims);
  if (failed(result))
    return failure();

  int64_t position = 0;
  forEachIndex(dims, [&](ArrayRef<int64_t> out) {
    ProductSum sum(x.getElementType());
    int64_t group = out[1] / (outChannels / groups);
    forEachIndex(kernel, [&](ArrayRef<int64_t> tap) {
      SmallVector<int64_t> from = {out[0], group * groupChannels + tap[0]}, weight = {out[1], tap[0]};
      bool isInside = true;
      for (size_t i = 0; i != spatial; ++i) {
        from.push_back(out[i + 2] * how.strides[i] + tap[i + 1] * how.dilations[i] - before[i]);
        weight.push_back(tap[i + 1]);
        isInside &= from.back() >= 0 && from.back() < x.getDim(i + 2);
      }
      // Zeros around the input are multiplied as well: an infinite weight gives NaN there.
      sum.add(isInside ? x[x.at(from)] : floatNumber(0), w[w.at(weight)]);
    });
    sum.store(*result, position++);
  });
  return result;
}

static FailureOr<Tensor> interpretConv(Frame &frame, ConvOp op) {
  Convolution how{op.getStrides(), op.getPads(), op.getDilations(), static_cast<int64_t>(op.getGroups()),
                  op.getAutoPad()};
  return convolve(frame, frame.tensor(op.getInput()), frame.tensor(op.getWeight()), how);
}

/// `x` with its dimension `from` at place `to`. What `x` knows of errors goes along.
static FailureOr<Tensor> moveDim(Frame &frame, const Tensor &x, int64_t from, int64_t to) {
  auto move = [](SmallVector<int64_t> values, int64_t source, int64_t target) {
    int64_t value = values[source];
    values.erase(values.begin() + source);
    values.insert(values.begin() + target, value);
    return values;
  };
  SmallVector<int64_t> dims = move(SmallVector<int64_t>(x.getDims()), from, to);
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), dims);
  if (failed(result))
    return failure();
  int64_t position = 0;
  forEachIndex(dims, [&](ArrayRef<int64_t> index) {
    int64_t source = x.at(move(SmallVector<int64_t>(index), to, from));
    if (!x.getErrors().empty() && x.getErrors()[source] != 0)
      result->setFloat(position, x.f(source), x.getErrors()[source]);
    else
      result->set(position, x[source]);
    ++position;
  });
  return result;
}

static FailureOr<Tensor> interpretConvChannelsLast(Frame &frame, ConvChannelsLastOp op) {
  Convolution how{op.getStrides(), op.getPads(), op.getDilations(), static_cast<int64_t>(op.getGroups()),
                  op.getAutoPad()};
  const Tensor &x = frame.tensor(op.getInput());
  FailureOr<Tensor> image = moveDim(frame, x, x.getRank() - 1, 1);
  if (failed(image))
    return failure();
  FailureOr<Tensor> result = convolve(frame, *image, frame.tensor(op.getWeight()), how);
  if (failed(result))
    return failure();
  return moveDim(frame, *result, 1, x.getRank() - 1);
}

void interp::registerLinearAlgebraOps(OpTable &table) {
  table.add(interpretMatmul);
  table.add(interpretConv);
  table.add(interpretConvChannelsLast);
}
