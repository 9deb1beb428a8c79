//===- GGUF.h - Import of GGUF models --------------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TARGET_IMPORT_GGUF_H
#define RELAXDIALECT_TARGET_IMPORT_GGUF_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"
#include <functional>
#include <string>
#include <vector>

namespace mlir::relax {

struct GGUFImportOptions {
  /// Name of the function.
  std::string functionName = "main";
  /// Logits for every token, not only for the last one of each sequence.
  bool allLogits = false;
  /// Tokens of a page of the caches; 0 for caches without pages.
  int64_t pageSize = 0;
  /// What the caller promises about `batch`, `seq` and `past`, with pages `slots` and `pages` for `past`; it
  /// is checked when the function is entered.
  std::vector<std::string> facts;
};

/// Reads a language model in GGUF (versions 2 and 3) into a module with one public function of graph ops, for
/// architectures llama, qwen2, qwen3, gemma, gemma2 and gemma3.
///
/// Inputs are `tokens` (batch, seq) and for each layer `past_key_<i>` and `past_value_<i>` (batch, kv heads, past,
/// length). Results are `logits` (batch, vocabulary), or (batch, seq, vocabulary), and `present_key_<i>`,
/// `present_value_<i>` with `past + seq` places. The first call has `past` = 0.
///
/// With pages the inputs are `tokens`, `page_table` (batch, slots) and `lengths` (batch) of i64 and for each layer
/// `key_pages_<i>` and `value_pages_<i>` (pages, page size, kv heads, length). Results are `logits` and for each layer
/// `new_key_<i>` and `new_value_<i>` (batch, seq, kv heads, length), which the caller puts into the pages.
///
/// Weights stay in the file and in its block formats: `relax.weight_data` refers to it by `path` as given here.
///
/// Every failure is one error through the context's diagnostic engine; the result is null then. Malformed files never
/// crash.
OwningOpRef<ModuleOp> importGGUF(StringRef path, MLIRContext *context, const GGUFImportOptions &options = {});

/// Registers `relax-translate --import-gguf`. The options are asked for when a model is read.
void registerImportGGUFTranslation(std::function<GGUFImportOptions()> getOptions = {});

} // namespace mlir::relax

#endif // RELAXDIALECT_TARGET_IMPORT_GGUF_H
