//===- PanelLayout.h - Operands that lie in panels of columns --*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The access `[.., column floordiv width, .., column mod width]`: what `width`
// columns read is contiguous, one step of a reduction after the other. Columns
// up to the next multiple of `width` are there, so no load needs a mask.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_PANELLAYOUT_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_PANELLAYOUT_H

#include "mlir/IR/AffineMap.h"
#include <optional>

namespace mlir::relax {

struct PanelAccess {
  int64_t width;
  /// The result of the map that counts panels; the last one is the column in its panel.
  unsigned position;
};

/// How `map` reads panels of the loop `column`; nullopt when it does not.
inline std::optional<PanelAccess> getPanelAccess(AffineMap map, unsigned column) {
  if (map.getNumResults() < 2)
    return std::nullopt;
  auto isOfColumn = [&](AffineExpr expr, AffineExprKind kind, int64_t &width) {
    if (expr.getKind() != kind)
      return false;
    auto binary = cast<AffineBinaryOpExpr>(expr);
    auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!constant || binary.getLHS() != getAffineDimExpr(column, map.getContext()))
      return false;
    width = constant.getValue();
    return width > 0;
  };
  int64_t width = 0;
  if (!isOfColumn(map.getResults().back(), AffineExprKind::Mod, width))
    return std::nullopt;
  std::optional<PanelAccess> access;
  for (auto [position, expr] : llvm::enumerate(map.getResults().drop_back())) {
    if (!expr.isFunctionOfDim(column))
      continue;
    int64_t divisor = 0;
    if (access || !isOfColumn(expr, AffineExprKind::FloorDiv, divisor) || divisor != width)
      return std::nullopt;
    access = PanelAccess{width, static_cast<unsigned>(position)};
  }
  return access;
}

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_PANELLAYOUT_H
