//===- GraphRecurrentOps.h - LSTM, GRU, RNN --------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHRECURRENTOPS_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHRECURRENTOPS_H

#include "RelaxDialect/Dialect/Graph/IR/GraphComposite.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphRecurrentOps.h.inc"

namespace mlir::relax::graph {

/// Gates and activations of `rnn`, `gru` and `lstm`; 0 for other names.
unsigned getNumGates(StringRef cell);
unsigned getNumActivations(StringRef cell);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHRECURRENTOPS_H
