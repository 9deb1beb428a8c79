//===- GraphAttentionOps.h - Attention, rotary embedding -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHATTENTIONOPS_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHATTENTIONOPS_H

#include "RelaxDialect/Dialect/Graph/IR/GraphComposite.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphAttentionOps.h.inc"

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHATTENTIONOPS_H
