//===- CastsAboveCalls.h - Casts of what calls read -------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#ifndef RELAXDIALECT_LIB_TRANSFORMS_CASTSABOVECALLS_H
#define RELAXDIALECT_LIB_TRANSFORMS_CASTSABOVECALLS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::relax {

/// Makes `relax.match_cast` of what a tensor program computed, which another call reads, casts of what the program
/// reads, where these check the same. The check stays where it is and the call moves down to it, so that no use of a
/// symbol moves above its binder.
void moveCastsAboveCalls(Block &block, SymbolTableCollection &symbols);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_CASTSABOVECALLS_H
