//===- SymExprFuzz.cpp - Expressions and the prover ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The first byte chooses: the rest is text for the parsers, or decisions that
// make an expression or a question whose answer is compared with brute force.
//
//===----------------------------------------------------------------------===//

#include "../unittests/Dialect/Sym/CheckProver.h"
#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace mlir;
using namespace mlir::relax::sym;
using namespace relaxtest;

// The MLIR library is not instrumented, so its allocator's poisoning must not be looked at.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0:detect_leaks=0"; }

static void require(bool condition, const std::string &what) {
  if (condition)
    return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

static void checkText(MLIRContext *context, StringRef text) {
  std::string error;
  SymExpr expr = SymExpr::parse(context, text, error);
  require(expr ? error.empty() : !error.empty(), "a failure needs a reason");
  if (expr) {
    SymExpr again = SymExpr::parse(context, expr.str(), error);
    require(again == expr, "printed '" + expr.str() + "' is not parsed to the same expression: " + error);
  }
  FailureOr<Fact> fact = Fact::parse(context, text, error);
  require(succeeded(fact) ? error.empty() : !error.empty(), "a failure needs a reason");
}

static void checkTree(MLIRContext *context, Choices &choices) {
  Limits limits;
  std::unique_ptr<Tree> tree = randomTree(choices, 1 + choices.below(4), limits);
  std::string error, text = tree->text();
  checkText(context, text);
  SymExpr expr = SymExpr::parse(context, text, error);
  if (!expr)
    return;
  forEachValues(
      limits.symbols,
      [&](const Values &values) {
        std::optional<__int128> expected = tree->evaluate(values);
        std::optional<int64_t> actual =
            expr.evaluate([&](StringRef name) -> std::optional<int64_t> { return values[name.front() - 'a']; });
        require(!expected || !actual || *expected == *actual, text + " changed its value to " + expr.str());
      },
      4);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Expressions live as long as their context: it is renewed now and then.
  static std::unique_ptr<ProverChecker> checker;
  static std::unique_ptr<MLIRContext> context;
  static unsigned uses = 0;
  if (uses++ % 1000 == 0) {
    checker = std::make_unique<ProverChecker>();
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    context->loadDialect<RelaxSymDialect>();
  }
  if (size < 2)
    return 0;
  Choices choices(data + 1, size - 1);
  switch (data[0] % 3) {
  case 0:
    checkText(context.get(), StringRef(reinterpret_cast<const char *>(data + 1), size - 1));
    break;
  case 1:
    checkTree(context.get(), choices);
    break;
  default: {
    Tally tally;
    std::string failure = checker->check(choices, tally);
    require(failure.empty(), failure);
  }
  }
  return 0;
}
