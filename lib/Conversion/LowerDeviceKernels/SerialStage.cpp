//===- SerialStage.cpp - An invocation for each element -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "StageBuilder.h"

using namespace mlir;
using namespace mlir::relax;

static LogicalResult emitElement(StageBuilder &stage, const StageLoops &loops, Value linear) {
  linalg::GenericOp op = loops.op;
  stage.linearIndex = linear;
  SmallVector<Value> coordinates(loops.sizes.size());
  stage.decompose(loops, loops.parallel, linear, coordinates);
  SmallVector<Value> addresses, values;
  for (OpOperand &out : op.getDpsInitsMutable()) {
    addresses.push_back(stage.getAddress(loops, out, coordinates));
    if (!addresses.back())
      return stage.fail("writes elements in an order that has no simple form");
    bool isRead = !loops.reduction.empty() || !op.getMatchingBlockArgument(&out).use_empty();
    values.push_back(isRead ? stage.loadInitial(loops, out, coordinates) : Value());
  }
  SmallVector<scf::ForOp> nest;
  for (unsigned loop : loops.reduction) {
    auto nested = scf::ForOp::create(stage.builder, stage.loc, stage.constant(0), stage.getNumber(loops.sizes[loop]),
                                     stage.constant(1), values);
    stage.builder.setInsertionPointToStart(nested.getBody());
    coordinates[loop] = nested.getInductionVar();
    values.assign(nested.getRegionIterArgs().begin(), nested.getRegionIterArgs().end());
    nest.push_back(nested);
  }
  FailureOr<SmallVector<Value>> results = stage.emitBody(loops, coordinates, values);
  if (failed(results))
    return failure();
  values = std::move(*results);
  for (scf::ForOp loop : llvm::reverse(nest)) {
    stage.builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(stage.builder, stage.loc, values);
    values.assign(loop.getResults().begin(), loop.getResults().end());
    stage.builder.setInsertionPointAfter(loop);
  }
  for (auto [out, value, address] : llvm::zip_equal(op.getDpsInits(), values, addresses))
    stage.store(value, out, address);
  return success();
}

LogicalResult relax::emitSerialStage(linalg::GenericOp op, DeviceScope &scope, gpu::GPUModuleOp module,
                                     std::string &reason) {
  StageLoops loops;
  StageBuilder stage(scope, op.getLoc(), reason);
  if (failed(readLoops(op, scope, loops, reason)) || failed(stage.use(loops)))
    return failure();
  stage.create(module, "serial");
  Value linear = stage.openElements();
  if (failed(stage.capture(loops)) || failed(emitElement(stage, loops, linear)))
    return failure();
  stage.finish(stage.countStepsOnHost(loops, loops.parallel));
  return success();
}
