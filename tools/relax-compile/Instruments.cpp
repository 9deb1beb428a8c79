//===- Instruments.cpp - What a compilation tells about itself ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Instruments.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/Threading.h"
#include <map>

using namespace mlir;
using namespace mlir::relax;

/// Progress is shown when a compilation takes longer.
static constexpr uint64_t kPatience = 300'000;

namespace {
class Watch final : public PassInstrumentation {
public:
  explicit Watch(Instruments &instruments) : instruments(instruments) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (pass->getArgument().empty()) // runs other passes
      return;
    std::lock_guard<std::mutex> lock(mutex);
    begins[{pass, op}] = instruments.now();
  }
  void runAfterPass(Pass *pass, Operation *op) override { finish(pass, op); }
  void runAfterPassFailed(Pass *pass, Operation *op) override { finish(pass, op); }

private:
  void finish(Pass *pass, Operation *op) {
    if (isa<ModuleOp>(op) && !op->getParentOp())
      instruments.showProgress(pass->getArgument());
    if (pass->getArgument().empty())
      return;
    uint64_t begin = 0;
    {
      std::lock_guard<std::mutex> lock(mutex);
      auto found = begins.find({pass, op});
      if (found == begins.end())
        return;
      begin = found->second;
      begins.erase(found);
    }
    instruments.add({pass->getArgument().str(), "pass", begin, instruments.now() - begin, llvm::get_threadid()});
  }

  Instruments &instruments;
  std::mutex mutex;
  std::map<std::pair<Pass *, Operation *>, uint64_t> begins;
};
} // namespace

Instruments::Instruments(const InstrumentOptions &options)
    : options(options), isTerminal(llvm::sys::Process::StandardErrIsDisplayed()) {
  timingManager.setEnabled(options.timing);
  timing = timingManager.getRootScope();
}

Instruments::~Instruments() {
  if (isShown)
    llvm::errs() << "\r\033[K";
}

LogicalResult Instruments::attach(MLIRContext *context, std::string &problem) {
  if (options.remarks.empty() && !options.collectRemarks)
    return success();
  StringRef filter = options.collectRemarks ? StringRef(".*") : StringRef(options.remarks);
  llvm::Regex shown("^(" + options.remarks + ")$");
  if (!options.remarks.empty() && !shown.isValid(problem)) {
    problem = "--remarks: '" + options.remarks + "' is no regular expression: " + problem;
    return failure();
  }
  // Kept by the context, which this outlives.
  auto show = [this, shown = std::make_shared<llvm::Regex>(std::move(shown))](const PassRemark &remark) {
    if (options.collectRemarks)
      remarks.push_back(remark);
    if (!options.remarks.empty() && shown->match(remark.category))
      llvm::errs() << remark.str() << "\n";
  };
  return forEachRemark(context, filter, show);
}

void Instruments::attach(PassManager &manager) {
  total += manager.size();
  manager.addInstrumentation(std::make_unique<Watch>(*this));
  if (options.timing)
    manager.enableTiming(timing);
  if (!options.reproducer.empty())
    manager.enableCrashReproducerGeneration(options.reproducer);
}

void Instruments::begin(StringRef name) {
  phase = name.str();
  phaseBegin = now();
  phaseTiming = timing.nest(name);
  showProgress(name);
}

void Instruments::end() {
  add({phase, "phase", phaseBegin, now() - phaseBegin, llvm::get_threadid()});
  phaseTiming.stop();
}

uint64_t Instruments::now() const {
  auto passed = std::chrono::steady_clock::now() - start;
  return std::chrono::duration_cast<std::chrono::microseconds>(passed).count();
}

void Instruments::add(TraceEvent event) {
  std::lock_guard<std::mutex> lock(mutex);
  events.push_back(std::move(event));
}

void Instruments::showProgress(StringRef pass) {
  ++done;
  if (!isTerminal || now() < kPatience || pass.empty())
    return;
  isShown = true;
  constexpr size_t kWidth = 24;
  size_t filled = total ? std::min(kWidth, kWidth * done / total) : 0;
  llvm::errs() << "\r\033[K[" << std::string(filled, '#') << std::string(kWidth - filled, '.') << "] "
               << llvm::format("%.1f s  ", static_cast<double>(now()) / 1e6) << pass;
}

void Instruments::writeTrace(raw_ostream &os) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attributeArray("traceEvents", [&] {
      for (const TraceEvent &event : events)
        json.object([&] {
          json.attribute("name", event.name);
          json.attribute("cat", event.category);
          json.attribute("ph", "X");
          json.attribute("ts", event.begin);
          json.attribute("dur", event.duration);
          json.attribute("pid", 1);
          json.attribute("tid", event.thread);
        });
    });
    json.attribute("displayTimeUnit", "ms");
  });
  os << "\n";
}
