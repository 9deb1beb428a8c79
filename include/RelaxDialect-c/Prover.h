/*===- Prover.h - C API of symbolic sizes and the prover ----------*- C -*-===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
|* Expressions belong to their context and live as long as it does; nobody
|* destroys them. Equal pointers mean equal expressions for all sizes; different
|* pointers mean nothing: ask a prover. Symbols are integers >= 0.
|*
|* Threads and errors: as in Compiler.h. A prover may be used from any thread,
|* its calls wait for one another.
|*
\*===----------------------------------------------------------------------===*/
#ifndef RELAXDIALECT_C_PROVER_H
#define RELAXDIALECT_C_PROVER_H

#include "RelaxDialect-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct relax_expr relax_expr;     /* unique in its context */
typedef struct relax_prover relax_prover; /* facts */

typedef enum relax_expr_op {
  RELAX_ADD = 0,
  RELAX_SUB = 1,
  RELAX_MUL = 2,
  RELAX_FLOORDIV = 3,
  RELAX_CEILDIV = 4,
  RELAX_MOD = 5,
  RELAX_MAX = 6,
  RELAX_MIN = 7
} relax_expr_op;

/** Reads an expression, "n*4 + 1", "(n + 3) // 4" or "max(n, m)". */
RELAX_API relax_status relax_expr_parse(relax_context *context, const char *text, const relax_expr **out_expr);
/** A symbol by its name, whatever characters that has. */
RELAX_API relax_status relax_expr_symbol(relax_context *context, const char *name, const relax_expr **out_expr);
RELAX_API relax_status relax_expr_constant(relax_context *context, int64_t value, const relax_expr **out_expr);
/** An error where a coefficient leaves 64 bits or the divisor is a constant <= 0. */
RELAX_API relax_status relax_expr_binary(relax_expr_op op, const relax_expr *a, const relax_expr *b,
                                         const relax_expr **out_expr);
/** Text that can be parsed again. */
RELAX_API void relax_expr_print(const relax_expr *expr, relax_bytes_fn fn, void *user);
/** True and the value when the expression is a constant. */
RELAX_API bool relax_expr_get_constant(const relax_expr *expr, int64_t *out_value);
/** Hands out the name of each symbol, sorted, each once. */
RELAX_API void relax_expr_symbols(const relax_expr *expr, relax_bytes_fn fn, void *user);
/** The value where symbols have values. An error where one has none, a divisor is <= 0 or a value leaves 64 bits. */
RELAX_API relax_status relax_expr_evaluate(const relax_expr *expr, const char *const *names, const int64_t *values,
                                           int64_t num_values, int64_t *out_value);

/** FALSE and TRUE are proofs. DEPENDS: both occur, or it was not decided within the step limit. */
typedef enum relax_verdict { RELAX_FALSE = 0, RELAX_TRUE = 1, RELAX_DEPENDS = 2 } relax_verdict;

/** A prover that knows `num_facts` facts, "n mod 4 == 0". An error when one cannot be read or all together exclude
 * every size. */
RELAX_API relax_status relax_prover_create(relax_context *context, const char *const *facts, int64_t num_facts,
                                           relax_prover **out_prover);
/** NULL is allowed. */
RELAX_API void relax_prover_destroy(relax_prover *prover);
/** Does `fact`, "n*4 <= m", hold for all sizes? The reason is handed to `why`, which may be NULL. */
RELAX_API relax_status relax_prover_holds(relax_prover *prover, const char *fact, relax_verdict *out_verdict,
                                          relax_bytes_fn why, void *user);
/** Greatest value not above the expression and least value not below it; the bool says whether one is known. */
RELAX_API relax_status relax_prover_bounds(relax_prover *prover, const relax_expr *expr, bool *out_has_lower,
                                           int64_t *out_lower, bool *out_has_upper, int64_t *out_upper);
/** An equal, simpler expression under the facts. */
RELAX_API relax_status relax_prover_simplify(relax_prover *prover, const relax_expr *expr, const relax_expr **out_expr);

#ifdef __cplusplus
}
#endif
#endif /* RELAXDIALECT_C_PROVER_H */
