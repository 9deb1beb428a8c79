//===- ProverRandomTest.cpp - Verdicts against brute force -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// RELAX_PROVER_QUERIES raises the number of random questions, RELAX_PROVER_SEED
// moves to others.
//
//===----------------------------------------------------------------------===//

#include "CheckProver.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace relaxtest;

static uint64_t fromEnvironment(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(ProverRandomTest, NeverContradictsBruteForce) {
  uint64_t count = fromEnvironment("RELAX_PROVER_QUERIES", 2000), first = fromEnvironment("RELAX_PROVER_SEED", 1);
  Tally tally;
  for (uint64_t seed = first; seed < first + count;) {
    // Expressions live as long as their context.
    ProverChecker checker;
    for (unsigned i = 0; i < 2000 && seed < first + count; ++i, ++seed) {
      Choices choices(seed);
      std::string failure = checker.check(choices, tally);
      EXPECT_EQ(failure, "") << "seed " << seed;
    }
  }
  RecordProperty("definite", static_cast<int>(tally.definite));
  std::printf("%llu questions: %llu definite answers, %llu without one though brute force saw one outcome only\n",
              static_cast<unsigned long long>(tally.questions), static_cast<unsigned long long>(tally.definite),
              static_cast<unsigned long long>(tally.missed));
  EXPECT_GT(tally.definite, tally.questions / 8);
}
