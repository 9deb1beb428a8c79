#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""f32 GEMM of (n, K) by (K, N) against OpenBLAS as numpy ships it, interleaved in one run, one artifact for all n.

Prints GFLOP/s of medians and the ratio; each result is compared with float64. Weights are in the artifact, where the
compiler packs them; with --weights=input they are an input, and the ratio shows the generated kernel alone. OpenBLAS
packs in every call, its interface leaves it no choice. Runs after ./check or a build:

    .venv/bin/python3 benchmarks/gemm.py [--threads 1] [--sizes 1,4,16,64,255] [--weights input]
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = """
{data}
func.func @main(%x: tensor<?x{k}xf32, #relax_sym.shape<[n, {k}]>> {{relax.name = "x"}}{argument})
    -> (tensor<?x{m}xf32, #relax_sym.shape<[n, {m}]>> {{relax.name = "y"}})
    attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  {weight}
  %r = relax.matmul %x, %w : (tensor<?x{k}xf32, #relax_sym.shape<[n, {k}]>>, tensor<{k}x{m}xf32>)
      -> tensor<?x{m}xf32, #relax_sym.shape<[n, {m}]>>
  return %r : tensor<?x{m}xf32, #relax_sym.shape<[n, {m}]>>
}}
"""
DATA = 'relax.weight_data @w : tensor<{k}x{m}xf32> = #relax.blob<"{file}", 0, {bytes}, "{crc:08x}">'
WEIGHT, ARGUMENT = "%w = relax.weight @w : tensor<{k}x{m}xf32>", ', %w: tensor<{k}x{m}xf32> {{relax.name = "w"}}'


def write_source(folder, w, as_input):
    """The program, with the weights in a file beside it or as an input."""
    source, data = folder / "gemm.mlir", folder / "gemm.bin"
    data.write_bytes(w.tobytes())
    values = {"k": w.shape[0], "m": w.shape[1], "file": data, "bytes": w.nbytes, "crc": zlib.crc32(w.tobytes())}
    used = {"argument": ARGUMENT} if as_input else {"data": DATA, "weight": WEIGHT}
    parts = {key: used.get(key, "").format(**values) for key in ("data", "weight", "argument")}
    source.write_text(CODE.format(k=w.shape[0], m=w.shape[1], **parts))
    return source


def median_times(first, second, repeats):
    """Medians of two functions that take turns; caches are flushed in between."""
    flush, times = bytearray(64 << 20), ([], [])
    for _ in range(repeats):
        for function, kept in zip((first, second), times):
            flush[:] = bytes(len(flush))
            start = time.perf_counter()
            function()
            kept.append(time.perf_counter() - start)
    return [statistics.median(kept) for kept in times]


def measure(np, module, n, w, args):
    """The ratio at one size, printed."""
    x = np.random.default_rng(n).standard_normal((n, args.k), dtype=np.float32)
    exact = x.astype(np.float64) @ w
    inputs = {"x": x, "w": w} if args.weights == "input" else {"x": x}
    error = np.abs(module(**inputs)["y"] - exact).max() / np.abs(exact).max()
    assert error < 1e-5, f"n = {n}: error {error}"
    theirs, ours = median_times(lambda: x @ w, lambda: module(**inputs), args.repeats)
    flops = 2e-9 * n * args.k * args.m
    print(f"{n:4} {flops / theirs:9.1f} {flops / ours:9.1f}   {theirs / ours:.2f}", flush=True)
    return theirs / ours


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--weights", choices=["artifact", "input"], default="artifact")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--k", type=int, default=2048)
    parser.add_argument("--m", type=int, default=5632)
    parser.add_argument("--sizes", default="1,2,3,4,7,8,16,33,64,128,255,512")
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args()
    for variable in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        os.environ.pop(variable, None)
    os.environ["OPENBLAS_NUM_THREADS"] = str(args.threads)
    sys.path.insert(0, str(args.build / "python"))
    import numpy as np
    import relax

    w = np.random.default_rng(0).standard_normal((args.k, args.m), dtype=np.float32)
    with tempfile.TemporaryDirectory() as folder:
        source = write_source(pathlib.Path(folder), w, args.weights == "input")
        artifact = pathlib.Path(folder, "gemm.rlx")
        subprocess.run([args.build / "bin/relax-compile", "--target=native", source, "-o", artifact], check=True)
        module = relax.load(artifact, threads=args.threads)
    print(f"f32 (n, {args.k}) x ({args.k}, {args.m}), weights: {args.weights}, {args.threads} thread(s), "
          f"medians of {args.repeats}")
    print("   n  OpenBLAS     relax   GFLOP/s; ratio = OpenBLAS time / our time")
    ratios = [measure(np, module, n, w, args) for n in map(int, args.sizes.split(","))]
    print(f"geometric mean of the ratios: {statistics.geometric_mean(ratios):.2f}")


if __name__ == "__main__":
    main()
