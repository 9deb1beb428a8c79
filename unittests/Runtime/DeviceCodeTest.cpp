//===- DeviceCodeTest.cpp - The devices section of an artifact ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Runtime/DeviceCode.h"

#include "gtest/gtest.h"
#include <tuple>

using namespace relax_rt;

namespace {

std::vector<DeviceTarget> makeTargets() {
  DeviceStage stage;
  stage.entry = "stage0";
  stage.workgroup = 64;
  stage.bindings = {0, 2, kBindWords, kBindError};
  stage.written = {0, 1, 0, 1};
  stage.words = 3;
  DeviceKernel kernel;
  kernel.kernel = 1;
  kernel.sizes = "relax_device_f";
  kernel.buffers = 2;
  kernel.scratch = 1;
  kernel.features = kDeviceInt64 | kDeviceFloat16;
  kernel.stages = {stage, stage};
  kernel.code = {0x07230203, 0x10000, 0, 8, 0};
  return {{"vulkan", {kernel}}, {"other", {}}};
}

std::string read(const std::string &bytes, std::vector<DeviceTarget> &targets) {
  std::string error;
  bool ok = decodeDeviceCode(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(), 2, targets, error);
  EXPECT_EQ(ok, error.empty());
  return error;
}

void expectRefused(void (*change)(DeviceKernel &), const std::string &text) {
  std::vector<DeviceTarget> targets = makeTargets();
  change(targets[0].kernels[0]);
  std::string error = read(encodeDeviceCode(targets), targets);
  EXPECT_NE(error.find(text), std::string::npos) << error;
}

} // namespace

TEST(DeviceCodeTest, WhatIsWrittenIsRead) {
  std::vector<DeviceTarget> targets;
  std::string bytes = encodeDeviceCode(makeTargets());
  ASSERT_EQ(read(bytes, targets), "");
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(targets[0].name, "vulkan");
  EXPECT_EQ(targets[0].kernels[0].stages[1].bindings[3], kBindError);
  EXPECT_EQ(targets[0].kernels[0].countWords(), 9u);
  EXPECT_EQ(encodeDeviceCode(targets), bytes);
}

TEST(DeviceCodeTest, EveryTruncationIsRefused) {
  std::vector<DeviceTarget> targets;
  std::string bytes = encodeDeviceCode(makeTargets());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(read(bytes.substr(0, size), targets), "") << size;
  EXPECT_NE(read(bytes + '\0', targets).find("trailing bytes"), std::string::npos);
}

TEST(DeviceCodeTest, EveryDamagedByteIsSurvived) {
  std::vector<DeviceTarget> targets;
  std::string bytes = encodeDeviceCode(makeTargets());
  for (size_t i = 0; i < bytes.size(); ++i)
    for (char value : {char(0), char(1), char(0x7f), char(0xff)}) {
      std::string damaged = bytes;
      damaged[i] = value;
      read(damaged, targets);
    }
}

TEST(DeviceCodeTest, CodeIsThatOfTheTarget) {
  for (auto [name, word, text] : {std::tuple<const char *, uint32_t, const char *>{"nvidia:sm_80", 0x464c457f, ""},
                                  {"amd:gfx90a", 0x464c457f, ""},
                                  {"amd:gfx90a", 0x07230203, "code that is no ELF file"},
                                  {"nvidia:compute_80", 0x00545850, ""},
                                  {"nvidia:compute_80", 0x50545850, "PTX without an end"},
                                  {"vulkan", 0x464c457f, "code that is not SPIR-V"}}) {
    std::vector<DeviceTarget> targets = makeTargets();
    targets[0].name = name;
    for (DeviceKernel &kernel : targets[0].kernels)
      kernel.code.assign(5, word);
    std::string bytes = encodeDeviceCode(targets);
    if (*text)
      EXPECT_NE(read(bytes, targets).find(text), std::string::npos) << name;
    else
      EXPECT_EQ(read(bytes, targets), "") << name;
  }
}

TEST(DeviceCodeTest, WhatDoesNotFitIsRefused) {
  expectRefused([](DeviceKernel &kernel) { kernel.kernel = 2; }, "code of kernel 2, which does not exist");
  expectRefused([](DeviceKernel &kernel) { kernel.buffers = 5000; }, "too many buffers");
  expectRefused([](DeviceKernel &kernel) { kernel.features = 64; }, "unknown features");
  expectRefused([](DeviceKernel &kernel) { kernel.stages[0].workgroup = 0; }, "a workgroup of 0 invocations");
  expectRefused([](DeviceKernel &kernel) { kernel.stages[0].words = 0; }, "a stage with 0 numbers");
  expectRefused([](DeviceKernel &kernel) { kernel.stages[1].bindings[0] = 3; }, "a stage uses buffer 3");
  expectRefused([](DeviceKernel &kernel) { kernel.stages[1].written.pop_back(); }, "buffers do not agree");
  expectRefused([](DeviceKernel &kernel) { kernel.code[0] = 1; }, "not SPIR-V");
  expectRefused([](DeviceKernel &kernel) { kernel.sizes[2] = '\0'; }, "a string with a zero byte");
}
