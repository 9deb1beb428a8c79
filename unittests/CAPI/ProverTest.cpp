//===- ProverTest.cpp - Symbolic sizes of the C API ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect-c/Prover.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace {

void appendTo(void *user, const char *bytes, size_t size) { static_cast<std::string *>(user)->append(bytes, size); }

class CAPIProverTest : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(relax_context_create(&context), RELAX_OK); }
  void TearDown() override { relax_context_destroy(context); }
  const relax_expr *parse(const char *text) {
    const relax_expr *expr = nullptr;
    EXPECT_EQ(relax_expr_parse(context, text, &expr), RELAX_OK) << relax_last_error();
    return expr;
  }
  static std::string print(const relax_expr *expr) {
    std::string text;
    relax_expr_print(expr, appendTo, &text);
    return text;
  }

  relax_context *context = nullptr;
};

TEST_F(CAPIProverTest, EqualExpressionsAreOne) {
  const relax_expr *n = nullptr, *four = nullptr, *one = nullptr, *product = nullptr, *sum = nullptr;
  ASSERT_EQ(relax_expr_symbol(context, "n", &n), RELAX_OK);
  ASSERT_EQ(relax_expr_constant(context, 4, &four), RELAX_OK);
  ASSERT_EQ(relax_expr_constant(context, 1, &one), RELAX_OK);
  ASSERT_EQ(relax_expr_binary(RELAX_MUL, n, four, &product), RELAX_OK);
  ASSERT_EQ(relax_expr_binary(RELAX_ADD, one, product, &sum), RELAX_OK);
  EXPECT_EQ(sum, parse("n*4 + 1"));
  EXPECT_EQ(parse(print(sum).c_str()), sum);
  std::string symbols;
  relax_expr_symbols(parse("m + n"), appendTo, &symbols);
  EXPECT_EQ(symbols, "mn");
  int64_t value = 0;
  EXPECT_FALSE(relax_expr_get_constant(sum, &value));
  EXPECT_TRUE(relax_expr_get_constant(four, &value));
  EXPECT_EQ(value, 4);
  const char *name = "n";
  int64_t three = 3;
  ASSERT_EQ(relax_expr_evaluate(sum, &name, &three, 1, &value), RELAX_OK);
  EXPECT_EQ(value, 13);
  EXPECT_EQ(relax_expr_evaluate(sum, nullptr, nullptr, 0, &value), RELAX_INVALID_ARGUMENT);
}

TEST_F(CAPIProverTest, Errors) {
  const relax_expr *expr = nullptr, *huge = nullptr, *zero = nullptr;
  EXPECT_EQ(relax_expr_parse(context, "n +", &expr), RELAX_INVALID_ARGUMENT);
  EXPECT_NE(std::string(relax_last_error()).find("'n +': "), std::string::npos) << relax_last_error();
  EXPECT_EQ(expr, nullptr);
  EXPECT_EQ(relax_expr_symbol(context, "", &expr), RELAX_INVALID_ARGUMENT);
  ASSERT_EQ(relax_expr_constant(context, std::numeric_limits<int64_t>::max(), &huge), RELAX_OK);
  EXPECT_EQ(relax_expr_binary(RELAX_MUL, huge, huge, &expr), RELAX_INVALID_ARGUMENT);
  ASSERT_EQ(relax_expr_constant(context, 0, &zero), RELAX_OK);
  EXPECT_EQ(relax_expr_binary(RELAX_FLOORDIV, huge, zero, &expr), RELAX_INVALID_ARGUMENT);
  relax_context *other = nullptr;
  const relax_expr *foreign = nullptr;
  ASSERT_EQ(relax_context_create(&other), RELAX_OK);
  ASSERT_EQ(relax_expr_symbol(other, "n", &foreign), RELAX_OK);
  EXPECT_EQ(relax_expr_binary(RELAX_ADD, huge, foreign, &expr), RELAX_INVALID_ARGUMENT);
  relax_context_destroy(other);
}

TEST_F(CAPIProverTest, Questions) {
  const char *facts[] = {"n mod 4 == 0", "n <= 64"};
  relax_prover *prover = nullptr;
  ASSERT_EQ(relax_prover_create(context, facts, 2, &prover), RELAX_OK) << relax_last_error();
  relax_verdict verdict = RELAX_DEPENDS;
  std::string why;
  ASSERT_EQ(relax_prover_holds(prover, "n mod 2 == 0", &verdict, appendTo, &why), RELAX_OK);
  EXPECT_EQ(verdict, RELAX_TRUE);
  EXPECT_FALSE(why.empty());
  ASSERT_EQ(relax_prover_holds(prover, "n >= 65", &verdict, nullptr, nullptr), RELAX_OK);
  EXPECT_EQ(verdict, RELAX_FALSE);
  ASSERT_EQ(relax_prover_holds(prover, "n == 4", &verdict, nullptr, nullptr), RELAX_OK);
  EXPECT_EQ(verdict, RELAX_DEPENDS);
  EXPECT_EQ(relax_prover_holds(prover, "n ==", &verdict, nullptr, nullptr), RELAX_INVALID_ARGUMENT);
  bool hasLower = false, hasUpper = false;
  int64_t lower = -1, upper = -1;
  ASSERT_EQ(relax_prover_bounds(prover, parse("n + m"), &hasLower, &lower, &hasUpper, &upper), RELAX_OK);
  EXPECT_TRUE(hasLower && lower == 0);
  EXPECT_FALSE(hasUpper);
  ASSERT_EQ(relax_prover_bounds(prover, parse("n"), &hasLower, &lower, &hasUpper, &upper), RELAX_OK);
  EXPECT_TRUE(hasUpper && upper == 64);
  const relax_expr *simple = nullptr;
  ASSERT_EQ(relax_prover_simplify(prover, parse("n floordiv 4 * 4"), &simple), RELAX_OK);
  EXPECT_EQ(simple, parse("n")) << print(simple);
  relax_prover_destroy(prover);

  const char *contradiction[] = {"n <= 3", "n >= 4"};
  EXPECT_EQ(relax_prover_create(context, contradiction, 2, &prover), RELAX_INVALID_ARGUMENT);
  EXPECT_NE(std::string(relax_last_error()).find("exclude"), std::string::npos);
  EXPECT_EQ(prover, nullptr);
}

} // namespace
