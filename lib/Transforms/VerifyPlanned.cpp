//===- VerifyPlanned.cpp - The end of the planned phase -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Checks the plan without knowing how it was made: a backward walk over the
// outermost block keeps the set of places whose contents are still needed; what
// an op writes must be disjoint from it. What iterations of a loop read of
// earlier ones is not written in that loop. Shares no code with
// relax-plan-memory.
//
//===----------------------------------------------------------------------===//
#include "MemoryPlaces.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
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

/// Bytes [begin, end) of a storage.
struct Place {
  Value storage;
  SymExpr begin, end;
};

class PlanVerifier {
public:
  explicit PlanVerifier(func::FuncOp function)
      : function(function), prover(function.getContext(), sym::getScope(function)), contents(function) {
    collectBounds();
  }

  LogicalResult verify() {
    WalkResult result = function.walk([&](Operation *op) { return WalkResult(verifyOp(op)); });
    return failure(result.wasInterrupted() || failed(verifyLifeTimes()) || failed(verifyLoops()));
  }

private:
  void collectBounds();
  bool isAtMost(SymExpr a, SymExpr b, unsigned depth = 4);
  LogicalResult verifyOp(Operation *op);
  LogicalResult verifyTensorAt(TensorAtOp op);
  LogicalResult verifyGrowingStorage(TensorAtOp op, StorageOp storage);
  LogicalResult verifyDestination(Operation *call, unsigned index, Value destination);
  LogicalResult verifyLifeTimes();
  LogicalResult verifyLoops();
  LogicalResult verifyWorkspace(CallDPSOp op);
  bool areApart(Operation *written, Operation *needed);
  LogicalResult verifyDisjoint(Operation *op, MemoryPlace written, MemoryPlace needed);

  static SymExpr getExpr(Value index) {
    if (IntegerAttr constant; matchPattern(index, m_Constant(&constant)))
      return SymExpr::constant(index.getContext(), constant.getInt());
    auto eval = index.getDefiningOp<EvalExprOp>();
    return eval ? eval.getExpr().getValue() : SymExpr();
  }

  func::FuncOp function;
  sym::Prover prover;
  SmallVector<std::pair<SymExpr, SymExpr>> bounds; // a symbol and what it does not exceed
  llvm::DenseMap<Operation *, Place> places;
  MemoryPlaces contents;
};

} // namespace

void PlanVerifier::collectBounds() {
  auto add = [&](SymExpr symbol, SymExpr bound) {
    if (symbol && bound && symbol.getSymbol() && !bound.usesSymbol(*symbol.getSymbol()))
      bounds.push_back({symbol, bound});
  };
  if (sym::ScopeAttr scope = sym::getScope(function))
    for (const sym::Fact &fact : scope.getFacts()) {
      if (fact.op == sym::Fact::Op::LessEqual || fact.op == sym::Fact::Op::Less || fact.op == sym::Fact::Op::Equal)
        add(fact.lhs, fact.rhs);
      if (fact.op == sym::Fact::Op::GreaterEqual || fact.op == sym::Fact::Op::Greater ||
          fact.op == sym::Fact::Op::Equal)
        add(fact.rhs, fact.lhs);
    }
  // A match_cast names an extent again.
  function.walk([&](MatchCastOp op) {
    for (auto [from, to] :
         llvm::zip(sym::getSymbolicDims(op.getSource().getType()), sym::getSymbolicDims(op.getType())))
      add(to, from);
  });
}

static SymExpr getExpr(MLIRContext *context, const sym::SymTerm &term) {
  SymExpr product = SymExpr::constant(context, term.coefficient);
  for (auto [atom, power] : term.factors) {
    ArrayRef<SymExpr> operands = atom->operands;
    SymExpr factor = atom->kind == sym::SymAtom::Kind::Symbol     ? SymExpr::symbol(context, atom->name)
                     : atom->kind == sym::SymAtom::Kind::FloorDiv ? SymExpr::floordiv(operands[0], operands[1])
                                                                  : SymExpr::max(operands);
    for (unsigned i = 0; i != power; ++i)
      product = product * factor;
  }
  return product;
}

/// Not negative because, of the terms that are not negative each by itself, one covers all others: the parts of an
/// arena behind a tensor's place, of which its own is one. The bound of a long sum may be too hard to find.
static bool isCovered(sym::Prover &prover, SymExpr sum) {
  SymExpr zero = SymExpr::constant(sum.getContext(), 0), rest = zero;
  auto isNonNegative = [&](SymExpr expr) { return expr && prover.isLessEqual(zero, expr) == Verdict::True; };
  SmallVector<SymExpr> parts;
  for (const sym::SymTerm &term : sym::getTerms(sum)) {
    SymExpr part = getExpr(sum.getContext(), term);
    if (!part)
      return false;
    if (!part.getConstant() && isNonNegative(part))
      parts.push_back(part);
    else
      rest = rest + part;
  }
  return rest && (isNonNegative(rest) || llvm::any_of(parts, [&](SymExpr part) { return isNonNegative(rest + part); }));
}

