#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""What one more layer costs in a decoder: launches, and bytes that kernels read and write.

Decoders with one layer and with two are compiled with and without fusion; the difference is one layer. Launches are
calls of kernels and library functions, `grid` counts those whose kernels have a range that is divided among threads.
Bytes are those of the operands and results of each call, beside the least, which is what a layer's weights, cache and
the new rows of it take when everything else stays in registers. Where --tvm or the environment variable RELAX_TVM names
a Python that has it, TVM's launches for the same file (see tvm_launches.py) stand beside. Runs after a build:

    .venv/bin/python3 benchmarks/layers.py [--size small|medium|large] [--prefill 128] [--past 128]
        [--tvm PYTHON]
"""
import argparse
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "python"))

from generated_models import DECODER, SMALL_DECODER, save_decoder  # noqa: E402
from memory_plans import evaluate  # noqa: E402

MEDIUM = {"hidden": 512, "heads": 8, "kv_heads": 2, "inner": 1408, "vocabulary": 4000}
CALL = re.compile(r"= relax\.call_(?:tp|dps) @([\w.]+)\(.* : \((.*)\) -> (.*)$")
TENSOR = re.compile(r"tensor<((?:[\d?]+x)*)([a-z]+)(\d+)(?:, #relax_sym\.shape<\[(.*?)\]>)?>")


def get_bytes(types, sizes):
    """Bytes of all tensors in a list of types."""
    total = 0
    for dims, _, bits, shape in TENSOR.findall(types):
        count = 1
        for extent in re.split(r", (?![^(]*\))", shape) if shape else dims.split("x")[:-1]:
            count *= evaluate(extent, sizes)
        total += count * int(bits) // 8
    return total


def compile_model(model, output, *options, after="relax-verify-planned"):
    """The module behind a pass, the end of the planned phase, is in `output`."""
    done = subprocess.run([str(ROOT / "build/bin/relax-compile"), str(model), "--emit=mlir",
                           f"--after={after}", "-o", str(output), *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"layers.py: {done.stderr[:2000]}")


def find_divided(kernels):
    """Names of the kernels that are divided among threads."""
    return set(re.findall(r"^ *func\.func private @([\w.]+)\(.*relax_tp\.range = ", kernels.read_text(errors="replace"),
                          re.MULTILINE))


def count(planned, divided, sizes):
    """(calls, calls of divided kernels, bytes) of the main function."""
    text = planned.read_text(errors="replace")
    aliases = dict(re.findall(r"^(#\w+) = (#relax_sym\.shape<.*>)$", text, re.MULTILINE))
    calls = grid = total = 0
    for line in text[text.index("func.func @main"):].splitlines():
        line = re.sub(r"#\w+(?=>)", lambda match: aliases.get(match.group(0), match.group(0)), line)
        if match := CALL.search(line):
            calls += 1
            grid += match.group(1) in divided
            # Destinations are among the operands, and each is a result.
            total += get_bytes(match.group(2), sizes)
    return calls, grid, total


def count_tvm(python, folder, size):
    """Launches of one layer in TVM, by phase."""
    counts = []
    for layers in (1, 2):
        model = folder / "decoder.onnx"
        save_decoder(model, layers=layers, **size, folded=True)
        done = subprocess.run([python, str(ROOT / "benchmarks/tvm_launches.py"), str(model)], capture_output=True,
                              text=True)
        if done.returncode:
            sys.exit(f"layers.py: {python}: {done.stderr[-2000:]}")
        counts.append(json.loads(done.stdout.splitlines()[-1]))
    return {phase: counts[1][phase] - counts[0][phase] for phase in counts[0]}


def get_least(sizes, hidden, heads, kv_heads, inner, **_):
    """Weights, the cache read and written, the row that goes from layer to layer read and written; f32."""
    width = hidden // heads
    weights = 2 * hidden * hidden + 2 * hidden * kv_heads * width + 3 * hidden * inner + 2 * hidden
    cache = 2 * kv_heads * width * sizes["b"] * (2 * sizes["p"] + sizes["s"])
    return 4 * (weights + cache + 2 * sizes["b"] * sizes["s"] * hidden)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=("small", "medium", "large"), default="medium",
                        help="width of the layers; large is that of the decoder of the other benchmarks")
    parser.add_argument("--prefill", type=int, default=128)
    parser.add_argument("--past", type=int, default=128)
    parser.add_argument("--tvm", default=os.environ.get("RELAX_TVM"), help="a Python that has TVM")
    args = parser.parse_args()
    size = {"small": SMALL_DECODER, "medium": MEDIUM, "large": DECODER}[args.size]
    size = {name: value for name, value in size.items() if name != "layers"}
    points = {f"prefill {args.prefill}": {"b": 1, "s": args.prefill, "p": 0},
              f"decode at {args.past}": {"b": 1, "s": 1, "p": args.past}}
    with tempfile.TemporaryDirectory() as folder:
        model, planned = pathlib.Path(folder) / "decoder.onnx", pathlib.Path(folder) / "planned.mlir"
        rows = {}
        forms = {"heads repeated": False, "heads folded": True}
        for form, layers in itertools.product(forms, (1, 2)):
            save_decoder(model, layers=layers, **size, external=args.size == "large", folded=forms[form])
            for title, options in (("default", []), ("without fusion", ["--disable=fusion"])):
                compile_model(model, planned, *options, after="relax-partition-kernels")
                divided = find_divided(planned)
                compile_model(model, planned, *options)
                rows[form, title, layers] = {where: count(planned, divided, sizes) for where, sizes in points.items()}
        print("one layer                                    launches  grid       MB   least MB")
        for form, title, (where, sizes) in itertools.product(forms, ("default", "without fusion"), points.items()):
            one, two = (rows[form, title, layers][where] for layers in (1, 2))
            launches, grid, moved = (after - before for before, after in zip(one, two))
            least = get_least(sizes, **size) / 1e6
            print(f"{form:14} {where:14} {title:15} {launches:7} {grid:5} {moved / 1e6:8.3f}   {least:8.3f}")
        if args.tvm:
            for phase, launches in count_tvm(args.tvm, pathlib.Path(folder), size).items():
                print(f"{'heads folded':14} {'TVM':14} {phase:30} {launches}")


if __name__ == "__main__":
    main()
