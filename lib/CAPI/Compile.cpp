//===- Compile.cpp - From a module to an artifact -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Impl.h"
#include "RelaxDialect/Pipelines/Pipelines.h"
#include "RelaxDialect/Target/Artifact.h"
#include "RelaxDialect/Target/EntryPoints.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::relax;
using namespace relax_capi;

/// Runs `write` on a copy of the module in LLVM dialect.
static relax_status compile(const relax_module *module, const relax_compile_options *options,
                            function_ref<LogicalResult(ModuleOp, const ArtifactOptions &)> write) {
  relax_compile_options given = options ? *options : relax_compile_options{};
  Call call(module->owner, module);
  if (!call.isReady())
    return RELAX_INVALID_ARGUMENT;
  if (!checkValid(module))
    return call.failWith(RELAX_INVALID_MODULE, "an earlier pipeline left an invalid module");
  std::string reason;
  FailureOr<CodeTarget> target = getCodeTarget(given.target ? given.target : "cpu", reason);
  if (failed(target))
    return call.fail(RELAX_INVALID_ARGUMENT, reason);
  std::vector<std::string> names(given.functions, given.functions + given.num_functions);
  OwningOpRef<ModuleOp> copy = module->module.get().clone();
  if (failed(selectEntryPoints(*copy, names, reason)))
    return call.fail(RELAX_INVALID_ARGUMENT, reason);
  PassManager manager(module->owner, ModuleOp::getOperationName());
  KernelPipelineOptions kernels;
  kernels.vectorBits = target->vectorBits;
  kernels.capture = given.capture != 0;
  if (given.mixed_precision)
    kernels.mixedPrecision = given.mixed_precision;
  buildDefaultPipeline(manager, kernels);
  if (failed(manager.run(*copy)))
    return call.failWith(RELAX_COMPILE_FAILED, "a pass failed without a message");
  ArtifactOptions artifact{*target, given.blob_directory ? given.blob_directory : ""};
  if (failed(write(*copy, artifact)))
    return call.failWith(RELAX_COMPILE_FAILED, "the artifact cannot be made");
  return RELAX_OK;
}

relax_status relax_module_compile(const relax_module *module, const relax_compile_options *options, const char *path) {
  if (!module || !path)
    return Call().fail(RELAX_INVALID_ARGUMENT, "module or path is NULL");
  return compile(module, options, [&](ModuleOp compiled, const ArtifactOptions &artifact) {
    return writeArtifact(compiled, artifact, path);
  });
}

relax_status relax_module_compile_to_bytes(const relax_module *module, const relax_compile_options *options,
                                           relax_bytes_fn fn, void *user) {
  if (!module)
    return Call().fail(RELAX_INVALID_ARGUMENT, "module is NULL");
  SmallVector<char, 0> bytes;
  relax_status status = compile(module, options, [&](ModuleOp compiled, const ArtifactOptions &artifact) {
    llvm::raw_svector_ostream stream(bytes);
    return writeArtifact(compiled, artifact, stream);
  });
  if (status == RELAX_OK)
    deliver(fn, user, StringRef(bytes.data(), bytes.size()));
  return status;
}
