//===- relax-translate.cpp - Import of models, export of code --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Not MLIR's driver for translations: that one copies what it reads, and models
// have gigabytes. The importers map the file themselves.
//
//===----------------------------------------------------------------------===//
#include "../ImportFlags.h"
#include "Export.h"

#include "RelaxDialect/InitAll.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static int fail(const Twine &reason) {
  llvm::errs() << "relax-translate: error: " << reason << "\n";
  return 1;
}

/// What kinds of code can be written of a compiled module.
static int exportCode(StringRef input, StringRef output, std::optional<DeviceFile> kind, StringRef device,
                      StringRef kernel) {
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  relax::registerAllDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(input, sources, ParserConfig(&context));
  if (!module)
    return 1;
  std::string problem;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(output, &problem);
  if (!file)
    return fail(problem);
  if (failed(kind ? exportDeviceCode(*module, *kind, device, kernel, file->os(), problem)
                  : exportLLVM(*module, file->os(), problem)))
    return fail(problem);
  file->keep();
  return 0;
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
  llvm::cl::bits<DeviceFile> files(llvm::cl::desc("Write the code of a kernel of a module (relax-compile --emit=mlir "
                                                  "--after=relax-device-kernels-to-spirv):"),
                                   llvm::cl::values(clEnumValN(DeviceFile::SPIRV, "export-spirv", "SPIR-V"),
                                                    clEnumValN(DeviceFile::PTX, "export-ptx", "NVIDIA's assembly"),
                                                    clEnumValN(DeviceFile::Cubin, "export-cubin", "NVIDIA's binary"),
                                                    clEnumValN(DeviceFile::AMDGCN, "export-amdgcn", "AMD's assembly"),
                                                    clEnumValN(DeviceFile::HSACO, "export-hsaco", "AMD's binary")),
                                   llvm::cl::cat(category));
  llvm::cl::opt<bool> llvmIR("export-llvm", llvm::cl::desc("Write a module of the LLVM dialect as LLVM IR"),
                             llvm::cl::cat(category));
  llvm::cl::opt<std::string> device("device", llvm::cl::desc("With --export-spirv and its like: of which device"),
                                    llvm::cl::value_desc("name"), llvm::cl::cat(category));
  llvm::cl::opt<std::string> kernel("kernel", llvm::cl::desc("With --export-spirv and its like: which kernel"),
                                    llvm::cl::value_desc("name"), llvm::cl::cat(category));
  ImportFlags flags(category);
  registerAsmPrinterCLOptions();
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(argc, argv, "Reads models into relax, writes code of compiled modules.\n");
  std::optional<DeviceFile> kind;
  for (DeviceFile file : {DeviceFile::SPIRV, DeviceFile::PTX, DeviceFile::Cubin, DeviceFile::AMDGCN, DeviceFile::HSACO})
    if (files.isSet(file))
      kind = file;
  if (int(onnx) + int(gguf) + llvm::popcount(files.getBits()) + int(llvmIR) != 1)
    return fail("expected one of --import-onnx, --import-gguf, --export-llvm, --export-spirv, --export-ptx, "
                "--export-cubin, --export-amdgcn and --export-hsaco");
  if (kind || llvmIR)
    return exportCode(input, output, kind, device, kernel);
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
