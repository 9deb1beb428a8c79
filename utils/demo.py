#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Classifies files of this checkout with Magika's neural network, compiled by relax-compile.

The PyPI package magika (Apache-2.0) carries the model, bytes[batch, 2048] int32 -> scores[batch, 214], with the batch
size unknown. It is compiled once; one relax-run process then runs the artifact at several batch sizes. onnxruntime runs
the same inputs: every label must be the same, and scores of files that the network is sure of must agree closely. On
other files the network amplifies float32 rounding: there onnxruntime itself differs by up to 2e-4 from the same network
evaluated in float64 (the artifact by 1e-6, since it keeps sums in float64).
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import magika
import numpy as np
import onnxruntime
from checking import all_files
from magika.types import Seekable

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = pathlib.Path(magika.__file__).parent / "models/standard_v3_3"
INPUT, OUTPUT = "bytes", "target_label"
BATCHES = (1, 3, 17)
SURE = 0.9  # score of the best label
TOLERANCE = 1e-5


def fail(message):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(1)


def run(*command):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if process.returncode:
        sys.stderr.write(process.stdout + process.stderr)
        fail(f"{pathlib.Path(command[0]).name} ended with status {process.returncode}")


class Classifier:
    """What surrounds the network: features of a file, and the label of a row of scores."""

    def __init__(self):
        self.config = magika.Magika._load_model_config(MODEL / "config.min.json")

    def features(self, path):
        """2048 tokens: the first and last 1024 bytes, stripped and padded as Magika does; None for too few bytes."""
        config = self.config
        with path.open("rb") as stream:
            file = Seekable(stream)
            if file.size < config.min_file_size_for_dl:
                return None
            found = magika.Magika._extract_features_from_seekable(
                file, config.beg_size, config.mid_size, config.end_size, config.padding_token, config.block_size,
                config.use_inputs_at_offsets)
        if found.beg[config.min_file_size_for_dl - 1] == config.padding_token:
            return None
        return found.beg + found.end

    def label(self, scores):
        best = int(scores.argmax())
        return str(self.config.target_labels_space[best]), float(scores[best])


def choose_files(classifier, count):
    """`count` files of the checkout, of as many kinds as there are."""
    by_kind = {}
    for path in map(ROOT.joinpath, all_files(ROOT)):
        if classifier.features(path):
            by_kind.setdefault(path.suffix or path.name, []).append(path)
    chosen = []
    while len(chosen) < count and any(by_kind.values()):
        for paths in by_kind.values():
            if paths and len(chosen) < count:
                chosen.append(paths.pop(0))
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    args = parser.parse_args()
    artifact = args.build / "magika.rlx"
    model = MODEL / "model.onnx"

    start = time.monotonic()
    run(args.build / "bin/relax-compile", model, "-o", artifact)
    print(f"== compiled {MODEL.name}/{model.name} once into {artifact.name}: {artifact.stat().st_size / 1e6:.1f} MB, "
          f"{time.monotonic() - start:.1f} s")

    classifier = Classifier()
    files = choose_files(classifier, sum(BATCHES))
    reference = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    worst = worst_sure = 0.0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        batches, command, first = [], [args.build / "bin/relax-run", artifact], 0
        for size in BATCHES:
            paths = files[first:first + size]
            first += size
            tokens = np.array([classifier.features(path) for path in paths], dtype=np.int32)
            inputs, outputs = folder / f"in{size}.npz", folder / f"out{size}.npz"
            np.savez(inputs, **{INPUT: tokens})
            command += ["--inputs", inputs, "--outputs", outputs]
            batches.append((paths, tokens, outputs))
        run(*command)
        for paths, tokens, outputs in batches:
            scores = np.load(outputs)[OUTPUT]
            expected = reference.run([OUTPUT], {INPUT: tokens})[0]
            if scores.shape != expected.shape:
                fail(f"the result has shape {scores.shape}, expected {expected.shape}")
            if (scores.argmax(axis=1) != expected.argmax(axis=1)).any():
                fail("a label differs from onnxruntime's")
            difference = np.abs(scores - expected).max(axis=1)
            worst = max(worst, float(difference.max()))
            worst_sure = max(worst_sure, float(difference[expected.max(axis=1) >= SURE].max(initial=0.0)))
            print(f"\n== batch of {len(paths)}\n{'file':52} {'label':12} score")
            for path, row in zip(paths, scores):
                label, score = classifier.label(row)
                print(f"{str(path.relative_to(ROOT)):52} {label:12} {score:.3f}")
    sizes = ", ".join(map(str, BATCHES))
    print(f"\n== one artifact, batches of {sizes}: the same labels as onnxruntime; largest difference of a score "
          f"{worst_sure:.2g} where the best is at least {SURE}, {worst:.2g} elsewhere")
    if not worst_sure <= TOLERANCE:
        fail(f"the difference is above {TOLERANCE}")


if __name__ == "__main__":
    main()
