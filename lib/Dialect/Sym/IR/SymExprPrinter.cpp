//===- SymExprPrinter.cpp - Text of expressions -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Prints a normal form in the grammar of Spec.md 1.1. Storage knows only
// floordiv and max; mod, ceildiv and min come back where they make the text
// shorter. A spelling is taken only if building it again gives the same
// polynomial, so that parsing the text gives the same expression.
//
//===----------------------------------------------------------------------===//

#include "SymExprDetail.h"
#include "SymExprParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

namespace {
/// coefficient * factors * op(operands), where op is one of the five operators.
struct Sugar {
  int64_t coefficient;
  Factors factors;
  StringRef op;
  SmallVector<Poly> operands;
};

/// A sum that is printed: polynomial plus sugared terms.
struct Sum {
  Poly rest;
  SmallVector<Sugar, 0> sugars;
};

/// A way to print one term: the sugar and what the polynomial becomes.
struct Choice {
  Sugar sugar;
  Poly rest;
  int cost;
  size_t position; // earlier offers win among equals
};

/// About the number of words; atoms count 1 as they are the same in every choice.
int costOf(const Poly &poly) {
  int cost = poly.empty() ? 1 : 0;
  bool anyPositive = false;
  for (const SymTerm &term : poly) {
    cost += term.factors.empty() ? 2 : 1;
    if (!term.factors.empty() && std::abs(term.coefficient) != 1)
      cost += 1;
    for (auto &factor : term.factors)
      cost += factor.second;
    anyPositive |= term.coefficient > 0;
  }
  return cost + (anyPositive || poly.empty() ? 0 : 1); // a leading minus
}

int costOf(const Sugar &sugar) {
  int cost = 2 + (std::abs(sugar.coefficient) != 1 ? 1 : 0) + (sugar.coefficient < 0 ? 1 : 0);
  for (auto &factor : sugar.factors)
    cost += factor.second;
  for (const Poly &operand : sugar.operands)
    cost += costOf(operand);
  return cost;
}

class Restorer {
public:
  Restorer(MLIRContext *context, const Poly &poly) : context(context) { sum.rest = poly; }

  Sum run() {
    // Each round prints one floordiv or max as an operator of its own; the polynomial has finitely many.
    for (unsigned round = 0; round < 64; ++round) {
      choices.clear();
      for (const SymTerm &term : sum.rest)
        consider(term);
      llvm::sort(choices, [](const Choice &a, const Choice &b) {
        return std::tie(a.cost, a.position) < std::tie(b.cost, b.position);
      });
      const Choice *best = llvm::find_if(choices, [&](const Choice &choice) { return isFaithful(choice); });
      if (best == choices.end())
        break;
      sum.rest = best->rest;
      sum.sugars.push_back(best->sugar);
    }
    return std::move(sum);
  }

private:
  void offer(int64_t coefficient, const Factors &factors, StringRef op, SmallVector<Poly> operands, OptPoly rest) {
    if (!rest)
      return;
    Choice choice{{coefficient, factors, op, std::move(operands)}, std::move(*rest), 0, choices.size()};
    choice.cost = costOf(choice.sugar) + costOf(choice.rest);
    choices.push_back(std::move(choice));
  }

  /// Building the spelling as the parser does gives what is to be printed.
  bool isFaithful(const Choice &choice) {
    const Sugar &sugar = choice.sugar;
    SmallVector<SymExpr> operands;
    for (const Poly &operand : sugar.operands)
      operands.push_back(getExpr(context, operand));
    SymExpr value = sugar.op == "floordiv"  ? SymExpr::floordiv(operands[0], operands[1])
                    : sugar.op == "ceildiv" ? SymExpr::ceildiv(operands[0], operands[1])
                    : sugar.op == "mod"     ? SymExpr::mod(operands[0], operands[1])
                    : sugar.op == "min"     ? SymExpr::min(operands)
                                            : SymExpr::max(operands);
    if (!value)
      return false;
    OptPoly product = multiply(getPoly(value), sugar.coefficient, sugar.factors);
    OptPoly total = product ? add(*product, choice.rest) : std::nullopt;
    return total && comparePolys(*total, sum.rest) == 0;
  }

