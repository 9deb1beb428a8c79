//===- KernelSignature.cpp - What counts as a kernel ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "KernelSignature.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"

using namespace mlir;
using namespace mlir::relax;

std::optional<KernelSignature> relax::getKernelSignature(func::FuncOp function, std::string *reason) {
  auto fail = [&](const Twine &text) {
    if (reason)
      *reason = text.str();
    return std::nullopt;
  };
  if (function.isExternal())
    return fail("has no body");
  ArrayRef<Type> types = function.getArgumentTypes();
  auto error = types.empty() ? MemRefType() : dyn_cast<MemRefType>(types.back());
  if (!error || error != MemRefType::get({1}, IntegerType::get(function.getContext(), 64)))
    return fail("has no trailing memref<1xi64> error word");

  KernelSignature signature;
  for (auto [index, type] : llvm::enumerate(types.drop_back())) {
    if (auto buffer = dyn_cast<MemRefType>(type)) {
      if (signature.numScalars)
        return fail("takes a buffer after a scalar, at argument " + Twine(index));
      if (!buffer.getLayout().isIdentity() || buffer.getMemorySpace())
        return fail("takes a buffer that is not a plain identity-layout memref, at argument " + Twine(index));
      signature.buffers.push_back(buffer);
    } else if (type.isIndex()) {
      ++signature.numScalars;
    } else {
      return fail("takes neither a memref nor an index, at argument " + Twine(index));
    }
  }
  for (Type type : function.getResultTypes())
    if (!type.isIndex())
      return fail("returns something that is not an index");
  signature.numExtents = function.getNumResults();
  return signature;
}

int64_t relax::addKernelSite(func::FuncOp kernel, const Twine &message) {
  SmallVector<Attribute> sites;
  if (auto old = kernel->getAttrOfType<ArrayAttr>(tp::kSitesAttrName))
    llvm::append_range(sites, old);
  sites.push_back(StringAttr::get(kernel.getContext(), message));
  kernel->setAttr(tp::kSitesAttrName, ArrayAttr::get(kernel.getContext(), sites));
  return sites.size();
}
