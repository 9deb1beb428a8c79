//===- BufferizeKernels.cpp - Tensors inside of kernels to buffers --------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "KernelSignature.h"
#include "RelaxDialect/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::relax {
#define GEN_PASS_DEF_BUFFERIZEKERNELSPASS
#include "RelaxDialect/Conversion/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

/// Intermediates of constant size go on the stack as long as the budget lasts.
void promoteToStack(func::FuncOp kernel, int64_t budget) {
  SmallVector<memref::AllocOp> allocs;
  kernel.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  for (memref::AllocOp alloc : allocs) {
    MemRefType type = alloc.getType();
    if (!type.hasStaticShape() || !type.getElementType().isIntOrIndexOrFloat())
      continue;
    int64_t elementBytes = type.getElementType().isIndex() ? 8 : llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    if (type.getNumElements() > budget / elementBytes)
      continue;
    budget -= type.getNumElements() * elementBytes;
    auto alloca = memref::AllocaOp::create(builder, alloc.getLoc(), type, builder.getI64IntegerAttr(64));
    alloc.replaceAllUsesWith(alloca.getResult());
    alloc.erase();
    // The next one follows; the allocation that was there may be where the builder stood.
    builder.setInsertionPointAfter(alloca);
  }
}

/// Bytes of `alloc` as i64, and whether they fit (i1).
std::pair<Value, Value> computeBytes(OpBuilder &builder, memref::AllocOp alloc) {
  Location loc = alloc.getLoc();
  MemRefType type = alloc.getType();
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  Value zero = constant(0);
  Value bytes = constant(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  Value fits = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  auto dynamic = alloc.getDynamicSizes().begin();
  for (int64_t size : type.getShape()) {
    Value extent =
        ShapedType::isDynamic(size) ? Value(arith::IndexCastOp::create(builder, loc, i64, *dynamic++)) : constant(size);
    auto product = arith::MulSIExtendedOp::create(builder, loc, bytes, extent);
    Value low = product.getLow();
    Value ok = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, product.getHigh(), zero);
    Value positive = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, low, zero);
    fits = arith::AndIOp::create(builder, loc, fits, arith::AndIOp::create(builder, loc, ok, positive));
    bytes = low;
  }
  return {bytes, fits};
}

/// Moves what follows `alloc` in its block under checks that the memory is there; frees it at the end.
LogicalResult guardAllocation(memref::AllocOp alloc, Value errorWord, int64_t errorCode) {
  Block *block = alloc->getBlock();
  Operation *terminator = block->getTerminator();
  bool inFunction = isa<func::ReturnOp>(terminator);
  if (!inFunction && terminator->getNumOperands() != 0)
    return alloc.emitOpError(
        "is an intermediate buffer inside of a loop or branch that yields values, which is not supported");

  OpBuilder builder(alloc);
  Location loc = alloc.getLoc();
  auto [bytes, fits] = computeBytes(builder, alloc);
  SmallVector<Type> resultTypes(terminator->getOperandTypes());
  auto fail = [&](OpBuilder &inner) {
    Value code = arith::ConstantOp::create(inner, loc, inner.getI64IntegerAttr(errorCode));
    Value first = arith::ConstantIndexOp::create(inner, loc, 0);
    memref::StoreOp::create(inner, loc, code, errorWord, first);
    SmallVector<Value> zeros;
    for (Type type : resultTypes)
      zeros.push_back(arith::ConstantOp::create(inner, loc, inner.getZeroAttr(type)));
    scf::YieldOp::create(inner, loc, zeros);
  };

  SmallVector<Operation *> rest;
  for (Operation *op = alloc->getNextNode(); op != terminator; op = op->getNextNode())
    rest.push_back(op);
  auto ifFits = scf::IfOp::create(builder, loc, resultTypes, fits, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder elseBuilder = ifFits.getElseBodyBuilder();
  // The builder of the constructor adds an empty yield when there is no result.
  auto clear = [](Block *body) {
    if (!body->empty())
      body->back().erase();
  };
  clear(ifFits.thenBlock());
  clear(ifFits.elseBlock());
  elseBuilder.setInsertionPointToEnd(ifFits.elseBlock());
  fail(elseBuilder);

  OpBuilder inner = OpBuilder::atBlockEnd(ifFits.thenBlock());
  // Without an alignment the pointer is malloc's own, so that a refusal shows as 0.
  alloc.removeAlignmentAttr();
  alloc->moveBefore(ifFits.thenBlock(), ifFits.thenBlock()->end());
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(inner, loc, alloc);
  Value zero = arith::ConstantIndexOp::create(inner, loc, 0);
  Value empty = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq, bytes,
                                      arith::ConstantOp::create(inner, loc, inner.getI64IntegerAttr(0)));
  Value given = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ne, address, zero);
  Value usable = arith::OrIOp::create(inner, loc, given, empty);
  auto ifGiven = scf::IfOp::create(inner, loc, resultTypes, usable, true, true);
  clear(ifGiven.thenBlock());
  clear(ifGiven.elseBlock());
  scf::YieldOp::create(inner, loc, ifGiven.getResults());
  OpBuilder refused = OpBuilder::atBlockEnd(ifGiven.elseBlock());
  fail(refused);

  for (Operation *op : rest)
    op->moveBefore(ifGiven.thenBlock(), ifGiven.thenBlock()->end());
  OpBuilder last = OpBuilder::atBlockEnd(ifGiven.thenBlock());
  memref::DeallocOp::create(last, loc, alloc);
  scf::YieldOp::create(last, loc, terminator->getOperands());
  terminator->setOperands(ifFits.getResults());
  return success();
}

