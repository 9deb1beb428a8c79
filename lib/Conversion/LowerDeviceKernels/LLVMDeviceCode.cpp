//===- LLVMDeviceCode.cpp - Device code by LLVM's back ends ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "LLVMDeviceCode.h"
#include "RelaxDialect/Support/CodeGenerators.h"

#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace mlir::relax;

static std::unique_ptr<llvm::TargetMachine> createMachine(const DeviceTargetInfo &target, std::string &reason) {
  llvm::Triple triple(target.isAMD() ? "amdgcn-amd-amdhsa" : "nvptx64-nvidia-cuda");
  const llvm::Target *found = findCodeGenerator(triple, reason);
  if (!found)
    return nullptr;
  // No features: the version of PTX is the lowest that knows the chip, and every driver of the chip takes it.
  std::string chip = target.chip;
  if (target.isPTX())
    chip.replace(0, chip.find('_'), "sm");
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      triple, chip, "", getTargetOptions(), llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    reason = "no code generator for '" + target.name + "'";
  return machine;
}

static void optimize(llvm::Module &code, llvm::TargetMachine &machine) {
  // Unrolled steps of tiles are all loaded before the first is used there, which spills; ptxas puts loads where they
  // fit.
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = !machine.getTargetTriple().isAMDGPU();
  optimizeModule(code, machine, llvm::OptimizationLevel::O3, tuning);
}

/// The back end changes the module: it works on a copy.
static LogicalResult emitFile(const llvm::Module &code, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
                              std::string &text, std::string &reason) {
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(code);
  SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type)) {
    reason = "the code generator writes no such file";
    return failure();
  }
  passes.run(*copy);
  text = bytes.str().str();
  return success();
}

LogicalResult relax::emitDeviceCode(gpu::GPUModuleOp module, const DeviceTargetInfo &target, LLVMDeviceCode &code,
                                    std::string &reason) {
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(target, reason);
  if (!machine)
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(module, context, module.getName());
  if (!translated) {
    reason = "the translation to LLVM IR failed";
    return failure();
  }
  translated->setTargetTriple(machine->getTargetTriple());
  translated->setDataLayout(machine->createDataLayout());
  if (target.isAMD()) {
    constexpr uint32_t kCodeObjectVersion = 500; // of ROCm 5.4 and later
    translated->addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", kCodeObjectVersion);
  }
  optimize(*translated, *machine);
  for (const llvm::Function &function : *translated)
    if (function.isDeclaration() && !function.isIntrinsic()) {
      reason = "it calls '" + function.getName().str() + "', which no library here has";
      return failure();
    }
  llvm::raw_string_ostream(code.llvmIR) << *translated;
  if (failed(emitFile(*translated, *machine, llvm::CodeGenFileType::AssemblyFile, code.assembly, reason)))
    return failure();
  return target.isAMD() ? emitFile(*translated, *machine, llvm::CodeGenFileType::ObjectFile, code.object, reason)
                        : success();
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

static std::string describe(StringRef registers, int64_t spilled, int64_t shared) {
  return ("registers: " + registers + ", spilled: " + Twine(spilled) + " bytes, shared memory: " + Twine(shared) +
          " bytes")
      .str();
}

/// The number in front of `unit`, 0 without one.
static int64_t numberBefore(StringRef line, StringRef unit) {
  StringRef front = line.split(unit).first;
  int64_t number = 0;
  if (front.size() == line.size() ||
      front.rtrim().substr(front.rtrim().find_last_of(" ,") + 1).getAsInteger(10, number))
    return 0;
  return number;
}

llvm::StringMap<std::string> relax::readPtxasResources(StringRef messages) {
  llvm::StringMap<std::string> resources;
  StringRef function;
  int64_t spilled = 0;
  for (StringRef line : llvm::split(messages, '\n')) {
    if (line.contains("Compiling entry function '"))
      function = line.split("'").second.split("'").first;
    else if (line.contains("bytes spill stores"))
      spilled = numberBefore(line, "bytes spill stores");
    else if (line.contains(": Used ") && !function.empty())
      resources[function] =
          describe(std::to_string(numberBefore(line, "registers")), spilled, numberBefore(line, "bytes smem"));
  }
  return resources;
}

llvm::StringMap<std::string> relax::readAMDResources(StringRef assembly) {
  llvm::StringMap<std::string> resources;
  llvm::StringMap<StringRef> values;
  auto number = [&](StringRef key) {
    int64_t value = 0;
    return values.lookup(key).getAsInteger(10, value) ? 0 : value;
  };
  auto finish = [&] {
    // Scalar registers are spilled to lanes of vector registers: what costs is memory.
    if (StringRef name = values.lookup(".name"); !name.empty())
      resources[name] =
          describe((values.lookup(".vgpr_count") + " vector, " + values.lookup(".sgpr_count") + " scalar").str(),
                   number(".private_segment_fixed_size"), number(".group_segment_fixed_size"));
    values.clear();
  };
  for (StringRef line : llvm::split(assembly.split("\t.amdgpu_metadata").second, '\n')) {
    // Entries of a kernel are indented by 4; its first one is behind "  - ".
    if (line.starts_with("  - "))
      finish();
    if (!line.starts_with("    .") && !line.starts_with("  - ."))
      continue;
    auto [key, value] = line.drop_front(4).split(':');
    values[key] = value.trim();
  }
  finish();
  return resources;
}
