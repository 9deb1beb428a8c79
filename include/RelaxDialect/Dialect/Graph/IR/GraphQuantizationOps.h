//===- GraphQuantizationOps.h - Numbers of few bits ------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHQUANTIZATIONOPS_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHQUANTIZATIONOPS_H

#include "RelaxDialect/Dialect/Graph/IR/GraphComposite.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphQuantizationOps.h.inc"

namespace mlir::relax::graph {

/// What the bits of a stored number mean.
struct StorageFormat {
  unsigned bits;
  bool isSigned;
  const llvm::fltSemantics *semantics; // null for integers

  static std::optional<StorageFormat> parse(StringRef name);
  bool isInteger() const { return semantics == nullptr; }
  /// Width of the elements that hold it.
  unsigned getStorageBits() const { return std::max(bits, 8U); }
  /// How many share an element.
  unsigned getPerElement() const { return getStorageBits() / bits; }
};

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHQUANTIZATIONOPS_H
