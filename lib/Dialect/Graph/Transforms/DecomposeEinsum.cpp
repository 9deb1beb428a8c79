//===- DecomposeEinsum.cpp - relax.einsum as products of matrices ---------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphEinsum.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Patterns.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {
/// A tensor with a label for each dimension, all different.
struct Labelled {
  Value value;
  SmallVector<int64_t> labels;

  bool has(int64_t label) const { return llvm::is_contained(labels, label); }
};

class EinsumWriter {
public:
  EinsumWriter(EinsumOp op, Composer &c) : op(op), c(c) {}

  Value write() {
    SmallVector<int64_t> ranks;
    for (Value operand : op.getOperands())
      ranks.push_back(cast<RankedTensorType>(operand.getType()).getRank());
    std::string error;
    // The verifier has parsed it too.
    equation = *EinsumEquation::parse(op.getEquation(), ranks, error);
    collectExtents();
    Labelled result = read(0);
    for (unsigned index = 1; index != op.getNumOperands(); ++index)
      result = multiply(result, read(index), index);
    sumOut(result, [&](int64_t label) { return llvm::is_contained(equation.output, label); });
    return permute(result, equation.output);
  }

private:
  /// A label's extent: 1 only where it is 1 everywhere.
  void collectExtents() {
    for (auto [operand, labels] : llvm::zip_equal(op.getOperands(), equation.inputs))
      for (auto [extent, label] : llvm::zip_equal(c.dims(operand), labels)) {
        SymExpr &known = extents[label];
        if (!known || known == c.expr(1) || (extent != c.expr(1) && extent.getConstant()))
          known = extent;
      }
  }

  /// An operand without dimensions of extent 1 that repeat and without labels that occur twice.
  Labelled read(unsigned index) {
    Labelled result{op.getOperands()[index], equation.inputs[index]};
    SmallVector<int64_t> repeating, labels;
    for (auto [dim, label] : llvm::enumerate(result.labels)) {
      if (c.dims(result.value)[dim] == c.expr(1) && extents[label] != c.expr(1))
        repeating.push_back(dim);
      else
        labels.push_back(label);
    }
    result = {c.squeeze(result.value, repeating), labels};
    for (size_t second = 0; second < result.labels.size();) {
      auto found = llvm::find(ArrayRef(result.labels).take_front(second), result.labels[second]);
      if (found == result.labels.begin() + second) {
        ++second;
        continue;
      }
      takeDiagonal(result, found - result.labels.begin(), second);
    }
    return result;
  }

  /// What is not on the diagonal of two dimensions becomes 0 and is summed up.
  void takeDiagonal(Labelled &x, int64_t first, int64_t second) {
    SmallVector<SymExpr> dims = c.dims(x.value);
    dims[second] = dims[first];
    Value value = x.value;
    value = c.castTo(value, withSymbolicDims(value.getType(), dims));
    Value isOn = c.make<EqualOp>(c.iota(dims, first, c.getI64()), c.iota(dims, second, c.getI64()));
    Type type = c.elementType(value);
    x.value = c.make<SumOp>(c.make<WhereOp>(isOn, value, c.full(dims, 0, type)), second);
    x.labels.erase(x.labels.begin() + second);
  }

  void sumOut(Labelled &x, function_ref<bool(int64_t)> isKept) {
    SmallVector<int64_t> axes, labels;
    for (auto [dim, label] : llvm::enumerate(x.labels))
      isKept(label) ? labels.push_back(label) : axes.push_back(dim);
    if (!axes.empty())
      x = {c.make<SumOp>(x.value, axes), labels};
  }

  Value permute(const Labelled &x, ArrayRef<int64_t> order) {
    SmallVector<int64_t> permutation = llvm::map_to_vector(
        order, [&](int64_t label) -> int64_t { return llvm::find(x.labels, label) - x.labels.begin(); });
    return llvm::is_sorted(permutation) ? x.value : c.make<PermuteDimsOp>(x.value, permutation);
  }

  bool isNeededAfter(int64_t label, unsigned index) {
    return llvm::is_contained(equation.output, label) ||
           llvm::any_of(ArrayRef(equation.inputs).drop_front(index + 1),
                        [&](ArrayRef<int64_t> labels) { return llvm::is_contained(labels, label); });
  }

  /// The extents of labels, and of their product.
  SmallVector<SymExpr> extentsOf(ArrayRef<int64_t> labels) {
    return llvm::map_to_vector(labels, [&](int64_t label) { return extents[label]; });
  }
  SymExpr sizeOf(ArrayRef<int64_t> labels) { return getNumElements(c.getContext(), extentsOf(labels)); }

  /// Common labels are multiplied element by element (batch) where they are needed later, else summed; the others are
  /// rows and columns of matrices.
  Labelled multiply(Labelled a, Labelled b, unsigned index) {
    sumOut(a, [&](int64_t label) { return b.has(label) || isNeededAfter(label, index); });
    sumOut(b, [&](int64_t label) { return a.has(label) || isNeededAfter(label, index); });
    SmallVector<int64_t> batch, summed, rows, columns;
    for (int64_t label : a.labels)
      (!b.has(label) ? rows : isNeededAfter(label, index) ? batch : summed).push_back(label);
    for (int64_t label : b.labels)
      if (!a.has(label))
        columns.push_back(label);

    auto toMatrices = [&](const Labelled &x, ArrayRef<int64_t> first, ArrayRef<int64_t> second) {
      SmallVector<int64_t> order(batch);
      llvm::append_range(order, first);
      llvm::append_range(order, second);
      SmallVector<SymExpr> dims = extentsOf(batch);
      dims.push_back(sizeOf(first));
      dims.push_back(sizeOf(second));
      return c.reshape(permute(x, order), dims);
    };
    Value lhs = toMatrices(a, rows, summed), rhs = toMatrices(b, summed, columns);
    Value product = c.make<MatmulOp>(lhs, rhs);
    SmallVector<int64_t> labels(batch);
    llvm::append_range(labels, rows);
    llvm::append_range(labels, columns);
    return {c.reshape(product, extentsOf(labels)), labels};
  }

  EinsumOp op;
  Composer &c;
  EinsumEquation equation;
  DenseMap<int64_t, SymExpr> extents;
};
} // namespace

static SmallVector<Value> decomposeEinsum(EinsumOp op, Composer &c) { return {EinsumWriter(op, c).write()}; }

void graph::populateEinsumDecompositionPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeWith<EinsumOp>>(patterns.getContext(), decomposeEinsum);
}
