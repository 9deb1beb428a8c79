//===- relax-interpret.cpp - Runs a module in the reference interpreter ---===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/InitAll.h"
#include "RelaxDialect/Interpreter/Interpreter.h"
#include "RelaxDialect/Support/Version.h"
#include "TensorFiles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::relax;
using namespace relax_interpret;

namespace {

struct Options {
  std::string file, function;
  std::vector<std::string> inputs, outputs;
};

int report(const Twine &message) {
  llvm::errs() << "relax-interpret: error: " << message << "\n";
  return 1;
}

/// The function asked for; `main` or the only one when none is.
func::FuncOp selectFunction(ModuleOp module, StringRef name, std::string &error) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      functions.push_back(function);
  auto names = llvm::map_to_vector(functions, [](func::FuncOp function) { return function.getName(); });
  for (func::FuncOp function : functions)
    if (function.getName() == (name.empty() ? "main" : name))
      return function;
  if (name.empty() && functions.size() == 1)
    return functions.front();
  error = name.empty() ? "no function 'main', give --function; the module has: " + llvm::join(names, ", ")
                       : ("no function '" + name + "', the module has: ").str() + llvm::join(names, ", ");
  return {};
}

/// Inputs in the order of the arguments; every array is used.
bool matchInputs(func::FuncOp function, const std::vector<NamedTensor> &arrays, std::vector<interp::Tensor> &inputs,
                 std::string &error) {
  std::vector<bool> used(arrays.size());
  std::vector<std::string> names;
  for (unsigned i = 0; i != function.getNumArguments(); ++i) {
    names.push_back(interp::getArgumentName(function, i));
    size_t found = 0;
    while (found < arrays.size() && arrays[found].name != names.back())
      ++found;
    if (found == arrays.size()) {
      error = "missing input '" + names.back() + "'";
      return false;
    }
    used[found] = true;
    inputs.push_back(arrays[found].tensor);
  }
  for (size_t i = 0; i < arrays.size(); ++i)
    if (!used[i]) {
      error = "unknown input '" + arrays[i].name + "', the function has: " + llvm::join(names, ", ");
      return false;
    }
  return true;
}

int run(const Options &options, const DialectRegistry &registry) {
  if (options.inputs.size() != options.outputs.size())
    return report("--inputs and --outputs come in pairs");
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(options.file, &error);
  if (!buffer)
    return report(error);
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return 1;
  func::FuncOp function = selectFunction(*module, options.function, error);
  if (!function)
    return report(error);

  interp::InterpreterOptions interpreterOptions;
  interpreterOptions.blobDirectory = llvm::sys::path::parent_path(options.file).str();
  interp::Interpreter interpreter(*module, interpreterOptions);
  for (size_t i = 0; i != options.inputs.size(); ++i) {
    std::vector<NamedTensor> arrays, outputs;
    std::vector<interp::Tensor> inputs;
    if (!readTensors(&context, options.inputs[i], arrays, error))
      return report(error);
    if (!matchInputs(function, arrays, inputs, error))
      return report(options.inputs[i] + ": " + error);
    interp::RunError failure;
    FailureOr<SmallVector<interp::Tensor>> results = interpreter.run(function, inputs, failure);
    if (failed(results)) {
      std::string where;
      if (failure.location)
        llvm::raw_string_ostream(where) << " (" << *failure.location << ")";
      return report(failure.message + where);
    }
    for (auto [index, result] : llvm::enumerate(*results))
      outputs.push_back({interp::getResultName(function, index), result});
    if (!writeTensors(options.outputs[i], outputs, error))
      return report(error);
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  llvm::cl::OptionCategory category("relax-interpret options");
  llvm::cl::opt<std::string, true> file(llvm::cl::Positional, llvm::cl::desc("FILE.mlir"), llvm::cl::Required,
                                        llvm::cl::location(options.file), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> function(
      "function", llvm::cl::desc("Function to run. Default: main, else the only one"), llvm::cl::value_desc("name"),
      llvm::cl::location(options.function), llvm::cl::cat(category));
  llvm::cl::list<std::string> inputs("inputs", llvm::cl::desc("Inputs by name, an .npz file; may be repeated"),
                                     llvm::cl::value_desc("file"), llvm::cl::cat(category));
  llvm::cl::list<std::string> outputs("outputs", llvm::cl::desc("Where the results of these inputs are written"),
                                      llvm::cl::value_desc("file"), llvm::cl::cat(category));
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << "relax-interpret " << mlir::relax::getVersion() << "\n"; });
  llvm::cl::ParseCommandLineOptions(argc, argv, "Runs a module op by op: slow, and by definition right.\n");
  options.inputs.assign(inputs.begin(), inputs.end());
  options.outputs.assign(outputs.begin(), outputs.end());

  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::relax::registerAllDialects(registry);
  return run(options, registry);
}
