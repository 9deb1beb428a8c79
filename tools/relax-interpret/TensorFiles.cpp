//===- TensorFiles.cpp - Tensors of the interpreter in .npz files ---------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "TensorFiles.h"

#include "Npz.h"

using namespace mlir;
using namespace mlir::relax::interp;
using namespace relax_interpret;

static Type getType(MLIRContext *context, relax_rt_dtype dtype) {
  switch (dtype.code) {
  case RELAX_RT_BOOL:
    return IntegerType::get(context, 1);
  case RELAX_RT_INT:
    return IntegerType::get(context, dtype.bits);
  case RELAX_RT_UINT:
    return IntegerType::get(context, dtype.bits, IntegerType::Unsigned);
  case RELAX_RT_FLOAT:
    return dtype.bits == 16   ? Type(Float16Type::get(context))
           : dtype.bits == 32 ? Type(Float32Type::get(context))
                              : Type(Float64Type::get(context));
  default:
    return {};
  }
}

/// The type as numpy stores it; false for types that numpy does not have.
static bool getDtype(Type type, relax_rt_dtype &dtype) {
  if (type.isInteger(1))
    dtype = {RELAX_RT_BOOL, 8, 1};
  else if (type.isF16() || type.isF32() || type.isF64())
    dtype = {RELAX_RT_FLOAT, static_cast<uint8_t>(type.getIntOrFloatBitWidth()), 1};
  else if (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() % 8 == 0)
    dtype = {static_cast<decltype(dtype.code)>(type.isUnsignedInteger() ? RELAX_RT_UINT : RELAX_RT_INT),
             static_cast<uint8_t>(type.getIntOrFloatBitWidth()), 1};
  else
    return false;
  return true;
}

bool relax_interpret::readTensors(MLIRContext *context, const std::string &path, std::vector<NamedTensor> &tensors,
                                  std::string &error) {
  std::vector<relax_run::Array> arrays;
  if (!relax_run::readNpz(path, arrays, error))
    return false;
  for (relax_run::Array &array : arrays) {
    Type type = getType(context, array.dtype);
    if (!type) {
      error = path + ": " + array.name + ": the element type is not supported";
      return false;
    }
    Tensor tensor(type, array.dims);
    readBytes(array.data.get(), tensor);
    tensors.push_back({array.name, std::move(tensor)});
  }
  return true;
}

bool relax_interpret::writeTensors(const std::string &path, const std::vector<NamedTensor> &tensors,
                                   std::string &error) {
  std::vector<std::vector<uint8_t>> bytes;
  std::vector<SmallVector<int64_t>> dims;
  std::vector<relax_run::NamedView> views;
  for (const NamedTensor &named : tensors) {
    const Tensor &tensor = named.tensor;
    bytes.emplace_back(tensor.size() * getElementBytes(tensor.getElementType()) + 1);
    writeBytes(tensor, bytes.back().data());
    dims.emplace_back(tensor.getDims());
  }
  for (auto [index, named] : llvm::enumerate(tensors)) {
    relax_run::NamedView view;
    view.name = named.name;
    view.view = {bytes[index].data(), dims[index].data(), named.tensor.getRank(), {}};
    if (!getDtype(named.tensor.getElementType(), view.view.dtype)) {
      error = "'" + named.name + "' has an element type that numpy does not have";
      return false;
    }
    views.push_back(view);
  }
  return relax_run::writeNpz(path, views, error);
}
