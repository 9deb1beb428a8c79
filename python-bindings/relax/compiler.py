# Licensed under the Apache License, Version 2.0. See LICENSE.
"""The compiler's part of the package; `relax` offers its names."""
import typing

from . import _compiler
from ._compiler import Expr, Fact, Module, ModuleFunction, Op, Prover, Value, ceildiv, dim, expr, maximum, minimum

__all__ = ["Expr", "Fact", "Module", "ModuleFunction", "Op", "Prover", "Value", "ceildiv", "dim", "expr",
           "interpret", "maximum", "minimum", "prove"]


def check_versions(built, loaded):
    """Refuses another MLIR than that of the build: its C++ interface may differ between patch versions."""
    if built != loaded:
        raise ImportError("relax was built with MLIR {}.{}.{} and finds {}.{}.{}; build it again, or install that MLIR"
                          .format(*built, *loaded))


check_versions(*_compiler.llvm_versions())


def interpret(module: Module, *args, **kwargs) -> dict:
    """Runs 'main', else the only function, in the reference interpreter. `module["name"](...)` runs another one."""
    return module._interpret(*args, **kwargs)


def prove(fact: "Fact | str", given: "typing.Iterable[Fact | str]" = ()) -> "bool | None":
    """Whether `fact` holds for all sizes that satisfy the facts in `given`; None when it depends on them."""
    return Prover(given).holds(fact)
