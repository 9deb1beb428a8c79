# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Relax for MLIR: compile a model once, run it at every size.

    module = relax.Module.load("model.mlir")     # or relax.onnx.load("model.onnx")
    executable = module.compile()
    outputs = executable(x=array)                # numpy arrays by name

Running an artifact needs no compiler: relax.load("model.rlx") loads the runtime only. docs/Python.md goes on.
"""
import typing

from ._errors import Diagnostic, RelaxError
from ._runtime import Executable, Function, Session, TensorInfo

if typing.TYPE_CHECKING:
    from . import generate, gguf, onnx
    from . import torch as torch
    from ._compiler import Expr, Fact, Module, ModuleFunction, Op, Prover, Value, ceildiv, dim, expr, maximum, minimum
    from .builder import Pipeline, function
    from .compiler import interpret, prove
    from .passes import Pass, PrintChanges, Rewriter, Timing, pass_, pattern, patterns

__all__ = ["Diagnostic", "Executable", "Expr", "Fact", "Function", "Module", "ModuleFunction", "Op", "Pass",
           "Pipeline", "PrintChanges", "Prover", "RelaxError", "Rewriter", "Session", "TensorInfo", "Timing", "Value",
           "ceildiv", "dim", "expr", "function", "generate", "gguf", "interpret", "load", "maximum", "minimum", "onnx",
           "pass_", "pattern", "patterns", "prove"]

_BUILDER = ("Pipeline", "function")
_PASSES = ("Pass", "PrintChanges", "Rewriter", "Timing", "pass_", "pattern", "patterns")
_COMPILER = ("Expr", "Fact", "Module", "ModuleFunction", "Op", "Prover", "Value", "ceildiv", "dim", "expr", "interpret",
             "maximum", "minimum", "prove")
_PLACES = {name: place for names, place in ((_BUILDER, ".builder"), (_COMPILER, ".compiler"), (_PASSES, ".passes"))
           for name in names}


def load(artifact, **options) -> Executable:
    """The Executable of an artifact: a path or bytes. `options` are those of Executable."""
    return Executable(artifact, **options)


def __getattr__(name):
    # The compiler is loaded when it is asked for first.
    import importlib
    if name in ("generate", "gguf", "onnx", "torch"):
        return importlib.import_module("." + name, __name__)
    if name not in _PLACES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(importlib.import_module(_PLACES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(__all__))
