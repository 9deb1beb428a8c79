//===- VerifyPlanned.cpp - The end of the planned phase -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Checks the plan without knowing how it was made: a backward walk over the
// outermost block keeps the set of places whose contents are still needed; what
// an op writes must be disjoint from it. What iterations of a loop read of
// earlier ones is not written in that loop. Where places are chosen at entry,
// each case is checked. Shares no code with relax-plan-memory.
//
//===----------------------------------------------------------------------===//
#include "MemoryPlaces.h"
#include "PlannedSizes.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDonation.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "RelaxDialect/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace mlir::relax {
#define GEN_PASS_DEF_VERIFYPLANNEDPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;
using sym::Verdict;

namespace {

/// Bytes [begin, end) of a storage; none for storage that grows.
struct Place {
  Value storage;
  std::optional<PlannedSizes::Quantity> begin, end;
};

class PlanVerifier {
public:
  explicit PlanVerifier(func::FuncOp function) : function(function), sizes(function), contents(function) {}

  LogicalResult verify() {
    collectSizes();
    constexpr unsigned kMaxCases = 64;
    for (unsigned numCases = 1; true; ++numCases) {
      if (failed(verifyCase()))
        return failure();
      if (!sizes.advance())
        return success();
      if (numCases == kMaxCases)
        return function.emitOpError("has places that are chosen in more than ") << kMaxCases << " cases";
    }
  }

private:
  LogicalResult verifyCase() {
    places.clear();
    outputs.clear();
    donated.clear();
    WalkResult result = function.walk([&](Operation *op) { return WalkResult(verifyOp(op)); });
    return failure(result.wasInterrupted() || failed(verifyLifeTimes()) || failed(verifyLoops()));
  }
  void collectSizes();
  LogicalResult verifyOp(Operation *op);
  LogicalResult verifyTensorAt(TensorAtOp op);
  LogicalResult verifyView(ReshapeOp op);
  LogicalResult verifyExtended(TensorAtOp op, StorageOp storage);
  LogicalResult verifyDonated(StorageOp storage);
  LogicalResult verifyGrowingStorage(TensorAtOp op, StorageOp storage);
  LogicalResult verifyDestination(Operation *call, unsigned index, Value destination);
  LogicalResult verifyLifeTimes();
  LogicalResult verifyLoops();
  LogicalResult verifyWorkspace(CallDPSOp op);
  bool areApart(Operation *written, Operation *needed);
  LogicalResult verifyDisjoint(Operation *op, MemoryPlace written, MemoryPlace needed);

  func::FuncOp function;
  PlannedSizes sizes;
  llvm::DenseMap<Operation *, Place> places;
  llvm::DenseSet<Operation *> outputs;  // with a tensor
  llvm::SmallDenseSet<int64_t> donated; // arguments whose memory is used
  MemoryPlaces contents;
};

} // namespace

static SymExpr getBytes(TensorAtOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  SymExpr bytes = SymExpr::constant(op.getContext(), (type.getElementTypeBitWidth() + 7) / 8);
  for (SymExpr dim : sym::getSymbolicDims(type))
    bytes = bytes * dim;
  return bytes;
}

/// Factors are easier to judge than their product.
void PlanVerifier::collectSizes() {
  SymExpr zero = SymExpr::constant(function.getContext(), 0);
  function.walk([&](TensorAtOp op) {
    auto isNonNegative = [&](SymExpr dim) {
      return dim && sizes.getEntryProver().isLessEqual(zero, dim) == Verdict::True;
    };
    if (SymExpr bytes = getBytes(op); bytes && llvm::all_of(sym::getSymbolicDims(op.getType()), isNonNegative))
      sizes.assumeNonNegative(bytes);
  });
}

