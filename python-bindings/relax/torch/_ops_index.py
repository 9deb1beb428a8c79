# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Reading and writing at indices, search and sort."""
import math

import torch

from .._compiler import Expr, dim
from .._graph import is_float, product, same, size
from ._ops_elementwise import binary
from ._ops_move import cut
from ._registry import TORCH_TYPES, normalize, op
from ._symbols import Unsupported

_REDUCTIONS = {"sum": "add", "add": "add", "prod": "mul", "multiply": "mul", "amax": "max", "amin": "min"}


def wrap(c, indices, extent):
    """Indices from the end are negative in torch."""
    g = c.graph
    indices = indices if indices.dtype in ("i32", "i64") else g.astype(indices, "i64")
    zero = c.tensor(0, indices.dtype)
    return g.where(g.compare("less", indices, zero), g.binary("add", indices, c.tensor(extent, indices.dtype)), indices)


@op("index_select")
def _index_select(c, a):
    x = c.as_vector(a.self)
    taken = c.graph.take(x, c.as_vector(a.index), normalize(a.dim, x.rank))
    return c.graph.reshape(taken, c.shape()) if not a.self.rank else taken


@op("embedding")
def _embedding(c, a):
    return c.graph.take(a.weight, a.indices, 0)


@op("gather", "take_along_dim")
def _gather(c, a):
    g, x = c.graph, c.as_vector(a.self)
    index = c.as_vector(a.index if c.name == "gather" else a.indices)
    if index.rank != x.rank and c.name == "gather":
        # Torch takes an index without elements of any rank.
        return g.full(c.shape(), 0, x.dtype)
    if c.name == "take_along_dim" and a.dim is None:
        x, index, axis = g.reshape(x, (product(x.shape),)), g.reshape(index, (product(index.shape),)), 0
    else:
        axis = normalize(a.dim, x.rank)
    if c.name == "take_along_dim":
        shape = [i if same(e, 1) else e for e, i in zip(x.shape, index.shape)]
        x = g.broadcast_to(x, [*shape[:axis], x.shape[axis], *shape[axis + 1:]])
        index = g.broadcast_to(index, [*shape[:axis], index.shape[axis], *shape[axis + 1:]])
        index = wrap(c, index, x.shape[axis])
    index = index if index.dtype in ("i32", "i64") else g.astype(index, "i64")
    result = g.op("take_along_axis", [x, index], x.dtype, index.shape, f"axis = {axis} : i64")
    return g.reshape(result, c.shape()) if not a.self.rank or c.name == "take_along_dim" else result


@op("take")
def _take(c, a):
    flat = c.graph.reshape(a.self, (product(a.self.shape),))
    return c.graph.take(flat, wrap(c, a.index, flat.shape[0]), 0)


def _join_indices(c, x, indices):
    """Index tensors with gaps as: x with the indexed axes first, tuples of indices, their place, their shape."""
    g = c.graph
    if any(index is not None and index.dtype in ("i1", "ui8") for index in indices):
        raise Unsupported("masks as indices are not supported beside other indices")
    indexed = [axis for axis, index in enumerate(indices) if index is not None]
    parts = [wrap(c, g.astype(indices[axis], "i64"), x.shape[axis]) for axis in indexed]
    parts, shape = g.broadcast(*parts)
    parts = [g.broadcast_to(part, shape) for part in parts]
    adjacent = indexed == list(range(indexed[0], indexed[-1] + 1))
    order = indexed + [axis for axis in range(x.rank) if axis not in indexed]
    tuples = g.concat([g.expand_dims(part, [part.rank]) for part in parts], len(shape))
    return g.permute(x, order), tuples, indexed[0] if adjacent else 0, shape, order


@op("index", "_unsafe_index")
def _index(c, a):
    g, x, indices = c.graph, a.self, list(a.indices)
    present = [index for index in indices if index is not None]
    if len(present) == 1 and present[0].dtype in ("i1", "ui8"):
        return _select_mask(c, x, c.tensor(present[0], "i1"), indices.index(present[0]))
    if len(present) == 1:
        axis = indices.index(present[0])
        return g.take(x, wrap(c, present[0], x.shape[axis]), axis)
    x, tuples, place, shape, order = _join_indices(c, x, indices)
    rest = x.rank - tuples.shape[-1]
    result = g.op("gather_nd", [x, tuples], x.dtype, shape + x.shape[x.rank - rest:], "batch_dims = 0 : i64")
    # The indexed dimensions stand where the indices stood.
    taken = list(range(len(shape)))
    others = list(range(len(shape), result.rank))
    return g.permute(result, others[:place] + taken + others[place:])


