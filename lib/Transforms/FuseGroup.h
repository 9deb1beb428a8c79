//===- FuseGroup.h - One program for a group -------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_FUSEGROUP_H
#define RELAXDIALECT_LIB_TRANSFORMS_FUSEGROUP_H

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::relax {

/// Puts calls of one block, in its order, into a group where the last one is. Nothing but the last one's results may be
/// used by others.
graph::FusionGroupOp createGroup(ArrayRef<graph::CallTPOp> calls);

/// Makes one program of the calls of a group, and a call of it. Failure leaves the group as it is and says why.
FailureOr<graph::CallTPOp> fuseGroup(graph::FusionGroupOp group, SymbolTable &symbols, std::string &reason);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_FUSEGROUP_H