  /// Offers every spelling of the term coefficient * factors * atom, where the atom stands alone (power 1).
  void consider(const SymTerm &term) {
    for (auto [atom, power] : term.factors) {
      if (atom->kind == SymAtom::Kind::Symbol || power != 1)
        continue;
      Factors others = *divideFactors(term.factors, {{atom, 1u}});
      if (llvm::any_of(others, [](auto &factor) { return factor.first->kind != SymAtom::Kind::Symbol; }))
        continue; // products of operators keep their stored spelling
      Poly self;
      self.push_back(term);
      OptPoly rest = add(sum.rest, self, -1);
      if (!rest)
        continue;
      if (atom->kind == SymAtom::Kind::FloorDiv)
        considerFloorDiv(term.coefficient, others, atom, *rest);
      else
        considerMax(term.coefficient, others, atom, *rest);
    }
  }

  /// sum.rest - coefficient * factors * value
  OptPoly subtract(int64_t coefficient, const Factors &factors, const Poly &value) {
    OptPoly product = multiply(value, coefficient, factors);
    return product ? add(sum.rest, *product, -1) : std::nullopt;
  }

  void considerFloorDiv(int64_t c, const Factors &others, const SymAtom *atom, const Poly &rest) {
    const Poly &a = getPoly(atom->operands[0]), &b = getPoly(atom->operands[1]);
    Poly one = constantPoly(1);
    OptPoly next = add(a, one), negative = multiply(a, -1);
    OptPoly mirror = negative ? add(*negative, one, -1) : std::nullopt; // -a - 1
    if (!next || !mirror)
      return;
    Poly unit;
    unit.push_back({c, others});
    // q = floordiv(a, b) = -ceildiv(-a, b) = ceildiv(a + 1, b) - 1 = -floordiv(-a - 1, b) - 1
    offer(c, others, "floordiv", {a, b}, rest);
    offer(-c, others, "ceildiv", {*negative, b}, rest);
    offer(c, others, "ceildiv", {*next, b}, add(rest, unit, -1));
    offer(-c, others, "floordiv", {*mirror, b}, add(rest, unit, -1));
    if (isConstant(b)) {
      // Inside a constant divisor the 1 is absorbed by a multiple of the divisor.
      if (OptPoly shifted = add(*next, b, -1))
        offer(c, others, "ceildiv", {*shifted, b}, rest);
      if (OptPoly shifted = add(*mirror, b))
        offer(-c, others, "floordiv", {*shifted, b}, rest);
    }
    // floordiv(-a - 1, b) = quotient + floordiv(other, b): brings ceildiv(n, 2) back, which is stored as n -
    // floordiv(n, 2).
    Poly quotient, other;
    if (divide(*mirror, b, quotient, other) && !other.empty()) {
      OptPoly outer = add(quotient, one);
      OptPoly scaled = outer ? multiply(*outer, c, others) : std::nullopt;
      OptPoly reduced = scaled ? add(rest, *scaled, -1) : std::nullopt;
      OptPoly shifted = add(other, b, -1);
      shifted = shifted ? add(*shifted, one) : std::nullopt;
      offer(-c, others, "floordiv", {other, b}, reduced);
      if (shifted && !shifted->empty())
        offer(-c, others, "ceildiv", {*shifted, b}, reduced);
    }
    considerMod(c, others, atom, a, b, *mirror);
  }

  /// A multiple of -b*q together with a makes mod(a, b) = a - b*q; and mod(-a - 1, b) = b - 1 - mod(a, b).
  void considerMod(int64_t c, const Factors &others, const SymAtom *atom, const Poly &a, const Poly &b,
                   const Poly &mirror) {
    const SymTerm &lead = b.front();
    std::optional<Factors> factors = divideFactors(others, lead.factors);
    if (!factors || c % lead.coefficient)
      return;
    int64_t multiple = -(c / lead.coefficient);
    OptPoly product = multiply(b, atomPoly(atom));
    OptPoly value = product ? add(a, *product, -1) : std::nullopt;
    if (!value)
      return;
    Poly dividend = a;
    offer(multiple, *factors, "mod", {dividend, b}, subtract(multiple, *factors, *value));
    OptPoly mirrored = multiply(*value, -1);
    mirrored = mirrored ? add(*mirrored, b) : std::nullopt;
    mirrored = mirrored ? add(*mirrored, constantPoly(-1)) : std::nullopt;
    if (!mirrored)
      return;
    dividend = mirror;
    if (isConstant(b)) // a dividend in [0, b) reads better
      if (OptPoly shifted = add(dividend, b))
        dividend = *shifted;
    offer(-multiple, *factors, "mod", {dividend, b}, subtract(-multiple, *factors, *mirrored));
  }

