//===- CodeGen.cpp - Native code from LLVM dialect ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Target/CodeGen.h"
#include "HalfConversions.h"
#include "RelaxDialect/Support/CodeGenerators.h"

#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Transforms/Utils/SplitModule.h"

using namespace mlir;
using namespace mlir::relax;

static llvm::OptimizationLevel getOptimization(const CodeTarget &target) {
  switch (target.optimization) {
  case 0:
    return llvm::OptimizationLevel::O0;
  case 1:
    return llvm::OptimizationLevel::O1;
  case 2:
    return llvm::OptimizationLevel::O2;
  default:
    return llvm::OptimizationLevel::O3;
  }
}

static std::unique_ptr<llvm::TargetMachine> createTargetMachine(const CodeTarget &target, std::string &error) {
  llvm::Triple triple(target.triple);
  const llvm::Target *found = findCodeGenerator(triple, error);
  if (!found)
    return nullptr;
  std::unique_ptr<llvm::TargetMachine> machine(
      found->createTargetMachine(triple, target.cpu, target.features, getTargetOptions(), llvm::Reloc::PIC_,
                                 std::nullopt, static_cast<llvm::CodeGenOptLevel>(std::min(target.optimization, 3u))));
  if (!machine)
    error = "no code generator for " + target.triple;
  return machine;
}

/// LLVM IR for the machine, not optimized.
static std::unique_ptr<llvm::Module> translate(ModuleOp module, const CodeTarget &target, llvm::TargetMachine &machine,
                                               llvm::LLVMContext &context) {
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context, "relax");
  if (!code)
    return nullptr; // reported
  code->setTargetTriple(machine.getTargetTriple());
  code->setDataLayout(machine.createDataLayout());
  addHalfConversions(*code);
  for (llvm::Function &function : *code) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    if (!target.tuneCpu.empty())
      function.addFnAttr("tune-cpu", target.tuneCpu);
    // Nothing unwinds through compiled code.
    function.setDoesNotThrow();
  }
  return code;
}

static void optimize(llvm::Module &code, const CodeTarget &target, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = target.optimization > 1;
  optimizeModule(code, machine, getOptimization(target), tuning);
}

/// Writes an object file; false when there is no writer.
static bool emit(llvm::Module &code, llvm::TargetMachine &machine, llvm::raw_pwrite_stream &stream) {
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return false;
  passes.run(code);
  return true;
}

static InFlightDiagnostic emitNoGenerator(ModuleOp module, const std::string &error) {
  return emitError(module.getLoc(), "cannot generate code: ") << error;
}
static InFlightDiagnostic emitNoWriter(ModuleOp module, const CodeTarget &target) {
  return emitError(module.getLoc(), "the code generator of ") << target.triple << " does not write object files";
}

std::unique_ptr<llvm::Module> relax::translateAndOptimize(ModuleOp module, const CodeTarget &target,
                                                          llvm::LLVMContext &context) {
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target, error);
  if (!machine) {
    emitNoGenerator(module, error);
    return nullptr;
  }
  std::unique_ptr<llvm::Module> code = translate(module, target, *machine, context);
  if (code)
    optimize(*code, target, *machine);
  return code;
}

LogicalResult relax::emitObject(ModuleOp module, llvm::Module &code, const CodeTarget &target,
                                SmallVectorImpl<char> &object) {
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target, error);
  if (!machine)
    return emitNoGenerator(module, error);
  llvm::raw_svector_ostream stream(object);
  return emit(code, *machine, stream) ? success() : LogicalResult(emitNoWriter(module, target));
}

//===- Parts --------------------------------------------------------------===//

/// Enough for the cores of a large machine; small modules are not worth the copies.
static unsigned chooseNumParts(llvm::Module &code) {
  constexpr size_t kInstructionsOfPart = 1500, kMaxParts = 16;
  return std::clamp<size_t>(code.getInstructionCount() / kInstructionsOfPart, 1, kMaxParts);
}

/// The bitcode of parts: each has a context of its own where it is read.
static std::vector<SmallVector<char, 0>> split(llvm::Module &code, unsigned numParts) {
  std::vector<SmallVector<char, 0>> parts;
  auto write = [&](std::unique_ptr<llvm::Module> part) {
    llvm::raw_svector_ostream stream(parts.emplace_back());
    llvm::WriteBitcodeToFile(*part, stream);
  };
  // What is internal stays so, beside its users.
  llvm::SplitModule(code, numParts, write, /*PreserveLocals=*/true);
  return parts;
}

LogicalResult relax::compileObjects(ModuleOp module, const CodeTarget &target,
                                    std::vector<SmallVector<char, 0>> &objects) {
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target, error);
  if (!machine)
    return emitNoGenerator(module, error);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translate(module, target, *machine, context);
  if (!code)
    return failure();
  unsigned numParts = chooseNumParts(*code);
  objects.assign(numParts, {});
  auto compile = [&](llvm::Module &part, llvm::TargetMachine &generator, SmallVectorImpl<char> &object) {
    optimize(part, target, generator);
    llvm::raw_svector_ostream stream(object);
    return emit(part, generator, stream);
  };
  if (numParts == 1)
    return compile(*code, *machine, objects.front()) ? success() : LogicalResult(emitNoWriter(module, target));
  std::vector<SmallVector<char, 0>> parts = split(*code, numParts);
  code.reset();
  LogicalResult result = failableParallelForEachN(module.getContext(), 0, numParts, [&](size_t index) {
    llvm::LLVMContext own;
    std::string problem;
    std::unique_ptr<llvm::TargetMachine> generator = createTargetMachine(target, problem);
    llvm::MemoryBufferRef bitcode(StringRef(parts[index].data(), parts[index].size()), "part");
    llvm::Expected<std::unique_ptr<llvm::Module>> part = llvm::parseBitcodeFile(bitcode, own);
    if (!part)
      llvm::consumeError(part.takeError()); // our own writing
    return success(generator && part && compile(**part, *generator, objects[index]));
  });
  return succeeded(result) ? success() : LogicalResult(emitNoWriter(module, target));
}
