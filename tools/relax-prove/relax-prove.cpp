//===- relax-prove.cpp - Asks the prover -----------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//   relax-prove FILE.tsv              scores the rows of a table
//   relax-prove --answers FILE.tsv    prints one answer per row
//   relax-prove -e FACTS QUESTION     one question; --explain gives reasons
//
//===----------------------------------------------------------------------===//

#include "Questions.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::prove;

static constexpr StringLiteral kUsage = R"(Asks the prover of symbolic shapes.

usage: relax-prove [options] FILE.tsv        score the rows of a table
       relax-prove [options] --answers FILE  print id and answer of each row; no expected column is needed
       relax-prove [options] -e FACTS QUESTION

FACTS are separated by ';' and may be empty. Symbols are integers >= 0.
  --explain     give the steps of a proof, or valuations for both outcomes
  --stats       print step counts and times (parsing included)
  --repeat=N    ask each row N times and report the best time
  --kind=KIND   of the question of -e: holds, equal, leq, divisible, simplify, upper, lower, broadcast, reshape, infer,
                solve, fits32, fits64. Without it the form of the question decides.
)";

/// The command line. Not LLVM's: its global options would be ours too, and questions may start with '-'.
struct Options {
  bool answersOnly = false, single = false, explain = false, stats = false, help = false;
  unsigned repeat = 1;
  std::string kind;
  std::vector<std::string> positional;
};
static Options options;

static int fail(const Twine &message) {
  llvm::errs() << "relax-prove: error: " << message << "\n";
  return 1;
}

/// Columns are found by the names in the first line; without one they have the usual order.
static FailureOr<std::vector<Row>> readTable(StringRef path, std::string &error) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    error = "cannot open '" + path.str() + "': " + buffer.getError().message();
    return failure();
  }
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  SmallVector<StringRef> header = {"id", "category", "assumptions", "kind", "question", "expected"};
  std::vector<Row> rows;
  for (auto [number, line] : llvm::enumerate(lines)) {
    line = line.rtrim('\r');
    if (line.trim().empty())
      continue;
    SmallVector<StringRef> cells;
    line.split(cells, '\t');
    if (number == 0 && llvm::is_contained(cells, "id") && llvm::is_contained(cells, "question")) {
      header = cells;
      continue;
    }
    auto cell = [&](StringRef name) {
      size_t index = llvm::find(header, name) - header.begin();
      return index < cells.size() ? cells[index].trim().str() : std::string();
    };
    Row row{cell("id"), cell("assumptions"), cell("kind"), cell("question"), cell("expected")};
    if (row.id.empty() || row.kind.empty() || row.question.empty()) {
      error = ("line " + Twine(number + 1) + " of '" + path + "' has no id, kind or question").str();
      return failure();
    }
    if (row.expected.empty() && !options.answersOnly) {
      error = ("line " + Twine(number + 1) + " of '" + path + "' has no expected answer; --answers needs none").str();
      return failure();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

static int runTable(StringRef path) {
  std::string error;
  FailureOr<std::vector<Row>> rows = readTable(path, error);
  if (failed(rows))
    return fail(error);
  unsigned passed = 0, failedRows = 0, unsound = 0, maxSteps = 0;
  std::vector<double> times;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<RelaxSymDialect>();
  for (const Row &row : *rows) {
    // The best of several runs: the machine has other things to do.
    Answer result;
    double best = 0;
    for (unsigned run = 0; run < options.repeat; ++run) {
      auto start = std::chrono::steady_clock::now();
      result = answer(&context, row, options.explain);
      double time = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
      best = run == 0 ? time : std::min(best, time);
    }
    times.push_back(best);
    maxSteps = std::max(maxSteps, result.steps);
    if (result.invalid) {
      // The other rows are still worth an answer.
      ++failedRows;
      llvm::outs() << row.id << "\tinvalid: " << result.text << '\n';
      continue;
    }
    llvm::outs() << row.id << '\t' << result.text;
    if (!options.answersOnly) {
      Outcome outcome = score(&context, row, result.text);
      passed += outcome == Outcome::Passed;
      failedRows += outcome == Outcome::Failed;
      unsound += outcome == Outcome::Unsound;
      llvm::outs() << '\t'
                   << (outcome == Outcome::Passed   ? "passed"
                       : outcome == Outcome::Failed ? "failed: expected " + row.expected
                                                    : "UNSOUND: expected " + row.expected);
    }
    if (options.stats)
      llvm::outs() << '\t' << result.steps << " steps, " << llvm::format("%.1f", times.back()) << " us";
    llvm::outs() << '\n';
    if (options.explain)
      result.why.print(llvm::outs());
  }
  if (options.stats && !times.empty()) {
    llvm::sort(times);
    llvm::outs() << "median " << llvm::format("%.1f", times[times.size() / 2]) << " us, 90% "
                 << llvm::format("%.1f", times[times.size() * 9 / 10]) << " us, maximum "
                 << llvm::format("%.1f", times.back()) << " us, at most " << maxSteps << " steps\n";
  }
  if (options.answersOnly)
    return failedRows != 0;
  llvm::outs() << passed << " passed, " << failedRows << " failed, " << unsound << " unsound\n";
  return failedRows || unsound;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  for (int i = 1; i < argc; ++i) {
    StringRef argument = argv[i];
    bool takesAny = options.single && options.positional.size() < 2;
    if (argument == "--answers")
      options.answersOnly = true;
    else if (argument == "--explain")
      options.explain = true;
    else if (argument == "--stats")
      options.stats = true;
    else if (argument == "--help" || argument == "-h")
      options.help = true;
    else if (argument == "-e")
      options.single = true;
    else if (argument.consume_front("--kind="))
      options.kind = argument.str();
    else if (argument.starts_with("--repeat=") && !argument.drop_front(9).getAsInteger(10, options.repeat) &&
             options.repeat > 0)
      continue;
    else if (takesAny || argument == "-" || !argument.starts_with("-"))
      options.positional.push_back(argument.str());
    else
      return fail("unknown option '" + argument + "'; --help lists the options");
  }
  if (options.help) {
    llvm::outs() << kUsage;
    return 0;
  }
  const std::vector<std::string> &positional = options.positional;
  if (!options.single) {
    if (positional.size() != 1)
      return fail("expected one table, but got " + Twine(positional.size()) + "; --help tells more");
    return runTable(positional[0]);
  }
  if (positional.size() != 2)
    return fail("expected FACTS and QUESTION after -e, but got " + Twine(positional.size()) + " arguments");
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<RelaxSymDialect>();
  Row row{"", positional[0], options.kind.empty() ? guessKind(positional[1]).str() : options.kind, positional[1], ""};
  Answer result = answer(&context, row, options.explain);
  if (result.invalid)
    return fail(result.text);
  llvm::outs() << result.text << "\n";
  if (options.explain)
    result.why.print(llvm::outs());
  if (options.stats)
    llvm::outs() << result.steps << " steps\n";
  return 0;
}
