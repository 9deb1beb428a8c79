//===- ContextTest.cpp - Calling functions --------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RuntimeFixture.h"

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

// Huge requests are refused by the system; the sanitizer's allocator must behave likewise.
extern "C" __attribute__((visibility("default"), used)) const char *__asan_default_options() {
  return "allocator_may_return_null=1";
}

namespace {

class ContextTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    open(makeTestArtifact());
  }

  void expectFailure(relax_rt_status status, relax_rt_status expected, const std::string &text) {
    EXPECT_EQ(status, expected);
    EXPECT_EQ(std::string(relax_rt_last_error()), text);
    relax_rt_tensor_view view;
    EXPECT_EQ(relax_rt_context_output(context, 0, &view), RELAX_RT_INVALID_ARGUMENT);
  }

  void expectScaled(int64_t rows) {
    Value<float> x(kFloat32, {rows, 4});
    ASSERT_EQ(call("main", {x.view()}), RELAX_RT_OK) << relax_rt_last_error();
    relax_rt_tensor_view y = output(0);
    ASSERT_EQ(y.rank, 2);
    EXPECT_EQ(y.dims[0], rows);
    EXPECT_EQ(y.dims[1], 4);
    EXPECT_EQ(y.dtype.bits, 32);
    ASSERT_NE(y.data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(y.data) % 64, 0u);
    for (size_t i = 0; i < x.data.size(); ++i)
      ASSERT_EQ(static_cast<const float *>(y.data)[i], 2 * x.data[i]) << i;
  }
};

} // namespace

TEST_F(ContextTest, RunsAtAnySize) {
  for (int64_t rows : {3, 0, 1, 1000, 0, 17})
    expectScaled(rows);
  EXPECT_EQ(counters().calls, 6u);
}

