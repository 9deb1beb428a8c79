# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Models of PyTorch as modules of the compiler.

    program = torch.export.export(model.eval(), (example,), dynamic_shapes={"x": {0: torch.export.Dim("n")}})
    executable = relax.torch.from_exported_program(program).compile()

    compiled = torch.compile(model, backend=relax.torch.Backend(), dynamic=True)

docs/PyTorch.md goes on.
"""
from .._compiler import Module
from . import _ops_elementwise, _ops_index, _ops_linalg, _ops_move, _ops_nn, _ops_reduce  # noqa: F401
from ._backend import Backend, as_tensor
from ._program import ProgramImporter
from ._registry import OPS

__all__ = ["Backend", "as_tensor", "from_exported_program", "supported_ops"]


def from_exported_program(program, *, name="main") -> Module:
    """The module of a torch.export.ExportedProgram, with one function `name`.

    Dynamic dimensions are symbols with the names of their torch.export.Dim; their ranges and the guards of the program
    are facts, which are checked when the function is called. Inputs have the names of the model's arguments, results
    the keys of a dictionary, else result, or result0, result1... Parameters are in the module; buffers that the model
    changes are further inputs, and results with ".new" behind their names.
    """
    return ProgramImporter(program, name).run()


def supported_ops() -> "tuple[str, ...]":
    """The operators of aten that are translated, without their overloads; others as far as torch decomposes them."""
    return tuple(sorted(OPS))
