# Licensed under the Apache License, Version 2.0. See LICENSE.
"""torch.cond and while_loop as operations with regions. Branches and bodies are graphs of their own."""
import contextlib

import sympy
import torch

from .._graph import Value
from ._registry import get_type
from ._symbols import Unsupported

_COMPARISONS = {sympy.Lt: "less", sympy.Le: "less_equal", sympy.Gt: "greater", sympy.Ge: "greater_equal",
                sympy.Eq: "equal", sympy.Ne: "not_equal"}


@contextlib.contextmanager
def _region(importer):
    """What is made inside is not seen behind it."""
    graph = importer.graph
    kept = dict(graph.symbols), dict(graph._shapes), dict(graph._constants), dict(importer.weights)
    yield
    graph.symbols, graph._shapes, graph._constants, importer.weights = kept


def _add_raw(importer, text):
    importer.graph._lines.append(f"  {text}")


def _declare(importer, told):
    """Values with the types that torch found, for the results of an operation with regions."""
    values = []
    for tensor in told:
        if not isinstance(tensor, torch.Tensor):
            raise Unsupported("a result that is no tensor is not supported")
        shape = [importer.symbols.convert(extent) for extent in tensor.shape]
        value = Value(importer.graph, importer.graph.new_name(), get_type(tensor.dtype), shape)
        for extent in value.shape:
            for symbol in getattr(extent, "symbols", ()):
                if symbol not in importer.graph.symbols:
                    raise Unsupported("results whose sizes differ between branches or iterations are not supported")
        values.append(value)
    return values


def _fit(importer, made, declared):
    """The values with exactly the declared types."""
    if len(made) != len(declared):
        raise Unsupported(f"expected {len(declared)} results of a branch, actual {len(made)}")
    values = []
    for value, like in zip(made, declared):
        value = importer.as_output(value)
        if value.dtype != like.dtype or value.rank != like.rank:
            raise Unsupported(f"expected {like.type}, actual {value.type}")
        for axis, extent in enumerate(like.shape):
            value = importer.graph.refine(value, axis - like.rank, extent)
        values.append(value)
    return values


def _run(importer, graph_module, operands):
    """Adds the nodes of a graph; what it returns."""
    placeholders = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    importer.values.update(zip(placeholders, operands))
    importer.add_nodes(graph_module)
    [output] = [node for node in graph_module.graph.nodes if node.op == "output"]
    results = output.args[0]
    return [importer.get(result) for result in (results if isinstance(results, (list, tuple)) else [results])]


def _make_condition(importer, condition):
    """The name of an i1."""
    graph = importer.graph
    if isinstance(condition, sympy.Rel):
        sides = [graph.from_size(importer.symbols.convert(side)) for side in (condition.lhs, condition.rhs)]
        condition = graph.compare(_COMPARISONS[type(condition)], *sides)
    elif isinstance(condition, bool) or condition in (sympy.true, sympy.false):
        condition = graph.constant(bool(condition), "i1")
    if not isinstance(condition, Value) or condition.dtype != "i1":
        raise Unsupported("a condition of this kind is not supported")
    name, scalar = graph.new_name(), graph.reshape(condition, ())
    graph.add_line(f"{name} = tensor.extract {scalar.name}[] : {scalar.type}")
    return name


def _types(values):
    return ", ".join(value.type for value in values)


def _names(values):
    return ", ".join(value.name for value in values)


def add_cond(importer, node):
    """torch.cond(condition, then, otherwise, operands)."""
    condition, then, otherwise, operands = importer.get(node.args)
    results = _declare(importer, node.meta["val"])
    name = _make_condition(importer, condition)
    _add_raw(importer, f"{_names(results)} = scf.if {name} -> ({_types(results)}) {{")
    location = importer.graph.location
    for branch, end in ((then, "} else {"), (otherwise, "}")):
        with _region(importer):
            made = _fit(importer, _run(importer, branch, operands), results)
            _add_raw(importer, f"scf.yield {_names(made)} : {_types(made)}")
        importer.graph.location = location
        _add_raw(importer, end if end != "}" else f"}} {location}".rstrip())
    return results


def add_while_loop(importer, node):
    """while_loop(condition, body, carried, more)."""
    condition, body, carried, more = importer.get(node.args)
    graph = importer.graph
    carried = [importer.as_output(value) for value in carried]
    results, before, after = ([Value(graph, graph.new_name(), value.dtype, value.shape) for value in carried]
                              for _ in range(3))
    location = graph.location
    starts = ", ".join(f"{inner.name} = {value.name}" for inner, value in zip(before, carried))
    types = _types(carried)
    _add_raw(importer, f"{_names(results)} = scf.while ({starts}) : ({types}) -> ({types}) {{")
    with _region(importer):
        [verdict] = _run(importer, condition, [*before, *more])
        graph.location = location
        name = _make_condition(importer, verdict)
        _add_raw(importer, f"scf.condition({name}) {_names(before)} : {types}")
    _add_raw(importer, "} do {")
    _add_raw(importer, "^bb0(" + ", ".join(f"{value.name}: {value.type}" for value in after) + "):")
    with _region(importer):
        made = _fit(importer, _run(importer, body, [*after, *more]), results)
        _add_raw(importer, f"scf.yield {_names(made)} : {_types(made)}")
    graph.location = location
    _add_raw(importer, f"}} {location}".rstrip())
    return results


HIGHER_ORDER = {"cond": add_cond, "while_loop": add_while_loop}
