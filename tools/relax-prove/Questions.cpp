//===- Questions.cpp - Questions in text form ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Questions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::prove;

std::vector<std::string> prove::splitTop(StringRef text, char separator) {
  std::vector<std::string> parts;
  std::string current;
  int depth = 0;
  bool quoted = false;
  auto finish = [&] {
    StringRef trimmed = StringRef(current).trim();
    if (!trimmed.empty())
      parts.push_back(trimmed.str());
    current.clear();
  };
  for (char c : text) {
    quoted ^= c == '"';
    depth += c == '(';
    depth -= c == ')';
    if (c == separator && depth == 0 && !quoted)
      finish();
    else
      current += c;
  }
  finish();
  return parts;
}

FailureOr<std::vector<Fact>> prove::parseFacts(MLIRContext *context, StringRef text, std::string &error) {
  std::vector<Fact> facts;
  for (const std::string &part : splitTop(text, ';')) {
    FailureOr<Fact> fact = Fact::parse(context, part, error);
    if (failed(fact))
      return failure();
    facts.push_back(*fact);
  }
  return facts;
}

StringRef prove::guessKind(StringRef question) {
  if (question.contains("->"))
    return question.contains("-1") ? "infer" : "reshape";
  if (question.contains(" by "))
    return "divisible";
  for (StringRef op : {"==", "<=", ">=", "<", ">"})
    if (question.contains(op))
      return "holds";
  if (question.contains('='))
    return "solve";
  if (question.trim().starts_with("(") && splitTop(question, ',').size() == 1 &&
      splitTop(question.trim().drop_front().drop_back(), ',').size() == 2)
    return "broadcast";
  return "simplify";
}

namespace {
class Asker {
public:
  Asker(MLIRContext *context, const Row &row, ArrayRef<Fact> facts, bool explain)
      : context(context), row(row), facts(facts), prover(context, facts), explain(explain) {}

  Answer run() {
    std::string text = prover.isContradictory(&reason) ? "unsat" : dispatch();
    if (text == "unsat")
      result.why.steps.push_back("the facts contradict each other: " + reason);
    if (!error.empty()) {
      result.invalid = true;
      text = error;
    }
    result.text = text;
    result.steps = prover.getSteps();
    completeWitnesses();
    return std::move(result);
  }

private:
  Explanation *why() { return explain ? &result.why : nullptr; }

  /// Symbols that reading the question already dropped, as in n - n, may have any value.
  void completeWitnesses() {
    std::string text = row.assumptions + " " + row.question + " ";
    llvm::StringSet<> names;
    std::string name;
    for (char c : text) {
      if (llvm::isAlnum(c) || c == '_') {
        name += c;
        continue;
      }
      if (!name.empty() && !llvm::isDigit(name[0]) &&
          !llvm::is_contained({"floordiv", "ceildiv", "mod", "min", "max", "by"}, name))
        names.insert(name);
      name.clear();
    }
    for (std::optional<Valuation> *witness :
         {&result.why.whenTrue, &result.why.whenFalse, &result.why.whenUndefined, &result.why.attained}) {
      if (!*witness || text.find('"') != std::string::npos)
        continue;
      for (auto &entry : names)
        if (llvm::none_of(**witness, [&](auto &known) { return known.first == entry.first(); }))
          (*witness)->push_back({entry.first().str(), 1});
      llvm::sort(**witness);
    }
  }

  SymExpr parse(StringRef text) {
    std::string message;
    SymExpr expr = SymExpr::parse(context, text, message);
    if (!expr && error.empty())
      error = message;
    return expr;
  }

  /// `(a, b, c)`
  SmallVector<SymExpr> parseTuple(StringRef text) {
    text = text.trim();
    SmallVector<SymExpr> dims;
    if (!text.consume_front("(") || !text.consume_back(")")) {
      error = "expected a shape in parentheses, but got '" + text.str() + "'";
      return dims;
    }
    for (const std::string &part : splitTop(text, ','))
      dims.push_back(parse(part));
    return dims;
  }

  std::pair<SymExpr, SymExpr> parsePair(StringRef separator) {
    auto [left, right] = StringRef(row.question).split(separator);
    return {parse(left), parse(right)};
  }

