//===- CompilerTest.cpp - The C API of the compiler ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect-c/Compiler.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

void appendTo(void *user, const char *bytes, size_t size) { static_cast<std::string *>(user)->append(bytes, size); }

/// A function of one input that `n` sizes: y = op(x).
std::string makeModule(const std::string &op, const std::string &scope = "") {
  std::string type = "tensor<?x2xf32, #relax_sym.shape<[n, 2]>>";
  return "func.func @main(%x: " + type + " {relax.name = \"x\"}) -> (" + type + " {relax.name = \"y\"})\n" +
         "    attributes {relax_sym.scope = #relax_sym.scope<" + scope + ">} {\n" + "  %0 = relax." + op +
         " %x : " + type + "\n" + "  return %0 : " + type + "\n}\n";
}

class CompilerTest : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(relax_context_create(&context), RELAX_OK); }
  void TearDown() override {
    relax_module_destroy(module);
    relax_context_destroy(context);
  }
  relax_status parse(const std::string &text) {
    return relax_module_parse(context, text.data(), text.size(), "test.mlir", &module);
  }
  std::string print() {
    std::string text;
    EXPECT_EQ(relax_module_print(module, appendTo, &text), RELAX_OK);
    return text;
  }

  relax_context *context = nullptr;
  relax_module *module = nullptr;
};

TEST_F(CompilerTest, AnExampleInCRuns) {
  FILE *pipe = popen(RELAX_TEST_EXAMPLE " 2>&1", "r");
  ASSERT_NE(pipe, nullptr);
  std::string printed;
  char line[256];
  while (fgets(line, sizeof(line), pipe))
    printed += line;
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_EQ(printed, "y: 3 rows, last element 10\ny: 0 rows, last element 0\ny: 1 rows, last element 2\n");
}

TEST_F(CompilerTest, BadText) {
  EXPECT_EQ(parse("func.func @f(\n  %x: tensor<foo>)"), RELAX_INVALID_MODULE);
  EXPECT_EQ(module, nullptr);
  EXPECT_NE(std::string(relax_last_error()).find("test.mlir:2:14: error: "), std::string::npos) << relax_last_error();
  ASSERT_GE(relax_num_diagnostics(), 1);
  const relax_diagnostic *diagnostic = relax_get_diagnostic(0);
  EXPECT_EQ(diagnostic->severity, RELAX_ERROR);
  EXPECT_STREQ(diagnostic->file, "test.mlir");
  EXPECT_EQ(diagnostic->line, 2);
  EXPECT_EQ(diagnostic->column, 14);
  EXPECT_EQ(relax_get_diagnostic(-1), nullptr);
  EXPECT_EQ(relax_get_diagnostic(100), nullptr);
  // The next call starts anew.
  ASSERT_EQ(parse(makeModule("relu")), RELAX_OK);
  EXPECT_EQ(relax_num_diagnostics(), 0);
  EXPECT_STREQ(relax_last_error(), "");
}

TEST_F(CompilerTest, BadModule) {
  EXPECT_EQ(parse("func.func @f() -> i32 { return }"), RELAX_INVALID_MODULE);
  EXPECT_NE(std::string(relax_last_error()).find("error: "), std::string::npos);
  EXPECT_EQ(relax_module_parse_file(context, "missing.mlir", &module), RELAX_IO_FAILED);
  EXPECT_NE(std::string(relax_last_error()).find("missing.mlir"), std::string::npos);
  EXPECT_EQ(relax_module_import_gguf(context, "missing.gguf", nullptr, &module), RELAX_INVALID_MODULE);
  EXPECT_EQ(module, nullptr);
  EXPECT_EQ(relax_module_import_gguf(nullptr, "missing.gguf", nullptr, &module), RELAX_INVALID_ARGUMENT);
  EXPECT_EQ(relax_module_import_onnx(context, "missing.onnx", nullptr, &module), RELAX_INVALID_MODULE);
  EXPECT_NE(std::string(relax_last_error()).find("missing.onnx"), std::string::npos);
}

