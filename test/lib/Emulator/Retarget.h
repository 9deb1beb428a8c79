//===- Retarget.h - Code of a chip as code of the CPU ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_TEST_EMULATOR_RETARGET_H
#define RELAX_TEST_EMULATOR_RETARGET_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace relax_emulator {

/// Numbers that a thread asks for; those with three axes are followed by y and z.
enum Number : uint32_t {
  kThread = 0,
  kBlock = 3,
  kBlockSize = 6,
  kGridSize = 9,
  kLane = 12,
  kWarpSize = 13,
  kLanesBelowLow = 14,  // which of lanes 0 to 31 are below this one, as bits
  kLanesBelowHigh = 15, // and which of lanes 32 to 63
};

/// What threads of a warp do together.
enum Exchange : uint32_t { kUp, kDown, kButterfly, kIndex, kAny, kAll, kBallot, kPermute, kFirst, kLaneOf };

enum AccessFlags : uint32_t { kWrite = 1, kAtomic = 2 };
/// Address spaces, the same of NVIDIA and AMD.
constexpr unsigned kGeneric = 0, kGlobal = 1, kShared = 3, kConstant = 4, kPrivate = 5;
constexpr int kAnyArray = -1;

/// A place of the code that a message may name.
struct Site {
  std::string text;
  uint32_t flags = 0;
  unsigned space = kGeneric;
  uint64_t alignment = 1;
  int sharedArray = kAnyArray; // the one that the address comes from, if that is known
};

/// An array that each block has of its own.
struct SharedArray {
  std::string name;   // in the device's code
  std::string symbol; // that stands for its address
  uint64_t bytes;
};

/// A constant of the module.
struct ConstantData {
  std::string symbol;
  uint64_t bytes;
};

struct KernelEntry {
  std::string name, symbol; // symbol: of a function `(void **arguments)`
  unsigned numArguments;
  bool waits; // for other threads
};

struct Retargeted {
  std::vector<KernelEntry> kernels;
  std::vector<Site> sites;
  std::vector<SharedArray> shared;
  std::vector<ConstantData> constants;
  bool isAMD = false;
};

/// False, and the reason, for code of no chip or with what the emulator does not have.
bool retarget(llvm::Module &module, Retargeted &made, std::string &error);

/// Replaces what only a chip has in calls of one function.
class IntrinsicReplacer {
public:
  IntrinsicReplacer(llvm::Module &module, Retargeted &made);
  /// False if the emulator does not have `call`; it goes otherwise.
  bool replace(llvm::CallInst &call);
  uint32_t addSite(const llvm::Instruction &at);
  llvm::FunctionCallee get(llvm::StringRef name, llvm::Type *result, llvm::ArrayRef<llvm::Type *> parameters);

private:
  struct Result {
    bool isKnown;
    llvm::Value *value; // null without one
  };
  static constexpr Result kUnknown = {false, nullptr}, kNothing = {true, nullptr};

  llvm::Value *ask(uint32_t number);
  llvm::Value *exchange(llvm::CallInst &call, Exchange kind, llvm::Value *mask, llvm::Value *value, llvm::Value *other,
                        llvm::Value *clamp);
  Result wait(llvm::CallInst &call);
  Result shuffle(llvm::CallInst &call, llvm::StringRef mode);
  Result replaceNVIDIA(llvm::CallInst &call, llvm::StringRef name);
  Result replaceAMD(llvm::CallInst &call, llvm::StringRef name);

  llvm::Module &module;
  Retargeted &made;
  llvm::IRBuilder<> builder;
  llvm::Type *i32, *i64, *pointer;
};

} // namespace relax_emulator

#endif // RELAX_TEST_EMULATOR_RETARGET_H
