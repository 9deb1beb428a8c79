//===- ShapeChecks.cpp - What an op needs its extents to be ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ShapeChecks.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

std::optional<SmallVector<ShapeRule>> graph::getShapeChecks(Operation *op, SymbolTableCollection &symbols) {
  if (auto computing = dyn_cast<ShapeRuleOpInterface>(op))
    return computing.getShapeRules();
  sym::Prover prover(op->getContext());
  FailureOr<CallUnification> unification = failure();
  if (auto call = dyn_cast<CallOp>(op)) {
    if (auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op, call.getCalleeAttr()))
      unification = unifyCall(call, callee, prover);
  } else if (auto call = dyn_cast<ProgramCallOpInterface>(op)) {
    if (auto callee = symbols.lookupNearestSymbolFrom<sym::TensorProgramInterface>(op, call.getCalleeAttr()))
      unification = unifyProgramCall(call, callee, prover);
  }
  if (failed(unification) || unification->hasUnknownFacts)
    return std::nullopt;
  SmallVector<ShapeRule> rules;
  for (const CallExtent &extent : unification->checks) {
    if (!extent.expected || !extent.actual)
      return std::nullopt; // only the call itself can check this
    rules.push_back({{sym::Fact{extent.actual, sym::Fact::Op::Equal, extent.expected}}});
  }
  for (const sym::Fact &fact : unification->facts)
    rules.push_back({{fact}});
  return rules;
}

sym::Verdict graph::holds(sym::Prover &prover, const ShapeRule &rule) {
  bool refuted = true;
  for (const sym::Fact &fact : rule.anyOf) {
    sym::Verdict verdict = prover.holds(fact);
    if (verdict == sym::Verdict::True)
      return verdict;
    refuted &= verdict == sym::Verdict::False;
  }
  return refuted ? sym::Verdict::False : sym::Verdict::Depends;
}

std::string graph::explain(sym::Prover &prover, const sym::Fact &fact) {
  if (!fact.lhs.getContext()->getRemarkEngine())
    return {};
  sym::Explanation why;
  sym::Verdict verdict = prover.holds(fact, &why);
  if (verdict == sym::Verdict::True && !why.steps.empty())
    return ": " + llvm::join(why.steps, "; ");
  if (verdict != sym::Verdict::Depends || !why.whenFalse)
    return {};
  std::string text = "; not for ";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(*why.whenFalse, os, [&](const auto &entry) { os << entry.first << " = " << entry.second; });
  return text;
}

std::string graph::explain(sym::Prover &prover, const ShapeRule &rule) {
  for (const sym::Fact &fact : rule.anyOf)
    if (prover.holds(fact) == sym::Verdict::True)
      return explain(prover, fact);
  return explain(prover, rule.getFact());
}