TEST_F(CompilerTest, NullHandles) {
  EXPECT_EQ(relax_context_create(nullptr), RELAX_INVALID_ARGUMENT);
  EXPECT_EQ(relax_module_parse(nullptr, "", 0, nullptr, &module), RELAX_INVALID_ARGUMENT);
  EXPECT_EQ(relax_module_print(nullptr, appendTo, nullptr), RELAX_INVALID_ARGUMENT);
  EXPECT_EQ(relax_module_run_pipeline(nullptr, "cse", nullptr), RELAX_INVALID_ARGUMENT);
  EXPECT_EQ(relax_module_compile(nullptr, nullptr, "x"), RELAX_INVALID_ARGUMENT);
  EXPECT_EQ(relax_module_interpret(nullptr, nullptr, nullptr, 0, nullptr), RELAX_INVALID_ARGUMENT);
  EXPECT_EQ(relax_module_num_functions(nullptr), -1);
  EXPECT_EQ(relax_module_function_name(nullptr, 0), nullptr);
  relax_module_destroy(nullptr);
  relax_context_destroy(nullptr);
  relax_results_destroy(nullptr);
}

TEST_F(CompilerTest, Signature) {
  ASSERT_EQ(parse(makeModule("relu") + "func.func private @g(tensor<f32>)\n"), RELAX_OK);
  ASSERT_EQ(relax_module_num_functions(module), 1);
  EXPECT_STREQ(relax_module_function_name(module, 0), "main");
  EXPECT_EQ(relax_module_find_function(module, "main"), 0);
  EXPECT_EQ(relax_module_find_function(module, "g"), -1);
  ASSERT_EQ(relax_module_num_inputs(module, 0), 1);
  const relax_rt_tensor_info *input = relax_module_input(module, 0, 0);
  EXPECT_STREQ(input->name, "x");
  EXPECT_EQ(input->rank, 2);
  EXPECT_STREQ(input->dims[0], "n");
  EXPECT_STREQ(input->dims[1], "2");
  EXPECT_EQ(input->dtype.bits, 32);
  EXPECT_STREQ(relax_module_output(module, 0, 0)->name, "y");
  EXPECT_EQ(relax_module_input(module, 0, 1), nullptr);
  EXPECT_EQ(relax_module_num_outputs(module, 1), -1);
}

TEST_F(CompilerTest, Pipelines) {
  ASSERT_EQ(parse(makeModule("relu")), RELAX_OK);
  EXPECT_EQ(relax_module_run_pipeline(module, "canonicalize,builtin.module(cse)", nullptr), RELAX_OK)
      << relax_last_error();
  EXPECT_EQ(relax_module_run_pipeline(module, "no-such-pass", nullptr), RELAX_INVALID_ARGUMENT);
  EXPECT_NE(std::string(relax_last_error()).find("no-such-pass"), std::string::npos) << relax_last_error();
  EXPECT_EQ(relax_module_run_pipeline(module, "canonicalize{", nullptr), RELAX_INVALID_ARGUMENT);
  // A pass that expects another phase.
  EXPECT_EQ(relax_module_run_pipeline(module, "relax-verify-plain", nullptr), RELAX_PASS_FAILED);
  EXPECT_NE(std::string(relax_last_error()).find("test.mlir:"), std::string::npos) << relax_last_error();
  EXPECT_EQ(relax_module_verify(module), RELAX_OK);
  EXPECT_NE(print().find("relax.relu"), std::string::npos);
}

struct Seen {
  relax_context *context;
  std::vector<std::string> events;
  relax_status nested = RELAX_OK;
};

void watch(void *user, relax_pass_event event, const relax_pass_run *run) {
  auto &seen = *static_cast<Seen *>(user);
  std::string text;
  relax_pass_run_print(run, appendTo, &text);
  seen.events.push_back(std::to_string(event) + " " + relax_pass_run_name(run) + (text.empty() ? " empty" : ""));
  relax_module *module = nullptr;
  seen.nested = relax_module_parse(seen.context, "", 0, nullptr, &module);
}

