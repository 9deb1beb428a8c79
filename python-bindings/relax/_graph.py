# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Graph functions written op by op: result types are inferred here, the compiler verifies them.

A `Graph` collects the text of one function. Its methods add one operation each, with the names and rules of the graph
dialect, and return a `Value`. Sizes are ints and `Expr`s.
"""
import struct

import numpy as np

from ._compiler import Expr, Prover, ceildiv, dim, expr, maximum
from ._errors import RelaxError

NUMPY_TYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "i1": "bool", "i8": "int8", "i16": "int16",
               "i32": "int32", "i64": "int64", "ui8": "uint8", "ui16": "uint16", "ui32": "uint32", "ui64": "uint64"}
INLINE_ELEMENTS = 64


def size(value):
    """An int where the size is a constant, else its Expr."""
    if isinstance(value, Expr) and not value.symbols:
        return int(value)
    return value


def parse_extent(text):
    """The size that the compiler's text says; None for '?'."""
    return None if text == "?" else size(expr(text))


def same(a, b):
    """Whether two sizes are equal for all values of their symbols."""
    if isinstance(a, int) or isinstance(b, int):
        return isinstance(a, int) and isinstance(b, int) and a == b
    return str(a) == str(b) or bool(a == b)


def product(sizes):
    result = 1
    for extent in sizes:
        result = size(result * extent)
    return result


def is_float(dtype):
    return "f" in dtype


def get_symbols(sizes):
    """The symbols of sizes, each once, in order."""
    return list(dict.fromkeys(name for extent in sizes if isinstance(extent, Expr) for name in extent.symbols))


def quote(text):
    """A string attribute."""
    escaped = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}" for byte in text.encode())
    return '"' + "".join(escaped) + '"'


def format_shape(shape):
    return "!relax.shape<[" + ", ".join(map(str, shape)) + "]>"


def format_exprs(sizes):
    return "[" + ", ".join(f"#relax_sym.expr<{extent}>" for extent in sizes) + "]"


def format_ints(values):
    return "array<i64: " + ", ".join(map(str, values)) + ">" if values else "array<i64>"


def format_tensor(dtype, shape):
    text = "tensor<" + "".join(f"{extent if isinstance(extent, int) else '?'}x" for extent in shape) + dtype
    if any(isinstance(extent, Expr) for extent in shape):
        text += ", #relax_sym.shape<[" + ", ".join(map(str, shape)) + "]>"
    return text + ">"


