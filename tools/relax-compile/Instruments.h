//===- Instruments.h - What a compilation tells about itself ---*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TOOLS_RELAXCOMPILE_INSTRUMENTS_H
#define RELAXDIALECT_TOOLS_RELAXCOMPILE_INSTRUMENTS_H

#include "RelaxDialect/Pipelines/Remarks.h"
#include "mlir/Support/Timing.h"
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

namespace mlir {
class PassManager;
} // namespace mlir

/// What is asked for; empty: nothing.
struct InstrumentOptions {
  std::string remarks;    // a regular expression over passes
  std::string trace;      // a file for chrome://tracing
  std::string reproducer; // a file for a pass that fails
  bool timing = false;    // a table of passes on stderr
  bool collectRemarks = false;
};

/// Something that took time, in microseconds since the start.
struct TraceEvent {
  std::string name;
  std::string category; // pass, phase
  uint64_t begin = 0, duration = 0;
  uint64_t thread = 0;
};

/// Watches one compilation; it outlives the pass managers.
class Instruments {
public:
  explicit Instruments(const InstrumentOptions &options);
  ~Instruments();

  /// Before anything runs. Fails with a message in `problem`.
  mlir::LogicalResult attach(mlir::MLIRContext *context, std::string &problem);
  void attach(mlir::PassManager &manager);
  /// A part of the compilation that is no pass: "code generation".
  void begin(llvm::StringRef phase);
  void end();
  /// The trace, when all is done.
  void writeTrace(llvm::raw_ostream &os);

  const std::vector<mlir::relax::PassRemark> &getRemarks() const { return remarks; }
  const std::vector<TraceEvent> &getEvents() const { return events; }

  // For the instrumentation of passes.
  uint64_t now() const;
  void add(TraceEvent event);
  void showProgress(llvm::StringRef pass);

private:
  const InstrumentOptions &options;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  mlir::DefaultTimingManager timingManager;
  mlir::TimingScope timing, phaseTiming;
  std::string phase;
  uint64_t phaseBegin = 0;
  std::mutex mutex;
  std::vector<TraceEvent> events;
  std::vector<mlir::relax::PassRemark> remarks;
  bool isTerminal = false, isShown = false;
  size_t done = 0, total = 0;
};

#endif // RELAXDIALECT_TOOLS_RELAXCOMPILE_INSTRUMENTS_H
