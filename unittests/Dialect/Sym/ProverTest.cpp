//===- ProverTest.cpp - Questions with known answers --------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::relax::sym;

namespace {
struct ProverTest : testing::Test {
  ProverTest() { context.loadDialect<RelaxSymDialect>(); }

  SymExpr expr(StringRef text) {
    std::string error;
    SymExpr result = SymExpr::parse(&context, text, error);
    EXPECT_TRUE(result) << error;
    return result;
  }
  Fact fact(StringRef text) {
    std::string error;
    FailureOr<Fact> result = Fact::parse(&context, text, error);
    EXPECT_TRUE(succeeded(result)) << error;
    return *result;
  }
  SmallVector<Fact> facts(std::initializer_list<StringRef> texts) {
    SmallVector<Fact> result;
    for (StringRef text : texts)
      result.push_back(fact(text));
    return result;
  }
  Verdict ask(std::initializer_list<StringRef> known, StringRef question) {
    Prover prover(&context, facts(known));
    return prover.holds(fact(question));
  }
  Solution solve(std::initializer_list<StringRef> known, ArrayRef<std::pair<StringRef, StringRef>> texts,
                 StringRef unknowns) {
    Prover prover(&context, facts(known));
    SmallVector<std::pair<SymExpr, SymExpr>> equations;
    for (auto [pattern, value] : texts)
      equations.push_back({expr(pattern), expr(value)});
    return prover.solve(equations, [&](StringRef name) { return unknowns.contains(name); });
  }

