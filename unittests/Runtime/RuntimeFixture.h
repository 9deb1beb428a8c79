//===- RuntimeFixture.h - Loading and calling in tests --------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_UNITTESTS_RUNTIME_RUNTIMEFIXTURE_H
#define RELAX_UNITTESTS_RUNTIME_RUNTIMEFIXTURE_H

#include "TestArtifact.h"

#include "RelaxDialect/Runtime/Runtime.h"

#include <gtest/gtest.h>
#include <numeric>

constexpr relax_rt_dtype kFloat32 = {RELAX_RT_FLOAT, 32, 1};
constexpr relax_rt_dtype kInt64 = {RELAX_RT_INT, 64, 1};

/// A tensor that owns its parts.
template <typename T> struct Value {
  Value(relax_rt_dtype dtype, std::vector<int64_t> dims) : dtype(dtype), dims(std::move(dims)) {
    int64_t count = 1;
    for (int64_t dim : this->dims)
      count *= dim;
    data.resize(static_cast<size_t>(count));
    std::iota(data.begin(), data.end(), T(0));
  }

  relax_rt_tensor_view view() {
    return {data.empty() ? nullptr : data.data(), dims.data(), static_cast<int64_t>(dims.size()), dtype};
  }

  relax_rt_dtype dtype;
  std::vector<int64_t> dims;
  std::vector<T> data;
};

/// An instance, and a module and context of one artifact.
class RuntimeTest : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(relax_rt_instance_create(&instance), RELAX_RT_OK); }

  void TearDown() override {
    relax_rt_context_destroy(context);
    relax_rt_module_destroy(module);
    relax_rt_instance_destroy(instance);
  }

  relax_rt_status load(const std::string &image) {
    file.write(image);
    return relax_rt_module_load(instance, file.path().c_str(), &module);
  }

  void open(const TestArtifact &artifact) {
    ASSERT_EQ(load(artifact.build()), RELAX_RT_OK) << relax_rt_last_error();
    ASSERT_EQ(relax_rt_context_create(module, &context), RELAX_RT_OK);
  }

  /// Expects the load of `image` to fail with a text that contains `text`.
  void expectRefused(const std::string &image, const std::string &text,
                     relax_rt_status expected = RELAX_RT_INVALID_ARTIFACT) {
    EXPECT_EQ(load(image), expected) << relax_rt_last_error();
    EXPECT_EQ(module, nullptr);
    EXPECT_NE(std::string(relax_rt_last_error()).find(text), std::string::npos) << relax_rt_last_error();
  }

  relax_rt_status call(const char *function, std::vector<relax_rt_tensor_view> inputs) {
    return relax_rt_context_invoke(context, relax_rt_module_find_function(module, function), inputs.data(),
                                   static_cast<int64_t>(inputs.size()));
  }

  relax_rt_status callInt(const char *function, int64_t value) {
    return call(function, {{&value, nullptr, 0, kInt64}});
  }

  relax_rt_tensor_view output(int64_t index) {
    relax_rt_tensor_view view;
    EXPECT_EQ(relax_rt_context_output(context, index, &view), RELAX_RT_OK) << relax_rt_last_error();
    return view;
  }

  relax_rt_counters counters() {
    relax_rt_counters result = {};
    EXPECT_EQ(relax_rt_context_counters(context, &result), RELAX_RT_OK);
    return result;
  }

  TemporaryFile file;
  relax_rt_instance *instance = nullptr;
  relax_rt_module *module = nullptr;
  relax_rt_context *context = nullptr;
};

#endif // RELAX_UNITTESTS_RUNTIME_RUNTIMEFIXTURE_H
