//===- DonationTest.cpp - Outputs in the caller's memory ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RuntimeFixture.h"

namespace {

class DonationTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    open(makeTestArtifact());
  }

  relax_rt_status donate(const char *function, std::vector<relax_rt_tensor_view> inputs,
                         std::vector<relax_rt_donation> donations) {
    return relax_rt_context_invoke_donating(context, relax_rt_module_find_function(module, function), inputs.data(),
                                            static_cast<int64_t>(inputs.size()), donations.data(),
                                            static_cast<int64_t>(donations.size()));
  }

  void expectRefused(relax_rt_status status, const std::string &text) {
    EXPECT_EQ(status, RELAX_RT_INVALID_ARGUMENT);
    EXPECT_NE(std::string(relax_rt_last_error()).find(text), std::string::npos) << relax_rt_last_error();
  }

  Value<int64_t> nothing{kInt64, {0}};
};

} // namespace

TEST_F(DonationTest, UpdatesInPlace) {
  for (int64_t rows : {1, 7, 1000, 3}) {
    Value<int64_t> x(kInt64, {rows});
    ASSERT_EQ(donate("update", {x.view(), nothing.view()}, {{0, 8 * static_cast<uint64_t>(rows)}}), RELAX_RT_OK)
        << relax_rt_last_error();
    EXPECT_EQ(output(0).data, x.data.data());
    EXPECT_EQ(output(0).dims[0], rows);
    for (int64_t i = 0; i < rows; ++i)
      EXPECT_EQ(x.data[static_cast<size_t>(i)], i + 1);
  }
  EXPECT_EQ(counters().donations, 4u);
  EXPECT_EQ(counters().extensions, 4u);
  EXPECT_EQ(counters().copied_bytes, 0u);
  EXPECT_EQ(counters().allocations, 0u);
}

TEST_F(DonationTest, CopiesWhatIsNotDonated) {
  Value<int64_t> x(kInt64, {7});
  ASSERT_EQ(call("update", {x.view(), nothing.view()}), RELAX_RT_OK);
  EXPECT_NE(output(0).data, x.data.data());
  EXPECT_EQ(x.data[6], 6);
  EXPECT_EQ(static_cast<const int64_t *>(output(0).data)[6], 7);
  EXPECT_EQ(counters().donations, 0u);
  EXPECT_EQ(counters().copied_bytes, 56u);
  // Neither is an earlier output written that was handed on without being donated.
  relax_rt_tensor_view before = output(0);
  std::vector<int64_t> dims(before.dims, before.dims + 1);
  before.dims = dims.data();
  ASSERT_EQ(call("update", {before, nothing.view()}), RELAX_RT_OK);
  EXPECT_EQ(static_cast<const int64_t *>(before.data)[6], 7);
  EXPECT_EQ(static_cast<const int64_t *>(output(0).data)[6], 8);
  // One of size 0 is nowhere.
  ASSERT_EQ(donate("update", {nothing.view(), nothing.view()}, {{0, 0}}), RELAX_RT_OK);
  EXPECT_EQ(output(0).dims[0], 0);
}

TEST_F(DonationTest, OneOutputTakesIt) {
  Value<int64_t> x(kInt64, {5});
  x.data.resize(10); // room for the first one
  ASSERT_EQ(donate("take", {x.view()}, {{0, 80}}), RELAX_RT_OK);
  EXPECT_EQ(output(0).data, x.data.data());
  EXPECT_NE(output(1).data, x.data.data());
  for (int64_t i = 0; i < 10; ++i)
    EXPECT_EQ(x.data[static_cast<size_t>(i)], 10);
  // Without it the second one fits.
  ASSERT_EQ(donate("take", {x.view()}, {{0, 79}}), RELAX_RT_OK);
  EXPECT_NE(output(0).data, x.data.data());
  EXPECT_EQ(output(1).data, x.data.data());
  EXPECT_EQ(static_cast<const int64_t *>(output(0).data)[9], 50);
  EXPECT_EQ(x.data[4], 50);
  EXPECT_EQ(x.data[5], 10);
}

TEST_F(DonationTest, AppendsWithinTheCapacity) {
  std::vector<int64_t> memory(20, -1);
  int64_t rows = 0;
  uint64_t copied = 0;
  for (int64_t step = 0; step < 3; ++step, rows += 8) {
    relax_rt_tensor_view x = {memory.data(), &rows, 1, kInt64};
    ASSERT_EQ(donate("extend", {x, nothing.view()}, {{0, 160}}), RELAX_RT_OK) << relax_rt_last_error();
    bool fits = step < 2; // 24 rows do not
    EXPECT_EQ(output(0).data == memory.data(), fits);
    EXPECT_EQ(output(0).dims[0], rows + 8);
    for (int64_t i = 0; i < rows + 8; ++i)
      EXPECT_EQ(static_cast<const int64_t *>(output(0).data)[i], i);
    copied = counters().copied_bytes;
    EXPECT_EQ(copied, fits ? 0u : 128u);
  }
  EXPECT_EQ(memory[16], -1);
  EXPECT_EQ(counters().donations, 2u);
}

