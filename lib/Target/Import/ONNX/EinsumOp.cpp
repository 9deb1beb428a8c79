//===- EinsumOp.cpp - Einsum ----------------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Operands are contracted from the left to the right, each pair by one matrix
// product: labels that both and the result have are the batch, labels that no
// one else needs are summed.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

namespace {
/// A tensor whose dimensions have labels: letters, and numbers below 64 for those of an ellipsis.
struct Labelled {
  Value tensor;
  std::string labels;
};
} // namespace

static bool contains(StringRef labels, char label) { return labels.contains(label); }

/// Labels of a term, an ellipsis spelled out as the last `count` of its labels.
static std::string expandTerm(NodeEmitter &e, StringRef term, int64_t count) {
  std::string labels;
  while (!term.empty()) {
    if (term.consume_front("...")) {
      for (int64_t index = 0; index < count; ++index)
        labels += static_cast<char>(count - index);
      continue;
    }
    char label = term.front();
    term = term.drop_front();
    if (llvm::isAlpha(label))
      labels += label;
    else if (label != ' ')
      e.fail("attribute 'equation' holds '" + printable(StringRef(&label, 1)) + "'");
  }
  return labels;
}

/// Leaves the diagonal where a label is there twice.
static void takeDiagonals(NodeEmitter &e, Labelled &operand) {
  for (size_t first = 0; first < operand.labels.size(); ++first) {
    size_t second;
    while ((second = operand.labels.find(operand.labels[first], first + 1)) != std::string::npos) {
      if (!operand.tensor)
        return;
      SmallVector<SymExpr> dims = sym::getSymbolicDims(operand.tensor.getType());
      SmallVector<SymExpr> firstDims(dims.size(), e.constant(1)), secondDims = firstDims;
      firstDims[first] = dims[first];
      secondDims[second] = dims[second];
      Value isDiagonal = e.create<graph::EqualOp>({e.iota(firstDims, first), e.iota(secondDims, second)});
      Value chosen = e.select(isDiagonal, operand.tensor, e.makeScalarLike(0, operand.tensor));
      operand.tensor = e.reduceSum(chosen, {static_cast<int64_t>(second)}, /*keepdims=*/false);
      operand.labels.erase(second, 1);
    }
  }
}

/// Sums over the labels that `needed` does not have.
static void sumUnneeded(NodeEmitter &e, Labelled &operand, StringRef needed) {
  SmallVector<int64_t> axes;
  std::string kept;
  for (auto [index, label] : llvm::enumerate(operand.labels)) {
    if (contains(needed, label))
      kept += label;
    else
      axes.push_back(index);
  }
  if (!axes.empty())
    operand.tensor = e.reduceSum(operand.tensor, axes, /*keepdims=*/false);
  operand.labels = kept;
}

/// The dimensions in the order of `labels`, all of which the operand has or lacks as an extent of 1.
static Value arrange(NodeEmitter &e, const Labelled &operand, StringRef labels) {
  SmallVector<int64_t> permutation, added;
  for (auto [index, label] : llvm::enumerate(labels)) {
    size_t place = operand.labels.find(label);
    if (place == std::string::npos)
      added.push_back(index);
    else
      permutation.push_back(place);
  }
  return e.expandDims(e.permute(operand.tensor, permutation), added);
}

/// Products of the extents of three parts of a shape.
static SmallVector<SymExpr> joinParts(NodeEmitter &e, ArrayRef<SymExpr> dims, size_t first, size_t second) {
  return {e.product(dims.take_front(first)), e.product(dims.slice(first, second)),
          e.product(dims.drop_front(first + second))};
}

static bool hasNull(ArrayRef<SymExpr> dims) { return llvm::is_contained(dims, SymExpr()); }

