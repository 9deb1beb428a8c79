//===- Module.cpp - Reading, printing and changing modules ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Impl.h"
#include "RelaxDialect/Pipelines/Pipelines.h"
#include "RelaxDialect/Pipelines/Remarks.h"
#include "RelaxDialect/Target/Import/GGUF.h"
#include "RelaxDialect/Target/Import/ONNX.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"

using namespace mlir;
using namespace relax_capi;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static std::unique_ptr<relax_module> makeModule(relax_context *context) {
  auto result = std::make_unique<relax_module>();
  result->owner = context;
  return result;
}

static relax_status parseBuffer(relax_context *context, std::unique_ptr<llvm::MemoryBuffer> buffer,
                                relax_module **out_module) {
  std::unique_ptr<relax_module> result = makeModule(context);
  result->sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  Call call(context, result.get());
  if (!call.isReady())
    return RELAX_INVALID_ARGUMENT;
  result->module = relax::parseAndImport(result->sources, context, /*all=*/false);
  if (!result->module)
    return call.failWith(RELAX_INVALID_MODULE, "the module cannot be read");
  *out_module = result.release();
  return RELAX_OK;
}

relax_status relax_module_parse(relax_context *context, const char *bytes, size_t size, const char *name,
                                relax_module **out_module) {
  if (!context || !out_module || (!bytes && size))
    return Call().fail(RELAX_INVALID_ARGUMENT, "context, bytes or out_module is NULL");
  *out_module = nullptr;
  return parseBuffer(context, llvm::MemoryBuffer::getMemBufferCopy(StringRef(bytes, size), name ? name : "<text>"),
                     out_module);
}

relax_status relax_module_parse_file(relax_context *context, const char *path, relax_module **out_module) {
  if (!context || !path || !out_module)
    return Call().fail(RELAX_INVALID_ARGUMENT, "context, path or out_module is NULL");
  *out_module = nullptr;
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &error);
  if (!buffer)
    return Call().fail(RELAX_IO_FAILED, error);
  return parseBuffer(context, std::move(buffer), out_module);
}

static relax_status importModel(relax_context *context, llvm::function_ref<OwningOpRef<ModuleOp>()> import,
                                relax_module **out_module) {
  std::unique_ptr<relax_module> result = makeModule(context);
  Call call(context, result.get());
  if (!call.isReady())
    return RELAX_INVALID_ARGUMENT;
  result->module = import();
  if (!result->module)
    return call.failWith(RELAX_INVALID_MODULE, "the model cannot be imported");
  *out_module = result.release();
  return RELAX_OK;
}

relax_status relax_module_import_onnx(relax_context *context, const char *path, const relax_onnx_options *options,
                                      relax_module **out_module) {
  if (!context || !path || !out_module)
    return Call().fail(RELAX_INVALID_ARGUMENT, "context, path or out_module is NULL");
  *out_module = nullptr;
  relax::ONNXImportOptions import;
  if (options) {
    for (int64_t i = 0; i < options->num_symbols; ++i)
      import.symbols[options->symbol_names[i]] = options->symbol_values[i];
    for (int64_t i = 0; i < options->num_dims; ++i)
      import.dims[options->dim_names[i]] = options->dim_values[i];
    import.facts.assign(options->facts, options->facts + options->num_facts);
    import.opset = options->opset;
  }
  return importModel(context, [&] { return relax::importONNX(path, context, import); }, out_module);
}

relax_status relax_module_import_gguf(relax_context *context, const char *path, const relax_gguf_options *options,
                                      relax_module **out_module) {
  if (!context || !path || !out_module)
    return Call().fail(RELAX_INVALID_ARGUMENT, "context, path or out_module is NULL");
  *out_module = nullptr;
  relax::GGUFImportOptions import;
  if (options) {
    import.facts.assign(options->facts, options->facts + options->num_facts);
    import.allLogits = options->all_logits != 0;
    import.pageSize = options->page_size;
  }
  return importModel(context, [&] { return relax::importGGUF(path, context, import); }, out_module);
}

relax_status relax_module_clone(const relax_module *module, relax_module **out_module) {
  if (!module || !out_module)
    return Call().fail(RELAX_INVALID_ARGUMENT, "module or out_module is NULL");
  *out_module = nullptr;
  Call call(module->owner, module);
  if (!call.isReady())
    return RELAX_INVALID_ARGUMENT;
  std::unique_ptr<relax_module> result = makeModule(module->owner);
  // Messages about the copy show the same lines.
  for (unsigned i = 1; i <= module->sources.getNumBuffers(); ++i) {
    const llvm::MemoryBuffer *buffer = module->sources.getMemoryBuffer(i);
    result->sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(buffer->getBuffer(), buffer->getBufferIdentifier()), llvm::SMLoc());
  }
  result->module = module->module.get().clone();
  result->isValid = module->isValid;
  result->isChanged = module->isChanged;
  *out_module = result.release();
  return RELAX_OK;
}

