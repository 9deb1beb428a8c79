//===- ReuseDonated.cpp - Results in the memory of arguments --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A donated argument that nothing reads any more lends its memory to a result.
// A program that changes elements of one, each at its own place, does so in
// that memory: it reads what its out holds instead.
//
//===----------------------------------------------------------------------===//
#include "MemoryUtils.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDonation.h"
#include "RelaxDialect/Transforms/DonationPasses.h"
#include "TensorAliases.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::relax {
#define GEN_PASS_DEF_REUSEDONATEDPASS
#include "RelaxDialect/Transforms/DonationPasses.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

//===----------------------------------------------------------------------===//
// Programs that update an input
//===----------------------------------------------------------------------===//

/// Uses but for the extents.
static SmallVector<OpOperand *> getReads(Value tensor) {
  SmallVector<OpOperand *> reads;
  for (OpOperand &use : tensor.getUses())
    if (!isa<tensor::DimOp>(use.getOwner()))
      reads.push_back(&use);
  return reads;
}

/// The only op that reads `input`, when the out is the input with some elements changed: a loop over all elements that
/// reads the input at the place it writes, or the first of the slices that are written over it. Null otherwise.
static Operation *findUpdate(tp::ProgramOp program, unsigned input) {
  if (program.isBufferForm() || program.getNumOuts() != 1 || program.getNumExtents() != 0 ||
      program.getNumWorkspaces() != 0)
    return nullptr;
  BlockArgument in = program.getInputs()[input], out = program.getOuts()[0];
  SmallVector<OpOperand *> reads = getReads(in), ofOut = getReads(out);
  if (reads.empty() || in.getType() != out.getType() ||
      program.getArgumentDims(input) != program.getArgumentDims(out.getArgNumber()))
    return nullptr;
  Operation *reader = reads[0]->getOwner();
  Value made = program.getYield().getOperand(0);
  if (auto loop = dyn_cast<linalg::GenericOp>(reader)) {
    bool isAtPlace =
        made == loop->getResult(0) && loop->getNumResults() == 1 && loop.isAllParallelLoops() &&
        loop.getMatchingIndexingMap(loop.getDpsInitOperand(0)).isIdentity() &&
        llvm::all_of(reads, [&](OpOperand *read) {
          return read->getOwner() == loop && loop.isDpsInput(read) && loop.getMatchingIndexingMap(read).isIdentity();
        });
    bool isOutFree =
        loop.getDpsInitOperand(0)->get() == out && ofOut.size() == 1 && loop.getRegionOutputArgs()[0].use_empty();
    return isAtPlace && isOutFree ? reader : nullptr;
  }
  auto first = dyn_cast<tensor::InsertSliceOp>(reader);
  if (!first || reads.size() != 1 || first.getDest() != in || !ofOut.empty())
    return nullptr;
  while (auto slice = made.getDefiningOp<tensor::InsertSliceOp>()) {
    if (slice == first)
      return reader;
    if (!slice.getDest().hasOneUse())
      return nullptr;
    made = slice.getDest();
  }
  return nullptr;
}

/// The loop without an input: its elements come from the out.
static void readFromOut(linalg::GenericOp loop, Value input) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::BitVector dropped(loop->getNumOperands());
  for (OpOperand &operand : loop->getOpOperands()) {
    if (operand.get() == input) {
      dropped.set(operand.getOperandNumber());
      continue;
    }
    maps.push_back(loop.getMatchingIndexingMap(&operand));
    if (loop.isDpsInput(&operand))
      inputs.push_back(operand.get());
  }
  OpBuilder builder(loop);
  auto update = linalg::GenericOp::create(builder, loop.getLoc(), loop->getResultTypes(), inputs, loop.getOutputs(),
                                          maps, loop.getIteratorTypesArray());
  update.getRegion().takeBody(loop.getRegion());
  Block &body = update.getRegion().front();
  for (unsigned number : dropped.set_bits())
    body.getArgument(number).replaceAllUsesWith(body.getArguments().back());
  body.eraseArguments(dropped);
  update->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  loop->replaceAllUsesWith(update->getResults());
  loop->erase();
}

//===----------------------------------------------------------------------===//
// Results in donated memory
//===----------------------------------------------------------------------===//

namespace {

class DonationReuser {
public:
  DonationReuser(SymbolTable &symbols, func::FuncOp function)
      : symbols(symbols), block(&function.getBody().front()), prover(function.getContext(), sym::getScope(function)) {
    for (BlockArgument argument : function.getArguments())
      if (function.getArgAttr(argument.getArgNumber(), kDonatedAttrName))
        donated.push_back(argument);
    for (auto [index, op] : llvm::enumerate(*block))
      positions[&op] = index;
  }

