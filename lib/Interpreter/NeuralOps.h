//===- NeuralOps.h - Families of neural network ops ------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_INTERPRETER_NEURALOPS_H
#define RELAXDIALECT_LIB_INTERPRETER_NEURALOPS_H

#include "RelaxDialect/Interpreter/OpTable.h"
#include <cmath>
#include <limits>

namespace mlir::relax::interp {

/// The type in which results of a float type are computed.
inline Type getWideType(Type type) {
  return type.getIntOrFloatBitWidth() < 32 ? Type(Float32Type::get(type.getContext())) : type;
}

/// `error`, or everything where what is added up on the way does not fit the type in which results are computed.
inline double getWideError(Type type, double magnitude, double error) {
  APFloat largest = APFloat::getLargest(cast<FloatType>(getWideType(type)).getFloatSemantics());
  bool losesInfo = false;
  largest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  bool overflows = !std::isnan(magnitude) && magnitude > largest.convertToDouble() / 2;
  return overflows ? std::numeric_limits<double>::infinity() : error;
}

/// What an element adds to a sum of powers that may be lost because the power is too small to be a normal number.
inline double getLostPower(Type type, double power) {
  APFloat smallest = APFloat::getSmallestNormalized(cast<FloatType>(getWideType(type)).getFloatSemantics());
  bool losesInfo = false;
  smallest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return power < smallest.convertToDouble() ? power : 0;
}

/// The operand has the extents that the op's rule asks for.
LogicalResult checkDims(Frame &frame, const Tensor &tensor, ArrayRef<int64_t> wanted, const Twine &name);

/// numpy's matrix product of floats or integers; the result has `type`.
FailureOr<Tensor> multiplyMatrices(Frame &frame, Tensor a, Tensor b, Type type);

/// The attributes of a convolution.
struct Convolution {
  ArrayRef<int64_t> strides, pads, dilations;
  int64_t groups;
  std::optional<StringRef> autoPad;
};
FailureOr<Tensor> convolve(Frame &frame, const Tensor &x, const Tensor &w, const Convolution &how);

// One per file, beside those of OpTable.h.
void registerAttentionOps(OpTable &table);
void registerImageOps(OpTable &table);
void registerBlockOps(OpTable &table);
void registerNNOps(OpTable &table);
void registerPoolOps(OpTable &table);
void registerQuantizationOps(OpTable &table);
void registerRecurrentOps(OpTable &table);

} // namespace mlir::relax::interp

#endif // RELAXDIALECT_LIB_INTERPRETER_NEURALOPS_H
