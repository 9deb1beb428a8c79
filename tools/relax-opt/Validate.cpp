//===- Validate.cpp - Validation of pipelines by execution ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Up to the planned phase a module runs in the reference interpreter. Host code
// and kernels do not: what is left of the default pipeline makes an artifact of
// them, which relax-run executes.
//
//===----------------------------------------------------------------------===//
#include "Validate.h"

#include "Execute.h"

#include "RelaxDialect/Support/FirstError.h"
#include "RelaxDialect/Target/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include <tuple>

using namespace mlir;
using namespace mlir::relax;
using namespace relax_opt;

namespace {

struct Request {
  uint64_t seed = 1;
  unsigned samples = 6;
  unsigned optimization = 3;
  std::string reproducer = "relax-validate-reproducer.mlir";
  std::string device; // empty: the CPU
  std::string pipeline;
};

int report(const Twine &message) {
  llvm::errs() << "relax-validate: error: " << message << "\n";
  return 1;
}

/// `[key=value ]* pipeline=REST`
bool parseRequest(StringRef text, Request &request, std::string &error) {
  for (text = text.ltrim(); !text.consume_front("pipeline=");) {
    auto [word, rest] = text.split(' ');
    auto [key, value] = word.split('=');
    bool isKnown = key == "seed"       ? !value.getAsInteger(10, request.seed)
                   : key == "samples"  ? !value.getAsInteger(10, request.samples)
                   : key == "optimize" ? !value.getAsInteger(10, request.optimization) && request.optimization <= 3
                                       : (key == "reproducer" || key == "device") && !value.empty();
    if (!isKnown) {
      error = "expected '[seed=N] [samples=N] [optimize=0..3] [reproducer=FILE] [device=NAME] pipeline=...', got '" +
              word.str() + "'";
      return false;
    }
    if (key == "reproducer")
      request.reproducer = value.str();
    if (key == "device")
      request.device = value.str();
    text = rest.ltrim();
  }
  request.pipeline = text.starts_with("builtin.module(") ? text.str() : ("builtin.module(" + text + ")").str();
  return true;
}

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

/// A pass as pipeline text on a module.
std::string print(Pass *pass, Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  pass->printAsTextualPipeline(os);
  return isa<ModuleOp>(op) || text.find('(') != std::string::npos
             ? text
             : op->getName().getStringRef().str() + "(" + text + ")";
}

/// The passes of a pipeline in text, without options.
SmallVector<std::string> splitPipeline(StringRef text) {
  SmallVector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    depth += (c == '(' || c == '{') - (c == ')' || c == '}');
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// `canonicalize{...}` is canonicalize.
std::string withoutOptions(StringRef text) {
  std::string result;
  int depth = 0;
  for (char c : text) {
    depth += c == '{';
    if (depth == 0)
      result += c;
    depth -= c == '}';
  }
  return result;
}

/// One state of the module that only an artifact can show.
struct CompiledState {
  std::string pass;
  OwningOpRef<ModuleOp> module;
  size_t done; // passes of the default pipeline that have run
};

class Validator final {
public:
  Validator(const Request &request, ModuleOp module) : request(request), context(module.getContext()) {
    prepare(module);
  }

  void afterPass(Pass *pass, Operation *op);
  /// A pass may run others and go on when they fail: only a pipeline that failed is an error.
  void passFailed(Pass *pass, Operation *op) {
    if (failedPass.empty())
      failedPass = print(pass, op);
  }
  /// The exit code.
  int finish(LogicalResult ran);

private:
  void prepare(ModuleOp module);
  void checkInterpreted(ModuleOp module, const std::string &pass);
  void checkCompiled();
  bool compile(const CompiledState &state, const std::string &artifact, std::string &error);
  /// Empty when every sample gives what it should.
  std::string runCompiled(const CompiledState &state);
  bool isLowered(ModuleOp module) const;
  void fail(const std::string &pass, const std::string &what);
  void writeReproducer(const std::string &pass, const std::string &what);

  const Request &request;
  MLIRContext *context;
  std::vector<Entry> entries;
  std::vector<CompiledState> states;
  SmallVector<std::string> defaultPasses;
  size_t done = 0;
  bool seenLowered = false;
  std::string before;              // the module in front of the pass that runs, as the interpreter can run it
  SmallVector<std::string> passes; // that have run on `before`
  std::string failure, failedPass;
  unsigned numChecks = 0;
};

class Watch final : public PassInstrumentation {
public:
  explicit Watch(Validator &validator) : validator(validator) {}
  void runAfterPass(Pass *pass, Operation *op) override { validator.afterPass(pass, op); }
  void runAfterPassFailed(Pass *pass, Operation *op) override { validator.passFailed(pass, op); }

private:
  Validator &validator;
};

} // namespace

void Validator::prepare(ModuleOp module) {
  before = print(module);
  PassManager manager(context, ModuleOp::getOperationName());
  std::string options = request.device.empty() ? "" : "{devices=" + request.device + "}";
  (void)parsePassPipeline("relax-default-pipeline" + options, manager); // registered
  std::string text;
  llvm::raw_string_ostream os(text);
  manager.printAsTextualPipeline(os);
  StringRef inner = text;
  inner.consume_front("builtin.module(");
  inner.consume_back(")");
  defaultPasses = splitPipeline(inner);

  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    Entry entry;
    entry.name = function.getName().str();
    for (unsigned i = 0; i != function.getNumArguments(); ++i)
      entry.inputNames.push_back(interp::getArgumentName(function, i));
    for (unsigned i = 0; i != function.getNumResults(); ++i)
      entry.resultNames.push_back(interp::getResultName(function, i));
    entry.samples = makeSamples(function, request.samples, request.seed);
    for (const Sample &sample : entry.samples)
      entry.references.push_back(makeReference(module, entry.name, sample));
    entries.push_back(std::move(entry));
  }
}