def _get_found(c, extent):
    """The symbol for how many are found; what torch knows of it from sizes, such as 0 of none, is compared."""
    if isinstance(extent, Expr) and str(extent) in extent.symbols:
        return extent
    return dim(f"found_{c.graph.new_name()[1:]}")


def _select_mask(c, x, mask, axis):
    g, shape = c.graph, c.shape()
    x_rest = x.shape[axis + mask.rank:]
    if axis + mask.rank < x.rank:
        x = g.reshape(x, x.shape)
    if x_rest:
        # A mask ends where the tensor does for `compress`: the others are moved to the front.
        order = [*range(axis + mask.rank, x.rank), *range(axis + mask.rank)]
        moved, front = g.permute(x, order), x.rank - axis - mask.rank
    else:
        moved, front, order = x, 0, list(range(x.rank))
    extent = _get_found(c, shape[axis])
    result = g.op("compress", [moved, mask], x.dtype, moved.shape[:front + axis] + (extent,),
                  f"axis = {front + axis} : i64", None, f"{moved.name}, {mask.name} binds [{extent}]")
    g.show(result)
    back = [*range(front, result.rank), *range(front)]
    return g.permute(result, back)


@op("masked_select")
def _masked_select(c, a):
    g = c.graph
    (x, mask), shape = g.broadcast(a.self, a.mask)
    x, mask = g.broadcast_to(x, shape), g.broadcast_to(mask, shape)
    total = product(shape)
    return _select_mask(c, g.reshape(x, (total,)), g.reshape(mask, (total,)), 0)


@op("nonzero", "argwhere")
def _nonzero(c, a):
    g, number = c.graph, _get_found(c, c.shape()[0])
    result = g.op("nonzero", [a.self], "i64", (a.self.rank, number), "", None, f"{a.self.name} binds [{number}]")
    g.show(result)
    return g.permute(result, [1, 0])


@op("index_put", "_unsafe_index_put")
def _index_put(c, a):
    g, x, indices = c.graph, a.self, list(a.indices)
    present = [index for index in indices if index is not None]
    if len(present) == 1 and present[0].dtype in ("i1", "ui8"):
        mask, axis = c.tensor(present[0], "i1"), indices.index(present[0])
        if not all(same(extent, 1) for extent in a.values.shape) or a.accumulate:
            raise Unsupported("values other than a scalar for a mask are not supported")
        mask = g.expand_dims(mask, range(mask.rank, x.rank - axis))
        return g.where(mask, g.reshape(c.tensor(a.values, x.dtype), ()), x)
    moved, tuples, place, shape, order = _join_indices(c, x, indices)
    rest = moved.shape[tuples.shape[-1]:]
    target = rest[:place] + tuple(shape) + rest[place:]
    values = g.broadcast_to(c.tensor(a.values, x.dtype), target)
    taken = list(range(place, place + len(shape)))
    values = g.permute(values, taken + [axis for axis in range(values.rank) if axis not in taken])
    result = g.op("scatter_nd", [moved, tuples, values], x.dtype, moved.shape,
                  f"reduction = \"{'add' if a.accumulate else 'none'}\"")
    return g.permute(result, [order.index(axis) for axis in range(x.rank)])


def scatter(c, x, axis, index, values, reduction):
    """scatter_elements; values may be larger than the index."""
    g, scalar = c.graph, x.rank == 0
    x, index, values = c.as_vector(x), c.as_vector(index), c.as_vector(values)
    for other in range(index.rank):
        if not same(values.shape[other], index.shape[other]):
            values = cut(c, values, other, 0, index.shape[other])
    result = g.op("scatter_elements", [x, index, values], x.dtype, x.shape,
                  f"axis = {axis} : i64, reduction = \"{reduction}\"")
    return g.reshape(result, ()) if scalar else result


