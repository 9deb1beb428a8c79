//===- prover-fuzz.cpp - Many random questions against brute force ---------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//   prover-fuzz COUNT [SEED]
//
// Each round makes up to three facts and asks questions under them. A definite
// answer, a bound, a simplification or a witness that some grid point refutes
// is an error. The grid holds all small values of each symbol and some larger
// ones; trees have their own evaluation, so nothing of the library is trusted.
//
//===----------------------------------------------------------------------===//

#include "../../unittests/Dialect/Sym/RandomExpr.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "mlir/IR/MLIRContext.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::relax::sym;
using namespace relaxtest;

namespace {
/// Values of one tree at every point; `defined` is 0 where a divisor is not positive.
struct Column {
  std::vector<int64_t> values;
  std::vector<uint8_t> defined;
};

/// The points, one column per symbol. Values are at most 101 and trees at most 3 deep, so int64 never overflows.
struct Grid {
  std::vector<std::vector<int64_t>> symbols;
  size_t size = 0;

  explicit Grid(unsigned count) : symbols(count) {
    forEachValues(
        count,
        [&](const Values &values) {
          for (int64_t value : values)
            if (value > 101)
              return;
          for (unsigned i = 0; i < count; ++i)
            symbols[i].push_back(values[i]);
          ++size;
        },
        count == 1   ? 40
        : count == 2 ? 12
                     : 7);
  }

  void keep(const std::vector<uint8_t> &mask) {
    for (std::vector<int64_t> &symbol : symbols) {
      size_t kept = 0;
      for (size_t i = 0; i < size; ++i)
        if (mask[i])
          symbol[kept++] = symbol[i];
      symbol.resize(kept);
    }
    size = symbols.empty() ? 0 : symbols[0].size();
  }

  Column evaluate(const Tree &tree) const {
    Column result;
    if (tree.kind == Tree::Constant) {
      result.values.assign(size, tree.value);
      result.defined.assign(size, 1);
      return result;
    }
    if (tree.kind == Tree::Symbol) {
      result.values = symbols[tree.value];
      result.defined.assign(size, 1);
      return result;
    }
    result = evaluate(*tree.left);
    Column right = evaluate(*tree.right);
    for (size_t i = 0; i < size; ++i) {
      int64_t x = result.values[i], y = right.values[i];
      result.defined[i] &= right.defined[i];
      int64_t &out = result.values[i];
      switch (tree.kind) {
      case Tree::Add:
        out = x + y;
        break;
      case Tree::Sub:
        out = x - y;
        break;
      case Tree::Mul:
        out = x * y;
        break;
      case Tree::Min:
        out = x < y ? x : y;
        break;
      case Tree::Max:
        out = x > y ? x : y;
        break;
      default: {
        if (y <= 0) {
          result.defined[i] = 0;
          out = 0;
          break;
        }
        int64_t rest = ((x % y) + y) % y;
        out = tree.kind == Tree::Mod ? rest : (x - rest) / y + (tree.kind == Tree::CeilDiv && rest != 0);
      }
      }
    }
    return result;
  }
};

struct Comparison {
  std::unique_ptr<Tree> left, right;
  Fact fact;
  std::string text;
};

bool holds(Fact::Op op, int64_t x, int64_t y) {
  switch (op) {
  case Fact::Op::Equal:
    return x == y;
  case Fact::Op::LessEqual:
    return x <= y;
  case Fact::Op::GreaterEqual:
    return x >= y;
  case Fact::Op::Less:
    return x < y;
  case Fact::Op::Greater:
    return x > y;
  }
  return false;
}

struct Counts {
  uint64_t verdicts = 0, definite = 0, bounds = 0, simplified = 0, depends = 0, unwitnessed = 0, wrong = 0,
           maxSteps = 0;
  uint64_t total() const { return verdicts + bounds + simplified; }
};

class Fuzzer {
public:
  explicit Fuzzer(Counts &counts) : counts(counts), context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<RelaxSymDialect>();
  }

  void round(uint64_t seed) {
    Choices choices(seed);
    limits.symbols = 1 + choices.below(3);
    Grid grid(limits.symbols);
    SmallVector<Fact> facts;
    text.clear();
    for (unsigned i = choices.below(4); i > 0; --i) {
      std::optional<Comparison> fact = random(choices, 1 + choices.below(2));
      if (!fact)
        continue;
      facts.push_back(fact->fact);
      text += fact->text + "; ";
      Column left = grid.evaluate(*fact->left), right = grid.evaluate(*fact->right);
      for (size_t point = 0; point < grid.size; ++point)
        left.defined[point] &= right.defined[point] && holds(fact->fact.op, left.values[point], right.values[point]);
      grid.keep(left.defined);
    }
    Prover prover(&context, facts);
    if (prover.isContradictory()) {
      ++counts.verdicts;
      ++counts.definite;
      if (grid.size != 0)
        complain(seed, "facts are called contradictory, but hold somewhere");
      return;
    }
    // Mostly small questions, as passes ask them; a third goes deeper.
    static const unsigned depths[] = {1, 1, 2, 1, 2, 3};
    for (unsigned i = 0; i < 16; ++i)
      if (std::optional<Comparison> question = random(choices, depths[choices.below(6)]))
        ask(seed, prover, grid, facts, *question, i);
  }

private:
  std::optional<Comparison> random(Choices &choices, unsigned depth) {
    static const Fact::Op ops[] = {Fact::Op::LessEqual, Fact::Op::Equal,   Fact::Op::GreaterEqual,
                                   Fact::Op::Less,      Fact::Op::Greater, Fact::Op::LessEqual};
    static const char *const spellings[] = {"==", "<=", ">=", "<", ">"};
    Comparison result;
    result.left = randomTree(choices, depth, limits);
    result.right = randomTree(choices, choices.below(2) ? 0 : depth, limits);
    Fact::Op op = ops[choices.below(6)];
    result.text = result.left->text() + " " + spellings[static_cast<int>(op)] + " " + result.right->text();
    std::string error;
    FailureOr<Fact> fact = Fact::parse(&context, result.text, error);
    if (failed(fact))
      return std::nullopt;
    result.fact = *fact;
    return result;
  }

