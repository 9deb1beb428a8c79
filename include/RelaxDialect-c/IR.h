/*===- IR.h - C API of operations: passes written by callers ------*- C -*-===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
|* Operations and values of a module, to be read and changed between pipelines.
|* A handle stays safe whatever happens to the module: when its operation has
|* been erased, or a pipeline has run on the module since, functions with a
|* status return RELAX_INVALID_ARGUMENT and the others what they say.
|*
|* Ownership: every function that hands out a handle hands out a new one, which
|* the caller destroys, before the context. Threads and errors: as in Compiler.h.
|* A change that would break the module's structure is refused; whether the
|* result is valid is checked by relax_module_verify, and before anything else
|* uses the module.
|*
\*===----------------------------------------------------------------------===*/
#ifndef RELAXDIALECT_C_IR_H
#define RELAXDIALECT_C_IR_H

#include "RelaxDialect-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct relax_op relax_op;       /* an operation of a module */
typedef struct relax_value relax_value; /* a result of an operation or an argument of a block */

/** Receives a handle, which it owns. */
typedef void (*relax_op_fn)(void *user, relax_op *op);
typedef void (*relax_value_fn)(void *user, relax_value *value);

/*===- Operations -----------------------------------------------------------===*/

/** Hands out the operations of the module in order, an operation before those inside it. `name`, "relax.relu", chooses
 * some; NULL is all of them, the module's own first. */
RELAX_API relax_status relax_module_walk(relax_module *module, const char *name, relax_op_fn fn, void *user);
/** NULL is allowed. */
RELAX_API void relax_op_destroy(relax_op *op);
/** Whether the operation is still there. */
RELAX_API bool relax_op_is_alive(const relax_op *op);
/** The same operation has the same id as long as its module is there, another one has another. */
RELAX_API uint64_t relax_op_id(const relax_op *op);

/** "relax.relu". */
RELAX_API relax_status relax_op_name(const relax_op *op, relax_bytes_fn fn, void *user);
/** Text that names everything in full, without aliases. */
RELAX_API relax_status relax_op_print(const relax_op *op, relax_bytes_fn fn, void *user);
/** Hands out the name of the file of the operation's place, "" where none is known; the numbers are from 1, or 0. */
RELAX_API relax_status relax_op_location(const relax_op *op, relax_bytes_fn fn, void *user, int64_t *out_line,
                                         int64_t *out_column);
/** The operation around it. NULL and RELAX_OK: it is the module's own. */
RELAX_API relax_status relax_op_parent(const relax_op *op, relax_op **out_parent);
RELAX_API relax_status relax_op_operands(const relax_op *op, relax_value_fn fn, void *user);
RELAX_API relax_status relax_op_results(const relax_op *op, relax_value_fn fn, void *user);
/** Hands out the name and then the text of each attribute. */
RELAX_API relax_status relax_op_attributes(const relax_op *op, relax_bytes_fn fn, void *user);

/*===- Values ---------------------------------------------------------------===*/

/** NULL is allowed. */
RELAX_API void relax_value_destroy(relax_value *value);
/** Whether two handles are the same value, which is there. */
RELAX_API bool relax_value_equal(const relax_value *a, const relax_value *b);
/** The type as text, without aliases. */
RELAX_API relax_status relax_value_type(const relax_value *value, relax_bytes_fn fn, void *user);
/** Hands out the element type as text and then each extent, "4", "n * 2" or "?". Nothing where the type is no ranked
 * tensor. */
RELAX_API relax_status relax_value_shape(const relax_value *value, relax_bytes_fn fn, void *user);
/** The operation whose result it is, and which one. NULL and RELAX_OK: an argument of a block, with its number. */
RELAX_API relax_status relax_value_owner(const relax_value *value, relax_op **out_owner, int64_t *out_index);
/** The operations that use it, each once. */
RELAX_API relax_status relax_value_users(const relax_value *value, relax_op_fn fn, void *user);

/*===- Changes --------------------------------------------------------------===*/

/** Sets an attribute to what `text` says, "1 : i64"; NULL removes it. */
RELAX_API relax_status relax_op_set_attribute(relax_op *op, const char *name, const char *text);
/** Another value of the same type in the place of an operand. */
RELAX_API relax_status relax_op_set_operand(relax_op *op, int64_t index, const relax_value *value);
/** Inserts the body of the one function of `text` before the operation, with `values` for the function's arguments,
 * whose types they have, and hands out what the function returns. */
RELAX_API relax_status relax_op_insert(relax_op *op, const char *text, const relax_value *const *values,
                                       int64_t num_values, relax_value_fn fn, void *user);
/** Puts values of the same types in the place of the results and erases the operation. */
RELAX_API relax_status relax_op_replace(relax_op *op, const relax_value *const *values, int64_t num_values);
/** Erases an operation whose results have no uses. */
RELAX_API relax_status relax_op_erase(relax_op *op);

#ifdef __cplusplus
}
#endif
#endif /* RELAXDIALECT_C_IR_H */
