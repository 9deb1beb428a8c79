//===- relax-opt.cpp - The optimizer driver --------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Execute.h"
#include "RelaxDialect/InitAll.h"
#include "Validate.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include <string>
#include <vector>

/// `--remarks=FILTER`, as relax-compile has it, is two options of MLIR.
static std::vector<std::string> expandRemarks(int argc, char **argv) {
  std::vector<std::string> arguments;
  for (llvm::StringRef argument : llvm::ArrayRef(argv, argc)) {
    llvm::StringRef filter = argument;
    if (!filter.consume_front("--remarks=")) {
      arguments.push_back(argument.str());
      continue;
    }
    arguments.push_back("--remarks-filter=" + filter.str());
    arguments.emplace_back("--remark-format=emitRemark");
  }
  return arguments;
}

int main(int argc, char **argv) {
  std::vector<std::string> arguments = expandRemarks(argc, argv);
  std::vector<char *> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  argc = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  argv = pointers.data();

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::relax::registerAllDialects(registry);
  mlir::registerAllPasses();
  mlir::relax::registerAllPasses();

  llvm::cl::opt<std::string> validate(
      "relax-validate",
      llvm::cl::desc("Run a pipeline and execute the module before and after each pass: "
                     "'[seed=N] [samples=N] [optimize=0..3] [reproducer=FILE] pipeline=...'"),
      llvm::cl::value_desc("request"));
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "Relax for MLIR optimizer driver\n", registry);
  relax_opt::setProgramPath(argv[0]);
  if (validate.getNumOccurrences())
    return relax_opt::validate(validate, input, registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
}
