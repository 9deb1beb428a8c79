//===- TransposeStage.cpp - Elements in another order ---------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// An elementwise op whose operand's fastest loop is not the result's: tiles go
// through memory of the workgroup, so that neighbours both read and write
// neighbours.
//
//===----------------------------------------------------------------------===//
#include "StageBuilder.h"

using namespace mlir;
using namespace mlir::relax;

namespace {

constexpr int64_t kTile = 16;

struct TransposeMatch {
  StageLoops loops;
  SmallVector<OpOperand *> turned; // operands that are read along `in`
  unsigned in = 0, out = 0;        // fastest loops of these and of the results
  SmallVector<unsigned> others;

  bool match(linalg::GenericOp op, const DeviceScope &scope);
};

bool TransposeMatch::match(linalg::GenericOp op, const DeviceScope &scope) {
  std::string reason;
  if (failed(readLoops(op, scope, loops, reason)) || !loops.reduction.empty() || loops.parallel.size() < 2)
    return false;
  out = loops.parallel.back();
  DenseSet<unsigned> written;
  for (OpOperand &result : op.getDpsInitsMutable()) {
    std::optional<SmallVector<unsigned>> dims = getPlainDims(op.getMatchingIndexingMap(&result));
    if (!dims || dims->back() != out || !op.getMatchingBlockArgument(&result).use_empty())
      return false;
    written.insert(scope.find(result.get())->root);
  }
  for (OpOperand *operand : op.getDpsInputOperands()) {
    const DeviceView *view = scope.find(operand->get());
    if (!view)
      continue;
    if (written.contains(view->root))
      return false;
    std::optional<SmallVector<unsigned>> dims = getPlainDims(op.getMatchingIndexingMap(operand));
    if (!dims || dims->size() < 2 || !llvm::is_contained(*dims, out) || dims->back() == out)
      continue;
    if (!turned.empty() && dims->back() != in)
      return false;
    in = dims->back();
    turned.push_back(operand);
  }
  if (turned.empty() || turned.size() > 4)
    return false;
  // Where one of the two is short there is little to gain.
  for (unsigned loop : {in, out})
    if (std::optional<int64_t> size = getConstantIntValue(loops.sizes[loop]); size && *size < 4)
      return false;
  for (unsigned loop : loops.parallel)
    if (loop != in && loop != out)
      others.push_back(loop);
  return true;
}

LogicalResult emit(TransposeMatch &match, DeviceScope &scope, gpu::GPUModuleOp module, std::string &reason) {
  const StageLoops &loops = match.loops;
  linalg::GenericOp op = loops.op;
  StageBuilder stage(scope, op.getLoc(), reason);
  if (failed(stage.use(loops)))
    return failure();
  stage.create(module, "transpose");
  Size tilesIn = scope.sizes.divideUp(loops.sizes[match.in], kTile);
  Size tilesOut = scope.sizes.divideUp(loops.sizes[match.out], kTile);
  Value across = stage.getNumber(tilesOut), down = stage.getNumber(tilesIn), tile = stage.openUnits();
  if (failed(stage.capture(loops)))
    return failure();
  Value rest = stage.make<arith::DivUIOp>(tile, across), width = stage.constant(kTile);
  Value firstOut = stage.make<arith::MulIOp>(stage.make<arith::RemUIOp>(tile, across), width);
  Value firstIn = stage.make<arith::MulIOp>(stage.make<arith::RemUIOp>(rest, down), width);
  SmallVector<Value> coordinates(loops.sizes.size());
  stage.decompose(loops, match.others, stage.make<arith::DivUIOp>(rest, down), coordinates);
  Value fast = stage.make<arith::RemUIOp>(stage.getThread(), width);
  Value slow = stage.make<arith::DivUIOp>(stage.getThread(), width);
  Value sizeIn = stage.getNumber(loops.sizes[match.in]), sizeOut = stage.getNumber(loops.sizes[match.out]);
  Value stride = stage.constant(kTile + 1);

  // Calls `inside` for the elements of this invocation that are in the tile, at [in, out] of it.
  auto forEach = [&](bool isRead, function_ref<LogicalResult(Value)> inside) {
    for (int64_t step = 0; step < kTile; step += kWorkgroup / kTile) {
      Value other = stage.make<arith::AddIOp>(slow, stage.constant(step));
      Value in = isRead ? fast : other, out = isRead ? other : fast;
      coordinates[match.in] = stage.make<arith::AddIOp>(firstIn, in);
      coordinates[match.out] = stage.make<arith::AddIOp>(firstOut, out);
      Value isInside = stage.make<arith::AndIOp>(stage.less(coordinates[match.in], sizeIn),
                                                 stage.less(coordinates[match.out], sizeOut));
      auto branch = scf::IfOp::create(stage.builder, stage.loc, isInside);
      OpBuilder::InsertionGuard guard(stage.builder);
      stage.builder.setInsertionPointToStart(&branch.getThenRegion().front());
      if (failed(inside(stage.make<arith::AddIOp>(stage.make<arith::MulIOp>(in, stride), out))))
        return failure();
    }
    return success();
  };
  auto typeOf = [](OpOperand *operand) { return cast<MemRefType>(operand->get().getType()).getElementType(); };
  DenseMap<OpOperand *, Value> memories;
  for (OpOperand *operand : match.turned)
    memories[operand] = stage.shareMemory(typeOf(operand), kTile * (kTile + 1));
  if (failed(forEach(/*isRead=*/true, [&](Value place) -> LogicalResult {
        for (OpOperand *operand : match.turned) {
          Value address = stage.getAddress(loops, *operand, coordinates);
          if (!address)
            return failure();
          stage.storeShared(stage.load(operand->get(), address), memories[operand], place);
        }
        return success();
      })))
    return failure();
  stage.synchronize();
  if (failed(forEach(/*isRead=*/false, [&](Value place) -> LogicalResult {
        FailureOr<SmallVector<Value>> values =
            stage.emitBody(loops, coordinates, SmallVector<Value>(op.getNumDpsInits()), [&](OpOperand &operand) {
              Value memory = memories.lookup(&operand);
              return memory ? stage.loadShared(memory, place, typeOf(&operand)) : Value();
            });
        if (failed(values))
          return failure();
        for (auto [out, value] : llvm::zip_equal(op.getDpsInitsMutable(), *values)) {
          Value address = stage.getAddress(loops, out, coordinates);
          if (!address)
            return failure();
          stage.store(value, out.get(), address);
        }
        return success();
      })))
    return failure();
  stage.synchronize(); // before the next tile is read
  stage.finish(scope.sizes.multiply(
      {stage.countStepsOnHost(loops, match.others), tilesIn, tilesOut, scope.sizes.constant(kWorkgroup)}));
  return success();
}

} // namespace

unsigned relax::emitTransposeStage(const StageQueue &queue, DeviceScope &scope, gpu::GPUModuleOp module) {
  TransposeMatch match;
  std::string reason; // the serial stage has the same one
  return match.match(queue.ops[0], scope) && succeeded(emit(match, scope, module, reason)) ? 1 : 0;
}
