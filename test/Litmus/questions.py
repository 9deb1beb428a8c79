# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Questions about shapes with answers that do not come from the prover: brute force on a grid, and Z3.

A row is (id, category, assumptions, kind, question, expected, note), as in the litmus tables. Symbols are integers
>= 0, floordiv rounds down, mod takes the divisor's sign; where a divisor is not positive a question has no value.
"""
import ast
import re

import numpy as np

NAMES = {"floordiv", "ceildiv", "mod", "min", "max"}


class Undefined(Exception):
    """A divisor is not positive for every point."""


class Grid:
    """Points of a grid as one vector per symbol; `valid` are those where no divisor was <= 0."""

    def __init__(self, names, domain):
        axes = np.meshgrid(*[np.array(domain, dtype=np.int64)] * len(names), indexing="ij") if names else []
        self.values = {name: axis.ravel() for name, axis in zip(names, axes)}
        self.size = len(domain) ** len(names)
        self.valid = np.ones(self.size, dtype=bool)

    def keep(self, mask):
        self.values = {name: value[mask] for name, value in self.values.items()}
        self.valid = self.valid[mask]
        self.size = int(mask.sum())

    def divide(self, a, b):
        a, b = np.broadcast_arrays(np.asarray(a), np.asarray(b))
        good = np.broadcast_to(b > 0, (self.size,))
        self.valid = self.valid & good
        return np.where(b > 0, a // np.where(b > 0, b, 1), 0)

    def evaluate(self, text):
        """Value of an expression, or truth of a comparison, at every point."""
        env = dict(self.values)
        env["floordiv"] = self.divide
        env["ceildiv"] = lambda a, b: -self.divide(-np.asarray(a), b)
        env["mod"] = lambda a, b: a - b * self.divide(a, b)
        env["min"] = lambda *xs: np.minimum.reduce(np.broadcast_arrays(*xs))
        env["max"] = lambda *xs: np.maximum.reduce(np.broadcast_arrays(*xs))
        result = eval(compile(text, "", "eval"), {"__builtins__": {}}, env)  # noqa: S307 (our own text)
        return np.broadcast_to(np.asarray(result), (self.size,))


class Point:
    """One valuation, in exact arithmetic; `undefined` tells that a divisor was not positive."""

    def __init__(self, values):
        self.values, self.undefined = values, False

    def divide(self, a, b):
        if b <= 0:
            self.undefined = True
            return 0
        return a // b

    def evaluate(self, text):
        self.undefined = False
        env = dict(self.values, min=min, max=max)
        env["floordiv"] = self.divide
        env["ceildiv"] = lambda a, b: -self.divide(-a, b)
        env["mod"] = lambda a, b: a - b * self.divide(a, b)
        return eval(compile(text.strip(), "", "eval"), {"__builtins__": {}}, env)  # noqa: S307


def symbols(*texts):
    found = set()
    for text in texts:
        found |= {n.id for n in ast.walk(ast.parse(text.strip(), mode="eval")) if isinstance(n, ast.Name)}
    return sorted(found - NAMES)


def constants(*texts):
    found = set()
    for text in texts:
        for node in ast.walk(ast.parse(text.strip(), mode="eval")):
            if isinstance(node, ast.Constant):
                found.add(node.value)
    return found


def split_top(text, separator=","):
    parts, depth, current = [], 0, ""
    for char in text:
        depth += (char == "(") - (char == ")")
        if char == separator and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    return parts + [current.strip()] if current.strip() else parts


def facts_of(assumptions):
    return [fact.strip() for fact in assumptions.split(";") if fact.strip()]


def make_grid(assumptions, *texts, limit=200000):
    """The points of a grid that satisfy the facts; small values and the neighbours of every constant."""
    facts = facts_of(assumptions)
    names = symbols(*texts, *facts)
    extra = {c + d for c in constants(*texts, *facts) if 0 <= c < 2**20 for d in (-1, 0, 1)}
    small = {0: 1, 1: 600, 2: 90, 3: 26, 4: 13, 5: 8}.get(len(names), 5)
    domain = sorted(x for x in set(range(small)) | extra if x >= 0)
    while len(domain) ** len(names) > limit * 4 and small > 3:
        small -= 1
        domain = sorted(x for x in set(range(small)) | extra if x >= 0)
    grid = Grid(names, domain)
    for fact in facts:
        mask = grid.evaluate(fact)
        grid.keep(mask & grid.valid)
    return grid


def product(extents):
    return "*".join(f"({extent})" for extent in extents) or "1"


def shape(text):
    return split_top(text.strip()[1:-1])


def claim_of(kind, question):
    """The comparison that a verdict kind asks about."""
    if kind == "divisible":
        value, divisor = question.split(" by ")
        return f"mod({value}, {divisor}) == 0"
    if kind == "reshape":
        left, right = question.split("->")
        return f"{product(shape(left))} == {product(shape(right))}"
    return question


def brute_verdict(assumptions, kind, question):
    """true, false, depends or unsat as far as the grid tells."""
    claim = claim_of(kind, question)
    left, right = claim.replace("<=", "==").split("==")
    grid = make_grid(assumptions, left, right)
    if grid.size == 0:
        return "unsat"
    truth = grid.evaluate(claim)
    if not grid.valid.all():
        return "depends"  # some divisor is 0
    return "true" if truth.all() else "depends" if truth.any() else "false"


class Z3:
    """Integer arithmetic of the questions in Z3."""

    def __init__(self, names, timeout_ms=2000):
        import z3

        self.z3 = z3
        self.env = {name: z3.Int(name) for name in names}
        self.obligations = []
        self.timeout = timeout_ms

    def divide(self, a, b):
        if isinstance(b, int):
            if b <= 0:
                raise Undefined
            if isinstance(a, int):
                return a // b
        else:
            self.obligations.append(b >= 1)
        # For positive divisors Z3's division rounds down too.
        return (self.z3.IntVal(a) if isinstance(a, int) else a) / b

    def fold(self, pick, values):
        result = values[0]
        for value in values[1:]:
            result = self.z3.If(pick(result, value), result, value)
        return result

    def parse(self, text):
        env = dict(self.env)
        env["floordiv"] = self.divide
        env["ceildiv"] = lambda a, b: -self.divide(-a, b)
        env["mod"] = lambda a, b: a - b * self.divide(a, b)
        env["min"] = lambda *xs: self.fold(lambda a, b: a <= b, xs)
        env["max"] = lambda *xs: self.fold(lambda a, b: a >= b, xs)
        result = eval(compile(text.strip(), "", "eval"), {"__builtins__": {}}, env)  # noqa: S307
        return self.z3.BoolVal(result) if isinstance(result, bool) else result

    def facts(self, assumptions):
        clauses = [value >= 0 for value in self.env.values()]
        for fact in facts_of(assumptions):
            self.obligations = []
            clauses.append(self.parse(fact))
            clauses += self.obligations
        self.obligations = []
        return clauses

    def solve(self, clauses):
        solver = self.z3.Solver()
        solver.set("timeout", self.timeout)
        solver.add(*clauses)
        return str(solver.check())


def z3_verdict(assumptions, kind, question, timeout_ms=2000):
    """true, false, depends, unsat, or None when Z3 does not decide in time."""
    claim = claim_of(kind, question)
    left, right = claim.replace("<=", "==").split("==")
    z3 = Z3(symbols(left, right, *facts_of(assumptions)), timeout_ms)
    facts = z3.facts(assumptions)
    truth = z3.parse(claim)
    not_ = z3.z3.Not
    if z3.obligations:
        undefined = z3.solve(facts + [not_(z3.z3.And(*z3.obligations))])
        if undefined != "unsat":
            return "depends" if undefined == "sat" else None
    no, yes = z3.solve(facts + [not_(truth)]), z3.solve(facts + [truth])
    return {
        ("unsat", "sat"): "true",
        ("sat", "unsat"): "false",
        ("sat", "sat"): "depends",
        ("unsat", "unsat"): "unsat",
    }.get((no, yes))


def brute_bound(assumptions, kind, question):
    grid = make_grid(assumptions, question)
    if grid.size == 0:
        return None
    values = grid.evaluate(question)
    values = values[grid.valid]
    return int(values.max() if kind == "upper" else values.min()) if values.size else None


def z3_exceeds(assumptions, kind, question, bound, timeout_ms=2000):
    """Whether some valuation lies beyond the bound: 'sat', 'unsat' or 'unknown'."""
    z3 = Z3(symbols(question, *facts_of(assumptions)), timeout_ms)
    facts = z3.facts(assumptions)
    value = z3.parse(question)
    return z3.solve(facts + z3.obligations + [value > bound if kind == "upper" else value < bound])


def brute_solve(question, top=61):
    equations = [tuple(side.strip() for side in part.split("=")) for part in question.split(";")]
    names = symbols(*[left for left, _ in equations])
    grid = Grid(names, range(top if len(names) < 3 else 41 if len(names) == 3 else 17))
    for left, right in equations:
        mask = grid.evaluate(f"({left}) == ({right})")
        grid.keep(mask & grid.valid)
    if grid.size == 0:
        return "error"
    if grid.size > 1:
        return "ambiguous"
    return ",".join(f"{name}={int(grid.values[name][0])}" for name in names)


def guarded(text):
    """`result | guard` as two expressions."""
    result, _, guard = text.partition("|")
    guard = guard.strip().replace("true", "True") or "True"
    alternatives = [f"({to_python(part)})" for part in guard.split(" or ")]
    return to_python(result.strip()), " | ".join(alternatives)


def to_python(text):
    """The printed grammar (infix floordiv, ceildiv and mod, left to right with `*`) as Python with calls."""
    tokens = re.findall(r"[A-Za-z_]\w*|\d+|[-+*(),?]|[=<>]+|\S", text)
    position = 0

    def peek():
        return tokens[position] if position < len(tokens) else ""

    def take():
        nonlocal position
        position += 1
        return tokens[position - 1]

    def primary():
        token = take()
        if token == "-":
            return f"(-{primary()})"
        if token == "(":
            inner = expression()
            take()
            return f"({inner})"
        if peek() == "(" and token in NAMES:
            take()
            arguments = [expression()]
            while take() == ",":
                arguments.append(expression())
            return f"{token}({', '.join(arguments)})"
        return token

    def term():
        left = primary()
        while peek() in ("*", "floordiv", "ceildiv", "mod"):
            operator, right = take(), primary()
            left = f"({left}*{right})" if operator == "*" else f"{operator}({left}, {right})"
        return left

    def expression():
        left = term()
        while peek() in ("+", "-"):
            left = f"({left} {take()} {term()})"
        return left

    result = expression()
    if re.fullmatch(r"[=<>]+", peek()):
        result += f" {take()} {expression()}"
    return result


def check_guarded(assumptions, kind, question, answer):
    """'' when a broadcast or infer answer is right at every grid point, else what is wrong."""
    if kind == "broadcast":
        a, b = shape(question)
        texts = [a, b]
    else:
        left, right = question.split("->")
        given, wanted = shape(left), [extent for extent in shape(right) if extent != "-1"]
        texts = [product(given), product(wanted)]
    grid = make_grid(assumptions, *texts)
    if grid.size == 0:
        return "" if answer == "unsat" else "the facts contradict each other"
    if kind == "broadcast":
        x, y = grid.evaluate(a), grid.evaluate(b)
        legal, result = (x == y) | (x == 1) | (y == 1), np.where(x == 1, y, x)
    else:
        x, y = grid.evaluate(texts[0]), grid.evaluate(texts[1])
        if (y == 0).any():
            return "" if answer == "ambiguous" else "the other extents may be 0"
        legal, result = x % y == 0, x // y
    if not legal.any():
        return "" if answer == "error" else "never legal"
    if answer in ("error", "ambiguous", "unsat") or "|" not in answer and kind == "broadcast":
        return "no guarded answer"
    expression, guard = guarded(answer)
    where = np.broadcast_to(grid.evaluate(guard).astype(bool), legal.shape)
    if (where != legal).any():
        return "the guard differs"
    if expression == "?":
        x, y = x[legal], y[legal]
        return "the result is one of the extents" if (result[legal] == x).all() or (result[legal] == y).all() else ""
    if (grid.evaluate(expression)[legal] != result[legal]).any():
        return "the result differs"
    return ""