TEST_F(ContextTest, AnyNumberOfThreads) {
  for (int64_t threads : {1, 2, 5, 0, 3}) {
    ASSERT_EQ(relax_rt_context_set_threads(context, threads), RELAX_RT_OK);
    for (int repeat = 0; repeat < 50; ++repeat)
      for (int64_t rows : {0, 1, 2, 7, 333})
        expectScaled(rows);
  }
  EXPECT_EQ(relax_rt_context_set_threads(context, -1), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(relax_rt_last_error(), "the number of threads is negative: -1");
  EXPECT_EQ(relax_rt_context_set_threads(nullptr, 1), RELAX_RT_INVALID_ARGUMENT);
}

TEST_F(ContextTest, WorkersSleepAndWakeUp) {
  ASSERT_EQ(relax_rt_context_set_threads(context, 4), RELAX_RT_OK);
  for (int i = 0; i < 5; ++i) {
    expectScaled(100);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

TEST_F(ContextTest, SteadyStateAllocatesNothing) {
  expectScaled(64);
  EXPECT_EQ(counters().allocations, 2u);
  EXPECT_EQ(counters().arena_bytes, 64u * 16);
  void *data = output(0).data;
  for (int64_t rows : {64, 1, 0, 63, 64})
    expectScaled(rows);
  EXPECT_EQ(output(0).data, data);
  EXPECT_EQ(counters().allocations, 2u);
  expectScaled(65);
  EXPECT_EQ(counters().allocations, 4u);
  EXPECT_EQ(counters().arena_bytes, (65u * 16 + 63) / 64 * 64);
}

TEST_F(ContextTest, Counters) {
  expectScaled(2);
  expectScaled(0);
  Value<float> wrong(kFloat32, {2, 5});
  EXPECT_EQ(call("main", {wrong.view()}), RELAX_RT_SHAPE_MISMATCH);
  relax_rt_counters now = counters();
  EXPECT_EQ(now.calls, 2u);
  EXPECT_EQ(now.kernel_launches, 4u);
  EXPECT_EQ(now.extern_calls, 0u);
  EXPECT_EQ(now.guard_failures, 1u);
  EXPECT_EQ(now.fallbacks, 0u);
  EXPECT_EQ(relax_rt_context_kernel_launches(context, 0), 2u);
  EXPECT_EQ(relax_rt_context_kernel_launches(context, 1), 2u);
  EXPECT_EQ(relax_rt_context_kernel_launches(context, 2), 0u);
  EXPECT_EQ(relax_rt_context_kernel_launches(context, 3), 0u);
  EXPECT_EQ(relax_rt_context_kernel_launches(context, -1), 0u);
}

TEST_F(ContextTest, WrongInputs) {
  Value<float> x(kFloat32, {3, 4});
  expectFailure(call("main", {}), RELAX_RT_INVALID_ARGUMENT, "main: expected 1 inputs, actual 0");
  expectFailure(call("main", {x.view(), x.view()}), RELAX_RT_INVALID_ARGUMENT, "main: expected 1 inputs, actual 2");
  expectFailure(relax_rt_context_invoke(context, 0, nullptr, 1), RELAX_RT_INVALID_ARGUMENT, "main: inputs is NULL");

  relax_rt_tensor_view view = x.view();
  view.rank = 3;
  expectFailure(call("main", {view}), RELAX_RT_INVALID_ARGUMENT, "main: input 'x': expected rank 2, actual 3");
  view = x.view();
  view.dtype = {RELAX_RT_INT, 32, 1};
  expectFailure(call("main", {view}), RELAX_RT_INVALID_ARGUMENT,
                "main: input 'x': expected element type float32, actual int32");
  view.dtype = {RELAX_RT_FLOAT, 32, 4};
  expectFailure(call("main", {view}), RELAX_RT_INVALID_ARGUMENT,
                "main: input 'x': expected element type float32, actual (code 2, bits 32, lanes 4)");
  view = x.view();
  view.data = nullptr;
  expectFailure(call("main", {view}), RELAX_RT_INVALID_ARGUMENT, "main: input 'x': its data is NULL");
  view = x.view();
  view.dims = nullptr;
  expectFailure(call("main", {view}), RELAX_RT_INVALID_ARGUMENT, "main: input 'x': its extents are NULL");
  view = x.view();
  view.data = static_cast<char *>(view.data) + 2;
  expectFailure(call("main", {view}), RELAX_RT_INVALID_ARGUMENT, "main: input 'x': its data is not aligned to 4 bytes");
  int64_t negative[] = {3, -4}, large[] = {INT64_MAX, INT64_MAX};
  view = x.view();
  view.dims = negative;
  expectFailure(call("main", {view}), RELAX_RT_INVALID_ARGUMENT, "main: input 'x': dimension 1 is negative: -4");
  view.dims = large;
  expectFailure(call("main", {view}), RELAX_RT_INVALID_ARGUMENT, "main: input 'x': its size exceeds 2^63 bytes");
  expectFailure(relax_rt_context_invoke(context, 11, nullptr, 0), RELAX_RT_INVALID_ARGUMENT,
                "function 11 does not exist, the module has 11");
  expectFailure(relax_rt_context_invoke(context, -1, nullptr, 0), RELAX_RT_INVALID_ARGUMENT,
                "function -1 does not exist, the module has 11");
  expectScaled(3);
  relax_rt_tensor_view none;
  EXPECT_EQ(relax_rt_context_output(context, 1, &none), RELAX_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(relax_rt_last_error(), "main: output 1 does not exist, there are 1");
}

TEST_F(ContextTest, Guards) {
  Value<float> x(kFloat32, {3, 5});
  expectFailure(call("main", {x.view()}), RELAX_RT_SHAPE_MISMATCH,
                "main: input 'x': dimension 1: expected 4, actual 5");
  // Only complete references to recorded values are replaced.
  expectFailure(callInt("broken", 100), RELAX_RT_GUARD_FAILED, "broken: 5 is odd after 3, {2} {x} {} {");
}

TEST_F(ContextTest, KernelErrors) {
  EXPECT_EQ(callInt("kernel_error", 0), RELAX_RT_OK);
  expectFailure(callInt("kernel_error", 3), RELAX_RT_KERNEL_ERROR, "kernel_error: index out of range");
  expectFailure(callInt("kernel_error", 4), RELAX_RT_KERNEL_ERROR,
                "kernel_error: kernel 'error' set its error word to 4");
  expectFailure(callInt("kernel_error", -1), RELAX_RT_KERNEL_ERROR,
                "kernel_error: kernel 'error' set its error word to -1");
}

TEST_F(ContextTest, HugeTensors) {
  auto huge = [&](int64_t a, int64_t b) { return call("huge", {{&a, nullptr, 0, kInt64}, {&b, nullptr, 0, kInt64}}); };
  EXPECT_EQ(huge(2, 3), RELAX_RT_OK);
  expectFailure(huge(INT64_MAX, INT64_MAX), RELAX_RT_OUT_OF_MEMORY,
                "huge: output 'y': a tensor of shape [9223372036854775807, 9223372036854775807] exceeds 2^63 bytes");
  expectFailure(huge(int64_t(1) << 59, 1), RELAX_RT_OUT_OF_MEMORY,
                "huge: output 'y': cannot allocate 4611686018427387904 bytes");
  expectFailure(huge((INT64_MAX >> 3), 1), RELAX_RT_OUT_OF_MEMORY,
                "huge: output 'y': cannot allocate 9223372036854775800 bytes");
  // An empty tensor of large extents is small.
  EXPECT_EQ(huge(INT64_MAX, 0), RELAX_RT_OK) << relax_rt_last_error();
  EXPECT_NE(output(0).data, nullptr);
  expectFailure(callInt("arena", INT64_MAX), RELAX_RT_OUT_OF_MEMORY,
                "arena: arena: cannot allocate 9223372036854775807 bytes");
  EXPECT_EQ(callInt("arena", 0), RELAX_RT_OK);
}

TEST_F(ContextTest, MemoryLimit) {
  ASSERT_EQ(relax_rt_context_set_memory_limit(context, 64 * 32), RELAX_RT_OK);
  expectScaled(64); // 64 * 16 bytes of arena and as many of output: just allowed
  Value<float> x(kFloat32, {65, 4});
  expectFailure(call("main", {x.view()}), RELAX_RT_OUT_OF_MEMORY,
                "main: output 'y': 1040 bytes exceed the memory limit of 2048 bytes, of which 1040 are in use");
  Value<float> y(kFloat32, {129, 4});
  expectFailure(call("main", {y.view()}), RELAX_RT_OUT_OF_MEMORY,
                "main: arena: 2064 bytes exceed the memory limit of 2048 bytes, of which 0 are in use");
  expectScaled(64);
  // Memory kept for later calls makes room: the limit holds for what exists, not for what is used.
  EXPECT_EQ(callInt("arena", 2048), RELAX_RT_OK) << relax_rt_last_error();
  EXPECT_EQ(counters().arena_bytes, 2048u);
  expectScaled(64);
  ASSERT_EQ(relax_rt_context_set_memory_limit(context, 0), RELAX_RT_OK);
  expectScaled(1000);
}

TEST_F(ContextTest, CancelStopsOneCall) {
  relax_rt_context_cancel(context);
  Value<float> x(kFloat32, {3, 4});
  expectFailure(call("main", {x.view()}), RELAX_RT_CANCELLED, "main: cancelled");
  expectScaled(3);
}

TEST_F(ContextTest, CancelFromAnotherThread) {
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    relax_rt_context_cancel(context);
  });
  relax_rt_status status = call("forever", {});
  other.join();
  expectFailure(status, RELAX_RT_CANCELLED, "forever: cancelled");
  EXPECT_GT(relax_rt_context_kernel_launches(context, 2), 0u);
  expectScaled(3);
}

TEST_F(ContextTest, BrokenCode) {
  EXPECT_EQ(callInt("broken", 0), RELAX_RT_OK);
  const std::pair<int64_t, const char *> cases[] = {
      {1, "broken: output 'y' was not made"},
      {2, "broken: compiled code returned the unknown status 99"},
      {4, "broken: output 'y' was made twice"},
      {5, "broken: compiled code asked for output 7"},
      {6, "broken: output 'y': dimension 0 is negative: -2"},
      {7, "broken: compiled code asked for an arena of -1 bytes"},
      {9, "broken: compiled code launched kernel 99"},
      {10, "broken: kernel 'error': the range is negative: -1"},
      {11, "broken: compiled code called library function -1"},
      {12, "broken: compiled code reported the unknown guard 1000"},
      {16, "broken: compiled code asked for 8 bytes in growing block 0"},
      {17, "broken: compiled code left a function that it did not enter"},
      {18, "broken: compiled code asked for -1 growing blocks"},
  };
  for (auto [mode, text] : cases)
    expectFailure(callInt("broken", mode), RELAX_RT_INTERNAL, text);
  expectFailure(callInt("broken", 3), RELAX_RT_GUARD_FAILED, "broken: compiled code reported 'guard failed'");
  // A failure that host code ignores is still a failure, with its own text.
  expectFailure(callInt("broken", 13), RELAX_RT_GUARD_FAILED, "broken: 5 is odd after 3, {2} {x} {} {");
  EXPECT_EQ(callInt("broken", 8), RELAX_RT_OK) << relax_rt_last_error();
  EXPECT_EQ(callInt("broken", 14), RELAX_RT_OK) << relax_rt_last_error();
  EXPECT_EQ(callInt("broken", 0), RELAX_RT_OK);
}

TEST_F(ContextTest, GrowingBlocksAndFrames) {
  EXPECT_EQ(callInt("broken", 15), RELAX_RT_OK) << relax_rt_last_error();
  uint64_t allocations = counters().allocations;
  EXPECT_LE(counters().arena_bytes, 64u + 64u + 2 * 200u + 64u);
  EXPECT_EQ(callInt("broken", 15), RELAX_RT_OK);
  EXPECT_EQ(counters().allocations, allocations);
  expectFailure(callInt("broken", 19), RELAX_RT_OUT_OF_MEMORY,
                "broken: memory of a loop or call: cannot allocate 9223372036854775807 bytes");
  // Only what is reserved at one time counts.
  relax_rt_context_set_memory_limit(context, 1024);
  EXPECT_EQ(callInt("broken", 15), RELAX_RT_OK) << relax_rt_last_error();
  relax_rt_context_set_memory_limit(context, 100);
  expectFailure(
      callInt("broken", 15), RELAX_RT_OUT_OF_MEMORY,
      "broken: memory of a loop or call: 100 bytes exceed the memory limit of 100 bytes, of which 64 are in use");
  relax_rt_context_set_memory_limit(context, 0);
}

TEST_F(ContextTest, OutputsMayBeInputsOfTheNextCall) {
  Value<int64_t> start(kInt64, {0});
  relax_rt_tensor_view view = start.view();
  uint64_t allocations = 0;
  for (int64_t step = 0; step < 300; ++step) {
    ASSERT_EQ(call("append", {view}), RELAX_RT_OK) << relax_rt_last_error();
    view = output(0);
    ASSERT_EQ(view.dims[0], step + 1);
    for (int64_t i = 0; i <= step; ++i)
      ASSERT_EQ(static_cast<const int64_t *>(view.data)[i], i) << step;
    if (step == 63)
      allocations = counters().allocations;
  }
  EXPECT_GT(counters().allocations, allocations);
  // A call that fails leaves its inputs alone; with as many elements as before, nothing is allocated.
  view.dims = start.dims.data(); // 0 elements
  ASSERT_EQ(call("append", {view}), RELAX_RT_OK);
  allocations = counters().allocations;
  for (int64_t step = 0; step < 10; ++step) {
    int64_t dims[] = {1};
    view = output(0);
    view.dims = dims;
    ASSERT_EQ(call("append", {view}), RELAX_RT_OK);
    ASSERT_EQ(static_cast<const int64_t *>(output(0).data)[0], 0);
  }
  EXPECT_EQ(counters().allocations, allocations);
}

TEST_F(ContextTest, OutputsContinueInputs) {
  Value<int64_t> start(kInt64, {0}), nothing(kInt64, {0}), fails(kInt64, {1});
  fails.data[0] = -1;
  auto isCounting = [](const relax_rt_tensor_view &view, int64_t first = 0) {
    for (int64_t i = 0; i < view.dims[0]; ++i)
      if (static_cast<const int64_t *>(view.data)[i] != first + i)
        return false;
    return true;
  };
  relax_rt_tensor_view view = start.view();
  uint64_t moves = 0, copied = 0;
  for (int64_t step = 0; step < 256; ++step) {
    const void *before = view.data;
    // A failed call leaves the input for another try, also where the output needed more memory.
    std::vector<int64_t> dims(view.dims, view.dims + 1);
    view.dims = dims.data();
    if (step % 3 == 1) {
      copied = counters().copied_bytes;
      ASSERT_EQ(call("extend", {view, fails.view()}), RELAX_RT_GUARD_FAILED);
      copied = counters().copied_bytes - copied;
    }
    ASSERT_EQ(call("extend", {view, nothing.view()}), RELAX_RT_OK) << relax_rt_last_error();
    view = output(0);
    ASSERT_EQ(view.dims[0], 8 * (step + 1));
    ASSERT_TRUE(isCounting(view)) << step;
    moves += view.data != before;
  }
  // Doubling: steps 0, 1, 4, 10, 22, 46, 94 and 190 need more memory; each of them failed once.
  EXPECT_EQ(moves, 8u);
  EXPECT_LE(counters().copied_bytes, 2 * 2 * 256 * 64u);
  EXPECT_EQ(copied, 0u);
  copied = counters().copied_bytes;

  // Fewer rows at the end: they are written anew. What another input reads is not overwritten.
  int64_t fewer[] = {1000}, rest[] = {4};
  view.dims = fewer;
  EXPECT_EQ(call("extend", {view, nothing.view()}), RELAX_RT_OK);
  EXPECT_EQ(output(0).dims[0], 1008);
  EXPECT_EQ(counters().copied_bytes, copied);
  relax_rt_tensor_view other = output(0);
  other.data = static_cast<int64_t *>(other.data) + 1002;
  other.dims = rest;
  view = output(0);
  view.dims = fewer;
  EXPECT_EQ(call("extend", {view, other}), RELAX_RT_OK);
  EXPECT_TRUE(isCounting(output(0)));
  EXPECT_EQ(counters().copied_bytes, copied + 8000);

  // Fewer rows at the start: a window that moves on, in memory that does not grow.
  view = output(0);
  uint64_t allocations = counters().allocations;
  for (int64_t step = 0; step < 1000; ++step) {
    int64_t dims[] = {64};
    view.data = static_cast<int64_t *>(view.data) + (view.dims[0] - 64);
    view.dims = dims;
    int64_t first = *static_cast<const int64_t *>(view.data);
    ASSERT_EQ(call("extend", {view, nothing.view()}), RELAX_RT_OK) << relax_rt_last_error();
    view = output(0);
    relax_rt_tensor_view old = view;
    old.dims = dims;
    ASSERT_TRUE(isCounting(old, first)) << step;
  }
  EXPECT_LE(counters().allocations, allocations + 1);

  // A caller's memory is never written.
  Value<int64_t> mine(kInt64, {16});
  EXPECT_EQ(call("extend", {mine.view(), nothing.view()}), RELAX_RT_OK);
  EXPECT_NE(output(0).data, mine.data.data());
  EXPECT_TRUE(isCounting(output(0)));
}

TEST_F(ContextTest, ContextsAreIndependent) {
  std::vector<std::thread> threads;
  std::vector<int> good(4);
  threads.reserve(good.size());
  for (int &count : good)
    threads.emplace_back([&] {
      relax_rt_context *mine = nullptr;
      if (relax_rt_context_create(module, &mine) != RELAX_RT_OK)
        return;
      for (int64_t rows = 0; rows < 50; ++rows) {
        Value<float> x(kFloat32, {rows, 4});
        relax_rt_tensor_view input = x.view(), y;
        if (relax_rt_context_invoke(mine, 0, &input, 1) == RELAX_RT_OK &&
            relax_rt_context_output(mine, 0, &y) == RELAX_RT_OK && y.dims[0] == rows &&
            (rows == 0 || static_cast<const float *>(y.data)[1] == 2.0f))
          ++count;
      }
      relax_rt_context_destroy(mine);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, std::vector<int>(4, 50));
}

//===----------------------------------------------------------------------===//
// Library functions
//===----------------------------------------------------------------------===//

namespace {

class LibraryTest : public RuntimeTest {
protected:
  void openWith(relax_rt_extern_fn fn, void *user) {
    ASSERT_EQ(relax_rt_instance_register(instance, "test_add_one", fn, user), RELAX_RT_OK);
    open(makeTestArtifact(true));
  }

  relax_rt_status callLibrary() {
    Value<float> x(kFloat32, {3});
    return call("library", {x.view()});
  }
};

int32_t returnsUser(void *user, const relax_rt_tensor_view *, int64_t, const int64_t *, int64_t) {
  return *static_cast<int32_t *>(user);
}

int32_t throws(void *, const relax_rt_tensor_view *, int64_t, const int64_t *, int64_t) {
  throw std::runtime_error("unwelcome");
}

/// Calls the context that is calling it.
int32_t reenters(void *user, const relax_rt_tensor_view *, int64_t, const int64_t *, int64_t) {
  return relax_rt_context_invoke(*static_cast<relax_rt_context **>(user), 0, nullptr, 0);
}

} // namespace

TEST_F(LibraryTest, LoadedFromASharedObject) {
  ASSERT_EQ(relax_rt_instance_load_library(instance, RELAX_TEST_LIBRARY), RELAX_RT_OK) << relax_rt_last_error();
  open(makeTestArtifact(true));
  ASSERT_EQ(callLibrary(), RELAX_RT_OK) << relax_rt_last_error();
  EXPECT_EQ(static_cast<const float *>(output(0).data)[2], 3.0f);
  EXPECT_EQ(*static_cast<const int64_t *>(output(1).data), 3);
  EXPECT_EQ(output(1).rank, 0);
  EXPECT_EQ(counters().extern_calls, 1u);
}

TEST_F(LibraryTest, FailureNamesTheFunction) {
  int32_t result = 42;
  openWith(returnsUser, &result);
  EXPECT_EQ(callLibrary(), RELAX_RT_EXTERN_ERROR);
  EXPECT_STREQ(relax_rt_last_error(), "library: library function 'test_add_one' returned 42");
  result = 0;
  EXPECT_EQ(callLibrary(), RELAX_RT_OK);
}

TEST_F(LibraryTest, ExceptionsDoNotEscape) {
  openWith(throws, nullptr);
  EXPECT_EQ(callLibrary(), RELAX_RT_EXTERN_ERROR);
  EXPECT_STREQ(relax_rt_last_error(), "library: library function 'test_add_one' threw an exception");
}

TEST_F(LibraryTest, ContextsAreNotReentrant) {
  openWith(reenters, &context);
  EXPECT_EQ(callLibrary(), RELAX_RT_EXTERN_ERROR);
  EXPECT_STREQ(relax_rt_last_error(), "library: library function 'test_add_one' returned 1");
}

TEST_F(LibraryTest, CancelIsPolled) {
  int32_t result = 0;
  openWith(returnsUser, &result);
  relax_rt_context_cancel(context);
  EXPECT_EQ(callLibrary(), RELAX_RT_CANCELLED);
  EXPECT_EQ(counters().extern_calls, 0u);
}

TEST_F(LibraryTest, SecondRegistrationReplaces) {
  int32_t one = 1, zero = 0;
  ASSERT_EQ(relax_rt_instance_register(instance, "test_add_one", returnsUser, &one), RELAX_RT_OK);
  openWith(returnsUser, &zero);
  EXPECT_EQ(callLibrary(), RELAX_RT_OK);
}
