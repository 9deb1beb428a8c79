#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""What a call from Python costs: small functions, whose own work is next to nothing, in microseconds of CPU time.

Each row is the best of some rounds, by the CPU time of the process: other programs on the machine do not count. It runs
after ./check or a build:

    .venv/bin/python3 benchmarks/call.py [--rounds 7] [--limit MICROSECONDS]

With --limit it ends with status 1 when a call by position of arrays of numpy takes longer.
"""
import argparse
import pathlib
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "build/python"))
import relax  # noqa: E402


def measure(call, rounds, count=2000):
    """CPU microseconds of one call."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(count):
            call()
        best = min(best, (time.process_time() - start) / count * 1e6)
    return best


def compile_function():
    n = relax.dim("n")
    with relax.function() as f:
        x, y = f.input("x", (n, 4)), f.input("y", (n, 4))
        f.output(z=x + y)
    return f.module.compile(threads=1)["main"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--limit", type=float, metavar="MICROSECONDS")
    args = parser.parse_args()
    function = compile_function()
    x = np.ones((3, 4), np.float32)
    rows = {"two arrays by position": lambda: function(x, x), "two arrays by name": lambda: function(x=x, y=x)}
    strided = np.ones((6, 4), np.float32)[::2]
    rows["one of them with strides"] = lambda: function(x, strided)
    rows["numpy: x + y"] = lambda: {"z": x + x}
    try:
        import torch
        tensor = torch.ones(3, 4)
        rows["two tensors of PyTorch"] = lambda: function(tensor, tensor)
    except ImportError:
        pass
    results = {name: measure(call, args.rounds) for name, call in rows.items()}
    for name, microseconds in results.items():
        print(f"{name:26} {microseconds:8.2f} us")
    return 1 if args.limit and results["two arrays by position"] > args.limit else 0


if __name__ == "__main__":
    sys.exit(main())