  std::string dispatch() {
    StringRef kind = row.kind;
    if (kind == "equal") {
      auto [a, b] = parsePair("==");
      return error.empty() ? verdict(prover.isEqual(a, b, why())) : "";
    }
    if (kind == "leq") {
      auto [a, b] = parsePair("<=");
      return error.empty() ? verdict(prover.isLessEqual(a, b, why())) : "";
    }
    if (kind == "holds") {
      FailureOr<Fact> fact = Fact::parse(context, row.question, error);
      return succeeded(fact) ? verdict(prover.holds(*fact, why())) : "";
    }
    if (kind == "divisible") {
      auto [a, b] = parsePair(" by ");
      return error.empty() ? verdict(prover.isDivisible(a, b, why())) : "";
    }
    if (kind == "simplify" || kind == "upper" || kind == "lower" || kind == "fits32" || kind == "fits64")
      return askAbout(parse(row.question));
    if (kind == "broadcast")
      return broadcast();
    if (kind == "reshape" || kind == "infer")
      return reshape();
    if (kind == "solve")
      return solve();
    error = "unknown kind '" + row.kind + "'";
    return "";
  }

  static std::string verdict(Verdict verdict) { return stringifyVerdict(verdict).str(); }

  std::string askAbout(SymExpr expr) {
    if (!expr)
      return "";
    if (row.kind == "simplify")
      return prover.simplify(expr).str();
    if (row.kind == "fits32" || row.kind == "fits64")
      return verdict(prover.fitsInteger(expr, row.kind == "fits32" ? 32 : 64, why()));
    bool upper = row.kind == "upper";
    std::optional<int64_t> bound =
        upper ? prover.upperBound(expr, nullptr, why()) : prover.lowerBound(expr, nullptr, why());
    return bound ? std::to_string(*bound) : upper ? "inf" : "-inf";
  }

  /// a == b with positive terms on both sides: past + seq == seq is past == 0.
  Fact equality(SymExpr a, SymExpr b) {
    SymExpr difference = a - b, zero = SymExpr::constant(context, 0);
    Fact fact{a, Fact::Op::Equal, b};
    if (!difference)
      return fact;
    fact.lhs = fact.rhs = zero;
    for (const SymTerm &term : getTerms(difference)) {
      SymExpr value = SymExpr::constant(context, std::abs(term.coefficient));
      for (auto [atom, power] : term.factors)
        for (unsigned i = 0; i < power; ++i)
          value = value * atomExpr(atom);
      (term.coefficient > 0 ? fact.lhs : fact.rhs) = (term.coefficient > 0 ? fact.lhs : fact.rhs) + value;
    }
    if (fact.lhs == zero)
      std::swap(fact.lhs, fact.rhs);
    return fact;
  }

  SymExpr atomExpr(const SymAtom *atom) {
    if (atom->kind == SymAtom::Kind::Symbol)
      return SymExpr::symbol(context, atom->name);
    return atom->kind == SymAtom::Kind::Max ? SymExpr::max(atom->operands)
                                            : SymExpr::floordiv(atom->operands[0], atom->operands[1]);
  }

  std::string broadcast() {
    SmallVector<SymExpr> dims = parseTuple(row.question);
    if (error.empty() && dims.size() != 2)
      error = "expected two extents";
    if (!error.empty())
      return "";
    SymExpr a = dims[0], b = dims[1], one = SymExpr::constant(context, 1);
    BroadcastResult broadcast = prover.broadcast(a, b);
    if (broadcast.legal == Verdict::False)
      return "error";
    // Neither operand by itself. Where 1 meets 0 the product is less than the greater one.
    if (!broadcast.extent && a * b)
      broadcast.extent = prover.simplify(SymExpr::min({SymExpr::max({a, b}), a * b}));
    std::string extent = broadcast.extent ? broadcast.extent.str() : "?";
    if (broadcast.legal == Verdict::True)
      return extent + " | true";
    // Alternatives that the facts exclude are left out, and those that imply another one.
    SmallVector<Fact> alternatives;
    for (const Fact &fact : {equality(a, b), equality(a, one), equality(b, one)})
      if (prover.holds(fact) != Verdict::False && !llvm::is_contained(alternatives, fact))
        alternatives.push_back(fact);
    auto implied = [&](const Fact &fact) {
      SmallVector<Fact> more(facts);
      more.push_back(fact);
      Prover stronger(context, more);
      return llvm::any_of(
          alternatives, [&](const Fact &other) { return !(other == fact) && stronger.holds(other) == Verdict::True; });
    };
    for (size_t i = alternatives.size(); i-- > 0;)
      if (implied(alternatives[i]))
        alternatives.erase(alternatives.begin() + i);
    std::string guard;
    llvm::raw_string_ostream os(guard);
    llvm::interleave(alternatives, [&](const Fact &fact) { fact.print(os); }, [&] { os << " or "; });
    return extent + " | " + guard;
  }

