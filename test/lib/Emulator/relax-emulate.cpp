//===- relax-emulate.cpp - One launch of a kernel in LLVM IR --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// For tests of the emulator itself. Arguments of the kernel are buffers
// ("f32[64]", element i of which is i) and values ("i32:5").
//
//===----------------------------------------------------------------------===//
#include "Emulator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace llvm;
using namespace relax_emulator;

static cl::opt<std::string> fileName(cl::Positional, cl::Required, cl::desc("<LLVM IR>"));
static cl::list<std::string> argumentTexts(cl::Positional, cl::desc("<arguments>"));
static cl::opt<std::string> kernelName("kernel", cl::desc("Name of the kernel"), cl::Required);
static cl::opt<std::string> chip("chip", cl::desc("The chip"), cl::init("sm_80"));
static cl::opt<std::string> gridText("grid", cl::desc("Blocks: x,y,z"), cl::init("1"));
static cl::opt<std::string> blockText("block", cl::desc("Threads of a block: x,y,z"), cl::init("1"));
static cl::opt<bool> printCounters("count", cl::desc("Print counters"));

namespace {
/// As drivers align memory.
struct alignas(256) Block {
  char bytes[256];
};

struct Argument {
  StringRef type; // i32, f32 or i64
  uint64_t size = 1;
  bool isBuffer = false;
  std::vector<Block> blocks;
  void *address = nullptr; // of a buffer

  size_t getWidth() const { return type == "i64" ? 8 : 4; }
  char *get(uint64_t index) { return blocks.front().bytes + index * getWidth(); }
};
} // namespace

static int fail(const Twine &text) {
  errs() << "relax-emulate: error: " << text << "\n";
  return 1;
}

static bool readSizes(StringRef text, Dim3 &sizes) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (auto [index, part] : enumerate(parts))
    if (index >= sizes.size() || part.getAsInteger(10, sizes[index]))
      return false;
  return true;
}

static bool readArgument(StringRef text, Argument &argument) {
  int64_t first = 0;
  argument.type = text.take_until([](char c) { return c == '[' || c == ':'; });
  if (argument.type != "i32" && argument.type != "f32" && argument.type != "i64")
    return false;
  StringRef rest = text.drop_front(argument.type.size());
  argument.isBuffer = rest.consume_front("[") && rest.consume_back("]");
  if (argument.isBuffer ? rest.getAsInteger(10, argument.size)
                        : !rest.consume_front(":") || rest.getAsInteger(10, first))
    return false;
  argument.blocks.resize(argument.size * argument.getWidth() / sizeof(Block) + 1);
  for (uint64_t i = 0; i < argument.size; ++i) {
    int64_t value = argument.isBuffer ? static_cast<int64_t>(i) : first;
    auto number = static_cast<float>(value);
    const void *from = argument.type == "f32" ? static_cast<const void *>(&number) : &value;
    std::memcpy(argument.get(i), from, argument.getWidth());
  }
  return true;
}

static void print(Argument &argument) {
  outs() << argument.type << "[" << argument.size << "]:";
  size_t width = argument.getWidth();
  for (uint64_t i = 0; i < argument.size; ++i) {
    int64_t value = 0;
    float number = 0;
    std::memcpy(argument.type == "f32" ? static_cast<void *>(&number) : &value, argument.get(i), width);
    if (argument.type == "f32")
      outs() << format(" %g", number);
    else
      outs() << " " << (width == 4 ? static_cast<int32_t>(value) : value);
  }
  outs() << "\n";
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "Runs a kernel in LLVM IR of NVIDIA's or AMD's on the CPU\n");
  auto text = MemoryBuffer::getFile(fileName, /*IsText=*/true);
  if (!text)
    return fail("cannot read '" + fileName + "': " + text.getError().message());
  LaunchSizes sizes;
  if (!readSizes(gridText, sizes.grid) || !readSizes(blockText, sizes.block))
    return fail("expected up to three sizes with ',' between");
  std::string error;
  std::unique_ptr<Program> program = Program::load((*text)->getBuffer(), chip, error);
  if (!program)
    return fail(error);
  std::vector<Argument> arguments(argumentTexts.size());
  std::vector<void *> addresses;
  Memory memory;
  for (auto [argument, from] : zip_equal(arguments, argumentTexts)) {
    if (!readArgument(from, argument))
      return fail("expected an argument like 'f32[64]' or 'i32:5', got '" + from + "'");
    argument.address = argument.get(0);
    addresses.push_back(argument.isBuffer ? &argument.address : argument.address);
    if (argument.isBuffer)
      memory.add(reinterpret_cast<uint64_t>(argument.address), argument.size * argument.getWidth());
  }
  if (program->hasKernel(kernelName) && program->getNumArguments(kernelName) != arguments.size())
    return fail("kernel '" + kernelName + "' takes " + Twine(program->getNumArguments(kernelName)) + " arguments");
  program->countAccesses = printCounters;
  if (!program->launch(kernelName, sizes, addresses.data(), memory, error))
    return fail(error);
  for (Argument &argument : arguments)
    if (argument.isBuffer)
      print(argument);
  if (printCounters) {
    const Counters &counters = program->counters;
    outs() << "barriers: " << counters.barriers << "\nglobal requests: " << counters.globalRequests
           << "\nglobal sectors: " << counters.globalSectors << "\nshared requests: " << counters.sharedRequests
           << "\nbank conflicts: " << counters.bankConflicts << "\n";
  }
  return 0;
}
