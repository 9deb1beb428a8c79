//===- RelaxTransformOps.cpp - Transform ops on handles -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Transforms/TransformOps/RelaxTransformOps.h"

#include "../DispatchLibraries.h"
#include "../FuseGroup.h"
#include "../GraphRegions.h"
#include "../MemoryPlan.h"
#include "RelaxDialect/Dialect/Extern/IR/Extern.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::transform_ops;

#define GET_OP_CLASSES
#include "RelaxDialect/Transforms/TransformOps/RelaxTransformOps.cpp.inc"

//===----------------------------------------------------------------------===//
// fuse
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure RelaxFuseOp::apply(transform::TransformRewriter & /*rewriter*/,
                                               transform::TransformResults &results, transform::TransformState &state) {
  SmallVector<graph::CallTPOp> calls;
  for (Operation *op : state.getPayloadOps(getCalls())) {
    auto call = dyn_cast<graph::CallTPOp>(op);
    if (!call || !call.getDestinations().empty())
      return emitSilenceableError() << "expected calls of tensor programs without destinations, got '" << op->getName()
                                    << "'";
    if (!calls.empty() && call->getBlock() != calls.front()->getBlock())
      return emitSilenceableError() << "expected calls of one block";
    if (!llvm::is_contained(calls, call))
      calls.push_back(call);
  }
  if (calls.empty())
    return emitSilenceableError() << "expected at least one call";
  llvm::sort(calls, [](graph::CallTPOp a, graph::CallTPOp b) { return a->isBeforeInBlock(b); });
  llvm::SmallPtrSet<Operation *, 8> members;
  for (graph::CallTPOp call : calls)
    members.insert(call);
  for (graph::CallTPOp call : ArrayRef(calls).drop_back())
    for (Operation *user : call->getUsers())
      if (!members.contains(user)) {
        DiagnosedSilenceableFailure failure = emitSilenceableError()
                                              << "a call's result is used by others than the calls of the handle";
        failure.attachNote(call.getLoc()) << "this call";
        failure.attachNote(user->getLoc()) << "is used here";
        return failure;
      }

  SymbolTable symbols(calls.front()->getParentOfType<ModuleOp>());
  graph::FusionGroupOp group = createGroup(calls);
  std::string reason;
  FailureOr<graph::CallTPOp> fused = fuseGroup(group, symbols, reason);
  if (failed(fused)) {
    dissolveGraphRegion(group);
    return emitSilenceableError() << "the calls cannot become one program: " << reason;
  }
  results.set(getOperation()->getOpResult(0), {fused->getOperation()});
  return DiagnosedSilenceableFailure::success();
}

void RelaxFuseOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(getCallsMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// dispatch
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure RelaxDispatchOp::apply(transform::TransformRewriter & /*rewriter*/,
                                                   transform::TransformResults &results,
                                                   transform::TransformState &state) {
  llvm::SmallPtrSet<Operation *, 8> roots;
  llvm::SmallSetVector<ModuleOp, 1> modules;
  for (Operation *op : state.getPayloadOps(getRoots())) {
    roots.insert(op);
    if (auto module = op->getParentOfType<ModuleOp>())
      modules.insert(module);
  }
  SmallVector<scf::IfOp> choices;
  for (ModuleOp module : modules)
    for (StringRef path : getLibraries().getAsValueRange<StringAttr>())
      if (failed(dispatchLibraries(module, path, [&](Operation *op) { return roots.contains(op); }, choices)))
        return emitDefiniteFailure("the libraries cannot be read");
  results.set(getOperation()->getOpResult(0), llvm::to_vector_of<Operation *>(choices));
  return DiagnosedSilenceableFailure::success();
}

void RelaxDispatchOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getRootsMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// plan
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure RelaxPlanOp::apply(transform::TransformRewriter & /*rewriter*/,
                                               transform::TransformResults &results, transform::TransformState &state) {
  SmallVector<Operation *> functions = llvm::to_vector(state.getPayloadOps(getFunctions()));
  for (Operation *op : functions) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function || function.isExternal())
      return emitSilenceableError() << "expected functions with a body, got '" << op->getName() << "'";
    // The function may be changed in part by then.
    if (failed(planMemory(function, getShare())))
      return emitDefiniteFailure("the memory of '" + function.getSymName() + "' cannot be planned");
  }
  results.set(getOperation()->getOpResult(0), functions);
  return DiagnosedSilenceableFailure::success();
}

void RelaxPlanOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(getFunctionsMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {
class RelaxTransformExtension final : public transform::TransformDialectExtension<RelaxTransformExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RelaxTransformExtension)
  using Base::Base;

  void init() {
    // What the ops make.
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<ext::RelaxExtDialect>();
    declareGeneratedDialect<graph::RelaxDialect>();
    declareGeneratedDialect<linalg::LinalgDialect>();
    declareGeneratedDialect<scf::SCFDialect>();
    declareGeneratedDialect<tp::RelaxTpDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "RelaxDialect/Transforms/TransformOps/RelaxTransformOps.cpp.inc"
        >();
  }
};
} // namespace

void relax::registerTransformOps(DialectRegistry &registry) { registry.addExtensions<RelaxTransformExtension>(); }
