# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Products."""
import functools

from .._graph import product, size
from ._ops_elementwise import scale
from ._ops_reduce import norm, reduce
from ._registry import OPS, normalize, op


def _matmul(first, second, c, a):
    return c.graph.matmul(c.tensor(getattr(a, first)), c.tensor(getattr(a, second)))


for _name, _second in (("mm", "mat2"), ("bmm", "mat2"), ("matmul", "other"), ("mv", "vec"), ("dot", "tensor"),
                       ("vdot", "other"), ("linalg_matmul", "other"), ("__rmatmul__", "other")):
    OPS[_name] = functools.partial(_matmul, "self", _second)


def _plus(c, x, beta, part, alpha):
    """beta * x + alpha * part; x does not count where beta is 0."""
    part = scale(c, part, alpha)
    return part if beta == 0 else c.graph.binary("add", part, scale(c, c.tensor(x), beta))


def _add_product(first, second, c, a):
    result = _plus(c, a.self, a.beta, c.graph.matmul(getattr(a, first), getattr(a, second)), a.alpha)
    return c.graph.broadcast_to(result, c.shape())


OPS["addmm"] = functools.partial(_add_product, "mat1", "mat2")
OPS["addmv"] = functools.partial(_add_product, "mat", "vec")
OPS["baddbmm"] = functools.partial(_add_product, "batch1", "batch2")


@op("addbmm")
def _addbmm(c, a):
    return _plus(c, a.self, a.beta, reduce(c, "sum", c.graph.matmul(a.batch1, a.batch2), [0]), a.alpha)


def _outer(c, x, y):
    return c.graph.binary("multiply", c.graph.expand_dims(c.tensor(x), [1]), c.graph.expand_dims(c.tensor(y), [0]))


OPS["outer"] = OPS["ger"] = lambda c, a: _outer(c, a.self, a.vec2)
OPS["addr"] = lambda c, a: _plus(c, a.self, a.beta, _outer(c, a.vec1, a.vec2), a.alpha)


@op("linear")
def _linear(c, a):
    g, x, w = c.graph, a.input, a.weight
    result = g.matmul(x, g.permute(w, list(range(w.rank))[::-1]))
    return result if a.bias is None else g.binary("add", result, a.bias)


@op("inner")
def _inner(c, a):
    g, x, y = c.graph, a.self, a.other
    if not x.rank or not y.rank:
        return g.binary("multiply", x, y)
    flat = g.reshape(y, (product(y.shape[:-1]), y.shape[-1]))
    left = g.reshape(x, (product(x.shape[:-1]), x.shape[-1]))
    return g.reshape(g.matmul(left, g.permute(flat, [1, 0])), c.shape())


@op("einsum")
def _einsum(c, a):
    parts = [c.tensor(part) for part in a.tensors]
    equation = a.equation.replace(" ", "")
    return c.graph.op("einsum", parts, c.dtype(), c.shape(), f'equation = "{equation}"')


@op("tensordot")
def _tensordot(c, a):
    g, x, y = c.graph, a.self, a.other
    first = [normalize(axis, x.rank) for axis in a.dims_self]
    second = [normalize(axis, y.rank) for axis in a.dims_other]
    left = [axis for axis in range(x.rank) if axis not in first]
    right = [axis for axis in range(y.rank) if axis not in second]
    inner = product([x.shape[axis] for axis in first])
    x = g.reshape(g.permute(x, left + first), (product([x.shape[axis] for axis in left]), inner))
    y = g.reshape(g.permute(y, second + right), (inner, product([y.shape[axis] for axis in right])))
    return g.reshape(g.matmul(x, y), c.shape())


@op("kron")
def _kron(c, a):
    g, x, y = c.graph, c.tensor(a.self), c.tensor(a.other)
    rank = max(x.rank, y.rank)
    x = g.reshape(x, [e for extent in (1,) * (rank - x.rank) + x.shape for e in (extent, 1)])
    y = g.reshape(y, [e for extent in (1,) * (rank - y.rank) + y.shape for e in (1, extent)])
    return g.reshape(g.binary("multiply", x, y), c.shape())


@op("cross", "linalg_cross")
def _cross(c, a):
    g = c.graph
    (x, y), shape = g.broadcast(c.tensor(a.self), c.tensor(a.other))
    axis = getattr(a, "dim", -1)
    # Without a dimension it is the first of 3 elements.
    axis = normalize(shape.index(3) if axis is None else axis, len(shape))
    x, y = g.broadcast_to(x, shape), g.broadcast_to(y, shape)

    def turn(value, by):
        return g.take(value, g.array([(i + by) % 3 for i in range(3)], "i64"), axis)

    return g.binary("subtract", g.binary("multiply", turn(x, 1), turn(y, 2)),
                    g.binary("multiply", turn(x, 2), turn(y, 1)))


@op("cdist", "_cdist_forward")
def _cdist(c, a):
    g = c.graph
    distance = g.binary("subtract", g.expand_dims(a.x1, [a.x1.rank - 1]), g.expand_dims(a.x2, [a.x2.rank - 2]))
    return norm(c, distance, a.p, [distance.rank - 1], False)


@op("dist")
def _dist(c, a):
    x = c.graph.binary("subtract", c.tensor(a.self), c.tensor(a.other))
    return norm(c, x, a.p, list(range(x.rank)), False)


@op("cosine_similarity")
def _cosine_similarity(c, a):
    g = c.graph
    (x, y), shape = g.broadcast(c.tensor(a.x1), c.tensor(a.x2))
    axis, low = normalize(a.dim, len(shape)), c.tensor(a.eps)
    x, y = g.broadcast_to(x, shape), g.broadcast_to(y, shape)

    def unit(value):
        length = norm(c, value, 2, [axis] if value.rank else [], True)
        return g.binary("divide", value, g.binary("maximum", length, low))

    return reduce(c, "sum", g.binary("multiply", unit(x), unit(y)), [axis])


@op("pairwise_distance")
def _pairwise_distance(c, a):
    g = c.graph
    x = g.binary("add", g.binary("subtract", c.tensor(a.x1), c.tensor(a.x2)), c.tensor(a.eps))
    return norm(c, x, a.p, [x.rank - 1], a.keepdim)


@op("linalg_multi_dot", "chain_matmul")
def _multi_dot(c, a):
    parts = a.tensors if hasattr(a, "tensors") else a.matrices
    return functools.reduce(c.graph.matmul, parts)


@op("vander", "linalg_vander")
def _vander(c, a):
    g, x, shape = c.graph, c.as_vector(c.tensor(a.x)), c.shape()
    powers = g.iota((shape[-1],), 0, x.dtype)
    if c.name == "vander" and not a.increasing:
        powers = g.binary("subtract", c.tensor(size(shape[-1] - 1), x.dtype), powers)
    return g.binary("power", g.expand_dims(x, [x.rank]), powers)
