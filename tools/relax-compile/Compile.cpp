//===- Compile.cpp - From a model to an artifact --------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Compile.h"
#include "DeviceFiles.h"
#include "Report.h"

#include "RelaxDialect/Compiler/ArtifactCompiler.h"
#include "RelaxDialect/Conversion/DeviceTables.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDonation.h"
#include "RelaxDialect/Target/EntryPoints.h"
#include "RelaxDialect/Target/Import/GGUF.h"
#include "RelaxDialect/Target/Import/ONNX.h"
#include "RelaxDialect/Transforms/ReportPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::relax;

namespace {

/// Keeps the text of the module as it is after one pass.
class Snapshot final : public PassInstrumentation {
public:
  Snapshot(StringRef pass, std::optional<std::string> &text) : pass(pass), text(text) {}

  void runAfterPass(Pass *run, Operation *op) override {
    if (run->getArgument() != pass)
      return;
    Operation *module = op;
    while (Operation *parent = module->getParentOp())
      module = parent;
    text.emplace();
    llvm::raw_string_ostream(*text) << *module << "\n";
  }

private:
  std::string pass;
  std::optional<std::string> &text;
};

/// A pass, or one of those that it runs on functions, has this name.
bool isNamed(Pass &pass, StringRef name) {
  std::string text;
  llvm::raw_string_ostream os(text);
  pass.printAsTextualPipeline(os);
  SmallVector<StringRef> words;
  llvm::SplitString(text, words, "(){}, ");
  return llvm::is_contained(words, name);
}

/// Pass managers copy passes, but give none away: cloning is for what derives from passes.
struct PassCloner : Pass {
  static std::unique_ptr<Pass> clonePassOf(const Pass &pass) {
    constexpr std::unique_ptr<Pass> (Pass::*copy)() const = &PassCloner::clone;
    return (pass.*copy)();
  }
};

/// Leaves out what runs behind the last pass of this name; false when there is none.
bool stopAfter(PassManager &from, StringRef name, PassManager &to) {
  SmallVector<Pass *> passes = llvm::map_to_vector(from.getPasses(), [](Pass &pass) { return &pass; });
  while (!passes.empty() && !isNamed(*passes.back(), name))
    passes.pop_back();
  for (Pass *pass : passes)
    to.addPass(PassCloner::clonePassOf(*pass));
  return !passes.empty();
}

LogicalResult error(const Twine &message) {
  llvm::errs() << "relax-compile: error: " << message << "\n";
  return failure();
}

LogicalResult writeFile(StringRef path, function_ref<void(raw_ostream &)> write) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path.empty() ? "-" : path, &message);
  if (!file)
    return error(message);
  write(file->os());
  file->os().flush();
  if (std::error_code code = file->os().error()) {
    file->os().clear_error();
    return error("cannot write '" + path + "': " + code.message());
  }
  file->keep();
  return success();
}

OwningOpRef<ModuleOp> readModel(const CompileOptions &options, llvm::SourceMgr &sources, MLIRContext &context) {
  if (StringRef(options.input).ends_with(".onnx"))
    return importONNX(options.input, &context, options.import);
  if (StringRef(options.input).ends_with(".gguf"))
    return importGGUF(options.input, &context, options.importGGUF);
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(options.input, &message);
  if (!buffer) {
    (void)error(message);
    return nullptr;
  }
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return parseAndImport(sources, &context, /*all=*/true);
}

/// The file of a description.
std::string findLibrary(const CompileOptions &options, StringRef name) {
  SmallString<128> shipped(options.libraryDirectory);
  llvm::sys::path::append(shipped, name + ".mlir");
  return !llvm::sys::fs::exists(name) && llvm::sys::fs::exists(shipped) ? shipped.str().str() : name.str();
}

