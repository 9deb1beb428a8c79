#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Structure-aware fuzzing of the ONNX import: mutated messages, not bytes.

  fuzz_onnx.py --bin build/bin [--seed N] [--seconds N] [--keep FOLDER] [MODEL.onnx...]

Each round takes a model (one given, or of onnx.backend.test, half of the time with every input dimension symbolic),
makes it hostile (onnx_mutations.py) and imports it with relax-translate under a limit of time and memory. A finding is
a signal, a hang, a failure without message, memory out of proportion, or output that relax-opt does not take (each 10th
round); its model is kept. The last lines count rounds, models that imported, and kinds of changes.
"""
import argparse
import collections
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import onnx
from google.protobuf.message import DecodeError, EncodeError
from onnx_mutations import mutate

CPU_SECONDS = 10
ADDRESSES = 4 << 30
RESIDENT = 500 << 20


def load_corpus(paths):
    """The given models, twenty times as likely each as one of onnx.backend.test."""
    from onnx.backend.test.loader import load_model_tests

    warnings.simplefilter("ignore")  # the tests divide by zero
    own = [onnx.load(path, load_external_data=False) for path in paths]
    light = [pathlib.Path(case.model_dir, "model.onnx") for kind in ("simple", "pytorch-operator", "pytorch-converted")
             for case in load_model_tests(kind=kind) if case.model_dir]
    tests = [case.model for case in load_model_tests(kind="node") if case.model]
    tests += [onnx.load(path) for path in light if path.exists()]
    tests = [model for model in tests if model.ByteSize() < 1 << 16]
    weights = [20] * len(own) + [1] * len(tests)
    return own + tests, weights


def make_symbolic(model):
    for value in model.graph.input:
        for index, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.dim_param = f"{value.name}{index}"


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, folder):
    """Exit code or minus the signal, what went to stderr, and peak resident bytes."""
    with open(folder / "stderr", "w+b") as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                                   preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        return process.returncode, errors.read(100000), usage.ru_maxrss * 1024


def judge(command, folder):
    """What went wrong, None when nothing, and whether the command succeeded."""
    code, errors, resident = run(command, folder)
    text = errors.decode(errors="replace")
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"hang: more than {CPU_SECONDS} s", False
    if code not in (0, 1):
        return f"status {code}: {text[:400]}", False
    if code == 1 and "error: " not in text:
        return "no message", False
    if resident > RESIDENT:
        return f"memory: {resident >> 20} MiB", False
    return None, code == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    corpus, weights = load_corpus(args.models)
    end, rounds, imported, findings, kinds = time.monotonic() + args.seconds, 0, 0, 0, collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "w.bin").write_bytes(bytes(4096))
        (folder / "link").symlink_to("/etc/hostname")
        path, printed = folder / "model.onnx", folder / "model.mlir"
        while time.monotonic() < end:
            model = onnx.ModelProto()
            model.CopyFrom(rng.choices(corpus, weights)[0])
            if rng.random() < 0.5:
                make_symbolic(model)
            try:
                data, used = mutate(rng, model, lambda: rng.choices(corpus, weights)[0])
            except (EncodeError, DecodeError):  # nested deeper than protobuf writes
                continue
            path.write_bytes(data)
            rounds += 1
            kinds.update(used)
            problem, succeeded = judge([args.bin / "relax-translate", "--import-onnx", path, "-o", printed], folder)
            imported += succeeded
            if succeeded and rounds % 10 == 0:
                command = [args.bin / "relax-opt", "--verify-roundtrip", printed, "-o", "/dev/null"]
                problem, taken = judge(command, folder)
                if not taken and not problem:
                    problem = "relax-opt refuses what was imported"
            if problem:
                findings += 1
                print(f"round {rounds} ({' '.join(used)}): {problem}", flush=True)
                if args.keep:
                    args.keep.mkdir(parents=True, exist_ok=True)
                    (args.keep / f"finding_{args.seed}_{rounds}.onnx").write_bytes(data)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    print(f"{rounds} rounds, {imported} imported, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
