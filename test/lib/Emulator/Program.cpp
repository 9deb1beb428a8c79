//===- Program.cpp - A module of device code, compiled for the CPU --------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Launch.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace llvm;
using namespace relax_emulator;

//===----------------------------------------------------------------------===//
// What code calls
//===----------------------------------------------------------------------===//

static uint32_t getNumber(uint32_t what) { return getCurrentLaunch()->getNumber(what); }
static void *getImplicitArguments() { return getCurrentLaunch()->getImplicitArguments(); }
static void access(uint64_t address, uint64_t bytes, uint32_t site) {
  getCurrentLaunch()->access(address, bytes, site);
}
static void barrier(uint32_t site) { getCurrentLaunch()->wait(site); }
static uint64_t exchange(Exchange kind, uint64_t mask, uint32_t value, uint32_t other, uint32_t clamp, uint32_t site) {
  return getCurrentLaunch()->exchange(kind, mask, value, other, clamp, site);
}

/// Rounds to bfloat, to nearest even. Results of 16 bits are in the low part of a vector register: a float carries
/// them.
static float truncateToBrain(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bool isNaN = value != value;
  uint32_t rounded = isNaN ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  float carrier;
  std::memcpy(&carrier, &rounded, sizeof(carrier));
  return carrier;
}
static float truncateToHalf(float value) {
  APFloat number(value);
  bool losesInfo;
  number.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &losesInfo);
  uint32_t bits = static_cast<uint32_t>(number.bitcastToAPInt().getZExtValue());
  float carrier;
  std::memcpy(&carrier, &bits, sizeof(carrier));
  return carrier;
}
static float extendHalf(float carrier) {
  uint32_t bits;
  std::memcpy(&bits, &carrier, sizeof(bits));
  APFloat number(APFloat::IEEEhalf(), APInt(16, bits & 0xffff));
  bool losesInfo;
  number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToFloat();
}

static orc::SymbolMap makeSymbols(orc::LLJIT &jit) {
  orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(function),
                                          JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  };
  add("relax_emu_number", getNumber);
  add("relax_emu_implicit_arguments", getImplicitArguments);
  add("relax_emu_access", access);
  add("relax_emu_barrier", barrier);
  add("relax_emu_exchange", exchange);
  // Of the compiler's library, where the CPU has no such instructions.
  add("__truncsfbf2", truncateToBrain);
  add("__truncsfhf2", truncateToHalf);
  add("__extendhfsf2", extendHalf);
  return symbols;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {
class JITProgram final : public Program {
public:
  static std::unique_ptr<JITProgram> make(StringRef llvmIR, StringRef chip, std::string &error);

  bool hasKernel(StringRef name) const override { return find(name); }
  unsigned getNumArguments(StringRef name) const override { return find(name)->numArguments; }
  bool launch(StringRef kernel, const LaunchSizes &sizes, void **arguments, const Memory &memory,
              std::string &error) override;

private:
  const KernelEntry *find(StringRef name) const {
    for (const KernelEntry &kernel : code.kernels)
      if (kernel.name == name)
        return &kernel;
    return nullptr;
  }
  Error compile(orc::ThreadSafeModule module);

  Retargeted code;
  std::unique_ptr<orc::LLJIT> jit;
  std::unique_ptr<SharedMemory> shared;
  std::vector<EntryFunction> entries;
  std::vector<Range> constants;
  Stacks stacks;
  uint32_t warpSize = 32;
};
} // namespace

Error JITProgram::compile(orc::ThreadSafeModule module) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  Expected<std::unique_ptr<orc::LLJIT>> made = orc::LLJITBuilder().create();
  if (!made)
    return made.takeError();
  jit = std::move(*made);
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(jit->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  orc::JITDylib &library = jit->getMainJITDylib();
  library.addGenerator(std::move(*process));
  orc::SymbolMap symbols = makeSymbols(*jit);
  shared = std::make_unique<SharedMemory>(code.shared);
  for (auto [index, array] : enumerate(code.shared))
    symbols[jit->mangleAndIntern(array.symbol)] = {orc::ExecutorAddr::fromPtr(shared->getAddress(index)),
                                                   JITSymbolFlags::Exported};
  if (Error error = library.define(orc::absoluteSymbols(std::move(symbols))))
    return error;
  module.withModuleDo([&](Module &it) {
    it.setTargetTriple(jit->getTargetTriple());
    it.setDataLayout(jit->getDataLayout());
  });
  if (Error error = jit->addIRModule(std::move(module)))
    return error;
  for (const KernelEntry &kernel : code.kernels) {
    Expected<orc::ExecutorAddr> address = jit->lookup(kernel.symbol);
    if (!address)
      return address.takeError();
    entries.push_back(address->toPtr<EntryFunction>());
  }
  for (const relax_emulator::ConstantData &constant : code.constants) {
    Expected<orc::ExecutorAddr> address = jit->lookup(constant.symbol);
    if (!address)
      return address.takeError();
    constants.push_back({address->getValue(), constant.bytes});
  }
  return Error::success();
}

std::unique_ptr<JITProgram> JITProgram::make(StringRef llvmIR, StringRef chip, std::string &error) {
  auto context = std::make_unique<LLVMContext>();
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseIR(MemoryBufferRef(llvmIR, "device code"), diagnostic, *context);
  if (!module) {
    raw_string_ostream stream(error);
    diagnostic.print(nullptr, stream, /*ShowColors=*/false);
    return nullptr;
  }
  auto program = std::make_unique<JITProgram>();
  if (!retarget(*module, program->code, error))
    return nullptr;
  // GCN and CDNA have waves of 64, what came later has 32.
  if (chip.starts_with("gfx9"))
    program->warpSize = 64;
  if (Error failed = program->compile(orc::ThreadSafeModule(std::move(module), std::move(context)))) {
    error = toString(std::move(failed));
    return nullptr;
  }
  return program;
}

std::unique_ptr<Program> Program::load(StringRef llvmIR, StringRef chip, std::string &error) {
  return JITProgram::make(llvmIR, chip, error);
}

bool JITProgram::launch(StringRef name, const LaunchSizes &sizes, void **arguments, const Memory &memory,
                        std::string &error) {
  const KernelEntry *kernel = find(name);
  if (!kernel) {
    error = "no kernel '" + name.str() + "'";
    return false;
  }
  LoadedKernel loaded{code, *kernel, entries[kernel - code.kernels.data()], constants, warpSize};
  Launch launch(loaded, sizes, arguments, memory, *shared, stacks, countAccesses ? &counters : nullptr);
  return launch.run(counters, error);
}
