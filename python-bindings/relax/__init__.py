# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Relax for MLIR: compile a model once, run it at every size.

    module = relax.Module.load("model.mlir")     # or relax.onnx.load("model.onnx")
    executable = module.compile()
    outputs = executable(x=array)                # numpy arrays by name

Running an artifact needs no compiler: relax.load("model.rlx") loads the runtime only. docs/Python.md goes on.
"""
import typing

from ._arrays import donate
from ._errors import Diagnostic, RelaxError
from ._runtime import Executable, Function, Session, TensorInfo

if typing.TYPE_CHECKING:
    from . import generate, gguf, onnx
    from . import torch as torch
    from ._compiler import Expr, Fact, Module, ModuleFunction, Op, Prover, Value, ceildiv, dim, expr, maximum, minimum
    from .builder import Pipeline, function
    from .compiler import interpret, prove
    from .passes import Pass, PrintChanges, Remark, Remarks, Rewriter, Timing, pass_, pattern, patterns
    from .programs import (
        In,
        Out,
        TensorProgram,
        ceil,
        cos,
        erf,
        exp,
        exp2,
        floor,
        grid,
        log,
        rsqrt,
        sin,
        sqrt,
        tanh,
        tensor_program,
    )

__all__ = ["Diagnostic", "Executable", "Expr", "Fact", "Function", "In", "Module", "ModuleFunction", "Op", "Out",
           "Pass", "Pipeline", "PrintChanges", "Prover", "RelaxError", "Remark", "Remarks", "Rewriter",
           "Session", "TensorInfo", "TensorProgram", "Timing", "Value", "ceil", "ceildiv", "cos", "dim",
           "donate", "erf", "exp", "exp2", "expr", "floor", "function", "generate", "gguf", "grid", "interpret",
           "load", "log", "maximum", "minimum", "onnx", "pass_", "pattern", "patterns", "prove", "rsqrt",
           "sin", "sqrt", "tanh", "tensor_program"]

_BUILDER = ("Pipeline", "function")
_PASSES = ("Pass", "PrintChanges", "Remark", "Remarks", "Rewriter", "Timing", "pass_", "pattern", "patterns")
_PROGRAMS = ("In", "Out", "TensorProgram", "ceil", "cos", "erf", "exp", "exp2", "floor", "grid", "log", "rsqrt", "sin",
             "sqrt", "tanh", "tensor_program")
_COMPILER = ("Expr", "Fact", "Module", "ModuleFunction", "Op", "Prover", "Value", "ceildiv", "dim", "expr", "interpret",
             "maximum", "minimum", "prove")
_PLACES = {name: place for names, place in ((_BUILDER, ".builder"), (_COMPILER, ".compiler"), (_PASSES, ".passes"),
                                (_PROGRAMS, ".programs"))
           for name in names}


def load(artifact, **options) -> Executable:
    """The Executable of an artifact: a path or bytes. `options` are those of Executable."""
    return Executable(artifact, **options)


def _import(place):
    """A module of the package; what the compiler needs may be missing or of another version."""
    import importlib
    try:
        if place not in (".generate", ".gguf"):  # may do without the compiler
            importlib.import_module(".compiler", __name__)  # which compares versions
        return importlib.import_module(place, __name__)
    except ImportError as error:
        if ".so" not in str(error):
            raise
        raise ImportError("the compiler of relax cannot be loaded: it needs the shared libraries of MLIR and LLVM 22.1 "
                          f"that it was built with (running artifacts does not). The loader says: {error}") from error


def __getattr__(name):
    # The compiler is loaded when it is asked for first.
    if name in ("generate", "gguf", "onnx", "torch"):
        return _import("." + name)
    if name not in _PLACES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(_import(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(__all__))
