#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Structure-aware fuzzing of the ONNX import: mutated messages, not bytes.

  fuzz_onnx.py --bin build/bin [--seed N] [--seconds N] [--keep FOLDER] MODEL.onnx...

Each round takes a model, changes a few fields to hostile values (extents, axes, types, names, attributes, cycles,
missing inputs, locations of external data, copied and dropped nodes) and imports it with relax-translate under a limit
of time and memory. A finding is a signal, a hang or a failure without message; its model is kept. The last line counts
the rounds.
"""
import argparse
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

import onnx
from google.protobuf.descriptor import FieldDescriptor

NUMBERS = [0, 1, -1, 2, 3, 7, -2, 64, 65, 255, 2**16, 2**31 - 1, -2**31, 2**31, 2**40, 2**62, 2**63 - 1, -2**63]
FLOATS = [0.0, -1.0, 1e-30, 1e30, float("inf"), float("-inf"), float("nan"), 0.5]
TEXTS = ["", "x", "y", "n", "n+1", "n * n * n", "a b", "\"", "\\", "\x01", "a" * 5000, "../w",
         "/etc/passwd", "ai.onnx", "axis"]
LIMIT = 4 << 30


def messages(message, found=None):
    """The message and all within it."""
    found = [] if found is None else found
    found.append(message)
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for child in (value if field.is_repeated else [value]):
                messages(child, found)
    return found


def pick_scalar(rng, field, names):
    if field.cpp_type in (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE):
        return rng.choice(FLOATS)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return rng.choice(TEXTS + names).encode()[: rng.choice([3, 5000])]
    if field.type == FieldDescriptor.TYPE_STRING:
        return rng.choice(TEXTS + names * 3)
    if field.type == FieldDescriptor.TYPE_ENUM:
        return rng.choice(field.enum_type.values).number
    number = rng.choice(NUMBERS) if rng.random() < 0.7 else rng.randrange(-10, 30)
    return max(-2**31, min(number, 2**31 - 1)) if field.type == FieldDescriptor.TYPE_INT32 else number


def change_list(rng, field, values, names):
    """Drops, repeats, moves or changes an element."""
    index = rng.randrange(len(values)) if values else 0
    kind = rng.choice(["drop", "repeat", "swap", "change"])
    if kind == "drop" and values:
        del values[index]
    elif kind == "repeat" and values:
        copies = rng.choice([1, 1, 1, 3, 70])
        values.extend([values[index]] * copies)
    elif kind == "swap" and len(values) > 1:
        other = rng.randrange(len(values))
        items = list(values)
        items[index], items[other] = items[other], items[index]
        del values[:]
        values.extend(items)
    elif field.type != FieldDescriptor.TYPE_MESSAGE:
        if values:
            values[index] = pick_scalar(rng, field, names)
        else:
            values.append(pick_scalar(rng, field, names))


def mutate(rng, model):
    names = sorted({name for node in model.graph.node for name in [*node.input, *node.output]})
    for _ in range(rng.choice([1, 1, 2, 3, 6])):
        message = rng.choice(messages(model))
        fields = [field for field, _ in message.ListFields()] or list(message.DESCRIPTOR.fields)
        field = rng.choice(fields if rng.random() < 0.85 else list(message.DESCRIPTOR.fields))
        try:
            if field.is_repeated:
                change_list(rng, field, getattr(message, field.name), names)
            elif field.type == FieldDescriptor.TYPE_MESSAGE or rng.random() < 0.2:
                message.ClearField(field.name)
            else:
                setattr(message, field.name, pick_scalar(rng, field, names))
        except (ValueError, TypeError):  # not storable: another round
            continue


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


def run(tool, path, seconds):
    """What went wrong, None when nothing."""
    try:
        process = subprocess.run([str(tool), "--import-onnx", str(path), "-o", "/dev/null"], capture_output=True,
                                 timeout=seconds, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return "hang"
    if process.returncode not in (0, 1):
        return f"status {process.returncode}: {process.stderr.decode(errors='replace')[-300:]}"
    if process.returncode == 1 and b"error: " not in process.stderr:
        return "no message"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    end, rounds, findings = time.monotonic() + args.seconds, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.onnx"
        while time.monotonic() < end:
            model = onnx.load(rng.choice(args.models), load_external_data=False)
            mutate(rng, model)
            try:
                path.write_bytes(model.SerializeToString())
            except Exception:  # protobuf refuses what cannot be written
                continue
            rounds += 1
            problem = run(args.bin / "relax-translate", path, 20)
            if problem:
                findings += 1
                print(f"round {rounds}: {problem}", flush=True)
                if args.keep:
                    args.keep.mkdir(parents=True, exist_ok=True)
                    (args.keep / f"finding_{args.seed}_{rounds}.onnx").write_bytes(path.read_bytes())
    print(f"{rounds} rounds, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
