//===- ModelConfig.cpp - What the metadata say about a model --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "ModelConfig.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax::gguf;

static constexpr Architecture kArchitectures[] = {
    // name, scalesEmbedding, usesGelu, interleavedRope, windowPeriod, localRopeBase, widthScaledLayers
    {"gemma", true, true, false, 0, 0, 0},       {"gemma2", true, true, false, 2, 0, 46},
    {"gemma3", true, true, false, 6, 10000, 62}, {"llama", false, false, true, 0, 0, 0},
    {"phi3", false, false, false, 0, 0, 0},      {"qwen2", false, false, false, 0, 0, 0},
    {"qwen3", false, false, false, 0, 0, 0},     {"qwen3moe", false, false, false, 0, 0, 0},
};

const Architecture *Architecture::get(StringRef name) {
  for (const Architecture &architecture : kArchitectures)
    if (architecture.name == name)
      return &architecture;
  return nullptr;
}

namespace {
/// Reads keys below the name of the architecture; keeps the first error.
class KeyReader {
public:
  KeyReader(const GGUFFile &file, StringRef architecture, std::string &error)
      : file(file), prefix((architecture + ".").str()), error(error) {}

  std::string getKey(StringRef key) const { return prefix + key.str(); }
  bool has(StringRef key) const { return file.lookUp(getKey(key)) != nullptr; }

  /// An integer in [1, most].
  int64_t get(StringRef key, int64_t most) {
    std::optional<uint64_t> value = file.getInteger(getKey(key));
    // Some files list a value for each layer; one function has one shape for all.
    const MetadataValue *stored = file.lookUp(getKey(key));
    if (stored && stored->type == ValueType::Array) {
      value = file.getElement(getKey(key), 0);
      for (uint64_t i = 1; i < stored->count; ++i)
        if (file.getElement(getKey(key), i) != value) {
          fail(key, "has different values for different layers, which is not supported");
          return 1;
        }
    }
    if (value && *value >= 1 && *value <= static_cast<uint64_t>(most))
      return static_cast<int64_t>(*value);
    fail(key, "is expected to be an integer from 1 to " + std::to_string(most));
    return 1;
  }
  int64_t getOr(StringRef key, int64_t most, int64_t absent) { return has(key) ? get(key, most) : absent; }

  /// A positive float.
  double getPositive(StringRef key) {
    std::optional<double> value = file.getFloat(getKey(key));
    if (value && std::isfinite(*value) && *value > 0)
      return *value;
    fail(key, "is expected to be a positive number");
    return 1;
  }
  double getPositiveOr(StringRef key, double absent) { return has(key) ? getPositive(key) : absent; }

  void fail(StringRef key, const Twine &message) {
    if (error.empty())
      error = ("metadata '" + getKey(key) + "' " + message).str();
  }

private:
  const GGUFFile &file;
  std::string prefix;
  std::string &error;
};
} // namespace

/// Angles are stretched by a factor, or not at all.
static double readRopeFactor(const GGUFFile &file, KeyReader &keys) {
  if (!keys.has("rope.scaling.type"))
    return keys.getPositiveOr("rope.scaling.factor", keys.getPositiveOr("rope.scale_linear", 1));
  std::optional<StringRef> type = file.getString(keys.getKey("rope.scaling.type"));
  if (type == StringRef("none"))
    return 1;
  if (type == StringRef("linear"))
    return keys.getPositiveOr("rope.scaling.factor", 1);
  keys.fail("rope.scaling.type", "is '" + printable(type.value_or("")) + "', expected none or linear");
  return 1;
}

std::optional<ModelConfig> ModelConfig::read(const GGUFFile &file, std::string &error) {
  std::optional<StringRef> name = file.getString("general.architecture");
  if (!name) {
    error = "metadata 'general.architecture' is expected to be a string";
    return std::nullopt;
  }
  ModelConfig config;
  config.architecture = Architecture::get(*name);
  if (!config.architecture) {
    error = "architecture '" + printable(*name) + "' is not supported, expected one of " +
            llvm::join(llvm::map_range(kArchitectures, [](const Architecture &known) { return known.name; }), ", ");
    return std::nullopt;
  }

  constexpr int64_t kMostLayers = 4096, kMostHeads = 4096, kMostWidth = int64_t(1) << 24;
  KeyReader keys(file, *name, error);
  config.layers = keys.get("block_count", kMostLayers);
  config.width = keys.get("embedding_length", kMostWidth);
  config.heads = keys.get("attention.head_count", kMostHeads);
  config.kvHeads = keys.getOr("attention.head_count_kv", kMostHeads, config.heads);
  config.keyLength = keys.getOr("attention.key_length", kMostWidth, std::max<int64_t>(config.width / config.heads, 1));
  config.valueLength = keys.getOr("attention.value_length", kMostWidth, config.keyLength);
  // Each expert and layer has code of its own.
  constexpr int64_t kMostExperts = 1024;
  config.experts = keys.getOr("expert_count", kMostExperts, 0);
  config.expertsUsed = config.experts == 0 ? 0 : keys.get("expert_used_count", config.experts);
  config.hidden = keys.get(config.experts == 0 ? "feed_forward_length" : "expert_feed_forward_length", kMostWidth);
  config.context = keys.get("context_length", int64_t(1) << 40);
  config.rotated = keys.getOr("rope.dimension_count", kMostWidth, config.keyLength);
  config.epsilon = keys.getPositive("attention.layer_norm_rms_epsilon");
  config.ropeBase = keys.getPositiveOr("rope.freq_base", 10000);
  config.ropeFactor = readRopeFactor(file, keys);
  if (config.architecture->windowPeriod != 0)
    config.window = keys.getOr("attention.sliding_window", int64_t(1) << 40, 0);
  config.attentionCap = keys.getPositiveOr("attn_logit_softcapping", 0);
  config.logitCap = keys.getPositiveOr("final_logit_softcapping", 0);
  bool byWidth = config.layers == config.architecture->widthScaledLayers;
  config.attentionScale = 1 / std::sqrt(byWidth ? static_cast<double>(config.width) / static_cast<double>(config.heads)
                                                : static_cast<double>(config.keyLength));
  if (config.heads % config.kvHeads != 0)
    keys.fail("attention.head_count", "is " + Twine(config.heads) + ", expected a multiple of the " +
                                          Twine(config.kvHeads) + " heads of keys and values");
  if (config.rotated > config.keyLength || config.rotated % 2 != 0)
    keys.fail("rope.dimension_count",
              "is " + Twine(config.rotated) + ", expected an even number up to " + Twine(config.keyLength));
  if (!error.empty())
    return std::nullopt;
  return config;
}