/// Groups of passes that results do not depend on, on or off.
LogicalResult setGroups(StringRef flag, const std::vector<std::string> &groups, bool on,
                        KernelPipelineOptions &kernels) {
  const std::pair<StringRef, decltype(KernelPipelineOptions::fuse) *> switches[] = {
      {"fusion", &kernels.fuse},        {"weights", &kernels.liftWeights}, {"packing", &kernels.packWeights},
      {"growth", &kernels.growInPlace}, {"sharing", &kernels.shareMemory}, {"products", &kernels.combineProducts},
      {"moves", &kernels.sinkMoves},    {"layout", &kernels.convLayout}};
  for (StringRef group : groups) {
    const auto *found = llvm::find_if(switches, [&](auto entry) { return entry.first == group; });
    if (found == std::end(switches))
      return error(flag + ": there is no group '" + group + "', expected " +
                   llvm::join(llvm::make_first_range(switches), ", "));
    *found->second = on;
  }
  return success();
}

LogicalResult emitCode(const CompileOptions &options, const CodeTarget &target, ModuleOp module) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateAndOptimize(module, target, context);
  if (!code)
    return failure();
  if (options.emit == Emit::LLVM)
    return writeFile(options.output, [&](raw_ostream &os) { code->print(os, nullptr); });
  SmallVector<char> object;
  if (failed(emitObject(module, *code, target, object)))
    return failure();
  return writeFile(options.output, [&](raw_ostream &os) { os.write(object.data(), object.size()); });
}

LogicalResult emit(const CompileOptions &options, ArtifactCompiler &compiler, ModuleOp module) {
  switch (options.emit) {
  case Emit::MLIR:
    return writeFile(options.output, [&](raw_ostream &os) { os << *module << "\n"; });
  case Emit::LLVM:
  case Emit::Object:
    return emitCode(options, compiler.getLevels().front(), module);
  case Emit::Artifact:
    return compiler.write(module, /*blobDirectory=*/"", options.output);
  }
  llvm_unreachable("all kinds are covered");
}

LogicalResult writeReport(const CompileOptions &options, const Instruments &instruments, const Report &report,
                          ModuleOp module) {
  std::unique_ptr<llvm::MemoryBuffer> profile;
  if (!options.reportProfile.empty()) {
    std::string message;
    profile = openInputFile(options.reportProfile, &message);
    if (!profile)
      return error(message);
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(profile->getBuffer());
    if (!value)
      return error("'" + options.reportProfile + "' is no trace of relax-run: " + llvm::toString(value.takeError()));
  }
  std::string page = report.write(module, llvm::sys::path::filename(options.input), instruments,
                                  profile ? profile->getBuffer() : StringRef());
  return writeFile(options.reportHTML, [&](raw_ostream &os) { os << page; });
}

/// Marks inputs of the entries as memory that the function may write. A name may be a pattern.
LogicalResult donateInputs(ModuleOp module, ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(name);
    if (!pattern)
      return error("--donate: '" + name + "': " + llvm::toString(pattern.takeError()));
    bool isFound = false;
    for (auto function : module.getOps<func::FuncOp>())
      for (unsigned index = 0; function.isPublic() && index < function.getNumArguments(); ++index) {
        auto given = function.getArgAttrOfType<StringAttr>(index, graph::kNameAttrName);
        bool isTensor = isa<RankedTensorType>(function.getArgumentTypes()[index]);
        if (!isTensor || !pattern->match(given ? given.str() : "arg" + std::to_string(index)))
          continue;
        isFound = true;
        function.setArgAttr(index, graph::kDonatedAttrName, UnitAttr::get(module.getContext()));
      }
    if (!isFound)
      return error("--donate: no input is named '" + name + "'");
  }
  return success();
}

/// What a run leaves behind, whether it succeeded or not.
LogicalResult writeTrace(const CompileOptions &options, Instruments &instruments) {
  if (options.instruments.trace.empty())
    return success();
  return writeFile(options.instruments.trace, [&](raw_ostream &os) { instruments.writeTrace(os); });
}

