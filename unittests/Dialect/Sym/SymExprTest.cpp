//===- SymExprTest.cpp - Expressions -----------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/IR/SymExpr.h"
#include "RandomExpr.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <thread>

using namespace mlir;
using namespace mlir::relax::sym;
using namespace relaxtest;

namespace {
struct SymExprTest : testing::Test {
  SymExprTest() { context.loadDialect<RelaxSymDialect>(); }

  SymExpr parse(StringRef text) {
    std::string error;
    SymExpr expr = SymExpr::parse(&context, text, error);
    EXPECT_TRUE(expr) << text.str() << ": " << error;
    return expr;
  }
  std::string errorOf(StringRef text) {
    std::string error;
    EXPECT_FALSE(SymExpr::parse(&context, text, error)) << text.str();
    return error;
  }

  MLIRContext context;
};

TEST_F(SymExprTest, NullPropagates) {
  SymExpr null, n = SymExpr::symbol(&context, "n");
  EXPECT_FALSE(null + n);
  EXPECT_FALSE(n - null);
  EXPECT_FALSE(n * null);
  EXPECT_FALSE(-null);
  EXPECT_FALSE(null + 1);
  EXPECT_FALSE(SymExpr::floordiv(n, null));
  EXPECT_FALSE(SymExpr::mod(null, n));
  EXPECT_FALSE(SymExpr::max({n, null}));
  EXPECT_FALSE(SymExpr::min({}));
  EXPECT_FALSE(null.substitute([](StringRef) { return SymExpr(); }));
  EXPECT_FALSE(null.evaluate([](StringRef) { return 0; }));
  EXPECT_FALSE(null.getConstant());
  EXPECT_FALSE(null.getSymbol());
  EXPECT_TRUE(null.getSymbols().empty());
  EXPECT_EQ(null.str(), "?");
}

TEST_F(SymExprTest, OverflowIsNull) {
  SymExpr n = SymExpr::symbol(&context, "n");
  SymExpr big = n * INT64_MAX;
  EXPECT_TRUE(big);
  EXPECT_FALSE(big + n);
  EXPECT_FALSE(big * 2);
  EXPECT_FALSE(SymExpr::constant(&context, INT64_MAX) + 1);
  EXPECT_FALSE(SymExpr::constant(&context, INT64_MIN));
  EXPECT_FALSE(SymExpr::floordiv(n, SymExpr::constant(&context, 0)));
  EXPECT_FALSE(SymExpr::floordiv(n, SymExpr::constant(&context, -2)));
}

TEST_F(SymExprTest, TooLargeIsAnError) {
  EXPECT_NE(errorOf("(a+b+c+d+e+f+g+h)**30").find("too large"), std::string::npos);
  std::string deep(3000, '(');
  EXPECT_NE(errorOf(deep).find("nested too deeply"), std::string::npos);
  std::string nested = "n";
  for (int i = 0; i < 90; ++i)
    nested = "max(m, 3 + 2 * floordiv(" + nested + ", k))";
  errorOf(nested);
  EXPECT_NE(errorOf("n ** 9223372036854775807").find("too large"), std::string::npos);
  EXPECT_EQ(parse("1 ** 9223372036854775807").getConstant(), 1);
}

TEST_F(SymExprTest, TextErrors) {
  EXPECT_NE(errorOf("").find("expected an expression at column 1"), std::string::npos);
  EXPECT_NE(errorOf("4n").find("expected an operator"), std::string::npos);
  EXPECT_NE(errorOf("n m").find("unexpected text after the expression"), std::string::npos);
  EXPECT_NE(errorOf("\"n").find("expected an expression"), std::string::npos);
  EXPECT_NE(errorOf("n / 2").find("unexpected text"), std::string::npos);
  EXPECT_NE(errorOf("n // 0").find("must be positive, but is 0"), std::string::npos);
}

TEST_F(SymExprTest, TextSugar) {
  EXPECT_EQ(parse("n // 4"), parse("n floordiv 4"));
  EXPECT_EQ(parse("n % 4"), parse("mod(n, 4)"));
  EXPECT_EQ(parse("n ** 3"), parse("n * n * n"));
  EXPECT_EQ(parse("-n ** 2"), parse("-(n * n)"));
  EXPECT_EQ(parse("7 - n // 2 * 2"), parse("7 - (n floordiv 2) * 2"));
  EXPECT_EQ(parse("\"past len\" + 1").getSymbols().front(), "past len");
}

TEST_F(SymExprTest, Evaluation) {
  auto at = [&](StringRef text, int64_t n) {
    return parse(text).evaluate([&](StringRef name) { return name == "n" ? std::optional<int64_t>(n) : std::nullopt; });
  };
  EXPECT_EQ(at("(n - 7) floordiv 4", 0), -2);
  EXPECT_EQ(at("(n - 7) mod 4", 0), 1);
  EXPECT_EQ(at("ceildiv(n - 7, 4)", 0), -1);
  EXPECT_EQ(at("10 floordiv n", 0), std::nullopt);
  EXPECT_EQ(at("m", 0), std::nullopt);
  EXPECT_EQ(at("n * n", int64_t(1) << 40), std::nullopt);
  // Only the value has to fit.
  EXPECT_EQ(at("n * n - (n - 1) * (n + 1)", int64_t(1) << 40), 1);
}

TEST_F(SymExprTest, Substitution) {
  SymExpr expr = parse("(n floordiv 4) * m + max(n, m)");
  SymExpr result = expr.substitute([&](StringRef name) { return name == "n" ? parse("4 * k") : SymExpr(); });
  EXPECT_EQ(result, parse("k * m + max(4 * k, m)"));
  EXPECT_EQ(expr.substitute([](StringRef) { return SymExpr(); }), expr);
}

TEST_F(SymExprTest, VisitTerms) {
  SymExpr expr = parse("3 * n * n - 2 * (m floordiv 4) + 5");
  int64_t constant = 0, square = 0, quotient = 0;
  for (const SymTerm &term : getTerms(expr)) {
    if (term.factors.empty())
      constant = term.coefficient;
    else if (term.factors[0].first->kind == SymAtom::Kind::Symbol)
      square = term.coefficient * term.factors[0].second;
    else
      quotient = term.coefficient;
  }
  EXPECT_EQ(constant, 5);
  EXPECT_EQ(square, 6);
  EXPECT_EQ(quotient, -2);
}

/// Threads that build the same expressions get the same pointers.
TEST_F(SymExprTest, Threads) {
  std::vector<std::vector<SymExpr>> results(4);
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (auto &list : results) {
    threads.emplace_back([&] {
      for (unsigned seed = 0; seed < 200; ++seed) {
        Choices choices(seed);
        std::string error, text = randomTree(choices, 3, {})->text();
        list.push_back(SymExpr::parse(&context, text, error));
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  for (auto &list : results)
    EXPECT_TRUE(list == results[0]);
}

/// The order of terms does not depend on which expression was made first.
TEST_F(SymExprTest, TextIndependentOfHistory) {
  MLIRContext other;
  other.loadDialect<RelaxSymDialect>();
  SymExpr::symbol(&other, "z");
  SymExpr::symbol(&other, "b");
  for (unsigned seed = 200; seed > 0; --seed) {
    Choices choices(seed);
    std::string error, text = randomTree(choices, 3, {})->text();
    SymExpr::parse(&other, text, error);
  }
  for (unsigned seed = 0; seed < 200; ++seed) {
    Choices choices(seed);
    std::string error, text = randomTree(choices, 3, {})->text();
    SymExpr here = SymExpr::parse(&context, text, error), there = SymExpr::parse(&other, text, error);
    ASSERT_EQ(bool(here), bool(there));
    if (here) {
      EXPECT_EQ(here.str(), there.str());
    }
  }
}

TEST_F(SymExprTest, RandomNormalFormKeepsValueAndText) {
  unsigned parsed = 0;
  for (unsigned seed = 0; seed < 6000; ++seed) {
    Choices choices(seed);
    Limits limits;
    std::unique_ptr<Tree> tree = randomTree(choices, 2 + seed % 3, limits);
    std::string error, text = tree->text();
    SymExpr expr = SymExpr::parse(&context, text, error);
    if (!expr) // a constant divisor <= 0, or too large
      continue;
    ++parsed;
    EXPECT_EQ(SymExpr::parse(&context, expr.str(), error), expr) << text << " printed " << expr.str() << error;
    forEachValues(limits.symbols, [&](const Values &values) {
      std::optional<__int128> expected = tree->evaluate(values);
      if (!expected || *expected > INT64_MAX || *expected < INT64_MIN)
        return;
      std::optional<int64_t> actual =
          expr.evaluate([&](StringRef name) -> std::optional<int64_t> { return values[name.front() - 'a']; });
      if (actual) {
        ASSERT_EQ(*actual, static_cast<int64_t>(*expected)) << text << " printed " << expr.str();
      }
    });
  }
  EXPECT_GT(parsed, 4000u);
}
} // namespace
