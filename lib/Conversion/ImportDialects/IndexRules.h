//===- IndexRules.h - Rules for sizes in foreign functions -----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Sizes that functions of several dialects compute beside tensors: by index
// arithmetic and by the dialect shape. They become expressions, no ops.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_IMPORTDIALECTS_INDEXRULES_H
#define RELAX_LIB_CONVERSION_IMPORTDIALECTS_INDEXRULES_H

#include "ForeignImporter.h"
#include "mlir/IR/AffineExpr.h"

namespace mlir::relax {

/// An index as an expression; an error where it is none.
sym::SymExpr getIndex(ForeignImporter &w, OpFoldResult index);
Dims getIndices(ForeignImporter &w, ArrayRef<OpFoldResult> indices);
/// An affine expression over the extents of loops, or over operands of a map.
sym::SymExpr getAffine(ForeignImporter &w, AffineExpr affine, ArrayRef<sym::SymExpr> dims,
                       ArrayRef<sym::SymExpr> symbols);

/// Rules for ops of arith, affine, cf and tensor on sizes, and for those of shape; null for other ops.
ForeignImporter::Emit getIndexRule(StringRef name);
ForeignImporter::Emit getShapeDialectRule(StringRef name);

} // namespace mlir::relax

#endif // RELAX_LIB_CONVERSION_IMPORTDIALECTS_INDEXRULES_H
