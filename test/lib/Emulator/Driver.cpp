//===- Driver.cpp - CUDA's or HIP's driver in front of the emulator -------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// libcuda.so.1 or (with RELAX_EMULATED_HIP) libamdhip64.so.7 for tests. The one
// device is the CPU. What is loaded is looked for among the files of
// --save-device-code, and the LLVM IR beside it is what runs. Environment:
//
//   DRIVER_CHIP    "80" or "gfx90a:xnack-": what the device says that it is
//   DRIVER_CODE    the folder of --save-device-code
//   DRIVER_LOG     optional: a file to which calls are appended
//   DRIVER_WORDS   optional: which argument has the sizes, whose first goes to the log
//   DRIVER_COUNT   optional: with 1 accesses are counted, and the log gets them
//   DRIVER_INIT, DRIVER_LOAD  optional: results of the initialization and of loading code
//
// What a kernel must not do is written to stderr and fails the launch.
//
//===----------------------------------------------------------------------===//
#include "Emulator.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#ifdef RELAX_EMULATED_HIP
#define RELAX_DRIVER_NAME(cuda, hip) hip
#else
#define RELAX_DRIVER_NAME(cuda, hip) cuda
#endif

using namespace relax_emulator;

namespace {

constexpr int kInvalidValue = 1, kNoCode = 209, kNotFound = 500, kIllegalAccess = 700;
constexpr unsigned char kGarbage = 0xff; // no number in any floating type

struct Code {
  std::unique_ptr<Program> program;
};
struct Function {
  Code *code;
  std::string name;
};

class Driver {
public:
  int load(void **module, const char *image);
  int getFunction(void **function, void *module, const char *name);
  int launch(void *function, const LaunchSizes &sizes, void **arguments);
  int unload(void *module);
  int allocate(void **memory, size_t bytes);
  int release(void *memory);

private:
  bool findCode(const char *image, std::string &llvmIR, std::string &chip);

  std::mutex mutex;
  Memory memory;
  std::vector<std::unique_ptr<Function>> functions;
};

Driver &getDriver() {
  static Driver driver;
  return driver;
}

const char *getText(const char *variable) {
  const char *text = std::getenv(variable);
  return text ? text : "";
}

int getNumber(const char *variable) { return std::atoi(getText(variable)); }

void note(const std::string &text) {
  if (std::FILE *file = std::fopen(getText("DRIVER_LOG"), "a")) {
    std::fprintf(file, "%s\n", text.c_str());
    std::fclose(file);
  }
}

int fail(int result, const std::string &reason) {
  std::fprintf(stderr, "emulator: %s\n", reason.c_str());
  return result;
}

/// How long an image is nobody says: as long as it is equal, it goes on.
bool isEqual(const char *image, llvm::StringRef bytes) {
  for (char byte : bytes)
    if (*image++ != byte)
      return false;
  return true;
}

bool Driver::findCode(const char *image, std::string &llvmIR, std::string &chip) {
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(getText("DRIVER_CODE"), error), end; !error && it != end;
       it.increment(error)) {
    llvm::StringRef extension = llvm::sys::path::extension(it->path());
    if (extension != ".cubin" && extension != ".ptx" && extension != ".hsaco")
      continue;
    auto bytes = llvm::MemoryBuffer::getFile(it->path(), /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!bytes || !isEqual(image, (*bytes)->getBuffer()))
      continue;
    llvm::SmallString<128> path(it->path());
    llvm::sys::path::replace_extension(path, ".ll");
    auto text = llvm::MemoryBuffer::getFile(path);
    if (!text)
      continue;
    llvmIR = (*text)->getBuffer().str();
    chip = llvm::sys::path::filename(path).split('.').first.str();
    return true;
  }
  return false;
}

int Driver::load(void **module, const char *image) {
  const auto *bytes = reinterpret_cast<const unsigned char *>(image);
  constexpr size_t kMachine = 18; // of an ELF file
  note(std::memcmp(image, "\177ELF", 4) != 0
           ? "load text of " + std::to_string(std::strlen(image))
           : "load ELF for machine " + std::to_string(bytes[kMachine] | bytes[kMachine + 1] << 8));
  if (int result = getNumber("DRIVER_LOAD"))
    return result;
  std::string llvmIR, chip, error;
  if (!findCode(image, llvmIR, chip))
    return fail(kNoCode, "what is to be loaded is no file of '" + std::string(getText("DRIVER_CODE")) + "'");
  auto code = std::make_unique<Code>();
  code->program = Program::load(llvmIR, chip, error);
  if (!code->program)
    return fail(kNoCode, error);
  code->program->countAccesses = getNumber("DRIVER_COUNT") != 0;
  *module = code.release();
  return 0;
}

int Driver::getFunction(void **function, void *module, const char *name) {
  note(name);
  auto *code = static_cast<Code *>(module);
  if (!code->program->hasKernel(name))
    return fail(kNotFound, "no kernel '" + std::string(name) + "'");
  std::lock_guard<std::mutex> lock(mutex);
  functions.push_back(std::make_unique<Function>(Function{code, name}));
  *function = functions.back().get();
  return 0;
}

int Driver::launch(void *handle, const LaunchSizes &sizes, void **arguments) {
  auto *function = static_cast<Function *>(handle);
  auto show = [](const Dim3 &at) {
    return std::to_string(at[0]) + " " + std::to_string(at[1]) + " " + std::to_string(at[2]);
  };
  std::string text = "launch " + show(sizes.grid) + " of " + show(sizes.block);
  if (int words = getNumber("DRIVER_WORDS"))
    text += ", elements " + std::to_string(**static_cast<unsigned **>(arguments[words]));
  note(text);
  // Blocks use the memory of their program one after the other.
  std::lock_guard<std::mutex> lock(mutex);
  std::string error;
  return function->code->program->launch(function->name, sizes, arguments, memory, error) ? 0
                                                                                          : fail(kIllegalAccess, error);
}

