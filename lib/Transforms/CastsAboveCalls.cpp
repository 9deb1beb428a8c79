//===- CastsAboveCalls.cpp - Casts of what calls read ---------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "CastsAboveCalls.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::relax;

namespace {
using Renaming = llvm::StringMap<sym::SymExpr>;
/// Those that were made, by what they name and how.
using Casts = DenseMap<std::pair<Value, Type>, graph::MatchCastOp>;
} // namespace

/// What the cast says about symbols: it checks that each is equal to an expression and nothing else.
static std::optional<Renaming> getRenaming(graph::MatchCastOp check) {
  Renaming renaming;
  for (auto [from, to] :
       llvm::zip_equal(sym::getSymbolicDims(check.getSource().getType()), sym::getSymbolicDims(check.getType()))) {
    if (!from || !to)
      return std::nullopt;
    if (from == to)
      continue;
    std::optional<StringRef> symbol = from.getSymbol();
    if (!symbol || renaming.try_emplace(*symbol, to).first->second != to)
      return std::nullopt;
  }
  return renaming;
}

/// Every symbol is an extent by itself of some operand, so that a cast of the operand checks what it is equal to.
static bool areCheckedByOperands(graph::CallTPOp call, const Renaming &renaming) {
  return llvm::all_of(renaming.keys(), [&](StringRef symbol) {
    return llvm::any_of(call->getOperands(), [&](Value operand) {
      return isa<RankedTensorType>(operand.getType()) &&
             llvm::any_of(sym::getSymbolicDims(operand.getType()),
                          [&](sym::SymExpr dim) { return dim && dim.getSymbol() == symbol; });
    });
  });
}

/// The call that computes the source of `check`, when operands can be checked instead.
static graph::CallTPOp getCall(graph::MatchCastOp check) {
  auto call = check.getSource().getDefiningOp<graph::CallTPOp>();
  auto isCall = [&](Operation *user) { return user->getBlock() == check->getBlock() && isa<graph::CallTPOp>(user); };
  // A symbol that the cast binds would be known only there.
  if (!call || call->getBlock() != check->getBlock() || call->getNumResults() != 1 || !call->hasOneUse() ||
      !call.getDestinations().empty() || !check.getBinds().empty() || !isa<RankedTensorType>(check.getType()) ||
      llvm::none_of(check->getUsers(), isCall))
    return nullptr;
  return call;
}

/// True when the call, with its operands as they are now, is proved to make `type`.
static bool makes(graph::CallTPOp call, Type type, SymbolTableCollection &symbols) {
  auto program = symbols.lookupNearestSymbolFrom<sym::TensorProgramInterface>(call, call.getCalleeAttr());
  if (!program)
    return false;
  ScopedDiagnosticHandler quiet(call.getContext(), [](Diagnostic &) { return success(); });
  FailureOr<graph::CallUnification> unification = graph::unifyProgramCall(call, program, sym::getScope(call));
  if (failed(unification) || !unification->isProved())
    return false;
  Type made = graph::inferProgramCallTypes(program, unification->mapping, 1).front();
  auto tensor = dyn_cast<RankedTensorType>(made);
  return tensor && tensor.clone(getElementTypeOrSelf(type)) == type;
}

/// Replaces `check` by casts of the operands of its call, which are returned; none when that is not possible.
static SmallVector<Operation *> moveAbove(graph::MatchCastOp check, Casts &casts, SymbolTableCollection &symbols) {
  graph::CallTPOp call = getCall(check);
  std::optional<Renaming> renaming = call ? getRenaming(check) : std::nullopt;
  if (!renaming || renaming->empty() || !areCheckedByOperands(call, *renaming))
    return {};
  OpBuilder builder(check);
  SmallVector<Value> operands(call->getOperands());
  Type made = call->getResult(0).getType();
  SmallVector<Operation *> used;
  SmallVector<graph::MatchCastOp> created;
  for (OpOperand &operand : call->getOpOperands()) {
    Value value = operand.get();
    Type type = sym::substituteType(value.getType(), [&](StringRef name) { return renaming->lookup(name); });
    if (type == value.getType())
      continue;
    graph::MatchCastOp &renamed = casts[{value, type}];
    if (!renamed) {
      renamed = graph::MatchCastOp::create(builder, check.getLoc(), type, value, builder.getStrArrayAttr({}));
      created.push_back(renamed);
    }
    operand.set(renamed.getResult());
    used.push_back(renamed);
  }
  call->getResult(0).setType(cast<RankedTensorType>(check.getType()));
  if (!makes(call, check.getType(), symbols)) {
    call->setOperands(operands);
    call->getResult(0).setType(cast<RankedTensorType>(made));
    for (graph::MatchCastOp renamed : created) {
      casts.erase({renamed.getSource(), renamed.getType()});
      renamed.erase();
    }
    return {};
  }
  call->moveBefore(check);
  // What another check needed further down is known here as well.
  for (Operation *renamed : used)
    if (call->isBeforeInBlock(renamed))
      renamed->moveBefore(call);
  casts.erase({check.getSource(), check.getType()});
  check.replaceAllUsesWith(call->getResult(0));
  check.erase();
  return used;
}

void relax::moveCastsAboveCalls(Block &block, SymbolTableCollection &symbols) {
  SetVector<Operation *> worklist;
  for (auto check : block.getOps<graph::MatchCastOp>())
    worklist.insert(check);
  // Casts of operands may move above the calls that make these in turn.
  Casts casts;
  while (!worklist.empty())
    worklist.insert_range(moveAbove(cast<graph::MatchCastOp>(worklist.pop_back_val()), casts, symbols));
}
