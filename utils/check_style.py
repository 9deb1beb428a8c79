#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""House rules that a search can check: length, licence line, no global options in libraries, no machine's paths."""
import argparse
import re

from checking import ROOT, Result, all_files, finish

LIMIT = 800
SOURCE = {".cpp", ".h", ".c", ".td", ".py", ".pyi"}
LICENCE = "Licensed under the Apache License, Version 2.0. See LICENSE."
GLOBAL_OPTION = re.compile(r"\bcl::(opt|list|bits|alias)\s*<|\bcl::alias\s+\w")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home)/\w")


def check(root=ROOT):
    result = Result()
    for path in all_files(root):
        if path.suffix not in SOURCE and path.suffix not in {".mlir", ".md", ".cmake", ".txt"}:
            continue
        text = (root / path).read_text(errors="replace")
        lines = text.splitlines()
        result.ok(path)
        if path.suffix in SOURCE:
            if len(lines) > LIMIT:
                result.bad(path, f"has {len(lines)} lines, the limit is {LIMIT}: split it")
            if lines and not any(LICENCE in line for line in lines[:8]):
                result.bad(path, f"does not start with the line '{LICENCE}'")
        for number, line in enumerate(lines, 1):
            if MACHINE_PATH.search(line):
                result.bad(f"{path}", f"line {number} names a path of one machine: {line.strip()}")
            if path.parts[0] in ("lib", "include") and GLOBAL_OPTION.search(line):
                result.bad(f"{path}", f"line {number} declares a global command-line option: use pass options")
    return result


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    finish(check())
