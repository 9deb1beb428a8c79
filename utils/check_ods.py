#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Checks what TableGen declares: every op, attribute, type and pass is described, ops with an example, and a pass's
four names agree.

def FooPass <=> a file Foo.cpp in lib <=> the flag --relax-foo <=> a test file foo*.mlir. For a conversion
def ConvertAToBPass the file is AToB.cpp and the flag --convert-a-to-b or --relax-convert-a-to-b.
"""
import argparse
import json
import pathlib
import re
import subprocess

from checking import ROOT, Result, all_files, finish, parallel

KINDS = {"Op": "op", "AttrDef": "attribute", "TypeDef": "type", "PassBase": "pass", "Dialect": "dialect"}


def kebab(name):
    """FuseOps -> fuse-ops, LowerCPUKernels -> lower-cpu-kernels."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name)
    return re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


def records(path, root, mlir_include, tblgen):
    """The definitions in one .td file that the file itself spells out, as (kind, name, record)."""
    process = subprocess.run([tblgen, "-dump-json", "-I", root / "include", "-I", mlir_include, root / path],
                             capture_output=True, text=True)
    if process.returncode:
        return process.stderr
    dump = json.loads(process.stdout)
    text = (root / path).read_text()
    own = set(re.findall(r"\bdef\s+(\w+)", text))
    multi = set(re.findall(r"\bdefm\s+(\w+)", text))
    found = []
    for base, kind in KINDS.items():
        for name in dump["!instanceof"].get(base, []):
            # A defm's records begin with its name.
            if name in own or any(name.startswith(prefix) for prefix in multi):
                found.append((kind, name, dump[name]))
    return found


def filled(record, field):
    value = record.get(field)
    return isinstance(value, str) and value.strip() != ""


def check_pass(result, path, name, record, sources, tests):
    if not name.endswith("Pass"):
        result.bad(f"{path}: {name}", "the definition's name must end with 'Pass'")
        return
    stem, flag = name[: -len("Pass")], record["argument"]
    short = stem[len("Convert"):] if stem.startswith("Convert") else stem
    flags = {f"relax-{kebab(stem)}", *([kebab(stem)] if stem.startswith("Convert") else [])}
    if flag not in flags:
        result.bad(f"{path}: {name}", f"its flag is '{flag}', expected {' or '.join(sorted(flags))}")
    if not {stem, short} & sources:
        result.bad(f"{path}: {name}", f"there is no file {stem}.cpp in lib")
    wanted = [kebab(stem), kebab(short), flag]
    if not any(test.startswith(prefix) for test in tests for prefix in wanted):
        result.bad(f"{path}: {name}", f"there is no test file {kebab(stem)}*.mlir")


def check(root, mlir_include, tblgen):
    result = Result()
    files = all_files(root)
    sources = {path.stem for path in files if path.suffix == ".cpp" and path.parts[0] == "lib"}
    tests = {path.name for path in files if path.suffix in (".mlir", ".test") and path.parts[0] == "test"}
    tables = [path for path in files if path.suffix == ".td" and path.parts[0] == "include"]
    for path, found in zip(tables, parallel(lambda table: records(table, root, mlir_include, tblgen), tables)):
        if isinstance(found, str):
            result.bad(path, f"does not stand alone:\n{found.strip()}")
            continue
        for kind, name, record in found:
            item = f"{path}: {name}"
            result.ok(item)
            for field in ("summary", "description"):
                if not filled(record, field):
                    result.bad(item, f"the {kind} has no {field}")
            if kind == "op" and "Example:" not in record["description"]:
                result.bad(item, "the op's description has no example")
            if kind == "pass":
                check_pass(result, path, name, record, sources, tests)
    return result


def llvm_paths(build):
    """(MLIR's include folder, llvm-tblgen) of the LLVM that the build uses."""
    cache = (build / "CMakeCache.txt").read_text()
    mlir_dir = pathlib.Path(re.search(r"^MLIR_DIR:\w+=(.*)$", cache, re.MULTILINE).group(1))
    prefix = mlir_dir.parents[2]
    return prefix / "include", prefix / "bin/llvm-tblgen"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    args = parser.parse_args()
    finish(check(ROOT, *llvm_paths(args.build)))
