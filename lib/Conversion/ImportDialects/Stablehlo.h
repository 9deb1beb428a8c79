//===- Stablehlo.h - Rules for ops of StableHLO ----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The dialect is not there: ops are unregistered, and its attributes are text.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_IMPORTDIALECTS_STABLEHLO_H
#define RELAX_LIB_CONVERSION_IMPORTDIALECTS_STABLEHLO_H

#include "ForeignImporter.h"

namespace mlir::relax::stablehlo {

//===- Rules, by family; null for other ops ---------------------------------===//
ForeignImporter::Emit getElementwiseRule(StringRef name);
ForeignImporter::Emit getShapeRule(StringRef name);
ForeignImporter::Emit getLinearAlgebraRule(StringRef name);
ForeignImporter::Emit getReductionRule(StringRef name);
ForeignImporter::Emit getIndexingRule(StringRef name);
ForeignImporter::Emit getControlRule(StringRef name);

//===- Attributes -------------------------------------------------------------===//

/// The text of an attribute of the dialect, `dot<lhs_contracting_dimensions = [1]>`; empty when it is absent.
StringRef getText(Operation *op, StringRef name);
/// The list behind `key = ` in such a text; empty when it is absent.
SmallVector<int64_t> getList(StringRef text, StringRef key);
/// The number behind `key = `.
int64_t getNumber(StringRef text, StringRef key, int64_t absent);
/// array<i64>, dense<> of integers, or an integer; `count` times `absent` when it is absent.
SmallVector<int64_t> getIntegers(Operation *op, StringRef name, size_t count = 0, int64_t absent = 0);
SmallVector<bool> getBools(Operation *op, StringRef name, size_t count);
int64_t getInteger(Operation *op, StringRef name, int64_t absent);
/// The last word of an enum: `comparison_direction GT` is GT.
StringRef getEnum(Operation *op, StringRef name);

//===- Regions ----------------------------------------------------------------===//

/// What a region of scalars computes for some values; nullopt when it has ops that are not simple. Bools are 0 and 1.
std::optional<SmallVector<double>> evaluate(Region &region, ArrayRef<double> arguments);
/// The name of the one op that combines the two arguments, without its prefix; empty when there are others.
StringRef getCombiner(Region &region);

/// The exact op: broadcasts `value` along new dimensions, `axes[i]` being the place of its dimension i.
Value broadcastInDim(ForeignImporter &w, Value value, ArrayRef<sym::SymExpr> wanted, ArrayRef<int64_t> axes);

} // namespace mlir::relax::stablehlo

#endif // RELAX_LIB_CONVERSION_IMPORTDIALECTS_STABLEHLO_H