  void considerMax(int64_t c, const Factors &others, const SymAtom *atom, const Poly &rest) {
    SmallVector<Poly> operands;
    for (SymExpr operand : atom->operands)
      operands.push_back(getPoly(operand));
    offer(c, others, "max", operands, rest);
    offerShifted(c, others, "max", operands, rest);
    // max(e..) = s - min(s - e..), where s holds the greatest coefficient of each monomial.
    Poly s;
    SmallVector<Poly> mirrored;
    for (const Poly &operand : operands) {
      OptPoly common = add(operand, s, -1); // operand - s: where positive, s grows
      if (!common)
        return;
      Poly growth;
      for (const SymTerm &term : *common)
        if (term.coefficient > 0)
          growth.push_back(term);
      OptPoly grown = add(s, growth);
      if (!grown)
        return;
      s = std::move(*grown);
    }
    for (const Poly &operand : operands) {
      OptPoly difference = add(s, operand, -1);
      if (!difference)
        return;
      mirrored.push_back(std::move(*difference));
    }
    OptPoly product = multiply(s, c, others);
    OptPoly minRest = product ? add(rest, *product) : std::nullopt;
    offer(-c, others, "min", mirrored, minRest);
    if (minRest)
      offerShifted(-c, others, "min", mirrored, *minRest);
  }

  /// c*max(e..) + c*d = c*max(e + d..), for the whole rest of the sum.
  void offerShifted(int64_t c, const Factors &others, StringRef op, ArrayRef<Poly> operands, const Poly &rest) {
    if (!others.empty() || rest.empty() || llvm::any_of(rest, [&](const SymTerm &t) { return t.coefficient % c; }))
      return;
    Poly shift;
    for (const SymTerm &term : rest)
      shift.push_back({term.coefficient / c, term.factors});
    SmallVector<Poly> shifted;
    for (const Poly &operand : operands) {
      OptPoly sum = add(operand, shift);
      if (!sum)
        return;
      shifted.push_back(std::move(*sum));
    }
    offer(c, others, op, shifted, Poly());
  }

  Sum sum;
  MLIRContext *context;
  SmallVector<Choice, 0> choices;
};

class ExprPrinter {
public:
  ExprPrinter(MLIRContext *context, raw_ostream &os) : context(context), os(os) {}

  void print(const Poly &poly) { print(Restorer(context, poly).run()); }

private:
  void print(const Sum &sum) {
    // The first positive entry leads, so that `4 - n` has no sign to start with; the constant is otherwise last.
    SmallVector<std::function<void(bool)>> entries;
    SmallVector<bool> positive;
    auto addEntry = [&](int64_t coefficient, std::function<void(bool)> entry) {
      entries.push_back(std::move(entry));
      positive.push_back(coefficient > 0);
    };
    auto addTerm = [&](const SymTerm &term) {
      addEntry(term.coefficient, [&](bool leads) { printTerm(term.coefficient, term.factors, nullptr, leads); });
    };
    for (const SymTerm &term : sum.rest)
      if (!term.factors.empty())
        addTerm(term);
    for (const Sugar &sugar : sum.sugars)
      addEntry(sugar.coefficient, [&](bool leads) { printTerm(sugar.coefficient, sugar.factors, &sugar, leads); });
    if (!sum.rest.empty() && sum.rest.back().factors.empty())
      addTerm(sum.rest.back());
    if (entries.empty()) {
      os << '0';
      return;
    }
    const bool *first = llvm::find(positive, true);
    size_t lead = first == positive.end() ? 0 : first - positive.begin();
    entries[lead](true);
    for (size_t i = 0; i < entries.size(); ++i)
      if (i != lead)
        entries[i](false);
  }

