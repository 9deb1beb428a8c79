//===- NeuralOps.h - Families of neural network ops ------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_INTERPRETER_NEURALOPS_H
#define RELAXDIALECT_LIB_INTERPRETER_NEURALOPS_H

namespace mlir::relax::interp {

class OpTable;

// One per file, beside those of OpTable.h.
void registerNNOps(OpTable &table);
void registerPoolOps(OpTable &table);

} // namespace mlir::relax::interp

#endif // RELAXDIALECT_LIB_INTERPRETER_NEURALOPS_H
