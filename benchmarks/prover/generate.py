#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Makes litmus rows of every kind at random, asks relax-prove, and checks its answers by brute force and Z3.

  generate.py PROVER [--count 1000] [--seed 1] [--category NAME] [--z3] [--write FILE.tsv]

Every disagreement is printed. Exit status 1 when an answer is wrong; answers that are merely weak are counted.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "test" / "Litmus"))
import questions as q  # noqa: E402

SYMBOLS = ["n", "m", "k", "b", "s", "h", "d"]


class Maker:
    """Random pieces of questions."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self, low, high):
        return self.random.randint(low, high)

    def names(self, count):
        return self.random.sample(SYMBOLS, count)

    def linear(self, names, low=1, high=6, offset=True):
        parts = [f"{self.number(low, high)}*{name}" for name in names]
        if offset and self.number(0, 1):
            parts.append(str(self.number(0, 9)))
        return "+".join(parts)

    def tree(self, names, depth):
        """An expression with constant divisors."""
        if depth == 0 or self.number(0, 6) == 0:
            return self.random.choice(names) if self.number(0, 3) else str(self.number(0, 9))
        a = self.tree(names, depth - 1)
        kind = self.number(0, 9)
        if kind < 3:
            return f"({a} {self.pick('+', '-')} {self.tree(names, depth - 1)})"
        if kind < 5:
            return f"({a})*{self.number(2, 6)}" if self.number(0, 1) else f"({a})*({self.tree(names, depth - 1)})"
        if kind < 8:
            return f"{self.pick('floordiv', 'ceildiv', 'mod')}({a}, {self.pick(2, 3, 4, 5, 6, 8, 16)})"
        return f"{self.pick('min', 'max')}({a}, {self.tree(names, depth - 1)})"

    def fact(self, names):
        n = self.random.choice(names)
        kind = self.number(0, 6)
        if kind == 0:
            return f"{n}>={self.number(1, 6)}"
        if kind == 1:
            return f"{n}<={self.number(4, 40)}"
        if kind == 2:
            c = self.pick(2, 3, 4, 8)
            return f"mod({n},{c})=={self.number(0, c - 1)}"
        if kind == 3 and len(names) > 1:
            a, b = self.random.sample(names, 2)
            return f"{a}{self.pick('<=', '>=', '<', '==')}{b}" + self.pick("", f"+{self.number(1, 4)}")
        if kind == 4 and len(names) > 1:
            a, b = self.random.sample(names, 2)
            return f"{a}=={self.number(2, 4)}*{b}" + self.pick("", f"+{self.number(1, 3)}")
        if kind == 5 and len(names) > 2:
            a, b, c = self.random.sample(names, 3)
            return f"{a}<={b}*{c}"
        return f"{n}>=1"


def ring(m):
    a, b, c = m.names(3)
    i, j, k = (m.number(2, 7) for _ in range(3))
    left = m.pick(
        f"({i}*{a}+{j}*{b})*({k}*{c}+{i})", f"({a}+{i})*({a}-{j})", f"({a}+{b}+{c})*({a}+{i})", f"({i}*{a}-{b})*{c}"
    )
    right = {
        0: f"({left})+{m.pick(0, 1)}*{a}",
        1: f"{left}+{m.pick(0, 0, 1)}",
        2: f"{m.linear([a, b])}",
    }[m.number(0, 2)]
    if m.number(0, 1):
        i, j = m.number(2, 9), m.number(2, 9)
        return "", "equal", f"{i}*{a} == {j}*{b}+{m.number(0, 3)}"
    return m.pick("", f"{a}>=1"), "equal", f"{left} == {right}"


def ring_simplify(m):
    a, b = m.names(2)
    c, d = m.number(2, 9), m.number(1, 9)
    text = m.pick(f"({c}*{a}+{b})-{b}+{d}", f"{c}*({a}+{d})-{c * d}", f"({a}+{b})*{c}-{c}*{b}",
                  f"mod({c}*{a},{d})+{d}*floordiv({c}*{a},{d})", f"floordiv(mod({a},{c}),{c})",
                  f"mod({c}*{a}+{d % c},{c})", f"max(min({a},{c}),{c + d})", f"min(max({a},{b}),{a})",
                  f"floordiv({c * d}*{a}+{c}*{b},{c})", f"ceildiv({c}*{a},{c})*{d}")
    return "", "simplify", text


def divmod_equal(m):
    a, b, c = m.names(3)
    i, j, k = m.pick(2, 3, 4, 5, 6, 8, 12, 16, 32), m.number(1, 9), m.number(2, 6)
    choices = [
        ("", f"floordiv({i}*{a}+{b},{i}) == {a}+floordiv({b},{i})"),
        ("", f"floordiv({i}*{a}+{j},{i}) == {a}+{j // i}"),
        ("", f"floordiv(floordiv({a},{i}),{k}) == floordiv({a},{i * k})"),
        ("", f"ceildiv(ceildiv({a},{i}),{k}) == ceildiv({a},{i * k})"),
        ("", f"floordiv(ceildiv({a},{i}),{k}) == floordiv({a},{i * k})"),
        ("", f"ceildiv({a},{i}) == floordiv({a}+{i - 1},{i})"),
        ("", f"ceildiv({a},{i}) == floordiv({a}+{m.number(0, i)},{i})"),
        ("", f"mod(mod({a},{i * k}),{i}) == mod({a},{i})"),
        ("", f"mod(mod({a},{i}),{k}) == mod({a},{k})"),
        ("", f"floordiv({i}*{a},{k}*{i}) == floordiv({a},{k})"),
        (f"mod({a},{i})==0", f"floordiv({a}+{b},{i}) == floordiv({a},{i})+floordiv({b},{i})"),
        (f"mod({a},{i})=={m.number(0, i - 1)}", f"floordiv({a}+{b},{i}) == floordiv({a},{i})+floordiv({b},{i})"),
        ("", f"mod({a}+{b},{i}) == mod(mod({a},{i})+mod({b},{i}),{i})"),
        ("", f"mod({a}*{b},{i}) == mod(mod({a},{i})*mod({b},{i}),{i})"),
        ("", f"{a}-mod({a},{i}) == floordiv({a},{i})*{i}"),
        ("", "+".join(f"floordiv({a}+{x},{k})" for x in range(k)) + f" == {a}"),
        ("", f"floordiv({a},{k})+ceildiv({a},{k}) == {a}"),
        (f"{b}>=1", f"mod({a}*{b}*{j},{b}) == 0"),
        (f"{b}>=1", f"floordiv({a}*{b}+{b}*{c},{b}) == {a}+{c}"),
        (f"{b}>=1", f"floordiv({a}*{b}+{m.pick(b, f'{b}-1')},{b}) == {a}" + m.pick("", "+1")),
        (f"{b}>=1; {c}>=1", f"floordiv(floordiv({a},{b}),{c}) == floordiv({a},{b}*{c})"),
        (f"{b}>=1; mod({a},{b})==0", f"floordiv({a},{b})*{b} == {a}"),
        (f"{b}>=1; {c}<{b}", f"floordiv({a}*{b}+{c},{b}) == {a}"),
        (f"{b}>=1; {c}<{b}", f"mod({a}*{b}+{c},{b}) == {c}"),
        (f"{b}>=1; {c}<={b}", f"mod({a}*{b}+{c},{b}) == {c}"),
    ]
    facts, question = m.random.choice(choices)
    return facts, "equal", question


def divmod_leq(m):
    a, b, c = m.names(3)
    i, j, k = m.pick(2, 3, 4, 5, 8, 16, 32, 128), m.number(0, 9), m.number(2, 6)
    choices = [
        ("", f"floordiv({a},{i}) <= {a}"),
        ("", f"mod({a},{i}) <= {m.number(max(0, i - 3), i)}"),
        ("", f"ceildiv({a},{i})*{i}-{a} <= {m.number(max(0, i - 3), i)}"),
        (f"{b}>=1", f"mod({b},{k}) <= {b}"),
        (f"{b}>={m.number(1, 3)}", f"mod({a},{b}) <= {b}-{m.number(1, 2)}"),
        (f"{a}<={b}", f"floordiv({a},{i}) <= floordiv({b},{i})"),
        (f"{a}<={b}", f"ceildiv({a},{i}) <= ceildiv({b},{m.pick(i, k)})"),
        (f"{a}<={b}+{j}", f"floordiv({a},{i}) <= floordiv({b},{i})+{m.number(0, 2)}"),
        ("", f"ceildiv({a}+{b},{i}) <= ceildiv({a},{i})+ceildiv({b},{i})"),
        ("", f"floordiv({a},{i})+floordiv({b},{i}) <= floordiv({a}+{b},{i})"),
        ("", f"floordiv({a}+{b},{i}) <= floordiv({a},{i})+floordiv({b},{i})+{m.number(0, 1)}"),
        ("", f"ceildiv({a}+{j},{i})-ceildiv({a},{i}) <= {m.number(0, 2)}"),
        (f"{b}>=1; {c}>=1", f"floordiv({a},{b}*{c}) <= floordiv({a},{b})"),
        (f"{b}>=1; {c}>={b}", f"floordiv({a},{c}) <= floordiv({a},{b})"),
        (f"{b}>=1", f"floordiv({a},{b})*{b} <= {a}"),
        (f"{b}>=1", f"{a} <= ceildiv({a},{b})*{b}"),
        (f"{b}>=1", f"ceildiv({a},{b})*{b} <= {a}+{b}-{m.number(1, 2)}"),
        (f"{a}<={b}; {c}>=1", f"floordiv({a},{c}) <= floordiv({b},{c})"),
        (f"{a}>={i - 1}", f"ceildiv({a},{i})*{i} <= 2*{a}"),
        (f"{c}<={a}; {b}>=1", f"floordiv({a}-{c},{b})*{b}+{c} <= {a}"),
        ("", f"0 <= mod(0-{a},{i})"),
    ]
    facts, question = m.random.choice(choices)
    return facts, "leq", question


def minmax(m):
    a, b, c = m.names(3)
    i, j = m.number(2, 9), m.number(0, 9)
    choices = [
        ("", "leq", f"min({a},{b}) <= {m.pick(a, b, c)}"),
        ("", "leq", f"min({a},{b}) <= max({c},{m.pick(a, c)})"),
        ("", "equal", f"min({i}*{a},{i}*{b}) == {i}*min({a},{b})"),
        ("", "equal", f"max({i}*{a}+{j},{i}*{b}+{j}) == {i}*max({a},{b})+{j}"),
        (f"{a}>={i}", "equal", f"max({a}-{j},0) == {a}-{j}"),
        (f"{a}<={i}", "equal", f"max({a}-{j},0) == 0"),
        (f"{a}<={b}", "equal", f"min({a}+{j},{b}+{i}) == {a}+{j}"),
        (f"{a}<={b}; {b}<={c}", "equal", f"max({a},{b},{c}) == {c}"),
        ("", "equal", f"max({a},{b})+min({a},{b}) == {a}+{b}"),
        ("", "equal", f"max({a},{b})*min({a},{b}) == {a}*{b}"),
        ("", "equal", f"min(max({a},{b}),max({a},{c})) == max({a},min({b},{c}))"),
        ("", "equal", f"max({a},min({b},{c})) == min(max({a},{b}),{c})"),
        (f"{a}<={c}", "equal", f"max({a},min({b},{c})) == min(max({a},{b}),{c})"),
        ("", "equal", f"max({a}*{b},{a}) == {a}*max({b},1)"),
        ("", "equal", f"min({a}*{b},{a}*{c}) == {a}*min({b},{c})"),
        ("", "equal", f"floordiv(max({a},{b}),{i}) == max(floordiv({a},{i}),floordiv({b},{i}))"),
        ("", "equal", f"ceildiv(min({a},{b}),{i}) == min(ceildiv({a},{i}),ceildiv({b},{i}))"),
        ("", "equal", f"max({a}*{a},{i}*{a}) == {i}*{a}"),
        (f"{a}>={i}", "equal", f"max({a}*{a},{i}*{a}) == {a}*{a}"),
        ("", "leq", f"max({a},{b})-min({a},{b}) <= {a}+{b}"),
        ("", "leq", f"max({i}*{a},{j}*{b}) <= {i}*{a}+{j}*{b}"),
        (f"{a}<={b}", "leq", f"max({a}-{c},0) <= max({b}-{c},0)"),
        ("", "equal", f"{a}-max({a}-{i},0) == min({a},{i})"),
    ]
    return m.random.choice(choices)


def bounds(m):
    a, b, c = m.names(3)
    i, j, k = m.number(2, 9), m.number(1, 60), m.number(3, 40)
    choices = [
        (f"{a}<={j}", "upper", f"{i}*{a}+{k}"),
        (f"{a}<={j}", "upper", f"{a}*{a}"),
        (f"{a}<={j}", "upper", f"{a}*({j}-{a})"),
        (f"{a}<={j}", "upper", f"{a}*({j}-{a})+{i}*{a}"),
        (f"{a}<={j}", "upper", f"({a}+{i})*({j}-{a})"),
        (f"{a}<={j}", "upper", f"ceildiv({a},{k})*{k}"),
        (f"{a}<={j}", "upper", f"floordiv({a},{i})*{k}"),
        (f"{a}<={j}", "upper", f"mod({a},{k})"),
        (f"{a}<={j}", "upper", f"mod({a},{i})*{a}"),
        (f"{a}<={j}; {b}>={i}", "upper", f"{k}*{a}-{i}*{b}"),
        (f"{a}>={b}+{i}", "lower", f"{a}-{b}"),
        ("", "upper", f"min({a},{j})*{i}"),
        ("", "upper", f"min({a},{j})*min({b},{k})"),
        (f"{a}<={j}", "upper", f"{a}*{b}"),
        (f"{a}<=0", "upper", f"{i}*{a}*{b}"),
        (f"{a}+{b}<={j}", "upper", f"{a}*{b}"),
        (f"{i}*{a}+{b}<={j}", "upper", f"{a}*{b}"),
        (f"{a}+{b}<={j}", "upper", f"{a}*{b}+{i}*{a}"),
        (f"{a}+{b}=={j}", "upper", f"{a}*{b}"),
        (f"{a}+{b}<={j}", "upper", f"{i}*{a}+{k}*{b}"),
        (f"{a}+{b}<={j}; {a}<={k}", "upper", f"{i}*{a}+{b}"),
        (f"{a}<={b}; {b}<={j}", "upper", f"{i}*{a}"),
        (f"{a}<={b}*{c}; {b}<={j}; {c}<={k}", "upper", f"{i}*{a}"),
        (f"{a}<={i}*{b}; {b}<={j}", "upper", f"{a}+{b}"),
        (f"{a}<={j}; mod({a},{i})==0", "upper", a),
        (f"{a}<={j}; mod({a},{i})=={m.number(0, i - 1)}", "upper", f"{k}*{a}"),
        (f"{a}<={j}; mod({a},{i})==0; mod({a},{m.pick(2, 3, 4)})==0", "upper", a),
        (f"{a}>={j}; mod({a},{k})==0", "lower", a),
        (f"{a}>=1; mod({a},{k})==0", "lower", f"{a}+{i}"),
        (f"{a}>={i}; {b}>={j}", "lower", f"{a}*{b}"),
        (f"{a}>={i}; {b}>={j}", "lower", f"{a}+{k}*{b}"),
        (f"{a}<={j}", "lower", f"max({a}-{i},0)*{k}"),
        (f"{a}<={j}", "lower", f"{i}-{a}"),
        (f"{a}<={j}; {b}<={k}", "upper", f"floordiv({a},{i})*{b}"),
        (f"{a}<={j}; {b}<={k}", "upper", f"max({a},{b})"),
        (f"{a}<={j}; {b}<={k}", "upper", f"min({a},{b})"),
        (f"{a}<={j}; {b}<={k}", "upper", f"max({a}-{b},0)"),
        (f"{a}<={j}; {b}<={k}", "upper", f"{a}*{b}-{a}"),
        (f"{a}<={j}; {b}<={k}", "lower", f"{a}-{b}*{i}"),
        ("", "upper", f"ceildiv({a},{i})-floordiv({a},{i})"),
        ("", "upper", f"ceildiv({a}+{j},{i})-ceildiv({a},{i})"),
        ("", "lower", f"{a}*{a}-{i}*{a}"),
        ("", "upper", f"{i}*{a}-{a}*{a}"),
        (f"{a}<={j}", "upper", f"{i}*{a}-{i - 1}*{a}"),
        (f"{a}<={j}; {b}=={a}+{i}", "upper", f"{a}*{b}"),
        (f"{a}<={j}", "upper", f"floordiv({a}+{2 * i}-{k},{i})+1"),
        (f"{a}*{b}<={j}", "upper", f"{a}*{b}+{i}"),
        (f"{a}*{b}<={j}; {b}>=1", "upper", a),
        (f"{a}*{b}<={j}; {b}>={i}", "upper", a),
        (f"{a}<={j}; {b}>=1", "upper", f"floordiv({a},{b})"),
        (f"{a}<={j}; {b}>={i}", "upper", f"floordiv({a},{b})"),
        (f"{a}<={j}; {b}>=1; {b}<={k}", "upper", f"ceildiv({a},{b})*{b}"),
        (f"{a}<={j}; {b}>=1; {b}<={k}", "upper", f"mod({a},{b})"),
    ]
    return m.random.choice(choices)


def divisible(m):
    a, b, c = m.names(3)
    i, j, k = m.pick(2, 3, 4, 6, 8, 16, 32), m.pick(2, 3, 4, 5, 6, 8, 12), m.number(1, 9)
    choices = [
        ("", f"{a}*{i * j} by {m.pick(i, j, i * j, 2 * i * j)}"),
        ("", f"{a}*({a}+1) by {m.pick(2, 3)}"),
        ("", f"{a}*({a}+1)*({a}+2) by {m.pick(2, 3, 6, 4)}"),
        ("", f"{a}*({a}+1)*({a}+2)*({a}+3) by {m.pick(4, 8, 24)}"),
        ("", f"{a}*{a}-{a} by {m.pick(2, 3)}"),
        ("", f"{a}*{a}*{a}-{a} by {m.pick(2, 3, 6)}"),
        ("", f"{i}*{a}+{k} by {m.pick(i, 2)}"),
        ("", f"ceildiv({a},{i})*{i} by {m.pick(i, j)}"),
        ("", f"floordiv({a},{i})*{i * j} by {m.pick(i, j, i * j)}"),
        (f"mod({a},{i})==0", f"{a} by {m.pick(i, 2, j)}"),
        (f"mod({a},{i})==0", f"{a}+{k} by {m.pick(i, 2)}"),
        (f"mod({a},{i})==0; mod({b},{i})==0", f"{a}+{b} by {i}"),
        (f"mod({a},{i})==0; mod({b},{i})==0", f"{m.pick('min', 'max')}({a},{b}) by {i}"),
        (f"mod({a},{i})==0; mod({b},{j})==0", f"{m.pick('min', 'max')}({a},{b}) by {j}"),
        (f"mod({a},{i})==0; mod({b},{j})==0", f"{a}*{b} by {m.pick(i * j, i, j)}"),
        (f"mod({a},{i})==0", f"{a}*{a} by {m.pick(i * i, i, 2 * i)}"),
        (f"mod({a},{i * j})==0", f"floordiv({a},{i}) by {m.pick(i, j)}"),
        (f"mod({a},{i})==0", f"mod({a},{m.pick(i * j, j)}) by {i}"),
        (f"mod({a},{i})==0; mod({a},{j})==0", f"{a} by {m.pick(12, 24, i * j, 6)}"),
        (f"mod({a},{i})=={m.number(0, i - 1)}", f"{a} by {m.pick(i, j)}"),
        (f"{a}=={i}*{b}", f"{a}*{c} by {m.pick(i, 2)}"),
        (f"{a}=={i}*{b}+{j}", f"{a} by {m.pick(i, 2, j)}"),
        ("", f"({a}+{b})*{i * j} by {m.pick(i, j)}"),
        (f"{b}>=1", f"{a}*{b}*{i} by {b}"),
        (f"{b}>=1", f"{a}*{b}+{b}*{i} by {b}"),
        (f"{b}>=1", f"{a}*{b}+{k} by {b}"),
        (f"{b}>=1; mod({a},{b})==0", f"{a}*{c} by {b}"),
        (f"{b}>=1; mod({a},{b})==0; mod({c},{b})==0", f"{a}+{c} by {b}"),
        ("", f"{a}*{i} by {b}"),
    ]
    facts, question = m.random.choice(choices)
    return facts, "divisible", question


def broadcast(m):
    a, b, c = m.names(3)
    i, j = m.number(2, 6), m.number(0, 5)
    pair = m.pick((a, a), (a, b), (a, str(j)), (a, "1"), (a, "0"), (f"{i}*{a}", "1"), (f"{i}*{a}", a), (f"{a}+{b}", b),
                  (f"{a}+{i}", f"{a}+{i + m.pick(0, 1)}"), (f"{i}*{a}", f"{i}*{b}"), (f"{a}+1", b), (f"{a}*{b}", b),
                  (f"{i}*{a}", str(i * j)), (f"{a}+{b}", f"{b}+{a}"), (f"floordiv({a},{i})", b), (f"min({a},{i})", a),
                  (f"{a}+{b}", f"{b}+{c}"), (f"max({a},{b})", a), (f"{i}*{a}+1", "1"), (f"{i}*{a}", f"{i + 1}*{a}"))
    if m.number(0, 1):
        pair = pair[::-1]
    names = q.symbols(*pair) or [a]
    facts = [m.random.choice([f"{x}>=1", f"{x}>={i}", f"{x}<={i}", f"mod({x},{i})==0", f"{x}=={m.pick(*names)}+{j}"])
             for x in names if m.number(0, 1)]
    facts = [fact for fact in facts if not re.fullmatch(r"(\w+)==\1\+\d", fact)]
    return "; ".join(facts), "broadcast", f"({pair[0]}, {pair[1]})"


def reshape(m):
    a, b, c, d = m.names(4)
    i, j = m.pick(2, 3, 4, 6), m.pick(2, 3, 4, 5)
    choices = [
        ("", f"({a},{b},{i}) -> ({b},{i},{a})"),
        ("", f"({a},{i * j}) -> ({i}*{a},{j})"),
        ("", f"({a},{i * j}) -> ({j}*{a},{m.pick(i, j)})"),
        (f"mod({a},{i})==0", f"({a},{j}) -> (floordiv({a},{i}),{i * j})"),
        (f"mod({a},{m.pick(i, j)})==0", f"({a},{j}) -> (floordiv({a},{i}),{i * j})"),
        ("", f"({a}*{b},{c}) -> ({a},{b},{c})"),
        ("", f"({a}*{b},{c},{i}) -> ({a},{b}*{c},{m.pick(i, j)})"),
        ("", f"({a},{i}) -> ({a},{j})"),
        (f"{a}>=1", f"({a},{i}) -> ({a},{j})"),
        ("", f"({a},{b}) -> ({a}+{b})"),
        ("", f"({a}+{j},{i}) -> ({i}*{a}+{i * j})"),
        ("", f"({a},{b}+{c},{d}) -> ({a},{b}*{d}+{c}*{d})"),
        ("", f"({a},{b},{c}) -> ({a}*{b}*{c})"),
        (f"{a}=={i}*{b}", f"({a},{c}) -> ({b},{i},{c})"),
        (f"{a}*{b}=={c}*{d}", f"({a},{b},{i}) -> ({c},{i}*{d})"),
        (f"{a}<={b}", f"({a}) -> (min({a},{b}))"),
        ("", f"({a},1,{b}) -> ({a},{b})"),
        ("", f"({a},0) -> (0,{b})"),
    ]
    facts, question = m.random.choice(choices)
    return facts, "reshape", question


def infer(m):
    a, b, c, d = m.names(4)
    i, j = m.pick(2, 3, 4, 6, 8), m.pick(2, 3, 4, 5)
    ones = f"{a}>=1; {b}>=1; {c}>=1; {d}>=1"
    choices = [
        ("", f"({a},{i}) -> (-1,{j})"),
        ("", f"({a},{b},{i * j}) -> (-1,{i})"),
        ("", f"({a}*{i},{j}) -> (-1,{i})"),
        (f"mod({a},{j})==0", f"({a},{i}) -> (-1,{i * j})"),
        ("", f"({a}+{j},{i}) -> (-1,{i})"),
        ("", f"({a},{b}) -> (-1,{b})"),
        (f"{b}>=1", f"({a},{b}) -> (-1,{b})"),
        (f"{b}>=1", f"({a},{i}*{b}) -> ({i},-1)"),
        (ones, f"({a},{b},{i},{j}) -> ({a},{b},-1)"),
        (ones, f"({a}*{b},{c}*{d}) -> ({a},-1,{c},{d})"),
        (ones, f"({a}*{b},{i}*{d}) -> ({a},-1,{d})"),
        (ones, f"({a},{b}+{c},{d}) -> ({a},-1)"),
        (ones, f"({a},{b}) -> ({c},-1)"),
        (ones, f"({a}*{i},{b}) -> (-1,{b}*{j})"),
        ("", f"({i},{j}) -> (-1,{m.pick(i, j, 7)})"),
        (f"{a}=={i}*{b}; {b}>=1", f"({a},{c}) -> ({b},-1)"),
    ]
    facts, question = m.random.choice(choices)
    return facts, "infer", question


def convpool(m):
    a, k, p, stride, dil = m.names(1)[0], m.number(1, 5), m.number(0, 3), m.number(1, 4), m.number(1, 3)
    out = f"floordiv({a}+2*{p}-{dil}*({k}-1)-1,{stride})+1"
    shift = 2 * p - dil * (k - 1)
    choices = [
        ("", "equal", f"{out} == {m.pick(f'ceildiv({a},{stride})', a, f'floordiv({a},{stride})')}"),
        ("", "equal", f"{out} == floordiv({a}+{shift}-1+{stride},{stride})" if shift >= 1 else f"{out} == {out}"),
        ("", "leq", f"{m.number(0, 1)} <= {out}"),
        (f"{a}>={max(0, -shift) + 1}", "leq", f"1 <= {out}"),
        (f"{a}<={m.number(50, 2000)}", "upper", out),
        ("", "equal", f"({a}-1)*{stride}-2*{p}+({k}-1)+1 == {stride}*{a}"),
        ("", "equal", f"ceildiv(ceildiv(ceildiv({a},{stride}),2),{k}) == ceildiv({a},{2 * stride * k})"),
    ]
    return m.random.choice(choices)


def memory(m):
    a, b, c, d = m.names(4)
    i, j, k = m.number(1, 8), m.number(1, 8), m.number(2, 64)
    choices = [
        ("", f"{i}*{a} <= {j}*{a}"),
        ("", f"{a}*{b}*{i} <= {a}*({b}+{m.number(0, 2)})*{i}"),
        (f"{a}<={b}", f"{a}*{c}*{i} <= {b}*{c}*{j}"),
        (f"{a}<={k}", f"{a}*{a}*{i} <= {a}*{k * i + m.number(-1, 1)}"),
        (f"{b}<={k}", f"({a}+1)*{b} <= {a}*{b}+{k}"),
        (f"{a}<={k}; {b}<={k}", f"{a}*{b} <= {k * k - m.number(0, 1)}"),
        ("", f"ceildiv(({a}+{b})*{i},{k})*{k} <= ceildiv({a}*{i},{k})*{k}+ceildiv({b}*{i},{k})*{k}"),
        (f"{c}<={a}*{b}", f"{c}*{i} <= {a}*{b}*{j}"),
        (f"{a}>=1; {c}<={b}", f"({a}-1)*{b}+{c} <= {a}*{b}"),
        (f"{a}>=1; {b}>=1", f"{a}+{b} <= {a}*{b}+1"),
        (f"{a}>={i}; {b}>={j}", f"{i}*{b} <= {a}*{b}"),
        (f"{a}<={b}; {c}<={d}", f"{a}*{c} <= {b}*{d}"),
        ("", f"max({i}*{a},{j}*{b}) <= {i}*{a}+{j}*{b}"),
        (f"{a}+{b}=={c}", f"{i}*{a} <= {m.pick(i, j)}*{c}"),
        (f"{a}+{b}<={c}", f"{a}*{d}+{b}*{d} <= {c}*{d}"),
        ("", f"2*{a}*{b} <= {a}*{a}+{b}*{b}"),
        (f"{a}<{b}", f"{a}*{c}+{c} <= {b}*{c}"),
        (f"{a}<{b}; {d}<{c}", f"{a}*{c}+{d} < {b}*{c}".replace("<", "<=", 1)),
        (f"{a}<={b}-1; {b}>=1; {d}<={c}-1; {c}>=1", f"{a}*{c}+{d}+1 <= {b}*{c}"),
        ("", f"min({a},{k})*{i} <= {a}*{i}"),
        (f"{a}<={k}", f"ceildiv({a},{i})*{i}*{b} <= {k + i - 1}*{b}"),
    ]
    facts, question = m.random.choice(choices)
    return facts, "leq", question.replace("<==", "<=")


def constraints(m):
    a, b, c, d = m.names(4)
    i, j = m.number(2, 6), m.number(1, 9)
    choices = [
        (f"{a}=={b}", "equal", f"{i}*{a}*{c} == {i}*{b}*{c}"),
        (f"{a}*{b}=={c}+{d}", "equal", f"{i}*{a}*{b} == {i}*{c}+{i}*{d}"),
        (f"{i}*{a}=={i * j}*{b}", "equal", f"{a} == {j}*{b}"),
        (f"{i}*{a}=={j}*{b}", "equal", f"{a} == {b}"),
        (f"{i}*{a}=={j}*{b}", "divisible", f"{a} by {j}"),
        (f"{a}*{c}=={b}*{c}" + m.pick("", f"; {c}>=1"), "equal", f"{a} == {b}"),
        (f"{a}<{b}; {b}<{a}+{m.number(2, 3)}", "equal", f"{b} == {a}+1"),
        (f"{a}>={b}+{j}; {b}>={i}", "leq", f"{i + j - m.number(-1, 1)} <= {a}"),
        (f"{a}<={j}; {a}>={j}", "equal", f"{i}*{a} == {i * j}"),
        (f"{a}>={j + m.number(-2, 2)}; {a}<={j}", "equal", f"{a} == {j}"),
        (f"mod({a},2)==1; mod({a},{m.pick(2, 4, 3)})==0", "equal", f"{a} == {j}"),
        (f"{a}<{b}; {b}<={c}; {c}<{d}", "leq", f"{a}+{m.number(1, 3)} <= {d}"),
        (f"{a}=={i}*{c}+{d}; {d}<={i - 1}", "equal", f"{m.pick('floordiv', 'mod')}({a},{i}) == {m.pick(c, d)}"),
        (f"floordiv({a},{i})==floordiv({b},{i}); mod({a},{i})==mod({b},{i})", "equal", f"{a} == {b}"),
        (f"floordiv({a},{i})==floordiv({b},{i})", "leq", f"{a} <= {b}+{i - m.number(1, 2)}"),
        (f"max({a},{b})=={c}", "leq", f"{m.pick(a, b)} <= {c}"),
        (f"min({a},{b})>={j}", "leq", f"{j + m.number(-1, 1)} <= {m.pick(a, b)}"),
        (f"max({a},{b})<={j}", "leq", f"{a}+{b} <= {2 * j}"),
        (f"{a}+{b}=={c}; {a}>={c}", "equal", f"{b} == 0"),
        (f"{a}*{b}==0; {a}>=1", "equal", f"{b} == 0"),
        (f"{a}*{b}=={j}; {a}=={m.number(1, 3)}", "leq", f"{b} <= {j}"),
        (f"{a}+{b}+{c}<={j}; {a}>={j}", "equal", f"{b}+{c} == 0"),
        (f"{a}<={b}; {b}<={c}; {c}<={a}", "equal", f"{a} == {c}"),
        (f"{a}=={i}; {b}=={a}*{a}", "equal", f"{b}*{c} == {i * i}*{c}"),
        (f"{a}<={b}; {c}>=1", "leq", f"{a} <= {b}*{c}"),
        (f"{a}>=1; {a}*{b}<={a}*{c}", "leq", f"{b} <= {c}"),
        (f"{a}*{b}>=1", "leq", f"1 <= {a}"),
        (f"{i}*{a}+{j}*{b}=={c}; {c}<={i + j}", "leq", f"{a} <= {m.number(1, 4)}"),
        (f"ceildiv({a},{i})=={j}", "leq", f"{a} <= {i * j - m.number(0, 1)}"),
        (f"floordiv({a},{i})=={j}", "leq", f"{i * j} <= {a}"),
        (f"mod({a},{i})==0; {a}>=1", "leq", f"{i} <= {a}"),
        (f"mod({a},{i})==0; mod({b},{i})==0; {a}<{b}", "leq", f"{a}+{i} <= {b}"),
        (f"{c}>=1; mod({a},{c})==0; {a}>=1", "leq", f"{c} <= {a}"),
    ]
    return m.random.choice(choices)


def unsat(m):
    a, b, c = m.names(3)
    i, j = m.number(2, 7), m.number(1, 9)
    choices = [
        f"{a}>={j + 1}; {a}<={j}",
        f"mod({a},{i})=={m.number(0, i - 1)}; mod({a},{2 * i})=={m.number(0, 2 * i - 1)}",
        f"{a}<{b}; {b}<{c}; {c}<{a}",
        f"{a}<{b}; {b}<{a}+{m.number(1, 2)}",
        f"{a}=={b}+{i}; {b}=={a}+{j}",
        f"{a}*{b}=={j}; {a}==0",
        f"{a}*{b}=={j}; {a}>={j + 1}",
        f"{i}*{a}=={i}*{b}+{m.number(0, i)}",
        f"{2 * i}*{a}+{2 * j}*{b}=={m.number(0, 30)}",
        f"floordiv({a},{i})=={j}; {a}<={i * j - m.number(0, 1)}",
        f"mod({a},{i})=={m.number(0, i + 1)}; {b}<={j}",
        f"max({a},{b})<={j}; {a}+{b}>={2 * j + m.number(0, 1)}",
        f"min({a},{b})>={j}; {a}+{b}<={2 * j - m.number(0, 1)}",
        f"{a}*{a}=={m.number(1, 20)}",
        f"{a}+{b}<={j}; {a}*{b}>={m.number(1, 25)}",
    ]
    return m.random.choice(choices), "equal", f"{a} == {m.number(0, 4)}"


def solve(m):
    a, b, c = m.names(3)
    i, j, k = m.number(2, 6), m.number(0, 9), m.number(0, 40)
    x, y = m.number(0, 9), m.number(0, 9)
    off = m.pick(0, 0, 1)
    choices = [
        f"{i}*{a} = {k}",
        f"{a}+{j} = {k}",
        f"{a} = {x}; {i}*{a} = {i * x + off}",
        f"{a} = {x}; {a}+{b} = {k}",
        f"{a}+{b} = {k}; {a}-{b} = {j}",
        f"{a}*{b} = {k}",
        f"{i}*{a}+{j} = {i * x + j + off}; {b} = {y}; {a}*{b} = {x * y}",
        f"floordiv({a},{i}) = {j}",
        f"floordiv({a},{i}) = {x}; mod({a},{i}) = {m.number(0, i - 1)}",
        f"mod({a},{i}) = {m.number(0, i)}",
        f"max({a},{i}) = {m.number(1, 9)}",
        f"min({a},{i}) = {m.number(0, 9)}",
        f"{a} = {x}; {b} = {y}; {a}*{b} = {x * y + off}",
        f"{a} = {x}; {a}*{b} = {x * y + off}",
        f"{i}*{a}+{b} = {k}; {a}+{b} = {j}",
        f"{a}+{b}+{c} = {x + 2 * y}; {a} = {x}; {b} = {y}",
        f"{a}+{b} = {x + y}; {b}+{c} = {y + j}; {c} = {j}",
        f"{i}*{a}+{j}*{b} = {k}",
        f"{a}*{a} = {m.pick(0, 1, 4, 9, 16, 8)}",
        f"{a}*{b} = {x * y}; {a}+{b} = {x + y}",
        f"{a}+{b} = 0",
        f"{a}*{b} = {k}; {b} = {j}",
        f"ceildiv({a},{i}) = {x}; {a} = {k}",
        f"{a}*{i} = {i * x}; {a}*{b}*{c} = {x * y * j}; {c} = {j}",
        f"{a}-{b} = {j}; {b} = {y}",
        f"{i}*{a} = {i * x}; {i + 1}*{a} = {(i + 1) * x + off}",
    ]
    return "", "solve", m.random.choice(choices)


def width(m):
    a, b, c = m.names(3)
    bits = m.pick(32, 64)
    top = 31 if bits == 32 else 63
    e1, e2 = m.number(5, top // 2 + 2), m.number(4, top // 2 + 2)
    one = m.pick(0, 1)
    choices = [
        (f"{a}<={2**e1}; {b}<={2**e2}", f"{a}*{b}*{2 ** m.number(0, 3)}"),
        (f"{a}<={2**(top - 2) - one}", f"{a}*{m.pick(2, 3, 4)}"),
        (f"{a}<={2**e1 - one}; {b}<={2**e2 - one}; {c}<={2**m.number(1, 6)}", f"{a}*{b}*{c}"),
        (f"{a}<={2**e1}", f"{a}*{a}+{a}"),
        (f"{a}<={2**e1}", f"ceildiv({a},128)*128*{m.pick(4, 1024)}"),
        (f"{a}+{b}<={2**e1}", f"{a}*{b}"),
        (f"{a}<={2**e1}; {b}<={2**e1}", f"({a}-{b})*{2**m.number(0, 12)}"),
        ("", f"min({a},{2**e1})*min({b},{2**e2})"),
        ("", f"{a}*{m.pick(1, 2)}"),
    ]
    facts, question = m.random.choice(choices)
    return facts, f"fits{bits}", question


def trees(m):
    names = m.names(m.number(1, 3))
    facts = "; ".join(m.fact(names) for _ in range(m.number(0, 2)))
    left, right = m.tree(names, m.number(1, 3)), m.tree(names, m.number(0, 2))
    kind = m.pick("equal", "leq", "leq", "divisible", "upper", "lower")
    if kind == "divisible":
        return facts, kind, f"{left} by {m.pick(2, 3, 4, 8)}"
    if kind in ("upper", "lower"):
        return facts, kind, left
    return facts, kind, f"{left} {'==' if kind == 'equal' else '<='} {right}"


CATEGORIES = {
    f.__name__: f
    for f in (ring, ring_simplify, divmod_equal, divmod_leq, minmax, bounds, divisible, broadcast, reshape, infer,
              convpool, memory, constraints, unsat, solve, width, trees)
}


def ask(prover, rows):
    """Answers of relax-prove by row id, and the lines that explain them."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "rows.tsv")
        lines = ["\t".join(row[:5]) for row in rows]
        path.write_text("\n".join(["id\tcategory\tassumptions\tkind\tquestion", *lines, ""]))
        process = subprocess.run([str(prover), "--answers", "--explain", str(path)], capture_output=True, text=True)
    if process.returncode not in (0, 1) or process.stderr:
        sys.exit(f"relax-prove failed with status {process.returncode}: {process.stderr}")
    answers, reasons, current = {}, {}, None
    for line in process.stdout.splitlines():
        if not line.startswith("  "):
            current, _, answer = line.partition("\t")
            answers[current], reasons[current] = answer, []
        elif current:
            reasons[current].append(line.strip())
    return answers, reasons


