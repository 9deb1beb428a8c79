//===- Windows.cpp - Attributes of moving windows -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Windows.h"

using namespace mlir;
using namespace mlir::relax::onnx;

SmallVector<int64_t> mlir::relax::onnx::getPerDimension(NodeEmitter &e, StringRef name, int64_t count, int64_t absent,
                                                        int64_t least) {
  SmallVector<int64_t> values = e.getInts(name);
  if (values.empty())
    return SmallVector<int64_t>(count, absent);
  if (static_cast<int64_t>(values.size()) != count)
    e.fail("attribute '" + name + "' has " + Twine(values.size()) + " values, expected " + Twine(count));
  for (int64_t value : values)
    if (value < least || value > kMaxWindow)
      e.fail("attribute '" + name + "' holds " + Twine(value) + ", expected at least " + Twine(least));
  return e.failed() ? SmallVector<int64_t>(count, least) : values;
}

Window mlir::relax::onnx::readWindow(NodeEmitter &e, int64_t count, int64_t leastPad) {
  Window window;
  window.strides = getPerDimension(e, "strides", count, 1, 1);
  window.dilations = getPerDimension(e, "dilations", count, 1, 1);
  window.pads = getPerDimension(e, "pads", 2 * count, 0, leastPad);
  window.autoPad = e.getString("auto_pad", "NOTSET");
  if (window.autoPad != "NOTSET" && window.autoPad != "VALID" && window.autoPad != "SAME_UPPER" &&
      window.autoPad != "SAME_LOWER")
    e.fail("attribute 'auto_pad' is '" + printable(window.autoPad) +
           "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  if (window.autoPad != "NOTSET")
    window.pads.assign(2 * count, 0);
  return window;
}
