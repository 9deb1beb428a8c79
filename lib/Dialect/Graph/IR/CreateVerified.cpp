//===- CreateVerified.cpp - Ops that may turn out invalid -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Dialect/Graph/IR/CreateVerified.h"
#include "RelaxDialect/Support/FirstError.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::relax;

Operation *graph::createVerified(OpBuilder &builder, OperationState &state,
                                 function_ref<LogicalResult(DictionaryAttr, SmallVectorImpl<Type> &)> inferTypes,
                                 std::string &text) {
  MLIRContext *context = builder.getContext();
  FirstError error(context, text);
  SmallVector<Type> types;
  if (failed(inferTypes(state.attributes.getDictionary(context), types)))
    return nullptr;
  state.addTypes(types);
  Operation *op = builder.create(state);
  if (succeeded(verify(op, /*verifyRecursively=*/false)))
    return op;
  op->erase();
  return nullptr;
}
