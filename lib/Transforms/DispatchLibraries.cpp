//===- DispatchLibraries.cpp - Library functions instead of graph ops -----===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "DispatchLibraries.h"
#include "GraphPatterns.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "RelaxDialect/Transforms/DispatchPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <tuple>

#define DEBUG_TYPE "relax-dispatch-libraries"

using namespace mlir;
using namespace mlir::relax;

namespace mlir::relax {
#define GEN_PASS_DEF_DISPATCHLIBRARIESPASS
#include "RelaxDialect/Transforms/DispatchPasses.h.inc"
} // namespace mlir::relax

namespace {
/// Tries the patterns of one file.
class LibraryDispatcher {
public:
  LibraryDispatcher(ModuleOp module, StringRef path, llvm::function_ref<bool(Operation *)> isRoot,
                    SmallVectorImpl<scf::IfOp> &choices)
      : module(module), path(path), isRoot(isRoot), choices(choices), symbols(module) {}

  LogicalResult run() {
    PatternFile file;
    if (failed(file.read(module, path)))
      return failure();
    // Each query is one of its own.
    module.walk([&](ext::AvailableOp query) { numCalls = std::max<int64_t>(numCalls, query.getSite() + 1); });
    for (func::FuncOp function : module.getOps<func::FuncOp>()) {
      sym::Prover prover(module.getContext(), sym::getScope(function));
      for (GraphPattern &pattern : file.getPatterns())
        if (pattern.library)
          dispatch(function, pattern, prover);
    }
    return success();
  }

private:
  void dispatch(func::FuncOp function, GraphPattern &pattern, sym::Prover &prover);
  void emitDispatch(GraphPattern &pattern, const PatternMatch &match, sym::Prover &prover, ext::ExternFuncOp library);
  Value emitCall(OpBuilder &builder, const PatternMatch &match, sym::Prover &prover, ext::ExternFuncOp library);
  ext::ExternFuncOp declare(ext::ExternFuncOp library);

  ModuleOp module;
  StringRef path;
  llvm::function_ref<bool(Operation *)> isRoot;
  SmallVectorImpl<scf::IfOp> &choices;
  SymbolTable symbols;
  DenseMap<Operation *, ext::ExternFuncOp> declared; // by op of the file
  int64_t numCalls = 0;
};

struct DispatchLibrariesPass final : relax::impl::DispatchLibrariesPassBase<DispatchLibrariesPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::IfOp> choices;
    for (const std::string &path : libraries)
      if (failed(dispatchLibraries(getOperation(), path, [](Operation *) { return true; }, choices)))
        return signalPassFailure();
  }
};
} // namespace

LogicalResult relax::dispatchLibraries(ModuleOp module, StringRef path, llvm::function_ref<bool(Operation *)> isRoot,
                                       SmallVectorImpl<scf::IfOp> &choices) {
  return LibraryDispatcher(module, path, isRoot, choices).run();
}

/// The library function in the module. An object file has its place beside the description.
ext::ExternFuncOp LibraryDispatcher::declare(ext::ExternFuncOp library) {
  ext::ExternFuncOp &known = declared[library];
  if (known)
    return known;
  auto copy = cast<ext::ExternFuncOp>(library->clone());
  copy.setPrivate();
  if (std::optional<StringRef> object = library.getObject()) {
    SmallString<128> place(*object);
    if (llvm::sys::path::is_relative(place)) {
      place = llvm::sys::path::parent_path(path);
      llvm::sys::path::append(place, *object);
    }
    std::ignore = llvm::sys::fs::make_absolute(place);
    copy.setObject(place.str());
  }
  // A pass that runs twice declares once.
  if (auto other = symbols.lookup<ext::ExternFuncOp>(copy.getSymName());
      other && OperationEquivalence::isEquivalentTo(other, copy, OperationEquivalence::IgnoreLocations)) {
    copy.erase();
    return known = other;
  }
  symbols.insert(copy, module.getBody()->begin());
  return known = copy;
}

