//===- Prover.cpp - Symbolic sizes of the C API ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect-c/Prover.h"
#include "Impl.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"

using namespace mlir;
using namespace mlir::relax;
using namespace relax_capi;
using sym::SymExpr;

struct relax_prover {
  relax_context *owner;
  sym::Prover prover;
};

static const relax_expr *wrap(SymExpr expr) { return reinterpret_cast<const relax_expr *>(expr.getImpl()); }
static SymExpr unwrap(const relax_expr *expr) { return SymExpr(reinterpret_cast<const SymExpr::Storage *>(expr)); }
static relax_context *getOwner(const relax_expr *expr) {
  return static_cast<relax_context *>(unwrap(expr).getContext());
}

/// Hands out an expression, or fails when there is none.
template <typename Fn>
static relax_status makeExpr(relax_context *context, const relax_expr **out_expr, const Twine &why, Fn fn) {
  *out_expr = nullptr;
  Call call(context);
  if (!call.isReady())
    return RELAX_INVALID_ARGUMENT;
  context->loadDialect<sym::RelaxSymDialect>();
  SymExpr expr = fn();
  if (!expr)
    return call.fail(RELAX_INVALID_ARGUMENT, why);
  *out_expr = wrap(expr);
  return RELAX_OK;
}

relax_status relax_expr_parse(relax_context *context, const char *text, const relax_expr **out_expr) {
  if (!context || !text || !out_expr)
    return Call().fail(RELAX_INVALID_ARGUMENT, "context, text or out_expr is NULL");
  *out_expr = nullptr;
  Call call(context);
  if (!call.isReady())
    return RELAX_INVALID_ARGUMENT;
  context->loadDialect<sym::RelaxSymDialect>();
  std::string error;
  SymExpr expr = SymExpr::parse(context, text, error);
  if (!expr)
    return call.fail(RELAX_INVALID_ARGUMENT, "'" + Twine(text) + "': " + error);
  *out_expr = wrap(expr);
  return RELAX_OK;
}

relax_status relax_expr_symbol(relax_context *context, const char *name, const relax_expr **out_expr) {
  if (!context || !name || !*name || !out_expr)
    return Call().fail(RELAX_INVALID_ARGUMENT, "context or out_expr is NULL, or name is NULL or empty");
  return makeExpr(context, out_expr, "not a name", [&] { return SymExpr::symbol(context, name); });
}

relax_status relax_expr_constant(relax_context *context, int64_t value, const relax_expr **out_expr) {
  if (!context || !out_expr)
    return Call().fail(RELAX_INVALID_ARGUMENT, "context or out_expr is NULL");
  return makeExpr(context, out_expr, "not a constant", [&] { return SymExpr::constant(context, value); });
}

relax_status relax_expr_binary(relax_expr_op op, const relax_expr *lhs, const relax_expr *rhs,
                               const relax_expr **out_expr) {
  if (!lhs || !rhs || !out_expr)
    return Call().fail(RELAX_INVALID_ARGUMENT, "a, b or out_expr is NULL");
  SymExpr a = unwrap(lhs), b = unwrap(rhs);
  if (a.getContext() != b.getContext())
    return Call().fail(RELAX_INVALID_ARGUMENT, "the expressions are of two contexts");
  return makeExpr(getOwner(lhs), out_expr, "a coefficient leaves 64 bits, or a divisor is a constant <= 0", [&] {
    switch (op) {
    case RELAX_ADD:
      return a + b;
    case RELAX_SUB:
      return a - b;
    case RELAX_MUL:
      return a * b;
    case RELAX_FLOORDIV:
      return SymExpr::floordiv(a, b);
    case RELAX_CEILDIV:
      return SymExpr::ceildiv(a, b);
    case RELAX_MOD:
      return SymExpr::mod(a, b);
    case RELAX_MAX:
      return SymExpr::max({a, b});
    case RELAX_MIN:
      return SymExpr::min({a, b});
    }
    return SymExpr();
  });
}

void relax_expr_print(const relax_expr *expr, relax_bytes_fn fn, void *user) { deliver(fn, user, unwrap(expr).str()); }

bool relax_expr_get_constant(const relax_expr *expr, int64_t *out_value) {
  std::optional<int64_t> value = unwrap(expr).getConstant();
  if (value)
    *out_value = *value;
  return value.has_value();
}

void relax_expr_symbols(const relax_expr *expr, relax_bytes_fn fn, void *user) {
  for (StringRef name : unwrap(expr).getSymbols())
    deliver(fn, user, name);
}

