#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Random valid modules of graph IR: symbolic sizes with facts, control flow, calls, sizes found while running, mixed types.

  relax-random --seed 7 --size 20            one module on standard output
  relax-random --seed 7 --size 5             the same, after its first 5 steps: shrinking by hand
  relax-random --validate 0:500              every seed through the default pipeline under relax-opt --relax-validate
  relax-random --validate 0:500 --orders     every seed through passes in a random order of its own
"""
import argparse
import collections
import os
import pathlib
import random
import subprocess
import sys

from relax_random_nn import NeuralSteps
from relax_random_ops import OpSteps, array
from relax_random_types import FLOATS, INTS, TypeSteps, is_float, is_int
from relax_random_validate import random_pipeline, report, validate


class Dim:
    """An extent: a sum of products of symbols. Equal extents compare equal."""

    def __init__(self, terms):
        self.terms = {key: value for key, value in terms.items() if value}

    @staticmethod
    def of(value):
        return value if isinstance(value, Dim) else Dim({(): value} if isinstance(value, int) else {(value,): 1})

    def __add__(self, other):
        terms = dict(self.terms)
        for key, value in Dim.of(other).terms.items():
            terms[key] = terms.get(key, 0) + value
        return Dim(terms)

    def __mul__(self, other):
        terms = {}
        for a, x in self.terms.items():
            for b, y in Dim.of(other).terms.items():
                key = tuple(sorted(a + b))
                terms[key] = terms.get(key, 0) + x * y
        return Dim(terms)

    def constant(self):
        """The value when no symbol is in it."""
        return self.terms.get((), 0) if set(self.terms) <= {()} else None

    def symbols(self):
        return sorted({name for key in self.terms for name in key})

    def __eq__(self, other):
        return isinstance(other, Dim) and self.terms == other.terms

    def __hash__(self):
        return hash(tuple(sorted(self.terms.items())))

    def __str__(self):
        if not self.terms:
            return "0"
        return " + ".join(" * ".join([*key, *([str(value)] if value != 1 or not key else [])]) for key, value in sorted(self.terms.items()))


def tensor(element, dims):
    """The type; an extent may be None."""
    if not any(dim is not None and dim.constant() is None for dim in dims):
        return "tensor<" + "".join(f"{'?' if dim is None else dim.constant()}x" for dim in dims) + element + ">"
    shape = ", ".join("?" if dim is None else str(dim) for dim in dims)
    sizes = "".join("?x" if dim is None or dim.constant() is None else f"{dim.constant()}x" for dim in dims)
    return f"tensor<{sizes}{element}, #relax_sym.shape<[{shape}]>>"


class Value:
    def __init__(self, name, element, dims):
        self.name, self.element, self.dims = name, element, tuple(dims)

    @property
    def type(self):
        return tensor(self.element, self.dims)

    def is_known(self):
        return None not in self.dims


class Function(NeuralSteps, OpSteps, TypeSteps):
    """A function that grows by one step after the other; the steps of a seed are the same for every size."""

    Dim, Value, Shape = Dim, Value, collections.namedtuple("Shape", ["name", "type"])

    def __init__(self, seed, name, module, depth=0):
        self.random, self.name, self.module, self.depth = random.Random(f"{seed} {name}"), name, module, depth
        self.arguments, self.values, self.lines, self.count, self.bound = [], [], [], 0, 0
        self.stored, self.indent = [], "  "  # results that no other step takes
        self.facts = self.random.sample(['"n >= 1"', '"m <= n + 4"', '"m mod 2 == 0"', '"k <= 7"', '"n <= 4096"'], self.random.choice([0, 0, 1, 2]))
        n, m, k = Dim.of("n"), Dim.of("m"), Dim.of("k")
        pick = self.random.choice
        self.argument(pick(["f32", "f32", "f16", "bf16"]), [n, pick([Dim.of(4), m])])
        self.argument("f32", [m, n])
        self.argument(pick(INTS), pick([[n], [n, Dim.of(4)], [m]]))
        if pick([0, 1]):
            self.argument("f32", pick([[k], [k, m * 2], [n + m, Dim.of(3)], []]))

    # Values -----------------------------------------------------------------------------------------------------------

    def argument(self, element, dims):
        value = Value(f"%a{len(self.arguments)}", element, dims)
        self.arguments.append(value)
        self.values.append(value)
        return value

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text):
        self.lines.append(self.indent + text)

    def op(self, text, operands, element, dims, attrs="", keep=True):
        """A line `%v = relax.TEXT(operands)`; the new value."""
        value = Value(self.fresh(), element, dims)
        names, types = ", ".join(o.name for o in operands), ", ".join(o.type for o in operands)
        self.emit(f"{value.name} = relax.{text} {names}{' {' + attrs + '}' if attrs else ''} : ({types}) -> {value.type}")
        if keep:
            self.values.append(value)
        return value

    def unary(self, name, x, keep=True):
        value = Value(self.fresh(), x.element, x.dims)
        self.emit(f"{value.name} = relax.{name} {x.name} : {x.type}")
        if keep:
            self.values.append(value)
        return value

    def constant(self, text, element, dims):
        value = Value(self.fresh(), element, [Dim.of(d) for d in dims])
        self.emit(f"{value.name} = relax.constant dense<{text}> : {value.type}")
        return value

    def number(self, x, element):
        return self.constant(f"{x}.0" if is_float(element) else str(x), element, [])

    def pick(self, *conditions):
        """A value, new ones preferred."""
        fitting = [v for v in self.values if all(condition(v) for condition in conditions)]
        if not fitting:
            return None
        return self.random.choice(fitting[-4:] if self.random.random() < 0.6 else fitting)

    def symbol(self):
        self.bound += 1
        return f"u{self.bound}"

    def shape_of(self, x):
        name, dims = self.fresh(), ", ".join("?" if d is None else str(d) for d in x.dims)
        self.emit(f"{name} = relax.shape_of {x.name} : {x.type} -> !relax.shape<[{dims}]>")
        return name, f"!relax.shape<[{dims}]>"

    def shape(self, dims):
        """A shape value with these entries, or None when a symbol is nowhere to be seen."""
        shapes = []
        for symbol in sorted({s for d in dims for s in d.symbols()}):
            showing = [v for v in self.values if any(d is not None and d == Dim.of(symbol) for d in v.dims)]
            if not showing:
                return None
            shapes.append(self.shape_of(showing[0]))
        name, result = self.fresh(), f"!relax.shape<[{', '.join(map(str, dims))}]>"
        operands = " " + ", ".join(s[0] for s in shapes) if shapes else ""
        self.emit(f"{name} = relax.make_shape{operands} : ({', '.join(s[1] for s in shapes)}) -> {result}")
        return name, result

    def tame(self, x):
        """Values stay small, so that comparing them says something."""
        if not is_float(x.element) or not x.is_known():
            return x
        self.values.remove(x)
        high, low = self.number(4, x.element), self.number(-4, x.element)
        return self.op("maximum", [self.op("minimum", [x, high], x.element, x.dims, keep=False), low], x.element, x.dims)

    # Steps: each emits something or returns without doing so ------------------------------------------------------------

    def step_unary(self):
        x = self.pick()
        if x.element == "i1":
            return self.unary("logical_not", x)
        if is_int(x.element):
            return self.unary(self.random.choice(["abs", "negate", "relu", "sign"]), x)
        name = self.random.choice(["abs", "ceil", "cos", "erf", "exp", "floor", "log", "negate", "reciprocal", "relu", "round",
                                   "rsqrt", "sigmoid", "sign", "sin", "sqrt", "tanh"])
        result = self.unary(name, x)
        return self.tame(result) if name in ("exp", "reciprocal", "rsqrt", "log") else result

    def partner(self, x):
        """A value that can be broadcast with x."""
        if self.random.random() < 0.3:
            return self.number(self.random.choice([0, 1, 2, 3]), x.element) if x.element != "i1" else None
        one = Dim.of(1)

        def fits(y):
            pairs = list(zip(reversed(x.dims), reversed(y.dims)))
            return y.element == x.element and y.is_known() and all(a == b or a == one or b == one for a, b in pairs)

        return self.pick(fits)

    def broadcast(self, x, y):
        long, short = (x.dims, y.dims) if len(x.dims) >= len(y.dims) else (y.dims, x.dims)
        short = (Dim.of(1),) * (len(long) - len(short)) + tuple(short)
        return [b if a == Dim.of(1) else a for a, b in zip(long, short)]

    def step_binary(self):
        x = self.pick(Value.is_known)
        y = self.partner(x)
        if y is None:
            return None
        dims = self.broadcast(x, y)
        if self.random.random() < 0.2:
            return self.op(self.random.choice(["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]), [x, y], "i1", dims)
        if x.element == "i1":
            return self.op(self.random.choice(["logical_and", "logical_or"]), [x, y], "i1", dims)
        name = self.random.choice(["add", "subtract", "multiply", "maximum", "minimum", "divide", "mod", "power"])
        # A zero that is there at every size would make every run an error.
        varies = y in self.arguments and any(dim.constant() is None for dim in y.dims)
        if name in ("divide", "mod", "power") and is_int(x.element) and (self.random.random() < 0.9 or not varies):
            y = self.op("maximum", [self.unary("abs", y, keep=False), self.number(1, x.element)], y.element, y.dims, keep=False)
        result = self.op(name, [x, y], x.element, dims)
        return self.tame(result) if name in ("multiply", "divide", "power") else result

    def step_runtime_broadcast(self):
        """Two extents that only run time compares."""
        x = self.pick(Value.is_known, lambda v: len(v.dims) == 1 and v.element != "i1")
        # What always differs by the same would make every run an error.
        y = x and self.pick(Value.is_known, lambda v: len(v.dims) == 1 and v.element == x.element and
                            (v.dims[0] + x.dims[0] * -1).constant() is None)
        if not y or x.dims[0].constant() is not None or y.dims[0].constant() is not None:
            return None
        return self.name_extents(self.op("add", [x, y], x.element, [None], keep=False))

    def name_extents(self, x):
        """match_cast binds what is unknown."""
        binds, dims = [], []
        for dim in x.dims:
            if dim is None:
                binds.append(self.symbol())
            dims.append(Dim.of(binds[-1]) if dim is None else dim)
        value = Value(self.fresh(), x.element, dims)
        self.emit(f"{value.name} = relax.match_cast {x.name} binds [{', '.join(binds)}] : {x.type} to {value.type}")
        self.values.append(value)
        return value

    def step_where(self):
        c = self.pick(Value.is_known, lambda v: v.element == "i1")
        x = c and self.pick(lambda v: v.dims == c.dims)
        y = x and self.partner(x)
        if not y:
            return None
        return self.op("where", [c, x, y], x.element, self.broadcast(x, y))

    def step_astype(self):
        x = self.pick()
        element = self.random.choice(FLOATS + INTS + ["i1"])
        return self.op("astype", [x], element, x.dims, f"dtype = {element}")

    def step_reduce(self):
        x = self.pick(lambda v: v.element != "i1" and v.dims)
        if not x:
            return None
        axes = sorted(self.random.sample(range(len(x.dims)), self.random.randint(0, len(x.dims))))
        keep = self.random.random() < 0.5
        dims = [Dim.of(1) if i in axes else d for i, d in enumerate(x.dims) if keep or i not in axes]
        name = self.random.choice(["sum", "max", "min", "prod"] + ["mean"] * is_float(x.element))
        result = self.op(name, [x], x.element, dims, f"axes = {array(axes)}{', keepdims' if keep else ''}")
        return self.tame(result) if name == "prod" else result

    def step_matmul(self):
        x = self.pick(Value.is_known, lambda v: v.element != "i1" and len(v.dims) == 2)
        y = x and self.pick(Value.is_known, lambda v: v.element == x.element and len(v.dims) == 2 and v.dims[0] == x.dims[1])
        if not x:
            return None
        if not y and not self.returns(x):
            return None  # an argument cannot have a size that is found while running
        if not y:
            y = self.argument(x.element, [x.dims[1], Dim.of(self.random.choice([1, 3]))])
        return self.op("matmul", [x, y], x.element, [x.dims[0], y.dims[1]])

    def step_conv(self):
        x = self.pick(Value.is_known, lambda v: v.element != "i1" and len(v.dims) == 2)
        if not x:
            return None
        last = len(self.values) % 3 == 0  # channels last
        axis = 2 if last else 1
        dims = [x.dims[0], x.dims[1]]
        dims.insert(axis, Dim.of(1))
        x = self.op("expand_dims", [x], x.element, dims, f"axes = {array([axis])}", keep=False)
        w = self.argument(x.element, [Dim.of(2), Dim.of(1), Dim.of(3)])
        dims = list(dims)
        dims[axis] = Dim.of(2)
        return self.op("conv_channels_last" if last else "conv", [x, w], x.element, dims,
                       f"strides = {array([1])}, pads = {array([1, 1])}, dilations = {array([1])}, groups = 1 : i64")

    def step_permute(self):
        x = self.pick(lambda v: len(v.dims) >= 2)
        if not x:
            return None
        order = self.random.sample(range(len(x.dims)), len(x.dims))
        return self.op("permute_dims", [x], x.element, [x.dims[i] for i in order], f"permutation = {array(order)}")

    def step_expand_or_squeeze(self):
        x = self.pick(Value.is_known)
        ones = [i for i, d in enumerate(x.dims) if d == Dim.of(1)]
        if ones and self.random.random() < 0.6:
            axis = self.random.choice(ones)
            return self.op("squeeze", [x], x.element, [d for i, d in enumerate(x.dims) if i != axis], f"axes = {array([axis])}")
        if len(x.dims) > 3:
            return None
        axis = self.random.randint(0, len(x.dims))
        dims = list(x.dims)
        dims.insert(axis, Dim.of(1))
        return self.op("expand_dims", [x], x.element, dims, f"axes = {array([axis])}")

    def with_shape(self, name, x, dims):
        shape = self.shape(dims)
        if not shape:
            return None
        value = Value(self.fresh(), x.element, dims)
        self.emit(f"{value.name} = relax.{name} {x.name}, {shape[0]} : ({x.type}, {shape[1]}) -> {value.type}")
        self.values.append(value)
        return value

    def step_reshape(self):
        x = self.pick(Value.is_known)
        if len(x.dims) < 2:
            return self.with_shape("reshape", x, [Dim.of(1), *x.dims] if self.random.random() < 0.5 else [*x.dims, Dim.of(1)])
        at = self.random.randint(0, len(x.dims) - 2)
        return self.with_shape("reshape", x, [*x.dims[:at], x.dims[at] * x.dims[at + 1], *x.dims[at + 2:]])

    def step_broadcast_to(self):
        x = self.pick(Value.is_known, lambda v: len(v.dims) < 3)
        if not x:
            return None
        target = self.pick(Value.is_known, lambda v: len(v.dims) == 1)
        front = target.dims[0] if target else Dim.of(2)
        return self.with_shape("broadcast_to", x, [front, *x.dims])

    def step_concat(self):
        x = self.pick(Value.is_known, lambda v: v.dims)
        if not x:
            return None
        axis = self.random.randrange(len(x.dims))
        rest = [d for i, d in enumerate(x.dims) if i != axis]
        y = self.pick(Value.is_known, lambda v: v.element == x.element and len(v.dims) == len(x.dims)
                      and [d for i, d in enumerate(v.dims) if i != axis] == rest)
        parts = [x, y] if self.random.random() < 0.8 else [x, y, x]
        total = Dim.of(0)
        for part in parts:
            total = total + part.dims[axis]
        return self.op("concat", parts, x.element, [*x.dims[:axis], total, *x.dims[axis + 1:]], f"axis = {axis} : i64")

    def step_slice(self):
        x = self.pick(Value.is_known, lambda v: v.dims)
        if not x:
            return None
        axis = self.random.randrange(len(x.dims))
        n = x.dims[axis]
        start, end, stride, extent = self.random.choice([
            ("0", f"min({n}, 2)", 1, f"min({n}, 2)"), (f"{n} - 1", "-1", -1, str(n)), ("0", str(n), 2, f"({n}) ceildiv 2"),
            (f"({n}) floordiv 2", str(n), 1, f"{n} - ({n}) floordiv 2")])
        if n.constant() is not None:
            extent = str(eval(extent.replace("floordiv", "//").replace(f"({n}) ceildiv 2", f"-(-{n} // 2)")))
        result = Value(self.fresh(), x.element, x.dims)
        shape = ", ".join(extent if i == axis else str(d) for i, d in enumerate(x.dims))
        symbolic = any(d.constant() is None for d in x.dims)
        sizes = "".join((extent if n.constant() is not None else "?") + "x" if i == axis else f"{'?' if d.constant() is None else d.constant()}x"
                        for i, d in enumerate(x.dims))
        type = f"tensor<{sizes}{x.element}{f', #relax_sym.shape<[{shape}]>' if symbolic else ''}>"
        self.emit(f"{result.name} = relax.slice {x.name} {{axes = {array([axis])}, starts = [#relax_sym.expr<{start}>], "
                  f"ends = [#relax_sym.expr<{end}>], strides = {array([stride])}}} : ({x.type}) -> {type}")
        if n.constant() is not None:
            return self.values.append(Value(result.name, x.element, [Dim.of(int(extent)) if i == axis else d for i, d in enumerate(x.dims)]))
        if stride == -1:
            return self.values.append(result)
        # Another name for an extent that is not a sum of products.
        dims = [None if i == axis else d for i, d in enumerate(x.dims)]
        erased = Value(self.fresh(), x.element, dims)
        self.emit(f"{erased.name} = relax.erase_shape {result.name} : {type} to {erased.type}")
        return self.name_extents(erased)

    def step_take(self):
        x = self.pick(lambda v: any(d is not None and (d.constant() or 0) > 0 for d in v.dims))
        if not x:
            return None
        axis = self.random.choice([i for i, d in enumerate(x.dims) if d is not None and (d.constant() or 0) > 0])
        numbers = [self.random.randrange(x.dims[axis].constant()) for _ in range(self.random.choice([1, 2, 3]))]
        indices = self.constant(str(numbers), "i64", [len(numbers)])
        return self.op("take", [x, indices], x.element, [*x.dims[:axis], *indices.dims, *x.dims[axis + 1:]], f"axis = {axis} : i64")

    def step_full(self):
        x = self.pick(Value.is_known)
        shape = self.shape(list(x.dims))
        if not shape:
            return None
        element = self.random.choice(FLOATS + INTS)
        value = Value(self.fresh(), element, x.dims)
        number = f"{self.random.choice(['1.5', '-2.0', '0.0'])}" if is_float(element) else str(self.random.choice([0, 1, 3]))
        self.emit(f"{value.name} = relax.full {shape[0]}, {number} : {element} : ({shape[1]}) -> {value.type}")
        self.values.append(value)
        return value

    def step_unique(self):
        x = self.pick(lambda v: not is_float(v.element))  # rounding decides how many floats differ
        if not x:
            return None
        value = Value(self.fresh(), x.element, [Dim.of(self.symbol())])
        self.emit(f"{value.name} = relax.unique {x.name} binds [{value.dims[0]}] : ({x.type}) -> {value.type}")
        self.values.append(value)
        return value

    def step_shape_from_tensor(self):
        """A size computed in a tensor."""
        x = self.pick(Value.is_known, lambda v: len(v.dims) == 1)
        if not x:
            return None
        shape, type = self.shape_of(x)
        sizes = Value(self.fresh(), "i64", [Dim.of(1)])
        self.emit(f"{sizes.name} = relax.shape_to_tensor {shape} : {type} -> {sizes.type}")
        more = self.op("add", [sizes, self.number(self.random.choice([0, 1]), "i64")], "i64", sizes.dims, keep=False)
        symbol, found = self.symbol(), self.fresh()
        self.emit(f"{found} = relax.tensor_to_shape {more.name} binds [{symbol}] : {more.type} -> !relax.shape<[{symbol}]>")
        value = Value(self.fresh(), "f32", [Dim.of(symbol)])
        self.emit(f"{value.name} = relax.full {found}, 1.0 : f32 : (!relax.shape<[{symbol}]>) -> {value.type}")
        self.values.append(value)
        return value

    def step_erase(self):
        x = self.pick(Value.is_known, lambda v: any(d.constant() is None for d in v.dims))
        if not x:
            return None
        axis = self.random.choice([i for i, d in enumerate(x.dims) if d.constant() is None])
        erased = Value(self.fresh(), x.element, [None if i == axis else d for i, d in enumerate(x.dims)])
        self.emit(f"{erased.name} = relax.erase_shape {x.name} : {x.type} to {erased.type}")
        return self.name_extents(erased)

    # Regions ------------------------------------------------------------------------------------------------------------

    def region(self, steps, result):
        """Steps inside of braces; the last value of the type of `result`, or itself."""
        values, arguments = list(self.values), len(self.arguments)
        self.values = [v for v in values if v is not result] + [result]
        self.indent += "  "
        for _ in range(steps):
            getattr(self, self.random.choice(["step_unary", "step_binary", "step_permute", "step_reduce", "step_astype"]))()
        found = [v for v in self.values if v.type == result.type][-1]
        self.indent = self.indent[:-2]
        self.values = values + self.arguments[arguments:]
        return found

    def condition(self):
        """An i1 that depends on a size or on an element."""
        x = self.pick(lambda v: len(v.dims) >= 1)
        index, extent, limit, name = self.fresh(), self.fresh(), self.fresh(), self.fresh()
        axis = self.random.randrange(len(x.dims))
        if x.dims[axis] is not None and self.random.random() < 0.3:
            shape, type = self.shape_of(x)
            self.emit(f"{extent} = relax.eval_expr {shape}, {x.dims[axis]} : {type} -> index")
        else:
            self.emit(f"{index} = arith.constant {axis} : index")
            self.emit(f"{extent} = tensor.dim {x.name}, {index} : {x.type}")
        self.emit(f"{limit} = arith.constant {self.random.choice([1, 2, 3])} : index")
        self.emit(f"{name} = arith.cmpi {self.random.choice(['slt', 'sgt', 'eq'])}, {extent}, {limit} : index")
        return name

    def step_if(self):
        x = self.pick()
        condition = self.condition()
        value = Value(self.fresh(), x.element, x.dims)
        self.emit(f"{value.name} = scf.if {condition} -> ({value.type}) {{")
        one = self.region(2, x)
        self.emit(f"  scf.yield {one.name} : {value.type}")
        self.emit("} else {")
        other = self.region(2, x)
        self.emit(f"  scf.yield {other.name} : {value.type}")
        self.emit("}")
        self.values.append(value)
        return value

    def step_for(self):
        x = self.pick()
        value, carried = Value(self.fresh(), x.element, x.dims), Value(self.fresh(), x.element, x.dims)
        zero, one, times, i = (self.fresh() for _ in range(4))
        self.emit(f"{zero} = arith.constant 0 : index")
        self.emit(f"{one} = arith.constant 1 : index")
        self.emit(f"{times} = arith.constant {self.random.choice([0, 1, 3])} : index")
        self.emit(f"{value.name} = scf.for {i} = {zero} to {times} step {one} iter_args({carried.name} = {x.name}) -> ({value.type}) {{")
        found = self.region(2, carried)
        self.emit(f"  scf.yield {found.name} : {value.type}")
        self.emit("}")
        self.values.append(value)
        return value

    def step_growing_loop(self):
        x = self.pick(Value.is_known, lambda v: len(v.dims) == 1)
        if not x:
            return None
        unknown, inside = Value(self.fresh(), x.element, [None]), Value(self.fresh(), x.element, [Dim.of(self.symbol())])
        self.emit(f"{unknown.name} = relax.erase_shape {x.name} : {x.type} to {unknown.type}")
        result, carried = Value(self.fresh(), x.element, [None]), self.fresh()
        zero, one, times, i, joined, erased = (self.fresh() for _ in range(6))
        self.emit(f"{zero} = arith.constant 0 : index")
        self.emit(f"{one} = arith.constant 1 : index")
        self.emit(f"{times} = arith.constant {self.random.choice([0, 1, 2])} : index")
        self.emit(f"{result.name} = scf.for {i} = {zero} to {times} step {one} iter_args({carried} = {unknown.name}) -> ({unknown.type}) {{")
        grown = Value(joined, x.element, [inside.dims[0] + x.dims[0]])
        self.emit(f"  {inside.name} = relax.match_cast {carried} binds [{inside.dims[0]}] : {unknown.type} to {inside.type}")
        self.emit(f"  {joined} = relax.concat {inside.name}, {x.name} {{axis = 0 : i64}} : ({inside.type}, {x.type}) -> {grown.type}")
        self.emit(f"  {erased} = relax.erase_shape {joined} : {grown.type} to {unknown.type}")
        self.emit(f"  scf.yield {erased} : {unknown.type}")
        self.emit("}")
        return self.name_extents(result)

    def step_while(self):
        x = self.pick(Value.is_known)
        value, before, after = (Value(self.fresh(), x.element, x.dims) for _ in range(3))
        zero, one, times, count, more, step, next, final = (self.fresh() for _ in range(8))
        self.emit(f"{zero} = arith.constant 0 : index")
        self.emit(f"{one} = arith.constant 1 : index")
        self.emit(f"{times} = arith.constant {self.random.choice([0, 1, 2])} : index")
        self.emit(f"{value.name}, {final} = scf.while ({before.name} = {x.name}, {count} = {zero}) : ({x.type}, index) -> ({x.type}, index) {{")
        self.emit(f"  {more} = arith.cmpi slt, {count}, {times} : index")
        self.emit(f"  scf.condition({more}) {before.name}, {count} : {x.type}, index")
        self.emit("} do {")
        self.emit(f"^bb0({after.name}: {x.type}, {step}: index):")
        found = self.region(2, after)
        self.emit(f"  {next} = arith.addi {step}, {one} : index")
        self.emit(f"  scf.yield {found.name}, {next} : {x.type}, index")
        self.emit("}")
        self.values.append(value)
        return value

    def step_dataflow(self):
        x = self.pick()
        value = Value(self.fresh(), x.element, x.dims)
        self.emit(f"{value.name} = relax.dataflow -> ({value.type}) {{")
        found = self.region(3, x)
        self.emit(f"  relax.output {found.name} : {value.type}")
        self.emit("}")
        self.values.append(value)
        return value

    def step_call(self):
        """A function of its own symbols; what it gives back is unknown to the caller where it finds sizes itself."""
        x = self.pick(Value.is_known, lambda v: v.dims)
        if not x or self.depth:
            return None
        name = f"{self.name}_f{len(self.module)}"
        symbols = ["p", "q", "r", "s"][:len(x.dims)]
        dims = [d if d.constant() is not None else Dim.of(s) for d, s in zip(x.dims, symbols)]
        inner = Function.callee(self, name, x.element, dims)
        result = inner.values[-1]
        outer = dict(zip(symbols, x.dims))

        def mapped(dim):
            total = Dim.of(0)
            for key, factor in dim.terms.items():
                product = Dim.of(factor)
                for symbol in key:
                    if symbol not in outer:
                        return None
                    product = product * outer[symbol]
                total = total + product
            return total

        value = Value(self.fresh(), result.element, [mapped(d) if d is not None else None for d in result.dims])
        self.module.append(inner.text([result], private=True))
        self.emit(f"{value.name} = relax.call @{name}({x.name}) : ({x.type}) -> {value.type}")
        if None in value.dims:
            return self.name_extents(value)
        self.values.append(value)
        return value

    @staticmethod
    def callee(caller, name, element, dims):
        inner = Function.__new__(Function)
        inner.random, inner.name, inner.module, inner.depth = caller.random, name, caller.module, caller.depth + 1
        inner.arguments, inner.values, inner.lines, inner.count, inner.bound = [], [], [], 0, 0
        inner.stored, inner.indent, inner.facts = [], "  ", []
        inner.argument(element, dims)
        for _ in range(3):
            getattr(inner, caller.random.choice(["step_unary", "step_reduce", "step_unique", "step_concat", "step_if", "step_astype"]))()
        return inner

    # Text ---------------------------------------------------------------------------------------------------------------

    WEIGHTS = {"step_binary": 6, "step_unary": 4, "step_astype": 2, "step_reduce": 3, "step_matmul": 2, "step_where": 2,
               "step_more_unary": 3, "step_activation": 2, "step_composed_reduce": 2, "step_bits": 2}

    def grow(self, size):
        steps = sorted(name for name in dir(self) if name.startswith("step_"))
        steps = [name for name in steps for _ in range(self.WEIGHTS.get(name, 1))]
        for _ in range(size):
            if len(self.lines) > 40 * size:
                break
            getattr(self, self.random.choice(steps))()

    def text(self, results=None, private=False):
        if results is None:
            used = " ".join(line.split("=", 1)[-1] for line in self.lines).replace(",", " ").replace(")", " ").replace("(", " ").split()
            results = [v for v in self.values if v.name not in used and v not in self.arguments][-6:] or self.values[-1:]
            results = results + self.stored[:2]
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        types = ", ".join(r.type if self.returns(r) else self.erased(r).type for r in results)
        lines, names = list(self.lines), []
        for number, result in enumerate(results):
            names.append(result.name)
            if not self.returns(result):
                erased = self.erased(result)
                names[-1] = f"%r{number}"
                lines.append(f"  %r{number} = relax.erase_shape {result.name} : {result.type} to {erased.type}")
        lines.append(f"  return {', '.join(names)} : {types}")
        return (f"func.func{' private' if private else ''} @{self.name}({arguments}) -> ({types}) "
                f"attributes {{relax_sym.scope = #relax_sym.scope<{', '.join(self.facts)}>}} {{\n" + "\n".join(lines) + "\n}\n")

    def returns(self, value):
        """Only symbols of the arguments may stand in the result types."""
        known = {s for a in self.arguments for d in a.dims for s in d.symbols()}
        return all(d is None or set(d.symbols()) <= known for d in value.dims)

    def erased(self, value):
        known = {s for a in self.arguments for d in a.dims for s in d.symbols()}
        return Value(value.name, value.element, [d if d is not None and set(d.symbols()) <= known else None for d in value.dims])


def generate(seed, size, functions=1):
    """The text of a module."""
    module = []
    for number in range(functions):
        function = Function(seed, f"f{number}" if functions > 1 else "main", module)
        function.grow(size)
        module.append(function.text())
    return "\n".join(module)


def main():
    parser = argparse.ArgumentParser(prog="relax-random", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=12, help="steps of each function")
    parser.add_argument("--functions", type=int, default=1)
    parser.add_argument("--validate", metavar="FIRST:LAST", help="run these seeds through --pipeline")
    parser.add_argument("--pipeline", help="relax-default-pipeline")
    parser.add_argument("--device", help="where compiled modules run, 'vulkan' or 'opencl': the passes make kernels for it")
    parser.add_argument("--orders", action="store_true", help="passes in a random legal order for each seed; without --validate it is printed")
    parser.add_argument("--optimize", type=int, choices=range(4), default=3, help="how much the machine code is optimized")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."), help="where failing modules are left")
    parser.add_argument("--reduce", action="store_true", help="shrink modules that fail to seedN.reduced.mlir")
    parser.add_argument("--load-pass-plugin", action="append", default=[], help="passed on")
    parser.add_argument("--log", type=pathlib.Path, help="keeps outcomes: a run that was stopped goes on where it was")
    options = parser.parse_args()
    try:
        if options.validate is None:
            print(random_pipeline(options.seed, options.device) if options.orders else generate(options.seed, options.size, options.functions))
            return 0
        default = "relax-default-pipeline" + (f"{{devices={options.device}}}" if options.device else "")
        options.pipeline = options.pipeline or default
        first, last = map(int, options.validate.split(":"))
        opt = pathlib.Path(__file__).resolve().parent / "relax-opt"
        outcomes = validate(range(first, last), lambda seed: generate(seed, options.size, options.functions),
                            None if options.orders else options.pipeline, options.folder, opt, options.optimize, options.log,
                            options.reduce, [f"--load-pass-plugin={plugin}" for plugin in options.load_pass_plugin], options.device)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        print(f"relax-random: error: {error}", file=sys.stderr)
        return 1
    return report(outcomes, lambda seed: (f"relax-random --validate {seed}:{seed + 1} --size {options.size} --functions {options.functions} "
                                          + ("--orders" if options.orders else f"--pipeline '{options.pipeline}'")))


if __name__ == "__main__":
    if hasattr(os, "nice") and "--validate" in sys.argv:
        os.nice(5)
    sys.exit(main())
