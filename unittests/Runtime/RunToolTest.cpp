//===- RunToolTest.cpp - relax-run as a process ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Npz.h"
#include "TestArtifact.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/wait.h>

using namespace relax_run;

namespace {

constexpr relax_rt_dtype kFloat32 = {RELAX_RT_FLOAT, 32, 1};

class RunToolTest : public ::testing::Test {
protected:
  /// Runs the tool; `text` gets standard output and error.
  int run(const std::string &args) {
    std::string command = std::string(RELAX_TEST_RUN) + " " + args + " > " + log.path() + " 2>&1";
    int status = std::system(command.c_str());
    text = readFile(log.path());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  void expectError(const std::string &args, const std::string &message) {
    EXPECT_EQ(run(args), 1) << text;
    EXPECT_NE(text.find("relax-run: error: "), std::string::npos) << text;
    EXPECT_NE(text.find(message), std::string::npos) << text;
  }

  /// A file with a float32 array of ones.
  void writeOnes(const TemporaryFile &file, const std::string &name, std::vector<int64_t> dims) {
    size_t count = 1;
    for (int64_t dim : dims)
      count *= static_cast<size_t>(dim);
    std::vector<float> ones(count + 1, 1.0f);
    std::string error;
    ASSERT_TRUE(
        writeNpz(file.path(), {{name, {ones.data(), dims.data(), static_cast<int64_t>(dims.size()), kFloat32}}}, error))
        << error;
  }

  std::string pair(const TemporaryFile &in, const TemporaryFile &out) {
    return " --inputs " + in.path() + " --outputs " + out.path();
  }

  TemporaryFile artifact{makeTestArtifact().build()};
  TemporaryFile log, in, in2, out, out2;
  std::string text;
};

} // namespace

TEST_F(RunToolTest, SeveralRunsInOneProcess) {
  writeOnes(in, "x", {3, 4});
  writeOnes(in2, "x", {0, 4});
  ASSERT_EQ(run(artifact.path() + pair(in, out) + pair(in2, out2) + " --counters"), 0) << text;
  std::vector<Array> arrays;
  std::string error;
  ASSERT_TRUE(readNpz(out.path(), arrays, error)) << error;
  ASSERT_EQ(arrays.size(), 1u);
  EXPECT_EQ(arrays[0].name, "y");
  EXPECT_EQ(arrays[0].dims, (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(reinterpret_cast<float *>(arrays[0].data.get())[11], 2.0f);
  ASSERT_TRUE(readNpz(out2.path(), arrays, error)) << error;
  EXPECT_EQ(arrays[0].dims, (std::vector<int64_t>{0, 4}));
  EXPECT_NE(text.find("calls: 2\nkernel launches: 4\n"), std::string::npos) << text;
  EXPECT_NE(text.find("kernel copy: 2\n"), std::string::npos) << text;
}

TEST_F(RunToolTest, Signature) {
  ASSERT_EQ(run(artifact.path() + " --signature"), 0) << text;
  EXPECT_EQ(text.find("function main\ninput x: float32[n, 4]\noutput y: float32[n, 4]\nfunction huge\n"), 0u) << text;
  ASSERT_EQ(run(artifact.path() + " --signature --function=huge"), 0) << text;
  EXPECT_EQ(text, "function huge\ninput a: int64[]\ninput b: int64[]\noutput y: float64[a, b]\n");
}

TEST_F(RunToolTest, BadInputs) {
  writeOnes(in, "z", {3, 4});
  expectError(artifact.path() + pair(in, out), ": missing input 'x'");
  int64_t dims[2] = {1, 4};
  float data[4] = {};
  std::string error;
  relax_rt_tensor_view view = {data, dims, 2, kFloat32};
  ASSERT_TRUE(writeNpz(in.path(), {{"x", view}, {"extra", view}}, error));
  expectError(artifact.path() + pair(in, out), "unknown input 'extra', the function has: x");
  writeOnes(in, "x", {3, 4, 1});
  expectError(artifact.path() + pair(in, out), "main: input 'x': expected rank 2, actual 3");
  writeOnes(in, "x", {3, 5});
  expectError(artifact.path() + pair(in, out), "main: input 'x': dimension 1: expected 4, actual 5");
  ASSERT_TRUE(writeNpz(in.path(), {{"x", {data, dims, 2, {RELAX_RT_INT, 16, 1}}}}, error));
  expectError(artifact.path() + pair(in, out), "main: input 'x': expected element type float32, actual int16");
  in.write("garbage");
  expectError(artifact.path() + pair(in, out), in.path() + ": not a zip file");
  // The first pair works, the second does not.
  writeOnes(in2, "x", {2, 4});
  expectError(artifact.path() + pair(in2, out) + pair(in, out2), in.path() + ": not a zip file");
  expectError(artifact.path() + " --inputs " + in2.path() + " --outputs /nonexistent/out.npz", "cannot write");
}

TEST_F(RunToolTest, BadArtifacts) {
  writeOnes(in, "x", {3, 4});
  std::string image = readFile(artifact.path());
  artifact.write(image.substr(0, image.size() / 2));
  expectError(artifact.path() + pair(in, out), "truncated");
  image[image.size() / 2] = static_cast<char>(image[image.size() / 2] ^ 1);
  artifact.write(image);
  expectError(artifact.path() + pair(in, out), "corrupt");
  expectError("/nonexistent/artifact" + pair(in, out), "cannot open");
  expectError("/nonexistent/artifact", "cannot open");
  expectError("/nonexistent/artifact --signature", "cannot open");
}

TEST_F(RunToolTest, Libraries) {
  TemporaryFile withLibrary(makeTestArtifact(true).build());
  writeOnes(in, "x", {3});
  std::string args = withLibrary.path() + " --function library" + pair(in, out);
  expectError(args, "library function 'test_add_one' is not registered");
  expectError(args + " --library /nonexistent/lib.so", "/nonexistent/lib.so");
  ASSERT_EQ(run(withLibrary.path() + " --signature --function=library"), 0) << text;
  EXPECT_NE(text.find("library function test_add_one\n"), std::string::npos) << text;
  ASSERT_EQ(run(args + " --library " RELAX_TEST_LIBRARY), 0) << text;
}

TEST_F(RunToolTest, MemoryLimit) {
  writeOnes(in, "x", {100, 4});
  expectError(artifact.path() + pair(in, out) + " --memory-limit 3199", "exceed the memory limit of 3199 bytes");
  EXPECT_EQ(run(artifact.path() + pair(in, out) + " --memory-limit=3200"), 0) << text;
}

TEST_F(RunToolTest, CommandLine) {
  expectError("", "no artifact given");
  expectError(artifact.path(), "nothing to do");
  expectError(artifact.path() + " --inputs a", "--inputs 'a' has no --outputs");
  expectError(artifact.path() + " --inputs a --inputs b", "--inputs 'a' has no --outputs");
  expectError(artifact.path() + " --outputs b", "--outputs 'b' has no --inputs before it");
  expectError(artifact.path() + " --inputs", "option '--inputs' needs a value");
  expectError(artifact.path() + " --what", "unknown option '--what'");
  expectError(artifact.path() + " other", "unexpected argument 'other'");
  expectError(artifact.path() + " --memory-limit 12k", "--memory-limit needs a number of bytes, not '12k'");
  expectError(artifact.path() + " --memory-limit 99999999999999999999", "needs a number of bytes");
  expectError(artifact.path() + " --signature --function f", "no function 'f', the artifact has: main, huge");
  EXPECT_EQ(run("--help"), 0);
  EXPECT_EQ(text.compare(0, 6, "usage:"), 0);
}