LogicalResult PlanVerifier::verifyOp(Operation *op) {
  if (isa<AllocOp>(op))
    return op->emitOpError("is left in the planned phase, expected 'relax.tensor_at'");
  if (auto at = dyn_cast<TensorAtOp>(op))
    return verifyTensorAt(at);
  if (auto view = dyn_cast<ReshapeOp>(op))
    return verifyView(view);
  if (auto storage = dyn_cast<StorageOp>(op); storage && storage->hasAttr("relax.donated"))
    return verifyDonated(storage);
  if (auto library = dyn_cast<CallDPSOp>(op); library && failed(verifyWorkspace(library)))
    return failure();
  auto call = dyn_cast<ProgramCallOpInterface>(op);
  if (!call)
    return success();
  if (call.getDestinations().empty() && op->getNumResults() > 0)
    return op->emitOpError("has no destinations, expected one for each result");
  for (auto [index, destination] : llvm::enumerate(call.getDestinations()))
    if (failed(verifyDestination(op, index, destination)))
      return failure();
  return success();
}

/// One tensor_at stands for what one call writes.
LogicalResult PlanVerifier::verifyDestination(Operation *call, unsigned index, Value destination) {
  auto at = destination.getDefiningOp<TensorAtOp>();
  if (!at)
    return call->emitOpError("destination ") << index << " is not made by 'relax.tensor_at'";
  if (at->getBlock() != call->getBlock())
    return call->emitOpError("destination ") << index << " is made in another block";
  for (OpOperand &use : destination.getUses()) {
    auto other = dyn_cast<ProgramCallOpInterface>(use.getOwner());
    if (other && other != call && llvm::is_contained(other.getDestinations(), destination))
      return call->emitOpError("destination ") << index << " is the destination of another call too";
  }
  return success();
}

/// A view shows all of its operand's memory and nothing beside it.
LogicalResult PlanVerifier::verifyView(ReshapeOp op) {
  auto countElements = [&](Type type) {
    SymExpr count = SymExpr::constant(op.getContext(), 1);
    for (SymExpr dim : sym::getSymbolicDims(type))
      count = count * dim;
    return count;
  };
  SymExpr from = countElements(op.getOperand().getType()), to = countElements(op.getType());
  if (from && to && sizes.getProver().isEqual(from, to) == Verdict::True)
    return success();
  return op.emitOpError("is a view of ") << (to ? to.str() : "?") << " elements, which are not proved to be the "
                                         << (from ? from.str() : "?") << " of its operand";
}

/// Such a storage is as large as the one tensor in it, wherever that is made.
LogicalResult PlanVerifier::verifyGrowingStorage(TensorAtOp op, StorageOp storage) {
  if (!matchPattern(op.getOffset(), m_Zero()))
    return op.emitOpError("is at an offset of a storage that grows, expected 0");
  if (!storage->hasOneUse())
    return storage.emitOpError("grows and has ")
           << llvm::range_size(storage->getUses()) << " uses, expected one 'relax.tensor_at'";
  if (storage->getBlock() != &function.getBody().front())
    return storage.emitOpError("grows and is inside of control flow, expected it at the entry of the function");
  return success();
}

LogicalResult PlanVerifier::verifyTensorAt(TensorAtOp op) {
  auto storage = sizes.getChoices().resolve(op.getStorage()).getDefiningOp<StorageOp>();
  bool isChosen = storage && storage.getResult() != op.getStorage();
  if (isChosen && storage.getSpace() != "arena" && storage.getSpace() != "output")
    return op.emitOpError("is in a storage that is chosen, of space '")
           << storage.getSpace() << "', expected 'arena' or 'output'";
  if (storage && (storage.getSpace() == "growing" || storage.getSpace() == "alternating")) {
    places[op] = {storage, std::nullopt, std::nullopt};
    return verifyGrowingStorage(op, storage);
  }
  std::optional<PlannedSizes::Quantity> begin = sizes.get(op.getOffset()),
                                        size = storage ? sizes.get(storage.getBytes()) : std::nullopt;
  if (!begin || !size)
    return op.emitOpError("has an offset or a storage whose size is not made of constants, 'relax.eval_expr', sums "
                          "without overflow, maxima and choices");
  SymExpr bytes = getBytes(op);
  if (!bytes)
    return op.emitOpError("needs more memory than 64 bits can count");
  PlannedSizes::Quantity end = sizes.add(*begin, sizes.get(bytes));
  // The first one in an output is the result; others use its memory before it is written.
  if (storage.getSpace() == "output" && outputs.insert(storage).second && !sizes.isAtMost(*size, end))
    return op.emitOpError("is the first tensor of an output and takes ")
           << sizes.str(end) << " of " << sizes.str(*size) << " bytes, expected all";
  if (storage.getSpace() == "arena" || storage.getSpace() == "output") {
    if (!sizes.isNonNegative(*begin))
      return op.emitOpError("is not proved to lie inside of its storage: begins at ") << sizes.str(*begin);
    if (!sizes.isAtMost(end, *size))
      return op.emitOpError("is not proved to lie inside of its storage: ends at ")
             << sizes.str(end) << " of " << sizes.str(*size) << " bytes";
  }
  if (storage->hasAttr("relax.extends") && failed(verifyExtended(op, storage)))
    return failure();
  places[op] = {storage, begin, end};
  return success();
}

