//===- GraphEinsum.cpp - Equations of relax.einsum ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphEinsum.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// The first dimension from the right that an ellipsis stands for.
static constexpr int64_t kEllipsis = 256;

/// Letters, and -1 for an ellipsis.
static FailureOr<SmallVector<int64_t>> readTerm(StringRef term, std::string &error) {
  SmallVector<int64_t> labels;
  bool hasEllipsis = false;
  while (!term.empty()) {
    if (term.consume_front("...")) {
      if (hasEllipsis) {
        error = "has a second ellipsis in one term";
        return failure();
      }
      hasEllipsis = true;
      labels.push_back(-1);
      continue;
    }
    if (!llvm::isAlpha(term.front())) {
      error = "has the character '" + term.take_front().str() + "'";
      return failure();
    }
    labels.push_back(static_cast<unsigned char>(term.front()));
    term = term.drop_front();
  }
  return labels;
}

/// `count` dimensions in place of the ellipsis.
static SmallVector<int64_t> expandEllipsis(ArrayRef<int64_t> labels, int64_t count) {
  SmallVector<int64_t> result;
  for (int64_t label : labels) {
    if (label != -1) {
      result.push_back(label);
      continue;
    }
    for (int64_t dim = count; dim-- != 0;)
      result.push_back(kEllipsis + dim);
  }
  return result;
}

FailureOr<EinsumEquation> EinsumEquation::parse(StringRef text, ArrayRef<int64_t> ranks, std::string &error) {
  std::string packed;
  for (char c : text)
    if (c != ' ')
      packed += c;
  StringRef left(packed), right;
  bool hasOutput = left.contains("->");
  std::tie(left, right) = left.split("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != ranks.size()) {
    error = "has " + std::to_string(terms.size()) + " operands, but there are " + std::to_string(ranks.size());
    return failure();
  }

  EinsumEquation equation;
  int64_t widest = 0;
  std::map<int64_t, int64_t> count;
  for (auto [index, term] : llvm::enumerate(terms)) {
    FailureOr<SmallVector<int64_t>> labels = readTerm(term, error);
    if (failed(labels))
      return failure();
    int64_t letters = llvm::count_if(*labels, [](int64_t label) { return label != -1; });
    bool hasEllipsis = letters != static_cast<int64_t>(labels->size());
    if (hasEllipsis ? letters > ranks[index] : letters != ranks[index]) {
      error = "has " + std::to_string(letters) + " letters for operand " + std::to_string(index) + " of rank " +
              std::to_string(ranks[index]);
      return failure();
    }
    if (hasEllipsis)
      widest = std::max(widest, ranks[index] - letters);
    equation.inputs.push_back(expandEllipsis(*labels, ranks[index] - letters));
    for (int64_t label : equation.inputs.back())
      ++count[label];
  }
  if (!hasOutput) {
    for (int64_t dim = widest; dim-- != 0;)
      equation.output.push_back(kEllipsis + dim);
    for (auto [label, uses] : count)
      if (label < kEllipsis && uses == 1)
        equation.output.push_back(label);
    return equation;
  }
  FailureOr<SmallVector<int64_t>> labels = readTerm(right, error);
  if (failed(labels))
    return failure();
  equation.output = expandEllipsis(*labels, widest);
  for (auto [index, label] : llvm::enumerate(equation.output)) {
    if (!count.count(label)) {
      error = "has '" + std::string(1, static_cast<char>(label)) + "' in the result, but in no operand";
      return failure();
    }
    if (llvm::is_contained(ArrayRef(equation.output).take_front(index), label)) {
      error = "has '" + std::string(1, static_cast<char>(label)) + "' twice in the result";
      return failure();
    }
  }
  return equation;
}

FailureOr<RankedTensorType> EinsumOp::inferType(TypeInference &inference, Adaptor adaptor) {
  if (adaptor.getOperands().empty())
    return inference.fail("expects at least one operand");
  SmallVector<int64_t> ranks;
  for (Value operand : adaptor.getOperands()) {
    if (failed(inference.requireSameElementType(adaptor.getOperands()[0].getType(), operand.getType())))
      return failure();
    ranks.push_back(cast<RankedTensorType>(operand.getType()).getRank());
  }
  std::string error;
  FailureOr<EinsumEquation> equation = EinsumEquation::parse(adaptor.getEquation(), ranks, error);
  if (failed(equation))
    return inference.fail("equation \"", adaptor.getEquation(), "\" ", error);

  SymExpr one = inference.constant(1);
  std::map<int64_t, SymExpr> extents;
  for (auto [index, labels] : llvm::enumerate(equation->inputs)) {
    SmallVector<SymExpr> dims = sym::getSymbolicDims(adaptor.getOperands()[index].getType());
    for (auto [dim, label] : llvm::enumerate(labels)) {
      auto [known, isNew] = extents.try_emplace(label, dims[dim]);
      if (isNew || dims[dim] == one)
        continue;
      // An extent of 1 repeats.
      if (known->second && known->second != one &&
          failed(inference.requireEqual("dimension " + Twine(dim) + " of operand " + Twine(index), dims[dim],
                                        known->second)))
        return failure();
      if (!known->second || known->second == one || (dims[dim] && dims[dim].getConstant()))
        known->second = dims[dim];
    }
  }
  SmallVector<SymExpr> result;
  for (int64_t label : equation->output)
    result.push_back(extents[label]);
  return inference.makeType(result, getElementTypeOrSelf(adaptor.getOperands()[0].getType()));
}