bool Validator::isLowered(ModuleOp module) const {
  return llvm::any_of(entries, [&](const Entry &entry) { return module.lookupSymbol("relax_entry_" + entry.name); });
}

void Validator::afterPass(Pass *pass, Operation *op) {
  if (!failure.empty())
    return;
  failedPass.clear(); // the pass that ran it went on
  Operation *root = op;
  while (Operation *parent = root->getParentOp())
    root = parent;
  auto module = cast<ModuleOp>(root);
  std::string name = print(pass, op);
  if (!isLowered(module)) {
    // Passes nested in functions report one by one; what holds them adds nothing.
    if (pass->getArgument().empty())
      return;
    std::string now = print(module);
    if (now == before)
      return;
    checkInterpreted(module, name);
    if (failure.empty()) {
      before = std::move(now);
      passes.clear();
    }
    return;
  }
  // Between functions some passes have run on some of them only.
  if (op != root)
    return;
  if (!seenLowered) {
    seenLowered = true;
    while (done != defaultPasses.size() && withoutOptions(defaultPasses[done]) != "relax-lower-host")
      ++done;
  }
  for (size_t next = done; next != defaultPasses.size(); ++next)
    if (withoutOptions(defaultPasses[next]) == withoutOptions(name)) {
      done = next + 1;
      break;
    }
  states.push_back({name, module.clone(), done});
}

void Validator::checkInterpreted(ModuleOp module, const std::string &pass) {
  for (const Entry &entry : entries)
    for (auto [number, sample] : llvm::enumerate(entry.samples)) {
      const Reference &reference = entry.references[number];
      // A run that ends in an error says nothing: a pass may remove what nobody uses.
      if (!reference.isComparable())
        continue;
      Tensors results;
      interp::RunError error;
      std::string why;
      if (interpret(module, entry.name, sample, results, error))
        why = compare(reference, results, entry.resultNames);
      else if (error.exceedsLimits)
        continue; // decomposed ops need more steps and larger tensors
      else
        why = "the run ends in an error: " + error.message;
      ++numChecks;
      if (!why.empty())
        return fail(pass, "changed the answer: function '" + entry.name + "' with " +
                              (sample.sizes.empty() ? "these inputs" : sample.sizes) + ": " + why);
    }
}

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

bool Validator::compile(const CompiledState &state, const std::string &artifact, std::string &error) {
  OwningOpRef<ModuleOp> module = state.module.get().clone();
  FirstError first(context, error);
  std::string rest;
  for (size_t i = state.done; i != defaultPasses.size(); ++i)
    rest += (rest.empty() ? "" : ",") + defaultPasses[i];
  PassManager manager(context, ModuleOp::getOperationName());
  FailureOr<CodeTarget> target = getCodeTarget("cpu", error);
  if (failed(target) || failed(parsePassPipeline(rest, manager)) || failed(manager.run(*module)))
    return false;
  target->optimization = request.optimization;
  return succeeded(writeArtifact(*module, {*target, /*blobDirectory=*/""}, artifact));
}

