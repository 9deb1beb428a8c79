# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Reductions, running totals and losses."""
import math

from .._graph import is_float, product
from ._ops_elementwise import binary
from ._registry import normalize, normalize_all, op
from ._symbols import Unsupported


def get_axes(a, rank, name="dim"):
    axes = getattr(a, name, None)
    if axes is not None and not isinstance(axes, int):
        axes = list(axes)
    return normalize_all(axes, rank)


def reduce(c, mnemonic, x, axes, keepdims=False, more=""):
    """A reduction; a scalar has no axes."""
    return c.graph.reduce(mnemonic, x, [axis for axis in axes if axis < x.rank], keepdims, more)


def count(c, x, axes, dtype):
    """The number of elements along axes as a scalar tensor."""
    return c.tensor(product([x.shape[axis] for axis in axes if axis < x.rank]), dtype)


@op("sum", "prod", "mean")
def _sum(c, a):
    x = c.tensor(a.self)
    return reduce(c, c.name, x, get_axes(a, x.rank), getattr(a, "keepdim", False))


def _clear_nan(c, x):
    return c.graph.where(c.graph.predicate("is_nan", x), c.tensor(0, x.dtype), x) if is_float(x.dtype) else x


@op("nansum")
def _nansum(c, a):
    x = c.graph.astype(_clear_nan(c, a.self), c.dtype())
    return reduce(c, "sum", x, get_axes(a, x.rank), a.keepdim)


@op("nanmean")
def _nanmean(c, a):
    x, g = c.tensor(a.self), c.graph
    axes = get_axes(a, x.rank)
    known = g.astype(g.unary("logical_not", g.predicate("is_nan", x)), x.dtype)
    return g.binary("divide", reduce(c, "sum", _clear_nan(c, x), axes, a.keepdim),
                    reduce(c, "sum", known, axes, a.keepdim))


def extremum(c, mnemonic, x, axes, keepdims=False):
    """max or min, also of bool."""
    if x.dtype == "i1":
        return reduce(c, "any" if mnemonic == "max" else "all", x, axes, keepdims)
    return reduce(c, mnemonic, x, axes, keepdims)


@op("amax", "amin")
def _amax(c, a):
    return extremum(c, c.name[1:], a.self, get_axes(a, a.self.rank), a.keepdim)


def arg_extremum(c, mnemonic, x, axis, keepdims):
    """Position of the first maximum or minimum along an axis; 0 for a scalar."""
    vector = c.as_vector(x)
    vector = c.graph.astype(vector, "i32") if x.dtype == "i1" else vector
    result = c.graph.arg_reduce(mnemonic, vector, axis, keepdims)
    return result if x.rank else c.graph.reshape(result, ())


@op("max", "min")
def _max(c, a):
    if hasattr(a, "other"):
        return binary(c, c.name + "imum", c.tensor(a.self), c.tensor(a.other))
    if not hasattr(a, "dim"):
        return extremum(c, c.name, a.self, range(a.self.rank))
    axis = normalize(a.dim, a.self.rank)
    return [extremum(c, c.name, a.self, [axis], a.keepdim),
            arg_extremum(c, "arg" + c.name, a.self, axis, a.keepdim)]


@op("aminmax", "_aminmax")
def _aminmax(c, a):
    dim = getattr(a, "dim", None)
    axes = range(a.self.rank) if dim is None else [normalize(dim, a.self.rank)]
    return [extremum(c, kind, a.self, axes, getattr(a, "keepdim", False)) for kind in ("min", "max")]


@op("argmax", "argmin")
def _argmax(c, a):
    x, g = a.self, c.graph
    if a.dim is not None:
        return arg_extremum(c, c.name, x, normalize(a.dim, x.rank), a.keepdim)
    flat = g.reshape(x, (product(x.shape),))
    return g.reshape(arg_extremum(c, c.name, flat, 0, False), c.shape())


@op("any", "all")
def _any(c, a):
    result = reduce(c, c.name, c.tensor(a.self, "i1"), get_axes(a, a.self.rank), getattr(a, "keepdim", False))
    return c.graph.astype(result, c.dtype())


@op("count_nonzero")
def _count_nonzero(c, a):
    x = c.graph.astype(c.tensor(a.self, "i1"), "i64")
    return reduce(c, "sum", x, get_axes(a, x.rank))


def variance(c, x, a):
    """Variance by the overloads of var and std, with the mean (dimensions kept)."""
    g, keepdims = c.graph, getattr(a, "keepdim", False)
    axes = get_axes(a, x.rank)
    correction = getattr(a, "correction", None)
    if correction is None:
        correction = 1 if getattr(a, "unbiased", True) else 0
    mean = reduce(c, "mean", x, axes, True)
    distance = g.binary("subtract", x, mean)
    total = reduce(c, "sum", g.binary("multiply", distance, distance), axes, keepdims)
    number = g.binary("subtract", count(c, x, axes, x.dtype), c.tensor(float(correction), x.dtype))
    number = g.binary("maximum", number, c.tensor(0, x.dtype))
    mean = mean if keepdims else g.squeeze(mean, axes)
    return g.binary("divide", total, number), mean


@op("var", "std", "var_mean", "std_mean")
def _var(c, a):
    result, mean = variance(c, c.tensor(a.self), a)
    if c.name.startswith("std"):
        result = c.graph.unary("sqrt", result)
    return [result, mean] if c.name.endswith("mean") else result


@op("logsumexp", "special_logsumexp")
def _logsumexp(c, a):
    x = c.tensor(a.self)
    axes = get_axes(a, x.rank)
    return reduce(c, "log_sum_exp", x, axes, a.keepdim)


