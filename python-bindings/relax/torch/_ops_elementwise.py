# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Elementwise operators."""
import functools
import math

import torch

from .._graph import is_float
from ._registry import OPS, TORCH_TYPES, op
from ._symbols import Unsupported

# aten's name -> the graph's op, on operands of the result's type.
UNARY = {name: name for name in
         ("cos", "sin", "tan", "acos", "asin", "atan", "cosh", "sinh", "tanh", "acosh", "asinh", "atanh", "exp", "exp2",
          "expm1", "log", "log1p", "log2", "erf", "sqrt", "rsqrt", "reciprocal", "sigmoid", "abs", "sign", "relu",
          "softsign", "mish")}
UNARY |= {"neg": "negate", "special_expit": "sigmoid", "special_erf": "erf", "special_exp2": "exp2",
          "special_expm1": "expm1", "special_log1p": "log1p", "absolute": "abs", "negative": "negate", "sgn": "sign",
          "hardswish": "hard_swish", "arccos": "acos", "arcsin": "asin", "arctan": "atan", "arccosh": "acosh",
          "arcsinh": "asinh", "arctanh": "atanh"}
# Integers stay as they are.
ROUNDING = {"ceil": "ceil", "floor": "floor", "trunc": "trunc", "fix": "trunc"}
BINARY = {"mul": "multiply", "multiply": "multiply", "maximum": "maximum", "minimum": "minimum",
          "true_divide": "divide", "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or",
          "bitwise_xor": "bitwise_xor", "__and__": "bitwise_and", "__or__": "bitwise_or", "__xor__": "bitwise_xor",
          "bitwise_left_shift": "shift_left", "bitwise_right_shift": "shift_right", "__lshift__": "shift_left",
          "__rshift__": "shift_right"}
# What the operations on integers are on bool.
ON_BOOL = {"multiply": "logical_and", "bitwise_and": "logical_and", "bitwise_or": "logical_or",
           "bitwise_xor": "logical_xor", "maximum": "logical_or", "minimum": "logical_and", "add": "logical_or"}
COMPARE = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
           "not_equal": "not_equal", "less": "less", "less_equal": "less_equal", "greater": "greater",
           "greater_equal": "greater_equal"}
LOGICAL = ("logical_and", "logical_or", "logical_xor")
IDENTITY = ("clone", "contiguous", "detach", "alias", "lift_fresh_copy", "positive", "conj", "resolve_conj",
            "resolve_neg", "real", "lift_fresh", "detach_", "conj_physical", "_conj_physical")


def _unary(mnemonic, c, a):
    return c.graph.unary(mnemonic, c.tensor(a.self))


def _rounding(mnemonic, c, a):
    return c.graph.unary(mnemonic, a.self) if is_float(a.self.dtype) else a.self


def binary(c, mnemonic, x, y):
    """A binary op on tensors of one type, which may be bool."""
    return c.graph.binary(ON_BOOL.get(mnemonic, mnemonic) if x.dtype == "i1" else mnemonic, x, y)


def _binary(mnemonic, c, a):
    return binary(c, mnemonic, c.tensor(a.self), c.tensor(a.other))


def _compare(mnemonic, c, a):
    dtype = c.common_type(a.self, a.other)
    return c.graph.compare(mnemonic, c.tensor(a.self, dtype), c.tensor(a.other, dtype))


def _logical(mnemonic, c, a):
    return c.graph.binary(mnemonic, c.tensor(a.self, "i1"), c.tensor(a.other, "i1"))


for _name, _mnemonic in UNARY.items():
    OPS[_name] = functools.partial(_unary, _mnemonic)
for _name, _mnemonic in ROUNDING.items():
    OPS[_name] = functools.partial(_rounding, _mnemonic)
for _name, _mnemonic in BINARY.items():
    OPS[_name] = functools.partial(_binary, _mnemonic)
for _name, _mnemonic in COMPARE.items():
    OPS[_name] = functools.partial(_compare, _mnemonic)
for _name in LOGICAL:
    OPS[_name] = functools.partial(_logical, _name)
for _name in IDENTITY:
    OPS[_name] = lambda c, a: a.self


# ---- Unary -------------------------------------------------------------------------------------------------------

@op("round")
def _round(c, a):
    if not is_float(a.self.dtype):
        return a.self
    decimals = getattr(a, "decimals", 0)
    if not decimals:
        return c.graph.unary("round", a.self)
    scale = c.tensor(10.0**abs(decimals))
    down, up = ("multiply", "divide") if decimals > 0 else ("divide", "multiply")
    return c.graph.binary(up, c.graph.unary("round", c.graph.binary(down, a.self, scale)), scale)


@op("logical_not")
def _logical_not(c, a):
    return c.graph.unary("logical_not", c.tensor(a.self, "i1"))


