//===- CarriedCopies.h - Copies of what loops hand on ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_CARRIEDCOPIES_H
#define RELAXDIALECT_LIB_TRANSFORMS_CARRIEDCOPIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::relax {

/// What a loop hands to its next iteration is made by a call of its own body, so that two blocks of memory which take
/// turns are enough for it. Everything else that may change in between is copied there: results of inner control flow
/// and of functions, and values that change their place among the carried ones.
class CarriedCopies {
public:
  explicit CarriedCopies(SymbolTable &symbols) : symbols(symbols) {}
  void insert(func::FuncOp function);

private:
  StringAttr getProgram(Location loc, RankedTensorType type);

  SymbolTable &symbols;
  DenseMap<Type, StringAttr> programs;
};

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_CARRIEDCOPIES_H
