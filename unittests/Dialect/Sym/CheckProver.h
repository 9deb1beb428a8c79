//===- CheckProver.h - One random question, checked ------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Used by the unit tests and by the fuzzer.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_UNITTESTS_DIALECT_SYM_CHECKPROVER_H
#define RELAXDIALECT_UNITTESTS_DIALECT_SYM_CHECKPROVER_H

#include "RandomExpr.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "mlir/IR/MLIRContext.h"

namespace relaxtest {

struct Tally {
  uint64_t questions = 0, definite = 0, missed = 0;
};

/// left op right, as tree and as the library reads it.
struct RandomFact {
  std::unique_ptr<Tree> left, right;
  mlir::relax::sym::Fact::Op op;
  mlir::relax::sym::Fact fact;
  std::string text;

  std::optional<bool> evaluate(const Values &values) const {
    using Op = mlir::relax::sym::Fact::Op;
    std::optional<__int128> x = left->evaluate(values), y = right->evaluate(values);
    if (!x || !y)
      return std::nullopt;
    switch (op) {
    case Op::Equal:
      return *x == *y;
    case Op::LessEqual:
      return *x <= *y;
    case Op::GreaterEqual:
      return *x >= *y;
    case Op::Less:
      return *x < *y;
    case Op::Greater:
      return *x > *y;
    }
    return std::nullopt;
  }
};

class ProverChecker {
public:
  ProverChecker() : context(mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<mlir::relax::sym::RelaxSymDialect>();
  }

  /// Asks one random question; gives what went wrong, or "".
  std::string check(Choices &choices, Tally &tally) {
    using namespace mlir::relax::sym;
    Limits limits;
    limits.symbols = 1 + choices.below(3);
    std::vector<RandomFact> known;
    for (unsigned i = choices.below(4); i > 0; --i)
      if (std::optional<RandomFact> fact = randomFact(choices, 1 + choices.below(2), limits))
        known.push_back(std::move(*fact));
    std::optional<RandomFact> question = randomFact(choices, 1 + choices.below(3), limits);
    if (!question)
      return "";
    std::string text;
    llvm::SmallVector<Fact> facts;
    for (const RandomFact &fact : known) {
      text += fact.text + "; ";
      facts.push_back(fact.fact);
    }
    text += "|- " + question->text;

    Prover prover(&context, facts);
    bool contradictory = prover.isContradictory();
    Explanation why;
    Verdict plain = prover.holds(question->fact);
    if (prover.getSteps() > Prover::kMaxSteps)
      return text + ": too many steps";
    Verdict verdict = prover.holds(question->fact, &why);
    if (plain != verdict)
      return text + ": the answer depends on being explained";
    std::optional<int64_t> lower = prover.lowerBound(question->fact.lhs), upper = prover.upperBound(question->fact.lhs);
    SymExpr simplified = prover.simplify(question->fact.lhs);
    Verdict fits = prover.fitsInteger(question->fact.lhs, 32);

    std::string failure;
    bool seenTrue = false, seenFalse = false;
    auto complain = [&](const std::string &what, const Values &values) {
      if (!failure.empty())
        return;
      failure = text + ": " + what + " for";
      for (unsigned i = 0; i < limits.symbols; ++i)
        failure += std::string(" ") + symbolName(i) + "=" + std::to_string(values[i]);
    };
    forEachValues(limits.symbols, [&](const Values &values) {
      for (const RandomFact &fact : known)
        if (!fact.evaluate(values).value_or(false))
          return;
      std::optional<bool> truth = question->evaluate(values);
      if (!truth)
        return; // no value, no claim
      if (contradictory)
        complain("facts are called contradictory, but hold", values);
      if (verdict == (*truth ? Verdict::False : Verdict::True))
        complain(std::string("answered ") + stringifyVerdict(verdict).str() + ", but it is not so", values);
      (*truth ? seenTrue : seenFalse) = true;
      __int128 value = *question->left->evaluate(values);
      if ((lower && value < *lower) || (upper && value > *upper))
        complain("bounds of the left side are [" + (lower ? std::to_string(*lower) : "-inf") + ", " +
                     (upper ? std::to_string(*upper) : "inf") + "], but it is " + std::to_string((long long)value),
                 values);
      if (fits == Verdict::True && (value > INT32_MAX || value < INT32_MIN))
        complain("the left side does not fit 32 bits", values);
      std::optional<int64_t> simple = simplified.evaluate(
          [&](mlir::StringRef name) -> std::optional<int64_t> { return values[name.front() - 'a']; });
      if (simple && *simple != value)
        complain("simplified to " + simplified.str() + ", which differs", values);
    });
    checkWitness(why.whenTrue, true, known, *question, limits, text, failure);
    checkWitness(why.whenFalse, false, known, *question, limits, text, failure);
    ++tally.questions;
    tally.definite += verdict != Verdict::Depends;
    tally.missed += verdict == Verdict::Depends && seenTrue != seenFalse;
    return failure;
  }

private:
  std::optional<RandomFact> randomFact(Choices &choices, unsigned depth, const Limits &limits) {
    using Op = mlir::relax::sym::Fact::Op;
    static const Op ops[] = {Op::LessEqual, Op::Equal, Op::GreaterEqual, Op::Less, Op::Greater, Op::LessEqual};
    static const char *const spellings[] = {"==", "<=", ">=", "<", ">"};
    RandomFact result;
    result.left = randomTree(choices, depth, limits);
    result.right = randomTree(choices, choices.below(2) ? 0 : depth, limits);
    result.op = ops[choices.below(6)];
    result.text = result.left->text() + " " + spellings[static_cast<int>(result.op)] + " " + result.right->text();
    std::string error;
    mlir::FailureOr<mlir::relax::sym::Fact> fact = mlir::relax::sym::Fact::parse(&context, result.text, error);
    if (failed(fact))
      return std::nullopt;
    result.fact = *fact;
    return result;
  }

  void checkWitness(const std::optional<mlir::relax::sym::Valuation> &witness, bool outcome,
                    const std::vector<RandomFact> &known, const RandomFact &question, const Limits &limits,
                    const std::string &text, std::string &failure) {
    if (!witness || !failure.empty())
      return;
    Values values(limits.symbols, 0);
    for (auto &[name, value] : *witness)
      values[name.front() - 'a'] = value;
    // Simplification may drop a divisor that is not positive here: then there is nothing to compare.
    std::optional<bool> truth = question.evaluate(values);
    bool valid = !truth || *truth == outcome;
    for (const RandomFact &fact : known)
      valid &= fact.evaluate(values).value_or(true);
    if (!valid)
      failure = text + ": a witness is wrong";
  }

  mlir::MLIRContext context;
};

} // namespace relaxtest

#endif // RELAXDIALECT_UNITTESTS_DIALECT_SYM_CHECKPROVER_H
