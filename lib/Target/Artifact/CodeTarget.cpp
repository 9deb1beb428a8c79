//===- CodeTarget.cpp - Machines to compile for ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Target/CodeGen.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

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
/// What x86-64-v3 consists of.
constexpr StringLiteral kX86V3[] = {"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16",  "avx",
                                    "avx2", "fma",   "f16c",   "bmi",    "bmi2",   "lzcnt", "movbe"};

} // namespace

FailureOr<CodeTarget> relax::getCodeTarget(StringRef name, std::string &error) {
  if (name != "cpu" && name != "native" && name != "baseline") {
    error = ("unknown target '" + name + "', expected 'cpu', 'native' or 'baseline'").str();
    return failure();
  }
  CodeTarget target;
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  target.triple = triple.str();
  if (triple.getArch() != llvm::Triple::x86_64) {
    target.cpu = name == "native" ? llvm::sys::getHostCPUName().str() : "generic";
    return target;
  }
  target.cpu = "x86-64";
  llvm::StringMap<bool> host;
  if (name == "native") {
    target.tuneCpu = llvm::sys::getHostCPUName().str();
    host = llvm::sys::getHostCPUFeatures();
  } else if (name == "cpu") {
    target.tuneCpu = "x86-64-v3";
    for (StringRef feature : kX86V3)
      host[feature] = true;
  }
  target.vectorBits = host.lookup("avx512f") ? 512 : host.lookup("avx2") ? 256 : 128;
  for (const FeatureName &feature : kX86Features) {
    if (!host.lookup(feature.llvmName))
      continue;
    target.features += (target.features.empty() ? "+" : ",+") + feature.llvmName.str();
    target.requiredFeatures += (target.requiredFeatures.empty() ? "" : ",") + feature.cpuinfoName.str();
  }
  return target;
}