@op("bitwise_not", "__invert__")
def _bitwise_not(c, a):
    return c.graph.unary("logical_not" if a.self.dtype == "i1" else "bitwise_not", a.self)


def _scaled(c, mnemonic, x, factor):
    return c.graph.binary("multiply", c.graph.unary(mnemonic, x) if mnemonic else x, c.tensor(factor))


OPS["log10"] = lambda c, a: _scaled(c, "log", c.tensor(a.self), 1 / math.log(10))
OPS["deg2rad"] = lambda c, a: _scaled(c, None, c.tensor(a.self), math.pi / 180)
OPS["rad2deg"] = lambda c, a: _scaled(c, None, c.tensor(a.self), 180 / math.pi)


@op("square")
def _square(c, a):
    x = c.tensor(a.self)
    return binary(c, "multiply", x, x)


@op("erfc", "special_erfc")
def _erfc(c, a):
    return c.graph.binary("subtract", c.tensor(1), c.graph.unary("erf", c.tensor(a.self)))


@op("frac")
def _frac(c, a):
    return c.graph.binary("subtract", a.self, c.graph.unary("trunc", a.self))


def _predicate(mnemonic, c, a):
    if not is_float(a.self.dtype):
        return c.graph.broadcast_to(c.graph.constant(False, "i1"), a.self.shape)
    return c.graph.predicate(mnemonic, a.self)


OPS["isnan"] = functools.partial(_predicate, "is_nan")
OPS["isinf"] = functools.partial(_predicate, "is_inf")


@op("isfinite")
def _isfinite(c, a):
    x = a.self
    if not is_float(x.dtype):
        return c.graph.broadcast_to(c.graph.constant(True, "i1"), x.shape)
    return c.graph.compare("less", c.graph.unary("abs", x), c.tensor(math.inf, x.dtype))


def _infinite(limit, c, a):
    if not is_float(a.self.dtype):
        return c.graph.broadcast_to(c.graph.constant(False, "i1"), a.self.shape)
    return c.graph.compare("equal", a.self, c.tensor(limit, a.self.dtype))


OPS["isposinf"] = functools.partial(_infinite, math.inf)
OPS["isneginf"] = functools.partial(_infinite, -math.inf)


def is_negative(c, x):
    """The sign, also of zeros."""
    if x.dtype == "i1" or x.dtype.startswith("u"):
        return c.graph.broadcast_to(c.graph.constant(False, "i1"), x.shape)
    negative = c.graph.compare("less", x, c.tensor(0, x.dtype))
    if not is_float(x.dtype):
        return negative
    # The reciprocal tells zeros apart.
    zero = c.graph.compare("equal", x, c.tensor(0, x.dtype))
    below = c.graph.compare("less", c.graph.unary("reciprocal", x), c.tensor(0, x.dtype))
    return c.graph.binary("logical_or", negative, c.graph.binary("logical_and", zero, below))


@op("angle")
def _angle(c, a):
    x = c.tensor(a.self)
    result = c.graph.where(c.graph.compare("less", x, c.tensor(0)), c.tensor(math.pi), c.tensor(0))
    return c.graph.where(c.graph.predicate("is_nan", x), x, result)


OPS["signbit"] = lambda c, a: is_negative(c, a.self)


@op("logit", "special_logit")
def _logit(c, a):
    x = c.tensor(a.self)
    if a.eps is not None:
        x = c.graph.elementwise("clip", [x, c.tensor(a.eps), c.tensor(1 - a.eps)])
    return c.graph.unary("log", c.graph.binary("divide", x, c.graph.binary("subtract", c.tensor(1), x)))


@op("nan_to_num")
def _nan_to_num(c, a):
    x = a.self
    if not is_float(x.dtype):
        return x
    limits = torch.finfo(TORCH_TYPES[x.dtype])
    for test, value in ((c.graph.predicate("is_nan", x), 0 if a.nan is None else a.nan),
                        (_infinite(math.inf, c, a), limits.max if a.posinf is None else a.posinf),
                        (_infinite(-math.inf, c, a), limits.min if a.neginf is None else a.neginf)):
        x = c.graph.where(test, c.tensor(value), x)
    return x


@op("sinc", "special_sinc")
def _sinc(c, a):
    x = _scaled(c, None, c.tensor(a.self), math.pi)
    zero = c.graph.compare("equal", x, c.tensor(0))
    safe = c.graph.where(zero, c.tensor(1), x)
    return c.graph.where(zero, c.tensor(1), c.graph.binary("divide", c.graph.unary("sin", safe), safe))


# ---- Arithmetic --------------------------------------------------------------------------------------------------

def scale(c, value, factor):
    """The value times a factor of the operator, which most often is 1."""
    return value if factor == 1 and not isinstance(factor, bool) else binary(c, "multiply", value, c.tensor(factor))


