#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Attention with 32 query and 8 key/value heads of 128, beside numpy with OpenBLAS and what the machine can do.

Decode: one query and n keys, in GB/s of keys and values, beside the rate at which the machine reads memory. Prefill: n
queries and n keys, in GFLOP/s, beside a product of matrices of 1024 by OpenBLAS; a causal one counts half. numpy
computes in f32. Medians, interleaved, caches flushed in between; CPU time with one thread, wall time with more.
Each result is compared with float64. Runs after ./check or a build:

    .venv/bin/python3 benchmarks/attention.py [--threads 1] [--decode 100,1000,4096,8000] [--prefill 512]
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADS, KV_HEADS, DEPTH = 32, 8, 128
CODE = """
#q = #relax_sym.shape<[1, {heads}, {queries}, {depth}]>
#k = #relax_sym.shape<[1, {kv_heads}, n, {depth}]>
func.func @main(%q: tensor<1x{heads}x{extent}x{depth}x{type}, #q> {{relax.name = "q"}},
                %k: tensor<1x{kv_heads}x?x{depth}x{type}, #k> {{relax.name = "k"}},
                %v: tensor<1x{kv_heads}x?x{depth}x{type}, #k> {{relax.name = "v"}})
    -> (tensor<1x{heads}x{extent}x{depth}x{type}, #q> {{relax.name = "y"}})
    attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %r = relax.attention %q, %k, %v {{{causal}}} : (tensor<1x{heads}x{extent}x{depth}x{type}, #q>,
      tensor<1x{kv_heads}x?x{depth}x{type}, #k>, tensor<1x{kv_heads}x?x{depth}x{type}, #k>)
      -> tensor<1x{heads}x{extent}x{depth}x{type}, #q>
  return %r : tensor<1x{heads}x{extent}x{depth}x{type}, #q>
}}
"""
UNFUSED = "--disable=fusion"


def attend(np, q, k, v, causal):
    """Attention in the precision of the operands; heads that share keys are rows of one product."""
    queries, keys = q.shape[2], k.shape[2]
    scores = q.reshape(KV_HEADS, -1, DEPTH) @ k[0].transpose(0, 2, 1) * q.dtype.type(DEPTH ** -0.5)
    if causal:
        scores.reshape(HEADS, queries, keys)[:, np.triu(np.ones((queries, keys), bool), 1)] = -np.inf
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    return (scores @ v[0]).reshape(q.shape)


def median_times(functions, clock, repeats):
    """Medians of functions that take turns; caches are flushed in between."""
    flush, times = bytearray(64 << 20), [[] for _ in functions]
    for _ in range(repeats):
        for function, kept in zip(functions, times):
            flush[:] = bytes(len(flush))
            start = clock()
            function()
            kept.append(clock() - start)
    return [statistics.median(kept) for kept in times]


def compile_modules(relax, args, folder, **parts):
    """The program as it is compiled by default and without fusion."""
    modules, source = [], pathlib.Path(folder, "attention.mlir")
    source.write_text(CODE.format(heads=HEADS, kv_heads=KV_HEADS, depth=DEPTH, **parts))
    for number, options in enumerate(([], [UNFUSED])):
        artifact = pathlib.Path(folder, f"{number}.rlx")
        command = [args.build / "bin/relax-compile", "--target=native", source, "-o", artifact, *options]
        subprocess.run(command, check=True)
        modules.append(relax.load(artifact, threads=args.threads))
    return modules


def measure(np, modules, dtype, queries, keys, causal, args):
    """Rates of fused and unfused code, of numpy in f32, of what the machine can do, and numpy's time over ours."""
    rng = np.random.default_rng(keys)
    shapes = {"q": (1, HEADS, queries, DEPTH), "k": (1, KV_HEADS, keys, DEPTH), "v": (1, KV_HEADS, keys, DEPTH)}
    inputs = {name: rng.standard_normal(shape, dtype=np.float32).astype(dtype) for name, shape in shapes.items()}
    plain = {name: array.astype(np.float32) for name, array in inputs.items()}
    exact = attend(np, *(array.astype(np.float64) for array in inputs.values()), causal)
    limit = 1e-5 if dtype == np.float32 else 1e-2
    for module in modules:
        error = np.abs(module(**inputs)["y"].astype(np.float64) - exact).max() / np.abs(exact).max()
        assert error < limit, f"n = {keys}: error {error}"
    slab, square = np.ones(64 << 20, np.float32), np.ones((1024, 1024), np.float32)
    can = (lambda: np.dot(slab, slab)) if queries == 1 else (lambda: square @ square)
    work = 4 * len(slab) if queries == 1 else 2 * 1024 ** 3
    functions = [lambda: modules[0](**inputs), lambda: modules[1](**inputs),
                 lambda: attend(np, *plain.values(), causal)]
    # Other programs count least in the CPU time of one thread; several have only wall time.
    clock = time.process_time if args.threads == 1 else time.perf_counter
    *times, peak = median_times([*functions, can], clock, args.repeats)
    if queries == 1:
        ours, numpy = (2 * arrays["k"].nbytes for arrays in (inputs, plain))
    else:
        ours = numpy = 4 * HEADS * DEPTH * queries * keys // (1 + causal)
    rates = [1e-9 * amount / seconds for amount, seconds in zip((ours, ours, numpy), times)]
    return rates, 1e-9 * work / peak, times[2] / times[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--decode", default="100,1000,4096,8000")
    parser.add_argument("--prefill", default="512")
    parser.add_argument("--types", default="f32,bf16")
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = str(args.threads)
    sys.path.insert(0, str(args.build / "python"))
    import ml_dtypes
    import numpy as np
    import relax

    dtypes = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
    print(f"{HEADS} query, {KV_HEADS} key/value heads of {DEPTH}, {args.threads} thread(s), medians of {args.repeats}")
    print("                      n   fused unfused   numpy machine    %   numpy time / our time")
    kinds = [("decode", args.decode, False), ("prefill", args.prefill, False), ("causal prefill", args.prefill, True)]
    with tempfile.TemporaryDirectory() as folder:
        for kind, sizes, causal in kinds:
            one = kind == "decode"
            for name in args.types.split(","):
                modules = compile_modules(relax, args, folder, queries=1 if one else "n", extent=1 if one else "?",
                                          type=name, causal="causal" if causal else "")
                for n in filter(None, sizes.split(",")):
                    queries = 1 if one else int(n)
                    rates, peak, ratio = measure(np, modules, dtypes[name], queries, int(n), causal, args)
                    row = "".join(f"{rate:8.2f}" for rate in [*rates, peak])
                    print(f"{kind:14} {name:4} {n:>4}{row} {100 * rates[0] / peak:4.0f}   {ratio:.2f} "
                          f"{'GB/s' if one else 'GFLOP/s'}", flush=True)


if __name__ == "__main__":
    main()
