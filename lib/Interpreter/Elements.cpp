//===- Elements.cpp - Results from elements of an operand -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::interp;

FailureOr<Tensor> interp::gather(Frame &frame, const Tensor &x, ArrayRef<int64_t> dims,
                                 llvm::function_ref<int64_t(ArrayRef<int64_t>)> from) {
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), dims);
  if (failed(result))
    return failure();
  int64_t position = 0;
  forEachIndex(dims, [&](ArrayRef<int64_t> index) {
    if (int64_t source = from(index); source >= 0)
      result->set(position, x[source]);
    ++position;
  });
  return result;
}

FailureOr<Tensor> interp::reduce(Frame &frame, const Tensor &x, ArrayRef<int64_t> axes, bool keepDims,
                                 llvm::function_ref<void(Tensor &, int64_t, ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> outer(x.getDims()), inner(x.getRank(), 1), dims;
  for (int64_t axis : axes) {
    outer[axis] = 1;
    inner[axis] = x.getDim(axis);
  }
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    if (keepDims || !llvm::is_contained(axes, dim))
      dims.push_back(outer[dim]);
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), dims);
  if (failed(result))
    return failure();
  int64_t position = 0;
  forEachIndex(outer, [&](ArrayRef<int64_t> first) {
    SmallVector<int64_t> elements;
    forEachIndex(inner, [&](ArrayRef<int64_t> step) {
      SmallVector<int64_t> index(first);
      for (auto [dim, value] : llvm::enumerate(step))
        index[dim] += value;
      elements.push_back(x.at(index));
    });
    visit(*result, position++, elements);
  });
  return result;
}