int Driver::unload(void *module) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Code> code(static_cast<Code *>(module));
  note("unload");
  const Counters &counters = code->program->counters;
  if (code->program->countAccesses)
    note("global requests " + std::to_string(counters.globalRequests) + ", sectors " +
         std::to_string(counters.globalSectors) + ", shared requests " + std::to_string(counters.sharedRequests) +
         ", bank conflicts " + std::to_string(counters.bankConflicts));
  return 0;
}

int Driver::allocate(void **made, size_t bytes) {
  constexpr size_t kAlignment = 256;
  *made = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (!*made)
    return 2;
  std::memset(*made, kGarbage, bytes);
  std::lock_guard<std::mutex> lock(mutex);
  memory.add(reinterpret_cast<uint64_t>(*made), bytes);
  return 0;
}

int Driver::release(void *given) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!memory.remove(reinterpret_cast<uint64_t>(given)))
    return fail(kInvalidValue, "memory is released that is not of the device");
  std::free(given);
  return 0;
}

} // namespace

extern "C" {
#define RELAX_EXPORT __attribute__((visibility("default"))) int

RELAX_EXPORT RELAX_DRIVER_NAME(cuInit, hipInit)(unsigned flags) {
  return flags ? kInvalidValue : getNumber("DRIVER_INIT");
}
RELAX_EXPORT RELAX_DRIVER_NAME(cuDeviceGetCount, hipGetDeviceCount)(int *count) { return *count = 1, 0; }
RELAX_EXPORT RELAX_DRIVER_NAME(cuDeviceGet, hipDeviceGet)(int *device, int index) { return *device = index, 0; }
RELAX_EXPORT RELAX_DRIVER_NAME(cuDeviceGetName, hipDeviceGetName)(char *name, int size, int device) {
  return std::snprintf(name, size, "emulator %d", device), 0;
}
RELAX_EXPORT RELAX_DRIVER_NAME(cuDeviceTotalMem_v2, hipDeviceTotalMem)(size_t *bytes, int device) {
  constexpr size_t kBytes = size_t(1) << 30;
  return *bytes = kBytes, device;
}
RELAX_EXPORT RELAX_DRIVER_NAME(cuMemAllocManaged, hipMallocManaged)(void **memory, size_t bytes, unsigned flags) {
  return flags != 1 ? kInvalidValue : getDriver().allocate(memory, bytes);
}
RELAX_EXPORT RELAX_DRIVER_NAME(cuMemFree_v2, hipFree)(void *memory) { return getDriver().release(memory); }
RELAX_EXPORT RELAX_DRIVER_NAME(cuModuleLoadData, hipModuleLoadData)(void **module, const void *image) {
  return getDriver().load(module, static_cast<const char *>(image));
}
RELAX_EXPORT RELAX_DRIVER_NAME(cuModuleGetFunction, hipModuleGetFunction)(void **function, void *module,
                                                                          const char *name) {
  return getDriver().getFunction(function, module, name);
}
RELAX_EXPORT RELAX_DRIVER_NAME(cuModuleUnload, hipModuleUnload)(void *module) { return getDriver().unload(module); }
RELAX_EXPORT RELAX_DRIVER_NAME(cuLaunchKernel, hipModuleLaunchKernel)(void *function, unsigned x, unsigned y,
                                                                      unsigned z, unsigned bx, unsigned by, unsigned bz,
                                                                      unsigned shared, void *stream, void **arguments,
                                                                      void **extra) {
  if (!function || !stream || shared || extra)
    return kInvalidValue;
  return getDriver().launch(function, {{x, y, z}, {bx, by, bz}}, arguments);
}
RELAX_EXPORT RELAX_DRIVER_NAME(cuStreamCreate, hipStreamCreateWithFlags)(void **stream, unsigned flags) {
  return *stream = new char, flags != 1;
}
RELAX_EXPORT RELAX_DRIVER_NAME(cuStreamSynchronize, hipStreamSynchronize)(void *stream) {
  return note("synchronize"), !stream;
}
RELAX_EXPORT RELAX_DRIVER_NAME(cuStreamDestroy_v2, hipStreamDestroy)(void *stream) {
  return delete static_cast<char *>(stream), note("end"), 0;
}
#ifdef RELAX_EMULATED_HIP
RELAX_EXPORT hipSetDevice(int device) { return device; }
RELAX_EXPORT hipGetDevicePropertiesR0600(void *properties, int device) {
  constexpr size_t kSomewhere = 1000;
  return std::strcpy(static_cast<char *>(properties) + kSomewhere, getText("DRIVER_CHIP")), device;
}
#else
RELAX_EXPORT cuDeviceGetAttribute(int *value, int what, int device) {
  constexpr int kCapabilityMajor = 75;
  int chip = getNumber("DRIVER_CHIP");
  *value = what == kCapabilityMajor ? chip / 10 : chip % 10;
  return device;
}
RELAX_EXPORT cuDevicePrimaryCtxRetain(void **context, int device) { return *context = &getDriver(), device; }
RELAX_EXPORT cuDevicePrimaryCtxRelease_v2(int device) { return device; }
RELAX_EXPORT cuCtxSetCurrent(void *context) { return !context; }
#endif
#undef RELAX_EXPORT
}
