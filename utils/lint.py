#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Formatting, clang-tidy and the project's own checks. The last line is 'N passed, N failed'.

What is quick looks at every file; clang-tidy and the header check look at changed files, at all of them with --all.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import check_headers
import check_layering
import check_ods
import check_style
import check_symbols
from checking import ROOT, Result, all_files, changed_files, finish, parallel


def each_file(files, command):
    """One item per file; `command` plus the file must end with status 0."""
    result = Result()

    def run(path):
        process = subprocess.run([*map(str, command), str(path)], cwd=ROOT, capture_output=True, text=True)
        return (process.stdout + process.stderr).strip() if process.returncode else None

    for path, error in zip(files, parallel(run, files)):
        if error is None:
            result.ok(path)
        else:
            result.bad(path, "\n" + error)
    return result


def compiled(build):
    return {pathlib.Path(entry["file"]) for entry in json.loads((build / "compile_commands.json").read_text())}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument("--changed", action="store_true", help="changed files only (the default)")
    scope.add_argument("--all", action="store_true")
    args = parser.parse_args()

    files = all_files()
    chosen = files if args.all else changed_files()
    sources = [path for path in files if path.suffix in (".cpp", ".h", ".c")]
    known = compiled(args.build)
    tidy = [path for path in chosen if path.suffix == ".cpp" and ROOT / path in known]
    mlir_include, tblgen = check_ods.llvm_paths(args.build)

    checks = {
        "clang-format": lambda: each_file(sources, ["clang-format-22", "--dry-run", "--Werror"]),
        "clang-tidy": lambda: each_file(tidy, ["clang-tidy-22", "--quiet", "-p", args.build]),
        "headers": lambda: check_headers.check(check_headers.select(chosen), args.build),
        "layering": check_layering.check,
        "ods": lambda: check_ods.check(ROOT, mlir_include, tblgen),
        "style": check_style.check,
        "symbols": lambda: check_symbols.check(args.build, tblgen.parent),
        "ruff": lambda: each_file([path for path in files if path.suffix == ".py"],
                                  [sys.executable, "-m", "ruff", "check", "--quiet", "--no-cache"]),
    }
    total = Result()
    for name, check in checks.items():
        result = check()
        result.show()
        passed, failed = result.counts()
        print(f"lint {name}: {passed} passed, {failed} failed", flush=True)
        total.items |= {f"{name} {item}" for item in result.items}
        total.problems += [(f"{name} {item}", None) for item, _ in result.problems]
    total.show = lambda: None
    finish(total)


if __name__ == "__main__":
    main()
