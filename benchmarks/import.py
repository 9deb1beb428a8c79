#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Time and peak resident memory of the import of an ONNX model, beside the size of its files.

Weights stay where they are; reading them once for their checksums is part of the time. Without a model, a decoder of
1.2 GB with random weights is made in a temporary folder first. Runs after ./check or a build:

    .venv/bin/python3 benchmarks/import.py [--runs 3] [--rename-dim=NAME=SYMBOL ...] [MODEL.onnx...]
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import onnx

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test/python"))


def list_files(path):
    """The model and its external data."""
    locations = {entry.value for tensor in onnx.load(path, load_external_data=False).graph.initializer
                 for entry in tensor.external_data if entry.key == "location"}
    return [path, *(path.parent / location for location in sorted(locations))]


# A process's peak counts that of the process which started it, so one that holds nothing starts it.
STARTER = """
import resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.call(sys.argv[1:])
print(code, time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def measure(command):
    """Seconds and peak resident bytes of a process."""
    process = subprocess.run([sys.executable, "-c", STARTER, *command], check=True, stdout=subprocess.PIPE, text=True)
    code, seconds, peak = process.stdout.split()
    if code != "0":
        sys.exit(f"the import failed: {code}")
    return float(seconds), int(peak)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    args, options = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not args.models:
            from generated_models import DECODER, save_decoder
            args.models = [folder / "decoder.onnx"]
            save_decoder(args.models[0], **DECODER, external=True)
        print("model\tMB of files\tseconds\tpeak MB\tpeak / files")
        for model in args.models:
            size = sum(path.stat().st_size for path in list_files(model))
            for _ in range(args.runs):
                seconds, peak = measure([args.build / "bin/relax-translate", "--import-onnx", model, *options,
                                         "-o", folder / "model.mlir"])
                print(f"{model.name}\t{size / 1e6:.1f}\t{seconds:.2f}\t{peak / 1e6:.1f}\t{peak / size:.3f}", flush=True)


if __name__ == "__main__":
    main()
