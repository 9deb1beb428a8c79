#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""What each group of passes does for a decoder: graph rewrites, fusion, library dispatch, memory planning and
graph capture on and off.

A decoder with a cache (test/python/generated_models.py, or --model FILE.onnx with the same inputs) is compiled once for
each row and run as prefill and as one step of decoding. Printed: milliseconds of one call (the median, and of the
processor's time the least), kernel launches and library calls, megabytes of the arena and of arena and results,
captures and replays. Results of all rows are compared. Rows: everything on, each switch off, everything off; --all
gives every combination. Without the switch for planning, every tensor of the arena has a place of its own. Runs after
a build:

    .venv/bin/python3 benchmarks/ablation.py [--size small|medium|large] [--prefill 128] [--past 128] [--threads 1]
                                             [--all]
"""
import argparse
import itertools
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "python"))
sys.path.insert(0, str(ROOT / "build" / "python"))

SWITCHES = ("rewrites", "fusion", "libraries", "planning", "capture")


def get_options(on):
    """Flags of relax-compile for the switches that are on."""
    groups = (("moves", "rewrites"), ("products", "rewrites"), ("fusion", "fusion"), ("sharing", "planning"))
    disabled = [group for group, switch in groups if switch not in on]
    return [*(["--disable=" + ",".join(disabled)] if disabled else []),
            *(["--enable=products"] if "rewrites" in on else []),
            *(["--libraries=openblas"] if "libraries" in on else []), *(["--capture"] if "capture" in on else [])]


def get_rows(every):
    if every:
        counts = range(len(SWITCHES), -1, -1)
        sets = [set(chosen) for count in counts for chosen in itertools.combinations(SWITCHES, count)]
    else:
        sets = [set(SWITCHES), *(set(SWITCHES) - {off} for off in SWITCHES), set()]
    return [tuple(name for name in SWITCHES if name in chosen) for chosen in sets]


class Measurement:
    """One function of one artifact at one size."""

    def __init__(self, relax, artifact, inputs, threads, repeat):
        executable = relax.load(artifact, threads=threads)
        function = executable["main"]
        self.results = function(**inputs)
        before = executable.counters
        wall, cpu = [], []
        for _ in range(repeat):
            start, used = time.perf_counter(), time.process_time()
            function(**inputs)
            wall.append(time.perf_counter() - start)
            cpu.append(time.process_time() - used)
        after = executable.counters
        self.wall, self.cpu = 1e3 * statistics.median(wall), 1e3 * min(cpu)
        self.launches, self.calls = ((after[name] - before[name]) // repeat
                                     for name in ("kernel_launches", "library_calls"))
        self.arena = after["arena_bytes"] / 1e6
        self.total = self.arena + sum(result.nbytes for result in self.results.values()) / 1e6
        self.captures, self.replays = after["captures"], after["replays"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=("small", "medium", "large"), default="medium",
                        help="large is the decoder of the other benchmarks: 1.2 GB")
    parser.add_argument("--model", help="an ONNX file instead")
    parser.add_argument("--prefill", type=int, default=128)
    parser.add_argument("--past", type=int, default=128)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--all", action="store_true", help="every combination of the switches")
    args = parser.parse_args()

    os.environ.setdefault("OPENBLAS_NUM_THREADS", str(args.threads))  # read when the library is loaded
    import numpy as np
    import relax
    from generated_models import DECODER, SMALL_DECODER, decoder_inputs, save_decoder
    medium = {"layers": 2, "hidden": 512, "heads": 8, "kv_heads": 2, "inner": 1408, "vocabulary": 4000}
    size = {"small": SMALL_DECODER, "medium": medium, "large": DECODER}[args.size]
    points = {f"prefill {args.prefill}": decoder_inputs(1, args.prefill, 0, **size),
              f"decode at {args.past}": decoder_inputs(1, 1, args.past, **size)}
    with tempfile.TemporaryDirectory() as folder:
        model, artifact = pathlib.Path(args.model or f"{folder}/decoder.onnx"), pathlib.Path(folder) / "out.rlx"
        if not args.model:
            save_decoder(model, **size, external=args.size == "large")
        print(f"{' '.join(SWITCHES):34}  at                 ms   cpu ms  launches  library    arena MB  with results  "
              "captures  replays")
        first = {}
        for on in get_rows(args.all):
            done = subprocess.run([ROOT / "build/bin/relax-compile", model, "-o", artifact, *get_options(on)],
                                  capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"ablation.py: {done.stderr[:2000]}")
            title = " ".join(("on" if name in on else "off").center(len(name)) for name in SWITCHES)
            for where, inputs in points.items():
                m = Measurement(relax, artifact, inputs, args.threads, args.repeat)
                for name, want in first.setdefault(where, m.results).items():
                    if not np.allclose(m.results[name], want, rtol=1e-3, atol=1e-3):
                        sys.exit(f"ablation.py: {name} differs with {', '.join(on) or 'everything off'}")
                print(f"{title:34}  {where:13}  {m.wall:7.2f}  {m.cpu:7.2f}  {m.launches:8}  {m.calls:7}  "
                      f"{m.arena:10.3f}  {m.total:12.3f}  {m.captures:8}  {m.replays:7}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
