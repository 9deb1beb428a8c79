//===- ProverSolve.cpp - Unification of shapes -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Solves pattern = value, linear in one unknown at a time. What only holds for
// some values becomes a check.
//
//===----------------------------------------------------------------------===//

#include "ProverQueries.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;

namespace {
/// pattern = factor * symbol + rest, with the symbol in neither.
struct Linear {
  SymExpr factor, rest;
};

std::optional<Linear> splitLinear(SymExpr pattern, StringRef name) {
  sym::detail::Poly factor, rest;
  for (const SymTerm &term : getTerms(pattern)) {
    const SymAtom *symbol = nullptr;
    for (auto [atom, power] : term.factors) {
      if (atom->kind == SymAtom::Kind::Symbol && atom->name == name) {
        if (power != 1)
          return std::nullopt;
        symbol = atom;
      } else if (llvm::any_of(atom->operands, [&](SymExpr operand) { return operand.usesSymbol(name); })) {
        return std::nullopt;
      }
    }
    if (symbol)
      factor.push_back({term.coefficient, *sym::detail::divideFactors(term.factors, {{symbol, 1u}})});
    else
      rest.push_back(term);
  }
  MLIRContext *context = pattern.getContext();
  return Linear{sym::detail::getExpr(context, factor), sym::detail::getExpr(context, rest)};
}

class Solver {
public:
  Solver(Prover &prover, ArrayRef<Fact> known, ArrayRef<std::pair<SymExpr, SymExpr>> given,
         llvm::function_ref<bool(StringRef)> isUnknown)
      : prover(prover), isUnknown(isUnknown) {
    for (const Fact &fact : known)
      if (!unknownsOf(fact.lhs).empty() || !unknownsOf(fact.rhs).empty())
        facts.push_back(fact);
    for (auto [pattern, value] : given) {
      if (!pattern || !value)
        continue; // nothing is known about these
      Equation equation{pattern, value, pattern, value};
      // Unknowns on the right are solved for as well: n = 4; m = 2*n.
      if (!unknownsOf(value).empty()) {
        equation.left = pattern - value;
        equation.right = SymExpr::constant(pattern.getContext(), 0);
      }
      equations.push_back(equation);
    }
  }

  Solution run() {
    for (Equation &equation : equations)
      if (!equation.left)
        overflow(equation);
    // Bare symbols first: their values are the simplest.
    for (bool bareOnly : {true, false}) {
      bool progress = true;
      while (progress && !contradiction) {
        progress = false;
        for (size_t i = 0; i < equations.size() && !contradiction; ++i)
          progress |= step(equations[i], bareOnly);
        if (!progress && !bareOnly && !contradiction)
          progress = eliminate();
      }
    }
    if (!contradiction)
      finish();
    if (!contradiction && solution.kind == Solution::Kind::Ambiguous)
      solveByBounds();
    return std::move(solution);
  }

private:
  struct Equation {
    SymExpr pattern, value; // as given
    SymExpr left, right;    // what remains to be solved
    bool done = false;
  };

  SmallVector<StringRef> unknownsOf(SymExpr expr) {
    SmallVector<StringRef> names = expr.getSymbols();
    llvm::erase_if(names, [&](StringRef name) { return !isUnknown(name); });
    return names;
  }

  SymExpr substitute(SymExpr expr) {
    return expr.substitute([&](StringRef name) { return isUnknown(name) ? solution.values.lookup(name) : SymExpr(); });
  }

  void contradict(const Equation &equation, const Twine &why) {
    contradiction = true;
    solution.kind = Solution::Kind::Contradiction;
    solution.reason = (equation.pattern.str() + " = " + equation.value.str() + " " + why).str();
  }

