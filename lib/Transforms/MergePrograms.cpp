//===- MergePrograms.cpp - One program for all equal ones -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Layers of a model compute the same with other weights and under other names
// of symbols. Symbols of a program are its own, so two programs are equal when
// a renaming makes them so: they are compared in names that count from the
// first symbol of the first argument on.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

#define DEBUG_TYPE "relax-merge-programs"

using namespace mlir;
using namespace mlir::relax;

namespace mlir::relax {
#define GEN_PASS_DEF_MERGEPROGRAMSPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

/// What callers see of a program, and the facts that it relies on, in counted names: null when the body names symbols.
static Attribute getSignature(tp::ProgramOp program) {
  MLIRContext *context = program.getContext();
  llvm::StringMap<sym::SymExpr> names;
  auto rename = [&](StringRef symbol) {
    sym::SymExpr &name = names[symbol];
    if (!name)
      name = sym::SymExpr::symbol(context, ("s" + Twine(names.size() - 1)).str());
    return name;
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](sym::ShapeAttr shape) -> std::pair<Attribute, WalkResult> {
    SmallVector<sym::SymExpr> dims(shape.getDims());
    for (sym::SymExpr &dim : dims)
      dim = dim ? dim.substitute(rename) : dim;
    return {sym::ShapeAttr::get(context, dims, shape.getExtensions()), WalkResult::skip()};
  });
  replacer.addReplacement([&](sym::ExprAttr expr) -> std::pair<Attribute, WalkResult> {
    return {sym::ExprAttr::get(expr.getValue().substitute(rename)), WalkResult::skip()};
  });
  replacer.addReplacement([&](sym::ScopeAttr scope) -> std::pair<Attribute, WalkResult> {
    auto facts = llvm::map_to_vector(scope.getFacts(), [&](const sym::Fact &fact) { return fact.substitute(rename); });
    return {sym::ScopeAttr::get(context, facts), WalkResult::skip()};
  });
  // Arguments come first: their order counts the names.
  Attribute arguments = program.getArgAttrsAttr() ? replacer.replace(program.getArgAttrsAttr()) : Attribute();
  NamedAttrList rest(program->getAttrs());
  rest.erase(program.getSymNameAttrName());
  rest.erase(program.getArgAttrsAttrName());
  return ArrayAttr::get(
      context, {arguments ? arguments : UnitAttr::get(context), replacer.replace(rest.getDictionary(context))});
}

namespace {
struct MergeProgramsPass final : relax::impl::MergeProgramsPassBase<MergeProgramsPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    std::optional<SymbolUserMap> users;
    DenseMap<Attribute, SmallVector<tp::ProgramOp>> known;
    for (tp::ProgramOp program : llvm::make_early_inc_range(getOperation().getOps<tp::ProgramOp>())) {
      SmallVector<tp::ProgramOp> &candidates = known[getSignature(program)];
      auto *equal = llvm::find_if(candidates, [&](tp::ProgramOp candidate) {
        return OperationEquivalence::isRegionEquivalentTo(&candidate.getBody(), &program.getBody(),
                                                          OperationEquivalence::IgnoreLocations);
      });
      // A public program is what others know by name.
      if (equal == candidates.end() || !program.isPrivate()) {
        candidates.push_back(program);
        continue;
      }
      if (!users)
        users.emplace(symbols, getOperation());
      users->replaceAllUsesWith(program, equal->getSymNameAttr());
      remark::passed(program.getLoc(), remark::RemarkOpts::name("Merged").category(DEBUG_TYPE))
          << ("@" + program.getSymName() + " is @" + equal->getSymName()).str();
      program.erase();
      ++numMerged;
    }
  }
};
} // namespace
