//===- DeviceCode.cpp - Kernels of devices as bytes -----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Compiled into the runtime and into the compiler; depends on the C++ standard
// library only.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Runtime/DeviceCode.h"
#include "SectionBytes.h"

using namespace relax_rt;

uint64_t DeviceKernel::countWords() const {
  uint64_t words = static_cast<uint64_t>(buffers) + scratch;
  for (const DeviceStage &stage : stages)
    words += stage.words;
  return words;
}

namespace {

/// What no kernel has more of; keeps a damaged count from taking all memory.
constexpr uint32_t kMaxBuffers = 4096, kMaxWords = 4096;
constexpr uint32_t kSpirvMagic = 0x07230203, kSpirvHeaderWords = 5, kElfMagic = 0x464c457f;

/// What drivers get without its size: where the code ends they find out themselves.
void checkCode(SectionReader &reader, const std::string &target, const std::vector<uint32_t> &code) {
  auto isFor = [&](const char *kind) { return target.rfind(kind, 0) == 0; };
  if (isFor("nvidia:compute_")) {
    if (code.empty() || code.back() >> 24 != 0)
      reader.fail("PTX without an end");
  } else if (isFor("nvidia:") || isFor("amd:")) {
    if (code.empty() || code[0] != kElfMagic)
      reader.fail("code that is no ELF file");
  } else if (code.size() < kSpirvHeaderWords || code[0] != kSpirvMagic) {
    reader.fail("code that is not SPIR-V");
  }
}

void readStage(SectionReader &reader, const DeviceKernel &kernel, DeviceStage &stage) {
  stage.entry = reader.string();
  stage.workgroup = reader.u32();
  stage.bindings = reader.numbers();
  stage.written = reader.numbers();
  stage.words = reader.u32();
  if (!reader.ok())
    return;
  if (stage.workgroup == 0 || stage.workgroup > 1024)
    reader.fail("a workgroup of " + std::to_string(stage.workgroup) + " invocations");
  if (stage.words == 0 || stage.words > kMaxWords)
    reader.fail("a stage with " + std::to_string(stage.words) + " numbers");
  if (stage.bindings.empty() || stage.bindings.size() != stage.written.size())
    reader.fail("a stage whose buffers do not agree");
  for (uint32_t binding : stage.bindings)
    if (binding != kBindWords && binding != kBindError && binding >= kernel.buffers + kernel.scratch)
      reader.fail("a stage uses buffer " + std::to_string(binding));
}

void readKernel(SectionReader &reader, uint64_t numKernels, const std::string &target, DeviceKernel &kernel) {
  kernel.kernel = reader.u32();
  kernel.sizes = reader.string();
  kernel.buffers = reader.u32();
  kernel.scratch = reader.u32();
  kernel.features = reader.u32();
  if (reader.ok() && kernel.kernel >= numKernels)
    reader.fail("code of kernel " + std::to_string(kernel.kernel) + ", which does not exist,");
  if (reader.ok() && (kernel.buffers > kMaxBuffers || kernel.scratch > kMaxBuffers))
    reader.fail("too many buffers");
  if (reader.ok() && (kernel.features & ~uint32_t(kAllDeviceFeatures)))
    reader.fail("unknown features");
  kernel.stages.resize(reader.count(20));
  for (DeviceStage &stage : kernel.stages)
    readStage(reader, kernel, stage);
  kernel.code = reader.numbers();
  if (reader.ok())
    checkCode(reader, target, kernel.code);
}

} // namespace

std::string relax_rt::encodeDeviceCode(const std::vector<DeviceTarget> &targets) {
  SectionWriter writer;
  writer.u32(targets.size());
  for (const DeviceTarget &target : targets) {
    writer.string(target.name);
    writer.u32(target.kernels.size());
    for (const DeviceKernel &kernel : target.kernels) {
      writer.u32(kernel.kernel);
      writer.string(kernel.sizes);
      writer.u32(kernel.buffers);
      writer.u32(kernel.scratch);
      writer.u32(kernel.features);
      writer.u32(kernel.stages.size());
      for (const DeviceStage &stage : kernel.stages) {
        writer.string(stage.entry);
        writer.u32(stage.workgroup);
        writer.numbers(stage.bindings);
        writer.numbers(stage.written);
        writer.u32(stage.words);
      }
      writer.numbers(kernel.code);
    }
  }
  return std::move(writer.bytes);
}

bool relax_rt::decodeDeviceCode(const uint8_t *data, uint64_t size, uint64_t numKernels,
                                std::vector<DeviceTarget> &targets, std::string &error) {
  error.clear();
  targets.clear();
  SectionReader reader(data, size, error);
  targets.resize(reader.count(8));
  for (DeviceTarget &target : targets) {
    target.name = reader.string();
    target.kernels.resize(reader.count(28));
    for (DeviceKernel &kernel : target.kernels)
      readKernel(reader, numKernels, target.name, kernel);
  }
  reader.expectEnd();
  return reader.ok();
}