std::string Validator::runCompiled(const CompiledState &state) {
  SmallString<128> folder;
  if (llvm::sys::fs::createUniqueDirectory("relax-validate", folder))
    return "no temporary folder can be made";
  llvm::scope_exit cleanUp([&] { std::ignore = llvm::sys::fs::remove_directories(folder); });
  std::string artifact = (folder + "/a.rlx").str(), error;
  if (!compile(state, artifact, error))
    return "no artifact can be made: " + error;
  for (const Entry &entry : entries) {
    std::vector<unsigned> samples;
    for (unsigned i = 0; i != entry.samples.size(); ++i)
      if (entry.references[i].isComparable())
        samples.push_back(i);
    std::vector<Tensors> results;
    if (samples.empty())
      continue;
    std::string where = "function '" + entry.name + "'";
    if (!runArtifact(context, artifact, entry, samples, request.device, results, error))
      return where + ": " + error;
    for (auto [sample, values] : llvm::zip_equal(samples, results)) {
      ++numChecks;
      std::string why = compare(entry.references[sample], values, entry.resultNames);
      if (!why.empty())
        return where + " with " + (entry.samples[sample].sizes.empty() ? "these inputs" : entry.samples[sample].sizes) +
               ": " + why;
    }
  }
  return "";
}

/// What relax-run says before it runs anything.
static bool isWithoutDevice(StringRef why) {
  return why.contains("relax-run: error: device '") || why.contains("the artifact has no code for device '");
}

/// The last state first: when it is right, so were those before it.
void Validator::checkCompiled() {
  std::string last = states.empty() ? "" : runCompiled(states.back());
  if (last.empty())
    return;
  if (isWithoutDevice(last)) { // says nothing about passes
    failure = last;
    report("nothing was compared: " + last);
    return;
  }
  for (const CompiledState &state : states) {
    std::string why = runCompiled(state);
    if (!why.empty()) {
      fail(state.pass, "changed the answer: " + why);
      return;
    }
    passes.push_back(state.pass);
  }
}

//===----------------------------------------------------------------------===//
// Outcome
//===----------------------------------------------------------------------===//

void Validator::fail(const std::string &pass, const std::string &what) {
  failure = what;
  report("pass '" + pass + "' " + what);
  writeReproducer(pass, what);
}

void Validator::writeReproducer(const std::string &pass, const std::string &what) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(request.reproducer, &message);
  if (!file) {
    report(message);
    return;
  }
  std::string pipeline;
  for (const std::string &ran : passes)
    pipeline += ran + ",";
  pipeline += pass;
  file->os() << "// " << StringRef(what).split('\n').first << "\n// relax-opt " << request.reproducer
             << " --relax-validate='seed=" << request.seed << " samples=" << request.samples
             << " optimize=" << request.optimization << (request.device.empty() ? "" : " device=" + request.device)
             << " pipeline=builtin.module(" << pipeline << ")'\n"
             << before << "\n";
  file->keep();
  llvm::errs() << "relax-validate: the module before it is in " << request.reproducer << "\n";
}

int Validator::finish(LogicalResult ran) {
  if (failure.empty() && failed(ran))
    fail(failedPass, "failed");
  if (failure.empty())
    checkCompiled();
  if (!failure.empty())
    return 1;
  unsigned total = 0, errors = 0, undecided = 0;
  for (const Entry &entry : entries)
    for (const Reference &reference : entry.references) {
      ++total;
      errors += !reference.error.empty();
      undecided += reference.error.empty() && !reference.isComparable();
    }
  if (total == 0)
    return report("nothing was executed: no public function whose sizes and inputs can be sampled");
  if (errors == total)
    return report("nothing was compared: every sample ends in an error, the first one: " +
                  entries.front().references.front().error);
  llvm::errs() << "relax-validate: " << numChecks << " executions agree; " << total << " samples, " << errors
               << " of them errors, " << undecided << " decided by rounding\n";
  return 0;
}

int relax_opt::validate(StringRef text, StringRef input, const DialectRegistry &registry) {
  Request request;
  std::string error;
  if (!parseRequest(text, request, error))
    return report(error);
  MLIRContext context(registry);
  context.disableMultithreading(); // passes are watched one after the other
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(input, &error);
  if (!buffer)
    return report(error);
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return 1;
  FailureOr<OpPassManager> parsed = parsePassPipeline(request.pipeline);
  if (failed(parsed))
    return report("the pipeline is not one");
  PassManager manager(&context, ModuleOp::getOperationName());
  static_cast<OpPassManager &>(manager) = std::move(*parsed);
  Validator validator(request, *module);
  manager.addInstrumentation(std::make_unique<Watch>(validator));
  return validator.finish(manager.run(*module));
}
