//===- PoolOps.cpp - Meaning of pooling and transposed convolution --------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "NeuralOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphPoolOps.h"
#include "RelaxDialect/Interpreter/OpTable.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

namespace {
/// One place of a window: the positions inside of the operand along each spatial dimension, and how many elements the
/// mean counts when pads do.
struct Window {
  SmallVector<SmallVector<int64_t>> inside;
  int64_t counted = 1;
};

/// How windows move: places of each spatial dimension, and what is at one.
struct Windows {
  SmallVector<int64_t> places;
  std::function<Window(ArrayRef<int64_t>)> at;
};
} // namespace

/// Places and the elements before and after, from the attributes and the actual extents.
template <typename OpTy> static FailureOr<Windows> getWindows(Frame &frame, OpTy op, const Tensor &x) {
  size_t spatial = op.getStrides().size();
  Windows windows;
  SmallVector<int64_t> before, after;
  for (size_t i = 0; i != spatial; ++i) {
    int64_t in = x.getDim(i + 2), stride = op.getStrides()[i];
    int64_t covered = op.getDilations()[i] * (op.getKernel()[i] - 1) + 1, places;
    int64_t first = op.getPads()[i], last = op.getPads()[spatial + i];
    if (auto mode = op.getAutoPad()) {
      places = llvm::divideCeilSigned(in, stride);
      int64_t total = std::max<int64_t>((places - 1) * stride + covered - in, 0);
      first = *mode == "same_upper" ? total / 2 : total - total / 2;
      last = total - first;
    } else if (op.getCeilMode()) {
      places = std::min(llvm::divideCeilSigned(in + first + last - covered, stride) + 1,
                        llvm::divideCeilSigned(in + first, stride));
    } else {
      places = llvm::divideFloorSigned(in + first + last - covered, stride) + 1;
    }
    // At a larger stride that could be several elements too few, which is an error all the same.
    int64_t room = in + first + last - covered + (op.getCeilMode() ? stride - 1 : 0);
    if (!op.getAutoPad() && room < -1)
      return frame.fail("the window is larger than the operand along spatial dimension " + Twine(i));
    windows.places.push_back(places);
    before.push_back(first);
    after.push_back(last);
  }
  windows.at = [=, &x](ArrayRef<int64_t> place) mutable {
    Window window;
    for (size_t i = 0; i != spatial; ++i) {
      SmallVector<int64_t> inside;
      int64_t counted = 0;
      for (int64_t k = 0; k != op.getKernel()[i]; ++k) {
        int64_t position = place[i] * op.getStrides()[i] - before[i] + k * op.getDilations()[i];
        if (position >= 0 && position < x.getDim(i + 2))
          inside.push_back(position);
        counted += position < x.getDim(i + 2) + after[i];
      }
      window.inside.push_back(inside);
      window.counted *= counted;
    }
    return window;
  };
  return windows;
}

template <typename OpTy> static Windows getParts(OpTy op, const Tensor &x) {
  Windows windows;
  SmallVector<int64_t> sizes(op.getOutputSize());
  windows.places = sizes;
  windows.at = [sizes, &x](ArrayRef<int64_t> part) {
    Window window;
    for (auto [i, size] : llvm::enumerate(sizes)) {
      int64_t in = x.getDim(i + 2);
      window.inside.push_back(
          llvm::to_vector(llvm::seq<int64_t>(part[i] * in / size, llvm::divideCeilSigned((part[i] + 1) * in, size))));
    }
    return window;
  };
  return windows;
}