  /// Solves or retires one equation. True when something became known.
  bool step(Equation &equation, bool bareOnly) {
    if (equation.done)
      return false;
    equation.left = substitute(equation.left);
    if (!equation.left) {
      overflow(equation);
      return false;
    }
    SmallVector<StringRef> names = unknownsOf(equation.left);
    if (names.empty()) {
      equation.done = true;
      return false; // verified at the end
    }
    if (names.size() != 1 || (bareOnly && !equation.left.getSymbol()))
      return false;
    return solveFor(equation, names.front());
  }

  bool solveFor(Equation &equation, StringRef name) {
    std::optional<Linear> linear = splitLinear(equation.left, name);
    if (!linear || !linear->factor || !linear->rest)
      return false;
    SymExpr one = SymExpr::constant(equation.left.getContext(), 1);
    SymExpr factor = linear->factor, target = equation.right - linear->rest;
    if (prover.isLessEqual(factor, -one) == Verdict::True) {
      factor = -factor;
      target = -target;
    } else if (prover.isLessEqual(one, factor) != Verdict::True) {
      return false; // may be 0: any value of the symbol would do
    }
    SymExpr value = SymExpr::floordiv(target, factor);
    if (!value)
      return false;
    if (prover.isLessEqual(value, -one) == Verdict::True) {
      contradict(equation, "needs " + name + " = " + value.str());
      return false;
    }
    if (prover.isEqual(value * factor, target) == Verdict::False) {
      contradict(equation, "has no integer solution for " + name);
      return false;
    }
    bind(name, value);
    return true;
  }

  void bind(StringRef name, SymExpr value) {
    solution.values[name] = value;
    order.push_back(name.str());
  }

  /// Two or more unknowns everywhere: takes one with coefficient +-1 out of a linear equation. Its value mentions other
  /// unknowns until these are found.
  bool eliminate() {
    for (Equation &equation : equations) {
      if (equation.done)
        continue;
      for (StringRef name : unknownsOf(equation.left)) {
        std::optional<Linear> linear = splitLinear(equation.left, name);
        if (!linear || !linear->factor || !linear->rest)
          continue;
        std::optional<int64_t> factor = linear->factor.getConstant();
        if (!factor || std::abs(*factor) != 1)
          continue;
        if (!usedElsewhere(equation, name))
          continue;
        SymExpr value = (equation.right - linear->rest) * *factor;
        if (!value)
          continue;
        std::string owned = name.str();
        eliminated.push_back({owned, value});
        equation.done = true;
        for (Equation &other : equations)
          if (!other.done)
            other.left = other.left.substitute([&](StringRef n) { return n == owned ? value : SymExpr(); });
        for (Equation &other : equations)
          if (!other.done && !other.left) {
            overflow(other);
            return false;
          }
        return true;
      }
    }
    return false;
  }

  bool usedElsewhere(const Equation &equation, StringRef name) {
    return llvm::any_of(equations, [&](const Equation &other) {
      return &other != &equation && !other.done && other.left.usesSymbol(name);
    });
  }

  void overflow(const Equation &equation) {
    contradiction = true;
    solution.kind = Solution::Kind::Ambiguous;
    solution.reason = (equation.pattern.str() + " = " + equation.value.str() + " does not fit 64-bit coefficients");
  }

