//===- LinearSystem.cpp - Integer constraints without solutions ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LinearSystem.h"
#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <numeric>
#include <vector>

using namespace mlir;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

using Wide = LinearSystem::Wide;

/// Rows beyond this are not worth their cost.
static constexpr size_t kMaxRows = 160;
static constexpr unsigned kMaxVariables = 64;

static Wide floorDivWide(Wide a, Wide b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

void LinearSystem::addRow(ArrayRef<std::pair<unsigned, int64_t>> terms, Wide constant, bool isEquality,
                          uint64_t origin) {
  Row row{SmallVector<int64_t, 16>(numVariables, 0), constant, isEquality, origin};
  for (auto [variable, coefficient] : terms)
    row.coefficients[variable] += coefficient;
  rows.push_back(std::move(row));
}

namespace mlir::relax::sym::detail {
/// One run of elimination. Dropping a row is always allowed when looking for a contradiction, but then no answer but
/// "empty" counts.
class Eliminator {
public:
  using Row = LinearSystem::Row;
  using Result = LinearSystem::Result;

  Eliminator(const LinearSystem &system, Budget &budget)
      : budget(budget), rows(system.rows), numVariables(system.numVariables) {
    for (Row &row : rows)
      row.coefficients.resize(numVariables, 0);
    active.assign(numVariables, true);
  }

  Result run() {
    while (true) {
      if (budget.exhausted() || rows.size() > kMaxRows || numVariables > kMaxVariables)
        return Result::Unknown;
      if (!normalize())
        return Result::Empty;
      if (std::optional<unsigned> equality = findEquality()) {
        eliminateEquality(*equality);
        continue;
      }
      bool foundEquality = false;
      if (!mergeParallel(foundEquality))
        return Result::Empty;
      if (foundEquality)
        continue;
      std::optional<unsigned> variable = chooseVariable();
      finished = !variable;
      if (!variable)
        return exact ? Result::NonEmpty : Result::Unknown;
      eliminate(*variable);
    }
  }

  uint64_t origins = 0;
  /// Not eliminated; at the end `rows` bound it. It occurs in inequalities of one sign only, so no equality mentions
  /// it.
  std::optional<unsigned> objective;
  bool finished = false;

  std::optional<Wide> upperBoundOfObjective() const {
    std::optional<Wide> bound;
    for (const Row &row : rows) {
      Wide c = row.coefficients[*objective];
      if (c < 0) {
        Wide value = floorDivWide(row.constant, -c);
        bound = bound ? std::min(*bound, value) : value;
      }
    }
    return bound;
  }

  /// Values for the eliminated variables, last eliminated first. Fails where the rational shadow has no integer.
  bool buildModel(SmallVectorImpl<Wide> &model, unsigned numWanted) {
    SmallVector<Wide> values(numVariables, 0);
    if (objective)
      values[*objective] = upperBoundOfObjective().value_or(0);
    for (const Step &step : llvm::reverse(steps)) {
      std::optional<Wide> lo, hi;
      for (const Row &row : step.rows) {
        Wide rest = row.constant;
        for (unsigned i = 0; i < row.coefficients.size(); ++i)
          if (i != step.variable)
            rest += row.coefficients[i] * values[i];
        Wide c = row.coefficients[step.variable];
        if (row.isEquality) {
          if (rest % c != 0)
            return false;
          lo = hi = -rest / c;
          break;
        }
        if (c > 0) { // x >= -rest / c
          Wide bound = -floorDivWide(rest, c);
          lo = lo ? std::max(*lo, bound) : bound;
        } else { // x <= rest / -c
          Wide bound = floorDivWide(rest, -c);
          hi = hi ? std::min(*hi, bound) : bound;
        }
      }
      if (lo && hi && *lo > *hi)
        return false;
      values[step.variable] = lo ? *lo : hi ? std::min<Wide>(*hi, 0) : 0;
    }
    model.assign(values.begin(), values.begin() + numWanted);
    return true;
  }

private:
  /// How a variable was taken out: rows that mention it.
  struct Step {
    unsigned variable;
    std::vector<Row> rows;
  };

  /// Divides rows by their gcd and drops empty ones. False on a contradiction.
  bool normalize() {
    for (size_t i = 0; i < rows.size();) {
      Row &row = rows[i];
      int64_t gcd = 0;
      for (int64_t coefficient : row.coefficients)
        gcd = std::gcd(gcd, coefficient);
      if (gcd == 0) {
        if (row.isEquality ? row.constant != 0 : row.constant < 0) {
          origins = row.origin;
          return false;
        }
        std::swap(row, rows.back());
        rows.pop_back();
        continue;
      }
      if (gcd > 1) {
        if (row.isEquality && row.constant % gcd != 0) {
          origins = row.origin;
          return false;
        }
        for (int64_t &coefficient : row.coefficients)
          coefficient /= gcd;
        row.constant = floorDivWide(row.constant, gcd);
      }
      ++i;
    }
    return true;
  }

  std::optional<unsigned> findEquality() {
    std::optional<unsigned> best;
    int64_t least = 0;
    for (auto [i, row] : llvm::enumerate(rows)) {
      if (!row.isEquality)
        continue;
      for (int64_t coefficient : row.coefficients) {
        int64_t magnitude = std::abs(coefficient);
        if (magnitude && (!best || magnitude < least)) {
          best = i;
          least = magnitude;
        }
      }
    }
    return best;
  }

  /// Substitutes a variable with coefficient +-1; makes one first by the symmetric remainder of Pugh's Omega test.
  void eliminateEquality(unsigned index) {
    Row equality = rows[index];
    unsigned variable = 0;
    for (unsigned i = 0; i < equality.coefficients.size(); ++i)
      if (equality.coefficients[i] && (!equality.coefficients[variable] ||
                                       std::abs(equality.coefficients[i]) < std::abs(equality.coefficients[variable])))
        variable = i;
    int64_t c = equality.coefficients[variable];
    if (std::abs(c) != 1) {
      // sum(a_i x_i) + k = 0 implies sum(mod^(a_i, m) x_i) + mod^(k, m) = m * fresh with m = |c| + 1, where c's is -+1.
      int64_t m = std::abs(c) + 1;
      auto symmetric = [m](Wide value) { return value - m * floorDivWide(2 * value + m, 2 * m); };
      Row derived{{}, symmetric(equality.constant), true, equality.origin};
      for (int64_t coefficient : equality.coefficients)
        derived.coefficients.push_back(static_cast<int64_t>(symmetric(coefficient)));
      derived.coefficients.push_back(-m);
      for (Row &row : rows)
        row.coefficients.push_back(0);
      ++numVariables;
      active.push_back(true);
      equality = derived;
      c = equality.coefficients[variable];
    } else {
      std::swap(rows[index], rows.back());
      rows.pop_back();
    }
    steps.push_back({variable, {equality}});
    active[variable] = false;
    for (size_t i = 0; i < rows.size(); ++i) {
      int64_t factor = rows[i].coefficients[variable];
      if (!factor)
        continue;
      budget.spend();
      if (!combine(rows[i], equality, 1, -factor * c, rows[i].isEquality)) {
        drop(i);
        --i;
      }
    }
  }

  /// target = a * target + b * source. False on overflow.
  bool combine(Row &target, const Row &source, int64_t a, int64_t b, bool isEquality) {
    for (unsigned i = 0; i < target.coefficients.size(); ++i) {
      int64_t x, y;
      if (llvm::MulOverflow(target.coefficients[i], a, x) || llvm::MulOverflow(source.coefficients[i], b, y) ||
          llvm::AddOverflow(x, y, target.coefficients[i]) || target.coefficients[i] == INT64_MIN)
        return false;
    }
    Wide x, y;
    constexpr Wide kHuge = (Wide)1 << 120;
    if (__builtin_mul_overflow(target.constant, (Wide)a, &x) || __builtin_mul_overflow(source.constant, (Wide)b, &y) ||
        __builtin_add_overflow(x, y, &target.constant) || target.constant > kHuge || target.constant < -kHuge)
      return false;
    target.isEquality = isEquality;
    target.origin |= source.origin;
    return true;
  }

  void drop(size_t index) {
    exact = false;
    std::swap(rows[index], rows.back());
    rows.pop_back();
  }

  /// Keeps the tightest of parallel rows; opposite ones contradict each other, or make an equality. False on
  /// contradiction.
  bool mergeParallel(bool &foundEquality) {
    std::map<SmallVector<int64_t, 16>, size_t> seen;
    SmallVector<bool> redundant(rows.size(), false);
    for (size_t i = 0; i < rows.size(); ++i) {
      auto [it, isNew] = seen.try_emplace(rows[i].coefficients, i);
      if (isNew)
        continue;
      Row &kept = rows[it->second];
      if (rows[i].constant < kept.constant) {
        redundant[it->second] = true;
        it->second = i;
      } else {
        redundant[i] = true;
      }
    }
    for (auto &[coefficients, i] : seen) {
      SmallVector<int64_t, 16> opposite;
      for (int64_t coefficient : coefficients)
        opposite.push_back(-coefficient);
      auto other = seen.find(opposite);
      if (other == seen.end() || other->second == i)
        continue;
      Row &a = rows[i], &b = rows[other->second];
      budget.spend();
      if (a.constant + b.constant < 0) {
        origins = a.origin | b.origin;
        return false;
      }
      if (a.constant + b.constant == 0 && !redundant[other->second] && !redundant[i]) {
        a.isEquality = true;
        a.origin |= b.origin;
        redundant[other->second] = true;
        foundEquality = true;
      }
    }
    SmallVector<Row> kept;
    for (auto [row, skip] : llvm::zip(rows, redundant))
      if (!skip)
        kept.push_back(std::move(row));
    rows = std::move(kept);
    return true;
  }

  /// The variable whose elimination makes the fewest rows, exact eliminations first.
  std::optional<unsigned> chooseVariable() {
    std::optional<unsigned> best;
    std::pair<bool, int64_t> bestCost;
    for (unsigned i = 0; i < numVariables; ++i) {
      if (!active[i] || objective == i)
        continue;
      int64_t positive = 0, negative = 0;
      bool unitPositive = true, unitNegative = true;
      for (const Row &row : rows) {
        int64_t c = row.coefficients[i];
        if (c > 0) {
          ++positive;
          unitPositive &= c == 1;
        } else if (c < 0) {
          ++negative;
          unitNegative &= c == -1;
        }
      }
      if (positive + negative == 0)
        continue;
      std::pair<bool, int64_t> cost{!(unitPositive || unitNegative) && positive && negative,
                                    positive * negative - positive - negative};
      if (!best || cost < bestCost) {
        best = i;
        bestCost = cost;
      }
    }
    return best;
  }

  void eliminate(unsigned variable) {
    active[variable] = false;
    Step step{variable, {}};
    SmallVector<Row> positive, negative, rest;
    for (Row &row : rows) {
      int64_t c = row.coefficients[variable];
      if (c)
        step.rows.push_back(row);
      (c > 0 ? positive : c < 0 ? negative : rest).push_back(std::move(row));
    }
    steps.push_back(std::move(step));
    rows = std::move(rest);
    for (const Row &p : positive) {
      for (const Row &n : negative) {
        if (!budget.spend())
          return;
        int64_t a = p.coefficients[variable], b = -n.coefficients[variable], gcd = std::gcd(a, b);
        exact &= a == 1 || b == 1;
        Row row = p;
        if (!combine(row, n, b / gcd, a / gcd, /*isEquality=*/false)) {
          exact = false;
          continue;
        }
        rows.push_back(std::move(row));
      }
    }
  }

  Budget &budget;
  SmallVector<Row> rows;
  std::vector<Step> steps;
  SmallVector<bool> active;
  unsigned numVariables;
  bool exact = true;
};
} // namespace mlir::relax::sym::detail

LinearSystem::Result LinearSystem::check(Budget &budget, uint64_t *origins, SmallVectorImpl<Wide> *model) const {
  Eliminator eliminator(*this, budget);
  Result result = eliminator.run();
  if (result == Result::Empty && origins)
    *origins = eliminator.origins;
  if (result != Result::Empty && model && !eliminator.buildModel(*model, numVariables))
    model->clear();
  return result;
}

std::optional<Wide> LinearSystem::maximize(unsigned variable, Budget &budget, bool &isEmpty,
                                           SmallVectorImpl<Wide> *model) const {
  Eliminator eliminator(*this, budget);
  eliminator.objective = variable;
  Result result = eliminator.run();
  isEmpty = result == Result::Empty;
  if (isEmpty || !eliminator.finished)
    return std::nullopt;
  if (model && !eliminator.buildModel(*model, numVariables))
    model->clear();
  return eliminator.upperBoundOfObjective();
}

LinearSystem::Result LinearSystem::checkPresburger(Budget &budget, bool integers, SmallVectorImpl<Wide> *model) const {
  using namespace mlir::presburger;
  // The library has no step limit: small systems with small coefficients only.
  constexpr int64_t kMaxCoefficient = int64_t(1) << 40;
  if (numVariables > (integers ? 12 : 40) || rows.size() > (integers ? 40 : kMaxRows))
    return Result::Unknown;
  if (!budget.spend(rows.size() * numVariables / 4 + 1))
    return Result::Unknown;
  IntegerPolyhedron polyhedron(PresburgerSpace::getSetSpace(numVariables));
  for (const Row &row : rows) {
    SmallVector<int64_t> values(row.coefficients.begin(), row.coefficients.end());
    values.resize(numVariables, 0);
    if (row.constant > kMaxCoefficient || row.constant < -kMaxCoefficient)
      return Result::Unknown;
    values.push_back(static_cast<int64_t>(row.constant));
    if (llvm::any_of(values, [](int64_t v) { return v > kMaxCoefficient || v < -kMaxCoefficient; }))
      return Result::Unknown;
    if (row.isEquality)
      polyhedron.addEquality(values);
    else
      polyhedron.addInequality(values);
  }
  if (!integers)
    return Simplex(polyhedron).isEmpty() ? Result::Empty : Result::Unknown;
  std::optional<SmallVector<DynamicAPInt, 8>> sample = polyhedron.findIntegerSample();
  if (!sample)
    return Result::Empty;
  const DynamicAPInt huge(INT64_MAX);
  if (model && llvm::all_of(*sample, [&](const DynamicAPInt &x) { return x < huge && -x < huge; }))
    for (const DynamicAPInt &x : *sample)
      model->push_back(static_cast<int64_t>(x));
  return Result::NonEmpty;
}
