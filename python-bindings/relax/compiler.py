# Licensed under the Apache License, Version 2.0. See LICENSE.
"""The compiler's part of the package; `relax` offers its names."""
import typing

from ._compiler import Expr, Fact, Module, ModuleFunction, Op, Prover, Value, ceildiv, dim, expr, maximum, minimum

__all__ = ["Expr", "Fact", "Module", "ModuleFunction", "Op", "Prover", "Value", "ceildiv", "dim", "expr",
           "interpret", "maximum", "minimum", "prove"]


def interpret(module: Module, *args, **kwargs) -> dict:
    """Runs 'main', else the only function, in the reference interpreter. `module["name"](...)` runs another one."""
    return module._interpret(*args, **kwargs)


def prove(fact: "Fact | str", given: "typing.Iterable[Fact | str]" = ()) -> "bool | None":
    """Whether `fact` holds for all sizes that satisfy the facts in `given`; None when it depends on them."""
    return Prover(given).holds(fact)
