//===- PlannedChoices.h - What is chosen at entry --------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// For relax-verify-planned; shares no code with relax-plan-memory. Places and
// sizes may be chosen by `arith.select`. They are looked at under assumptions
// about the conditions, one case after the other; what a condition compares is
// a fact where it is assumed.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_PLANNEDCHOICES_H
#define RELAXDIALECT_LIB_TRANSFORMS_PLANNEDCHOICES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::relax {

class PlannedChoices {
public:
  /// What `value` is under the assumptions. A condition about which nothing was assumed yet is assumed to hold; the
  /// case in which it does not is looked at later.
  Value resolve(Value value);

  /// Calls `onAtMost(a, b)` for index values a <= b of which the assumptions tell.
  void forEachFact(function_ref<void(Value, Value)> onAtMost) const;

  /// Goes on to the next case; false when all were looked at.
  bool advance();

private:
  llvm::MapVector<Value, bool> assumed; // in the order of the questions
};

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_PLANNEDCHOICES_H
