//===- CreateVerified.h - Ops that may turn out invalid --------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_CREATEVERIFIED_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_CREATEVERIFIED_H

#include "mlir/IR/Builders.h"
#include <string>

namespace mlir::relax::graph {

/// Creates the op of `state` with the result types that `inferTypes` gives for its attributes, and verifies it. An
/// importer's input may make an op that is not valid: then the result is null, nothing is left behind, and `text` is
/// the op's first error, which is not reported; it may be empty.
Operation *createVerified(OpBuilder &builder, OperationState &state,
                          llvm::function_ref<LogicalResult(DictionaryAttr, SmallVectorImpl<Type> &)> inferTypes,
                          std::string &text);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_CREATEVERIFIED_H
