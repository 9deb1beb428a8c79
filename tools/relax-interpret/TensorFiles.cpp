//===- TensorFiles.cpp - Tensors of the interpreter in .npz files ---------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "TensorFiles.h"

#include "Npy.h"
#include "Npz.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::relax::interp;
using namespace relax_interpret;

bool relax_interpret::readTensors(MLIRContext *context, const std::string &path, std::vector<NamedTensor> &tensors,
                                  std::string &error) {
  std::vector<relax_run::Array> arrays;
  if (!relax_run::readNpz(path, arrays, error))
    return false;
  for (relax_run::Array &array : arrays) {
    // Bytes without a type become what the function takes.
    if (array.dtype.code == relax_run::kBytes)
      array.dtype.code = RELAX_RT_UINT;
    const mlir::relax::sym::ElementKind *kind = mlir::relax::sym::getElementKind(array.dtype.code, array.dtype.bits);
    if (!kind) {
      error = path + ": " + array.name + ": the element type is not supported";
      return false;
    }
    Tensor tensor(kind->get(context), array.dims);
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
    const mlir::relax::sym::ElementKind *kind = mlir::relax::sym::getElementKind(named.tensor.getElementType());
    if (!kind) {
      error = "'" + named.name + "' has an element type that the file format does not have";
      return false;
    }
    view.view.dtype = {static_cast<uint8_t>(kind->code), static_cast<uint8_t>(kind->bits), 1};
    views.push_back(view);
  }
  return relax_run::writeNpz(path, views, error);
}
