//===- CarriedCopies.cpp - Copies of what loops hand on -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "CarriedCopies.h"

#include "MemoryUtils.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "TensorAliases.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// `out = in` for tensors of the rank and static extents of `type`.
StringAttr CarriedCopies::getProgram(Location loc, RankedTensorType type) {
  MLIRContext *context = type.getContext();
  SmallVector<SymExpr> dims;
  for (auto [index, size] : llvm::enumerate(type.getShape()))
    dims.push_back(ShapedType::isDynamic(size) ? SymExpr::symbol(context, "d" + std::to_string(index))
                                               : SymExpr::constant(context, size));
  RankedTensorType shown = sym::getTensorType(dims, type.getElementType());
  StringAttr &name = programs[shown];
  if (name)
    return name;
  OpBuilder builder(context);
  auto program = tp::ProgramOp::create(builder, loc, "copy", TypeRange(shown), TypeRange(shown));
  name = symbols.insert(program);
  builder.setInsertionPointToEnd(&program.getBody().front());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  Value in = program.getArgument(0), out = program.getArgument(1);
  auto copy = linalg::GenericOp::create(
      builder, loc, out.getType(), in, out, ArrayRef{identity, identity}, iterators,
      [](OpBuilder &inner, Location at, ValueRange values) { linalg::YieldOp::create(inner, at, values.front()); });
  tp::YieldOp::create(builder, loc, copy.getResults());
  return name;
}

/// The carried value, as the body of the loop sees it at its start, is handed on as it is.
static bool isPassedThrough(Operation *loop, unsigned index, Value root) {
  auto argument = dyn_cast<BlockArgument>(root);
  if (!argument || argument.getOwner() != getLoopBody(loop))
    return false;
  if (auto counted = dyn_cast<scf::ForOp>(loop))
    return counted.getRegionIterArg(index) == argument;
  auto whileOp = cast<scf::WhileOp>(loop);
  Value before = getAliasRoot(whileOp.getConditionOp().getArgs()[argument.getArgNumber()], Through::Calls);
  return before == whileOp.getBeforeArguments()[index];
}

static bool needsCopy(Operation *loop, unsigned index, Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return false;
  Value root = getAliasRoot(value, Through::Calls);
  // Nothing inside of the loop writes what was there before.
  if (!loop->isAncestor(root.getParentBlock()->getParentOp()) || isPassedThrough(loop, index, root))
    return false;
  Operation *maker = root.getDefiningOp();
  if (isa_and_nonnull<WeightOp, ConstantOp>(maker))
    return false;
  return !isa_and_nonnull<ProgramCallOpInterface, AllocOp>(maker) || maker->getBlock() != getLoopBody(loop);
}

void CarriedCopies::insert(func::FuncOp function) {
  std::optional<FreshSymbols> names;
  function.walk([&](Operation *loop) {
    Block *body = getLoopBody(loop);
    if (!body)
      return;
    Operation *yield = body->getTerminator();
    for (OpOperand &operand : yield->getOpOperands()) {
      if (!needsCopy(loop, operand.getOperandNumber(), operand.get()))
        continue;
      Location loc = yield->getLoc();
      OpBuilder builder(yield);
      if (!names)
        names.emplace(function);
      Type carried = operand.get().getType();
      Value known = nameUnknownExtents(builder, loc, operand.get(), *names);
      if (known != operand.get())
        ensureScope(function);
      StringAttr program = getProgram(loc, cast<RankedTensorType>(known.getType()));
      Value copy = CallTPOp::create(builder, loc, known.getType(), FlatSymbolRefAttr::get(program), known).getResult(0);
      if (copy.getType() != carried)
        copy = EraseShapeOp::create(builder, loc, carried, copy);
      operand.set(copy);
    }
  });
}
