//===- CodeGenerators.h - LLVM's code generators and linker ----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_SUPPORT_CODEGENERATORS_H
#define RELAXDIALECT_SUPPORT_CODEGENERATORS_H

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include <optional>
#include <string>

namespace mlir::relax {

/// The code generator of a triple, from any thread. On failure the result is null and `reason` tells why.
const llvm::Target *findCodeGenerator(const llvm::Triple &triple, std::string &reason);

/// Of all code generators: products and sums become one operation where they carry `contract`.
llvm::TargetOptions getTargetOptions();

/// LLVM's default pipeline of a level.
void optimizeModule(llvm::Module &code, llvm::TargetMachine &machine, llvm::OptimizationLevel level,
                    const llvm::PipelineTuningOptions &tuning);

/// ld.lld beside LLVM's own tools, whose version was tested, else in PATH.
std::optional<std::string> findLLD();

} // namespace mlir::relax

#endif // RELAXDIALECT_SUPPORT_CODEGENERATORS_H
