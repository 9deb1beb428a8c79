//===- TensorData.h - Element types and stored tensors ---------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_TENSORDATA_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_TENSORDATA_H

#include "ModelFile.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::relax::onnx {

/// Larger raw tensors stay in the file, smaller ones are inline constants.
inline constexpr int64_t kMaxInlineElements = 64;
/// No tensor of the import has more dimensions.
inline constexpr unsigned kMaxRank = 64;

/// The element type of an ONNX type code, null when it has none here.
Type getElementType(MLIRContext *context, int32_t code);
/// The format's name of a type code, for messages.
std::string getTypeName(int32_t code);
/// The code of an element type of ours.
int32_t getTypeCode(Type elementType);
/// Bytes of one stored element.
int64_t getElementBytes(Type elementType);

/// Product of the static extents without unknown ones, a zero counts as one; nullopt when that many elements cannot be
/// addressed.
std::optional<int64_t> getBoundedSize(ArrayRef<int64_t> extents);

/// Type of a stored tensor. Null with `error` set when the type or an extent is not supported.
RankedTensorType getStoredType(MLIRContext *context, const relax_onnx_wire::TensorProto &tensor, std::string &error);

/// Value of a stored tensor of that type: a dense attribute, or a `relax::graph::WeightBlobAttr` when it is raw and
/// large.
Attribute getStoredValue(ModelFile &file, const relax_onnx_wire::TensorProto &tensor, RankedTensorType type,
                         std::string &error);
/// The same, always dense. For attributes that are looked into.
DenseElementsAttr getDenseValue(ModelFile &file, const relax_onnx_wire::TensorProto &tensor, RankedTensorType type,
                                std::string &error);

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_TENSORDATA_H
