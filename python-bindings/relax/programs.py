# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Tensor programs written as loops in Python.

    n, m = relax.dim("n"), relax.dim("m")

    @relax.tensor_program
    def softmax(x: relax.In[n, m], y: relax.Out[n, m]):
        for i in range(n):
            top = -math.inf
            for j in range(m):
                top = max(top, x[i, j])
            total = 0.0
            for j in range(m):
                total += relax.exp(x[i, j] - top)
            for j in range(m):
                y[i, j] = relax.exp(x[i, j] - top) / total

    model = softmax.compile()                 # or, while a relax.function is built: y = softmax(x)

The function is never run by Python: its source is read and becomes a tensor program.
"""
import ast
import inspect
import re
import textwrap

from ._compiler import Expr, Module, expr
from ._errors import Diagnostic, RelaxError
from ._graph import NUMPY_TYPES, quote, size
from ._loops import Translator
from .builder import Function, Tensor, _get_type


def fail_at(place, message):
    """Raises an error of a place (file, line, column)."""
    diagnostic = Diagnostic("error", message, *place)
    raise RelaxError(str(diagnostic), "invalid module", [diagnostic])


class _Buffer:
    """The annotation of an argument; In and Out make them."""

    is_out = False

    def __init__(self, dtype, shape):
        self.dtype, self.shape = dtype, shape

    def __class_getitem__(cls, key):
        key = key if isinstance(key, tuple) else (key,)
        dtype = "float32"
        if key and not isinstance(key[0], (int, Expr)):
            dtype, key = key[0], key[1:]
        if len(key) == 1 and isinstance(key[0], tuple):
            key = key[0]
        for extent in key:
            if not isinstance(extent, (int, Expr)):
                raise TypeError(f"an extent is expected to be an int or a size, actual {extent!r}")
        return cls(_get_type(dtype), tuple(map(size, key)))


class In(_Buffer):
    """An input of a tensor program: `In[n, 4]` of float32, `In[np.int64, n]` of another element type. Only read."""


class Out(_Buffer):
    """A result of a tensor program, spelled as In."""

    is_out = True


def _scalar_function(name, text):
    def function(*_):
        raise RelaxError(f"relax.{name} is for scalars of a relax.tensor_program", "invalid module")
    function.__name__, function.__doc__ = name, text
    return function


exp = _scalar_function("exp", "The exponential of a scalar in a tensor program.")
exp2 = _scalar_function("exp2", "A power of 2 in a tensor program.")
log = _scalar_function("log", "The natural logarithm of a scalar in a tensor program.")
sqrt = _scalar_function("sqrt", "The square root of a scalar in a tensor program.")
rsqrt = _scalar_function("rsqrt", "1 / sqrt(x) of a scalar in a tensor program.")
tanh = _scalar_function("tanh", "The hyperbolic tangent of a scalar in a tensor program.")
erf = _scalar_function("erf", "The error function of a scalar in a tensor program.")
sin = _scalar_function("sin", "The sine of a scalar in a tensor program.")
cos = _scalar_function("cos", "The cosine of a scalar in a tensor program.")
floor = _scalar_function("floor", "A scalar rounded down in a tensor program.")
ceil = _scalar_function("ceil", "A scalar rounded up in a tensor program.")
grid = _scalar_function("grid", "`for i, j in grid(n, m)` are two nested loops of a tensor program.")


def _replace(extent, values):
    """A size with its symbols replaced."""
    if not isinstance(extent, Expr):
        return extent
    text = re.sub(r'"[^"]*"|[A-Za-z_]\w*', lambda word: f"({values[word[0]]})" if word[0] in values else word[0],
                  str(extent))
    return size(expr(text))


class TensorProgram:
    """A tensor program; see relax.tensor_program."""

    def __init__(self, function, facts=()):
        self._function, self.__name__, self.__doc__ = function, function.__name__, function.__doc__
        self._facts = [str(fact) for fact in facts]
        lines, first = inspect.getsourcelines(function)
        self._file = inspect.getsourcefile(function) or "<source>"
        source = textwrap.dedent("".join(lines))
        indent = len(lines[0]) - len(lines[0].lstrip())
        tree = ast.increment_lineno(ast.parse(source), first - 1).body[0]
        closed = inspect.getclosurevars(function)
        self._names = {**closed.builtins, **closed.globals, **closed.nonlocals}
        self.buffers = {}
        for argument in [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]:
            place = (self._file, argument.lineno, argument.col_offset + indent + 1)
            annotation = function.__annotations__.get(argument.arg)
            if isinstance(annotation, str):
                # Names that only annotations use are no closure variables of the function.
                annotation = eval(annotation, {**function.__globals__, **self._names})
            if not isinstance(annotation, _Buffer):
                fail_at(place, f"argument '{argument.arg}' is expected to be annotated with In[...] or Out[...]")
            self.buffers[argument.arg] = annotation
        self._ins = {name: buffer for name, buffer in self.buffers.items() if not buffer.is_out}
        self._outs = {name: buffer for name, buffer in self.buffers.items() if buffer.is_out}
        if not self._outs:
            fail_at((self._file, tree.lineno, indent + 1), "a tensor program is expected to have an Out")
        translator = Translator(self._file, indent, self.buffers, self._names, self._facts)
        self._body = translator.translate(tree)
        self._scalars = translator.scalars

    def _signature(self, name):
        def arguments(buffers):
            parts = []
            for argument, buffer in buffers.items():
                kind = "memref<" + "".join(f"{extent if isinstance(extent, int) else '?'}x" for extent in buffer.shape)
                shape = ", ".join(map(str, buffer.shape))
                note = f" {{relax_sym.shape = #relax_sym.shape<[{shape}]>}}" if any(
                    isinstance(extent, Expr) for extent in buffer.shape) else ""
                parts.append(f"%{argument}: {kind}{buffer.dtype}>{note}")
            return ", ".join(parts)
        scalars = ", ".join(f"%size_{symbol}: index {{relax_sym.expr = #relax_sym.expr<{symbol}>}}"
                            for symbol in self._scalars)
        facts = ", ".join(map(quote, self._facts))
        more = f" scalars({scalars})" if scalars else ""
        return (f"relax_tp.func private @{name}({arguments(self._ins)}) outs({arguments(self._outs)}){more} "
                f"attributes {{relax_sym.scope = #relax_sym.scope<{facts}>}} {{")

    def get_text(self, name=None):
        """The program in MLIR, as the function `name`."""
        return "\n".join([self._signature(name or self.__name__), *self._body, "  relax_tp.yield", "}"]) + "\n"

    def __repr__(self):
        return f"<tensor program {self.__name__}>"

    def __call__(self, *tensors, **sizes):
        """Adds a call to the function that is built: a tensor for each In, sizes by name for what no In shows."""
        if len(tensors) != len(self._ins):
            raise TypeError(f"{self.__name__} takes {len(self._ins)} tensors, {len(tensors)} were given")
        if not tensors and not self._scalars:
            raise TypeError(f"{self.__name__} has nothing that says which function it is called in")
        function = tensors[0]._function if tensors else sizes.pop("function", None)
        if not isinstance(function, Function):
            raise TypeError(f"{self.__name__} is called with tensors of a relax.function, or with function=")
        if set(sizes) != set(self._scalars):
            raise TypeError(f"{self.__name__} takes the sizes {sorted(self._scalars)}, {sorted(sizes)} were given")
        graph, values, operands = function._graph_here(), dict(sizes), []
        for (name, buffer), tensor in zip(self._ins.items(), tensors):
            if not isinstance(tensor, Tensor):
                raise TypeError(f"'{name}' is expected to be a tensor, actual {type(tensor).__name__}")
            value = tensor._value
            if value.dtype != buffer.dtype or value.rank != len(buffer.shape):
                raise RelaxError(f"'{name}' of {self.__name__} is expected to be {buffer.dtype} of rank "
                                 f"{len(buffer.shape)}, actual {value.dtype} of rank {value.rank}", "invalid module")
            for extent, actual in zip(buffer.shape, value.shape):
                if isinstance(extent, Expr) and str(extent) in extent.symbols:
                    values.setdefault(str(extent), actual)
            operands.append(value)
        for index, buffer in enumerate(self._ins.values()):
            for axis, extent in enumerate(buffer.shape):
                wanted = _replace(extent, values)
                actual = operands[index].shape[axis]
                if isinstance(wanted, int) and isinstance(actual, int) and wanted != actual:
                    raise RelaxError(f"dimension {axis} of '{list(self._ins)[index]}' of {self.__name__} is expected "
                                     f"to be {wanted}, actual {actual}", "invalid module")
                operands[index] = graph.refine(operands[index], axis - len(buffer.shape), wanted)
        callee = graph.add_program(self)
        types, text = [operand.type for operand in operands], f"@{callee}({', '.join(o.name for o in operands)})"
        if self._scalars:
            shape, kind = graph.make_shape([sizes[symbol] for symbol in self._scalars])
            types, text = [*types, kind], f"{text} shape({shape})"
        results = graph.ops("call_tp", operands, [(buffer.dtype, [_replace(extent, values) for extent in buffer.shape])
                                                  for buffer in self._outs.values()], "", types, text)
        wrapped = tuple(Tensor(function, value) for value in results)
        return wrapped if len(wrapped) > 1 else wrapped[0]

    @property
    def module(self) -> Module:
        """A module with one function, main, that calls the program."""
        with Function("main", self._facts) as f:
            inputs = [f.input(name, buffer.shape, NUMPY_TYPES.get(buffer.dtype, "bfloat16"))
                      for name, buffer in self._ins.items()]
            if self._scalars:
                raise RelaxError(f"no In of {self.__name__} shows the sizes {', '.join(self._scalars)}: call it in a "
                                 "relax.function", "invalid module")
            results = self(*inputs)
            results = results if isinstance(results, tuple) else (results,)
            f.output(**dict(zip(self._outs, results)))
        return f.module

    def compile(self, **options):
        """An executable of the program: inputs and results have the names of its arguments."""
        return self.module.compile(**options)


def tensor_program(function=None, *, facts=()):
    """Makes a TensorProgram of a function of loops over In and Out arguments.

    Sizes, numbers and relax.exp and the like come from around the function. Loops are `for i in range(..)` and
    `for i, j in relax.grid(n, m)`; `if`, `assert`, scalars that loops carry, elements of buffers, Python's operators,
    min, max, abs, float and int are understood, everything else is an error with its place. An index that is not proved
    to be inside of its buffer is checked when the program runs. facts: texts or comparisons of sizes.
    """
    if function is None:
        return lambda function: TensorProgram(function, facts)
    return TensorProgram(function, facts)
