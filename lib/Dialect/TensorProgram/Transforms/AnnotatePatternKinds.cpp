//===- AnnotatePatternKinds.cpp - Kinds of tensor programs ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/TensorProgram/Transforms/Passes.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/PatternKinds.h"

using namespace mlir;
using namespace mlir::relax::tp;

namespace mlir::relax::tp {
#define GEN_PASS_DEF_ANNOTATEPATTERNKINDSPASS
#include "RelaxDialect/Dialect/TensorProgram/Transforms/Passes.h.inc"
} // namespace mlir::relax::tp

namespace {
struct AnnotatePatternKindsPass final : mlir::relax::tp::impl::AnnotatePatternKindsPassBase<AnnotatePatternKindsPass> {
  void runOnOperation() override {
    for (ProgramOp program : getOperation().getOps<ProgramOp>())
      program->setAttr(kPatternKindAttrName,
                       StringAttr::get(&getContext(), stringifyPatternKind(computePatternKind(program))));
  }
};
} // namespace
