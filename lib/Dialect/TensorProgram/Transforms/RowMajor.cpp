//===- RowMajor.cpp - Elements in the same order under another shape ------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/TensorProgram/Transforms/RowMajor.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/PatternKinds.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::tp;
using sym::SymExpr;

namespace {
/// Dimensions [first, last) of both shapes that have equally many elements.
struct DimGroup {
  size_t from, fromEnd, to, toEnd;
};
} // namespace

/// Products of the leading extents, from none to all; null where one does not fit.
static SmallVector<SymExpr> getProducts(MLIRContext *context, ArrayRef<SymExpr> dims) {
  SmallVector<SymExpr> products = {SymExpr::constant(context, 1)};
  for (SymExpr dim : dims)
    products.push_back(products.back() * dim);
  return products;
}

/// The finest groups; false when the numbers of elements differ. With no extent of 0 equal products of the dimensions
/// before make equal products of the group.
static bool groupDims(MLIRContext *context, ArrayRef<SymExpr> from, ArrayRef<SymExpr> to,
                      SmallVectorImpl<DimGroup> &groups) {
  SmallVector<SymExpr> before = getProducts(context, from), after = getProducts(context, to);
  if (!before.back() || before.back() != after.back())
    return false;
  DimGroup open{0, 0, 0, 0};
  for (size_t i = 1; i <= from.size(); ++i) {
    auto *found = std::find(after.begin() + open.to + 1, after.end(), before[i]);
    if (found == after.end())
      continue;
    size_t j = found - after.begin();
    groups.push_back({open.from, i, open.to, j});
    open.from = i;
    open.to = j;
  }
  // What is left on either side is of extent 1.
  if (groups.empty())
    groups.push_back({0, from.size(), 0, to.size()});
  groups.back().fromEnd = from.size();
  groups.back().toEnd = to.size();
  return true;
}

/// Positions in [first, last) of extents other than 1.
static SmallVector<size_t> getLong(ArrayRef<SymExpr> dims, size_t first, size_t last) {
  SmallVector<size_t> positions;
  for (size_t dim = first; dim < last; ++dim)
    if (dims[dim].getConstant() != 1)
      positions.push_back(dim);
  return positions;
}

/// Steps of the first dimension are known.
static bool haveConstantStrides(ArrayRef<SymExpr> dims, ArrayRef<size_t> positions) {
  return positions.empty() ||
         llvm::all_of(positions.drop_front(), [&](size_t dim) { return dims[dim].getConstant().has_value(); });
}

AffineMap tp::getRowMajorMap(MLIRContext *context, ArrayRef<SymExpr> from, ArrayRef<SymExpr> to) {
  for (SymExpr dim : llvm::concat<const SymExpr>(from, to))
    if (!dim || dim.getConstant() == 0)
      return {};
  SmallVector<DimGroup> groups;
  if (!groupDims(context, from, to, groups))
    return {};
  SmallVector<AffineExpr> exprs(from.size(), getAffineConstantExpr(0, context));
  for (const DimGroup &group : groups) {
    SmallVector<size_t> read = getLong(from, group.from, group.fromEnd), made = getLong(to, group.to, group.toEnd);
    if (read.size() == 1 && made.size() == 1) {
      exprs[read.front()] = getAffineDimExpr(made.front(), context);
      continue;
    }
    if (!haveConstantStrides(from, read) || !haveConstantStrides(to, made))
      return {};
    // The place inside of the group, then what it is in the other extents.
    AffineExpr place = getAffineConstantExpr(0, context);
    int64_t stride = 1;
    for (size_t dim : llvm::reverse(made)) {
      place = getAffineDimExpr(dim, context) * stride + place;
      if (dim != made.front() && llvm::MulOverflow(stride, *to[dim].getConstant(), stride))
        return {};
    }
    stride = 1;
    for (size_t dim : llvm::reverse(read)) {
      exprs[dim] = place.floorDiv(stride);
      if (dim == read.front())
        break;
      exprs[dim] = exprs[dim] % *from[dim].getConstant();
      if (llvm::MulOverflow(stride, *from[dim].getConstant(), stride))
        return {};
    }
  }
  return AffineMap::get(to.size(), 0, exprs, context);
}

bool tp::haveSameNumElements(MLIRContext *context, sym::ScopeAttr scope, ArrayRef<SymExpr> from, ArrayRef<SymExpr> to) {
  SymExpr before = getProducts(context, from).back(), after = getProducts(context, to).back();
  return before && after &&
         (before == after || sym::Prover(context, scope).isEqual(before, after) == sym::Verdict::True);
}

/// Indices into dimensions of extent 1 are 0.
static AffineMap dropUnits(AffineMap map, ArrayRef<SymExpr> from, ArrayRef<SymExpr> to) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> loops, results(map.getResults());
  for (auto [dim, extent] : llvm::enumerate(to))
    loops.push_back(extent.getConstant() == 1 ? getAffineConstantExpr(0, context) : getAffineDimExpr(dim, context));
  for (auto [expr, extent] : llvm::zip_equal(results, from))
    expr = extent.getConstant() == 1 ? getAffineConstantExpr(0, context) : expr.replaceDims(loops);
  return AffineMap::get(map.getNumDims(), 0, results, context);
}

bool tp::isRowMajorCopy(ProgramOp program) {
  std::optional<AffineMap> move = getMove(program);
  if (!move || program.getNumExtents() != 0 || move->getNumSymbols() != 0)
    return false;
  // No check beside it.
  for (Operation &op : program.getBody().front().without_terminator())
    if (!isa<linalg::LinalgOp>(op) && !isPure(&op))
      return false;
  SmallVector<SymExpr> from = program.getArgumentDims(0), to = program.getArgumentDims(program.getNumInputs());
  AffineMap map = getRowMajorMap(program.getContext(), from, to);
  return map && dropUnits(map, from, to) == dropUnits(*move, from, to);
}
