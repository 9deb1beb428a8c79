//===- Loops.cpp - Loops that a node needs --------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Loops.h"

#include "Builders.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;

SmallVector<Value> mlir::relax::onnx::repeat(NodeEmitter &e, sym::SymExpr count, ArrayRef<Value> initial,
                                             LoopBody body) {
  SmallVector<Value> nothing(initial.size());
  Value length = e.dimScalar(count, e.getI64());
  if (e.failed() || !length || llvm::is_contained(initial, Value()))
    return nothing;
  GraphImporter &importer = e.getImporter();
  OpBuilder &builder = importer.getBuilder();
  Location loc = e.getLoc();
  Value extracted = tensor::ExtractOp::create(builder, loc, length, ValueRange());
  Value end = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), extracted);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
  // The number of the iteration is carried as a tensor.
  SmallVector<Value> state = {e.makeScalar(0, e.getI64())};
  state.append(initial.begin(), initial.end());
  auto loop = scf::ForOp::create(builder, loc, zero, end, one, state);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    GraphImporter::Snapshot snapshot = importer.takeSnapshot();
    SmallVector<Value> carried(loop.getRegionIterArgs());
    SmallVector<Value> yielded = {e.add(carried[0], e.makeScalar(1, e.getI64()))};
    for (auto [value, start] : llvm::zip(body(carried[0], ArrayRef(carried).drop_front()), initial))
      yielded.push_back(checkDims(e, value, sym::getSymbolicDims(start.getType())));
    importer.restore(std::move(snapshot));
    if (!e.failed() && !llvm::is_contained(yielded, Value()))
      scf::YieldOp::create(builder, loc, yielded);
  }
  if (e.failed()) {
    loop.erase();
    return nothing;
  }
  return SmallVector<Value>(llvm::drop_begin(loop.getResults()));
}
