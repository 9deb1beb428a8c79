//===- GrowInPlace.cpp - Results that continue an argument ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// `concat(argument, new)` along the outermost dimension that is not 1 leaves the
// argument's elements where they are in memory, in front of the new ones. When
// the function returns it, the runtime can hand out memory in which they lie
// already: a cache grows without being copied.
//
//===----------------------------------------------------------------------===//
#include "MemoryUtils.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "TensorAliases.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace mlir::relax {
#define GEN_PASS_DEF_GROWINPLACEPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

namespace {

/// A program that writes an input to the front of its out and something else behind it.
struct Append {
  tensor::InsertSliceOp front;
  unsigned input;
  unsigned axis;
};

class InPlaceGrower {
public:
  explicit InPlaceGrower(SymbolTable &symbols) : symbols(symbols) {}

  void visit(func::FuncOp function) {
    if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
      return;
    SmallVector<CallTPOp> calls = llvm::to_vector(function.getBody().front().getOps<CallTPOp>());
    for (CallTPOp call : calls)
      visit(call);
  }

private:
  void visit(CallTPOp call);
  tp::ProgramOp getTail(tp::ProgramOp program, Append append);

  SymbolTable &symbols;
  llvm::DenseMap<Operation *, tp::ProgramOp> tails; // of programs that append
};

} // namespace

/// The part at the offsets 0 that has unit strides.
static bool isAtFront(tensor::InsertSliceOp op) {
  return llvm::all_of(op.getMixedOffsets(), [](OpFoldResult offset) { return isConstantIntValue(offset, 0); }) &&
         op.hasUnitStride();
}

/// The offset is the extent of `source` along `axis`.
static bool isExtentOf(OpFoldResult offset, Value source, unsigned axis) {
  int64_t extent = cast<RankedTensorType>(source.getType()).getDimSize(axis);
  if (!ShapedType::isDynamic(extent))
    return isConstantIntValue(offset, extent);
  auto value = dyn_cast<Value>(offset);
  auto dim = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  return dim && dim.getSource() == source && dim.getConstantIndex() == static_cast<int64_t>(axis);
}

static std::optional<Append> findAppend(tp::ProgramOp program) {
  if (program.isBufferForm() || program.getNumOuts() != 1 || program.getNumExtents() != 0)
    return std::nullopt;
  auto last = program.getYield().getOperand(0).getDefiningOp<tensor::InsertSliceOp>();
  auto front = last ? last.getDest().getDefiningOp<tensor::InsertSliceOp>() : tensor::InsertSliceOp();
  if (!front || front.getDest() != program.getOuts()[0] || !front->hasOneUse() || !isAtFront(front) ||
      front.getSourceType().getRank() != front.getDestType().getRank() || !last.hasUnitStride())
    return std::nullopt;
  auto input = dyn_cast<BlockArgument>(front.getSource());
  if (!input || input.getOwner() != &program.getBody().front() || input.getArgNumber() >= program.getNumInputs())
    return std::nullopt;
  std::optional<unsigned> axis;
  for (auto [dim, offset] : llvm::enumerate(last.getMixedOffsets())) {
    if (isConstantIntValue(offset, 0))
      continue;
    if (axis || !isExtentOf(offset, input, dim))
      return std::nullopt;
    axis = dim;
  }
  if (!axis)
    return std::nullopt;
  return Append{front, input.getArgNumber(), *axis};
}

/// The program without what it writes in front.
tp::ProgramOp InPlaceGrower::getTail(tp::ProgramOp program, Append append) {
  tp::ProgramOp &tail = tails[program];
  if (tail)
    return tail;
  tail = cast<tp::ProgramOp>(program->clone());
  tail.setSymName((program.getSymName() + "_in_place").str());
  symbols.insert(tail, std::next(Block::iterator(program)));
  tensor::InsertSliceOp front = findAppend(tail)->front;
  front.replaceAllUsesWith(front.getDest());
  front.erase();
  return tail;
}

void InPlaceGrower::visit(CallTPOp call) {
  auto program = symbols.lookup<tp::ProgramOp>(call.getCallee());
  auto alloc = call.getDestinations().empty() ? AllocOp() : call.getDestinations()[0].getDefiningOp<AllocOp>();
  if (!program || !alloc || !alloc->hasAttr(kOutputAttrName))
    return;
  std::optional<Append> append = findAppend(program);
  if (!append)
    return;
  Value value = getAliasRoot(ProgramCallOpInterface(call).getProgramInputs()[append->input], Through::Names);
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return;

  // The argument's own extents count: another name of it may know more, which is not checked before the output is made.
  SmallVector<sym::SymExpr> from = sym::getSymbolicDims(argument.getType()), to = sym::getSymbolicDims(alloc.getType());
  if (from.size() != to.size() || getElementTypeOrSelf(argument.getType()) != getElementTypeOrSelf(alloc.getType()))
    return;
  sym::Prover prover(call.getContext(), sym::getScope(call));
  sym::SymExpr one = sym::SymExpr::constant(call.getContext(), 1);
  for (auto [dim, extents] : llvm::enumerate(llvm::zip_equal(from, to))) {
    auto [before, after] = extents;
    if (!before || !after)
      return;
    if (dim != append->axis ? before != after : prover.isLessEqual(before, after) != sym::Verdict::True)
      return;
    if (dim < append->axis && after != one && prover.isEqual(after, one) != sym::Verdict::True)
      return;
  }
  alloc->setAttr(kExtendsAttrName, OpBuilder(alloc).getI64IntegerAttr(argument.getArgNumber()));
  call.setCallee(getTail(program, *append).getSymName());
}

namespace {

struct GrowInPlacePass final : relax::impl::GrowInPlacePassBase<GrowInPlacePass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    InPlaceGrower grower(symbols);
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      grower.visit(function);
  }
};

} // namespace
