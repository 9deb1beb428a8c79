//===- ArtifactTest.cpp - Loading artifacts -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RuntimeFixture.h"

#include <cstring>
#include <dirent.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace relax_rt;

namespace {

class ArtifactTest : public RuntimeTest {};

size_t numOpenFiles() {
  size_t count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (readdir(folder))
    ++count;
  closedir(folder);
  return count;
}

} // namespace

TEST_F(ArtifactTest, SignatureIsReported) {
  open(makeTestArtifact());
  EXPECT_EQ(relax_rt_module_num_functions(module), 11);
  EXPECT_STREQ(relax_rt_module_function_name(module, 0), "main");
  EXPECT_EQ(relax_rt_module_function_name(module, 11), nullptr);
  EXPECT_EQ(relax_rt_module_function_name(module, -1), nullptr);
  EXPECT_EQ(relax_rt_module_find_function(module, "huge"), 1);
  EXPECT_EQ(relax_rt_module_find_function(module, "none"), -1);
  EXPECT_EQ(relax_rt_module_num_inputs(module, 1), 2);
  EXPECT_EQ(relax_rt_module_num_outputs(module, 2), 0);
  EXPECT_EQ(relax_rt_module_num_inputs(module, 99), -1);
  const relax_rt_tensor_info *info = relax_rt_module_input(module, 0, 0);
  ASSERT_NE(info, nullptr);
  EXPECT_STREQ(info->name, "x");
  EXPECT_EQ(info->dtype.code, RELAX_RT_FLOAT);
  EXPECT_EQ(info->dtype.bits, 32);
  EXPECT_EQ(info->dtype.lanes, 1);
  ASSERT_EQ(info->rank, 2);
  EXPECT_STREQ(info->dims[0], "n");
  EXPECT_STREQ(info->dims[1], "4");
  EXPECT_EQ(relax_rt_module_input(module, 0, 1), nullptr);
  EXPECT_EQ(relax_rt_module_output(module, 0, -1), nullptr);
  EXPECT_EQ(relax_rt_module_num_kernels(module), 3);
  EXPECT_STREQ(relax_rt_module_kernel_name(module, 2), "error");
  EXPECT_EQ(relax_rt_module_kernel_name(module, 3), nullptr);
  EXPECT_STREQ(relax_rt_module_memory_report(module), "{}");
}