/// True when `buffer` or a view of it leaves its block through a terminator.
bool escapes(Value buffer) {
  SmallVector<Value> worklist = {buffer};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (user->hasTrait<OpTrait::IsTerminator>() || isa<scf::ForOp, scf::WhileOp>(user))
        return true;
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(worklist, user->getResults());
    }
  }
  return false;
}

/// The operation that computes a part in a place of its own, which it does not read.
linalg::LinalgOp getPartMaker(tensor::InsertSliceOp insert) {
  auto maker = insert.getSource().getDefiningOp<linalg::LinalgOp>();
  if (!maker || maker.getNumDpsInits() != 1 || !maker->hasOneUse() || maker->getBlock() != insert->getBlock() ||
      insert.getSourceType().getRank() != insert.getType().getRank() ||
      !maker.getMatchingBlockArgument(maker.getDpsInitOperand(0)).use_empty())
    return {};
  auto place = maker.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>();
  return place && place.getType() == insert.getSourceType() ? maker : linalg::LinalgOp();
}

/// A result that is put together of parts is put together in its destination, each part computed in its place. Upstream
/// places parts in what they are put into, which then has several uses, of which it places one.
void placeParts(func::FuncOp kernel) {
  kernel.walk([](bufferization::MaterializeInDestinationOp store) {
    SmallVector<tensor::InsertSliceOp> inserts;
    Value whole = store.getSource();
    while (auto insert = whole.getDefiningOp<tensor::InsertSliceOp>()) {
      if (!whole.hasOneUse() || insert->getBlock() != store->getBlock())
        return;
      inserts.push_back(insert);
      whole = insert.getDest();
    }
    auto empty = whole.getDefiningOp<tensor::EmptyOp>();
    auto type = dyn_cast<MemRefType>(store.getDest().getType());
    if (!empty || inserts.empty() || !whole.hasOneUse() || !isa<BlockArgument>(store.getDest()) || !type ||
        memref::getTensorTypeFromMemRefType(type) != whole.getType())
      return;
    for (tensor::InsertSliceOp insert : inserts)
      if (insert.getSource().getDefiningOp<linalg::LinalgOp>() && !getPartMaker(insert))
        return;
    OpBuilder builder(empty);
    auto destination = bufferization::ToTensorOp::create(builder, empty.getLoc(), whole.getType(), store.getDest(),
                                                         /*restrict=*/true, /*writable=*/true);
    empty.replaceAllUsesWith(destination.getResult());
    empty.erase();
    for (tensor::InsertSliceOp insert : inserts) {
      linalg::LinalgOp maker = getPartMaker(insert);
      if (!maker)
        continue;
      builder.setInsertionPoint(insert);
      Value place =
          tensor::ExtractSliceOp::create(builder, insert.getLoc(), insert.getSourceType(), insert.getDest(),
                                         insert.getMixedOffsets(), insert.getMixedSizes(), insert.getMixedStrides());
      maker->moveBefore(insert);
      maker.getDpsInitOperand(0)->set(place);
    }
  });
}

LogicalResult bufferize(func::FuncOp kernel, int64_t stackBytes) {
  IRRewriter rewriter(kernel.getContext());
  placeParts(kernel);
  if (failed(bufferization::eliminateEmptyTensors(rewriter, kernel)))
    return kernel.emitError("cannot place results in their destinations");

  bufferization::OneShotBufferizationOptions options;
  // Copies as linalg, because memref.copy between strided buffers would call a library.
  options.memCpyFn = [](OpBuilder &builder, Location loc, Value from, Value to) {
    linalg::CopyOp::create(builder, loc, from, to);
    return success();
  };
  bufferization::BufferizationState state;
  if (failed(bufferization::runOneShotBufferize(kernel, options, state)))
    return kernel.emitError("kernel cannot be bufferized");

  bufferization::hoistBuffersFromLoops(kernel);
  promoteToStack(kernel, stackBytes);
  SmallVector<memref::AllocOp> allocs;
  kernel.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
  if (allocs.empty())
    return success();
  Value errorWord = kernel.getArguments().back();
  int64_t errorCode =
      addKernelSite(kernel, "not enough memory for an intermediate of kernel '" + kernel.getName() + "'");
  // From the last to the first, so that each moves complete code.
  for (memref::AllocOp alloc : llvm::reverse(allocs)) {
    if (escapes(alloc))
      return alloc.emitOpError("is an intermediate buffer that a loop or branch hands on, which is not supported");
    if (failed(guardAllocation(alloc, errorWord, errorCode)))
      return failure();
  }
  return success();
}

struct BufferizeKernelsPass final : relax::impl::BufferizeKernelsPassBase<BufferizeKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    // Constants become globals of the module, so kernels are not done in parallel.
    SmallVector<func::FuncOp> kernels;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (getKernelSignature(function))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels)
      if (failed(bufferize(kernel, stackBytes)))
        return signalPassFailure();
  }
};

} // namespace
