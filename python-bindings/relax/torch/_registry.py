# Licensed under the Apache License, Version 2.0. See LICENSE.
"""The table of aten operators, and what a handler sees of the node that it translates."""
import typing

import torch

from .._compiler import Expr
from .._graph import Value, is_float
from ._symbols import Unsupported

TYPES = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64", torch.bool: "i1",
         torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64", torch.uint8: "ui8",
         torch.uint16: "ui16", torch.uint32: "ui32", torch.uint64: "ui64"}
TORCH_TYPES = {name: dtype for dtype, name in TYPES.items()}

# Name of an operator without its overload -> handler(context, arguments). Arguments have the names of the schema.
OPS: "dict[str, typing.Callable]" = {}


def op(*names):
    """Registers a handler for operators of aten."""
    def register(handler):
        for name in names:
            assert name not in OPS, name
            OPS[name] = handler
        return handler

    return register


def get_name(target):
    """The name of an operator in the table; None when it is not one of aten."""
    if not isinstance(target, torch._ops.OpOverload):
        return None
    space, name = target.name().split("::")
    name = name.split(".")[0]
    return name if space == "aten" else f"{space}::{name}"


def get_type(dtype):
    if dtype not in TYPES:
        raise Unsupported(f"elements of type {dtype} are not supported")
    return TYPES[dtype]


def normalize(axis, rank):
    """An axis counted from the front; a scalar has one axis for this purpose."""
    return axis % max(rank, 1)


def normalize_all(axes, rank):
    """Axes counted from the front, sorted; None and () are all of them."""
    if axes is None or axes == []:
        return list(range(rank))
    axes = [axes] if isinstance(axes, int) else axes
    return sorted(normalize(axis, rank) for axis in axes) if rank else []


class Context:
    """One node: its results as torch knows them, and the function that is written."""

    def __init__(self, name, graph, symbols, results):
        self.name, self.graph, self.symbols, self.results = name, graph, symbols, results

    def dtype(self, index=0):
        """Element type of a result."""
        return get_type(self.results[index].dtype)

    def shape(self, index=0):
        """Extents of a result."""
        return tuple(self.symbols.convert(extent) for extent in self.results[index].shape)

    def tensor(self, value, dtype=None):
        """A tensor of an argument: a tensor, a number or a size; of the result's element type unless told."""
        dtype = dtype or self.dtype()
        if isinstance(value, Value):
            return self.graph.astype(value, dtype)
        if isinstance(value, Expr):
            return self.graph.from_size(value, dtype)
        if value is True or value is False:
            value = int(value)
        if not isinstance(value, (int, float)):
            raise Unsupported(f"an argument {value!r} is not supported")
        if not is_float(dtype) and dtype != "i1":
            bits = int(dtype.lstrip("ui"))
            value = int(value) % 2**bits
            value -= 2**bits if value >= 2**(bits - 1) and not dtype.startswith("u") else 0
        return self.graph.constant(value, dtype)

    def common_type(self, *values):
        """The element type that torch computes with."""
        samples = [torch.empty((1,) * min(value.rank, 1), dtype=TORCH_TYPES[value.dtype])
                   if isinstance(value, Value) else 1 if isinstance(value, Expr) else value for value in values]
        result = samples[0]
        dtype = result.dtype if isinstance(result, torch.Tensor) else torch.result_type(result, result)
        if len(samples) >= 2:
            dtype = torch.result_type(samples[0], samples[1])
        for sample in samples[2:]:
            dtype = torch.result_type(torch.empty(1, dtype=dtype), sample)
        return get_type(dtype)

    def as_vector(self, x):
        """A scalar as a vector with one element: axes of scalars are allowed in torch."""
        return x if x.rank else self.graph.reshape(x, (1,))
