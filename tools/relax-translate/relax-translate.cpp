//===- relax-translate.cpp - Import of models ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Not MLIR's driver for translations: that one copies what it reads, and models
// have gigabytes. The importers map the file themselves.
//
//===----------------------------------------------------------------------===//
#include "../ImportFlags.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static int fail(const Twine &reason) {
  llvm::errs() << "relax-translate: error: " << reason << "\n";
  return 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // Options of the libraries behind the tool are none of its own.
  llvm::cl::OptionCategory category("relax-translate");
  llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::Required, llvm::cl::desc("MODEL"),
                                   llvm::cl::cat(category));
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("Where the module is written, '-' for standard output"),
                                    llvm::cl::value_desc("file"), llvm::cl::init("-"), llvm::cl::cat(category));
  llvm::cl::opt<bool> onnx("import-onnx", llvm::cl::desc("Read an ONNX model into relax graph ops"),
                           llvm::cl::cat(category));
  llvm::cl::opt<bool> gguf("import-gguf", llvm::cl::desc("Read a GGUF model into relax graph ops"),
                           llvm::cl::cat(category));
  ImportFlags flags(category);
  registerAsmPrinterCLOptions();
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(argc, argv, "Reads models into relax.\n");
  if (onnx == gguf)
    return fail("expected one of --import-onnx and --import-gguf");
  if (input == "-")
    return fail("a model is read from a named file: weights refer to it");
  relax::ONNXImportOptions onnxOptions;
  relax::GGUFImportOptions ggufOptions;
  std::string problem;
  if (!flags.get(onnxOptions, problem) || !flags.get(ggufOptions, problem))
    return fail(problem);

  MLIRContext context;
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module =
      onnx ? relax::importONNX(input, &context, onnxOptions) : relax::importGGUF(input, &context, ggufOptions);
  if (!module)
    return 1;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(output, &problem);
  if (!file)
    return fail(problem);
  module->print(file->os());
  file->os() << "\n";
  file->keep();
  return 0;
}
