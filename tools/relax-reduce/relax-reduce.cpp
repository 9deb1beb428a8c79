//===- relax-reduce.cpp - Shrinks a module that shows a fault -------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Reduce.h"

#include "RelaxDialect/InitAll.h"
#include "RelaxDialect/Support/Version.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace {

struct Options {
  std::string input, output, test, validate, expect;
};

int report(const Twine &message) {
  llvm::errs() << "relax-reduce: error: " << message << "\n";
  return 1;
}

/// Runs the test on one module after the other.
class Test {
public:
  Test(std::string command, std::string expect) : command(std::move(command)), expect(std::move(expect)) {}
  ~Test() {
    if (!folder.empty())
      (void)llvm::sys::fs::remove_directories(folder);
  }

  bool open() { return !llvm::sys::fs::createUniqueDirectory("relax-reduce", folder); }

  /// The command fails, and says what is expected.
  bool fails(ModuleOp module) {
    std::string file = (folder + "/module.mlir").str(), log = (folder + "/log").str(), line = command;
    std::error_code code;
    llvm::raw_fd_ostream os(file, code);
    os << module << "\n";
    os.close();
    for (size_t at = 0; (at = line.find("{}", at)) != std::string::npos; at += file.size())
      line.replace(at, 2, file);
    StringRef args[] = {"/bin/sh", "-c", line};
    std::optional<StringRef> redirects[] = {StringRef(), StringRef(log), StringRef(log)};
    (void)llvm::sys::fs::remove(log); // a redirection does not shorten a file
    ++runs;
    if (llvm::sys::ExecuteAndWait(args[0], args, std::nullopt, redirects, /*SecondsToWait=*/300) == 0)
      return false;
    auto text = llvm::MemoryBuffer::getFile(log);
    return text && (*text)->getBuffer().contains(expect);
  }

  unsigned runs = 0;

private:
  std::string command, expect;
  SmallString<128> folder;
};

int run(const Options &options, const DialectRegistry &registry) {
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(options.input, &error);
  if (!buffer)
    return report(error);
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return 1;

  Test test(options.test, options.expect);
  if (!test.open())
    return report("no temporary folder can be made");
  if (!test.fails(*module))
    return report("the test does not fail for '" + options.input + "'" +
                  (options.expect.empty() ? "" : ", or without saying '" + options.expect + "'"));
  OwningOpRef<ModuleOp> reduced =
      relax_reduce::reduce(*module, [&](ModuleOp candidate) { return test.fails(candidate); });
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(options.output, &error);
  if (!file)
    return report(error);
  file->os() << *reduced << "\n";
  file->keep();
  llvm::errs() << "relax-reduce: " << test.runs << " runs of the test\n";
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  llvm::cl::OptionCategory category("relax-reduce options");
  llvm::cl::opt<std::string, true> input(llvm::cl::Positional, llvm::cl::desc("FILE.mlir"), llvm::cl::Required,
                                         llvm::cl::location(options.input), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> output("o", llvm::cl::desc("Where the smaller module is written"),
                                          llvm::cl::value_desc("file"), llvm::cl::location(options.output),
                                          llvm::cl::init("-"), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> test(
      "test", llvm::cl::desc("Command that fails for a module that shows the fault; {} is its file"),
      llvm::cl::value_desc("command"), llvm::cl::location(options.test), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> validate(
      "relax-validate", llvm::cl::desc("Instead of --test: relax-opt with this option fails"),
      llvm::cl::value_desc("request"), llvm::cl::location(options.validate), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> expect("expect", llvm::cl::desc("Text that the command must print as well"),
                                          llvm::cl::value_desc("text"), llvm::cl::location(options.expect),
                                          llvm::cl::cat(category));
  llvm::cl::list<std::string> plugins("load-pass-plugin",
                                      llvm::cl::desc("With --relax-validate: handed on to relax-opt"),
                                      llvm::cl::value_desc("file"), llvm::cl::cat(category));
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << "relax-reduce " << mlir::relax::getVersion() << "\n"; });
  llvm::cl::ParseCommandLineOptions(argc, argv, "Makes a module smaller while a command fails for it.\n");
  if (options.test.empty() == options.validate.empty())
    return report("give either --test or --relax-validate");
  if (!options.validate.empty()) {
    static int anchor;
    SmallString<128> tool(llvm::sys::path::parent_path(llvm::sys::fs::getMainExecutable(argv[0], &anchor)));
    llvm::sys::path::append(tool, "relax-opt");
    options.test = ("'" + tool + "' {}").str();
    for (const std::string &plugin : plugins)
      options.test += " --load-pass-plugin='" + plugin + "'";
    options.test += " --relax-validate='reproducer=/dev/null " + options.validate + "'";
    if (options.expect.empty())
      options.expect = "relax-validate: error: pass";
  }

  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::relax::registerAllDialects(registry);
  return run(options, registry);
}