  void ask(uint64_t seed, Prover &prover, const Grid &grid, ArrayRef<Fact> facts, const Comparison &question,
           unsigned number) {
    Explanation why;
    bool explained = number == 0;
    Verdict verdict = prover.holds(question.fact, explained ? &why : nullptr);
    ++counts.verdicts;
    counts.definite += verdict != Verdict::Depends;
    counts.maxSteps = std::max<uint64_t>(counts.maxSteps, prover.getSteps());
    Column left = grid.evaluate(*question.left), right = grid.evaluate(*question.right);
    for (size_t i = 0; i < grid.size; ++i) {
      if (!left.defined[i] || !right.defined[i])
        continue; // no value, no claim
      bool truth = holds(question.fact.op, left.values[i], right.values[i]);
      if (verdict == (truth ? Verdict::False : Verdict::True)) {
        complain(seed, question.text + ": answered " + stringifyVerdict(verdict).str() + ", but it is not so");
        break;
      }
    }
    if (explained && verdict == Verdict::Depends) {
      ++counts.depends;
      counts.unwitnessed += !why.isWitnessed();
      checkWitness(seed, facts, question, why.whenTrue, true);
      checkWitness(seed, facts, question, why.whenFalse, false);
    }
    if (number != 1)
      return;
    std::optional<int64_t> lower = prover.lowerBound(question.fact.lhs), upper = prover.upperBound(question.fact.lhs);
    SymExpr simplified = prover.simplify(question.fact.lhs);
    counts.bounds += 2;
    ++counts.simplified;
    counts.maxSteps = std::max<uint64_t>(counts.maxSteps, prover.getSteps());
    for (size_t i = 0; i < grid.size; ++i) {
      if (!left.defined[i])
        continue;
      int64_t value = left.values[i];
      if ((lower && value < *lower) || (upper && value > *upper)) {
        complain(seed, question.left->text() + ": a bound is wrong");
        break;
      }
      std::optional<int64_t> simple = simplified.evaluate(
          [&](StringRef name) -> std::optional<int64_t> { return grid.symbols[name.front() - 'a'][i]; });
      if (simple && *simple != value) {
        complain(seed, question.left->text() + ": simplified to " + simplified.str());
        break;
      }
    }
  }

  void checkWitness(uint64_t seed, ArrayRef<Fact> facts, const Comparison &question,
                    const std::optional<Valuation> &witness, bool outcome) {
    if (!witness)
      return;
    Values values(limits.symbols, 1);
    for (auto &[name, value] : *witness)
      values[name.front() - 'a'] = value;
    std::optional<__int128> left = question.left->evaluate(values), right = question.right->evaluate(values);
    auto lookup = [&](StringRef name) -> std::optional<int64_t> { return values[name.front() - 'a']; };
    bool valid = llvm::all_of(facts, [&](const Fact &fact) { return fact.evaluate(lookup).value_or(true); });
    // Reading may have dropped a divisor that is not positive here: then there is nothing to compare.
    if (left && right && *left < INT64_MAX && *left > INT64_MIN && *right < INT64_MAX && *right > INT64_MIN)
      valid &= holds(question.fact.op, static_cast<int64_t>(*left), static_cast<int64_t>(*right)) == outcome;
    if (!valid)
      complain(seed, question.text + ": a witness is wrong");
  }

  void complain(uint64_t seed, const std::string &what) {
    ++counts.wrong;
    std::printf("seed %llu: %s|- %s\n", static_cast<unsigned long long>(seed), text.c_str(), what.c_str());
    std::fflush(stdout);
  }

  Counts &counts;
  MLIRContext context;
  Limits limits;
  std::string text;
};
} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3 || argv[1][0] < '0' || argv[1][0] > '9') {
    std::fprintf(stderr, "usage: prover-fuzz COUNT [SEED]\n");
    return 2;
  }
  uint64_t wanted = std::strtoull(argv[1], nullptr, 10), seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  Counts counts;
  auto start = std::chrono::steady_clock::now();
  auto report = [&](const char *prefix) {
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf(
        "%s%llu questions in %.0f s (next seed %llu): %llu verdicts, %llu of them definite; %llu bounds, %llu "
        "simplifications; %llu explained depends, %llu without two valuations; at most %llu steps; %llu wrong\n",
        prefix, static_cast<unsigned long long>(counts.total()), seconds, static_cast<unsigned long long>(seed),
        static_cast<unsigned long long>(counts.verdicts), static_cast<unsigned long long>(counts.definite),
        static_cast<unsigned long long>(counts.bounds), static_cast<unsigned long long>(counts.simplified),
        static_cast<unsigned long long>(counts.depends), static_cast<unsigned long long>(counts.unwitnessed),
        static_cast<unsigned long long>(counts.maxSteps), static_cast<unsigned long long>(counts.wrong));
    std::fflush(stdout);
  };
  for (unsigned batch = 1; counts.total() < wanted; ++batch) {
    // Expressions live as long as their context.
    Fuzzer fuzzer(counts);
    for (unsigned i = 0; i < 500 && counts.total() < wanted; ++i)
      fuzzer.round(seed++);
    if (batch % 100 == 0)
      report("... ");
  }
  report("");
  return counts.wrong != 0;
}