/// a <= b, if need be after replacing symbols with which `a` grows by what they do not exceed.
bool PlanVerifier::isAtMost(SymExpr a, SymExpr b, unsigned depth) {
  if (!a || !b)
    return false;
  if (prover.isLessEqual(a, b) == Verdict::True)
    return true;
  if (SymExpr rest = b - a; rest && isCovered(prover, rest))
    return true;
  for (auto [symbol, bound] : depth ? ArrayRef(bounds) : ArrayRef<std::pair<SymExpr, SymExpr>>()) {
    StringRef name = *symbol.getSymbol();
    auto replace = [&](SymExpr by) {
      return a.substitute([&](StringRef other) { return other == name ? by : SymExpr(); });
    };
    if (!a.usesSymbol(name))
      continue;
    SymExpr grown = replace(symbol + 1);
    std::optional<int64_t> step = grown ? prover.lowerBound(grown - a) : std::nullopt;
    if (step && *step >= 0 && isAtMost(replace(bound), b, depth - 1))
      return true;
  }
  return false;
}

LogicalResult PlanVerifier::verifyOp(Operation *op) {
  if (isa<AllocOp>(op))
    return op->emitOpError("is left in the planned phase, expected 'relax.tensor_at'");
  if (auto at = dyn_cast<TensorAtOp>(op))
    return verifyTensorAt(at);
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

/// Such a storage is as large as the one tensor in it, wherever that is made.
LogicalResult PlanVerifier::verifyGrowingStorage(TensorAtOp op, StorageOp storage) {
  SymExpr offset = getExpr(op.getOffset());
  if (!offset || offset.getConstant() != 0)
    return op.emitOpError("is at an offset of a storage that grows, expected 0");
  if (!storage->hasOneUse())
    return storage.emitOpError("grows and has ")
           << llvm::range_size(storage->getUses()) << " uses, expected one 'relax.tensor_at'";
  if (storage->getBlock() != &function.getBody().front())
    return storage.emitOpError("grows and is inside of control flow, expected it at the entry of the function");
  return success();
}

LogicalResult PlanVerifier::verifyTensorAt(TensorAtOp op) {
  auto storage = op.getStorage().getDefiningOp<StorageOp>();
  if (storage && (storage.getSpace() == "growing" || storage.getSpace() == "alternating")) {
    places[op] = {storage, SymExpr(), SymExpr()};
    return verifyGrowingStorage(op, storage);
  }
  SymExpr begin = getExpr(op.getOffset()), size = storage ? getExpr(storage.getBytes()) : SymExpr();
  if (!begin || !size)
    return op.emitOpError("has an offset or a storage whose size is not a constant or 'relax.eval_expr'");
  auto type = cast<RankedTensorType>(op.getType());
  SymExpr end = SymExpr::constant(op.getContext(), (type.getElementTypeBitWidth() + 7) / 8);
  for (SymExpr dim : sym::getSymbolicDims(type))
    end = end * dim;
  end = begin + end;
  // An output is as large as its own tensor.
  if (!isAtMost(end, size) && storage.getSpace() == "arena")
    return op.emitOpError("is not proved to lie inside of its storage: ends at ")
           << end.str() << " of " << size.str() << " bytes";
  places[op] = {storage, begin, end};
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
  FailureOr<CallUnification> unification = unifyProgramCall(op, callee, prover);
  if (failed(unification))
    return failure();
  SymExpr size = applyMapping(bytes.getValue(), unification->mapping);
  if (!offset || !size || storages.empty())
    return op.emitOpError("needs scratch memory that is not planned");
  StorageOp storage = *storages.begin();
  Place place = {storage, offset.getValue(), offset.getValue() + size};
  SymExpr total = getExpr(storage.getBytes());
  if (!isAtMost(place.end, total))
    return op.emitOpError("has scratch memory that is not proved to lie inside of its storage: ends at ")
           << (place.end ? place.end.str() : "?") << " of " << (total ? total.str() : "?") << " bytes";
  places[op] = place;
  return success();
}

/// Places of different ops.
bool PlanVerifier::areApart(Operation *written, Operation *needed) {
  auto a = places.find(written), b = places.find(needed);
  // Results of calls have memory of their own.
  if (a == places.end() || b == places.end() || a->second.storage != b->second.storage)
    return true;
  return isAtMost(a->second.end, b->second.begin) || isAtMost(b->second.end, a->second.begin);
}

LogicalResult PlanVerifier::verifyDisjoint(Operation *op, MemoryPlace written, MemoryPlace needed) {
  if (written.getPointer() == needed.getPointer() || areApart(written.getPointer(), needed.getPointer()))
    return success();
  const Place &a = places[written.getPointer()], &b = places[needed.getPointer()];
  InFlightDiagnostic diag = op->emitOpError("writes bytes ")
                            << a.begin.str() << " to " << a.end.str()
                            << ", which are not proved to be apart from bytes " << b.begin.str() << " to "
                            << b.end.str() << " that are still needed";
  diag.attachNote(needed.getPointer()->getLoc()) << "they are placed here";
  return diag;
}

LogicalResult PlanVerifier::verifyLifeTimes() {
  PlaceSet live;
  for (Operation &op : llvm::reverse(function.getBody().front())) {
    // Ops without code only give names.
    if (isa<MatchCastOp, RefineOp, EraseShapeOp, ShapeOfOp>(op))
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
