//===- Questions.h - Questions in text form --------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TOOLS_RELAX_PROVE_QUESTIONS_H
#define RELAXDIALECT_TOOLS_RELAX_PROVE_QUESTIONS_H

#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include <vector>

namespace mlir::relax::prove {

/// A line of a table: what is known and what is asked.
struct Row {
  std::string id, assumptions, kind, question, expected;
};

/// One answer as text: true, false, depends, a number, an expression, `result | guard`, bindings `a=1,b=2`, error,
/// ambiguous, unsat, inf. `invalid` says that the row could not be read; `text` is then the reason.
struct Answer {
  std::string text;
  bool invalid = false;
  unsigned steps = 0;
  sym::Explanation why;
};

/// Parses the facts of a row, separated by `;`.
FailureOr<std::vector<sym::Fact>> parseFacts(MLIRContext *context, StringRef text, std::string &error);

/// The kind that a question without one has, judged by its form.
StringRef guessKind(StringRef question);

Answer answer(MLIRContext *context, const Row &row, bool explain);

/// Splits at `separator` outside of parentheses and quotes; parts are trimmed, empty ones dropped.
std::vector<std::string> splitTop(StringRef text, char separator);

enum class Outcome { Passed, Failed, Unsound };
/// Compares an answer with what the table expects. Expressions and guards are compared by value.
Outcome score(MLIRContext *context, const Row &row, StringRef answer);

} // namespace mlir::relax::prove

#endif // RELAXDIALECT_TOOLS_RELAX_PROVE_QUESTIONS_H
