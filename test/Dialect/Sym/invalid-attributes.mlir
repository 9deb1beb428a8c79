// RUN: relax-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected an expression}}
module attributes {a = #relax_sym.expr<n + >} {}

// -----

// expected-error @below {{expected ')' in expression}}
module attributes {a = #relax_sym.expr<(n m)>} {}

// -----

// expected-error @below {{divisor of 'floordiv' must be positive, but is 0}}
module attributes {a = #relax_sym.expr<n floordiv 0>} {}

// -----

// expected-error @below {{divisor of 'mod' must be positive, but is -4}}
module attributes {a = #relax_sym.expr<mod(n, 3 - 7)>} {}

// -----

// expected-error @below {{expected '(' after 'max'}}
module attributes {a = #relax_sym.expr<max + 1>} {}

// -----

// expected-error @below {{'ceildiv' takes 2 operands, but has 3}}
module attributes {a = #relax_sym.expr<ceildiv(a, b, c)>} {}

// -----

// expected-error @below {{symbol name 'n.x' must be quoted}}
module attributes {a = #relax_sym.expr<n.x + 1>} {}

// -----

// expected-error @below {{expected a symbol name, but it is empty}}
module attributes {a = #relax_sym.expr<"">} {}

// -----

// expected-error @below {{expression does not fit 64-bit coefficients or is too large}}
module attributes {a = #relax_sym.expr<n * 4611686018427387904 * 4>} {}

// -----

// expected-error @below {{integer does not fit 64 bits}}
module attributes {a = #relax_sym.expr<9223372036854775808>} {}

// -----

// expected-error @below {{expected an extent >= 0, but it is -4}}
module attributes {a = #relax_sym.shape<[n, -4]>} {}

// -----

// expected-error @below {{invalid fact: expected '==', '<=', '>=', '<' or '>' at column 3 of 'n '}}
module attributes {a = #relax_sym.scope<"n ">} {}

// -----

// expected-error @below {{invalid fact: unexpected text after the fact at column 8 of 'n >= 1 1'}}
module attributes {a = #relax_sym.scope<"n >= 1 1">} {}

// -----

// expected-error @below {{invalid fact: expected a constant exponent at column 6 of 'n ** m == 1'}}
module attributes {a = #relax_sym.scope<"n ** m == 1">} {}

// -----

// expected-error @below {{symbolic shape has 1 entries, but the tensor has rank 2}}
func.func private @f(tensor<?x4xf32, #relax_sym.shape<[n]>>)

// -----

// expected-error @below {{dimension 1 is 4, but its symbolic shape says 5}}
func.func private @f(tensor<?x4xf32, #relax_sym.shape<[n, 5]>>)

// -----

// expected-error @below {{attribute 'relax_sym.scope' must be a #relax_sym.scope, but is 1 : i64}}
func.func private @f() attributes {relax_sym.scope = 1}
