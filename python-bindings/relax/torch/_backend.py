# Licensed under the Apache License, Version 2.0. See LICENSE.
"""A backend of torch.compile: one artifact for all sizes."""
import functools
import threading

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func

from .._compiler import Expr
from .._errors import RelaxError
from ._importer import Importer


def as_tensor(array):
    """The tensor that shares an array's memory, also of bfloat16."""
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view("uint16")).view(torch.bfloat16)
    return torch.from_numpy(array)


def _run_graph(graph_module, _):
    """Leaves a graph to torch."""
    return make_boxed_func(graph_module.forward)


class _GraphImporter(Importer):
    """Translates a graph that torch.compile made: parameters are inputs, sizes are shown by tensors."""

    def run(self):
        placeholders = [node for node in self.graph_module.graph.nodes if node.op == "placeholder"]
        tensors = [node for node in placeholders if isinstance(node.meta.get("val"), torch.Tensor)]
        for node in tensors:
            self.add_input(node, node.name)
        used = [node in tensors for node in placeholders]
        for i, node in enumerate(placeholders):
            if not used[i]:
                value = node.meta.get("val")
                value = self.symbols.convert(value) if isinstance(value, torch.SymInt) else None
                if isinstance(value, Expr) and not set(value.symbols) <= set(self.graph.symbols):
                    self.add_input(node, node.name)
                    used[i] = True
                else:
                    self.values[node] = value
        self.add_facts({})
        self.add_nodes()
        output = next(node for node in self.graph_module.graph.nodes if node.op == "output")
        results = [self.get(argument) for argument in output.args[0]]
        values = [self.as_output(value) for value in results if value is not None]
        order = [i for i, node in enumerate(placeholders) if node in tensors]
        order += [i for i, node in enumerate(placeholders) if used[i] and node not in tensors]
        kinds = [None if value is None else isinstance(argument.meta.get("val"), torch.Tensor)
                 if isinstance(argument, torch.fx.Node) else False for value, argument in zip(results, output.args[0])]
        return self.finish(values, [f"result{i}" for i in range(len(values))]), order, kinds


class Backend:
    """A backend for torch.compile(model, backend=relax.torch.Backend(), dynamic=True).

    Each graph that torch hands over is compiled once, for all sizes: `functions` are those so far. Gradients and, with
    `fallback`, graphs that cannot be translated are computed by torch; `failures` says why. Other arguments are those
    of Module.compile.
    """

    def __init__(self, *, fallback=False, **options):
        self.functions, self.failures = [], []
        self._fallback, self._options, self._lock = fallback, options, threading.Lock()
        self._compile = aot_autograd(fw_compiler=self._compile_graph, bw_compiler=_run_graph)

    def __call__(self, graph_module, example_inputs):
        return self._compile(graph_module, example_inputs)

    def _compile_graph(self, graph_module, example_inputs):
        try:
            module, order, kinds = _GraphImporter(graph_module, "main").run()
            function = module.compile(**self._options)["main"]
        except RelaxError as error:
            with self._lock:
                self.failures.append(error)
            if not self._fallback:
                raise
            return _run_graph(graph_module, example_inputs)
        with self._lock:
            self.functions.append(function)
        return make_boxed_func(functools.partial(_call, function, order, kinds))


def _call(function, order, kinds, *args):
    results = iter(function(*[args[i] for i in order]).values())
    outputs = []
    for is_tensor in kinds:
        if is_tensor is None:
            outputs.append(None)
        else:
            array = next(results)
            outputs.append(as_tensor(array) if is_tensor else array.item())
    return outputs
