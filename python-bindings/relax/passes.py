# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Passes written in Python: functions of a module, rewrite patterns, and what watches them.

    @relax.pattern("relax.relu")
    def relu_of_relu(op, f):
        source = op.operands[0]
        if source.owner and source.owner.name == "relax.relu":
            return source

    relax.Pipeline("canonicalize", relu_of_relu)(module)
"""
import dataclasses
import difflib
import re
import sys
import time
import typing

from ._compiler import Module, Op, Value
from ._errors import Diagnostic, RelaxError
from ._graph import Value as GraphValue
from .builder import Function, Pipeline, Tensor

_MAX_SWEEPS = 100
_EXCERPT = 600


class Rewriter(Function):
    """Writes the operations that take the place of one, as relax.function does.

    `f[value]` is the Tensor of a value. What is made is inserted before the operation.
    """

    def __init__(self, op: Op):
        super().__init__("rewrite", _get_facts(op))
        self._op, self._given = op, {}

    def __getitem__(self, value: Value) -> Tensor:
        if value not in self._given:
            if any(extent is None for extent in value.shape):
                raise RelaxError(f"a value of type {value.type} has an extent without a name", "invalid module")
            self._graph.location = ""
            self._given[value] = self._graph.add_input(f"x{len(self._given)}", value.dtype, value.shape)
        return Tensor(self, self._given[value])

    def values(self, *tensors: Tensor) -> "tuple[Value, ...]":
        """Inserts what was written so far; the values of the tensors. It ends the writing."""
        results = [tensor._value for tensor in tensors]
        self._graph.location = ""
        text = self._graph.finish(results, [f"result{i}" for i in range(len(results))])
        self._closed = True
        return self._op.insert(text, *self._given)

    def _replace(self, made):
        """Replaces the operation. Extents that are not written as the old ones are compared when the function runs."""
        made = list(made) if isinstance(made, (tuple, list)) else [made]
        tensors, graph = [], self._graph
        for value, old in zip(made, self._op.results):
            tensor = value if isinstance(value, Tensor) else None
            if tensor is not None and tensor._value.type != old.type:
                kept = tensor._value
                is_named = not any(extent is None for extent in old.shape)
                if kept.dtype == old.dtype and kept.rank == len(old.shape) and is_named:
                    graph.location = ""
                    cast = GraphValue(graph, graph.new_name(), kept.dtype, old.shape)
                    graph.add_line(f"{cast.name} = relax.match_cast {kept.name} : {kept.type} to {old.type}")
                    tensor = Tensor(self, cast)
            tensors.append(tensor)
        written = iter(self.values(*(tensor for tensor in tensors if tensor is not None)))
        tensors += [None] * (len(made) - len(tensors))
        self._op.replace(*(value if tensor is None else next(written) for value, tensor in zip(made, tensors)))


def _get_facts(op):
    """The facts of the function around an operation."""
    while op is not None:
        scope = op.attributes.get("relax_sym.scope")
        if scope is not None:
            return re.findall(r'"([^"]*)"', scope)
        op = op.parent
    return []


def _describe(op):
    text = str(op)
    return text if len(text) <= _EXCERPT else text[:_EXCERPT] + " ..."


def _find_op(error):
    """The operation that the innermost frame had at hand when it raised."""
    found, trace = None, error.__traceback__
    while trace is not None:
        for value in trace.tb_frame.f_locals.values():
            if isinstance(value, Op) and value.is_alive:
                found = value
        trace = trace.tb_next
    return found


class Pass:
    """A named function of a module. It may be called, and stand in a Pipeline; `+` joins it with other steps."""

    def __init__(self, run: "typing.Callable[[Module], typing.Any]", name: str):
        self._run, self.name = run, name
        self.__name__ = name
        self.__doc__ = run.__doc__

    def __repr__(self):
        return f"<relax.Pass {self.name}>"

    def __add__(self, other) -> Pipeline:
        return Pipeline(self, other)

    def __radd__(self, other) -> Pipeline:
        return Pipeline(other, self)

    def __call__(self, module: Module) -> Module:
        """Runs on the module, verifies it and returns it. What the function raises is a RelaxError with its place."""
        try:
            result = self._run(module)
        except Exception as error:
            raise self._make_error(error, _find_op(error)) from error
        module = result if isinstance(result, Module) else module
        module.verify()
        return module

    def _make_error(self, error, op):
        said = str(error) if isinstance(error, RelaxError) else f"{type(error).__name__}: {error}"
        file, line, column = op.location if op is not None else ("", 0, 0)
        messages = [Diagnostic("error", f"pass '{self.name}': {said}", file, line, column)]
        if isinstance(error, RelaxError):
            messages += error.diagnostics
        if op is not None:
            messages.append(Diagnostic("note", f"the operation: {_describe(op)}", file, line, column))
        shown = [messages[0], *messages[-1:]] if op is not None else messages[:1]
        return RelaxError("\n".join(map(str, shown)), "pass failed", messages)


class Pattern(Pass):
    """A pass that rewrites operations until none matches; see relax.pattern."""

    def __init__(self, rules, name):
        super().__init__(self._apply, name)
        self.rules = rules

    def _apply(self, module):
        for _ in range(_MAX_SWEEPS):
            if not self._sweep(module):
                return
        raise RelaxError(f"the operations still change after {_MAX_SWEEPS} sweeps", "pass failed")

    def _sweep(self, module):
        """Offers each operation once to each rule; whether one has changed something."""
        changed = False
        for op in module.walk():
            for names, rule in self.rules:
                if not op.is_alive:
                    break
                if names and op.name not in names:
                    continue
                f = Rewriter(op)
                made = rule(op, f)
                if made is None or made is False:
                    continue
                changed = True
                if made is not True:
                    f._replace(made)
        return changed


def pass_(function) -> Pass:
    """A function of a module as a pass: `@relax.pass_`. It changes the module, or returns another one."""
    return Pass(function, function.__name__)


def pattern(*names: str):
    """A rewrite rule as a pass: `@relax.pattern("relax.relu")` for operations of these names, of any without one.

    The function gets an operation and a Rewriter. None: nothing is to be done. Tensors and Values, as many as the
    operation has results, take their place. True: the function has made changes itself.
    """
    def decorate(function):
        return Pattern([(names, function)], function.__name__)
    return decorate


def patterns(*parts: Pattern, name: str = "patterns") -> Pattern:
    """Rules that are applied together, until none of them matches."""
    return Pattern([rule for part in parts for rule in part.rules], name)


class Timing:
    """How long passes take: `pipeline(module, before=timing.before, after=timing.after); print(timing)`."""

    def __init__(self):
        self.seconds: dict[str, float] = {}
        self._started = []

    def before(self, name, text):
        """Called before a pass."""
        self._started.append(time.perf_counter())

    def after(self, name, text):
        """Called after a pass."""
        self.seconds[name] = self.seconds.get(name, 0) + time.perf_counter() - self._started.pop()

    before.needs_text = after.needs_text = False

    def __str__(self):
        rows = sorted(self.seconds.items(), key=lambda item: -item[1])
        return "\n".join(f"{seconds * 1000:9.3f} ms  {name}" for name, seconds in rows)


@dataclasses.dataclass(frozen=True)
class Remark:
    """A decision of a pass. `place` is file:line:column, empty where it is not known."""

    kind: str
    pass_name: str
    name: str
    message: str
    place: str

    def __str__(self):
        return f"{self.place + ': ' if self.place else ''}remark: {self.pass_name}: {self.name}: {self.message}"


class Remarks(list):
    """What passes decided: `remarks = relax.Remarks("relax-fuse-.*"); module.run(pipeline, remarks=remarks)`.

    filter: a regular expression over names of passes. The items are Remark objects, in the order in which they came.
    """

    def __init__(self, filter=".*"):
        super().__init__()
        self.filter = filter

    def add(self, *fields):
        """Called for each remark."""
        self.append(Remark(*fields))

    def __str__(self):
        return "\n".join(map(str, self))


class PrintChanges:
    """Prints what each pass changes, as lines with + and -: `before=changes.before, after=changes.after`."""

    def __init__(self, file: "typing.TextIO | None" = None, context: int = 0):
        self._file, self._context, self._texts = file, context, []

    def before(self, name, text):
        """Called before a pass."""
        self._texts.append(text)

    def after(self, name, text):
        """Called after a pass."""
        lines = difflib.unified_diff(self._texts.pop().splitlines(), text.splitlines(), n=self._context, lineterm="")
        changed = [line for line in list(lines)[2:] if not line.startswith("@@")]
        if changed:
            print(f"// {name}", *changed, sep="\n", file=self._file or sys.stdout)