  void finish() {
    // Eliminated unknowns in terms of the found ones, last first.
    for (auto &[name, value] : llvm::reverse(eliminated)) {
      SymExpr result = substitute(value);
      if (result && unknownsOf(result).empty())
        bind(name, result);
    }
    for (Equation &equation : equations) {
      SymExpr left = substitute(equation.pattern), right = substitute(equation.value);
      Verdict verdict = left && right ? prover.isEqual(left, right) : Verdict::Depends;
      if (verdict == Verdict::False)
        return contradict(equation, "does not hold");
      if (verdict == Verdict::True)
        continue;
      if (!left || !right || !unknownsOf(left).empty() || !unknownsOf(right).empty()) {
        if (solution.kind == Solution::Kind::Solved) {
          solution.kind = Solution::Kind::Ambiguous;
          solution.reason = equation.pattern.str() + " = " + equation.value.str() + " does not determine its symbols";
        }
        continue;
      }
      solution.checks.push_back({left, right});
    }
    // An equation may hold whatever a symbol is: n*m = 0 with m = 0.
    for (const Equation &equation : equations) {
      for (StringRef name : unknownsOf(equation.pattern)) {
        if (solution.values.lookup(name) || solution.kind != Solution::Kind::Solved)
          continue;
        solution.kind = Solution::Kind::Ambiguous;
        solution.reason = "nothing determines " + name.str();
      }
    }
    // What is known of the unknowns.
    for (const Fact &fact : facts) {
      Fact found{substitute(fact.lhs), fact.op, substitute(fact.rhs)};
      if (!found.lhs || !found.rhs || prover.holds(found) != Verdict::False)
        continue;
      contradiction = true;
      solution.kind = Solution::Kind::Contradiction;
      llvm::raw_string_ostream os(solution.reason = "breaks ");
      fact.print(os);
      return;
    }
    // Symbols are >= 0.
    for (const std::string &name : order) {
      SymExpr value = solution.values.lookup(name);
      SymExpr zero = SymExpr::constant(value.getContext(), 0);
      Verdict nonNegative = prover.isLessEqual(zero, value);
      if (nonNegative == Verdict::False) {
        solution.kind = Solution::Kind::Contradiction;
        solution.reason = "needs " + name + " = " + value.str();
        return;
      }
      SymExpr clamped = SymExpr::max({value, zero});
      if (nonNegative == Verdict::Depends && clamped)
        solution.checks.push_back({clamped, value});
    }
  }

  /// Equations without other symbols that no linear step solves: n*n = 9, or floordiv(n, 2) = 3 with mod(n, 2) = 1. As
  /// facts they may leave one value of each unknown, or none.
  void solveByBounds() {
    SmallVector<Fact> known;
    SmallVector<StringRef> names;
    auto add = [&](const Fact &fact) {
      for (SymExpr side : {fact.lhs, fact.rhs}) {
        if (unknownsOf(side).size() != side.getSymbols().size())
          return false;
        for (StringRef name : unknownsOf(side))
          if (!llvm::is_contained(names, name))
            names.push_back(name);
      }
      known.push_back(fact);
      return true;
    };
    for (const Equation &equation : equations)
      if (!add({equation.pattern, Fact::Op::Equal, equation.value}))
        return;
    if (known.empty())
      return;
    size_t numAsked = names.size();
    for (const Fact &fact : facts)
      add(fact);
    names.truncate(numAsked);
    MLIRContext *context = equations.front().pattern.getContext();
    Prover bounds(context, known);
    if (std::string why; bounds.isContradictory(&why)) {
      solution.kind = Solution::Kind::Contradiction;
      solution.reason = "no sizes satisfy " + why;
      return;
    }
    SymbolMap values;
    for (StringRef name : names) {
      bool isAttained = false;
      SymExpr symbol = SymExpr::symbol(context, name);
      std::optional<int64_t> low = bounds.lowerBound(symbol, &isAttained);
      if (!low || !isAttained || bounds.upperBound(symbol) != low)
        return;
      values[name] = SymExpr::constant(context, *low);
    }
    solution = Solution();
    solution.values = std::move(values);
  }

  Prover &prover;
  llvm::function_ref<bool(StringRef)> isUnknown;
  SmallVector<Fact> facts; // about unknowns
  SmallVector<Equation> equations;
  SmallVector<std::pair<std::string, SymExpr>> eliminated;
  SmallVector<std::string> order;
  Solution solution;
  bool contradiction = false;
};
} // namespace

Solution Prover::solve(ArrayRef<std::pair<SymExpr, SymExpr>> equations, llvm::function_ref<bool(StringRef)> unknown) {
  return Solver(*this, impl->base.getFacts(), equations, unknown).run();
}