Value LibraryDispatcher::emitCall(OpBuilder &builder, const PatternMatch &match, sym::Prover &prover,
                                  ext::ExternFuncOp library) {
  Operation *root = match.ops.back();
  auto program = cast<sym::TensorProgramInterface>(library.getOperation());
  Type type = graph::applyMapping(Type(graph::getProgramTensorType(program, library.getNumInputs())), match.symbols);
  auto call = graph::CallDPSOp::create(builder, root->getLoc(), type, FlatSymbolRefAttr::get(library), match.inputs);
  return graph::castToType(builder, root->getLoc(), call->getResult(0), root->getResult(0).getType(), prover);
}

void LibraryDispatcher::emitDispatch(GraphPattern &pattern, const PatternMatch &match, sym::Prover &prover,
                                     ext::ExternFuncOp library) {
  Operation *root = match.ops.back();
  Location loc = root->getLoc();
  OpBuilder builder(root);
  remark::passed(loc, remark::RemarkOpts::name("Dispatched").category(DEBUG_TYPE))
      << ("@" + library.getSymName() + " for " + Twine(match.ops.size()) + " ops of @" + pattern.getName()).str();
  Value condition = emitFacts(builder, loc, match.conditions, match.inputs);
  // What is part of the artifact is always there.
  if (!library.getObject()) {
    Value available = ext::AvailableOp::create(builder, loc, builder.getI1Type(), FlatSymbolRefAttr::get(library),
                                               condition, builder.getI64IntegerAttr(numCalls++));
    condition = arith::AndIOp::create(builder, loc, condition, available);
  }
  auto choice = scf::IfOp::create(builder, loc, root->getResultTypes(), condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  choice->setAttr(kDispatchAttrName, builder.getStringAttr(pattern.library.getSymName()));
  choice->setAttr(kPatternSymbolsAttrName, match.getSymbols(module.getContext()));
  root->replaceAllUsesWith(choice->getResults());
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder, loc, emitCall(builder, match, prover, library));
  for (Operation *op : match.ops)
    op->moveBefore(choice.elseBlock(), choice.elseBlock()->end());
  builder.setInsertionPointToEnd(choice.elseBlock());
  scf::YieldOp::create(builder, loc, root->getResults());
  choices.push_back(choice);
}

/// Generated code beside this very library function.
static bool isBeside(Operation *op, ext::ExternFuncOp library) {
  for (; op; op = op->getParentOp())
    if (auto name = op->getAttrOfType<StringAttr>(kDispatchAttrName); name && name.getValue() == library.getSymName())
      return true;
  return false;
}

void LibraryDispatcher::dispatch(func::FuncOp function, GraphPattern &pattern, sym::Prover &prover) {
  SmallVector<Operation *> roots;
  function.walk([&](Operation *op) {
    if (op->getName() == pattern.getRoot()->getName() && isRoot(op) && !op->getParentOfType<graph::FusionGroupOp>())
      roots.push_back(op);
  });
  llvm::SmallPtrSet<Operation *, 8> taken;
  bool isCalled = false;
  for (Operation *root : llvm::reverse(roots)) {
    if (taken.contains(root))
      continue;
    if (isBeside(root, pattern.library)) {
      isCalled = true;
      continue;
    }
    std::optional<PatternMatch> match = matchPattern(pattern, root, prover);
    if (!match)
      continue;
    sym::ScopeAttr scope = cast<sym::TensorProgramInterface>(pattern.library.getOperation()).getProgramScope();
    if (scope && !addConditions(scope.getFacts(), match->symbols, prover, match->conditions))
      continue;
    taken.insert(match->ops.begin(), match->ops.end());
    emitDispatch(pattern, *match, prover, declare(pattern.library));
  }
  if (taken.empty() && !isCalled)
    remark::missed(function.getLoc(), remark::RemarkOpts::name("NotDispatched").category(DEBUG_TYPE))
        << ("@" + pattern.library.getSymName() + ": none of " + Twine(roots.size()) + " '" +
            pattern.getRoot()->getName().getStringRef() + "' ends what @" + pattern.getName() + " computes")
               .str();
}