/// `reduce(result, position, positions of the window's elements, counted)` for each element of the result.
static FailureOr<Tensor> pool(Frame &frame, const Tensor &x, const Windows &windows, Type elementType,
                              llvm::function_ref<void(Tensor &, int64_t, ArrayRef<int64_t>, int64_t)> reduce) {
  SmallVector<int64_t> dims = {x.getDim(0), x.getDim(1)};
  dims.append(windows.places);
  FailureOr<Tensor> result = frame.makeTensor(elementType, dims);
  if (failed(result))
    return failure();
  int64_t position = 0;
  forEachIndex(dims, [&](ArrayRef<int64_t> out) {
    Window window = windows.at(out.drop_front(2));
    SmallVector<int64_t> counts, elements;
    for (ArrayRef<int64_t> inside : window.inside)
      counts.push_back(inside.size());
    forEachIndex(counts, [&](ArrayRef<int64_t> step) {
      SmallVector<int64_t> index = {out[0], out[1]};
      for (auto [dim, number] : llvm::enumerate(step))
        index.push_back(window.inside[dim][number]);
      elements.push_back(x.at(index));
    });
    reduce(*result, position++, elements, window.counted);
  });
  return result;
}

/// The element that is the maximum: the first NaN, else the first largest; -1 of none.
static int64_t findMax(const Tensor &x, ArrayRef<int64_t> elements) {
  int64_t best = -1;
  for (int64_t at : elements) {
    auto isGreater = [&] {
      return x.isFloat() ? !std::isnan(x.f(best)) && !(x.f(at) <= x.f(best)) : x.order(at) > x.order(best);
    };
    if (best < 0 || isGreater())
      best = at;
  }
  return best;
}

static FailureOr<Tensor> poolMax(Frame &frame, const Tensor &x, const Windows &windows) {
  Type type = x.getElementType();
  return pool(frame, x, windows, type, [&](Tensor &result, int64_t at, ArrayRef<int64_t> elements, int64_t) {
    int64_t best = findMax(x, elements);
    if (best >= 0)
      result.set(at, x[best]);
    else if (x.isFloat())
      result.setFloat(at, -INFINITY);
    else
      result.setInt(
          at, isUnsignedElement(type) ? 0 : APInt::getSignedMinValue(type.getIntOrFloatBitWidth()).getSExtValue());
  });
}

/// f16 is summed in f32.
static double getSumError(const Tensor &x, const Sum &sum) {
  Type type = x.getElementType();
  return sum.getError(type.getIntOrFloatBitWidth() < 32 ? Type(Float32Type::get(type.getContext())) : type);
}

static FailureOr<Tensor> poolMean(Frame &frame, const Tensor &x, const Windows &windows, bool countsPads) {
  return pool(frame, x, windows, x.getElementType(),
              [&](Tensor &result, int64_t at, ArrayRef<int64_t> elements, int64_t counted) {
                Sum sum;
                for (int64_t element : elements)
                  sum.add(x.f(element));
                auto count = static_cast<double>(countsPads ? counted : static_cast<int64_t>(elements.size()));
                result.setFloat(at, sum.get() / count, getSumError(x, sum) / count);
              });
}

static FailureOr<Tensor> interpretMaxPool(Frame &frame, MaxPoolOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  FailureOr<Windows> windows = getWindows(frame, op, x);
  return failed(windows) ? FailureOr<Tensor>() : poolMax(frame, x, *windows);
}

static FailureOr<Tensor> interpretMaxPoolIndices(Frame &frame, MaxPoolIndicesOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  FailureOr<Windows> windows = getWindows(frame, op, x);
  if (failed(windows))
    return failure();
  return pool(frame, x, *windows, IntegerType::get(op.getContext(), 64),
              [&](Tensor &result, int64_t at, ArrayRef<int64_t> elements, int64_t) {
                result.setInt(at, findMax(x, elements));
              });
}

static FailureOr<Tensor> interpretAvgPool(Frame &frame, AvgPoolOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  FailureOr<Windows> windows = getWindows(frame, op, x);
  return failed(windows) ? FailureOr<Tensor>() : poolMean(frame, x, *windows, op.getCountIncludePad());
}

