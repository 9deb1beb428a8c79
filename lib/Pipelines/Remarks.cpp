//===- Remarks.cpp - What passes say of their decisions -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Pipelines/Remarks.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Remarks/Remark.h"
#include "llvm/Support/Regex.h"
#include <mutex>

using namespace mlir;
using namespace mlir::relax;

std::string PassRemark::str() const {
  return (place.empty() ? "" : place + ": ") + "remark: " + category + ": " + name + ": " + message;
}

static std::string getPlace(Location location) {
  std::string place;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file || !place.empty())
      return WalkResult::advance();
    place = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" + Twine(file.getColumn())).str();
    return WalkResult::interrupt();
  });
  return place;
}

static StringRef getKind(llvm::remarks::Type type) {
  switch (type) {
  case llvm::remarks::Type::Passed:
    return "passed";
  case llvm::remarks::Type::Missed:
    return "missed";
  case llvm::remarks::Type::Failure:
    return "failed";
  default:
    return "analysis";
  }
}

namespace {
class Collector final : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Collector(std::function<void(const PassRemark &)> fn) : fn(std::move(fn)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    PassRemark found{getKind(remark.getRemarkType()).str(), remark.getCombinedCategoryName().str(),
                     remark.getRemarkName().str(), "", getPlace(remark.getLocation())};
    for (const auto &argument : remark.getArgs())
      if (argument.key == "Remark")
        found.message += argument.val;
    if (found.message.empty())
      found.message = remark.getMsg();
    std::lock_guard<std::mutex> lock(mutex);
    fn(found);
  }

private:
  std::function<void(const PassRemark &)> fn;
  std::mutex mutex;
};
} // namespace

LogicalResult relax::forEachRemark(MLIRContext *context, StringRef filter, std::function<void(const PassRemark &)> fn) {
  std::string error;
  if (!llvm::Regex(filter).isValid(error))
    return failure();
  // A kind without a filter of its own is off, whatever the one for all says.
  std::string whole = "^(" + filter.str() + ")$";
  remark::RemarkCategories categories{whole, whole, whole, whole, whole};
  return remark::enableOptimizationRemarks(*context, std::make_unique<Collector>(std::move(fn)),
                                           std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}
