//===- ThreadPool.cpp - Threads that share one kernel's work --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <sched.h>
#include <system_error>

using namespace relax_rt;

/// Long enough for the host code between two kernels, short enough not to disturb others.
constexpr std::chrono::microseconds kSpin(20);
/// Pieces per thread: the last one to finish has little left to do.
constexpr int64_t kPiecesPerThread = 4;

int64_t relax_rt::countUsableCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max(1, CPU_COUNT(&set));
  return std::max<int64_t>(1, std::thread::hardware_concurrency());
}

static void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Waits for a condition without sleeping; false when it did not come true in time.
template <typename Condition> static bool spin(Condition condition) {
  auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 32; ++i) {
      if (condition())
        return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
    generation.fetch_add(1);
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::start(int64_t count) {
  try {
    while (static_cast<int64_t>(workers.size()) < count)
      workers.emplace_back([this] { work(); });
  } catch (const std::system_error &) {
    // Fewer threads do the same work.
  }
}

void ThreadPool::takeParts() {
  for (;;) {
    int64_t begin = next.fetch_add(chunk);
    if (begin >= parts)
      return;
    task(data, begin, std::min(begin + chunk, parts));
  }
}

void ThreadPool::work() {
  uint64_t seen = 0;
  for (;;) {
    spin([&] { return generation.load(std::memory_order_acquire) != seen; });
    {
      std::unique_lock<std::mutex> lock(mutex);
      wake.wait(lock, [&] { return generation.load() != seen; });
      seen = generation.load();
      if (stopping)
        return;
      if (openings == 0)
        continue;
      --openings;
      active.fetch_add(1);
    }
    takeParts();
    if (active.fetch_sub(1) == 1) {
      // The caller may be asleep: it looks at `active` under the mutex.
      std::lock_guard<std::mutex> lock(mutex);
      done.notify_one();
    }
  }
}

void ThreadPool::run(Task newTask, void *newData, int64_t newParts, int64_t threads) {
  threads = std::min(threads, newParts);
  if (threads > 1)
    start(threads - 1);
  threads = std::min<int64_t>(threads, static_cast<int64_t>(workers.size()) + 1);
  if (threads <= 1)
    return newTask(newData, 0, newParts);
  {
    std::lock_guard<std::mutex> lock(mutex);
    task = newTask;
    data = newData;
    parts = newParts;
    chunk = std::max<int64_t>(1, newParts / (threads * kPiecesPerThread));
    next.store(0);
    openings = threads - 1;
    generation.fetch_add(1, std::memory_order_release);
  }
  wake.notify_all();
  takeParts();
  {
    // Nobody joins any more.
    std::lock_guard<std::mutex> lock(mutex);
    openings = 0;
  }
  if (spin([&] { return active.load(std::memory_order_acquire) == 0; }))
    return;
  std::unique_lock<std::mutex> lock(mutex);
  done.wait(lock, [&] { return active.load() == 0; });
}
