#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Compiles each header alone, without the precompiled header, which would hide a missing include."""
import argparse
import json
import pathlib
import re
import shlex
import subprocess

from checking import ROOT, Result, all_files, changed_files, finish, parallel


def commands_of(build):
    """{folder: a compile command of the build's C++ files there}, and the one for headers elsewhere under ''."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if path.suffix == ".cpp":
            commands.setdefault(str(path.parent), entry["command"])
            if "/lib/Dialect/" in entry["file"]:
                commands.setdefault("", entry["command"])
    return commands


def flags_of(command):
    """Compiler, and include paths, definitions and language options of a compile command."""
    words, kept = shlex.split(command), []
    compiler = next(word for word in words if re.match(r"(clang|g)\+\+", pathlib.Path(word).name))
    for index, word in enumerate(words):
        if word == "-isystem":
            kept += [word, words[index + 1]]
        elif word.startswith(("-I", "-D", "-std=", "-fno-exceptions", "-fno-rtti")):
            kept.append(word)
    return compiler, kept


def check(headers, build, root=ROOT):
    result = Result()
    if not headers:
        return result
    commands = commands_of(build)

    def compile_alone(header):
        compiler, flags = flags_of(commands.get(str((root / header).parent), commands[""]))
        runs = [[compiler, *flags, "-x", "c++"]]
        if "-*- C -*-" in (root / header).read_text().partition("\n")[0]:
            # The first line says that the header is C too.
            runs.append([compiler, *(flag for flag in flags if not flag.startswith("-std=")), "-x", "c", "-std=c11",
                         "-Wall", "-Werror", "-pedantic"])
        for run in runs:
            # Through a file that includes it: '#pragma once' and 'static' in a main file warn otherwise.
            command = [*run, "-fsyntax-only", "-fno-caret-diagnostics", "-ferror-limit=3", "-"]
            process = subprocess.run(command, input=f'#include "{root / header}"\n', capture_output=True, text=True,
                                     cwd=root)
            if process.returncode:
                return process.stderr.strip()
        return None

    for header, error in zip(headers, parallel(compile_alone, headers)):
        if error:
            result.bad(header, f"does not compile alone:\n{error}")
        else:
            result.ok(header)
    return result


def select(files):
    return [path for path in files if path.suffix == ".h" and path.parts[0] in ("include", "lib")]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--all", action="store_true", help="all headers, not only the changed ones")
    args = parser.parse_args()
    finish(check(select(all_files() if args.all else changed_files()), args.build))
