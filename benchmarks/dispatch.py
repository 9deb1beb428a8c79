#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Measures from which sizes the functions of a library description are faster than generated code, on this machine, and
writes the table that `relax-compile --dispatch-table` and `relax-dispatch-by-shape` read.

Each pattern of the description runs with and without its library, interleaved, at sizes from a grid. The border is the
least product of the pattern's symbols from which the library wins at all measured sizes but --outliers of them. A
function that is not found, or never wins, is switched off. Runs after ./check or a build:

    .venv/bin/python3 benchmarks/dispatch.py share/libraries/openblas.mlir -o table.json [--threads 1]
"""
import argparse
import functools
import itertools
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATTERN = re.compile(r"func\.func private @(?P<name>\w+)[^{]*?(?:\{[^}]*\}[^{]*?)*"
                     r"attributes \{relax_ext\.library = @(?P<library>\w+)")
NEVER = ["0 >= 1"]


def median_times(functions, repeats):
    """Medians of functions that take turns, in seconds of the process."""
    times = [[] for _ in functions]
    for _ in range(repeats):
        for function, kept in zip(functions, times):
            start = time.process_time()
            function()
            kept.append(time.process_time() - start)
    return [statistics.median(kept) for kept in times]


def find_symbols(function):
    """The symbols of a function's inputs."""
    text = " ".join(str(dim) for tensor in function.inputs for dim in tensor.dims)
    return sorted(set(re.findall(r"[A-Za-z_]\w*", text)) - {"floordiv", "ceildiv", "mod", "min", "max"})


def make_inputs(np, relax, function, sizes):
    """Random arrays for the inputs of a function, for values of its symbols."""
    rng = np.random.default_rng(0)
    extents = [[relax.expr(str(dim))(**sizes) for dim in tensor.dims] for tensor in function.inputs]
    return [rng.standard_normal(dims).astype(tensor.dtype) for dims, tensor in zip(extents, function.inputs)]


def measure(np, relax, modules, name, args):
    """The symbols, and (product of sizes, library's time / generated code's time) at each size of the grid, sorted."""
    symbols, found = find_symbols(modules[0][name]), []
    for values in itertools.product(map(int, args.sizes.split(",")), repeat=len(symbols)):
        if math.prod(values) > args.most:
            continue
        arrays = make_inputs(np, relax, modules[0][name], dict(zip(symbols, values)))
        functions = [functools.partial(module[name], *arrays) for module in modules]
        ours, theirs = (function() for function in functions)
        for one, other in zip(ours.values(), theirs.values()):
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-3)
        generated, library = median_times(functions, args.repeats)
        found.append((math.prod(values), library / max(generated, 1e-9)))
    return symbols, sorted(found)


def find_border(found, outliers):
    """The least product from which the library wins; None when it never does."""
    for index, (product, _) in enumerate(found):
        rest = [ratio for _, ratio in found[index:]]
        if sum(ratio > 1 for ratio in rest) <= outliers * len(rest):
            return product
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("description", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sizes", default="1,4,16,64,256")
    parser.add_argument("--most", type=int, default=1 << 24, help="greatest product of sizes that is measured")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--outliers", type=float, default=0.1)
    args = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = str(args.threads)
    sys.path.insert(0, str(args.build / "python"))
    import numpy as np
    import relax

    description, table = args.description.read_text(), {"functions": {}}
    with tempfile.TemporaryDirectory() as folder:
        # The patterns themselves are the programs.
        source = pathlib.Path(folder, "patterns.mlir")
        source.write_text(description.replace("func.func private", "func.func"))
        modules = []
        for options in ([], [f"--libraries={args.description}"]):
            artifact = pathlib.Path(folder, f"{len(modules)}.rlx")
            subprocess.run([args.build / "bin/relax-compile", "--target=native", "--function=*", source, "-o", artifact,
                            *options], check=True)
            modules.append(relax.load(artifact, threads=args.threads))
        for pattern in PATTERN.finditer(description):
            name, library = pattern.group("name"), pattern.group("library")
            before = modules[1].counters["library_calls"]
            symbols, found = measure(np, relax, modules, name, args)
            border = find_border(found, args.outliers) if modules[1].counters["library_calls"] > before else None
            when = NEVER if border is None else [f"{' * '.join(symbols)} >= {border}"]
            table["functions"][library] = {"when": when}
            mean = statistics.geometric_mean(ratio for _, ratio in found)
            print(f"{library}: {when[0]}; library's time / generated code's at {len(found)} sizes: {found[0][1]:.2f} "
                  f"at {found[0][0]}, {found[-1][1]:.2f} at {found[-1][0]}, mean {mean:.2f}", flush=True)
    args.output.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