@op("scatter", "scatter_add", "scatter_reduce")
def _scatter(c, a):
    g, x = c.graph, a.self
    reduction = "add" if c.name == "scatter_add" else _REDUCTIONS.get(getattr(a, "reduce", None), None)
    if getattr(a, "reduce", None) is not None and (reduction is None or not getattr(a, "include_self", True)):
        raise Unsupported(f"the reduction '{a.reduce}' is not supported like this")
    source = a.src if hasattr(a, "src") else g.broadcast_to(c.tensor(a.value), a.index.shape)
    return scatter(c, x, normalize(a.dim, x.rank), a.index, source, reduction or "none")


def _along(c, x, index, axis):
    """The index, one element for each slice of x, as an index for each element."""
    index = c.as_vector(index)
    shape = [1] * x.rank
    shape[axis] = index.shape[0]
    return c.graph.broadcast_to(c.graph.reshape(index, shape), [*x.shape[:axis], index.shape[0], *x.shape[axis + 1:]])


@op("index_add", "index_copy", "index_fill")
def _index_add(c, a):
    g, x = c.graph, c.as_vector(a.self)
    axis = normalize(a.dim, x.rank)
    index = _along(c, x, a.index, axis)
    if c.name == "index_fill":
        values = g.broadcast_to(c.tensor(a.value), index.shape)
    else:
        values = g.broadcast_to(c.as_vector(c.tensor(a.source)), index.shape)
    if c.name == "index_add" and a.alpha != 1:
        values = binary(c, "multiply", values, c.tensor(a.alpha))
    result = scatter(c, x, axis, index, values, "add" if c.name == "index_add" else "none")
    return g.reshape(result, c.shape())


@op("slice_scatter", "select_scatter")
def _slice_scatter(c, a):
    g, x = c.graph, a.self
    axis = normalize(a.dim, x.rank)
    positions = g.iota((x.shape[axis],), 0, "i64")
    if c.name == "select_scatter":
        index = a.index + x.shape[axis] if isinstance(a.index, int) and a.index < 0 else a.index
        source = g.expand_dims(c.tensor(a.src), [axis])
        on = g.compare("equal", positions, c.tensor(size(index), "i64"))
    else:
        if a.step != 1 or not isinstance(a.start or 0, int) or (a.start or 0) < 0:
            raise Unsupported("such a slice is not supported")
        start, length = a.start or 0, a.src.shape[axis]
        rest = x.shape[axis] - start - length
        low, high = [0] * x.rank, [0] * x.rank
        low[axis], high[axis] = start, rest
        source = g.pad(c.tensor(a.src), low, high)
        on = g.binary("logical_and", g.compare("greater_equal", positions, c.tensor(start, "i64")),
                      g.compare("less", positions, c.tensor(size(start + length), "i64")))
    on = g.expand_dims(on, range(1, x.rank - axis))
    return g.where(on, source, x)


# ---- Search and sort ---------------------------------------------------------------------------------------------

@op("sort", "argsort", "msort")
def _sort(c, a):
    g, x = c.graph, c.as_vector(a.self)
    axis = normalize(getattr(a, "dim", -1 if c.name != "msort" else 0), x.rank)
    more = ", descending" if getattr(a, "descending", False) else ""
    shape = a.self.shape
    if c.name == "msort":
        return g.reshape(g.along("sort", x, axis, None, more), shape)
    order = g.along("argsort", x, axis, "i64", more)
    if c.name == "argsort":
        return g.reshape(order, shape)
    values = g.op("take_along_axis", [x, order], x.dtype, x.shape, f"axis = {axis} : i64")
    return [g.reshape(values, shape), g.reshape(order, shape)]


@op("topk")
def _topk(c, a):
    g, x = c.graph, c.as_vector(a.self)
    axis = normalize(a.dim, x.rank)
    order = g.along("argsort", x, axis, "i64", ", descending" if a.largest else "")
    order = g.slice(order, [axis], [0], [a.k])
    values = g.op("take_along_axis", [x, order], x.dtype, order.shape, f"axis = {axis} : i64")
    return [g.reshape(values, c.shape()), g.reshape(order, c.shape())]