static FailureOr<Tensor> interpretLpPool(Frame &frame, LpPoolOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  FailureOr<Windows> windows = getWindows(frame, op, x);
  if (failed(windows))
    return failure();
  auto p = static_cast<double>(op.getP());
  return pool(frame, x, *windows, x.getElementType(),
              [&](Tensor &result, int64_t at, ArrayRef<int64_t> elements, int64_t) {
                Sum sum;
                double lost = 0;
                for (int64_t element : elements) {
                  double power = std::pow(std::abs(x.f(element)), p);
                  sum.add(power);
                  lost += getLostPower(x.getElementType(), power);
                }
                double value = std::pow(sum.get(), 1 / p);
                // Powers are rounded several times.
                Type type = x.getElementType();
                if (type.getIntOrFloatBitWidth() < 32)
                  type = Float32Type::get(op.getContext());
                double slack = std::isfinite(value) ? 64 * getEpsilon(type) * value + std::pow(lost, 1 / p) : 0;
                bool isFinite = llvm::all_of(elements, [&](int64_t element) { return std::isfinite(x.f(element)); });
                result.setFloat(at, value, isFinite ? getWideError(type, sum.get(), slack) : slack);
              });
}

static FailureOr<Tensor> interpretAdaptiveAvgPool(Frame &frame, AdaptiveAvgPoolOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  return poolMean(frame, x, getParts(op, x), false);
}

static FailureOr<Tensor> interpretAdaptiveMaxPool(Frame &frame, AdaptiveMaxPoolOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  return poolMax(frame, x, getParts(op, x));
}

static FailureOr<Tensor> interpretConvTranspose(Frame &frame, ConvTransposeOp op) {
  const Tensor &x = frame.tensor(op.getInput()), &w = frame.tensor(op.getWeight());
  size_t spatial = op.getStrides().size();
  int64_t groups = op.getGroups(), channels = x.getDim(1), perGroup = w.getDim(1);
  if (w.getDim(0) != channels)
    return frame.fail("the weight has " + Twine(w.getDim(0)) + " channels, the input " + Twine(channels));
  if (channels % groups != 0)
    return frame.fail(Twine(channels) + " channels cannot be divided into " + Twine(groups) + " groups");
  SmallVector<int64_t> dims = {x.getDim(0), perGroup * groups};
  for (size_t i = 0; i != spatial; ++i) {
    int64_t extent = (x.getDim(i + 2) - 1) * op.getStrides()[i] + op.getDilations()[i] * (w.getDim(i + 2) - 1) + 1 +
                     op.getOutputPadding()[i] - op.getPads()[i] - op.getPads()[spatial + i];
    if (extent < 0)
      return frame.fail("the result has a negative extent along spatial dimension " + Twine(i));
    dims.push_back(extent);
  }
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), dims);
  if (failed(result))
    return failure();
  std::vector<Sum> sums(result->size());
  forEachIndex(x.getDims(), [&](ArrayRef<int64_t> from) {
    forEachIndex(w.getDims().drop_front(), [&](ArrayRef<int64_t> tap) {
      SmallVector<int64_t> to = {from[0], from[1] / (channels / groups) * perGroup + tap[0]}, weight = {from[1]};
      weight.append(tap.begin(), tap.end());
      for (size_t i = 0; i != spatial; ++i) {
        to.push_back(from[i + 2] * op.getStrides()[i] + tap[i + 1] * op.getDilations()[i] - op.getPads()[i]);
        if (to.back() < 0 || to.back() >= dims[i + 2])
          return;
      }
      sums[result->at(to)].add(x.f(x.at(from)) * w.f(w.at(weight)));
    });
  });
  for (auto [at, sum] : llvm::enumerate(sums))
    result->setFloat(at, sum.get(), getSumError(x, sum));
  return result;
}

void interp::registerPoolOps(OpTable &table) {
  table.add(interpretMaxPool);
  table.add(interpretMaxPoolIndices);
  table.add(interpretAvgPool);
  table.add(interpretLpPool);
  table.add(interpretAdaptiveAvgPool);
  table.add(interpretAdaptiveMaxPool);
  table.add(interpretConvTranspose);
}
