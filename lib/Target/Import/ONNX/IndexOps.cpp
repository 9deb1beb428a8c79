//===- IndexOps.cpp - Indexing ------------------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

static void emitGather(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t axis = e.normalizeAxis(e.getInt("axis", 0), dims.size());
  if (e.failed())
    return;
  Value data = e.getTensor(0), indices = wrapIndices(e, e.getTensor(1), dims[axis]);
  e.setResult(0, e.create<graph::TakeOp>({data, indices}, e.attr("axis", axis)));
}

/// A number of any type, as a scalar or a vector of one element.
static SymExpr readDepth(NodeEmitter &e) {
  if (isa<IntegerType>(e.getType(1).getElementType()))
    return e.requireExtent(1, "depth");
  Elements depth(1);
  if (Value tensor = e.reshape(e.cast(e.getTensor(1), e.getI64()), {e.constant(1)}))
    e.getImporter().bindShape(tensor, depth, e.getSymbolStem(), e.getLoc());
  return depth[0] ? depth[0] : e.constant(0);
}

static void emitOneHot(NodeEmitter &e) {
  int64_t rank = e.getRank(0), axis = e.normalizeAxis(e.getInt("axis", -1), rank + 1);
  if (e.failed())
    return;
  if (e.getRank(2) != 1 || e.getType(2).getShape()[0] != 2)
    return e.fail("values must be a vector of 2 elements");
  SymExpr depth = readDepth(e);
  if (e.failed())
    return;
  // An index outside of [-depth, depth) is equal to no position: a row of "off".
  Value indices = wrapIndices(e, e.cast(e.getTensor(0), e.getI64()), depth);
  Value range = e.expandDims(e.iota({depth}, 0), llvm::to_vector(llvm::seq<int64_t>(1, rank + 1 - axis)));
  Value isHot = e.create<graph::EqualOp>({e.expandDims(indices, axis), range});
  auto pick = [&](int64_t index) {
    Value part = e.slice(e.getTensor(2), NodeEmitter::Range{0, e.constant(index), e.constant(index + 1)});
    return e.squeeze(part, {0});
  };
  e.setResult(0, e.select(isHot, pick(1), pick(0)));
}

ArrayRef<OpEntry> mlir::relax::onnx::getIndexOps() {
  static constexpr OpEntry entries[] = {
      {"Gather", 1, 2, 2, 1, emitGather},
      {"OneHot", 9, 3, 3, 1, emitOneHot},
  };
  return entries;
}