  std::string reshape() {
    auto [left, right] = StringRef(row.question).split("->");
    SmallVector<SymExpr> from = parseTuple(left), to = parseTuple(right);
    if (!error.empty())
      return "";
    SymExpr minusOne = SymExpr::constant(context, -1);
    size_t inferred = llvm::find(to, minusOne) - to.begin();
    if (inferred == to.size())
      return verdict(prover.sameNumElements(from, to, why()));
    to.erase(to.begin() + inferred);
    for (SymExpr dim : to)
      if (std::optional<int64_t> value = dim.getConstant(); value && *value < 0)
        error = *value == -1 ? "more than one extent is -1" : "extent " + std::to_string(*value) + " is negative";
    if (!error.empty())
      return "";
    SymExpr one = SymExpr::constant(context, 1), total = one, rest = one;
    for (SymExpr dim : from)
      total = total * dim;
    for (SymExpr dim : to)
      rest = rest * dim;
    if (rest && rest.getConstant() == 0)
      return "ambiguous"; // 0 elements fit every extent
    SymExpr extent = SymExpr::floordiv(total, rest);
    if (!extent) {
      error = "the shapes do not fit 64-bit coefficients";
      return "";
    }
    if (prover.isLessEqual(one, rest) != Verdict::True)
      return "ambiguous";
    std::string text = prover.simplify(extent).str();
    Verdict divides = prover.isDivisible(total, rest, why());
    if (divides == Verdict::False)
      return "error";
    if (divides == Verdict::Depends)
      text += " | " + SymExpr::mod(total, rest).str() + " == 0";
    return text;
  }

  std::string solve() {
    SmallVector<std::pair<SymExpr, SymExpr>> equations;
    llvm::StringSet<> unknowns;
    for (const std::string &part : splitTop(row.question, ';')) {
      auto [left, right] = StringRef(part).split('=');
      SymExpr pattern = parse(left), value = parse(right.ltrim('='));
      if (!error.empty())
        return "";
      equations.push_back({pattern, value});
      for (StringRef name : pattern.getSymbols())
        unknowns.insert(name);
    }
    Solution solution = prover.solve(equations, [&](StringRef name) { return unknowns.contains(name); });
    if (!solution.reason.empty())
      result.why.steps.push_back(solution.reason);
    if (solution.kind == Solution::Kind::Contradiction)
      return "error";
    if (solution.kind == Solution::Kind::Ambiguous)
      return "ambiguous";
    std::map<std::string, std::string> sorted;
    for (auto &entry : solution.values)
      sorted[entry.first().str()] = entry.second.str();
    std::string text;
    for (auto &[name, value] : sorted)
      text += (text.empty() ? "" : ",") + name + "=" + value;
    for (auto &[pattern, value] : solution.checks) {
      llvm::raw_string_ostream os(text);
      os << " | ";
      equality(pattern, value).print(os);
    }
    return text;
  }

  MLIRContext *context;
  const Row &row;
  ArrayRef<Fact> facts;
  Prover prover;
  bool explain;
  Answer result;
  std::string error, reason;
};
} // namespace

Answer prove::answer(MLIRContext *context, const Row &row, bool explain) {
  Answer result;
  std::string error;
  FailureOr<std::vector<Fact>> facts = parseFacts(context, row.assumptions, error);
  if (failed(facts)) {
    result.invalid = true;
    result.text = error;
    return result;
  }
  return Asker(context, row, *facts, explain).run();
}