TEST_F(DonationTest, AnEarlierOutputBringsItsBlock) {
  Value<int64_t> x(kInt64, {1000});
  ASSERT_EQ(call("update", {x.view(), nothing.view()}), RELAX_RT_OK);
  int64_t rows = 1000;
  for (int64_t step = 2; step < 20; ++step) {
    void *data = output(0).data;
    ASSERT_EQ(donate("update", {{data, &rows, 1, kInt64}, nothing.view()}, {{0, 8000}}), RELAX_RT_OK);
    EXPECT_EQ(output(0).data, data);
    EXPECT_EQ(static_cast<const int64_t *>(data)[999], 999 + step);
  }
  EXPECT_EQ(counters().allocations, 1u);
  EXPECT_EQ(counters().copied_bytes, 8000u);
  // It is the context's again.
  ASSERT_EQ(call("update", {x.view(), nothing.view()}), RELAX_RT_OK);
  EXPECT_EQ(static_cast<const int64_t *>(output(0).data)[999], 1000);
  EXPECT_EQ(counters().allocations, 1u);
}

TEST_F(DonationTest, MemoryThatIsNotTheCallsToWrite) {
  Value<int64_t> x(kInt64, {4}), z(kInt64, {4});
  expectRefused(donate("update", {x.view(), z.view()}, {{0, 31}}), "input 'x': is donated with 31 bytes, has 32");
  expectRefused(donate("update", {x.view(), z.view()}, {{2, 32}}), "donated input 2 does not exist, there are 2");
  expectRefused(donate("update", {x.view(), z.view()}, {{-1, 32}}), "donated input -1 does not exist, there are 2");
  expectRefused(donate("update", {x.view(), z.view()}, {{0, 32}, {0, 32}}), "input 'x': is donated twice");
  expectRefused(donate("update", {x.view(), x.view()}, {{0, 32}}), "the memory that is donated overlaps input 'z'");
  relax_rt_tensor_view behind = x.view();
  int64_t one = 1;
  behind.data = x.data.data() + 3;
  behind.dims = &one;
  expectRefused(donate("update", {behind, x.view()}, {{0, 8}}), "the memory that is donated overlaps input 'z'");
  expectRefused(donate("update", {nothing.view(), z.view()}, {{0, 8}}), "the memory that is donated is NULL");
  expectRefused(donate("update", {x.view(), z.view()}, {{0, UINT64_MAX}}), "ends behind the address space");
  // Both empty, and room of one in the room of the other.
  relax_rt_tensor_view empty = {x.data.data(), nothing.dims.data(), 1, kInt64}, inside = empty;
  inside.data = x.data.data() + 1;
  expectRefused(donate("update", {empty, inside}, {{0, 32}, {1, 8}}), "or overlaps what input 'x' donates");
  expectRefused(relax_rt_context_invoke_donating(context, 0, nullptr, 0, nullptr, 1), "expected 1 inputs, actual 0");
  relax_rt_tensor_view views[] = {x.view(), z.view()};
  int64_t update = relax_rt_module_find_function(module, "update");
  expectRefused(relax_rt_context_invoke_donating(context, update, views, 2, nullptr, 1), "donations is NULL");
  expectRefused(relax_rt_context_invoke_donating(nullptr, update, views, 2, nullptr, 0), "context is NULL");
  EXPECT_EQ(x.data[3], 3); // nothing ran
}

TEST_F(DonationTest, FailuresLeaveACleanState) {
  Value<int64_t> x(kInt64, {4}), fails(kInt64, {1});
  fails.data[0] = -1;
  ASSERT_EQ(donate("update", {x.view(), fails.view()}, {{0, 32}}), RELAX_RT_GUARD_FAILED);
  relax_rt_tensor_view view;
  EXPECT_EQ(relax_rt_context_output(context, 0, &view), RELAX_RT_INVALID_ARGUMENT);
  // The next call donates nothing.
  Value<int64_t> y(kInt64, {4});
  ASSERT_EQ(call("update", {y.view(), nothing.view()}), RELAX_RT_OK);
  EXPECT_EQ(y.data[3], 3);
  EXPECT_EQ(static_cast<const int64_t *>(output(0).data)[3], 4);
}

TEST_F(DonationTest, IsNotCountedAsMemoryOfTheContext) {
  ASSERT_EQ(relax_rt_context_set_memory_limit(context, 100), RELAX_RT_OK);
  Value<int64_t> x(kInt64, {1000});
  EXPECT_EQ(call("update", {x.view(), nothing.view()}), RELAX_RT_OUT_OF_MEMORY);
  EXPECT_EQ(donate("update", {x.view(), nothing.view()}, {{0, 8000}}), RELAX_RT_OK);
}

TEST_F(DonationTest, SignaturesTell) {
  int64_t update = relax_rt_module_find_function(module, "update");
  EXPECT_EQ(relax_rt_module_input(module, update, 0)->is_donated, 1);
  EXPECT_EQ(relax_rt_module_input(module, update, 1)->is_donated, 0);
  EXPECT_EQ(relax_rt_module_output(module, update, 0)->is_donated, 0);
}
