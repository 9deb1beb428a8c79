# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Sizes of torch (sympy) as sizes of the compiler, and guards as facts."""
import sympy
import torch
from torch.utils._sympy import functions

from .._compiler import Expr, ceildiv, dim, expr, maximum, minimum
from .._graph import size

_LARGEST = 2**62


class Unsupported(Exception):
    """What cannot be said in the compiler's expressions."""



_QUOTIENTS = (functions.FloorDiv, functions.CleanDiv)
_REMAINDERS = (functions.Mod, functions.PythonMod, sympy.Mod)


class Symbols:
    """Converts expressions of one exported program; symbols get their dimension's name where it has one."""

    def __init__(self, names):
        self.names = names

    def name(self, symbol):
        return self.names.get(str(symbol), str(symbol))

    def convert(self, value):
        """An int or Expr of an int, torch.SymInt or sympy expression."""
        if isinstance(value, (int, Expr)):
            return value
        if isinstance(value, torch.SymInt):
            value = value.node.expr
        return size(self._convert(sympy.sympify(value)))

    def _convert(self, value):
        if value.is_Integer:
            return int(value)
        if value.is_Symbol:
            return dim(self.name(value))
        if isinstance(value, sympy.Add):
            return self._fold(lambda a, b: a + b, value.args)
        if isinstance(value, sympy.Mul):
            return self._fold(lambda a, b: a * b, value.args)
        if isinstance(value, sympy.Pow) and value.exp.is_Integer and 0 < value.exp <= 8:
            return self._fold(lambda a, b: a * b, [value.base] * int(value.exp))
        if isinstance(value, _QUOTIENTS):
            a, b = map(self._convert, value.args)
            return expr(a) // b
        if isinstance(value, _REMAINDERS):
            a, b = map(self._convert, value.args)
            return expr(a) % b
        if isinstance(value, functions.CeilDiv):
            return ceildiv(*map(self._convert, value.args))
        if isinstance(value, (sympy.Max, functions.Max)):
            return maximum(*map(self._convert, value.args))
        if isinstance(value, (sympy.Min, functions.Min)):
            return minimum(*map(self._convert, value.args))
        if isinstance(value, (functions.Identity,)):
            return self._convert(value.args[0])
        raise Unsupported(f"the size '{value}' is not an integer expression of sums, products, quotients and maxima")

    def _fold(self, combine, args):
        result = self._convert(args[0])
        for value in args[1:]:
            result = combine(result, self._convert(value))
        return result

    # ---- Facts --------------------------------------------------------------------------------------------------

    def facts(self, guard):
        """The facts that together are `guard`, a sympy condition, as texts."""
        if guard in (True, sympy.true):
            return []
        if any(abs(number) >= _LARGEST for number in guard.atoms(sympy.Integer)):
            # About the overflow of 64 bits, which no size of a tensor comes near.
            return []
        if isinstance(guard, sympy.And):
            return [fact for part in guard.args for fact in self.facts(part)]
        if isinstance(guard, sympy.Eq):
            return [f"{self.convert(guard.lhs)} == {self.convert(guard.rhs)}"]
        return [f"{self._measure(guard)} >= 0"]

    def _measure(self, guard):
        """An expression that is >= 0 where the condition holds and negative where it does not."""
        if guard in (True, sympy.true):
            return 0
        if guard in (False, sympy.false):
            return -1
        if isinstance(guard, sympy.Not):
            part = guard.args[0]
            if isinstance(part, sympy.core.relational.Relational):
                return self._measure(part.negated)
            # -1 - m is negative where m >= 0, and the other way round.
            return -1 - self._measure(part)
        if isinstance(guard, sympy.And):
            return minimum(*[expr(self._measure(part)) for part in guard.args])
        if isinstance(guard, sympy.Or):
            return maximum(*[expr(self._measure(part)) for part in guard.args])
        if not isinstance(guard, sympy.core.relational.Relational):
            raise Unsupported(f"the condition '{guard}' is not a comparison of sizes")
        a, b = self.convert(guard.lhs), self.convert(guard.rhs)
        if isinstance(guard, sympy.Eq):
            return (a - b) * (b - a)
        if isinstance(guard, sympy.Ne):
            return (a - b) * (a - b) - 1
        if isinstance(guard, sympy.Le):
            return b - a
        if isinstance(guard, sympy.Lt):
            return b - a - 1
        if isinstance(guard, sympy.Ge):
            return a - b
        return a - b - 1

    def range_facts(self, constraints, symbols):
        """Facts of the ranges of those symbols; a size is >= 0 anyway."""
        facts = []
        for symbol, interval in constraints.items():
            if not set(map(str, symbol.free_symbols)) <= symbols:
                continue
            name = self.convert(symbol)
            if interval.lower.is_Integer and int(interval.lower) > 0:
                facts.append(f"{name} >= {int(interval.lower)}")
            if interval.upper.is_Integer and int(interval.upper) < _LARGEST:
                facts.append(f"{name} <= {int(interval.upper)}")
        return facts
