//===- Compile.cpp - From a module to an artifact -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Impl.h"
#include "RelaxDialect/Compiler/ArtifactCompiler.h"
#include "RelaxDialect/Target/EntryPoints.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::relax;
using namespace relax_capi;

/// Runs `write` on a copy of the module as the default pipeline leaves it.
static relax_status compile(const relax_module *module, const relax_compile_options *options,
                            function_ref<LogicalResult(ArtifactCompiler &, ModuleOp, StringRef)> write) {
  relax_compile_options given = options ? *options : relax_compile_options{};
  Call call(module->owner, module);
  if (!call.isReady())
    return RELAX_INVALID_ARGUMENT;
  if (!checkValid(module))
    return call.failWith(RELAX_INVALID_MODULE, "an earlier pipeline left an invalid module");
  std::string reason;
  FailureOr<std::unique_ptr<ArtifactCompiler>> compiler =
      ArtifactCompiler::create(given.target ? given.target : "cpu", reason);
  if (failed(compiler))
    return call.fail(RELAX_INVALID_ARGUMENT, reason);
  if (given.pipeline_options && failed((*compiler)->setOptions(given.pipeline_options, reason)))
    return call.fail(RELAX_INVALID_ARGUMENT, reason);
  if (given.capture)
    (*compiler)->getOptions().capture = true;
  std::vector<std::string> names(given.functions, given.functions + given.num_functions);
  OwningOpRef<ModuleOp> copy = module->module.get().clone();
  if (failed(selectEntryPoints(*copy, names, reason)))
    return call.fail(RELAX_INVALID_ARGUMENT, reason);
  PassManager manager(module->owner, ModuleOp::getOperationName());
  (*compiler)->buildPipeline(manager);
  if (failed(manager.run(*copy)))
    return call.failWith(RELAX_COMPILE_FAILED, "a pass failed without a message");
  if (failed(write(**compiler, *copy, given.blob_directory ? given.blob_directory : "")))
    return call.failWith(RELAX_COMPILE_FAILED, "the artifact cannot be made");
  return RELAX_OK;
}

relax_status relax_module_compile(const relax_module *module, const relax_compile_options *options, const char *path) {
  if (!module || !path)
    return Call().fail(RELAX_INVALID_ARGUMENT, "module or path is NULL");
  return compile(module, options, [&](ArtifactCompiler &compiler, ModuleOp compiled, StringRef blobs) {
    return compiler.write(compiled, blobs, path);
  });
}

relax_status relax_module_compile_to_bytes(const relax_module *module, const relax_compile_options *options,
                                           relax_bytes_fn fn, void *user) {
  if (!module)
    return Call().fail(RELAX_INVALID_ARGUMENT, "module is NULL");
  SmallVector<char, 0> bytes;
  relax_status status = compile(module, options, [&](ArtifactCompiler &compiler, ModuleOp compiled, StringRef blobs) {
    llvm::raw_svector_ostream stream(bytes);
    return compiler.write(compiled, blobs, stream);
  });
  if (status == RELAX_OK)
    deliver(fn, user, StringRef(bytes.data(), bytes.size()));
  return status;
}