void relax_module_destroy(relax_module *module) {
  if (!module)
    return;
  std::unique_lock<std::recursive_mutex> lock(module->owner->mutex);
  delete module;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// `op` takes the thread-local messages with it: what is done with a module between entry and exit of one call.
template <typename Fn> static relax_status withModule(const relax_module *module, Fn fn) {
  if (!module)
    return Call().fail(RELAX_INVALID_ARGUMENT, "module is NULL");
  Call call(module->owner, module);
  return call.isReady() ? fn(call) : RELAX_INVALID_ARGUMENT;
}

relax_status relax_module_print(const relax_module *module, relax_bytes_fn fn, void *user) {
  std::string text;
  relax_status status = withModule(module, [&](Call &) {
    llvm::raw_string_ostream stream(text);
    OpPrintingFlags flags;
    if (!module->isValid)
      flags.printGenericOpForm();
    module->module.get()->print(stream, flags);
    stream << "\n";
    return RELAX_OK;
  });
  if (status == RELAX_OK)
    deliver(fn, user, text);
  return status;
}

relax_status relax_module_write_bytecode(const relax_module *module, relax_bytes_fn fn, void *user) {
  std::string bytes;
  relax_status status = withModule(module, [&](Call &call) {
    llvm::raw_string_ostream stream(bytes);
    if (!checkValid(module) || failed(writeBytecodeToFile(module->module.get(), stream)))
      return call.failWith(RELAX_INVALID_MODULE, "the module cannot be written as bytecode");
    return RELAX_OK;
  });
  if (status == RELAX_OK)
    deliver(fn, user, bytes);
  return status;
}

bool relax_capi::checkValid(const relax_module *module) {
  if (module->isValid && module->isChanged)
    module->isChanged = failed(verify(module->module.get()));
  return module->isValid && !module->isChanged;
}

relax_status relax_module_verify(const relax_module *module) {
  return withModule(module, [&](Call &call) {
    return checkValid(module) && succeeded(verify(module->module.get()))
               ? RELAX_OK
               : call.failWith(RELAX_INVALID_MODULE, "an earlier pipeline left an invalid module");
  });
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

struct relax_pass_run {
  std::string name;
  Operation *op = nullptr;
};

namespace {

/// Tells the caller of each pass; the adaptors that run passes on nested operations are not passes of the pipeline.
class Observer final : public PassInstrumentation {
public:
  explicit Observer(const relax_pipeline_options &options) : options(options) {}

  void runBeforePass(Pass *pass, Operation *op) override { tell(RELAX_BEFORE_PASS, pass, op); }
  void runAfterPass(Pass *pass, Operation *op) override { tell(RELAX_AFTER_PASS, pass, op); }
  void runAfterPassFailed(Pass *pass, Operation *op) override { tell(RELAX_AFTER_FAILED_PASS, pass, op); }

private:
  void tell(relax_pass_event event, Pass *pass, Operation *op) {
    if (pass->getArgument().empty())
      return;
    relax_pass_run run{pass->getArgument().str(), op};
    options.fn(options.user, event, &run);
  }
  relax_pipeline_options options;
};

/// The pipeline with the anchor in front that its text may leave out.
FailureOr<OpPassManager> parsePipeline(StringRef text, raw_ostream &errors) {
  text = text.trim();
  std::string whole = text.starts_with("builtin.module(") ? text.str() : ("builtin.module(" + text + ")").str();
  return parsePassPipeline(whole, errors);
}

} // namespace

const char *relax_pass_run_name(const relax_pass_run *run) { return run->name.c_str(); }

void relax_pass_run_print(const relax_pass_run *run, relax_bytes_fn fn, void *user) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  run->op->print(stream, OpPrintingFlags().useLocalScope());
  deliver(fn, user, text);
}

static relax_status runPipeline(Call &call, relax_module *module, StringRef text,
                                const relax_pipeline_options *options) {
  MLIRContext &context = *module->owner;
  if (!checkValid(module))
    return call.failWith(RELAX_INVALID_MODULE, "an earlier pipeline left an invalid module");
  std::string parseErrors;
  llvm::raw_string_ostream parseStream(parseErrors);
  FailureOr<OpPassManager> pipeline = parsePipeline(text, parseStream);
  if (failed(pipeline))
    return call.fail(RELAX_INVALID_ARGUMENT, StringRef(parseErrors).rtrim().empty()
                                                 ? "not a pipeline: '" + text.str() + "'"
                                                 : StringRef(parseErrors).rtrim().str());
  PassManager manager(&context, ModuleOp::getOperationName());
  static_cast<OpPassManager &>(manager) = std::move(*pipeline);
  manager.enableVerifier(!options || !options->skip_verifier);
  bool isWatched = options && options->fn;
  if (isWatched)
    manager.addInstrumentation(std::make_unique<Observer>(*options));
  bool hasRemarks = options && options->remarks && options->remark_fn;
  if (hasRemarks) {
    auto tell = [options](const relax::PassRemark &found) {
      relax_remark remark = {found.kind.c_str(), found.category.c_str(), found.name.c_str(), found.message.c_str(),
                             found.place.c_str()};
      options->remark_fn(options->user, &remark);
    };
    if (failed(relax::forEachRemark(&context, options->remarks, tell)))
      return call.fail(RELAX_INVALID_ARGUMENT, "not a regular expression: '" + std::string(options->remarks) + "'");
  }
  module->view.reset();
  module->owner->isRunning = true;
  // Callbacks come from the caller's thread.
  if (isWatched)
    context.disableMultithreading();
  LogicalResult result = manager.run(*module->module);
  if (isWatched)
    context.enableMultithreading();
  if (hasRemarks)
    context.setRemarkEngine(nullptr);
  module->owner->isRunning = false;
  module->functions.reset();
  if (succeeded(result))
    return RELAX_OK;
  relax_status status = call.failWith(RELAX_PASS_FAILED, "a pass failed without a message");
  // A pass that fails half way may leave anything; what it leaves is asked for quietly.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  module->isValid = succeeded(verify(*module->module));
  return module->isValid ? status : RELAX_INVALID_MODULE;
}

relax_status relax_module_run_pipeline(relax_module *module, const char *pipeline,
                                       const relax_pipeline_options *options) {
  if (!pipeline)
    return Call().fail(RELAX_INVALID_ARGUMENT, "pipeline is NULL");
  return withModule(module, [&](Call &call) { return runPipeline(call, module, pipeline, options); });
}
