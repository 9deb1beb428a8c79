//===- ControlRules.h - Branches and loops ---------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Dialects of tensors write control flow alike: regions of one block whose
// terminators hand on values, and conditions that are tensors of one bool.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_IMPORTDIALECTS_CONTROLRULES_H
#define RELAX_LIB_CONVERSION_IMPORTDIALECTS_CONTROLRULES_H

#include "ForeignImporter.h"

namespace mlir::relax::control {

/// The element of a tensor with one.
Value extractScalar(ForeignImporter &w, Value tensor);

/// A chain of `scf.if`: region `first` of the op when the condition of its place holds, else the rest. `arguments` are
/// those of each region.
SmallVector<Value> emitBranches(ForeignImporter &w, Operation *op, ArrayRef<Value> conditions, ValueRange arguments,
                                unsigned first = 0);

void setResults(ForeignImporter &w, Operation *op, ArrayRef<Value> results);

/// A loop with a region for its condition and one for its body, both of the values that are carried.
void emitWhile(ForeignImporter &w, Operation *op);

} // namespace mlir::relax::control

#endif // RELAX_LIB_CONVERSION_IMPORTDIALECTS_CONTROLRULES_H
