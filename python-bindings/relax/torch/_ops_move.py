# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Views, joins, copies and new tensors."""
import math

from .._compiler import Expr, maximum, minimum
from .._graph import is_float, product, same, size
from ._registry import OPS, normalize, normalize_all, op
from ._symbols import Unsupported

# ---- Views -------------------------------------------------------------------------------------------------------

@op("view", "reshape", "_unsafe_view", "view_as", "reshape_as", "flatten", "unflatten", "ravel", "_reshape_alias")
def _view(c, a):
    if c.dtype() != a.self.dtype:
        raise Unsupported("a view with another element type is not supported")
    return c.graph.reshape(a.self, c.shape())


@op("unsqueeze")
def _unsqueeze(c, a):
    return c.graph.expand_dims(a.self, [a.dim % (a.self.rank + 1)])


@op("squeeze")
def _squeeze(c, a):
    # What torch keeps is in the result; an axis that may be 1 or not stays.
    axes = normalize_all(getattr(a, "dim", None), a.self.rank)
    return c.graph.squeeze(a.self, [axis for axis in axes if same(a.self.shape[axis], 1)])


@op("permute")
def _permute(c, a):
    return c.graph.permute(a.self, [normalize(axis, a.self.rank) for axis in a.dims])


def _swap(c, x, first, second):
    order = list(range(x.rank))
    if x.rank:
        first, second = normalize(first, x.rank), normalize(second, x.rank)
        order[first], order[second] = second, first
    return c.graph.permute(x, order)


OPS["transpose"] = lambda c, a: _swap(c, a.self, a.dim0, a.dim1)
OPS["swapaxes"] = lambda c, a: _swap(c, a.self, a.axis0, a.axis1)
OPS["swapdims"] = lambda c, a: _swap(c, a.self, a.dim0, a.dim1)
OPS["t"] = OPS["numpy_T"] = lambda c, a: c.graph.permute(a.self, list(range(a.self.rank))[::-1])
OPS["mT"] = OPS["adjoint"] = OPS["mH"] = OPS["matrix_H"] = lambda c, a: _swap(c, a.self, -2, -1)


@op("movedim", "moveaxis")
def _movedim(c, a):
    rank = a.self.rank
    source = [normalize(axis, rank) for axis in ([a.source] if isinstance(a.source, int) else a.source)]
    target = [normalize(axis, rank) for axis in ([a.destination] if isinstance(a.destination, int) else a.destination)]
    order = [axis for axis in range(rank) if axis not in source]
    for place, axis in sorted(zip(target, source)):
        order.insert(place, axis)
    return c.graph.permute(a.self, order)


@op("expand", "expand_as", "broadcast_to")
def _expand(c, a):
    return c.graph.broadcast_to(a.self, c.shape())


# ---- Parts -------------------------------------------------------------------------------------------------------

def clamp(index, extent, default):
    """An index of Python's slices in [0, extent]."""
    if index is None:
        return default
    if isinstance(index, int):
        if isinstance(extent, int):
            return min(max(index + extent if index < 0 else index, 0), extent)
        if index >= 2**62:
            return extent
        if index == 0:
            return 0
        return maximum(extent + index, 0) if index < 0 else minimum(extent, index)
    return maximum(minimum(index, extent), 0)


def cut(c, x, axis, start, end, step=1):
    """Python's x[start:end:step] along an axis; the result's extent is what torch found."""
    extent = x.shape[axis]
    start = clamp(start, extent, 0)
    end = size(maximum(clamp(end, extent, extent), start)) if not same(start, 0) else clamp(end, extent, extent)
    if same(start, 0) and same(end, extent) and step == 1:
        return x
    return c.graph.slice(x, [axis], [size(start)], [size(end)], [step])


@op("slice")
def _slice(c, a):
    axis = normalize(a.dim, a.self.rank)
    wanted = c.shape()[axis]
    if a.step == 1 and isinstance(a.start, (int, Expr)) and not (isinstance(a.start, int) and a.start < 0):
        # torch knows how the bounds and the extent are related.
        start = clamp(a.start, a.self.shape[axis], 0) if isinstance(a.start, int) else a.start
        if isinstance(a.start, int) and isinstance(start, int) or isinstance(a.start, Expr):
            if same(start, 0) and same(wanted, a.self.shape[axis]):
                return a.self
            return c.graph.slice(a.self, [axis], [start], [size(start + wanted)])
    result = cut(c, a.self, axis, a.start, a.end, a.step)
    return c.graph.refine(result, axis - result.rank, wanted)


@op("select")
def _select(c, a):
    x, axis = a.self, normalize(a.dim, a.self.rank)
    index = a.index
    if isinstance(index, int) and index < 0:
        index = index + x.shape[axis]
    part = c.graph.slice(x, [axis], [size(index)], [size(index + 1)])
    return c.graph.squeeze(part, [axis])


