//===- VerifyPlain.cpp - The border to other compilers --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Transforms/Passes.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::relax;

namespace mlir::relax {
#define GEN_PASS_DEF_VERIFYPLAINPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

static bool isOurs(Dialect &dialect) {
  StringRef name = dialect.getNamespace();
  return name == "relax" || name.starts_with("relax_");
}

/// The first type or attribute of ours, as text; empty when there is none.
static std::string findOurs(Operation *op) {
  std::string found;
  AttrTypeWalker walker;
  auto visit = [&](auto element) {
    if (!isOurs(element.getDialect()))
      return WalkResult::advance();
    llvm::raw_string_ostream(found) << element;
    return WalkResult::interrupt();
  };
  walker.addWalk([&](Type type) { return visit(type); });
  walker.addWalk([&](Attribute attribute) { return visit(attribute); });
  auto search = [&](TypeRange types) {
    return llvm::any_of(types, [&](Type type) { return walker.walk(type).wasInterrupted(); });
  };
  if (walker.walk(op->getAttrDictionary()).wasInterrupted() || search(op->getResultTypes()))
    return found;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (search(block.getArgumentTypes()))
        return found;
  return found;
}

static LogicalResult verifyOp(Operation *op) {
  if (Dialect *dialect = op->getDialect(); dialect && isOurs(*dialect))
    return op->emitOpError("is left, but the plain phase expects upstream operations only");
  std::string found = findOurs(op);
  if (found.empty())
    return success();
  return op->emitOpError("mentions ") << found << ", but the plain phase expects upstream types and attributes only";
}

namespace {
struct VerifyPlainPass final : relax::impl::VerifyPlainPassBase<VerifyPlainPass> {
  void runOnOperation() override {
    bool valid = true;
    getOperation()->walk([&](Operation *op) { valid &= succeeded(verifyOp(op)); });
    if (!valid)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