  MLIRContext context;
};

TEST_F(ProverTest, ThreeValues) {
  EXPECT_EQ(ask({}, "n * m == m * n"), Verdict::True);
  EXPECT_EQ(ask({}, "n + 1 == n"), Verdict::False);
  EXPECT_EQ(ask({}, "n == 1"), Verdict::Depends);
  EXPECT_EQ(ask({}, "2 * n == 4 * m + 1"), Verdict::False);
  EXPECT_EQ(ask({"n >= 1", "m >= 1"}, "n * m >= 1"), Verdict::True);
  EXPECT_EQ(ask({}, "n * m >= 1"), Verdict::Depends);
}

TEST_F(ProverTest, NullIsDepends) {
  Prover prover(&context);
  SymExpr null, n = expr("n");
  EXPECT_EQ(prover.isEqual(null, n), Verdict::Depends);
  EXPECT_EQ(prover.isEqual(null, null), Verdict::Depends);
  EXPECT_EQ(prover.isLessEqual(n, null), Verdict::Depends);
  EXPECT_EQ(prover.isDivisible(null, n), Verdict::Depends);
  EXPECT_EQ(prover.sameNumElements({null}, {null}), Verdict::Depends);
  EXPECT_FALSE(prover.upperBound(null));
  EXPECT_FALSE(prover.lowerBound(null));
  EXPECT_EQ(prover.fitsInteger(null, 64), Verdict::Depends);
  EXPECT_FALSE(prover.simplify(null));
  EXPECT_EQ(prover.broadcast(null, n).legal, Verdict::Depends);
}

TEST_F(ProverTest, ZeroSizes) {
  EXPECT_EQ(ask({}, "n >= 0"), Verdict::True);
  EXPECT_EQ(ask({}, "n >= 1"), Verdict::Depends);
  EXPECT_EQ(ask({"n <= 0"}, "n == 0"), Verdict::True);
  EXPECT_EQ(ask({"n <= 0"}, "n * m == 0"), Verdict::True);
  Prover prover(&context);
  EXPECT_EQ(prover.sameNumElements({expr("n"), expr("6")}, {expr("n"), expr("4")}), Verdict::Depends);
  EXPECT_EQ(prover.sameNumElements({}, {expr("1")}), Verdict::True);
  EXPECT_EQ(prover.sameNumElements({expr("n"), expr("0")}, {expr("0")}), Verdict::True);
}

TEST_F(ProverTest, DivisorsAreObligations) {
  EXPECT_EQ(ask({}, "n floordiv m <= n"), Verdict::Depends);
  EXPECT_EQ(ask({"m >= 1"}, "n floordiv m <= n"), Verdict::True);
  Prover prover(&context, facts({"n mod m == 0"})); // was evaluated: m >= 1
  EXPECT_EQ(prover.isLessEqual(expr("1"), expr("m")), Verdict::True);
  EXPECT_EQ(prover.isDivisible(expr("n"), expr("m")), Verdict::True);
  Prover free(&context);
  EXPECT_EQ(free.isDivisible(expr("n * m"), expr("m")), Verdict::Depends);
}

TEST_F(ProverTest, Contradictions) {
  std::string reason;
  Prover prover(&context, facts({"k >= 2", "n >= 5", "n <= 3"}));
  EXPECT_TRUE(prover.isContradictory(&reason));
  EXPECT_EQ(reason, "n >= 5; n <= 3");
  EXPECT_EQ(prover.isEqual(expr("n"), expr("n")), Verdict::Depends);
  Prover parity(&context, facts({"n mod 2 == 1", "n mod 4 == 0"}));
  EXPECT_TRUE(parity.isContradictory());
  Prover fine(&context, facts({"n >= 3", "n <= 3"}));
  EXPECT_FALSE(fine.isContradictory());
}

TEST_F(ProverTest, Bounds) {
  bool exact = false;
  Prover prover(&context, facts({"u <= n * m", "n <= 96", "m <= 128", "a + b <= 10"}));
  EXPECT_EQ(prover.upperBound(expr("u * 4"), &exact), 49152);
  EXPECT_TRUE(exact);
  EXPECT_EQ(prover.upperBound(expr("a * b"), &exact), 25);
  EXPECT_TRUE(exact);
  EXPECT_EQ(prover.lowerBound(expr("n - m"), &exact), -128);
  EXPECT_TRUE(exact);
  EXPECT_FALSE(prover.upperBound(expr("n * k"), &exact));
  EXPECT_FALSE(exact);
  EXPECT_EQ(prover.upperBound(expr("7"), &exact), 7);
  EXPECT_TRUE(exact);
}

TEST_F(ProverTest, Widths) {
  Prover prover(&context, facts({"n <= 1048576", "m <= 1048576", "k <= 1048576"}));
  EXPECT_EQ(prover.fitsInteger(expr("n * m * k * 8"), 64), Verdict::False);
  EXPECT_EQ(prover.fitsInteger(expr("n * m * k * 4"), 64), Verdict::True);
  EXPECT_EQ(prover.fitsInteger(expr("n * 2047"), 32), Verdict::True);
  EXPECT_EQ(prover.fitsInteger(expr("n * 2048"), 32), Verdict::False);
  EXPECT_EQ(prover.fitsInteger(expr("free"), 64), Verdict::True);
  EXPECT_EQ(prover.fitsInteger(expr("free * 4"), 64), Verdict::False);
}

TEST_F(ProverTest, Broadcast) {
  Prover prover(&context, facts({"m >= 2", "s >= 1"}));
  BroadcastResult result = prover.broadcast(expr("n"), expr("1"));
  EXPECT_EQ(result.legal, Verdict::True);
  EXPECT_EQ(result.extent, expr("n"));
  result = prover.broadcast(expr("n"), expr("m"));
  EXPECT_EQ(result.legal, Verdict::Depends);
  EXPECT_EQ(result.extent, expr("m"));
  result = prover.broadcast(expr("n"), expr("0"));
  EXPECT_EQ(result.legal, Verdict::Depends);
  EXPECT_EQ(result.extent, expr("0"));
  result = prover.broadcast(expr("n"), expr("k"));
  EXPECT_FALSE(result.extent);
  result = prover.broadcast(expr("p + s"), expr("s"));
  EXPECT_EQ(result.extent, expr("p + s"));
  result = prover.broadcast(expr("m"), expr("m + 1"));
  EXPECT_EQ(result.legal, Verdict::False);
}

TEST_F(ProverTest, Explanations) {
  Prover prover(&context, facts({"n >= 3", "k <= 4"}));
  Explanation why;
  EXPECT_EQ(prover.isLessEqual(expr("n"), expr("8"), &why), Verdict::Depends);
  ASSERT_TRUE(why.whenTrue && why.whenFalse);
  // A valuation of all symbols that the facts mention, sorted by name.
  ASSERT_EQ(why.whenTrue->size(), 2u);
  EXPECT_EQ((*why.whenTrue)[0].first, "k");
  EXPECT_LE((*why.whenTrue)[0].second, 4);
  EXPECT_EQ((*why.whenTrue)[1].first, "n");
  EXPECT_LE((*why.whenTrue)[1].second, 8);
  EXPECT_GT((*why.whenFalse)[1].second, 8);
  Explanation proof;
  EXPECT_EQ(prover.isLessEqual(expr("2"), expr("n"), &proof), Verdict::True);
  EXPECT_FALSE(proof.steps.empty());
}

TEST_F(ProverTest, DependsIsWitnessed) {
  struct {
    std::vector<StringRef> known;
    StringRef question;
  } cases[] = {
      {{}, "n * m == 12"},
      {{"b <= k * m"}, "(b + 3) floordiv 4 <= 4 * (m + k)"},
      {{"n mod 7 == 3", "m mod 5 == 2"}, "n == m"},
      {{"a * b == c + d"}, "a == c"},
      {{"n * n <= 400"}, "n * m <= 399"},
      {{"max(a, b) == c", "a + b >= 9"}, "2 * c == a + b"},
      {{}, "n floordiv m <= n"}, // no value for m == 0
  };
  for (auto &[known, question] : cases) {
    SmallVector<Fact> list;
    for (StringRef text : known)
      list.push_back(fact(text));
    Prover prover(&context, list);
    ExplainedVerdict answer = prover.explain(fact(question));
    EXPECT_EQ(answer.verdict, Verdict::Depends) << question.str();
    EXPECT_TRUE(answer.why.isWitnessed()) << question.str() << ": " << answer.why.str();
    EXPECT_LE(answer.why.work, 2 * Prover::kMaxSteps);
    // Checked once more, by evaluation.
    for (const std::optional<Valuation> *witness : {&answer.why.whenTrue, &answer.why.whenFalse}) {
      if (!*witness)
        continue;
      auto value = [&](StringRef name) -> std::optional<int64_t> {
        for (auto &[symbol, number] : **witness)
          if (symbol == name)
            return number;
        return std::nullopt;
      };
      for (const Fact &given : list)
        EXPECT_EQ(given.evaluate(value), true) << question.str();
      EXPECT_EQ(fact(question).evaluate(value), witness == &answer.why.whenTrue) << question.str();
    }
  }
}

TEST_F(ProverTest, SymbolicResidues) {
  EXPECT_EQ(ask({"h >= 1", "s mod h == 0", "k mod h == 0"}, "(s + k) mod h == 0"), Verdict::True);
  EXPECT_EQ(ask({"h >= 1", "s mod h == 0"}, "(s * n) mod h == 0"), Verdict::True);
  EXPECT_EQ(ask({"h >= 1", "s mod h == r"}, "r + 1 <= h"), Verdict::True);
  EXPECT_EQ(ask({"h >= 1", "s mod h == r"}, "(s - r) mod h == 0"), Verdict::True);
  EXPECT_EQ(ask({"h >= 1", "s mod h == 2"}, "s == 1"), Verdict::False);
}

TEST_F(ProverTest, Remainders) {
  EXPECT_EQ(ask({"m >= 1"}, "(m + 5) * (m - 4) == 4 * m + 4 * n + 9"), Verdict::False);
  EXPECT_EQ(ask({}, "n * n == 3 * m + 2"), Verdict::False);
  EXPECT_EQ(ask({}, "n * (n + 1) * (n + 2) * (n + 3) mod 24 == 0"), Verdict::True);
}

TEST_F(ProverTest, InteriorMaxima) {
  Prover prover(&context, facts({"h + m <= 58"}));
  EXPECT_EQ(prover.upperBound(expr("h * m + 9 * h")), 1122);
  Prover free(&context);
  EXPECT_EQ(free.upperBound(expr("5 * n - n * n")), 6);
  EXPECT_EQ(free.lowerBound(expr("n * n - 7 * n")), -12);
}

TEST_F(ProverTest, Simplify) {
  Prover prover(&context, facts({"n <= 1024", "n mod 4 == 0", "m >= 5"}));
  EXPECT_EQ(prover.simplify(expr("min(n, 1024)")), expr("n"));
  EXPECT_EQ(prover.simplify(expr("(n floordiv 4) * 4")), expr("n"));
  EXPECT_EQ(prover.simplify(expr("max(m - 5, 0)")), expr("m - 5"));
  EXPECT_EQ(prover.simplify(expr("n floordiv 2048")), expr("0"));
  EXPECT_EQ(prover.simplify(expr("k")), expr("k"));
}

TEST_F(ProverTest, Solve) {
  Solution solution = solve({}, {{"n", "16"}, {"m", "16"}, {"n * m", "256"}}, "nm");
  EXPECT_EQ(solution.kind, Solution::Kind::Solved);
  EXPECT_TRUE(solution.checks.empty());
  solution = solve({}, {{"n", "16"}, {"m", "16"}, {"n * m", "255"}}, "nm");
  EXPECT_EQ(solution.kind, Solution::Kind::Contradiction);
  EXPECT_EQ(solution.reason, "m * n = 255 does not hold");

  // Only known at run time: a value and what has to be checked.
  solution = solve({}, {{"n * 2", "x"}}, "n");
  ASSERT_EQ(solution.kind, Solution::Kind::Solved);
  EXPECT_EQ(solution.values.lookup("n"), expr("x floordiv 2"));
  ASSERT_EQ(solution.checks.size(), 1u);
  EXPECT_EQ(solution.checks[0].first, expr("(x floordiv 2) * 2"));
  solution = solve({}, {{"n + 1", "x"}}, "n");
  ASSERT_EQ(solution.checks.size(), 1u); // n >= 0
  EXPECT_EQ(solution.checks[0].first, expr("max(x - 1, 0)"));

  EXPECT_EQ(solve({}, {{"n * m", "12"}}, "nm").kind, Solution::Kind::Ambiguous);
  EXPECT_EQ(solve({}, {{"n floordiv 2", "3"}}, "n").kind, Solution::Kind::Ambiguous);
  EXPECT_EQ(solve({}, {{"n + m", "7"}, {"n - m", "2"}}, "nm").kind, Solution::Kind::Contradiction);
  EXPECT_EQ(solve({}, {{"n * m", "0"}, {"m", "0"}}, "nm").kind, Solution::Kind::Ambiguous);
  solution = solve({}, {{"n * n", "9"}}, "n"); // one size only
  EXPECT_EQ(solution.kind, Solution::Kind::Solved);
  EXPECT_EQ(solution.values.lookup("n"), expr("3"));
  EXPECT_EQ(solve({}, {{"n * n", "8"}}, "n").kind, Solution::Kind::Contradiction);
  solution = solve({}, {{"n floordiv 2", "3"}, {"n mod 2", "1"}}, "n");
  EXPECT_EQ(solution.values.lookup("n"), expr("7"));
  EXPECT_EQ(solve({"k >= 1"}, {{"n * k", "x"}}, "n").kind, Solution::Kind::Solved);
  EXPECT_EQ(solve({}, {{"n * k", "x"}}, "n").kind, Solution::Kind::Ambiguous);
}

TEST_F(ProverTest, StepsAreBounded) {
  // Hard on purpose: sums of products with quotients.
  Prover prover(&context, facts({"a*b + c*d >= e*f", "e*d <= a + (b*c) floordiv 7", "f mod 5 == d mod 3"}));
  prover.isLessEqual(expr("(a*b*c) floordiv 11 + max(e*f, c, d*d) mod 7"),
                     expr("a*a + b*b + c*c*c + (f*e) floordiv 3"));
  EXPECT_LE(prover.getSteps(), Prover::kMaxSteps);
}
} // namespace
