//===- ModelConfig.h - What the metadata say about a model -----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_GGUF_MODELCONFIG_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_GGUF_MODELCONFIG_H

#include "GGUFFile.h"
#include "mlir/Support/LLVM.h"

namespace mlir::relax::gguf {

/// What an architecture's name stands for. The rest of a model's structure shows in its tensors: norms after the
/// blocks, norms of queries and keys, biases, a head of its own.
struct Architecture {
  StringRef name;
  bool scalesEmbedding; // by the root of the width
  bool usesGelu;        // tanh form, else silu
  bool interleavedRope; // pairs are neighbours, else half the depth apart
  /// Of this many layers all but the last look back `sliding_window` places only; 0: none does.
  int64_t windowPeriod;
  /// Base of the angles in those layers; 0: the same as in the others.
  double localRopeBase;
  /// Layers of the one size whose attention is scaled by the width per head; 0: none.
  int64_t widthScaledLayers;

  static const Architecture *get(StringRef name);
};

struct ModelConfig {
  const Architecture *architecture = nullptr;
  int64_t layers = 0, width = 0, heads = 0, kvHeads = 0, keyLength = 0, valueLength = 0, hidden = 0;
  int64_t experts = 0, expertsUsed = 0; // 0: one network for all tokens
  int64_t context = 0, vocabulary = 0, window = 0, rotated = 0;
  double epsilon = 0, ropeBase = 0, ropeFactor = 1, attentionScale = 0, attentionCap = 0, logitCap = 0;

  bool isLocal(int64_t layer) const {
    return window != 0 && architecture->windowPeriod != 0 &&
           layer % architecture->windowPeriod != architecture->windowPeriod - 1;
  }

  /// Reads the metadata. On failure `error` names the key.
  static std::optional<ModelConfig> read(const GGUFFile &file, std::string &error);
};

} // namespace mlir::relax::gguf

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_GGUF_MODELCONFIG_H
