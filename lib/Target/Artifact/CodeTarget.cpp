//===- CodeTarget.cpp - Machines to compile for ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Target/CodeGen.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <tuple>

using namespace mlir;
using namespace mlir::relax;

namespace {

/// A feature under both of its names. Only features in this table are ever used, so that the runtime can check all.
/// Instructions for bf16 flush small numbers to zero and are left out.
struct FeatureName {
  StringLiteral llvmName, cpuinfoName;
};
constexpr FeatureName kX86Features[] = {{"sse3", "pni"},
                                        {"ssse3", "ssse3"},
                                        {"sse4.1", "sse4_1"},
                                        {"sse4.2", "sse4_2"},
                                        {"popcnt", "popcnt"},
                                        {"cx16", "cx16"},
                                        {"avx", "avx"},
                                        {"avx2", "avx2"},
                                        {"fma", "fma"},
                                        {"f16c", "f16c"},
                                        {"bmi", "bmi1"},
                                        {"bmi2", "bmi2"},
                                        {"lzcnt", "abm"},
                                        {"movbe", "movbe"},
                                        {"avx512f", "avx512f"},
                                        {"avx512cd", "avx512cd"},
                                        {"avx512bw", "avx512bw"},
                                        {"avx512dq", "avx512dq"},
                                        {"avx512vl", "avx512vl"},
                                        {"avx512vnni", "avx512_vnni"},
                                        {"avx512fp16", "avx512_fp16"},
                                        {"avxvnni", "avx_vnni"}};
/// Levels from low to high; the features of one are those of the ones before it and its own.
struct Level {
  StringLiteral name;
  int64_t vectorBits;
  StringLiteral tuneCpu;
  StringLiteral features; // LLVM's names
};
constexpr Level kX86Levels[] = {
    {"x86-64", 128, "", ""},
    {"x86-64-v2", 128, "x86-64-v2", "sse3,ssse3,sse4.1,sse4.2,popcnt,cx16"},
    {"x86-64-v3", 256, "x86-64-v3", "avx,avx2,fma,f16c,bmi,bmi2,lzcnt,movbe"},
    {"x86-64-v4", 512, "x86-64-v4", "avx512f,avx512cd,avx512bw,avx512dq,avx512vl"},
};
constexpr StringLiteral kAArch64 = "aarch64";

using Features = llvm::StringMap<bool>;

/// Everything of a target for x86-64 but its name.
void setX86(CodeTarget &target, const Features &features) {
  target.cpu = "x86-64";
  target.vectorBits = features.lookup("avx512f") ? 512 : features.lookup("avx2") ? 256 : 128;
  bool hasWide = features.lookup("avx512vnni") && features.lookup("avx512vl");
  target.dots = hasWide ? "avx512" : features.lookup("avxvnni") ? "vnni" : features.lookup("avx2") ? "avx2" : "plain";
  for (const FeatureName &feature : kX86Features) {
    if (!features.lookup(feature.llvmName))
      continue;
    target.features += (target.features.empty() ? "+" : ",+") + feature.llvmName.str();
    target.requiredFeatures += (target.requiredFeatures.empty() ? "" : ",") + feature.cpuinfoName.str();
  }
}

const Level *findLevel(StringRef name) {
  const Level *found = llvm::find_if(kX86Levels, [&](const Level &level) { return level.name == name; });
  return found == std::end(kX86Levels) ? nullptr : found;
}

/// Adds features of a list that starts with `separator` or a name.
LogicalResult addFeatures(StringRef list, char separator, Features &features, std::string &error) {
  SmallVector<StringRef> names;
  list.split(names, separator, /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : names) {
    if (llvm::none_of(kX86Features, [&](const FeatureName &feature) { return feature.llvmName == name; })) {
      error = ("unknown CPU feature '" + name + "', expected one of").str();
      for (const FeatureName &feature : kX86Features)
        error += " " + feature.llvmName.str();
      return failure();
    }
    features[name] = true;
  }
  return success();
}

} // namespace

FailureOr<CodeTarget> relax::getCodeTarget(StringRef name, std::string &error) {
  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  bool isX86 = host.getArch() == llvm::Triple::x86_64;
  CodeTarget target;
  target.name = name.str();
  target.triple = host.str();
  if (name == "native") {
    target.cpu = target.tuneCpu = llvm::sys::getHostCPUName().str();
    if (isX86)
      setX86(target, llvm::sys::getHostCPUFeatures());
    return target;
  }
  auto [base, more] = name.split('+');
  if (base == "cpu" || base == "baseline") {
    StringRef x86 = base == "cpu" ? "x86-64-v3" : "x86-64";
    base = isX86 ? x86 : StringRef(kAArch64);
    target.name = (base + (more.empty() ? "" : "+") + more).str();
  }
  if (base == kAArch64 && more.empty()) {
    // NEON belongs to every such CPU.
    if (host.getArch() != llvm::Triple::aarch64)
      target.triple = "aarch64-unknown-linux-gnu";
    target.cpu = "generic";
    return target;
  }
  const Level *level = findLevel(base);
  if (!level) {
    error = ("unknown target '" + name + "', expected 'cpu', 'native' or 'baseline', a level of CPU:").str();
    for (const Level &known : kX86Levels)
      error += " '" + known.name.str() + "'";
    error += ", '" + kAArch64.str() + "'";
    return failure();
  }
  if (!isX86)
    target.triple = "x86_64-unknown-linux-gnu";
  target.tuneCpu = level->tuneCpu.str();
  Features features;
  for (const Level *lower = kX86Levels; lower <= level; ++lower)
    if (failed(addFeatures(lower->features, ',', features, error)))
      return failure();
  if (failed(addFeatures(more, '+', features, error)))
    return failure();
  setX86(target, features);
  return target;
}

FailureOr<SmallVector<CodeTarget>> relax::getCodeTargets(ArrayRef<StringRef> names, std::string &error) {
  SmallVector<CodeTarget> targets;
  for (StringRef name : names) {
    FailureOr<CodeTarget> target = getCodeTarget(name, error);
    if (failed(target))
      return failure();
    if (llvm::any_of(targets, [&](const CodeTarget &other) { return other.name == target->name; })) {
      error = "target '" + target->name + "' is given twice";
      return failure();
    }
    targets.push_back(std::move(*target));
  }
  llvm::sort(targets, [](const CodeTarget &a, const CodeTarget &b) {
    return std::make_tuple(a.vectorBits, a.requiredFeatures.size(), StringRef(a.name)) <
           std::make_tuple(b.vectorBits, b.requiredFeatures.size(), StringRef(b.name));
  });
  return targets;
}