@op("narrow")
def _narrow(c, a):
    axis = normalize(a.dim, a.self.rank)
    start = a.start + a.self.shape[axis] if isinstance(a.start, int) and a.start < 0 else a.start
    return c.graph.slice(a.self, [axis], [size(start)], [size(start + a.length)])


def _parts(c, x, axis):
    """As many parts as there are results, one after the other."""
    start, parts = 0, []
    for i in range(len(c.results)):
        end = size(start + c.shape(i)[axis])
        parts.append(c.graph.slice(x, [axis], [start], [end]))
        start = end
    return parts


@op("split", "split_with_sizes", "chunk", "unsafe_chunk", "unsafe_split", "tensor_split", "split_copy",
    "split_with_sizes_copy", "unsafe_split_with_sizes", "hsplit", "vsplit", "dsplit")
def _split(c, a):
    axis = {"hsplit": min(1, a.self.rank - 1), "vsplit": 0, "dsplit": 2}.get(c.name)
    return _parts(c, a.self, normalize(a.dim, a.self.rank) if axis is None else axis)


@op("unbind")
def _unbind(c, a):
    axis = normalize(a.dim, a.self.rank)
    return [c.graph.squeeze(c.graph.slice(a.self, [axis], [i], [i + 1]), [axis]) for i in range(len(c.results))]


@op("unfold")
def _unfold(c, a):
    """Windows along an axis, their elements last."""
    g, x = c.graph, c.as_vector(a.self)
    axis = normalize(a.dimension, x.rank)
    number = c.shape()[axis] if a.self.rank else 1
    starts = g.binary("multiply", g.iota((number, a.size), 0, "i64"), c.tensor(a.step, "i64"))
    taken = g.take(x, g.binary("add", starts, g.iota((number, a.size), 1, "i64")), axis)
    order = [i for i in range(taken.rank) if i != axis + 1] + [axis + 1]
    return g.reshape(g.permute(taken, order), c.shape())


@op("diagonal", "linalg_diagonal")
def _diagonal(c, a):
    g, x = c.graph, getattr(a, "self", None) or a.A
    first, second = normalize(a.dim1, x.rank), normalize(a.dim2, x.rank)
    x = g.permute(x, [axis for axis in range(x.rank) if axis not in (first, second)] + [first, second])
    length, width = c.shape()[-1], x.shape[-1]
    flat = g.reshape(x, (*x.shape[:-2], size(x.shape[-2] * width)))
    start = a.offset if a.offset >= 0 else width * -a.offset
    positions = g.binary("multiply", g.iota((length,), 0, "i64"), c.tensor(width + 1, "i64"))
    return g.take(flat, g.binary("add", positions, c.tensor(size(start), "i64")), flat.rank - 1)


@op("diag_embed")
def _diag_embed(c, a):
    g, x, shape = c.graph, a.self, c.shape()
    first, second = normalize(a.dim1, len(shape)), normalize(a.dim2, len(shape))
    extent, offset = shape[first], a.offset
    low, high = (0, offset) if offset >= 0 else (-offset, 0)
    # Rows that are shifted: row i holds element i - low at column i - low + high.
    padded = g.pad(x, [0] * (x.rank - 1) + [low], [0] * (x.rank - 1) + [high])
    rows, columns = g.iota((extent, extent), 0, "i64"), g.iota((extent, extent), 1, "i64")
    on = g.compare("equal", g.binary("add", rows, c.tensor(offset, "i64")), columns)
    full = g.where(on, g.expand_dims(padded, [padded.rank]), c.tensor(0, x.dtype))
    order = list(range(full.rank - 2))
    for place, axis in sorted(((first, full.rank - 2), (second, full.rank - 1))):
        order.insert(place, axis)
    return g.permute(full, order)


# ---- Joins -------------------------------------------------------------------------------------------------------

@op("cat", "concat", "concatenate")
def _cat(c, a):
    # Empty vectors are ignored beside tensors of another rank.
    parts = [c.tensor(part) for part in a.tensors]
    rank = max(part.rank for part in parts)
    parts = [part for part in parts if part.rank == rank]
    return c.graph.concat(parts, normalize(a.dim, rank))


@op("stack")
def _stack(c, a):
    axis = a.dim % (a.tensors[0].rank + 1)
    return c.graph.concat([c.graph.expand_dims(c.tensor(part), [axis]) for part in a.tensors], axis)


def _at_least(c, x, rank):
    axes = {0: [0, 1, 2][:rank], 1: [0, 2][:rank - 1] if rank == 3 else [0], 2: [2]}.get(x.rank, [])
    return c.graph.expand_dims(x, axes if x.rank < rank else [])


