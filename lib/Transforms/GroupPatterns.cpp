//===- GroupPatterns.cpp - Groups of ops by patterns of a file ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphPatterns.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Transforms/DispatchPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "relax-group-patterns"

using namespace mlir;
using namespace mlir::relax;

namespace mlir::relax {
#define GEN_PASS_DEF_GROUPPATTERNSPASS
#include "RelaxDialect/Transforms/DispatchPasses.h.inc"
} // namespace mlir::relax

/// The group stands where its last op was, so no use of a symbol moves up.
static void emitGroup(GraphPattern &pattern, const PatternMatch &match) {
  Operation *root = match.ops.back();
  OpBuilder builder(root);
  auto group = graph::FusionGroupOp::create(builder, root->getLoc(), root->getResultTypes());
  group->setAttr(kPatternAttrName, builder.getStringAttr(pattern.getName()));
  group->setAttr(kPatternSymbolsAttrName, match.getSymbols(builder.getContext()));
  Block *body = builder.createBlock(&group.getBody());
  root->replaceAllUsesWith(group->getResults());
  for (Operation *op : match.ops)
    op->moveBefore(body, body->end());
  builder.setInsertionPointToEnd(body);
  graph::YieldOp::create(builder, root->getLoc(), root->getResults());
  remark::passed(group.getLoc(), remark::RemarkOpts::name("Grouped").category(DEBUG_TYPE))
      << ("grouped " + Twine(match.ops.size()) + " ops by @" + pattern.getName()).str();
}

namespace {
struct GroupPatternsPass final : relax::impl::GroupPatternsPassBase<GroupPatternsPass> {
  using Base::Base;

  void runOnOperation() override {
    PatternFile file;
    if (failed(file.read(getOperation(), patterns)))
      return signalPassFailure();
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      sym::Prover prover(&getContext(), sym::getScope(function));
      for (GraphPattern &pattern : file.getPatterns())
        group(function, pattern, prover);
    }
  }

  void group(func::FuncOp function, GraphPattern &pattern, sym::Prover &prover) {
    // From the last op upwards, so that the largest match of a chain is found first.
    SmallVector<Operation *> roots;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<graph::FusionGroupOp>(op))
        return WalkResult::skip();
      if (op->getName() == pattern.getRoot()->getName())
        roots.push_back(op);
      return WalkResult::advance();
    });
    for (Operation *root : llvm::reverse(roots)) {
      if (root->getParentOfType<graph::FusionGroupOp>())
        continue;
      std::optional<PatternMatch> match = matchPattern(pattern, root, prover);
      if (match && match->conditions.empty())
        emitGroup(pattern, *match);
    }
  }
};
} // namespace