def format_number(value, dtype):
    """A scalar of the element type as an attribute spells it; floats keep their bits."""
    if dtype == "i1":
        return "true" if value else "false"
    if not is_float(dtype):
        return str(int(value))
    if dtype == "f64":
        return f"0x{struct.unpack('<Q', struct.pack('<d', float(value)))[0]:016X}"
    if dtype == "f16":
        return f"0x{int(np.float16(value).view(np.uint16)):04X}"
    with np.errstate(over="ignore"):
        bits = int(np.float32(value).view(np.uint32))
    if dtype == "bf16":
        # Rounded to nearest even; NaN stays NaN.
        bits = 0x7FC0 if value != value else (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        return f"0x{bits:04X}"
    return f"0x{bits:08X}"


def format_float(value):
    """A float attribute of 64 bits."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', float(value)))[0]:016X} : f64"


class Value:
    """A tensor of a function under construction."""

    __slots__ = ("graph", "name", "dtype", "shape")

    def __init__(self, graph, name, dtype, shape):
        self.graph, self.name, self.dtype, self.shape = graph, name, dtype, tuple(map(size, shape))

    @property
    def rank(self):
        return len(self.shape)

    @property
    def type(self):
        return format_tensor(self.dtype, self.shape)

    def __repr__(self):
        return f"{self.name}: {self.type}"


class Graph:
    """The text of one function of graph operations."""

    def __init__(self, name="main"):
        self.name, self.inputs, self.facts, self.location = name, [], [], ""
        self.symbols = {}  # name -> the shape value that shows it, and its type
        self._names, self._lines, self._weights, self._shapes, self._count, self._constants = [], [], [], {}, 0, {}
        self._programs = {}  # name -> the tensor program, and its text

    # ---- Values -------------------------------------------------------------------------------------------------

    def new_name(self):
        self._count += 1
        return f"%{self._count - 1}"

    def add_input(self, name, dtype, shape):
        value = Value(self, f"%arg{len(self.inputs)}", dtype, shape)
        self.inputs.append(value)
        self._names.append(name)
        self.show(value)
        return value

    def show(self, value):
        """Makes the symbols of a value's type known to later shapes."""
        new = [name for name in get_symbols(value.shape) if name not in self.symbols]
        if new:
            result, text = self.new_name(), format_shape(value.shape)
            self.add_line(f"{result} = relax.shape_of {value.name} : {value.type} -> {text}")
            self.symbols.update(dict.fromkeys(new, (result, text)))

    def make_shape(self, sizes):
        """A shape value: its name and its type."""
        sizes = tuple(map(size, sizes))
        text = format_shape(sizes)
        if text not in self._shapes:
            operands = self._get_providers(get_symbols(sizes))
            result = self.new_name()
            self.add_line(f"{result} = relax.make_shape {', '.join(name for name, _ in operands)} : "
                      f"({', '.join(shape for _, shape in operands)}) -> {text}")
            self._shapes[text] = result
        return self._shapes[text], text

    def _get_providers(self, symbols):
        for name in symbols:
            if name not in self.symbols:
                raise RelaxError(f"the size '{name}' is not an extent of an input", "invalid module")
        return list(dict.fromkeys(self.symbols[name] for name in symbols))

    def add_line(self, text):
        self._lines.append(f"  {text}{' ' + self.location if self.location else ''}")

    def op(self, mnemonic, operands, dtype, shape, attributes="", types=None, text=None):
        """Adds an operation with one result."""
        return self.ops(mnemonic, operands, [(dtype, shape)], attributes, types, text)[0]

    def ops(self, mnemonic, operands, results, attributes="", types=None, text=None):
        """Adds an operation. `types` are those of the operands, `text` their place, where those are not plain."""
        values = [Value(self, self.new_name(), dtype, shape) for dtype, shape in results]
        written = text if text is not None else ", ".join(operand.name for operand in operands)
        types = types if types is not None else [operand.type for operand in operands]
        made = ", ".join(value.type for value in values)
        self.add_line(f"{', '.join(value.name for value in values)} = relax.{mnemonic} {written}"
                  f"{' {' + attributes + '}' if attributes else ''} : ({', '.join(types)}) -> "
                  f"{made if len(values) == 1 else '(' + made + ')'}")
        return values

    def constant(self, value, dtype, shape=()):
        """A tensor with one value everywhere, of a static shape."""
        text = f"relax.constant dense<{format_number(value, dtype)}> : {format_tensor(dtype, shape)}"
        if text not in self._constants:
            self._constants[text] = Value(self, self.new_name(), dtype, shape)
            self.add_line(f"{self._constants[text].name} = {text}")
        return self._constants[text]

    def array(self, array, dtype=None):
        """A small array of numpy as an inline constant."""
        array = np.asarray(array)
        dtype = dtype or next(name for name, known in NUMPY_TYPES.items() if known == array.dtype.name)

        def nest(part):
            return "[" + ", ".join(map(nest, part)) + "]" if part.ndim else format_number(part.item(), dtype)

        text = nest(array) if array.size else ""
        value = Value(self, self.new_name(), dtype, array.shape)
        self.add_line(f"{value.name} = relax.constant dense<{text}> : {value.type}")
        return value

    def weight(self, dtype, shape, path, offset, size_in_bytes, digest):
        """A tensor whose bytes are in a file."""
        value = Value(self, self.new_name(), dtype, shape)
        name = f"@{self.name}_weight_{len(self._weights)}"
        self._weights.append(f"relax.weight_data {name} : {value.type} = "
                             f"#relax.blob<{quote(str(path))}, {offset}, {size_in_bytes}, \"{digest:08x}\">")
        self.add_line(f"{value.name} = relax.weight {name} : {value.type}")
        return value

    def add_program(self, program):
        """The name by which the function calls a tensor program (relax.tensor_program)."""
        name = base = program.__name__
        count = 0
        while name == self.name or (name in self._programs and self._programs[name][0] is not program):
            count += 1
            name = f"{base}_{count}"
        self._programs[name] = (program, program.get_text(name))
        return name

    def finish(self, outputs, names):
        """The text of the module's part: weights, tensor programs and the function."""
        inputs = ", ".join(f"{value.name}: {value.type} {{relax.name = {quote(name)}}}"
                           for value, name in zip(self.inputs, self._names))
        results = ", ".join(f"{value.type} {{relax.name = {quote(name)}}}" for value, name in zip(outputs, names))
        facts = ", ".join(quote(str(fact)) for fact in dict.fromkeys(self.facts))
        scope = f" attributes {{relax_sym.scope = #relax_sym.scope<{facts}>}}" if self.symbols or facts else ""
        end = f"  return {', '.join(value.name for value in outputs)} : {', '.join(value.type for value in outputs)}"
        end = end if outputs else "  return"
        programs = [text for _, text in self._programs.values()]
        return "\n".join([*self._weights, *programs, f"func.func @{self.name}({inputs}) -> ({results}){scope} {{",
                          *self._lines, end, "}"]) + "\n"

    # ---- Elementwise --------------------------------------------------------------------------------------------

    def unary(self, mnemonic, x, attributes=""):
        return self.op(mnemonic, [x], x.dtype, x.shape, attributes) if mnemonic in _FUNCTIONAL else self._unary(
            mnemonic, x, x.dtype)

    def _unary(self, mnemonic, x, dtype):
        value = Value(self, self.new_name(), dtype, x.shape)
        self.add_line(f"{value.name} = relax.{mnemonic} {x.name} : {x.type} -> {value.type}")
        return value

    def predicate(self, mnemonic, x):
        return self._unary(mnemonic, x, "i1")

    def broadcast(self, *values):
        """The values, with a check where extents are not known to be equal, and the shape of an elementwise result."""
        rank, values = max(value.rank for value in values), list(values)
        shape = []
        for axis in range(-rank, 0):
            extents = [value.shape[axis] for value in values if value.rank >= -axis and not same(value.shape[axis], 1)]
            # Extents that are told to be equal are compared when the function runs, with a constant if there is one.
            extent = next((one for one in extents if isinstance(one, int)), extents[0] if extents else 1)
            values = [value if value.rank < -axis or same(value.shape[axis], 1) else self.refine(value, axis, extent)
                      for value in values]
            shape.append(extent)
        return values, tuple(shape)

    def refine(self, x, axis, extent):
        """The value with another expression for an extent, compared when the function runs."""
        if x.rank < -axis or same(x.shape[axis], extent):
            return x
        shape = list(x.shape)
        shape[axis] = extent
        value = Value(self, self.new_name(), x.dtype, shape)
        self.add_line(f"{value.name} = relax.match_cast {x.name} : {x.type} to {value.type}")
        return value

    def elementwise(self, mnemonic, operands, dtype=None):
        operands, shape = self.broadcast(*operands)
        return self.op(mnemonic, operands, dtype or operands[-1].dtype, shape)

    def binary(self, mnemonic, a, b):
        return self.elementwise(mnemonic, [a, b])

    def compare(self, mnemonic, a, b):
        return self.elementwise(mnemonic, [a, b], "i1")

    def where(self, condition, x, y):
        return self.elementwise("where", [condition, x, y])

    def astype(self, x, dtype):
        return x if x.dtype == dtype else self.op("astype", [x], dtype, x.shape, f"dtype = {dtype}")

    # ---- Reductions ---------------------------------------------------------------------------------------------

    def reduce(self, mnemonic, x, axes, keepdims=False, more=""):
        shape = [1 if axis in axes else extent for axis, extent in enumerate(x.shape) if keepdims or axis not in axes]
        return self.op(mnemonic, [x], x.dtype, shape,
                       f"axes = {format_ints(sorted(axes))}{', keepdims' if keepdims else ''}{more}")

    def arg_reduce(self, mnemonic, x, axis, keepdims=False):
        shape = [1 if i == axis else extent for i, extent in enumerate(x.shape) if keepdims or i != axis]
        return self.op(mnemonic, [x], "i64", shape, f"axis = {axis} : i64{', keepdims' if keepdims else ''}")

    def scan(self, mnemonic, x, axis, more=""):
        return self.op(mnemonic, [x], x.dtype, x.shape, f"axis = {axis} : i64{more}")

    def along(self, mnemonic, x, axis, dtype=None, more=""):
        """An op along an axis that keeps the shape: softmax, argsort, sort."""
        return self.op(mnemonic, [x], dtype or x.dtype, x.shape, f"axis = {axis} : i64{more}")

    # ---- Moving elements ----------------------------------------------------------------------------------------

    def reshape(self, x, shape):
        shape = tuple(map(size, shape))
        if len(shape) == x.rank and all(map(same, shape, x.shape)):
            return x
        name, kind = self.make_shape(shape)
        return self.op("reshape", [x], x.dtype, shape, "", [x.type, kind], f"{x.name}, {name}")

    def broadcast_to(self, x, shape):
        shape = tuple(map(size, shape))
        if len(shape) == x.rank and all(map(same, shape, x.shape)):
            return x
        for axis in range(-x.rank, 0):
            if not same(x.shape[axis], 1):
                x = self.refine(x, axis, shape[axis])
        name, kind = self.make_shape(shape)
        return self.op("broadcast_to", [x], x.dtype, shape, "", [x.type, kind], f"{x.name}, {name}")

    def permute(self, x, order):
        if list(order) == list(range(x.rank)):
            return x
        return self.op("permute_dims", [x], x.dtype, [x.shape[axis] for axis in order],
                       f"permutation = {format_ints(order)}")

    def expand_dims(self, x, axes):
        if not axes:
            return x
        shape = list(x.shape)
        for axis in sorted(axes):
            shape.insert(axis, 1)
        return self.op("expand_dims", [x], x.dtype, shape, f"axes = {format_ints(sorted(axes))}")

    def squeeze(self, x, axes):
        if not axes:
            return x
        return self.op("squeeze", [x], x.dtype, [extent for axis, extent in enumerate(x.shape) if axis not in axes],
                       f"axes = {format_ints(sorted(axes))}")

    def shape_operand(self, x, sizes):
        """Types and text of an optional shape that shows the symbols which the operand does not."""
        if set(get_symbols(sizes)) <= set(get_symbols(x.shape)):
            return [x.type], x.name
        # A bound may be negative where a shape may not: what shows its symbols is enough.
        name, kind = self.make_shape([dim(name) for name in get_symbols(sizes)])
        return [x.type, kind], f"{x.name} shape({name})"

    def slice(self, x, axes, starts, ends, strides=None):
        """Bounds are clamped already."""
        strides, shape = strides or [1] * len(axes), list(x.shape)
        for axis, start, end, stride in zip(axes, starts, ends, strides):
            length = end - start if stride > 0 else start - end
            shape[axis] = length if abs(stride) == 1 else size(ceildiv(expr(length), abs(stride)))
        types, text = self.shape_operand(x, [*starts, *ends])
        return self.op("slice", [x], x.dtype, shape,
                       f"axes = {format_ints(axes)}, starts = {format_exprs(starts)}, ends = {format_exprs(ends)}, "
                       f"strides = {format_ints(strides)}", types, text)

    def concat(self, values, axis):
        if len(values) == 1:
            return values[0]
        shape = list(values[0].shape)
        parts = [values[0]]
        for value in values[1:]:
            for other, extent in enumerate(shape):
                if other != axis and not same(value.shape[other], extent):
                    value = self.refine(value, other - value.rank, extent)
            parts.append(value)
        total = parts[0].shape[axis]
        for value in parts[1:]:
            total = total + value.shape[axis]
        shape[axis] = total
        return self.op("concat", parts, parts[0].dtype, shape, f"axis = {axis} : i64")

    def take(self, x, indices, axis):
        return self.op("take", [x, indices], x.dtype, x.shape[:axis] + indices.shape + x.shape[axis + 1:],
                       f"axis = {axis} : i64")

    def pad(self, x, low, high, value=None, mode="constant"):
        shape = [a + extent + b for a, extent, b in zip(low, x.shape, high)]
        types, text = self.shape_operand(x, [*low, *high])
        if value is not None:
            types, text = [*types, value.type], f"{text} value({value.name})"
        return self.op("pad", [x], x.dtype, shape,
                       f"low = {format_exprs(low)}, high = {format_exprs(high)}, mode = \"{mode}\"", types, text)

    def tile(self, x, repeats):
        types, text = self.shape_operand(x, repeats)
        return self.op("tile", [x], x.dtype, [a * b for a, b in zip(x.shape, repeats)],
                       f"repeats = {format_exprs(repeats)}", types, text)

    def repeat(self, x, axis, repeats):
        types, text = self.shape_operand(x, [repeats])
        shape = list(x.shape)
        shape[axis] = shape[axis] * repeats
        return self.op("repeat", [x], x.dtype, shape,
                       f"axis = {axis} : i64, repeats = #relax_sym.expr<{repeats}>", types, text)

    # ---- Creation -----------------------------------------------------------------------------------------------

    def full(self, shape, value, dtype):
        shape = tuple(map(size, shape))
        if not get_symbols(shape):
            return self.constant(value, dtype, shape)
        name, kind = self.make_shape(shape)
        number = format_number(value, dtype)
        return self.op("full", [], dtype, shape, "", [kind], f"{name}, {number}" + ("" if dtype == "i1" else
                                                                                      f" : {dtype}"))

    def iota(self, shape, axis, dtype):
        name, kind = self.make_shape(shape)
        return self.op("iota", [], dtype, shape, f"axis = {axis} : i64, dtype = {dtype}", [kind], name)

    def from_size(self, extent, dtype="i64"):
        """A scalar tensor with the value of a size."""
        if isinstance(extent, int):
            return self.constant(extent, dtype)
        lower, _ = Prover(self.facts).bounds(extent)
        if lower is not None and lower >= 0:
            return self.astype(self._from_shape(extent), dtype)
        # A shape has no negative entries: the parts above and below zero.
        above, below = self._from_shape(maximum(extent, 0)), self._from_shape(maximum(0 - extent, 0))
        return self.astype(self.binary("subtract", above, below), dtype)

    def _from_shape(self, extent):
        if not isinstance(size(extent), Expr):
            return self.constant(size(extent), "i64")
        name, kind = self.make_shape([extent])
        value = Value(self, self.new_name(), "i64", (1,))
        self.add_line(f"{value.name} = relax.shape_to_tensor {name} : {kind} -> {value.type}")
        return self.reshape(value, ())

    def bind_size(self, x, symbol):
        """Gives a symbol the value of a tensor with one integer, which may not be negative."""
        vector = self.astype(self.reshape(x, (1,)), "i64")
        result, kind = self.new_name(), format_shape([symbol])
        self.add_line(f"{result} = relax.tensor_to_shape {vector.name} binds [{symbol}] : {vector.type} -> {kind}")
        self.symbols[str(symbol)] = (result, kind)

    # ---- Products -----------------------------------------------------------------------------------------------

    def matmul(self, a, b):
        inner = a.shape[-1]
        b = self.refine(b, -1 if b.rank == 1 else -2, inner)
        rows, columns = a.shape[-2:-1], b.shape[-1:] if b.rank > 1 else ()
        batch = ()
        if a.rank > 2 or b.rank > 2:
            left, right = Value(self, "", a.dtype, a.shape[:-2]), Value(self, "", b.dtype, b.shape[:-2])
            rank = max(left.rank, right.rank)
            for axis in range(-rank, 0):
                x = left.shape[axis] if left.rank >= -axis else 1
                y = right.shape[axis] if right.rank >= -axis else 1
                if not same(x, 1) and not same(y, 1) and not same(x, y):
                    b = self.refine(b, axis - 2, x)
                    y = x
                batch += (y if same(x, 1) else x,)
        return self.op("matmul", [a, b], a.dtype, batch + rows + columns)


_FUNCTIONAL = {"gelu", "silu", "leaky_relu", "elu", "selu", "celu", "hard_sigmoid", "hard_swish", "hard_tanh",
               "softplus", "softsign", "mish", "thresholded_relu", "flip", "tril", "triu"}