LogicalResult compileWith(const CompileOptions &options, const DialectRegistry &registry, Instruments &instruments) {
  std::string reason;
  FailureOr<std::unique_ptr<ArtifactCompiler>> compiler = ArtifactCompiler::create(options.target, reason);
  if (failed(compiler))
    return error(reason);
  ArrayRef<CodeTarget> levels = (*compiler)->getLevels();
  if (levels.size() > 1 && options.emit != Emit::Artifact)
    return error("code for several CPUs is only written as an artifact, name one with --target");
  if (options.output.empty() && options.emit != Emit::MLIR && options.emit != Emit::LLVM)
    return error("name the result with -o");
  if (options.output == "-" && options.emit == Emit::Artifact)
    return error("an artifact cannot be written to standard output");
  if (!options.after.empty() && options.emit != Emit::MLIR)
    return error("--after shows MLIR, add --emit=mlir");

  MLIRContext context(registry);
  if (failed(instruments.attach(&context, reason)))
    return error(reason);
  // A message says what is wrong; the op is in the input, and may be the whole model.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  instruments.begin("read");
  OwningOpRef<ModuleOp> module = readModel(options, sources, context);
  instruments.end();
  if (!module)
    return failure();
  if (failed(selectEntryPoints(*module, options.functions, reason, "--function")))
    return error(reason);
  if (failed(donateInputs(*module, options.donated)))
    return failure();
  // What is said of the module as a whole is about files, and has no line.
  ScopedDiagnosticHandler wholeModule(&context, [location = module->getLoc()](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error || diagnostic.getLocation() != location)
      return failure();
    (void)error(diagnostic.str());
    return success(); // handled
  });

  std::optional<std::string> text;
  KernelPipelineOptions &kernels = (*compiler)->getOptions();
  for (const std::string &name : options.libraries)
    kernels.libraries.push_back(findLibrary(options, name));
  kernels.patterns = options.patterns;
  kernels.dispatchTable = options.dispatchTable;
  kernels.liftWorkspaces = options.liftWorkspaces;
  kernels.capture = options.capture;
  kernels.preallocateCaches = options.preallocateCaches;
  kernels.ptxas = options.ptxas;
  if (failed(setGroups("--enable", options.enabled, true, kernels)) ||
      failed(setGroups("--disable", options.disabled, false, kernels)))
    return failure();
  kernels.quantizeWeights = options.quantizeWeights;
  kernels.mixedPrecision = options.mixedPrecision;
  kernels.quantizeActivations = options.quantizeActivations;
  PassManager all(&context, ModuleOp::getOperationName()), some(&context, ModuleOp::getOperationName());
  (*compiler)->buildPipeline(all);
  PassManager &passes = options.after.empty() ? all : some;
  if (!options.after.empty()) {
    if (!stopAfter(all, options.after, some))
      return error("no pass '" + options.after + "' was run");
    context.disableMultithreading();
    passes.addInstrumentation(std::make_unique<Snapshot>(options.after, text));
  }
  instruments.attach(passes);
  (*compiler)->onPassManager([&](PassManager &manager) { instruments.attach(manager); });
  Report report;
  if (!options.reportHTML.empty())
    report.attach(passes);
  LogicalResult result = passes.run(*module);
  if (succeeded(result) && !options.memoryReport.empty()) {
    std::string memory = collectMemoryReports(*module);
    if (StringRef(options.memoryReport).ends_with(".html"))
      memory = drawMemoryReports(memory);
    if (failed(writeFile(options.memoryReport, [&](raw_ostream &os) { os << memory; })))
      return failure();
  }
  if (succeeded(result) && options.report)
    printDeviceReport(*module, llvm::outs());
  std::string problem;
  if (succeeded(result) && !options.saveDeviceCode.empty() &&
      failed(saveDeviceCode(*module, options.saveDeviceCode, problem)))
    return error(problem);
  if (succeeded(result) && !options.reportHTML.empty() && failed(writeReport(options, instruments, report, *module)))
    return failure();
  if (text)
    return success(succeeded(writeFile(options.output, [&](raw_ostream &os) { os << *text; })) && succeeded(result));
  if (failed(result))
    return failure();
  if (!options.after.empty())
    return error("no pass '" + options.after + "' was run");
  instruments.begin("generate code");
  result = emit(options, **compiler, *module);
  instruments.end();
  return result;
}

} // namespace

LogicalResult compile(const CompileOptions &options, const DialectRegistry &registry) {
  Instruments instruments(options.instruments);
  LogicalResult result = compileWith(options, registry, instruments);
  return success(succeeded(writeTrace(options, instruments)) && succeeded(result));
}