static Labelled contract(NodeEmitter &e, Labelled a, Labelled b, StringRef needed) {
  // What only one has and no one needs is summed first.
  sumUnneeded(e, a, (needed + b.labels).str());
  sumUnneeded(e, b, (needed + a.labels).str());
  std::string batch, left, right, summed;
  for (char label : a.labels)
    (!contains(b.labels, label) ? left : contains(needed, label) ? batch : summed) += label;
  for (char label : b.labels)
    if (!contains(a.labels, label))
      right += label;
  if (!a.tensor || !b.tensor || e.failed())
    return {};
  Value lhs = arrange(e, a, batch + left + summed), rhs = arrange(e, b, batch + summed + right);
  if (!lhs || !rhs)
    return {};
  SmallVector<SymExpr> lhsDims = sym::getSymbolicDims(lhs.getType()), rhsDims = sym::getSymbolicDims(rhs.getType());
  // Extents of one label agree, or one of them is 1.
  auto unify = [&](size_t inLhs, size_t inRhs) {
    if (lhsDims[inLhs].getConstant() == 1)
      lhsDims[inLhs] = rhsDims[inRhs];
    else
      rhsDims[inRhs] = lhsDims[inLhs];
  };
  for (size_t index = 0; index < batch.size(); ++index)
    unify(index, index);
  for (size_t index = 0; index < summed.size(); ++index)
    unify(batch.size() + left.size() + index, batch.size() + index);
  lhs = e.broadcastTo(lhs, lhsDims);
  rhs = e.broadcastTo(rhs, rhsDims);
  SmallVector<SymExpr> lhsParts = joinParts(e, lhsDims, batch.size(), left.size());
  SmallVector<SymExpr> rhsParts = joinParts(e, rhsDims, batch.size(), summed.size());
  if (hasNull(lhsParts) || hasNull(rhsParts)) {
    e.fail("the number of elements does not fit 64 bits");
    return {};
  }
  Value product = e.create<graph::MatmulOp>({e.reshape(lhs, lhsParts), e.reshape(rhs, rhsParts)});
  SmallVector<SymExpr> dims(lhsDims.begin(), lhsDims.begin() + batch.size() + left.size());
  dims.append(rhsDims.begin() + batch.size() + summed.size(), rhsDims.end());
  return {e.reshape(product, dims), batch + left + right};
}

static void emitEinsum(NodeEmitter &e) {
  std::string equation = e.getString("equation", "");
  auto [inputs, output] = StringRef(equation).split("->");
  bool hasOutput = StringRef(equation).contains("->");
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  if (terms.size() != e.getNumInputs())
    return e.fail("attribute 'equation' has " + Twine(terms.size()) + " terms, expected " + Twine(e.getNumInputs()));
  SmallVector<Labelled> operands;
  int64_t ellipsis = 0;
  for (auto [index, term] : llvm::enumerate(terms)) {
    int64_t letters = llvm::count_if(term, [](char c) { return llvm::isAlpha(c); });
    int64_t count = term.contains("...") ? e.getRank(index) - letters : 0;
    operands.push_back({e.getTensor(index), expandTerm(e, term, count)});
    ellipsis = std::max(ellipsis, count);
    if (static_cast<int64_t>(operands.back().labels.size()) != e.getRank(index))
      return e.fail("term '" + printable(term) + "' has " + Twine(operands.back().labels.size()) + " labels, input " +
                    Twine(index) + " has rank " + Twine(e.getRank(index)));
    takeDiagonals(e, operands.back());
  }
  if (ellipsis >= 64)
    return e.fail("the ellipsis has too many dimensions");
  std::string result;
  if (hasOutput) {
    result = expandTerm(e, output, ellipsis);
  } else {
    // The ellipsis, then the labels that are there once, in alphabetical order.
    std::string all, letters;
    for (const Labelled &operand : operands)
      all += operand.labels;
    for (int64_t index = 0; index < ellipsis; ++index)
      result += static_cast<char>(ellipsis - index);
    for (StringRef term : terms)
      letters += term;
    std::string once;
    for (char label : all)
      if (llvm::isAlpha(label) && StringRef(letters).count(label) == 1)
        once += label;
    llvm::sort(once);
    result += once;
  }
  Labelled total = operands[0];
  for (auto [index, operand] : llvm::enumerate(ArrayRef(operands).drop_front())) {
    std::string needed = result;
    for (const Labelled &later : ArrayRef(operands).drop_front(index + 2))
      needed += later.labels;
    total = contract(e, total, operand, needed);
    if (e.failed())
      return;
  }
  sumUnneeded(e, total, result);
  for (char label : result)
    if (!contains(total.labels, label) || StringRef(result).count(label) != 1)
      return e.fail("the result of attribute 'equation' has a label that is in no term, or twice");
  e.setResult(0, arrange(e, total, result));
}

ArrayRef<OpEntry> mlir::relax::onnx::getEinsumOps() {
  static constexpr OpEntry entries[] = {
      {"Einsum", 12, 1, kVariadic, 1, emitEinsum},
  };
  return entries;
}
