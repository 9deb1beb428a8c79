//===- ArtifactCompiler.cpp - From a module to an artifact ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Compiler/ArtifactCompiler.h"

#include "RelaxDialect/Conversion/DeviceTables.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relax;

/// The width that weights lie in panels for. Half of a panel costs a twelfth of the time of a model, so that AVX2,
/// which most machines have, gets whole ones.
static int64_t choosePanelBits(ArrayRef<CodeTarget> levels) {
  constexpr int64_t kCommonBits = 256;
  bool isCommon = llvm::any_of(levels, [](const CodeTarget &level) { return level.vectorBits == kCommonBits; });
  return isCommon ? kCommonBits : levels.back().vectorBits;
}

FailureOr<std::unique_ptr<ArtifactCompiler>> ArtifactCompiler::create(StringRef targets, std::string &error) {
  std::unique_ptr<ArtifactCompiler> compiler(new ArtifactCompiler);
  SmallVector<StringRef> names, levels;
  targets.split(names, ',');
  for (StringRef name : names) {
    if (!isDeviceName(name))
      levels.push_back(name);
    else if (failed(checkDevice(name, error)))
      return failure();
    else if (!llvm::is_contained(compiler->devices, name.str()))
      compiler->devices.push_back(name.str());
  }
  if (levels.empty())
    levels.push_back("cpu");
  FailureOr<SmallVector<CodeTarget>> found = getCodeTargets(levels, error);
  if (failed(found)) {
    if (StringRef(error).starts_with("unknown target"))
      error += ", or a device: 'vulkan', 'opencl', 'nvidia', 'amd'";
    return failure();
  }
  compiler->levels = std::move(*found);
  compiler->setTargetOptions();
  return compiler;
}

void ArtifactCompiler::setTargetOptions() {
  options.vectorBits = choosePanelBits(levels);
  options.dots = levels.front().dots;
  options.devices = devices;
}

LogicalResult ArtifactCompiler::setOptions(StringRef text, std::string &error) {
  llvm::raw_string_ostream stream(error);
  LogicalResult result = options.parseFromString(text, stream);
  error = StringRef(error).rtrim().str();
  setTargetOptions();
  return result;
}

void ArtifactCompiler::buildPipeline(OpPassManager &manager) {
  buildCommonPipeline(manager, options);
  if (levels.size() == 1)
    buildKernelCodePipeline(manager, options);
}

/// The module is as the common pipeline leaves it. Narrower levels read panels in parts, wider ones keep to their
/// width.
LogicalResult ArtifactCompiler::lowerLevels(ModuleOp module, StringRef blobDirectory,
                                            function_ref<LogicalResult(const ArtifactOptions &)> write) {
  ArtifactOptions artifact{levels.front(), blobDirectory.str()};
  if (levels.size() == 1)
    return write(artifact);
  const int64_t panelBits = options.vectorBits;
  SmallVector<OwningOpRef<ModuleOp>> copies;
  for (const CodeTarget &level : ArrayRef(levels).drop_front())
    artifact.higher.push_back({level, *copies.emplace_back(module.clone())});
  for (auto [index, level] : llvm::enumerate(levels)) {
    PassManager passes(module.getContext(), ModuleOp::getOperationName());
    options.vectorBits = std::min(level.vectorBits, panelBits);
    options.dots = level.dots;
    buildKernelCodePipeline(passes, options);
    options.vectorBits = panelBits;
    if (prepare)
      prepare(passes);
    if (failed(passes.run(index ? *copies[index - 1] : module)))
      return failure();
  }
  return write(artifact);
}

LogicalResult ArtifactCompiler::write(ModuleOp module, StringRef blobDirectory, StringRef path) {
  return lowerLevels(module, blobDirectory,
                     [&](const ArtifactOptions &artifact) { return writeArtifact(module, artifact, path); });
}

LogicalResult ArtifactCompiler::write(ModuleOp module, StringRef blobDirectory, llvm::raw_pwrite_stream &stream) {
  return lowerLevels(module, blobDirectory,
                     [&](const ArtifactOptions &artifact) { return writeArtifact(module, artifact, stream); });
}