@op("hstack", "vstack", "dstack", "column_stack", "row_stack")
def _stack_along(c, a):
    g, parts = c.graph, [c.tensor(part) for part in a.tensors]
    if c.name == "column_stack":
        parts = [g.reshape(part, (product(part.shape), 1)) if part.rank < 2 else part for part in parts]
        return g.concat(parts, 1)
    parts = [_at_least(c, part, {"hstack": 1, "dstack": 3}.get(c.name, 2)) for part in parts]
    return g.concat(parts, {"hstack": min(1, parts[0].rank - 1), "dstack": 2}.get(c.name, 0))


for _rank in (1, 2, 3):
    OPS[f"atleast_{_rank}d"] = lambda c, a, rank=_rank: (
        [_at_least(c, part, rank) for part in a.tensors] if hasattr(a, "tensors") else _at_least(c, a.self, rank))


@op("meshgrid")
def _meshgrid(c, a):
    g, swap = c.graph, getattr(a, "indexing", "ij") == "xy" and len(a.tensors) >= 2
    result = []
    for i, part in enumerate(a.tensors):
        place = 1 - i if swap and i < 2 else i
        shape = [1] * len(a.tensors)
        shape[place] = product(part.shape)
        result.append(g.broadcast_to(g.reshape(part, shape), c.shape(i)))
    return result


@op("cartesian_prod")
def _cartesian_prod(c, a):
    g, extents = c.graph, [part.shape[0] for part in a.tensors]
    if len(extents) == 1:
        return a.tensors[0]
    columns = []
    for i, part in enumerate(a.tensors):
        shape = [1] * len(extents) + [1]
        shape[i] = extents[i]
        columns.append(g.broadcast_to(g.reshape(part, shape), [*extents, 1]))
    return g.reshape(g.concat(columns, len(extents)), c.shape())


# ---- Copies in another order -------------------------------------------------------------------------------------

def _flip(c, x, axes):
    return c.graph.unary("flip", x, f"axes = array<i64: {', '.join(map(str, axes))}>") if axes and x.rank else x


OPS["flip"] = lambda c, a: _flip(c, a.self, normalize_all(list(a.dims), a.self.rank) if a.dims else [])
OPS["fliplr"] = lambda c, a: _flip(c, a.self, [1])
OPS["flipud"] = lambda c, a: _flip(c, a.self, [0])


@op("rot90")
def _rot90(c, a):
    first, second = (normalize(axis, a.self.rank) for axis in a.dims)
    turns = a.k % 4
    if turns == 2:
        return _flip(c, a.self, sorted((first, second)))
    x = _flip(c, a.self, [second]) if turns == 1 else a.self
    x = x if turns == 0 else _swap(c, x, first, second)
    return _flip(c, x, [second]) if turns == 3 else x


@op("roll")
def _roll(c, a):
    g, x = c.graph, a.self
    shifts, axes = list(a.shifts), [normalize(axis, x.rank) for axis in a.dims]
    if not axes:
        x = g.reshape(x, (product(x.shape),))
        axes = [0]
    for shift, axis in zip(shifts, axes):
        if x.rank:
            types, text = g.shape_operand(x, [shift])
            x = g.op("roll", [x], x.dtype, x.shape, f"axes = array<i64: {axis}>, "
                     f"shifts = [#relax_sym.expr<{shift}>]", types, text)
    return g.reshape(x, c.shape())


@op("repeat", "tile")
def _repeat(c, a):
    repeats = list(getattr(a, "repeats", None) or getattr(a, "dims", None) or [])
    x = a.self
    if len(repeats) > x.rank:
        x = c.graph.reshape(x, (1,) * (len(repeats) - x.rank) + x.shape)
    repeats = [1] * (x.rank - len(repeats)) + repeats
    return c.graph.tile(x, repeats) if x.rank else x


@op("repeat_interleave")
def _repeat_interleave(c, a):
    if not isinstance(getattr(a, "repeats", None), (int, Expr)):
        raise Unsupported("repeats that are a tensor are not supported")
    x = a.self if a.dim is not None else c.graph.reshape(a.self, (product(a.self.shape),))
    x = c.as_vector(x)
    return c.graph.repeat(x, normalize(a.dim or 0, x.rank), a.repeats)


@op("tril", "triu")
def _tril(c, a):
    return c.graph.unary(c.name, a.self, f"diagonal = {a.diagonal} : i64")


