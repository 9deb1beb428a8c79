//===- Samples.cpp - Inputs for validation --------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Samples.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::interp;
using namespace relax_opt;
using sym::SymExpr;

namespace {

constexpr int64_t kMaxElements = 4096; // of one input
constexpr unsigned kTries = 4000;

using Sizes = std::map<std::string, int64_t>;

/// How the elements of a sample are chosen.
enum class Style { Small, Plain, Special };

class Sampler {
public:
  Sampler(func::FuncOp function, uint64_t seed) : function(function), generator(seed) {}

  std::vector<Sample> run(unsigned count);

private:
  uint64_t pick(uint64_t bound) {
    return generator() % bound;
  } // not std::uniform_int_distribution: it differs by library
  bool satisfies(const Sizes &sizes);
  void collectPool(const sym::Fact &fact);
  void findSizes(unsigned count);
  void tryEqual(int64_t value);
  void accept(const Sizes &sizes);
  Sample makeSample(const Sizes &sizes, Style style);
  Tensor makeTensor(RankedTensorType type, const Sizes &sizes, Style style, int64_t unknown);
  double makeFloat(Type type, Style style);
  int64_t makeInt(Type type, Style style);

  func::FuncOp function;
  std::mt19937_64 generator;
  std::vector<int64_t> pool = {0, 1, 2, 3, 4, 5, 7, 8, 13, 16};
  SmallVector<StringRef> symbols;
  std::vector<Sizes> found;
  std::set<Sizes> seen;
};

std::optional<int64_t> evaluate(SymExpr expr, const Sizes &sizes) {
  return expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
    auto at = sizes.find(name.str());
    return at == sizes.end() ? std::nullopt : std::optional<int64_t>(at->second);
  });
}

} // namespace

/// Constants of the facts, and their neighbours, are where behaviour changes.
void Sampler::collectPool(const sym::Fact &fact) {
  for (SymExpr side : {fact.lhs, fact.rhs})
    for (const sym::SymTerm &term : sym::getTerms(side))
      for (int64_t value : {term.coefficient - 1, term.coefficient, term.coefficient + 1, 2 * term.coefficient})
        if (value > 0 && value <= kMaxElements && !llvm::is_contained(pool, value))
          pool.push_back(value);
}

bool Sampler::satisfies(const Sizes &sizes) {
  if (auto scope = function->getAttrOfType<sym::ScopeAttr>(sym::kScopeAttrName))
    for (const sym::Fact &fact : scope.getFacts()) {
      auto value = [&](StringRef name) { return evaluate(SymExpr::symbol(function.getContext(), name), sizes); };
      std::optional<bool> holds = fact.evaluate(value);
      // What has no value is about a size that is found while running.
      if (holds && !*holds)
        return false;
    }
  for (Type type : function.getArgumentTypes()) {
    int64_t product = 1;
    for (SymExpr expr : sym::getSymbolicDims(type)) {
      std::optional<int64_t> value = expr ? evaluate(expr, sizes) : std::optional<int64_t>(1);
      if (!value || *value < 0 || *value > kMaxElements)
        return false;
      product *= std::max<int64_t>(*value, 1);
      if (product > kMaxElements)
        return false;
    }
  }
  return true;
}

void Sampler::accept(const Sizes &sizes) {
  if (satisfies(sizes) && seen.insert(sizes).second)
    found.push_back(sizes);
}

void Sampler::tryEqual(int64_t value) {
  Sizes sizes;
  for (StringRef symbol : symbols)
    sizes[symbol.str()] = value;
  accept(sizes);
}

void Sampler::findSizes(unsigned count) {
  for (Type type : function.getArgumentTypes())
    sym::collectSymbols(type, symbols);
  if (auto scope = function->getAttrOfType<sym::ScopeAttr>(sym::kScopeAttrName))
    for (const sym::Fact &fact : scope.getFacts())
      collectPool(fact);
  tryEqual(0);
  tryEqual(1);
  for (unsigned i = 0; i != kTries && found.size() < count && !symbols.empty(); ++i) {
    Sizes sizes;
    for (StringRef symbol : symbols)
      sizes[symbol.str()] = pool[pick(pool.size())];
    accept(sizes);
  }
}

double Sampler::makeFloat(Type type, Style style) {
  static const double specials[] = {0.0,
                                    -0.0,
                                    std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::quiet_NaN(),
                                    1e30,
                                    -1e-30,
                                    0.5,
                                    -2.5};
  if (style == Style::Special && pick(3) == 0)
    return specials[pick(std::size(specials))];
  // Small numbers with few digits make exact sums; others do not.
  if (style == Style::Small)
    return static_cast<double>(pick(17)) / 4 - 2;
  return static_cast<double>(pick(1 << 20)) / (1 << 18) - 2;
}

int64_t Sampler::makeInt(Type type, Style style) {
  if (type.isInteger(1))
    return static_cast<int64_t>(pick(2));
  if (style == Style::Small)
    return static_cast<int64_t>(pick(3));
  if (style == Style::Plain || pick(3) != 0)
    return static_cast<int64_t>(pick(9)) - 3;
  unsigned width = type.getIntOrFloatBitWidth();
  return static_cast<int64_t>(pick(2) ? APInt::getSignedMaxValue(width).getSExtValue()
                                      : APInt::getSignedMinValue(width).getSExtValue());
}

Tensor Sampler::makeTensor(RankedTensorType type, const Sizes &sizes, Style style, int64_t unknown) {
  SmallVector<int64_t> dims;
  for (SymExpr expr : sym::getSymbolicDims(type))
    dims.push_back(expr ? evaluate(expr, sizes).value_or(0) : pick(4) == 0 ? static_cast<int64_t>(pick(4)) : unknown);
  Tensor tensor(type.getElementType(), dims);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.isFloat())
      tensor.setFloat(i, makeFloat(type.getElementType(), style));
    else
      tensor.setInt(i, makeInt(type.getElementType(), style));
  }
  tensor.clearErrors();
  return tensor;
}

Sample Sampler::makeSample(const Sizes &sizes, Style style) {
  Sample sample;
  for (const auto &[name, value] : sizes)
    sample.sizes += (sample.sizes.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  auto unknown = static_cast<int64_t>(pick(5));
  for (Type type : function.getArgumentTypes()) {
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      sample.inputs.push_back(makeTensor(tensor, sizes, style, unknown));
      continue;
    }
    SmallVector<SymExpr> entries = sym::getSymbolicDims(type);
    Tensor list(IntegerType::get(type.getContext(), 64), {static_cast<int64_t>(entries.size())});
    for (auto [index, expr] : llvm::enumerate(entries))
      list.setInt(index, expr ? evaluate(expr, sizes).value_or(0) : unknown);
    sample.inputs.push_back(std::move(list));
  }
  return sample;
}

std::vector<Sample> Sampler::run(unsigned count) {
  for (Type type : function.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor ? !isSupportedElement(tensor.getElementType()) : !isa<graph::ShapeType>(type))
      return {};
  }
  findSizes(count);
  std::vector<Sample> samples;
  constexpr Style styles[] = {Style::Small, Style::Small, Style::Plain, Style::Small, Style::Special, Style::Plain};
  for (unsigned i = 0; i != count && !found.empty(); ++i)
    samples.push_back(makeSample(found[i % found.size()], styles[i % std::size(styles)]));
  return samples;
}

std::vector<Sample> relax_opt::makeSamples(func::FuncOp function, unsigned count, uint64_t seed) {
  return Sampler(function, seed).run(count);
}
