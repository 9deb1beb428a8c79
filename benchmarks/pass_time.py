#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""CPU time of import and passes, up to and including the memory plan, and of compilations, beside TVM's and IREE's.

Two decoders that differ in the number of their layers are compiled up to relax-verify-planned, which also is where
`--after` stops: no kernel is lowered. TVM runs what its CPU pipeline does up to StaticPlanBlockMemory (see
tvm_plans.py), with a Python that --tvm or the environment variable RELAX_TVM names. Runs take turns, and medians are
printed. The whole of our process counts, start and output included; of TVM's, import and passes only. Ours verifies the
module behind each pass, TVM's does not by default. With --whole, the first decoder is also compiled to the end: to an
artifact, to TVM's library, and by iree-import-onnx and iree-compile for the CPU, where --iree or RELAX_IREE names a
Python that has iree-base-compiler and onnx; a peer that is faster makes the exit code 1.
Runs after a build:

    .venv/bin/python3 benchmarks/pass_time.py [--depths 32 128] [--repeat 5] [--limit 4.4] [--tvm PYTHON]
        [--tvm-limit 0.5] [--passes] [--whole] [--iree PYTHON] [--compiler PATH]
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "python"))

from generated_models import SMALL_DECODER, save_decoder  # noqa: E402


def run(command):
    """(CPU seconds, what it printed)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"pass_time.py: {command[0]}: {done.stderr[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def read_trace(path):
    """Milliseconds of each pass, in the order in which they first run."""
    times = {}
    for event in sorted(json.loads(path.read_text())["traceEvents"], key=lambda event: event["ts"]):
        times[event["name"]] = times.get(event["name"], 0) + event["dur"] / 1000
    return times


def run_iree(python, model, folder):
    """CPU seconds of import and compilation."""
    tools = pathlib.Path(python).parent
    imported = run([str(tools / "iree-import-onnx"), str(model), "-o", str(folder / "iree.mlir"), "--data-prop"])[0]
    return imported + run([str(tools / "iree-compile"), str(folder / "iree.mlir"), "-o", str(folder / "iree.vmfb"),
                           "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
                           "--iree-llvmcpu-target-cpu=x86-64-v3", "--iree-opt-level=O3"])[0]


def compare_whole(args, model, folder):
    """Prints medians of whole compilations; whether ours is the fastest."""
    script, times = str(ROOT / "benchmarks" / "tvm_plans.py"), {"ours": []}
    for _ in range(args.repeat):
        times["ours"].append(run([args.compiler, str(model), "-o", str(folder / "model.rlx")])[0])
        if args.tvm:
            output = run([args.tvm, script, str(model), "--compile", str(folder / "tvm.so")])[1]
            times.setdefault("TVM", []).append(json.loads(output.splitlines()[-1])["seconds"])
        if args.iree:
            times.setdefault("IREE", []).append(run_iree(args.iree, model, folder))
    medians = {name: statistics.median(seconds) for name, seconds in times.items()}
    print("whole compilation: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in medians.items()))
    return medians["ours"] == min(medians.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depths", type=int, nargs=2, default=[32, 128], help="layers of the decoders")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--limit", type=float, help="exit with 1 when the second depth takes more than this many times")
    parser.add_argument("--tvm", default=os.environ.get("RELAX_TVM"), help="a Python that has TVM")
    parser.add_argument("--tvm-limit", type=float,
                        help="exit with 1 when the first depth takes more than this part of TVM's time")
    parser.add_argument("--passes", action="store_true", help="also print the time of each pass, by the clock")
    parser.add_argument("--whole", action="store_true", help="compile the first decoder to the end, too")
    parser.add_argument("--iree", default=os.environ.get("RELAX_IREE"), help="a Python that has iree-base-compiler")
    parser.add_argument("--compiler", default=str(ROOT / "build/bin/relax-compile"))
    args = parser.parse_args()
    ours, passes, peer = {depth: [] for depth in args.depths}, {depth: [] for depth in args.depths}, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for depth in args.depths:
            save_decoder(folder / f"{depth}.onnx", folded=True, **{**SMALL_DECODER, "layers": depth})
        for _ in range(args.repeat):
            for depth in args.depths:
                seconds, _ = run([args.compiler, str(folder / f"{depth}.onnx"), "--emit=mlir",
                                  "--after=relax-verify-planned", "-o", str(folder / "planned.mlir"),
                                  "--trace", str(folder / "trace.json")])
                ours[depth].append(seconds)
                passes[depth].append(read_trace(folder / "trace.json"))
            if args.tvm:
                script = str(ROOT / "benchmarks" / "tvm_plans.py")
                peer.append(json.loads(run([args.tvm, script, str(folder / f"{args.depths[0]}.onnx")])[1]
                                       .splitlines()[-1])["seconds"])
        fastest = not args.whole or compare_whole(args, folder / f"{args.depths[0]}.onnx", folder)
    if args.passes:
        print(f"{'ms':34} " + " ".join(f"{depth:>8}" for depth in args.depths))
        for key in passes[args.depths[0]][0]:
            row = (statistics.median(times.get(key, 0) for times in passes[depth]) for depth in args.depths)
            print(f"{key:34} " + " ".join(f"{time:8.1f}" for time in row))
    few, many = (statistics.median(ours[depth]) for depth in args.depths)
    ratio = many / few
    times = ", ".join(f"{depth} layers {time:.2f} s" for depth, time in zip(args.depths, (few, many)))
    print(f"import and passes: {times}, ratio {ratio:.2f}")
    part = few / statistics.median(peer) if peer else 0
    if peer:
        print(f"TVM, {args.depths[0]} layers: {statistics.median(peer):.2f} s, of which ours is {part:.3f}")
    return 1 if not fastest or (args.tvm_limit and part > args.tvm_limit) or (args.limit and ratio > args.limit) else 0


if __name__ == "__main__":
    sys.exit(main())