@op("pixel_shuffle")
def _pixel_shuffle(c, a):
    g, x, r, k = c.graph, a.self, a.upscale_factor, a.self.rank - 3
    *batch, channels, height, width = x.shape
    x = g.reshape(x, (*batch, size(channels // (r * r)), r, r, height, width))
    return g.reshape(g.permute(x, [*range(k), k, k + 3, k + 1, k + 4, k + 2]), c.shape())


@op("pixel_unshuffle")
def _pixel_unshuffle(c, a):
    g, x, r, k = c.graph, a.self, a.downscale_factor, a.self.rank - 3
    *batch, channels, height, width = x.shape
    shape = c.shape()
    x = g.reshape(x, (*batch, channels, shape[-2], r, shape[-1], r))
    return g.reshape(g.permute(x, [*range(k), k, k + 2, k + 4, k + 1, k + 3]), shape)


@op("channel_shuffle", "native_channel_shuffle")
def _channel_shuffle(c, a):
    g, x = c.graph, a.self
    batch, channels, *rest = x.shape
    split = g.reshape(x, (batch, a.groups, size(channels // a.groups), *rest))
    return g.reshape(g.permute(split, [0, 2, 1, *range(3, split.rank)]), x.shape)


# ---- Padding -----------------------------------------------------------------------------------------------------

_PAD_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pad(c, x, widths, mode, value=None):
    """torch's widths: from the last axis on, before and after."""
    low, high = [0] * x.rank, [0] * x.rank
    for i in range(len(widths) // 2):
        low[x.rank - 1 - i], high[x.rank - 1 - i] = widths[2 * i], widths[2 * i + 1]
    # Negative widths cut what the others have made.
    before, after = ([-width if isinstance(width, int) and width < 0 else 0 for width in sides]
                     for sides in (low, high))
    low, high = ([0 if isinstance(width, int) and width < 0 else width for width in sides] for sides in (low, high))
    if not all(same(width, 0) for width in [*low, *high]):
        value = c.tensor(0 if value is None else value, x.dtype) if mode == "constant" else None
        x = c.graph.pad(x, low, high, value, mode)
    for axis in range(x.rank):
        if before[axis] or after[axis]:
            x = c.graph.slice(x, [axis], [before[axis]], [size(x.shape[axis] - after[axis])])
    return x


@op("constant_pad_nd")
def _constant_pad(c, a):
    return pad(c, a.self, a.pad, "constant", a.value)


@op("pad")
def _pad(c, a):
    return pad(c, a.self, a.pad, _PAD_MODES[a.mode], a.value)


for _axes in (1, 2, 3):
    OPS[f"reflection_pad{_axes}d"] = lambda c, a: pad(c, a.self, a.padding, "reflect")
    OPS[f"replication_pad{_axes}d"] = lambda c, a: pad(c, a.self, a.padding, "edge")


# ---- New tensors -------------------------------------------------------------------------------------------------

@op("full", "full_like", "new_full")
def _full(c, a):
    if not isinstance(a.fill_value, (int, float)):
        return c.graph.broadcast_to(c.tensor(a.fill_value), c.shape())
    return c.graph.full(c.shape(), a.fill_value, c.dtype())


def _filled(value):
    return lambda c, a: c.graph.full(c.shape(), value, c.dtype())


for _name in ("zeros", "zeros_like", "new_zeros", "empty", "empty_like", "new_empty", "empty_strided", "zero",
              "empty_permuted", "new_empty_strided"):
    OPS[_name] = _filled(0)
for _name in ("ones", "ones_like", "new_ones"):
    OPS[_name] = _filled(1)


@op("fill")
def _fill(c, a):
    return c.graph.broadcast_to(c.tensor(a.value), c.shape())


@op("arange")
def _arange(c, a):
    g, dtype = c.graph, c.dtype()
    start, step = getattr(a, "start", 0), getattr(a, "step", 1)
    # Positions times the step: as torch, which computes in the accumulation type.
    wide = "f64" if is_float(dtype) else "i64"
    positions = g.iota(c.shape(), 0, wide)
    if step != 1:
        positions = g.binary("multiply", positions, c.tensor(step, wide))
    if not same(start, 0):
        positions = g.binary("add", positions, c.tensor(start, wide))
    return g.astype(positions, dtype)


@op("linspace", "logspace")
def _linspace(c, a):
    g, dtype = c.graph, c.dtype()
    number = c.shape()[0]
    if not isinstance(number, int):
        raise Unsupported("a number of steps that is a size is not supported")
    start, end = c.tensor(a.start, "f64"), c.tensor(a.end, "f64")
    step = g.binary("divide", g.binary("subtract", end, start), c.tensor(max(number - 1, 1), "f64"))
    line = g.binary("add", start, g.binary("multiply", step, g.iota((number,), 0, "f64")))
    if c.name == "logspace":
        line = g.unary("exp2", g.binary("multiply", line, c.tensor(math.log2(a.base), "f64")))
    return g.astype(line, dtype)


@op("eye")
def _eye(c, a):
    g = c.graph
    on = g.compare("equal", g.iota(c.shape(), 0, "i64"), g.iota(c.shape(), 1, "i64"))
    return g.astype(on, c.dtype())
