#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Checks that each part of the project uses only the parts below it (docs/Layering.md).

Reads every #include of RelaxDialect headers and every LINK_LIBS of add_relax_library.
"""
import argparse
import pathlib
import re

from checking import ROOT, Result, all_files, finish

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)
LIBRARY = re.compile(r"add_relax_library\(\s*(\w+)([^)]*)\)")

# Parts that use no header of MLIR or LLVM.
NO_COMPILER = ("Runtime", "Runtime ABI", "tools/relax-run")


class Part:
    """A library: its row and its name; `dialect` where it belongs to one."""

    def __init__(self, row, name, dialect=None):
        self.row, self.name, self.dialect = row, name, dialect

    def __str__(self):
        return f"{self.name} (row {self.row})"


def part_of(path):
    """The part that a file belongs to, by its path in the checkout; None for files without a rule."""
    words = path.parts
    if path.parts[:2] == ("include", "RelaxDialect-c"):
        return Part(8, "registration")
    if words[0] in ("include", "lib") and len(words) > 2:
        words = words[2:] if words[0] == "include" else words[1:]
    elif words[0] == "tools":
        return Part(9, "/".join(words[:2]))
    else:
        return Part(9, words[0]) if words[0] in ("test", "unittests", "python-bindings") else None
    first = words[0]
    if first == "Support":
        return Part(0, "Support")
    if first == "Runtime":
        # The headers are the ABI, plain C, which everyone may read; the library is an island.
        return Part(0, "Runtime ABI") if path.parts[0] == "include" else Part(0, "Runtime")
    if first == "Dialect" and len(words) > 2:
        dialect, kind = words[1], words[2]
        if kind == "Transforms":
            return Part(4, f"{dialect} transforms", dialect)
        return Part(1 if dialect == "Sym" else 2, f"{dialect} dialect", dialect)
    if first == "Analysis":
        return Part(3, "Analysis")
    if first == "Transforms":
        return Part(5, "Transforms")
    if first == "Interpreter":
        return Part(4, "Interpreter")
    if first == "Conversion":
        return Part(5, f"Conversion/{words[1]}" if len(words) > 2 else "Conversion")
    if first in ("Pipelines", "Target"):
        return Part(6, first)
    if first == "Compiler":
        return Part(7, first)
    if first in ("CAPI", "Plugin") or first.startswith("InitAll"):
        return Part(8, "registration")
    return None


def may_use(user, used):
    """None, or why `user` may not use `used`."""
    if user.name == used.name:
        return None
    if user.name in ("Runtime", "tools/relax-run"):
        allowed = ("Runtime ABI",) if user.name == "Runtime" else ("Runtime ABI", "Runtime")
        return None if used.name in allowed else "it is an island"
    if used.name == "Runtime":
        return "the compiler never uses the runtime library" if user.row < 9 else None
    # The folder's own Passes.h and shared tables.
    if user.name.startswith("Conversion") and used.name == "Conversion":
        return None
    if used.row >= user.row:
        return "only lower rows may be used"
    if user.row == 4 and user.dialect and used.row == 2 and used.dialect != user.dialect:
        return "a dialect's transforms use their own dialect only"
    return None


def check(root=ROOT):
    result = Result()
    libraries = {}  # name -> (part, linked names, file)
    for path in all_files(root):
        user = part_of(path)
        if user is None:
            continue
        if path.name == "CMakeLists.txt" and path.parts[0] == "lib":
            text = re.sub(r"#[^\n]*", "", (root / path).read_text())
            for name, body in LIBRARY.findall(text):
                words = re.split(r"\b(?:DEPENDS)\b", body.partition("LINK_LIBS")[2])[0].split()
                libraries[name] = (part_of(path.parent / "x.cpp"), words, path)
        if path.suffix not in (".h", ".cpp", ".c", ".td"):
            continue
        result.ok(path)
        for header in INCLUDE.findall((root / path).read_text()):
            if user.name in NO_COMPILER and header.startswith(("mlir/", "llvm/", "mlir-c/")):
                result.bad(path, f"includes {header}: the runtime uses no LLVM and no MLIR")
            if not header.startswith(("RelaxDialect/", "RelaxDialect-c/")):
                continue
            used = part_of(pathlib.Path("include") / header)
            why = may_use(user, used) if used else None
            if why:
                result.bad(path, f"{user} includes {header} of {used}: {why}")
    for name, (user, linked, path) in libraries.items():
        result.ok(path)
        for other in linked:
            if other not in libraries:
                continue
            why = may_use(user, libraries[other][0])
            if why:
                result.bad(path, f"{name} links {other}: {user} may not use {libraries[other][0]}, {why}")
    return result


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    finish(check())