TEST_F(CompilerTest, Callbacks) {
  ASSERT_EQ(parse(makeModule("relu")), RELAX_OK);
  Seen seen{context, {}, RELAX_OK};
  relax_pipeline_options options = {};
  options.fn = watch;
  options.user = &seen;
  ASSERT_EQ(relax_module_run_pipeline(module, "cse,canonicalize", &options), RELAX_OK);
  EXPECT_EQ(seen.events, (std::vector<std::string>{"0 cse", "1 cse", "0 canonicalize", "1 canonicalize"}));
  EXPECT_EQ(seen.nested, RELAX_INVALID_ARGUMENT);
  EXPECT_EQ(relax_module_run_pipeline(module, "relax-verify-plain", &options), RELAX_PASS_FAILED);
  EXPECT_EQ(seen.events.back(), "2 relax-verify-plain");
}

TEST_F(CompilerTest, Interpret) {
  ASSERT_EQ(parse(makeModule("relu", "\"n <= 2\"")), RELAX_OK);
  float x[] = {-1, 2, 3, -4, 0, 0};
  int64_t dims[] = {2, 2};
  relax_rt_tensor_view input = {x, dims, 2, {RELAX_RT_FLOAT, 32, 1}};
  relax_results *results = nullptr;
  ASSERT_EQ(relax_module_interpret(module, "main", &input, 1, &results), RELAX_OK) << relax_last_error();
  ASSERT_EQ(relax_results_size(results), 1);
  EXPECT_STREQ(relax_results_name(results, 0), "y");
  const float *y = static_cast<const float *>(relax_results_view(results, 0)->data);
  EXPECT_EQ(std::vector<float>(y, y + 4), (std::vector<float>{0, 2, 3, 0}));
  EXPECT_EQ(relax_results_view(results, 1), nullptr);
  relax_results_destroy(results);

  dims[0] = 3;
  EXPECT_EQ(relax_module_interpret(module, "main", &input, 1, &results), RELAX_RUN_FAILED);
  EXPECT_NE(std::string(relax_last_error()).find("n <= 2"), std::string::npos) << relax_last_error();
  input.dtype.bits = 64;
  EXPECT_EQ(relax_module_interpret(module, "main", &input, 1, &results), RELAX_INVALID_ARGUMENT);
  EXPECT_NE(std::string(relax_last_error()).find("input 'x': expected element type f32"), std::string::npos);
  EXPECT_EQ(relax_module_interpret(module, "main", nullptr, 0, &results), RELAX_INVALID_ARGUMENT);
  EXPECT_EQ(relax_module_interpret(module, "f", &input, 1, &results), RELAX_INVALID_ARGUMENT);
  EXPECT_NE(std::string(relax_last_error()).find("no function 'f', the module has: main"), std::string::npos);
}

TEST_F(CompilerTest, CompileErrors) {
  ASSERT_EQ(parse(makeModule("relu")), RELAX_OK);
  std::string before = print(), bytes;
  const char *name = "f";
  relax_compile_options options = {};
  options.functions = &name;
  options.num_functions = 1;
  EXPECT_EQ(relax_module_compile_to_bytes(module, &options, appendTo, &bytes), RELAX_INVALID_ARGUMENT);
  EXPECT_NE(std::string(relax_last_error()).find("no public function 'f', the module has: main"), std::string::npos);
  options = {};
  options.target = "abacus";
  EXPECT_EQ(relax_module_compile_to_bytes(module, &options, appendTo, &bytes), RELAX_INVALID_ARGUMENT);
  EXPECT_NE(std::string(relax_last_error()).find("abacus"), std::string::npos) << relax_last_error();
  EXPECT_NE(std::string(relax_last_error()).find("or a device: 'vulkan'"), std::string::npos) << relax_last_error();
  options.target = "x86-64-v3,x86-64-v3";
  EXPECT_EQ(relax_module_compile_to_bytes(module, &options, appendTo, &bytes), RELAX_INVALID_ARGUMENT);
  EXPECT_NE(std::string(relax_last_error()).find("'x86-64-v3' is given twice"), std::string::npos)
      << relax_last_error();
  options = {};
  options.pipeline_options = "abacus=1";
  EXPECT_EQ(relax_module_compile_to_bytes(module, &options, appendTo, &bytes), RELAX_INVALID_ARGUMENT);
  EXPECT_NE(std::string(relax_last_error()).find("abacus"), std::string::npos) << relax_last_error();
  EXPECT_EQ(relax_module_compile(module, nullptr, "/no/such/folder/x.rlx"), RELAX_COMPILE_FAILED);
  EXPECT_NE(std::string(relax_last_error()).find("/no/such/folder/x.rlx"), std::string::npos);
  EXPECT_TRUE(bytes.empty());
  EXPECT_EQ(print(), before);
}