/// An output that begins with an argument's elements is not smaller than it.
LogicalResult PlanVerifier::verifyExtended(TensorAtOp op, StorageOp storage) {
  auto number = storage->getAttrOfType<IntegerAttr>("relax.extends");
  if (!number || storage.getSpace() != "output" || !storage->hasOneUse() || number.getInt() < 0 ||
      number.getInt() >= function.getNumArguments() ||
      !isa<RankedTensorType>(function.getArgument(number.getInt()).getType()))
    return storage.emitOpError("continues what is not a tensor argument of the function, or is not an output of one "
                               "tensor");
  Type type = function.getArgument(number.getInt()).getType();
  SmallVector<SymExpr> from = sym::getSymbolicDims(type), to = sym::getSymbolicDims(op.getType());
  bool fits = from.size() == to.size() && getElementTypeOrSelf(type) == getElementTypeOrSelf(op.getType());
  for (unsigned dim = 0; fits && dim < to.size(); ++dim)
    fits = from[dim] && to[dim] && sizes.getProver().isLessEqual(from[dim], to[dim]) == Verdict::True;
  if (!fits)
    return op.emitOpError("is not proved to have room for argument ") << number.getInt() << ", which it continues";
  return success();
}

/// An output in the memory of an argument, which holds that until the output is written: a place like others.
LogicalResult PlanVerifier::verifyDonated(StorageOp storage) {
  auto number = storage->getAttrOfType<IntegerAttr>("relax.donated");
  if (!number || storage.getSpace() != "output" || !storage->hasOneUse() || number.getInt() < 0 ||
      number.getInt() >= function.getNumArguments() || !function.getArgAttr(number.getInt(), kDonatedAttrName))
    return storage.emitOpError(
        "is in the memory of what is not a donated argument of the function, or is not an output "
        "of one tensor");
  if (!donated.insert(number.getInt()).second)
    return storage.emitOpError("is in the memory of argument ") << number.getInt() << ", as another one is";
  if (auto extends = storage->getAttrOfType<IntegerAttr>("relax.extends"); extends && extends != number)
    return storage.emitOpError("is in the memory of argument ")
           << number.getInt() << " and continues argument " << extends.getInt();
  places[storage] = {storage, std::nullopt, std::nullopt};
  return success();
}

/// Scratch memory lies in the first storage of the function.
LogicalResult PlanVerifier::verifyWorkspace(CallDPSOp op) {
  Operation *symbol = SymbolTable::lookupNearestSymbolFrom(op, op.getCalleeAttr());
  auto callee = dyn_cast_or_null<sym::TensorProgramInterface>(symbol);
  auto bytes = symbol ? symbol->getAttrOfType<sym::ExprAttr>("workspace_bytes") : sym::ExprAttr();
  if (!callee || !bytes)
    return success();
  auto offset = op->getAttrOfType<sym::ExprAttr>("relax.workspace_offset");
  auto storages = function.getBody().front().getOps<StorageOp>();
  FailureOr<CallUnification> unification = unifyProgramCall(op, callee, sizes.getProver());
  if (failed(unification))
    return failure();
  SymExpr size = applyMapping(bytes.getValue(), unification->mapping);
  if (!offset || !size || storages.empty())
    return op.emitOpError("needs scratch memory that is not planned");
  StorageOp storage = *storages.begin();
  SymExpr end = offset.getValue() + size;
  std::optional<PlannedSizes::Quantity> total = sizes.get(storage.getBytes());
  Place place = {storage, sizes.get(offset.getValue()), end ? std::optional(sizes.get(end)) : std::nullopt};
  if (!total || !place.end || !sizes.isNonNegative(*place.begin) || !sizes.isAtMost(*place.end, *total))
    return op.emitOpError("has scratch memory that is not proved to lie inside of its storage: ends at ")
           << (end ? end.str() : "?") << " of " << (total ? sizes.str(*total) : "?") << " bytes";
  places[op] = place;
  return success();
}