@op("kthvalue", "median", "nanmedian")
def _kthvalue(c, a):
    g, whole = c.graph, not hasattr(a, "dim")
    x = g.reshape(a.self, (product(a.self.shape),)) if whole else c.as_vector(a.self)
    axis = 0 if whole else normalize(a.dim, x.rank)
    order = g.along("argsort", x, axis, "i64")
    nan = g.predicate("is_nan", x) if is_float(x.dtype) and c.name != "kthvalue" else None
    if c.name == "nanmedian" and nan is not None:
        # NaN is sorted to the end.
        known = g.reduce("sum", g.astype(g.unary("logical_not", nan), "i64"), [axis], True)
        k = g.binary("maximum", g.binary("subtract", known, c.tensor(1, "i64")), c.tensor(0, "i64"))
        k = g.binary("divide", k, c.tensor(2, "i64"))
        order = g.op("take_along_axis", [order, k], "i64", k.shape, f"axis = {axis} : i64")
    else:
        k = a.k - 1 if c.name == "kthvalue" else size((x.shape[axis] - 1) // 2)
        order = g.slice(order, [axis], [k], [size(k + 1)])
        if nan is not None:
            first = g.arg_reduce("argmax", g.astype(nan, "i32"), axis, True)
            order = g.where(g.reduce("any", nan, [axis], True), first, order)
    values = g.op("take_along_axis", [x, order], x.dtype, order.shape, f"axis = {axis} : i64")
    results = [g.reshape(values, c.shape()), g.reshape(order, c.shape())]
    return results[0] if whole else results


@op("bucketize", "searchsorted")
def _bucketize(c, a):
    g = c.graph
    boundaries = a.boundaries if c.name == "bucketize" else a.sorted_sequence
    if boundaries.rank != 1 or getattr(a, "sorter", None) is not None:
        raise Unsupported("several sorted sequences are not supported")
    right = a.right or getattr(a, "side", None) == "right"
    dtype = c.common_type(a.self, boundaries)
    x, boundaries = c.tensor(a.self, dtype), c.tensor(boundaries, dtype)
    result = g.op("bucketize", [x, boundaries], "i64", x.shape, "right" if right else "")
    return g.astype(result, c.dtype())


@op("isin")
def _isin(c, a):
    g = c.graph
    dtype = c.common_type(a.elements if hasattr(a, "elements") else a.element,
                          a.test_elements if hasattr(a, "test_elements") else a.test_element)
    x = c.tensor(getattr(a, "elements", getattr(a, "element", None)), dtype)
    tests = c.tensor(getattr(a, "test_elements", getattr(a, "test_element", None)), dtype)
    equal = g.compare("equal", g.expand_dims(x, [x.rank]), g.reshape(tests, (product(tests.shape),)))
    result = g.reduce("any", equal, [equal.rank - 1])
    return g.unary("logical_not", result) if a.invert else result


@op("one_hot")
def _one_hot(c, a):
    g = c.graph
    number = c.shape()[-1]
    return g.astype(g.compare("equal", g.expand_dims(a.self, [a.self.rank]), g.iota((number,), 0, "i64")), c.dtype())


def get_limit(dtype, highest):
    """The highest or lowest value of an element type."""
    if is_float(dtype):
        return math.inf if highest else -math.inf
    limits = torch.iinfo(TORCH_TYPES[dtype])
    return limits.max if highest else limits.min


@op("cummax", "cummin")
def _cummax(c, a):
    # Each prefix by itself: a triangle of comparisons.
    g, x = c.graph, c.as_vector(a.self)
    axis = normalize(a.dim, x.rank)
    extent = x.shape[axis]
    moved = g.expand_dims(g.permute(x, [i for i in range(x.rank) if i != axis] + [axis]), [x.rank - 1])
    inside = g.compare("greater_equal", g.iota((extent, extent), 0, "i64"), g.iota((extent, extent), 1, "i64"))
    triangle = g.where(inside, moved, c.tensor(get_limit(x.dtype, c.name == "cummin"), x.dtype))
    positions = g.iota((extent,), 0, "i64")
    best = g.reduce(c.name[3:], triangle, [triangle.rank - 1], True)
    hit = g.compare("equal", triangle, best)
    if is_float(x.dtype):
        # NaN is an extremum from where it is on.
        hit = g.binary("logical_or", hit, g.predicate("is_nan", triangle))
    hit = g.binary("logical_and", hit, inside)
    index = g.reduce("max", g.where(hit, positions, c.tensor(-1, "i64")), [triangle.rank - 1])
    back = list(range(x.rank - 1))
    back.insert(axis, x.rank - 1)
    values = g.squeeze(best, [best.rank - 1])
    return [g.reshape(g.permute(values, back), c.shape()), g.reshape(g.permute(index, back), c.shape())]