def norm(c, x, p, axes, keepdims):
    """The vector norm of order p."""
    g = c.graph
    if p == 2:
        return g.unary("sqrt", reduce(c, "sum", g.binary("multiply", x, x), axes, keepdims))
    magnitude = g.unary("abs", x)
    if p == 0:
        return reduce(c, "sum", g.astype(c.tensor(x, "i1"), x.dtype), axes, keepdims)
    if p in (math.inf, -math.inf):
        return reduce(c, "max" if p > 0 else "min", magnitude, axes, keepdims)
    if p == 1:
        return reduce(c, "sum", magnitude, axes, keepdims)
    total = reduce(c, "sum", g.binary("power", magnitude, c.tensor(float(p), x.dtype)), axes, keepdims)
    return g.binary("power", total, c.tensor(1 / float(p), x.dtype))


@op("linalg_vector_norm", "norm")
def _vector_norm(c, a):
    x = c.tensor(a.self)
    p = getattr(a, "ord", getattr(a, "p", 2))
    if isinstance(p, str):
        raise Unsupported(f"the norm '{p}' is not supported")
    return norm(c, x, 2 if p is None else p, get_axes(a, x.rank), getattr(a, "keepdim", False))


@op("cumsum", "cumprod")
def _cumsum(c, a):
    x = c.tensor(a.self)
    return c.graph.scan(c.name, x, normalize(a.dim, x.rank)) if x.rank else x




@op("trace")
def _trace(c, a):
    g, x = c.graph, c.tensor(a.self)
    eye = g.compare("equal", g.iota(x.shape, 0, "i64"), g.iota(x.shape, 1, "i64"))
    return reduce(c, "sum", g.where(eye, x, c.tensor(0, x.dtype)), [0, 1])


# ---- Losses ------------------------------------------------------------------------------------------------------

def _finish_loss(c, loss, reduction):
    """reduction: 0 is none, 1 the mean, 2 the sum."""
    if reduction == 0:
        return loss
    return reduce(c, "mean" if reduction == 1 else "sum", loss, range(loss.rank))


@op("mse_loss")
def _mse_loss(c, a):
    distance = c.graph.binary("subtract", c.tensor(a.self), c.tensor(a.target))
    return _finish_loss(c, c.graph.binary("multiply", distance, distance), a.reduction)


@op("l1_loss")
def _l1_loss(c, a):
    return _finish_loss(c, c.graph.unary("abs", c.graph.binary("subtract", c.tensor(a.self), c.tensor(a.target))),
                        a.reduction)


@op("smooth_l1_loss", "huber_loss")
def _smooth_l1_loss(c, a):
    g = c.graph
    huber = c.name == "huber_loss"
    limit = c.tensor(a.delta if huber else a.beta)
    x = g.unary("abs", g.binary("subtract", c.tensor(a.self), c.tensor(a.target)))
    half = g.binary("multiply", c.tensor(0.5), g.binary("multiply", x, x))
    if not huber and a.beta == 0:
        return _finish_loss(c, x, a.reduction)
    near = half if huber else g.binary("divide", half, limit)
    far = g.binary("subtract", x, g.binary("multiply", c.tensor(0.5), limit))
    far = g.binary("multiply", limit, far) if huber else far
    return _finish_loss(c, g.where(g.compare("less", x, limit), near, far), a.reduction)


@op("binary_cross_entropy")
def _binary_cross_entropy(c, a):
    g, x, y, one, low = c.graph, c.tensor(a.self), c.tensor(a.target), c.tensor(1), c.tensor(-100)
    log = g.binary("maximum", g.unary("log", x), low)
    other = g.binary("maximum", g.unary("log1p", g.unary("negate", x)), low)
    loss = g.binary("subtract", g.binary("multiply", g.binary("subtract", y, one), other), g.binary("multiply", y, log))
    loss = loss if a.weight is None else g.binary("multiply", loss, a.weight)
    return _finish_loss(c, loss, a.reduction)


@op("nll_loss", "nll_loss_forward", "nll_loss_nd", "nll_loss2d_forward", "nll_loss2d")
def _nll_loss(c, a):
    g, x = c.graph, c.tensor(a.self)
    if a.target.dtype == x.dtype:
        raise Unsupported("probabilities as targets are not supported")
    target, axis = a.target, 1 if x.rank > 1 else 0
    ignored = g.compare("equal", target, c.tensor(a.ignore_index, target.dtype))
    safe = g.where(ignored, c.tensor(0, target.dtype), target)
    picked = g.op("take_along_axis", [x, g.expand_dims(safe, [axis])], x.dtype,
                  x.shape[:axis] + (1,) + x.shape[axis + 1:], f"axis = {axis} : i64")
    loss = g.unary("negate", g.squeeze(picked, [axis]))
    weight = g.take(a.weight, safe, 0) if a.weight is not None else g.broadcast_to(c.tensor(1, x.dtype), loss.shape)
    weight = g.where(ignored, c.tensor(0, x.dtype), weight)
    loss = g.where(ignored, c.tensor(0, x.dtype), g.binary("multiply", loss, weight))
    total = reduce(c, "sum", weight, range(weight.rank))
    if a.reduction == 0:
        return [loss, c.tensor(0, x.dtype)] if len(c.results) > 1 else loss
    result = reduce(c, "sum", loss, range(loss.rank))
    result = g.binary("divide", result, total) if a.reduction == 1 else result
    return [result, total] if len(c.results) > 1 else result
