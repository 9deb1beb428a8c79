# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Exported programs of torch as modules."""
import torch
from torch.export.graph_signature import InputKind, OutputKind

from .._errors import RelaxError
from ._importer import IGNORED, Importer, is_scalar
from ._registry import OPS, get_name

_STATE = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


def is_supported(node):
    if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
        return True
    return (get_name(node.target) in OPS or get_name(node.target) in IGNORED or is_scalar(node.meta.get("val"))
            or get_name(node.target) in ("_assert_scalar", "item", "_local_scalar_dense", "_assert_async"))


def prepare(program):
    """The program without mutations, and with operators that are not in the table in simpler ones where torch can."""
    for _ in range(4):
        nodes = [node for node in program.graph.nodes if node.op == "call_function"]
        unknown = {node.target for node in nodes if not is_supported(node)}
        mutating = any(isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable
                       for node in nodes)
        # Hash tables of torch know most of the others.
        known = torch.export.default_decompositions()
        table = {target: known[target] for target in unknown if target in known}
        if not table and not mutating:
            break
        program = program.run_decompositions(table)
    return program


class ProgramImporter(Importer):
    """Translates one exported program."""

    def __init__(self, program, name):
        self.program = prepare(program)
        super().__init__(self.program.graph_module, name)

    def run(self):
        signature = self.program.graph_signature
        self.state = {**self.program.state_dict, **self.program.constants}
        mutated = set(signature.buffers_to_mutate.values())
        specs = {spec.arg.name: spec for spec in signature.input_specs if hasattr(spec.arg, "name")}
        for node in self.program.graph.nodes:
            if node.op != "placeholder":
                continue
            spec = specs.get(node.name)
            if spec is not None and spec.kind in _STATE and spec.target not in mutated:
                self.lazy[node] = spec.target
            elif spec is not None and spec.kind == InputKind.TOKEN:
                self.values[node] = None
            elif spec is not None and spec.kind not in (*_STATE, InputKind.USER_INPUT):
                raise RelaxError(f"input '{node.name}' is a {spec.kind.name.lower()}, which is not supported",
                                 "unsupported")
            else:
                self.add_input(node, spec.target if spec is not None and spec.kind in _STATE else node.name)
        self.add_facts(self.program.range_constraints)
        self.add_nodes()
        return self.finish(*self._get_outputs(next(node for node in self.program.graph.nodes if node.op == "output")))

    def _get_outputs(self, node):
        specs = self.program.graph_signature.output_specs
        keys = self._get_output_names(sum(spec.kind == OutputKind.USER_OUTPUT for spec in specs))
        values, names = [], []
        for argument, spec in zip(node.args[0], specs):
            if spec.kind == OutputKind.USER_OUTPUT:
                name = keys.pop(0)
            elif spec.kind in (OutputKind.BUFFER_MUTATION, OutputKind.USER_INPUT_MUTATION):
                name = f"{spec.target}.new"
            elif spec.kind == OutputKind.TOKEN:
                continue
            else:
                raise RelaxError(f"an output that is a {spec.kind.name.lower()} is not supported", "unsupported")
            value = self.get(argument)
            if value is None:
                continue
            values.append(self.as_output(value))
            names.append(name)
        return values, names

    def _get_output_names(self, number):
        """The keys of a dictionary, else result0, result1..."""
        spec = self.program.call_spec.out_spec
        keys = list(spec.context) if spec is not None and spec.type is dict else []
        if len(keys) == number and all(isinstance(key, str) for key in keys):
            return keys
        return ["result"] if number == 1 else [f"result{i}" for i in range(number)]
