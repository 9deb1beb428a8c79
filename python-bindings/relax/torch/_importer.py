# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Graphs of aten's operators as functions of graph operations."""
import pathlib
import re
import tempfile
import types
import zlib

import sympy
import torch

from .._compiler import Expr, Module, Prover
from .._errors import RelaxError
from .._graph import INLINE_ELEMENTS, Graph, Value, quote
from ._control import HIGHER_ORDER
from ._registry import OPS, Context, get_name, get_type
from ._symbols import Symbols, Unsupported

IGNORED = {"sym_constrain_range", "sym_constrain_range_for_size", "_assert_tensor_metadata"}
_PLACE = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')


def get_place(node):
    """File and line of the model's code that a node comes from."""
    places = _PLACE.findall(node.meta.get("stack_trace") or "")
    return (places[-1][0], int(places[-1][1])) if places else ("", 0)


def is_scalar(value):
    return isinstance(value, (int, float, bool, torch.SymInt, torch.SymFloat, torch.SymBool))


class Importer:
    """Translates the nodes of a graph of aten's operators."""

    def __init__(self, graph_module, name):
        self.graph_module, self.graph = graph_module, Graph(name)
        self.values, self.weights, self.lazy, self.state = {}, {}, {}, {}
        self.folder, self.offset, self.file = None, 0, None
        self.shape_env = self._find_shape_env()
        self.symbols = Symbols(self._find_names())

    # ---- Symbols ------------------------------------------------------------------------------------------------

    def _find_shape_env(self):
        for node in self.graph_module.graph.nodes:
            value = node.meta.get("val")
            extents = value.shape if isinstance(value, torch.Tensor) else [value]
            for extent in extents:
                if isinstance(extent, torch.SymInt):
                    return extent.node.shape_env
        return None

    def _find_names(self):
        """The user's names of dimensions for torch's symbols."""
        names = {}
        if self.shape_env is None:
            return names
        told = self.shape_env.source_name_to_debug_name
        for symbol, sources in self.shape_env.var_to_sources.items():
            for source in sources:
                name = told.get(source.name if isinstance(source.name, str) else source.name())
                if name and name.isidentifier() and name not in names.values():
                    names.setdefault(str(symbol), name)
        return names

    def add_facts(self, ranges):
        """What torch checks before the graph runs, about sizes of the inputs."""
        known = set(self.graph.symbols)
        free = {str(symbol) for symbol in getattr(self.shape_env, "var_to_sources", {})}
        facts = self.symbols.range_facts(ranges, free)
        assumed = self._get_prover([*facts, *(f"{name} >= 2" for name in known)])
        for guard in self.shape_env.guards if self.shape_env else []:
            condition = self.shape_env.replace(guard.expr) if hasattr(self.shape_env, "replace") else guard.expr
            if {self.symbols.name(symbol) for symbol in condition.free_symbols} <= known:
                # torch takes sizes to be 2 or more and checks nothing that follows.
                facts += [fact for fact in self._get_facts(condition) if not (assumed and assumed.holds(fact))]
        self.graph.facts += [fact for fact in facts if self._uses_only(fact, known)]

    @staticmethod
    def _get_prover(facts):
        try:
            return Prover(facts)
        except RelaxError:
            # The ranges have smaller sizes only.
            return None

    @staticmethod
    def _uses_only(fact, known):
        words = set(re.findall(r"[A-Za-z_]\w*", fact)) - {"floordiv", "ceildiv", "mod", "min", "max"}
        return words <= known

    def _get_facts(self, condition):
        try:
            return self.symbols.facts(condition)
        except Unsupported as error:
            raise RelaxError(f"the guard '{condition}' of the exported program cannot be a fact: {error}",
                             "unsupported") from None

    # ---- Weights ------------------------------------------------------------------------------------------------

    def make_weight(self, tensor):
        """A tensor of the model: small ones are inline, the others are in a file that lives as long as the module."""
        dtype = get_type(tensor.dtype)
        key = (tensor.data_ptr(), tensor.dtype, tuple(tensor.shape), tensor.stride())
        if tensor.numel() and key in self.weights:
            return self.weights[key]
        dense = tensor.detach().cpu().contiguous()
        if dense.numel() <= INLINE_ELEMENTS and dtype not in ("bf16",):
            value = self.graph.array(dense.numpy(), dtype)
        else:
            data = dense.reshape(-1).view(torch.uint8).numpy() if dense.dtype != torch.bool else dense.numpy()
            data = memoryview(data).cast("B") if data.size else memoryview(b"")
            if self.file is None:
                self.folder = tempfile.TemporaryDirectory(prefix="relax-")
                self.file = open(pathlib.Path(self.folder.name) / "weights.bin", "wb")
            self.file.write(data)
            value = self.graph.weight(dtype, tuple(dense.shape), self.file.name, self.offset, data.nbytes,
                                      zlib.crc32(data))
            self.offset += data.nbytes
        self.weights[key] = value
        return value

    # ---- Nodes --------------------------------------------------------------------------------------------------

    def add_input(self, node, name):
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            try:
                shape = [self.symbols.convert(extent) for extent in value.shape]
                self.values[node] = self.graph.add_input(name, get_type(value.dtype), shape)
            except Unsupported as error:
                self._fail(node, str(error))
        elif isinstance(value, torch.SymInt):
            self._add_size_input(node, name, self.symbols.convert(value))
        else:
            self.values[node] = value

    def _add_size_input(self, node, name, extent):
        """A number that is an input: it may be a size."""
        scalar = self.graph.add_input(name, "i64", ())
        self.graph.bind_size(scalar, extent)
        self.values[node] = extent

    def _fail(self, node, text):
        file, line = get_place(node)
        place = f"{file}:{line}:1: " if line else ""
        target = node.target.name() if isinstance(node.target, torch._ops.OpOverload) else str(node.target)
        raise RelaxError(f"{place}error: node '{node.name}' ({target}): {text}", "unsupported")

    def _get_node(self, node):
        if node not in self.values and node in self.lazy:
            target = self.lazy[node]
            if target not in self.state:
                self._fail(node, f"there is no value for '{target}'")
            try:
                self.values[node] = self.make_weight(self.state[target])
            except Unsupported as error:
                self._fail(node, str(error))
        return self.values[node]

    def get(self, argument):
        if isinstance(argument, torch.fx.Node):
            value = self._get_node(argument)
            if isinstance(value, torch.Tensor):
                value = self.values[argument] = self.make_weight(value)
            return value
        if isinstance(argument, (list, tuple)):
            return [self.get(part) for part in argument]
        return argument

    def add_nodes(self, graph_module=None):
        """The nodes of the program, or those of a branch or body."""
        graph_module = graph_module or self.graph_module
        for node in graph_module.graph.nodes:
            if node.op == "get_attr":
                value = graph_module
                for name in node.target.split("."):
                    value = getattr(value, name)
                self.values[node] = value
            elif node.op == "call_function":
                self._add_node(node)

    def finish(self, values, names):
        """The module, whose weights live as long as it does."""
        if self.file:
            self.file.close()
        module = Module.parse(self.graph.finish(values, names), "program of torch")
        module._folder = self.folder
        return module

    def as_output(self, value):
        """Sizes and numbers are results too."""
        if isinstance(value, Value):
            return value
        if isinstance(value, (int, Expr)) and not isinstance(value, bool):
            return self.graph.from_size(value, "i64")
        if isinstance(value, (bool, float)):
            return self.graph.constant(value, "i1" if isinstance(value, bool) else "f64")
        raise RelaxError(f"a result that is '{value}' is not supported", "unsupported")

    def _add_node(self, node):
        file, line = get_place(node)
        place = f"({quote(file)}:{line}:1)" if line else ""
        self.graph.location = f"loc({quote(node.name)}{place})"
        try:
            self.values[node] = self._translate(node)
        except Unsupported as error:
            self._fail(node, str(error))
        except RelaxError as error:
            if "error: node" in str(error):
                raise
            self._fail(node, str(error))
        self.graph.location = ""

    def _translate(self, node):
        if isinstance(node.target, torch._ops.HigherOrderOperator):
            if node.target.name() not in HIGHER_ORDER:
                raise Unsupported("the operator is not supported")
            return HIGHER_ORDER[node.target.name()](self, node)
        name, result = get_name(node.target), node.meta.get("val")
        if str(node.target) == "<built-in function getitem>" and isinstance(self.get(node.args[0]), list):
            part = self.get(node.args[0])[node.args[1]]
            if part is None and isinstance(result, torch.Tensor):
                raise Unsupported("this result is not supported")
            return part
        if name in ("item", "_local_scalar_dense"):
            return self._read_scalar(node, result)
        if name in ("_assert_scalar", "_assert_async"):
            return self._assert(node)
        if name in IGNORED:
            return None
        if is_scalar(result):
            return self._get_scalar(result)
        if name is None or name not in OPS:
            raise Unsupported("the operator is not supported")
        results = [result] if isinstance(result, torch.Tensor) else list(result or ())
        context = Context(name, self.graph, self.symbols, results)
        value = OPS[name](context, self._bind(node))
        return self._check(context, value)

    def _check(self, context, value):
        """The types of what a handler made are those that torch found."""
        values = value if isinstance(value, list) else [value]
        for index, (made, told) in enumerate(zip(values, context.results)):
            if made is None or told is None:
                continue
            dtype, shape = context.dtype(index), context.shape(index)
            if made.dtype != dtype or made.rank != len(shape):
                raise Unsupported(f"inferred {made.type}, torch has {dtype} of shape {list(shape)}")
            for axis, extent in enumerate(shape):
                made = self.graph.refine(made, axis - len(shape), extent)
            values[index] = made
        return values if isinstance(value, list) else values[0]

    def _get_scalar(self, value):
        if isinstance(value, torch.SymInt):
            return self.symbols.convert(value)
        if isinstance(value, (torch.SymFloat, torch.SymBool)):
            return value.node.expr
        return value

    def _read_scalar(self, node, result):
        """A number of a tensor; a size, when it is one."""
        source = self.get(node.args[0])
        if not isinstance(result, torch.SymInt) or not isinstance(self.symbols.convert(result), Expr):
            # Used as a number: a tensor of rank 0 is as good.
            return self.graph.reshape(source, ())
        extent = self.symbols.convert(result)
        self.graph.bind_size(source, extent)
        return extent

    def _assert(self, node):
        condition = self.get(node.args[0])
        if isinstance(condition, Value):
            raise Unsupported("an assertion about values is not supported")
        if condition in (True, 1) or not isinstance(condition, sympy.Basic):
            return None
        names = {self.symbols.name(symbol) for symbol in condition.free_symbols}
        for fact in self._get_facts(condition):
            if names <= set(self.graph.symbols):
                name, kind = self.graph.make_shape([self.symbols.convert(symbol) for symbol in condition.free_symbols])
                message = str(node.args[1]) if len(node.args) > 1 else "assertion of the model"
                self.graph.add_line(f"relax.assert_shape {name}, {quote(fact)}, {quote(message)} : {kind}")
        return None

    def _bind(self, node):
        """The arguments by the names of the operator's schema, defaults included."""
        arguments = {}
        for i, argument in enumerate(node.target._schema.arguments):
            if i < len(node.args) and not argument.kwarg_only:
                arguments[argument.name] = self.get(node.args[i])
            elif argument.name in node.kwargs:
                arguments[argument.name] = self.get(node.kwargs[argument.name])
            elif argument.has_default_value():
                arguments[argument.name] = argument.default_value
        return types.SimpleNamespace(**arguments)
