//===- Context.h - The state of one caller --------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_CORE_CONTEXT_H
#define RELAX_RUNTIME_CORE_CONTEXT_H

#include "../Device/Device.h"
#include "Capture.h"
#include "Memory.h"
#include "Module.h"
#include "RelaxDialect/Runtime/Device.h"
#include "ThreadPool.h"

#include <atomic>
#include <unordered_map>

namespace relax_rt {

/// Where one output of the current call lives. Block and vector are kept from call to call.
struct OutputSlot {
  Block block;
  uint64_t offset = 0;     // where in the block it begins
  void *donated = nullptr; // the caller's memory, where it is not in the block
  std::vector<int64_t> dims;
  bool ready = false;

  void *data() const { return donated ? donated : static_cast<char *>(block.data()) + offset; }
};

/// A former output that is an input of the running call.
struct SetAside {
  Block block;
  bool outgrown = false; // what it holds was copied to a larger block
};

/// Memory whose size changes while a call runs.
struct GrowingBlock {
  Block block;
  uint64_t charged = 0; // the most that the running call asked for
};

/// A copy of an input, or of rows of it, in memory of the device.
struct DeviceInput {
  const void *data = nullptr;
  uint64_t bytes = 0;
  Block block;
};

/// What was reserved when a function of the module called another.
struct Frame {
  size_t arenas, growing;
};

/// The functions that compiled host code calls.
extern const relax_rt_host_api kHostApi;

} // namespace relax_rt

struct relax_rt_context {
  explicit relax_rt_context(relax_rt_module &module);

  relax_rt_status invoke(int64_t function, const relax_rt_tensor_view *inputs, int64_t numInputs,
                         const relax_rt_donation *donations = nullptr, int64_t numDonations = 0);
  relax_rt_status output(int64_t index, relax_rt_tensor_view &view) const;

  // What compiled code asks for; `current` is set.
  relax_rt_status allocOutput(int64_t index, const int64_t *dims, void **outData);
  relax_rt_status extendOutput(int64_t index, const int64_t *dims, int64_t input, void **outData);
  relax_rt_status donateOutput(int64_t index, const int64_t *dims, int64_t input, int64_t keep, void **outData);
  relax_rt_status reserveArena(int64_t bytes, void **outBase);
  relax_rt_status launch(int64_t kernel, void *const *buffers, const int64_t *scalars, int64_t grid);
  relax_rt_status callExtern(int64_t function, const relax_rt_tensor_view *args, int64_t numArgs,
                             const int64_t *scalars, int64_t numScalars);
  relax_rt_status externAvailable(int64_t function, int64_t wanted, int64_t *outAvailable);
  relax_rt_status guardFailed(int64_t site, const int64_t *values, int64_t numValues);
  relax_rt_status reserveGrowing(int64_t count, int64_t *outFirst);
  relax_rt_status growTo(int64_t block, int64_t bytes, void **outBase);
  relax_rt_status enterFrame();
  relax_rt_status leaveFrame();
  relax_rt_status beginRegion(int64_t region, const int64_t *key, int64_t numKey, void *const *pointers,
                              int64_t numPointers, int64_t *outDone);
  relax_rt_status launchInRegion(int64_t kernel, const int64_t *indices, int64_t numBuffers, const int64_t *scalars,
                                 int64_t numScalars);
  relax_rt_status callInRegion(int64_t function, const int64_t *indices, const relax_rt_tensor_view *args,
                               int64_t numArgs, const int64_t *scalars, int64_t numScalars);
  relax_rt_status endRegion();

  relax_rt_status setDevice(const std::string &name);
  /// Waits for the launches that the device has been given. Fails when one of them did, or a check in one.
  relax_rt_status awaitDevice();