TEST_F(ArtifactTest, DescriptionNeedsNoLibrary) {
  file.write(makeTestArtifact(true).build());
  ASSERT_EQ(relax_rt_module_describe(file.path().c_str(), &module), RELAX_RT_OK) << relax_rt_last_error();
  EXPECT_GT(relax_rt_module_num_functions(module), 0);
  EXPECT_STREQ(relax_rt_module_input(module, 0, 0)->dims[0], "n");
  ASSERT_EQ(relax_rt_module_num_library_functions(module), 1);
  EXPECT_STREQ(relax_rt_module_library_function(module, 0), "test_add_one");
  EXPECT_EQ(relax_rt_module_library_function(module, 1), nullptr);
  EXPECT_EQ(relax_rt_module_num_library_functions(nullptr), 0);
  EXPECT_EQ(relax_rt_context_create(module, &context), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(relax_rt_last_error(), "the module is a description and cannot run");
}

TEST_F(ArtifactTest, DescriptionChecksTheFile) {
  std::string image = makeTestArtifact().build();
  image[image.size() / 2] = static_cast<char>(image[image.size() / 2] ^ 1);
  file.write(image);
  EXPECT_EQ(relax_rt_module_describe(file.path().c_str(), &module), RELAX_RT_INVALID_ARTIFACT);
  EXPECT_EQ(module, nullptr);
  EXPECT_EQ(relax_rt_module_describe(nullptr, &module), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_EQ(relax_rt_module_describe(file.path().c_str(), nullptr), RELAX_RT_INVALID_ARGUMENT);
}

TEST_F(ArtifactTest, NullArguments) {
  EXPECT_EQ(relax_rt_module_load(nullptr, "x", &module), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_EQ(relax_rt_module_load(instance, nullptr, &module), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_EQ(relax_rt_module_load(instance, "x", nullptr), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_EQ(relax_rt_instance_create(nullptr), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_EQ(relax_rt_instance_register(instance, "f", nullptr, nullptr), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_EQ(relax_rt_context_create(nullptr, &context), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_EQ(relax_rt_context_invoke(nullptr, 0, nullptr, 0), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_EQ(relax_rt_context_set_memory_limit(nullptr, 0), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_EQ(relax_rt_module_num_functions(nullptr), 0);
  EXPECT_EQ(relax_rt_context_kernel_launches(nullptr, 0), 0u);
  relax_rt_context_cancel(nullptr);
  relax_rt_context_destroy(nullptr);
  relax_rt_module_destroy(nullptr);
  relax_rt_instance_destroy(nullptr);
}

TEST_F(ArtifactTest, StatusNames) {
  EXPECT_STREQ(relax_rt_status_name(RELAX_RT_OK), "ok");
  EXPECT_STREQ(relax_rt_status_name(RELAX_RT_CANCELLED), "cancelled");
  EXPECT_STREQ(relax_rt_status_name(static_cast<relax_rt_status>(15)), "unknown");
  EXPECT_EQ(relax_rt_abi_version(), static_cast<uint32_t>(RELAX_RT_ABI_VERSION));
}

TEST_F(ArtifactTest, FilesThatCannotBeRead) {
  EXPECT_EQ(relax_rt_module_load(instance, "/nonexistent/artifact", &module), RELAX_RT_IO_ERROR);
  EXPECT_NE(std::strstr(relax_rt_last_error(), "/nonexistent/artifact"), nullptr);
  EXPECT_EQ(relax_rt_module_load(instance, "/", &module), RELAX_RT_IO_ERROR);
  // A pipe without a writer must not block.
  std::string pipe = file.path() + ".pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(relax_rt_module_load(instance, pipe.c_str(), &module), RELAX_RT_IO_ERROR);
  unlink(pipe.c_str());
}

TEST_F(ArtifactTest, MissingLibraryFunctionIsNamed) {
  expectRefused(makeTestArtifact(true).build(), "library function 'test_add_one' is not registered",
                RELAX_RT_UNAVAILABLE);
}

TEST_F(ArtifactTest, LibrariesThatCannotBeLoaded) {
  EXPECT_EQ(relax_rt_instance_load_library(instance, "/nonexistent/library.so"), RELAX_RT_UNAVAILABLE);
  EXPECT_NE(std::strstr(relax_rt_last_error(), "/nonexistent/library.so"), nullptr);
  EXPECT_EQ(relax_rt_instance_load_library(instance, RELAX_TEST_CODE), RELAX_RT_UNAVAILABLE);
  EXPECT_NE(std::strstr(relax_rt_last_error(), "relax_rt_register_library"), nullptr);
}

TEST_F(ArtifactTest, MissingSymbolsAreNamed) {
  TestArtifact artifact = makeTestArtifact();
  artifact.metadata.kernels[0].symbol = "no_such_kernel";
  expectRefused(artifact.build(), "does not define 'no_such_kernel'");
  // A symbol of a library that the code needs does not count.
  artifact.metadata.kernels[0].symbol = "memcpy";
  expectRefused(artifact.build(), "does not define 'memcpy'");
  artifact = makeTestArtifact();
  artifact.metadata.functions[1].symbol = "";
  expectRefused(artifact.build(), "does not define ''");
  artifact = makeTestArtifact();
  artifact.metadata.kernels[1].referenceSymbol = "no_such_reference";
  expectRefused(artifact.build(), "does not define 'no_such_reference'");
  artifact = makeTestArtifact();
  artifact.metadata.kernels[0].partsSymbol = "no_such_parts";
  expectRefused(artifact.build(), "does not define 'no_such_parts'");
}

TEST_F(ArtifactTest, CodeThatIsNoSharedObject) {
  TestArtifact artifact = makeTestArtifact();
  artifact.code = "this is not code";
  expectRefused(artifact.build(), "cannot load code");
  artifact.code.clear();
  expectRefused(artifact.build(), "cannot load code");
}

TEST_F(ArtifactTest, OtherMachines) {
  TestArtifact artifact = makeTestArtifact();
  artifact.metadata.targetTriple = "sparc64-unknown-linux-gnu";
  expectRefused(artifact.build(), "compiled for sparc64-unknown-linux-gnu, this machine is");
  artifact = makeTestArtifact();
  artifact.metadata.cpuFeatures = "no_such_feature,also_missing";
  expectRefused(artifact.build(), "a CPU with no_such_feature, also_missing");
}

TEST_F(ArtifactTest, MetadataThatMakesNoSense) {
  TestArtifact artifact = makeTestArtifact();
  artifact.metadata.functions[1].name = "main";
  expectRefused(artifact.build(), "function 'main' appears twice");
  artifact = makeTestArtifact();
  artifact.metadata.functions[1].inputs[1].name = "a";
  expectRefused(artifact.build(), "function 'huge': input 'a' appears twice");
  for (auto [code, bits] : {std::pair<uint32_t, uint32_t>(2, 31), {9, 32}, {514, 32}, {2, 288}, {6, 1}}) {
    artifact = makeTestArtifact();
    artifact.metadata.functions[0].outputs[0].typeCode = code;
    artifact.metadata.functions[0].outputs[0].typeBits = bits;
    expectRefused(artifact.build(), "output 'y' has an unknown element type");
  }
  artifact = makeTestArtifact();
  artifact.metadata.sites[1].status = 0;
  expectRefused(artifact.build(), "guard site 1 has status 0");
}

TEST_F(ArtifactTest, ElementTypes) {
  const std::pair<relax_rt_dtype, const char *> types[] = {{{RELAX_RT_BFLOAT, 16, 1}, "bfloat16"},
                                                           {{RELAX_RT_UINT, 64, 1}, "uint64"},
                                                           {{RELAX_RT_FLOAT8_E4M3FN, 8, 1}, "float8_e4m3fn"},
                                                           {{RELAX_RT_FLOAT4_E2M1FN, 4, 1}, "float4_e2m1fn"},
                                                           {{RELAX_RT_INT, 4, 1}, "int4"},
                                                           {{RELAX_RT_UINT, 2, 1}, "uint2"}};
  for (const auto &[dtype, name] : types) {
    TestArtifact artifact = makeTestArtifact();
    artifact.metadata.functions[0].inputs[0].typeCode = dtype.code;
    artifact.metadata.functions[0].inputs[0].typeBits = dtype.bits;
    open(artifact);
    float data[4] = {};
    int64_t dims[2] = {1, 4};
    EXPECT_EQ(call("main", {{data, dims, 2, {RELAX_RT_FLOAT, 32, 1}}}), RELAX_RT_INVALID_ARGUMENT);
    std::string text = std::string("expected element type ") + name + ", actual float32";
    EXPECT_NE(std::string(relax_rt_last_error()).find(text), std::string::npos) << relax_rt_last_error();
    relax_rt_context_destroy(context);
    relax_rt_module_destroy(module);
    context = nullptr;
    module = nullptr;
  }
}

TEST_F(ArtifactTest, WeightsAreOptional) {
  TestArtifact artifact = makeTestArtifact();
  artifact.weights.clear();
  EXPECT_EQ(load(artifact.build()), RELAX_RT_OK) << relax_rt_last_error();
}

TEST_F(ArtifactTest, SeveralMebibytesOfWeights) {
  TestArtifact artifact = makeTestArtifact();
  artifact.weights.resize(3 * kChecksumBlock + 17, '\x5a');
  std::string image = artifact.build();
  EXPECT_EQ(load(image), RELAX_RT_OK) << relax_rt_last_error();
  relax_rt_module_destroy(module);
  module = nullptr;
  image[getSection(getHeader(image), SectionKind::Weights).offset + 3 * kChecksumBlock + 5] = 0;
  expectRefused(image, "weights section: corrupt, the checksum of MiB 3 does not match");
}

TEST_F(ArtifactTest, ModulesDoNotShareCode) {
  // Same descriptor numbers in a row: the dynamic loader must not hand out an earlier object.
  size_t before = numOpenFiles();
  for (int i = 0; i < 3; ++i) {
    open(makeTestArtifact());
    relax_rt_context_destroy(context);
    relax_rt_module_destroy(module);
    TestArtifact other = makeTestArtifact();
    other.code = readFile(RELAX_TEST_LIBRARY);
    expectRefused(other.build(), "does not define");
    context = nullptr;
    module = nullptr;
  }
  EXPECT_EQ(numOpenFiles(), before);
}

TEST_F(ArtifactTest, CodeThatStaysLoadedIsNotTakenForOtherCode) {
  size_t before = numOpenFiles();
  for (int i = 0; i < 2; ++i) {
    TestArtifact pinned = makeTestArtifact();
    pinned.code = readFile(RELAX_TEST_PINNED);
    ASSERT_EQ(load(pinned.build()), RELAX_RT_OK) << relax_rt_last_error();
    relax_rt_module_destroy(module);
    // With the same name as the object that is still loaded, its symbols would be found here.
    TestArtifact other = makeTestArtifact();
    other.code = readFile(RELAX_TEST_LIBRARY);
    module = nullptr;
    expectRefused(other.build(), "does not define");
  }
  EXPECT_GT(numOpenFiles(), before);
}

TEST_F(ArtifactTest, LoadFromManyThreads) {
  file.write(makeTestArtifact().build());
  std::vector<std::thread> threads;
  std::vector<relax_rt_status> results(8, RELAX_RT_INTERNAL);
  threads.reserve(results.size());
  for (relax_rt_status &result : results)
    threads.emplace_back([&] {
      relax_rt_module *mine = nullptr;
      result = relax_rt_module_load(instance, file.path().c_str(), &mine);
      relax_rt_module_destroy(mine);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(results, std::vector<relax_rt_status>(8, RELAX_RT_OK));
}

TEST_F(ArtifactTest, ErrorTextBelongsToItsThread) {
  EXPECT_EQ(relax_rt_module_load(instance, "/nonexistent/artifact", &module), RELAX_RT_IO_ERROR);
  std::string other = "unset";
  std::thread([&] { other = relax_rt_last_error(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_NE(std::strstr(relax_rt_last_error(), "/nonexistent/artifact"), nullptr);
}
