//===- NeuralOps.h - Families of neural network ops ------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_INTERPRETER_NEURALOPS_H
#define RELAXDIALECT_LIB_INTERPRETER_NEURALOPS_H

#include "RelaxDialect/Interpreter/OpTable.h"

namespace mlir::relax::interp {

/// The type in which results of a float type are computed.
inline Type getWideType(Type type) {
  return type.getIntOrFloatBitWidth() < 32 ? Type(Float32Type::get(type.getContext())) : type;
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
void registerNNOps(OpTable &table);
void registerPoolOps(OpTable &table);
void registerQuantizationOps(OpTable &table);
void registerRecurrentOps(OpTable &table);

} // namespace mlir::relax::interp

#endif // RELAXDIALECT_LIB_INTERPRETER_NEURALOPS_H