TEST_F(CompilerTest, ArtifactsOfBothKindsAreEqual) {
  ASSERT_EQ(parse(makeModule("relu")), RELAX_OK);
  std::string bytes, path = ::testing::TempDir() + "relax-capi-" + std::to_string(getpid()) + ".rlx";
  ASSERT_EQ(relax_module_compile_to_bytes(module, nullptr, appendTo, &bytes), RELAX_OK) << relax_last_error();
  ASSERT_EQ(relax_module_compile(module, nullptr, path.c_str()), RELAX_OK) << relax_last_error();
  std::ifstream file(path, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), bytes);
  std::remove(path.c_str());

  // What is corrupt is refused.
  relax_rt_instance *instance = nullptr;
  relax_rt_module *loaded = nullptr;
  ASSERT_EQ(relax_rt_instance_create(&instance), RELAX_RT_OK);
  for (size_t position : {size_t(0), bytes.size() / 2, bytes.size() - 1}) {
    std::string corrupt = bytes;
    corrupt[position] = static_cast<char>(corrupt[position] ^ 1);
    EXPECT_EQ(relax_rt_module_load_bytes(instance, corrupt.data(), corrupt.size(), &loaded), RELAX_RT_INVALID_ARTIFACT);
    EXPECT_EQ(std::string(relax_rt_last_error()).rfind("<bytes>: ", 0), 0u) << relax_rt_last_error();
  }
  EXPECT_EQ(relax_rt_module_load_bytes(instance, bytes.data(), bytes.size() / 2, &loaded), RELAX_RT_INVALID_ARTIFACT);
  EXPECT_EQ(relax_rt_module_load_bytes(instance, nullptr, 0, &loaded), RELAX_RT_INVALID_ARTIFACT);
  EXPECT_EQ(relax_rt_module_load_bytes(instance, nullptr, 1, &loaded), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_EQ(loaded, nullptr);
  relax_rt_instance_destroy(instance);
}

TEST_F(CompilerTest, CopiesAndBytecode) {
  ASSERT_EQ(parse(makeModule("relu")), RELAX_OK);
  relax_module *copy = nullptr, *read = nullptr;
  ASSERT_EQ(relax_module_clone(module, &copy), RELAX_OK);
  std::string bytecode, text, original = print();
  ASSERT_EQ(relax_module_write_bytecode(copy, appendTo, &bytecode), RELAX_OK);
  ASSERT_EQ(relax_module_run_pipeline(copy, "symbol-privatize,symbol-dce", nullptr), RELAX_OK);
  EXPECT_EQ(print(), original);
  EXPECT_EQ(relax_module_num_functions(copy), 0);
  ASSERT_EQ(relax_module_parse(context, bytecode.data(), bytecode.size(), nullptr, &read), RELAX_OK)
      << relax_last_error();
  ASSERT_EQ(relax_module_print(read, appendTo, &text), RELAX_OK);
  EXPECT_EQ(text, original);
  relax_module_destroy(copy);
  relax_module_destroy(read);
}

TEST_F(CompilerTest, Threads) {
  // Some share a context, others have their own.
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([this, i] {
      relax_context *own = nullptr;
      if (i % 2)
        ASSERT_EQ(relax_context_create(&own), RELAX_OK);
      relax_module *mine = nullptr;
      std::string text = makeModule("relu");
      for (int round = 0; round < 3; ++round) {
        ASSERT_EQ(relax_module_parse(own ? own : context, text.data(), text.size(), nullptr, &mine), RELAX_OK);
        ASSERT_EQ(relax_module_run_pipeline(mine, "relax-simplify", nullptr), RELAX_OK) << relax_last_error();
        std::string name = "no-such-pass-" + std::to_string(i);
        ASSERT_EQ(relax_module_run_pipeline(mine, name.c_str(), nullptr), RELAX_INVALID_ARGUMENT);
        EXPECT_NE(std::string(relax_last_error()).find(name), std::string::npos) << relax_last_error();
        relax_module_destroy(mine);
      }
      relax_context_destroy(own);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
