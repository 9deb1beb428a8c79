//===- CodeGen.h - Native code from LLVM dialect ---------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TARGET_CODEGEN_H
#define RELAXDIALECT_TARGET_CODEGEN_H

#include "mlir/IR/BuiltinOps.h"
#include <memory>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::relax {

/// A machine to compile for.
struct CodeTarget {
  std::string name; // of the level of CPU: "x86-64-v3"
  std::string triple;
  std::string cpu;      // LLVM's name; together with `features` it says which instructions may be used
  std::string tuneCpu;  // only for choices between legal instructions
  std::string features; // "+avx2,+fma"
  int64_t vectorBits = 128;
  std::string dots = "plain"; // what multiplies integers of 8 bits (relax-lower-kernel-loops)
  /// Comma-separated names that the CPU must have, as /proc/cpuinfo spells them (ArtifactFormat.h).
  std::string requiredFeatures;
  unsigned optimization = 3; // of LLVM, 0 to 3: less when code runs once
};

/// The target that `name` stands for: "cpu" (x86-64-v3, generic elsewhere), "native" (this machine), "baseline" (any
/// CPU of this architecture), a level of CPU ("x86-64-v4"), for x86-64 with more features behind it
/// ("x86-64-v4+avx512vnni"). On failure `error` tells what is known.
FailureOr<CodeTarget> getCodeTarget(StringRef name, std::string &error);

/// Several of them, each once, from low to high.
FailureOr<SmallVector<CodeTarget>> getCodeTargets(ArrayRef<StringRef> names, std::string &error);

/// Translates a module of LLVM dialect and optimizes it.
std::unique_ptr<llvm::Module> translateAndOptimize(ModuleOp module, const CodeTarget &target,
                                                   llvm::LLVMContext &context);

/// A position-independent object file. Nothing is written to disk.
LogicalResult emitObject(ModuleOp module, llvm::Module &code, const CodeTarget &target, SmallVectorImpl<char> &object);

/// Both for a module, in parts side by side when it is large: each is one object file. How many depends on the module
/// only, never on the machine, so that results are the same everywhere.
LogicalResult compileObjects(ModuleOp module, const CodeTarget &target, std::vector<SmallVector<char, 0>> &objects);

/// An object file that holds library functions, and the names of those.
struct LibraryObject {
  std::string path;
  SmallVector<std::string, 1> symbols;
};

/// Links objects, and object files that hold library functions, to a shared object with ld.lld. What they need from
/// libm becomes a dependency; a symbol that neither libc nor libm has is an error.
LogicalResult linkSharedObject(ModuleOp module, const CodeTarget &target, ArrayRef<SmallVector<char, 0>> objects,
                               ArrayRef<LibraryObject> objectFiles, SmallVectorImpl<char> &shared);

} // namespace mlir::relax

#endif // RELAXDIALECT_TARGET_CODEGEN_H
