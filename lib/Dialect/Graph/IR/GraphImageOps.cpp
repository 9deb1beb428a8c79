//===- GraphImageOps.cpp - Resizing ---------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphImageOps.h"
#include "GraphFamilies.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphImageOps.cpp.inc"

void graph::addImageOps(Dialect &dialect) {
  addFamily<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphImageOps.cpp.inc"
      >(dialect);
}

SymExpr graph::getScaledExtent(SymExpr extent, float scale) {
  if (!extent || !(scale > 0) || scale > 65536)
    return {};
  for (int64_t denominator = 1; denominator <= 4096; ++denominator) {
    auto numerator = static_cast<int64_t>(std::llround(static_cast<double>(scale) * denominator));
    if (static_cast<float>(static_cast<double>(numerator) / denominator) == scale)
      return SymExpr::floordiv(extent * numerator, SymExpr::constant(extent.getContext(), denominator));
  }
  return {};
}

static LogicalResult verifyChoice(TypeInference &inference, StringRef name, StringRef value,
                                  ArrayRef<StringRef> choices) {
  if (llvm::is_contained(choices, value))
    return success();
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(choices, os);
  return inference.fail(name, " is expected to be one of ", text, ", got ", value);
}

FailureOr<RankedTensorType> ResizeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  SmallVector<SymExpr> dims = sym::getSymbolicDims(type);
  ArrayRef<SymExpr> extents = getShapeDims(adaptor.getShape());
  ArrayRef<int64_t> axes = adaptor.getAxes();
  if (failed(inference.requireAxes("axes", axes, dims.size())))
    return failure();
  if (extents.size() != axes.size())
    return inference.fail("shape is expected to have ", axes.size(), " entries, got ", extents.size());
  if (failed(verifyChoice(inference, "mode", adaptor.getMode(), {"nearest", "linear", "cubic"})) ||
      failed(verifyChoice(inference, "coordinates", adaptor.getCoordinates(),
                          {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric", "align_corners",
                           "tf_crop_and_resize"})) ||
      failed(verifyChoice(inference, "rounding", adaptor.getRounding(),
                          {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})))
    return failure();
  if (!isa<FloatType>(type.getElementType()) && adaptor.getMode() != "nearest")
    return inference.fail("mode is expected to be nearest for ", type.getElementType(), ", got ", adaptor.getMode());
  if (auto scales = adaptor.getScales()) {
    if (scales->size() != axes.size())
      return inference.fail("scales is expected to have ", axes.size(), " entries, got ", scales->size());
    for (double scale : *scales)
      if (!(scale > 0) || std::isinf(scale))
        return inference.fail("scales are expected to be positive and finite");
  }
  bool crops = adaptor.getCoordinates() == "tf_crop_and_resize";
  size_t roiSize = adaptor.getRoi() ? adaptor.getRoi()->size() : 0;
  if (roiSize != (crops ? 2 * axes.size() : 0))
    return inference.fail("roi is expected to have ", crops ? 2 * axes.size() : 0, " entries, got ", roiSize);
  double outside = adaptor.getExtrapolation().convertToDouble();
  if (auto integer = dyn_cast<IntegerType>(type.getElementType());
      integer && !(std::abs(outside) < std::ldexp(1.0, std::min(integer.getWidth(), 54U) - 1)))
    return inference.fail("extrapolation is expected to be a number of type ", integer, ", got ", outside);
  for (auto [axis, extent] : llvm::zip_equal(axes, extents))
    dims[axis] = extent;
  return inference.makeType(dims, type.getElementType());
}
