//===- ThreadPool.h - Threads that share one kernel's work ----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_CORE_THREADPOOL_H
#define RELAX_RUNTIME_CORE_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace relax_rt {

/// CPUs that this process may run on, at least 1.
int64_t countUsableCpus();

/// Workers that wait for ranges of parts. They spin for a few microseconds after work, then sleep. Used by one thread
/// at a time.
class ThreadPool {
public:
  /// What runs parts [begin, end); may run on several threads at once.
  using Task = void (*)(void *data, int64_t begin, int64_t end);

  ThreadPool() = default;
  ThreadPool(const ThreadPool &) = delete;
  ~ThreadPool();

  /// Runs `task` on parts [0, parts) with at most `threads` threads, the caller's among them, and returns when all are
  /// done. Workers are started when they are first needed; where the system gives none, the caller does the work.
  void run(Task task, void *data, int64_t parts, int64_t threads);

private:
  void work();
  void takeParts();
  void start(int64_t workers);

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake, done;

  // Of the current job; changed only under the mutex and when no worker is active.
  Task task = nullptr;
  void *data = nullptr;
  int64_t parts = 0, chunk = 1;
  std::atomic<int64_t> next{0};

  std::atomic<uint64_t> generation{0};
  int64_t openings = 0; // workers that may still join
  std::atomic<int64_t> active{0};
  bool stopping = false;
};

} // namespace relax_rt

#endif // RELAX_RUNTIME_CORE_THREADPOOL_H