def judge(row, answer, reasons, z3):
    """(wrong, weak): what is false about an answer, and what is less than can be said."""
    _, _, facts, kind, question = row
    if answer.startswith("invalid"):
        return answer, ""
    if kind in ("equal", "leq", "divisible", "reshape"):
        expected = q.brute_verdict(facts, kind, question)
        if answer == expected:
            seen = sum(line.startswith(("true for", "false for", "without a value for")) for line in reasons)
            return "", "" if answer != "depends" or seen >= 2 else "without witnesses"
        if answer == "depends" or (expected == "unsat" and answer in ("true", "false", "unsat")):
            oracle = q.z3_verdict(facts, kind, question) if z3 else expected
            return "", f"expected {oracle}" if oracle not in (None, answer) else ""
        # The grid may be too small for the second outcome or for the facts.
        if z3 and q.z3_verdict(facts, kind, question) in (answer, None):
            return "", ""
        return f"brute force says {expected}", ""
    if kind in ("upper", "lower"):
        best = q.brute_bound(facts, kind, question)
        if best is None:
            return "", "" if answer == "unsat" else "facts without a point on the grid"
        if answer in ("inf", "-inf"):
            huge = 10**6 if kind == "upper" else -(10**6)
            if z3 and q.z3_exceeds(facts, kind, question, huge) == "unsat":
                return "", f"finite, at least {best}"
            return "", ""
        if answer == "unsat":
            return f"brute force finds {best}", ""
        value = int(answer)
        if value == best:
            return "", ""
        if (value < best) == (kind == "upper"):
            return f"brute force finds {best}", ""
        if any(line.startswith("attained for") for line in reasons):
            return "", ""
        return "", f"the best seen is {best}"
    if kind in ("broadcast", "infer"):
        wrong = q.check_guarded(facts, kind, question, answer)
        return wrong, ""
    if kind == "solve":
        expected = q.brute_solve(question)
        if answer == expected or (answer not in ("error", "ambiguous") and expected == "error" and "=" in answer):
            return "", ""
        return (f"brute force says {expected}", "") if answer != "ambiguous" else ("", f"brute force says {expected}")
    if kind == "simplify":
        texts = [question, q.to_python(answer)]
        grid = q.make_grid(facts, *texts)
        return ("", "") if (grid.evaluate(texts[0]) == grid.evaluate(texts[1])).all() else ("the value differs", "")
    if kind.startswith("fits"):
        limit = 2 ** (int(kind[4:]) - 1)
        z3 = q.Z3(q.symbols(question, *q.facts_of(facts)))
        value = z3.parse(question)
        outside = z3.z3.Or(value >= limit, value < -limit)
        expected = {"sat": "false", "unsat": "true"}.get(z3.solve(z3.facts(facts) + [outside]))
        if kind == "fits64" and len(q.symbols(question)) == 1 and re.fullmatch(r"\w+\*1", question):
            expected = "true"
        if expected in (None, answer):
            return "", ""
        return ("", f"Z3 says {expected}") if answer == "depends" else (f"Z3 says {expected}", "")
    return f"unknown kind {kind}", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("prover")
    parser.add_argument("--count", type=int, default=1000, help="rows to make")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--category", choices=sorted(CATEGORIES), action="append")
    parser.add_argument("--z3", action="store_true", help="ask Z3 where the grid says more than the prover")
    parser.add_argument("--write", help="also write the rows to this file")
    args = parser.parse_args()

    rows, seen = [], set()
    names = args.category or list(CATEGORIES)
    for number in range(args.count):
        maker = Maker(args.seed * 1000003 + number)
        name = names[number % len(names)]
        facts, kind, question = CATEGORIES[name](maker)
        if (facts, kind, question) in seen:
            continue
        seen.add((facts, kind, question))
        rows.append((f"{name}.{args.seed}.{number}", name, facts, kind, question))
    answers, reasons = ask(args.prover, rows)
    wrong = weak = 0
    for row in rows:
        answer = answers.get(row[0], "no answer")
        try:
            bad, less = judge(row, answer, reasons.get(row[0], []), args.z3)
        except q.Undefined:
            continue
        wrong += bool(bad)
        weak += bool(less)
        if bad or less:
            print(f"{'WRONG' if bad else 'weak'}\t{row[1]}\t{row[3]}\t{row[2]} |- {row[4]}\t{answer}\t{bad or less}")
    if args.write:
        pathlib.Path(args.write).write_text(
            "id\tcategory\tassumptions\tkind\tquestion\texpected\tnote\n"
            + "".join("\t".join(row) + f"\t{answers.get(row[0], '')}\t\n" for row in rows)
        )
    print(f"{len(rows)} rows: {wrong} wrong, {weak} weak")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
