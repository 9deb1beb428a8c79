//===- GraphOps.h - Operations of relax -------------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHOPS_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHOPS_H

#include "RelaxDialect/Dialect/Graph/IR/GraphAttrs.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphComposite.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphInterfaces.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphShapeUtils.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphTypeInference.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphTypes.h"
#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

// One line per family; each family has its own .td and .cpp files.
#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphCallOps.h.inc"
#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphComposedOps.h.inc"
#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphCreationOps.h.inc"
#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphDataflowOps.h.inc"
#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphElementwiseOps.h.inc"
#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphIndexingOps.h.inc"
#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphLinearAlgebraOps.h.inc"
#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphManipulationOps.h.inc"
#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphMemoryOps.h.inc"
#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphReductionOps.h.inc"
#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphSearchOps.h.inc"
#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphShapeOps.h.inc"
#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphWeightOps.h.inc"

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHOPS_H