  void run() {
    SmallVector<AllocOp> outputs;
    for (AllocOp alloc : block->getOps<AllocOp>()) {
      if (auto extends = alloc->getAttrOfType<IntegerAttr>(kExtendsAttrName)) // its capacity is for what is appended
        llvm::erase_if(donated, [&](BlockArgument argument) { return argument.getArgNumber() == extends.getInt(); });
      else if (alloc->hasAttr(kOutputAttrName))
        outputs.push_back(alloc);
    }
    // What is updated in place needs that very argument; then the rest, first what fits best.
    take(outputs, [&](AllocOp alloc, BlockArgument argument) { return updateInPlace(alloc, argument); });
    take(outputs, [&](AllocOp alloc, BlockArgument argument) { return replaces(alloc, argument, /*exactly=*/true); });
    take(outputs, [&](AllocOp alloc, BlockArgument argument) { return replaces(alloc, argument, /*exactly=*/false); });
  }

private:
  void take(SmallVectorImpl<AllocOp> &outputs, function_ref<bool(AllocOp, BlockArgument)> fits) {
    llvm::erase_if(outputs, [&](AllocOp alloc) {
      auto *found = llvm::find_if(donated, [&](BlockArgument argument) { return fits(alloc, argument); });
      if (found == donated.end())
        return false;
      alloc->setAttr(kDonatedAttrName, OpBuilder(alloc).getI64IntegerAttr(found->getArgNumber()));
      donated.erase(found);
      return true;
    });
  }

  unsigned getPosition(Operation *op) const { return positions.lookup(block->findAncestorOpInBlock(*op)); }

  /// Nothing reads the argument at `position` or later, but by `operand`.
  bool isReadBefore(Value argument, unsigned position, const OpOperand *operand = nullptr) {
    bool isBefore = true;
    forEachAliasUse(argument, [&](OpOperand &use) {
      // Names, views and extents have no code.
      if (!isa<MatchCastOp, RefineOp, EraseShapeOp, ReshapeOp, ShapeOfOp, tensor::DimOp>(use.getOwner()))
        isBefore &= &use == operand || getPosition(use.getOwner()) < position;
    });
    return isBefore;
  }

  bool replaces(AllocOp alloc, BlockArgument argument, bool exactly) {
    unsigned start = ~0u;
    forEachAliasUse(alloc, [&](OpOperand &use) { start = std::min(start, getPosition(use.getOwner())); });
    sym::SymExpr room = getByteSize(cast<RankedTensorType>(argument.getType())),
                 bytes = getByteSize(cast<RankedTensorType>(alloc.getType()));
    if (start == ~0u || !room || !bytes || !isReadBefore(argument, start))
      return false;
    return exactly ? room == bytes : prover.isLessEqual(bytes, room) == sym::Verdict::True;
  }

  bool updateInPlace(AllocOp alloc, BlockArgument argument);
  tp::ProgramOp getInPlace(tp::ProgramOp program, unsigned input);

  SymbolTable &symbols;
  Block *block;
  sym::Prover prover;
  SmallVector<BlockArgument> donated; // and not in use
  llvm::DenseMap<Operation *, unsigned> positions;
  llvm::DenseMap<std::pair<Operation *, unsigned>, tp::ProgramOp> programs;
};

} // namespace

/// The program that finds the elements of `input` in its out; what it gets as that input is not read.
tp::ProgramOp DonationReuser::getInPlace(tp::ProgramOp program, unsigned input) {
  tp::ProgramOp &made = programs[{program, input}];
  if (made)
    return made;
  made = cast<tp::ProgramOp>(program->clone());
  made.setSymName((program.getSymName() + "_in_place").str());
  symbols.insert(made, std::next(Block::iterator(program)));
  Operation *reader = findUpdate(made, input);
  if (auto loop = dyn_cast<linalg::GenericOp>(reader))
    readFromOut(loop, made.getInputs()[input]);
  else
    cast<tensor::InsertSliceOp>(reader).getDestMutable().assign(made.getOuts()[0]);
  return made;
}

bool DonationReuser::updateInPlace(AllocOp alloc, BlockArgument argument) {
  if (sym::getSymbolicDims(alloc.getType()) != sym::getSymbolicDims(argument.getType()) ||
      getElementTypeOrSelf(alloc.getType()) != getElementTypeOrSelf(argument.getType()) ||
      llvm::is_contained(sym::getSymbolicDims(argument.getType()), sym::SymExpr()))
    return false;
  auto call = dyn_cast<CallTPOp>(*alloc->getUsers().begin());
  auto program = call ? symbols.lookup<tp::ProgramOp>(call.getCallee()) : tp::ProgramOp();
  if (!program || !alloc->hasOneUse() || call->getBlock() != block || call.getDestinations().size() != 1)
    return false;
  for (OpOperand &operand : call->getOpOperands()) {
    unsigned input = operand.getOperandNumber();
    if (input >= program.getNumInputs() || getAliasRoot(operand.get(), Through::Names) != argument ||
        !isReadBefore(argument, getPosition(call), &operand) || !findUpdate(program, input))
      continue;
    call.setCallee(getInPlace(program, input).getSymName());
    operand.set(alloc);
    alloc->setAttr(kExtendsAttrName, OpBuilder(alloc).getI64IntegerAttr(argument.getArgNumber()));
    return true;
  }
  return false;
}

namespace {

struct ReuseDonatedPass final : relax::impl::ReuseDonatedPassBase<ReuseDonatedPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && llvm::hasSingleElement(function.getBody()))
        DonationReuser(symbols, function).run();
  }
};

} // namespace