@op("add")
def _add(c, a):
    return binary(c, "add", c.tensor(a.self), scale(c, c.tensor(a.other), a.alpha))


@op("sub", "subtract")
def _sub(c, a):
    return c.graph.binary("subtract", c.tensor(a.self), scale(c, c.tensor(a.other), a.alpha))


@op("rsub")
def _rsub(c, a):
    return c.graph.binary("subtract", c.tensor(a.other), scale(c, c.tensor(a.self), a.alpha))


def divide(c, x, y, rounding):
    """A quotient of tensors of one type."""
    if rounding is None:
        return c.graph.binary("divide", x, y)
    if is_float(x.dtype):
        if rounding == "trunc":
            return c.graph.unary("trunc", c.graph.binary("divide", x, y))
        # As torch: (x - mod(x, y)) / y is an integer but for rounding.
        quotient = c.graph.binary("divide", x, y)
        exact = c.graph.unary("round", c.graph.binary("divide", c.graph.binary("subtract", x, c.graph.binary(
            "mod", x, y)), y))
        finite = c.graph.compare("less", c.graph.unary("abs", quotient), c.tensor(math.inf, x.dtype))
        regular = c.graph.binary("logical_and", finite, c.graph.compare("equal", exact, exact))
        return c.graph.where(regular, exact, quotient)
    if rounding == "trunc":
        return c.graph.binary("divide", x, y)
    return c.graph.binary("divide", c.graph.binary("subtract", x, c.graph.binary("mod", x, y)), y)


@op("div", "divide")
def _div(c, a):
    return divide(c, c.tensor(a.self), c.tensor(a.other), getattr(a, "rounding_mode", None))


@op("floor_divide")
def _floor_divide(c, a):
    return divide(c, c.tensor(a.self), c.tensor(a.other), "floor")


@op("remainder")
def _remainder(c, a):
    return c.graph.binary("mod", c.tensor(a.self), c.tensor(a.other))


@op("fmod")
def _fmod(c, a):
    x, y = c.tensor(a.self), c.tensor(a.other)
    if not is_float(x.dtype):
        return c.graph.binary("subtract", x, c.graph.binary("multiply", c.graph.binary("divide", x, y), y))
    # The remainder of the absolute values, with the sign of the dividend.
    rest = c.graph.binary("mod", c.graph.unary("abs", x), c.graph.unary("abs", y))
    return c.graph.where(c.graph.compare("less", x, c.tensor(0)), c.graph.unary("negate", rest), rest)


@op("pow")
def _pow(c, a):
    x, y = c.tensor(a.self), c.tensor(a.exponent)
    number = a.exponent if isinstance(a.exponent, (int, float)) else None
    if number == 2 and x.dtype != "i1":
        return c.graph.binary("multiply", x, x)
    if number == 0.5:
        return c.graph.unary("sqrt", x)
    return c.graph.binary("power", x, y)


OPS["float_power"] = lambda c, a: c.graph.binary("power", c.tensor(a.self), c.tensor(a.exponent))


def _ignore_nan(mnemonic, c, a):
    x, y = c.tensor(a.self), c.tensor(a.other)
    result = binary(c, mnemonic, x, y)
    if not is_float(x.dtype):
        return result
    result = c.graph.where(c.graph.predicate("is_nan", x), y, result)
    return c.graph.where(c.graph.predicate("is_nan", y), x, result)


OPS["fmax"] = functools.partial(_ignore_nan, "maximum")
OPS["fmin"] = functools.partial(_ignore_nan, "minimum")


@op("atan2", "arctan2")
def _atan2(c, a):
    y, x = c.tensor(a.self), c.tensor(a.other)
    g, zero, pi = c.graph, c.tensor(0), c.tensor(math.pi)
    angle = g.unary("atan", g.unary("abs", g.binary("divide", y, x)))
    both_infinite = g.binary("logical_and", g.predicate("is_inf", x), g.predicate("is_inf", y))
    both_zero = g.binary("logical_and", g.compare("equal", x, zero), g.compare("equal", y, zero))
    angle = g.where(both_infinite, c.tensor(math.pi / 4), g.where(both_zero, zero, angle))
    angle = g.where(is_negative(c, x), g.binary("subtract", pi, angle), angle)
    angle = g.where(is_negative(c, y), g.unary("negate", angle), angle)
    nan = g.binary("logical_or", g.predicate("is_nan", x), g.predicate("is_nan", y))
    return g.where(nan, c.tensor(math.nan), angle)


@op("copysign")
def _copysign(c, a):
    x = c.graph.unary("abs", c.tensor(a.self))
    return c.graph.where(is_negative(c, c.tensor(a.other)), c.graph.unary("negate", x), x)


