//===- Scopes.h - Subgraphs and functions of a model -----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A function is inlined where it is called, a subgraph where it is used: names
// get a prefix that no other name has, attributes of the call are put in.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_SCOPES_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_SCOPES_H

#include "ModelFile.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relax::onnx {

/// New names of values; those that are not in it stay.
using Renames = llvm::StringMap<std::string>;

/// Gives names in a node, also in its subgraphs, their new ones.
void renameValues(relax_onnx_wire::NodeProto &node, const Renames &renames);
/// The same for all of a graph, also its inputs and outputs.
void renameValues(relax_onnx_wire::GraphProto &graph, const Renames &renames);

/// The nodes of a function as they are for one call. Values that are not its inputs or outputs get `prefix`. Attributes
/// that refer to one of the function get the call's or the default; without either they go.
std::vector<relax_onnx_wire::NodeProto> instantiate(const relax_onnx_wire::FunctionProto &function,
                                                    const relax_onnx_wire::NodeProto &call, StringRef prefix);

/// A copy of a subgraph whose own values have `prefix`.
relax_onnx_wire::GraphProto instantiate(const relax_onnx_wire::GraphProto &graph, StringRef prefix);

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_SCOPES_H
