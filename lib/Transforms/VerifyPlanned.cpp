//===- VerifyPlanned.cpp - The end of the planned phase -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Checks the plan without knowing how it was made: a backward walk over the
// outermost block keeps the set of places whose contents are still needed; what
// an op writes must be disjoint from it. Shares no code with relax-plan-memory.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "RelaxDialect/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

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

/// Places by the op that stands for them: a tensor_at, or a call of a library function for its scratch memory.
using PlaceSet = llvm::SmallSetVector<Operation *, 8>;

class PlanVerifier {
public:
  explicit PlanVerifier(func::FuncOp function)
      : function(function), prover(function.getContext(), sym::getScope(function)) {
    collectBounds();
  }

  LogicalResult verify() {
    WalkResult result = function.walk([&](Operation *op) { return WalkResult(verifyOp(op)); });
    return failure(result.wasInterrupted() || failed(verifyLifeTimes()));
  }

private:
  void collectBounds();
  bool isAtMost(SymExpr a, SymExpr b, unsigned depth = 4);
  LogicalResult verifyOp(Operation *op);
  LogicalResult verifyTensorAt(TensorAtOp op);
  LogicalResult verifyLifeTimes();
  LogicalResult verifyWorkspace(CallDPSOp op);
  LogicalResult verifyDisjoint(Operation *op, Operation *written, Operation *needed);
  void findPlaces(Value tensor, PlaceSet &found);

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

/// a <= b, if need be after replacing symbols with which `a` grows by what they do not exceed.
bool PlanVerifier::isAtMost(SymExpr a, SymExpr b, unsigned depth) {
  if (!a || !b)
    return false;
  if (prover.isLessEqual(a, b) == Verdict::True)
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
    if (!destination.getDefiningOp<TensorAtOp>())
      return op->emitOpError("destination ") << index << " is not made by 'relax.tensor_at'";
  return success();
}

LogicalResult PlanVerifier::verifyTensorAt(TensorAtOp op) {
  auto storage = op.getStorage().getDefiningOp<StorageOp>();
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

/// Every place that may hold the contents of `tensor`.
void PlanVerifier::findPlaces(Value tensor, PlaceSet &found) {
  auto result = dyn_cast<OpResult>(tensor);
  if (!result)
    return; // an argument
  Operation *op = result.getOwner();
  if (auto at = dyn_cast<TensorAtOp>(op)) {
    found.insert(at);
  } else if (auto call = dyn_cast<ProgramCallOpInterface>(op)) {
    if (OpOperand *tied = call.getTiedOperand(result.getResultNumber()))
      findPlaces(tied->get(), found);
  } else if (isa<MatchCastOp, RefineOp, EraseShapeOp>(op)) {
    findPlaces(op->getOperand(0), found);
  } else {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (isa<scf::YieldOp>(block.getTerminator()) &&
            result.getResultNumber() < block.getTerminator()->getNumOperands())
          findPlaces(block.getTerminator()->getOperand(result.getResultNumber()), found);
  }
}

LogicalResult PlanVerifier::verifyDisjoint(Operation *op, Operation *written, Operation *needed) {
  if (written == needed)
    return success();
  const Place &a = places[written], &b = places[needed];
  if (a.storage != b.storage || isAtMost(a.end, b.begin) || isAtMost(b.end, a.begin))
    return success();
  InFlightDiagnostic diag = op->emitOpError("writes bytes ")
                            << a.begin.str() << " to " << a.end.str()
                            << ", which are not proved to be apart from bytes " << b.begin.str() << " to "
                            << b.end.str() << " that are still needed";
  diag.attachNote(needed->getLoc()) << "they are placed here";
  return diag;
}

LogicalResult PlanVerifier::verifyLifeTimes() {
  PlaceSet live;
  for (Operation &op : llvm::reverse(function.getBody().front())) {
    PlaceSet reads, writes;
    op.walk([&](Operation *inner) {
      auto call = dyn_cast<ProgramCallOpInterface>(inner);
      for (Value operand : call ? OperandRange(call.getProgramInputs()) : inner->getOperands())
        if (isa<TensorType>(operand.getType()))
          findPlaces(operand, reads);
      if (call)
        for (Value destination : call.getDestinations())
          findPlaces(destination, writes);
      if (places.count(inner) && isa<CallDPSOp>(inner))
        writes.insert(inner);
    });
    // Ops without code only give names.
    if (isa<TensorAtOp, MatchCastOp, RefineOp, EraseShapeOp, ShapeOfOp>(op))
      continue;
    PlaceSet needed = live;
    needed.insert_range(reads);
    needed.insert_range(writes);
    for (Operation *written : writes)
      for (Operation *other : needed)
        if (failed(verifyDisjoint(&op, written, other)))
          return failure();
    // In straight-line code a write makes older contents unneeded; inside of branches it may not happen.
    if (op.getNumRegions() == 0)
      for (Operation *written : writes)
        live.remove(written);
    live.insert_range(reads);
  }
  return success();
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
