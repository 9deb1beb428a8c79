//===- DeviceCode.cpp - Kernels of devices as bytes -----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Compiled into the runtime and into the compiler; depends on the C++ standard
// library only. Little-endian u32, strings and lists with their length in front.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Runtime/DeviceCode.h"

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
constexpr uint32_t kSpirvMagic = 0x07230203, kSpirvHeaderWords = 5;

struct Writer {
  void u32(uint64_t value) {
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<char>((value >> shift) & 0xff));
  }
  void string(const std::string &text) {
    u32(text.size());
    bytes += text;
  }
  void numbers(const std::vector<uint32_t> &list) {
    u32(list.size());
    for (uint32_t number : list)
      u32(number);
  }
  std::string bytes;
};

/// After the first malformed field every read gives nothing.
class Reader {
public:
  Reader(const uint8_t *data, uint64_t size, std::string &error) : data(data), size(size), error(error) {}

  bool ok() const { return error.empty(); }
  bool atEnd() const { return position == size; }
  void fail(const std::string &what) {
    if (ok())
      error = what + " at byte " + std::to_string(position);
  }
  uint32_t u32() {
    if (!ok() || size - position < 4) {
      fail("truncated");
      return 0;
    }
    uint32_t value = 0;
    for (uint32_t i = 0; i < 4; ++i)
      value |= static_cast<uint32_t>(data[position + i]) << (8 * i);
    position += 4;
    return value;
  }
  /// A number of entries, each of at least `least` bytes.
  uint32_t count(uint64_t least) {
    uint32_t value = u32();
    if (ok() && value > (size - position) / least)
      fail("a count of " + std::to_string(value) + " exceeds the section");
    return ok() ? value : 0;
  }
  std::string string() {
    uint32_t length = count(1);
    std::string text(reinterpret_cast<const char *>(data) + position, length);
    position += length;
    if (text.find('\0') != std::string::npos)
      fail("a name has a zero byte");
    return text;
  }
  std::vector<uint32_t> numbers() {
    std::vector<uint32_t> list(count(4));
    for (uint32_t &number : list)
      number = u32();
    return list;
  }

private:
  const uint8_t *data;
  uint64_t size, position = 0;
  std::string &error;
};

void readStage(Reader &reader, const DeviceKernel &kernel, DeviceStage &stage) {
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

void readKernel(Reader &reader, uint64_t numKernels, DeviceKernel &kernel) {
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
  if (reader.ok() && (kernel.code.size() < kSpirvHeaderWords || kernel.code[0] != kSpirvMagic))
    reader.fail("code that is not SPIR-V");
}

} // namespace

std::string relax_rt::encodeDeviceCode(const std::vector<DeviceTarget> &targets) {
  Writer writer;
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
  return writer.bytes;
}

bool relax_rt::decodeDeviceCode(const uint8_t *data, uint64_t size, uint64_t numKernels,
                                std::vector<DeviceTarget> &targets, std::string &error) {
  error.clear();
  targets.clear();
  Reader reader(data, size, error);
  targets.resize(reader.count(8));
  for (DeviceTarget &target : targets) {
    target.name = reader.string();
    target.kernels.resize(reader.count(28));
    for (DeviceKernel &kernel : target.kernels)
      readKernel(reader, numKernels, kernel);
  }
  if (reader.ok() && !reader.atEnd())
    reader.fail("trailing bytes");
  return reader.ok();
}
