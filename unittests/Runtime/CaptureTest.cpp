//===- CaptureTest.cpp - Recorded launches --------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RuntimeFixture.h"

namespace {

class CaptureTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    open(makeTestArtifact());
  }

  relax_rt_status callRegion(int64_t rows, int64_t mode, bool check = true) {
    Value<float> x(kFloat32, {rows, 4});
    relax_rt_status status = call("region", {x.view(), {&mode, nullptr, 0, kInt64}});
    if (status == RELAX_RT_OK && check)
      for (size_t i = 0; i < x.data.size(); ++i)
        EXPECT_EQ(static_cast<const float *>(output(0).data)[i], 2 * x.data[i]) << i;
    return status;
  }

  void expectCounters(uint64_t captures, uint64_t replays, uint64_t evictions, uint64_t recordings) {
    relax_rt_counters now = counters();
    EXPECT_EQ(now.captures, captures);
    EXPECT_EQ(now.replays, replays);
    EXPECT_EQ(now.evictions, evictions);
    EXPECT_EQ(now.recordings, recordings);
  }
};

} // namespace

TEST_F(CaptureTest, ReplaysForEachKey) {
  for (int64_t rows : {5, 1000, 5, 0, 1000, 0})
    ASSERT_EQ(callRegion(rows, 0), RELAX_RT_OK) << relax_rt_last_error();
  expectCounters(3, 3, 0, 3);
  EXPECT_EQ(counters().kernel_launches, 12u);
}

TEST_F(CaptureTest, TheOneThatWasNotUsedForLongestGoes) {
  ASSERT_EQ(relax_rt_context_set_capture_limit(context, 2), RELAX_RT_OK);
  for (int64_t rows : {1, 2, 1, 3, 1, 2})
    ASSERT_EQ(callRegion(rows, 0), RELAX_RT_OK) << relax_rt_last_error();
  expectCounters(4, 2, 2, 2);
  ASSERT_EQ(relax_rt_context_set_capture_limit(context, 1), RELAX_RT_OK);
  expectCounters(4, 2, 3, 1);
  ASSERT_EQ(callRegion(2, 0), RELAX_RT_OK);
  expectCounters(4, 3, 3, 1);
  ASSERT_EQ(relax_rt_context_set_capture_limit(context, 0), RELAX_RT_OK);
  ASSERT_EQ(callRegion(2, 0), RELAX_RT_OK);
  expectCounters(4, 3, 4, 0);
}

TEST_F(CaptureTest, InvalidLimits) {
  EXPECT_EQ(relax_rt_context_set_capture_limit(nullptr, 1), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_EQ(relax_rt_context_set_capture_limit(context, -1), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(relax_rt_last_error(), "the number of recordings is negative: -1");
}

TEST_F(CaptureTest, RecordingsAgreeWithAnyNumberOfThreads) {
  for (int64_t threads : {1, 3, 0, 2}) {
    ASSERT_EQ(relax_rt_context_set_threads(context, threads), RELAX_RT_OK);
    ASSERT_EQ(callRegion(1000, 0), RELAX_RT_OK);
  }
  expectCounters(1, 3, 0, 1);
}

TEST_F(CaptureTest, CancelledReplays) {
  ASSERT_EQ(callRegion(5, 0), RELAX_RT_OK);
  relax_rt_context_cancel(context);
  EXPECT_EQ(callRegion(5, 0), RELAX_RT_CANCELLED);
  EXPECT_EQ(callRegion(5, 0), RELAX_RT_OK);
}

TEST_F(CaptureTest, WhatBreaksTheRulesIsRefused) {
  const std::pair<int64_t, const char *> cases[] = {
      {1, "region: compiled code used address 3 of a region of 3"},
      {2, "region: compiled code ended a region that it did not begin"},
      {3, "region: compiled code launched kernel 0 in a region"},
      {4, "region: compiled code began region -1 with 1 sizes and 3 addresses"},
      {5, "region: compiled code began region 1 inside of region 0"},
      {6, "region: compiled code launched kernel 0 inside of region 0"},
      {7, "region: compiled code launched kernel 77 in a region"},
      {9, "region: compiled code called library function 0 in a region"},
  };
  for (auto [mode, text] : cases) {
    EXPECT_EQ(callRegion(4, mode), RELAX_RT_INTERNAL);
    EXPECT_STREQ(relax_rt_last_error(), text);
  }
  // A region that a call left open is none of the next call's, and nothing of it was kept.
  EXPECT_EQ(callRegion(4, 8), RELAX_RT_OK);
  expectCounters(0, 0, 0, 0);
  EXPECT_EQ(callRegion(4, 0), RELAX_RT_OK);
  expectCounters(1, 0, 0, 1);
}

TEST_F(RuntimeTest, LibraryCallsInRegionsAreChecked) {
  auto fn = [](void *, const relax_rt_tensor_view *, int64_t, const int64_t *, int64_t) { return int32_t(0); };
  ASSERT_EQ(relax_rt_instance_register(instance, "test_add_one", fn, nullptr), RELAX_RT_OK);
  open(makeTestArtifact(true));
  Value<float> x(kFloat32, {4, 4});
  int64_t mode = 10;
  EXPECT_EQ(call("region", {x.view(), {&mode, nullptr, 0, kInt64}}), RELAX_RT_INTERNAL);
  EXPECT_STREQ(relax_rt_last_error(), "region: compiled code passed a tensor of rank -1");
  EXPECT_EQ(counters().extern_calls, 0u);
}