/// Places of different ops.
bool PlanVerifier::areApart(Operation *written, Operation *needed) {
  auto a = places.find(written), b = places.find(needed);
  // Results of calls have memory of their own.
  if (a == places.end() || b == places.end() || a->second.storage != b->second.storage)
    return true;
  if (!a->second.end || !b->second.end)
    return false;
  return sizes.isAtMost(*a->second.end, *b->second.begin) || sizes.isAtMost(*b->second.end, *a->second.begin);
}

LogicalResult PlanVerifier::verifyDisjoint(Operation *op, MemoryPlace written, MemoryPlace needed) {
  if (written.getPointer() == needed.getPointer() || areApart(written.getPointer(), needed.getPointer()))
    return success();
  const Place &a = places[written.getPointer()], &b = places[needed.getPointer()];
  auto print = [&](std::optional<PlannedSizes::Quantity> quantity) { return quantity ? sizes.str(*quantity) : "?"; };
  InFlightDiagnostic diag = op->emitOpError("writes bytes ")
                            << print(a.begin) << " to " << print(a.end)
                            << ", which are not proved to be apart from bytes " << print(b.begin) << " to "
                            << print(b.end) << " that are still needed";
  diag.attachNote(needed.getPointer()->getLoc()) << "they are placed here";
  return diag;
}

LogicalResult PlanVerifier::verifyLifeTimes() {
  PlaceSet live;
  for (Operation &op : llvm::reverse(function.getBody().front())) {
    // Ops without code only give names.
    if (isa<MatchCastOp, RefineOp, EraseShapeOp, ReshapeOp, ShapeOfOp>(op))
      continue;
    PlaceSet reads = contents.getRead(&op), writes = contents.getWritten(&op);
    PlaceSet needed = live;
    needed.insert_range(reads);
    needed.insert_range(writes);
    for (MemoryPlace written : writes)
      for (MemoryPlace other : needed)
        if (failed(verifyDisjoint(&op, written, other)))
          return failure();
    // In straight-line code a write makes older contents unneeded; inside of branches it may not happen.
    if (op.getNumRegions() == 0)
      for (MemoryPlace written : writes)
        live.remove(written);
    live.insert_range(reads);
    // What is made inside of the op does not exist before.
    live.remove_if([&](MemoryPlace place) { return op.isProperAncestor(place.getPointer()); });
  }
  return success();
}

LogicalResult PlanVerifier::verifyLoops() {
  WalkResult result = function.walk([&](Operation *loop) -> WalkResult {
    if (!isa<scf::ForOp, scf::WhileOp>(loop))
      return WalkResult::advance();
    PlaceSet carried = contents.getCarried(loop), written = contents.getWritten(loop);
    for (MemoryPlace place : written)
      for (MemoryPlace needed : carried) {
        Operation *at = place.getPointer();
        // Storage that alternates keeps what the iteration before made.
        bool alternates = at == needed.getPointer() && at->getParentOp() == loop && needed.getInt();
        if (alternates || (at != needed.getPointer() && areApart(at, needed.getPointer())))
          continue;
        InFlightDiagnostic diag =
            at->emitOpError("is written in a loop that may carry its contents to a later iteration");
        diag.attachNote(loop->getLoc()) << "the loop is here";
        return diag;
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {

struct VerifyPlannedPass final : relax::impl::VerifyPlannedPassBase<VerifyPlannedPass> {
  using Base::Base;

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && llvm::hasSingleElement(function.getBody()) &&
          failed(PlanVerifier(function).verify()))
        return signalPassFailure();
  }
};

} // namespace