@op("hypot")
def _hypot(c, a):
    g = c.graph
    x, y = g.unary("abs", c.tensor(a.self)), g.unary("abs", c.tensor(a.other))
    large, small = g.binary("maximum", x, y), g.binary("minimum", x, y)
    ratio = g.where(g.compare("greater", large, c.tensor(0)), g.binary("divide", small, large), c.tensor(0))
    result = g.binary("multiply", large, g.unary("sqrt", g.binary("add", g.binary("multiply", ratio, ratio),
                                                                   c.tensor(1))))
    infinite = g.binary("logical_or", g.predicate("is_inf", x), g.predicate("is_inf", y))
    return g.where(infinite, c.tensor(math.inf), result)


@op("logaddexp", "logaddexp2")
def _logaddexp(c, a):
    g, x, y = c.graph, c.tensor(a.self), c.tensor(a.other)
    two = c.name == "logaddexp2"
    large, distance = g.binary("maximum", x, y), g.unary("negate", g.unary("abs", g.binary("subtract", x, y)))
    rest = g.unary("log1p", g.unary("exp2" if two else "exp", distance))
    rest = g.binary("divide", rest, c.tensor(math.log(2))) if two else rest
    return g.where(g.compare("equal", x, y), g.binary("add", x, c.tensor(1 if two else math.log(2))),
                   g.binary("add", large, rest))


def _times_function(mnemonic, c, a):
    """x * f(y), but 0 where x is 0."""
    g, x, y = c.graph, c.tensor(a.self), c.tensor(a.other)
    result = g.where(g.compare("equal", x, c.tensor(0)), c.tensor(0), g.binary("multiply", x, g.unary(mnemonic, y)))
    return g.where(g.predicate("is_nan", y), c.tensor(math.nan), result)


OPS["xlogy"] = OPS["special_xlogy"] = functools.partial(_times_function, "log")
OPS["special_xlog1py"] = functools.partial(_times_function, "log1p")


@op("heaviside")
def _heaviside(c, a):
    g, x, y = c.graph, c.tensor(a.self), c.tensor(a.values)
    step = g.astype(g.compare("greater", x, c.tensor(0)), x.dtype)
    return g.where(g.compare("equal", x, c.tensor(0)), y, step)


@op("ldexp")
def _ldexp(c, a):
    return c.graph.binary("multiply", c.tensor(a.self), c.graph.unary("exp2", c.tensor(a.other)))


@op("lerp")
def _lerp(c, a):
    g, x, y, w = c.graph, c.tensor(a.self), c.tensor(a.end), c.tensor(a.weight)
    distance = g.binary("subtract", y, x)
    near = g.binary("add", x, g.binary("multiply", w, distance))
    far = g.binary("subtract", y, g.binary("multiply", distance, g.binary("subtract", c.tensor(1), w)))
    return g.where(g.compare("less", g.unary("abs", w), c.tensor(0.5)), near, far)


@op("addcmul")
def _addcmul(c, a):
    part = c.graph.binary("multiply", scale(c, c.tensor(a.tensor1), a.value), c.tensor(a.tensor2))
    return c.graph.binary("add", c.tensor(a.self), part)


@op("addcdiv")
def _addcdiv(c, a):
    part = c.graph.binary("divide", scale(c, c.tensor(a.tensor1), a.value), c.tensor(a.tensor2))
    return c.graph.binary("add", c.tensor(a.self), part)


@op("clamp", "clip")
def _clamp(c, a):
    x = c.tensor(a.self)
    # A NaN that is a limit is a number of python here: nothing is then between the limits.
    x = x if a.min is None else binary(c, "maximum", x, c.tensor(a.min))
    return x if a.max is None else binary(c, "minimum", x, c.tensor(a.max))


OPS["clamp_min"] = lambda c, a: binary(c, "maximum", c.tensor(a.self), c.tensor(a.min))
OPS["clamp_max"] = lambda c, a: binary(c, "minimum", c.tensor(a.self), c.tensor(a.max))


@op("where")
def _where(c, a):
    if not hasattr(a, "other"):
        raise Unsupported("where with a condition alone is not supported, use nonzero")
    return c.graph.where(c.tensor(a.condition, "i1"), c.tensor(a.self), c.tensor(a.other))


@op("masked_fill")
def _masked_fill(c, a):
    return c.graph.where(a.mask, c.tensor(a.value), a.self)


# ---- Element types -----------------------------------------------------------------------------------------------

@op("_to_copy", "to", "type_as", "float", "double", "half", "int", "long", "bool")
def _to(c, a):
    return c.graph.astype(a.self, c.dtype())


@op("copy", "copy_")
def _copy(c, a):
    return c.graph.broadcast_to(c.graph.astype(a.src, a.self.dtype), a.self.shape)


@op("scalar_tensor")
def _scalar_tensor(c, a):
    return c.tensor(a.s)
