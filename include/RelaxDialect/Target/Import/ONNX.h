//===- ONNX.h - Import of ONNX models --------------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TARGET_IMPORT_ONNX_H
#define RELAXDIALECT_TARGET_IMPORT_ONNX_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mlir::relax {

struct ONNXImportOptions {
  /// Name of the function made from the model's graph.
  std::string functionName = "main";
  /// Dimension names of the inputs that get another symbol, the same one when two get equal names.
  std::map<std::string, std::string> symbols;
  /// Dimension names of the inputs that are constants.
  std::map<std::string, int64_t> dims;
  /// What the caller promises about the symbols (`batch <= 8`); it is checked when the function is entered.
  std::vector<std::string> facts;
  /// Version of the standard operators in the place of the file's, 0 for none.
  int64_t opset = 0;
};

/// Reads an ONNX model (opsets 1 to 28) into a module with one public function of graph ops.
///
/// Dimension names become symbols; a dim_param is read as an expression only when each of its symbols also stands alone
/// as a dim_param of a graph input, else the whole text is one (quoted) symbol. Integer tensors of rank 0 and 1 are
/// followed element by element, so that shape arithmetic ends up in types. Declared output shapes are claims: they are
/// compared with the inferred ones, a contradiction is an error, what cannot be decided becomes a `relax.match_cast`.
///
/// Weights stay in the file: `relax.weight_data` refers to it by `path` as given here (for external data: the folder of
/// `path` joined with the stored location), offset, size and checksum. A relative name is therefore relative to the
/// working directory of the importing process.
///
/// Every failure is one error through the context's diagnostic engine that names the node or tensor; the result is null
/// then. Malformed files never crash. A protobuf message, and so the model file without its external data, has less
/// than 2 GiB.
OwningOpRef<ModuleOp> importONNX(StringRef path, MLIRContext *context, const ONNXImportOptions &options = {});

/// Registers `relax-translate --import-onnx`. The options are asked for when a model is read.
void registerImportONNXTranslation(std::function<ONNXImportOptions()> getOptions = {});

} // namespace mlir::relax

#endif // RELAXDIALECT_TARGET_IMPORT_ONNX_H
