# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Functions with symbolic shapes, written in Python.

    n = relax.dim("n")
    with relax.function(facts=[n <= 1024]) as f:
        x, w = f.input("x", (n, 4)), f.input("w", (4, 8))
        f.output(y=(x @ w + 1).relu(), total=x.sum())
    executable = f.module.compile()
"""
import sys
import typing

import numpy as np

from ._compiler import Expr, Module
from ._errors import RelaxError
from ._graph import NUMPY_TYPES, Graph, is_float, product, quote, same, size

_TYPES = {name: mlir for mlir, name in NUMPY_TYPES.items()} | {"bfloat16": "bf16"}
_FLOATS = ("acos acosh asin asinh atan atanh ceil cos cosh erf exp exp2 expm1 floor log log1p log2 reciprocal round "
           "rsqrt sigmoid sin sinh sqrt tan tanh trunc gelu silu softplus softsign mish elu selu").split()
_NUMBERS = "abs negate relu sign".split()


def _get_place():
    """The line of the caller's code, as the compiler's messages name it."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return f"loc({quote(frame.f_code.co_filename)}:{frame.f_lineno}:1)" if frame is not None else ""


def _fail(text):
    raise RelaxError(text, "invalid module")


class Tensor:
    """A tensor of a function under construction. Operators and methods add operations; sizes are ints and Exprs."""

    if typing.TYPE_CHECKING:
        # Defined below, one by one.
        def __getattr__(self, name: str) -> "typing.Callable[..., Tensor]": ...
        def __add__(self, other: typing.Any) -> "Tensor": ...
        def __sub__(self, other: typing.Any) -> "Tensor": ...
        def __mul__(self, other: typing.Any) -> "Tensor": ...
        def __truediv__(self, other: typing.Any) -> "Tensor": ...
        def __mod__(self, other: typing.Any) -> "Tensor": ...
        def __pow__(self, other: typing.Any) -> "Tensor": ...
        def __and__(self, other: typing.Any) -> "Tensor": ...
        def __or__(self, other: typing.Any) -> "Tensor": ...
        def __xor__(self, other: typing.Any) -> "Tensor": ...
        def __lt__(self, other: typing.Any) -> "Tensor": ...
        def __le__(self, other: typing.Any) -> "Tensor": ...
        def __gt__(self, other: typing.Any) -> "Tensor": ...
        def __ge__(self, other: typing.Any) -> "Tensor": ...
        __radd__, __rsub__, __rmul__, __rtruediv__ = __add__, __sub__, __mul__, __truediv__

    def __init__(self, function, value):
        self._function, self._value = function, value

    @property
    def shape(self):
        """Its extents."""
        return self._value.shape

    @property
    def dtype(self):
        """Its element type by numpy's name."""
        return NUMPY_TYPES.get(self._value.dtype, "bfloat16")

    def __repr__(self):
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"

    # ---- Elementwise --------------------------------------------------------------------------------------------

    def _other(self, other):
        if isinstance(other, Tensor):
            if other._value.dtype != self._value.dtype:
                _fail(f"element types are expected to be equal, actual {self.dtype} and {other.dtype}")
            return other._value
        graph = self._function._graph_here()
        if isinstance(other, Expr):
            return graph.from_size(other, self._value.dtype)
        if isinstance(other, np.ndarray):
            return self._other(self._function.constant(other))
        if not is_float(self._value.dtype) and isinstance(other, float):
            _fail(f"a float beside elements of type {self.dtype}")
        return graph.constant(other, self._value.dtype)

    def _binary(self, mnemonic, other, reflected=False, dtype=None):
        a, b = self._value, self._other(other)
        graph = self._function._graph_here()
        operands = [b, a] if reflected else [a, b]
        for x, y in zip(a.shape[::-1], b.shape[::-1]):
            if isinstance(x, int) and isinstance(y, int) and x != y and 1 not in (x, y):
                _fail(f"extents are expected to be equal or 1, actual {x} and {y}")
        return self._wrap(graph.elementwise(mnemonic, operands, dtype))

    def _wrap(self, value):
        return Tensor(self._function, value)

    def _unary(self, mnemonic):
        return self._wrap(self._function._graph_here().unary(mnemonic, self._value))

    def __neg__(self):
        return self._unary("negate")

    def __invert__(self):
        return self._unary("logical_not" if self._value.dtype == "i1" else "bitwise_not")

    def astype(self, dtype):
        """Other elements; the name or dtype of numpy."""
        return self._wrap(self._function._graph_here().astype(self._value, _get_type(dtype)))

    # ---- Reductions and products --------------------------------------------------------------------------------

    def _axes(self, axis):
        rank = self._value.rank
        axes = range(rank) if axis is None else [axis] if isinstance(axis, int) else axis
        for number in axes:
            if not -rank <= number < rank:
                _fail(f"axis {number} is out of range for rank {rank}")
        return sorted(number % rank for number in axes)

    def _reduce(self, mnemonic, axis, keepdims):
        return self._wrap(self._function._graph_here().reduce(mnemonic, self._value, self._axes(axis), keepdims))

    def argmax(self, axis, keepdims=False):
        """Position of the first maximum along an axis."""
        return self._wrap(self._function._graph_here().arg_reduce("argmax", self._value, *self._axes(axis), keepdims))

    def argmin(self, axis, keepdims=False):
        """Position of the first minimum along an axis."""
        return self._wrap(self._function._graph_here().arg_reduce("argmin", self._value, *self._axes(axis), keepdims))

    def softmax(self, axis):
        """Softmax along an axis."""
        return self._wrap(self._function._graph_here().along("softmax", self._value, *self._axes(axis)))

    def log_softmax(self, axis):
        """The logarithm of softmax along an axis."""
        return self._wrap(self._function._graph_here().along("log_softmax", self._value, *self._axes(axis)))

    def cumsum(self, axis):
        """Running sums along an axis."""
        return self._wrap(self._function._graph_here().scan("cumsum", self._value, *self._axes(axis)))

    def __matmul__(self, other):
        a, b = self._value, self._other(other)
        if not a.rank or not b.rank:
            _fail("operands of @ are expected to have rank 1 or more")
        inner = b.shape[-1 if b.rank == 1 else -2]
        if isinstance(inner, int) and isinstance(a.shape[-1], int) and inner != a.shape[-1]:
            _fail(f"inner extents are expected to be equal, actual {a.shape[-1]} and {inner}")
        return self._wrap(self._function._graph_here().matmul(a, b))

    # ---- Moving elements ----------------------------------------------------------------------------------------

    def reshape(self, *shape):
        """The same elements in another shape; one extent may be -1."""
        shape = list(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else list(shape)
        total = product(self.shape)
        unknown = [axis for axis, extent in enumerate(shape) if isinstance(extent, int) and extent == -1]
        if len(unknown) > 1:
            _fail("more than one extent is -1")
        if unknown:
            rest = product([extent for axis, extent in enumerate(shape) if axis not in unknown])
            if isinstance(rest, int) and rest == 0:
                _fail("an extent of -1 beside 0 is not determined")
            shape[unknown[0]] = size(total // rest)
        if isinstance(total, int) and isinstance(product(shape), int) and total != product(shape):
            _fail(f"numbers of elements are expected to be equal, actual {total} and {product(shape)}")
        return self._wrap(self._function._graph_here().reshape(self._value, shape))

    def transpose(self, *axes):
        """Dimensions in another order; without arguments reversed."""
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        rank = self._value.rank
        order = [axis % rank for axis in axes] if axes else list(range(rank))[::-1]
        if sorted(order) != list(range(rank)):
            _fail(f"{list(axes)} is no order of {rank} dimensions")
        return self._wrap(self._function._graph_here().permute(self._value, order))

    @property
    def T(self):
        """Dimensions reversed."""
        return self.transpose()

    def broadcast_to(self, *shape):
        """Repeated along dimensions of extent 1 and along new ones."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return self._wrap(self._function._graph_here().broadcast_to(self._value, shape))

    def take(self, indices, axis):
        """Slices at indices, which are not negative."""
        return self._wrap(self._function._graph_here().take(self._value, indices._value, *self._axes(axis)))

    def __getitem__(self, key):
        """Slices and positions: ints, sizes, None and `...`. Bounds that are sizes lie within the tensor."""
        graph, value = self._function._graph_here(), self._value
        keys = list(key) if isinstance(key, tuple) else [key]
        named = sum(part is not None and part is not Ellipsis for part in keys)
        if named > value.rank:
            _fail(f"{named} indices for a tensor of rank {value.rank}")
        if not any(part is Ellipsis for part in keys):
            keys.append(Ellipsis)
        place = next(i for i, part in enumerate(keys) if part is Ellipsis)
        keys[place:place + 1] = [slice(None)] * (value.rank - named)
        removed, added, axis = [], [], 0
        for part in keys:
            if part is None:
                added.append(len(added) + axis - len(removed))
                continue
            start, end, step = _get_bounds(part, value.shape[axis])
            if not isinstance(part, slice):
                removed.append(axis)
            if not (same(start, 0) and same(end, value.shape[axis]) and step == 1):
                value = graph.slice(value, [axis], [start], [end], [step])
            axis += 1
        return self._wrap(graph.expand_dims(graph.squeeze(value, removed), added))


def _get_bounds(part, extent):
    if not isinstance(part, slice):
        start = size(part + extent) if isinstance(part, int) and part < 0 else part
        if isinstance(start, int) and isinstance(extent, int) and not 0 <= start < extent:
            _fail(f"index {part} is out of range for extent {extent}")
        return start, size(start + 1), 1
    step = 1 if part.step is None else part.step
    if not isinstance(step, int) or step < 1:
        _fail(f"a step is expected to be a number of 1 or more, actual {step}")
    bounds = []
    for bound, default in ((part.start, 0), (part.stop, extent)):
        bound = default if bound is None else size(bound + extent) if isinstance(bound, int) and bound < 0 else bound
        bounds.append(min(max(bound, 0), extent) if isinstance(bound, int) and isinstance(extent, int) else bound)
    start, end = bounds
    return start, max(start, end) if isinstance(start, int) and isinstance(end, int) else end, step


def _define(name, method, text):
    method.__name__, method.__doc__ = name, text
    setattr(Tensor, name, method)


for _name in _FLOATS + _NUMBERS:
    _define(_name, lambda self, _name=_name: self._unary(_name), f"Elementwise `{_name}`.")
for _name in ("sum", "prod", "mean", "max", "min", "any", "all"):
    _define(_name, lambda self, axis=None, keepdims=False, _name=_name: self._reduce(_name, axis, keepdims),
            f"`{_name}` along axes; without any along all.")
for _symbol, _name in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide"), ("mod", "mod"),
                       ("pow", "power")):
    _define(f"__{_symbol}__", lambda self, other, _name=_name: self._binary(_name, other), f"Elementwise `{_name}`.")
    _define(f"__r{_symbol}__", lambda self, other, _name=_name: self._binary(_name, other, True),
            f"Elementwise `{_name}`.")
for _symbol, _name in (("and", "and"), ("or", "or"), ("xor", "xor")):
    _define(f"__{_symbol}__", lambda self, other, _name=_name: self._binary(
        ("logical_" if self._value.dtype == "i1" else "bitwise_") + _name, other), f"Elementwise `{_name}`.")
for _symbol, _name in (("eq", "equal"), ("ne", "not_equal"), ("lt", "less"), ("le", "less_equal"), ("gt", "greater"),
                       ("ge", "greater_equal")):
    _define(f"__{_symbol}__", lambda self, other, _name=_name: self._binary(_name, other, False, "i1"),
            f"Elementwise `{_name}`.")
for _name in ("maximum", "minimum"):
    _define(_name, lambda self, other, _name=_name: self._binary(_name, other), f"Elementwise `{_name}`.")


def _get_type(dtype):
    name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    if name not in _TYPES:
        _fail(f"element type '{name}' is not supported")
    return _TYPES[name]


class Function:
    """A function under construction; see relax.function."""

    def __init__(self, name="main", facts=()):
        self._graph = Graph(name)
        self._graph.facts += [str(fact) for fact in facts]
        self._outputs, self._module, self._closed = {}, None, False

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self._graph.location = ""
            if not self._outputs:
                _fail(f"function '{self._graph.name}' has no output")
            text = self._graph.finish(list(self._outputs.values()), list(self._outputs))
            self._module = Module.parse(text, f"function {self._graph.name}")
        self._closed = True

    def _graph_here(self):
        if self._closed:
            _fail(f"function '{self._graph.name}' is finished")
        self._graph.location = _get_place()
        return self._graph

    @property
    def module(self) -> Module:
        """The module with the function; there when the block has ended."""
        if self._module is None:
            _fail(f"function '{self._graph.name}' is not finished")
        return self._module

    def input(self, name, shape, dtype="float32") -> Tensor:
        """A further input. Extents are ints and sizes; a symbol is bound by the first that shows it."""
        return Tensor(self, self._graph_here().add_input(name, _get_type(dtype), shape))

    def constant(self, value, dtype=None) -> Tensor:
        """A small array, or a number with its element type, as a tensor."""
        array = np.asarray(value, dtype)
        return Tensor(self, self._graph_here().array(array, _get_type(array.dtype)))

    def full(self, shape, value, dtype="float32") -> Tensor:
        """A tensor with one value everywhere."""
        return Tensor(self, self._graph_here().full(shape, value, _get_type(dtype)))

    def arange(self, extent, dtype="int64") -> Tensor:
        """0, 1, ... extent - 1."""
        return Tensor(self, self._graph_here().iota((extent,), 0, _get_type(dtype)))

    def concat(self, tensors, axis=0) -> Tensor:
        """The tensors one after the other along an axis."""
        return Tensor(self, self._graph_here().concat([tensor._value for tensor in tensors], *tensors[0]._axes(axis)))

    def where(self, condition, x, y) -> Tensor:
        """Elementwise choice; x or y may be a number."""
        like = x if isinstance(x, Tensor) else y
        return Tensor(self, self._graph_here().where(condition._value, like._other(x), like._other(y)))

    def output(self, *tensors, **named):
        """Adds results: `f.output(y)` is named result, keywords name others."""
        for i, tensor in enumerate(tensors):
            named = {("result" if len(tensors) == 1 else f"result{i}"): tensor, **named}
        for name, tensor in named.items():
            if name in self._outputs:
                _fail(f"there is an output '{name}' already")
            self._outputs[name] = tensor._value


def function(name="main", *, facts=()) -> Function:
    """A function to be built in a `with` block. facts: texts or comparisons of sizes, used and checked at entry."""
    return Function(name, facts)


class Pipeline:
    """Passes one after the other: texts as Module.run takes them, other pipelines, and functions of a module.

    A function may run passes on the module, or return another one. `+` joins pipelines.
    """

    def __init__(self, *steps):
        self.steps = []
        for step in steps:
            self.steps += step.steps if isinstance(step, Pipeline) else [step]

    def __add__(self, other):
        return Pipeline(self, other)

    def __repr__(self):
        return f"Pipeline({', '.join(step if isinstance(step, str) else step.__name__ for step in self.steps)})"

    def __call__(self, module, *, before=None, after=None) -> Module:
        """Runs on the module and returns it. before and after get the name of each pass and the module as text."""
        for step in self.steps:
            if isinstance(step, str):
                module.run(step, before=before, after=after)
                continue
            if before:
                before(step.__name__, str(module))
            module = step(module) or module
            module.verify()
            if after:
                after(step.__name__, str(module))
        return module
