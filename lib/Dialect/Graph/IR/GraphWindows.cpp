//===- GraphWindows.cpp - Windows that move over a tensor -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphWindows.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

LogicalResult graph::verifyEntries(TypeInference &inference, StringRef name, ArrayRef<int64_t> values, size_t count,
                                   int64_t lowest) {
  if (values.size() != count)
    return inference.fail(name, " is expected to have ", count, " entries, got ", values.size());
  for (int64_t value : values)
    if (value < lowest)
      return inference.fail(name, " is expected to be at least ", lowest, ", got ", value);
  return success();
}

LogicalResult WindowAttrs::verify(TypeInference &inference, size_t spatial) const {
  if (failed(verifyEntries(inference, "strides", strides, spatial, 1)) ||
      failed(verifyEntries(inference, "pads", pads, 2 * spatial, 0)) ||
      failed(verifyEntries(inference, "dilations", dilations, spatial, 1)))
    return failure();
  if (!autoPad)
    return success();
  if (*autoPad != "same_upper" && *autoPad != "same_lower")
    return inference.fail("auto_pad is expected to be \"same_upper\" or \"same_lower\", got \"", *autoPad, "\"");
  if (llvm::any_of(pads, [](int64_t pad) { return pad != 0; }))
    return inference.fail("pads are expected to be 0 beside auto_pad");
  return success();
}

WindowDim graph::getWindowDim(const WindowAttrs &attrs, unsigned index, SymExpr in, SymExpr kernel) {
  if (!in || !kernel)
    return {};
  MLIRContext *context = in.getContext();
  auto constant = [&](int64_t value) { return SymExpr::constant(context, value); };
  SymExpr stride = constant(attrs.strides[index]), covered = (kernel - 1) * attrs.dilations[index] + 1;
  WindowDim dim;
  if (attrs.autoPad) {
    dim.extent = SymExpr::ceildiv(in, stride);
    SymExpr total = SymExpr::max({(dim.extent - 1) * stride + covered - in, constant(0)});
    SymExpr half = SymExpr::floordiv(total, constant(2));
    dim.before = *attrs.autoPad == "same_upper" ? half : total - half;
    dim.after = total - dim.before;
    dim.room = constant(0);
    return dim;
  }
  int64_t before = attrs.pads[index], after = attrs.pads[attrs.strides.size() + index];
  dim.before = constant(before);
  dim.after = constant(after);
  SymExpr last = in + before + after - covered; // where the last window may begin
  if (!attrs.ceilMode) {
    dim.extent = SymExpr::floordiv(last, stride) + 1;
    dim.room = last + 1;
    return dim;
  }
  dim.extent = SymExpr::min({SymExpr::ceildiv(last, stride) + 1, SymExpr::ceildiv(in + before, stride)});
  dim.room = last + attrs.strides[index];
  return dim;
}
