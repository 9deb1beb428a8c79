//===- relax-compile.cpp - The compiler driver ----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "../ImportFlags.h"
#include "Compile.h"

#include "RelaxDialect/InitAll.h"
#include "RelaxDialect/Support/Version.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  CompileOptions options;
  // Options of the libraries behind the tool are none of its own.
  llvm::cl::OptionCategory category("relax-compile");
  llvm::cl::opt<std::string, true> input(llvm::cl::Positional, llvm::cl::Required,
                                         llvm::cl::desc("MODEL.onnx|MODEL.gguf|FILE.mlir"),
                                         llvm::cl::location(options.input), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> output("o", llvm::cl::desc("Result; '-' is standard output, except for an artifact"),
                                          llvm::cl::value_desc("file"), llvm::cl::location(options.output),
                                          llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> target(
      "target",
      llvm::cl::desc(
          "cpu (x86-64-v3 or the architecture's baseline), native (this machine), baseline, or levels of CPU, "
          "of which loading takes the highest that runs: x86-64,x86-64-v3,x86-64-v4; aarch64; also for "
          "devices: cpu,vulkan or cpu,vulkan:mali,nvidia:sm_90a"),
      llvm::cl::value_desc("name,.."), llvm::cl::location(options.target), llvm::cl::init("cpu"),
      llvm::cl::cat(category));
  llvm::cl::list<std::string> functions(
      "function",
      llvm::cl::desc("Function to compile; may be repeated, '*' is every public one. Default: main, else the only one"),
      llvm::cl::value_desc("name"), llvm::cl::cat(category));
  llvm::cl::opt<Emit, true> emit(
      "emit", llvm::cl::desc("What to write"), llvm::cl::location(options.emit),
      llvm::cl::values(clEnumValN(Emit::Artifact, "artifact", "an artifact for relax-run"),
                       clEnumValN(Emit::MLIR, "mlir", "the module at the end, or after --after"),
                       clEnumValN(Emit::LLVM, "llvm", "optimized LLVM IR as text"),
                       clEnumValN(Emit::Object, "object", "an object file")),
      llvm::cl::init(Emit::Artifact), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> after(
      "after", llvm::cl::desc("With --emit=mlir: stop behind the last run of this pass"), llvm::cl::value_desc("pass"),
      llvm::cl::location(options.after), llvm::cl::cat(category));
  llvm::cl::list<std::string> libraries(
      "libraries", llvm::cl::CommaSeparated,
      llvm::cl::desc("Libraries to call where they are found when the result is loaded: shipped ones such as openblas, "
                     "or files that describe them"),
      llvm::cl::value_desc("name|file"), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> patterns(
      "patterns", llvm::cl::desc("Make one kernel of ops that match these patterns"), llvm::cl::value_desc("file"),
      llvm::cl::location(options.patterns), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> table(
      "dispatch-table", llvm::cl::desc("Sizes from which libraries and variants are used (benchmarks/dispatch.py)"),
      llvm::cl::value_desc("file"), llvm::cl::location(options.dispatchTable), llvm::cl::cat(category));
  llvm::cl::opt<bool, true> lift("lift-workspaces",
                                 llvm::cl::desc("Plan scratch memory of kernels with everything else"),
                                 llvm::cl::location(options.liftWorkspaces), llvm::cl::cat(category));
  llvm::cl::opt<bool, true> capture("capture",
                                    llvm::cl::desc("Record launches for the sizes of a call and run them again"),
                                    llvm::cl::location(options.capture), llvm::cl::cat(category));
  llvm::cl::list<std::string> donated(
      "donate", llvm::cl::CommaSeparated,
      llvm::cl::desc("Let results live in the memory of these inputs, where a call donates it: names, '*' for some "
                     "characters"),
      llvm::cl::value_desc("name"), llvm::cl::cat(category));
  llvm::cl::opt<bool, true> preallocate(
      "preallocate-caches",
      llvm::cl::desc("Give inputs of --donate that results append to a capacity: entries are written into them"),
      llvm::cl::location(options.preallocateCaches), llvm::cl::cat(category));
  llvm::cl::list<std::string> disabled(
      "disable", llvm::cl::CommaSeparated,
      llvm::cl::desc("Leave out groups of passes, to see what they do: fusion, weights, packing, growth, sharing, "
                     "products, moves, layout"),
      llvm::cl::value_desc("group"), llvm::cl::cat(category));
  llvm::cl::list<std::string> enabled("enable", llvm::cl::CommaSeparated,
                                      llvm::cl::desc("Run groups of passes that are left out by default: products"),
                                      llvm::cl::value_desc("group"), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> memoryReport(
      "memory-report", llvm::cl::desc("Also write the memory plan: a page with a picture to FILE.html, else JSON"),
      llvm::cl::value_desc("file"), llvm::cl::location(options.memoryReport), llvm::cl::cat(category));
  llvm::cl::opt<bool, true> report(
      "report", llvm::cl::desc("Print what each kernel of a device moves and computes, its grid and shared memory"),
      llvm::cl::location(options.report), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> ptxas(
      "ptxas", llvm::cl::desc("NVIDIA's assembler; else it is looked for in PATH, CUDA_HOME and Python's packages"),
      llvm::cl::value_desc("file"), llvm::cl::location(options.ptxas), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> saveDeviceCode(
      "save-device-code",
      llvm::cl::desc("Also write the code of each kernel for NVIDIA and AMD, with its assembly and LLVM IR"),
      llvm::cl::value_desc("folder"), llvm::cl::location(options.saveDeviceCode), llvm::cl::cat(category));
  llvm::cl::opt<bool, true> quantizeActivations(
      "quantize-activations", llvm::cl::desc("Multiply weights in blocks by integers of 8 bits: other results, faster"),
      llvm::cl::location(options.quantizeActivations), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> quantize(
      "quantize-weights", llvm::cl::desc("Store the weights of products in blocks of few bits: q4f16_1 or q8_0"),
      llvm::cl::value_desc("format"), llvm::cl::location(options.quantizeWeights), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> precision(
      "mixed-precision",
      llvm::cl::desc("Multiply numbers of this type, and sum them in f32: bf16 or f16, "
                     "bf16-weights or f16-weights to round nothing but weights"),
      llvm::cl::value_desc("type"), llvm::cl::location(options.mixedPrecision), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> remarks(
      "remarks",
      llvm::cl::desc("Print the decisions of passes that this regular expression matches: 'relax-fuse-.*', '.*'"),
      llvm::cl::value_desc("filter"), llvm::cl::location(options.instruments.remarks), llvm::cl::cat(category));
  llvm::cl::opt<bool, true> timing("timing", llvm::cl::desc("Print how long passes took"),
                                   llvm::cl::location(options.instruments.timing), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> trace(
      "trace", llvm::cl::desc("Also write when each pass ran, for chrome://tracing or ui.perfetto.dev"),
      llvm::cl::value_desc("file.json"), llvm::cl::location(options.instruments.trace), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> reproducer(
      "crash-reproducer",
      llvm::cl::desc("When a pass fails: the module and the pipeline, for relax-opt --run-reproducer"),
      llvm::cl::value_desc("file.mlir"), llvm::cl::location(options.instruments.reproducer), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> reportHTML(
      "report-html", llvm::cl::desc("Also write a page: graph and fusion groups, decisions, memory, times"),
      llvm::cl::value_desc("file.html"), llvm::cl::location(options.reportHTML), llvm::cl::cat(category));
  llvm::cl::opt<std::string, true> reportProfile(
      "report-profile", llvm::cl::desc("With --report-html: a trace of relax-run, for the times of kernels"),
      llvm::cl::value_desc("file.json"), llvm::cl::location(options.reportProfile), llvm::cl::cat(category));
  ImportFlags importFlags(category);
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << "relax-compile " << mlir::relax::getVersion() << "\n"; });
  llvm::cl::ParseCommandLineOptions(argc, argv, "Compiles a model once for all of its sizes.\n");
  options.functions.assign(functions.begin(), functions.end());
  options.donated.assign(donated.begin(), donated.end());
  options.disabled.assign(disabled.begin(), disabled.end());
  options.enabled.assign(enabled.begin(), enabled.end());
  options.libraries.assign(libraries.begin(), libraries.end());
  std::string program = llvm::sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&main));
  llvm::SmallString<128> directory(llvm::sys::path::parent_path(llvm::sys::path::parent_path(program)));
  llvm::sys::path::append(directory, "share", "relax", "libraries");
  options.libraryDirectory = directory.str().str();
  options.instruments.collectRemarks = !options.reportHTML.empty();
  std::string problem;
  if (!importFlags.get(options.import, problem) || !importFlags.get(options.importGGUF, problem)) {
    llvm::errs() << "relax-compile: error: " << problem << "\n";
    return 1;
  }

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::relax::registerAllDialects(registry);
  return mlir::succeeded(compile(options, registry)) ? 0 : 1;
}