  /// One term with its sign: a binary operator unless the term leads.
  void printTerm(int64_t coefficient, const Factors &factors, const Sugar *sugar, bool leads) {
    if (leads)
      os << (coefficient < 0 ? "-" : "");
    else
      os << (coefficient < 0 ? " - " : " + ");
    int64_t magnitude = std::abs(coefficient);
    unsigned count = magnitude != 1;
    for (auto &factor : factors)
      count += factor.second;
    bool alone = count + (sugar ? 1 : 0) == 1 && !(leads && coefficient < 0);
    StringRef separator = "";
    for (auto [atom, power] : factors) {
      for (unsigned i = 0; i < power; ++i) {
        os << separator;
        printAtom(atom, alone);
        separator = " * ";
      }
    }
    if (sugar) {
      os << separator;
      printOperator(sugar->op, sugar->operands, alone);
      separator = " * ";
    }
    if (magnitude != 1 || separator.empty())
      os << separator << magnitude;
  }

  void printAtom(const SymAtom *atom, bool alone) {
    if (atom->kind == SymAtom::Kind::Symbol)
      return printSymbolName(os, atom->name);
    SmallVector<Poly> operands;
    for (SymExpr operand : atom->operands)
      operands.push_back(getPoly(operand));
    printOperator(atom->kind == SymAtom::Kind::Max ? "max" : "floordiv", operands, alone);
  }

  /// `alone`: nothing next to it binds tighter, so an infix operator needs no parentheses.
  void printOperator(StringRef op, ArrayRef<Poly> operands, bool alone) {
    if (op == "min" || op == "max") {
      // Greatest monomials first, so that constants are last.
      SmallVector<const Poly *> sorted;
      for (const Poly &operand : operands)
        sorted.push_back(&operand);
      llvm::sort(sorted, [](const Poly *a, const Poly *b) {
        return a->empty() != b->empty() ? b->empty() : comparePolys(*a, *b) < 0;
      });
      os << op << '(';
      llvm::interleave(sorted, [&](const Poly *operand) { print(*operand); }, [&] { os << ", "; });
      os << ')';
      return;
    }
    os << (alone ? "" : "(");
    printOperand(operands[0]);
    os << ' ' << op << ' ';
    printOperand(operands[1]);
    os << (alone ? "" : ")");
  }

  void printOperand(const Poly &poly) {
    bool simple = poly.empty() || (isConstant(poly) && constantTerm(poly) > 0) ||
                  (poly.size() == 1 && poly[0].coefficient == 1 && poly[0].factors.size() == 1 &&
                   poly[0].factors[0].second == 1 && poly[0].factors[0].first->kind == SymAtom::Kind::Symbol);
    Sum sum = Restorer(context, poly).run();
    // A lone call brings its own parentheses.
    simple |= sum.rest.empty() && sum.sugars.size() == 1 && sum.sugars[0].coefficient == 1 &&
              sum.sugars[0].factors.empty() && (sum.sugars[0].op == "min" || sum.sugars[0].op == "max");
    os << (simple ? "" : "(");
    print(sum);
    os << (simple ? "" : ")");
  }

  MLIRContext *context;
  raw_ostream &os;
};
} // namespace

void SymExpr::print(raw_ostream &os) const {
  if (!storage)
    os << '?';
  else
    ExprPrinter(storage->context, os).print(storage->terms);
}

std::string SymExpr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

void mlir::relax::sym::printSymbolName(raw_ostream &os, StringRef name) {
  if (isPlainSymbolName(name)) {
    os << name;
    return;
  }
  os << '"';
  llvm::printEscapedString(name, os);
  os << '"';
}

void mlir::relax::sym::printSymExprList(raw_ostream &os, ArrayRef<SymExpr> dims) {
  os << '[';
  llvm::interleaveComma(dims, os, [&](SymExpr dim) { dim.print(os); });
  os << ']';
}

void Fact::print(raw_ostream &os) const {
  static constexpr StringLiteral spellings[] = {"==", "<=", ">=", "<", ">"};
  os << lhs << ' ' << spellings[static_cast<int>(op)] << ' ' << rhs;
}
