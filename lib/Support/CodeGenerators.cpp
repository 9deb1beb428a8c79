//===- CodeGenerators.cpp - LLVM's code generators and linker -------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Support/CodeGenerators.h"

#include "mlir/Support/LLVM.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace mlir;

const llvm::Target *relax::findCodeGenerator(const llvm::Triple &triple, std::string &reason) {
  // Several threads may compile, each its own module.
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
  });
  return llvm::TargetRegistry::lookupTarget(triple, reason);
}

llvm::TargetOptions relax::getTargetOptions() {
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return options;
}

void relax::optimizeModule(llvm::Module &code, llvm::TargetMachine &machine, llvm::OptimizationLevel level,
                           const llvm::PipelineTuningOptions &tuning) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(level).run(code, modules);
}

std::optional<std::string> relax::findLLD() {
  for (StringRef name : {"ld.lld", "ld.lld-22"}) {
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name, {RELAX_LLVM_TOOLS_DIR}))
      return *path;
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name))
      return *path;
  }
  return std::nullopt;
}