  relax_rt_module &module;
  std::unique_ptr<relax_rt::Device> device; // null: the CPU; outlives all memory of the context
  relax_rt_device_counters deviceCounters = {};
  relax_rt_counters counters = {};
  relax_rt::Recordings recordings;
  std::vector<uint64_t> kernelLaunches;
  relax_rt_trace_fn traceFn = nullptr;
  void *traceUser = nullptr;
  uint64_t memoryLimit = 0;
  int64_t maxThreads = 0; // 0: one for each usable CPU
  const int64_t usableCpus = relax_rt::countUsableCpus();
  std::atomic<bool> cancelRequested{false};
  relax_rt_status firstFailure = RELAX_RT_OK; // of what the running call asked for

private:
  relax_rt_status checkInputs(const relax_rt_tensor_view *views, int64_t numViews) const;
  relax_rt_status checkInput(const relax_rt::Tensor &expected, const relax_rt_tensor_view &view) const;
  relax_rt_status checkDonations(const relax_rt_tensor_view *views, const relax_rt_donation *donations,
                                 int64_t numDonations);
  relax_rt_status run(const relax_rt_tensor_view *views, int64_t numViews);
  relax_rt_status checkResult(int32_t result);
  relax_rt_status failHere(relax_rt_status status, const std::string &text) const;
  relax_rt_status pollCancel();
  relax_rt_status insideRegion(const std::string &what) const;
  static relax_rt::LaunchRange getRange(const relax_rt::Kernel &kernel, const int64_t *scalars, int64_t grid);
  relax_rt_status launchRange(size_t kernel, void *const *buffers, const int64_t *scalars, relax_rt::LaunchRange range);
  relax_rt_status launchHere(size_t kernel, void *const *buffers, const int64_t *scalars, relax_rt::LaunchRange range);
  relax_rt_status callLibrary(size_t function, const relax_rt_tensor_view *args, int64_t numArgs,
                              const int64_t *scalars, int64_t numScalars);
  relax_rt_status callHere(size_t function, const relax_rt_tensor_view *args, int64_t numArgs, const int64_t *scalars,
                           int64_t numScalars);
  void runKernel(const relax_rt::Kernel &kernel, void *const *buffers, const int64_t *scalars,
                 relax_rt::LaunchRange range, int64_t *error);
  relax_rt_status record(relax_rt::RecordedLaunch &launch, const int64_t *indices, int64_t numBuffers,
                         const int64_t *scalars, int64_t numScalars);
  relax_rt_status runRecorded(const relax_rt::Recording &recorded, const relax_rt::RecordedLaunch &launch,
                              void *const *pointers);
  relax_rt_status replay(const relax_rt::Recording &recorded, void *const *pointers);
  relax_rt_status launchOnDevice(size_t kernel, void *const *buffers, const int64_t *scalars, bool &isDone);
  relax_rt_status runHere(const relax_rt_tensor_view *views, int64_t numViews);
  bool describeLaunch(const relax_rt::DeviceKernel &code, void *const *buffers, const int64_t *scalars,
                      relax_rt::DeviceLaunch &launch) const;
  relax_rt_status moveToDevice(relax_rt::DeviceBuffer &buffer);
  relax_rt_status beginOutput(int64_t index, const int64_t *dims, uint64_t &bytes);
  relax_rt_status chargeOutput(int64_t index, uint64_t bytes);
  relax_rt_status checkContinued(int64_t index, int64_t input, uint64_t bytes) const;
  bool takeDonated(int64_t index, int64_t input, const int64_t *dims, uint64_t bytes, void **outData);
  void finishOutput(int64_t index, const int64_t *dims, void **outData);
  bool takeBlock(relax_rt::OutputSlot &slot, uint64_t bytes, uint64_t wanted);
  bool extendInPlace(relax_rt::OutputSlot &slot, relax_rt::SetAside &aside, void *data, uint64_t kept, uint64_t bytes);
  bool isRead(const char *begin, const char *end) const;
  uint64_t countInputBytes(size_t input) const;
  void setAsideInputs(const relax_rt_tensor_view *views, int64_t numViews);
  bool charge(uint64_t bytes);
  relax_rt_status overLimit(const std::string &what, uint64_t bytes) const;
  bool grow(relax_rt::Block &block, uint64_t bytes, bool stepwise = false);
  void makeRoom(uint64_t bytes);
  uint64_t heldBytes() const;

  uint64_t arenaBytes() const;
  void startFrames();

  std::vector<relax_rt::Block> arenas; // the k-th one is what the k-th request of a call gets
  std::vector<uint64_t> arenaCharges;  // of each reserved arena
  std::vector<relax_rt::GrowingBlock> growing;
  std::vector<relax_rt::Frame> frames;
  std::vector<relax_rt::OutputSlot> slots;
  std::vector<relax_rt::Block> spares; // former outputs, waiting to be used again
  std::vector<relax_rt::SetAside> setAside;
  std::vector<relax_rt_input> inputs;
  std::vector<uint64_t> capacities; // of inputs that the running call donates; 0: it does not

  relax_rt::Recording recording; // of the open region
  int64_t openRegion = -1;       // whose launches are being recorded
  void *const *regionPointers = nullptr;
  std::vector<void *> launchBuffers;                         // of one launch of a region
  std::vector<relax_rt_tensor_view> launchViews;             // the same of a library function
  std::vector<const relax_rt::DeviceKernel *> deviceKernels; // of each kernel; null: it runs on the CPU
  std::vector<relax_rt::Block> scratch;                      // intermediates of device kernels
  relax_rt::Block errorWord;
  bool isLaunching = false;    // the device has launches that were not waited for
  bool hasDeviceError = false; // a check of one failed in the running call
  uint64_t launchesBegan = 0;  // when the first of them was given to the device, in nanoseconds
  std::unordered_map<const void *, relax_rt::Block> deviceWeights;
  std::vector<relax_rt::DeviceInput> deviceInputs; // of the running call, then spare ones
  std::vector<relax_rt::Block> deviceCopies;       // of memory of host code, which changes
  size_t numDeviceInputs = 0;                      // of the running call
  size_t numDeviceCopies = 0;                      // that launches may still read

  relax_rt::ThreadPool pool;
  std::atomic<bool> running{false};
  const relax_rt::Function *current = nullptr; // of the running or last call; null after a failure
  size_t arenasReserved = 0, growingReserved = 0;
  uintptr_t stackStart = 0;  // where the stack was when the call began
  uint64_t chargedBytes = 0; // asked for by the running call
};

#endif // RELAX_RUNTIME_CORE_CONTEXT_H
