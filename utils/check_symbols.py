#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Checks that no product carries a second MLIR or LLVM, and that the runtime carries and needs none.

A static MLIR beside libMLIR.so gives two sets of type ids: crashes at load, or casts that quietly fail.
"""
import argparse
import pathlib
import re
import subprocess

from checking import ROOT, Result, finish

# Not inline in any header: a product that defines one of them has linked the archive.
CORE = re.compile(
    r"^(mlir::(Operation|MLIRContext|Block|Region|PassManager|OpPassManager)|llvm::(cl::Option|raw_ostream|Twine))::"
)
NO_COMPILER = re.compile(r"^(relax-run|librelax_runtime\.so.*)$")


def output(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True).stdout


def products(build):
    """Programs and shared libraries of the build."""
    found = []
    for folder in ("bin", "lib"):
        for path in sorted((build / folder).glob("*")):
            if path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF":
                found.append(path)
    return found


def check_product(result, path, tools):
    item = path.name
    result.ok(item)
    defined = set()
    for options in (["--defined-only"], ["--defined-only", "--dynamic"]):
        for line in output(tools / "llvm-nm", *options, "--demangle", path).splitlines():
            words = line.split(maxsplit=2)
            # Weak symbols (W, V) are inline functions, which every user of a header has.
            if len(words) == 3 and words[1] in "TDBR" and CORE.match(words[2]):
                defined.add(words[2])
    if defined:
        result.bad(item, f"defines {len(defined)} core functions of MLIR or LLVM, such as {min(defined)}")
    if NO_COMPILER.match(item):
        needed = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", path))
        for library in needed:
            if re.match(r"lib(MLIR|LLVM|clang|RelaxDialect)", library):
                result.bad(item, f"needs {library}: the runtime uses no compiler library")


def check(build, tools):
    result = Result()
    for path in products(build):
        check_product(result, path, tools)
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--tools", type=pathlib.Path, help="folder of llvm-nm; by default that of the build's LLVM")
    args = parser.parse_args()
    if args.tools is None:
        from check_ods import llvm_paths

        args.tools = llvm_paths(args.build)[1].parent
    finish(check(args.build, args.tools))