relax_status relax_expr_evaluate(const relax_expr *expr, const char *const *names, const int64_t *values,
                                 int64_t num_values, int64_t *out_value) {
  if (!expr || !out_value || (num_values && (!names || !values)))
    return Call().fail(RELAX_INVALID_ARGUMENT, "expr, names, values or out_value is NULL");
  std::optional<int64_t> value = unwrap(expr).evaluate([&](StringRef name) -> std::optional<int64_t> {
    for (int64_t i = 0; i < num_values; ++i)
      if (name == names[i])
        return values[i];
    return std::nullopt;
  });
  Call call;
  if (!value)
    return call.fail(RELAX_INVALID_ARGUMENT,
                     "'" + unwrap(expr).str() +
                         "' has no value here: a symbol has none, a divisor is <= 0, or 64 bits do not hold it");
  *out_value = *value;
  return RELAX_OK;
}

relax_status relax_prover_create(relax_context *context, const char *const *facts, int64_t num_facts,
                                 relax_prover **out_prover) {
  if (!context || !out_prover || (num_facts && !facts))
    return Call().fail(RELAX_INVALID_ARGUMENT, "context, facts or out_prover is NULL");
  *out_prover = nullptr;
  Call call(context);
  if (!call.isReady())
    return RELAX_INVALID_ARGUMENT;
  context->loadDialect<sym::RelaxSymDialect>();
  SmallVector<sym::Fact> known;
  for (int64_t i = 0; i < num_facts; ++i) {
    std::string error;
    FailureOr<sym::Fact> fact = sym::Fact::parse(context, facts[i], error);
    if (failed(fact))
      return call.fail(RELAX_INVALID_ARGUMENT, "'" + Twine(facts[i]) + "': " + error);
    known.push_back(*fact);
  }
  std::unique_ptr<relax_prover> prover(new relax_prover{context, sym::Prover(context, known)});
  std::string reason;
  if (prover->prover.isContradictory(&reason))
    return call.fail(RELAX_INVALID_ARGUMENT, "the facts exclude every size: " + reason);
  *out_prover = prover.release();
  return RELAX_OK;
}

void relax_prover_destroy(relax_prover *prover) { delete prover; }

relax_status relax_prover_holds(relax_prover *prover, const char *text, relax_verdict *out_verdict, relax_bytes_fn why,
                                void *user) {
  if (!prover || !text || !out_verdict)
    return Call().fail(RELAX_INVALID_ARGUMENT, "prover, fact or out_verdict is NULL");
  std::string reason;
  {
    Call call(prover->owner);
    if (!call.isReady())
      return RELAX_INVALID_ARGUMENT;
    std::string error;
    FailureOr<sym::Fact> fact = sym::Fact::parse(prover->owner, text, error);
    if (failed(fact))
      return call.fail(RELAX_INVALID_ARGUMENT, "'" + Twine(text) + "': " + error);
    sym::Explanation explanation;
    sym::Verdict verdict = prover->prover.holds(*fact, why ? &explanation : nullptr);
    *out_verdict = verdict == sym::Verdict::True    ? RELAX_TRUE
                   : verdict == sym::Verdict::False ? RELAX_FALSE
                                                    : RELAX_DEPENDS;
    llvm::raw_string_ostream stream(reason);
    explanation.print(stream, "");
  }
  deliver(why, user, StringRef(reason).rtrim());
  return RELAX_OK;
}

relax_status relax_prover_bounds(relax_prover *prover, const relax_expr *expr, bool *out_has_lower, int64_t *out_lower,
                                 bool *out_has_upper, int64_t *out_upper) {
  if (!prover || !expr || !out_has_lower || !out_lower || !out_has_upper || !out_upper)
    return Call().fail(RELAX_INVALID_ARGUMENT, "an argument is NULL");
  Call call(prover->owner);
  if (!call.isReady())
    return RELAX_INVALID_ARGUMENT;
  if (getOwner(expr) != prover->owner)
    return call.fail(RELAX_INVALID_ARGUMENT, "the expression is of another context");
  std::optional<int64_t> lower = prover->prover.lowerBound(unwrap(expr)),
                         upper = prover->prover.upperBound(unwrap(expr));
  *out_has_lower = lower.has_value();
  *out_lower = lower.value_or(0);
  *out_has_upper = upper.has_value();
  *out_upper = upper.value_or(0);
  return RELAX_OK;
}

relax_status relax_prover_simplify(relax_prover *prover, const relax_expr *expr, const relax_expr **out_expr) {
  if (!prover || !expr || !out_expr)
    return Call().fail(RELAX_INVALID_ARGUMENT, "prover, expr or out_expr is NULL");
  if (getOwner(expr) != prover->owner)
    return Call().fail(RELAX_INVALID_ARGUMENT, "the expression is of another context");
  return makeExpr(prover->owner, out_expr, "no such expression", [&] { return prover->prover.simplify(unwrap(expr)); });
}
