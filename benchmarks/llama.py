#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""A language model in GGUF beside llama.cpp: tokens/s of decoding after some tokens and of prefill, interleaved.

Both read the same file. llama.cpp is `llama-bench`, built for this CPU from the sdist of llama_cpp_python (--build,
some minutes) or given (--llama-bench). Rounds take turns, medians are printed. Runs after ./check or a build:

    .venv/bin/python3 benchmarks/llama.py MODEL.gguf --build /tmp/llama [--threads 1,2] [--past 16,512] [--prefill 128]
"""
import argparse
import csv
import io
import pathlib
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SDIST = "llama_cpp_python==0.3.16"
DECODED, CHUNK = 16, 128


def build_llama(folder):
    """The path of llama-bench in `folder`; builds it when it is not there."""
    tool = folder / "build/bin/llama-bench"
    if tool.exists():
        return tool
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary",
                    "llama-cpp-python", SDIST, "-d", folder], check=True)
    archive, = folder.glob("llama_cpp_python-*.tar.gz")
    with tarfile.open(archive) as sources:
        sources.extractall(folder, filter="data")
    source, = folder.glob("llama_cpp_python-*/vendor/llama.cpp")
    options = ["CMAKE_BUILD_TYPE=Release", "GGML_NATIVE=ON", "LLAMA_CURL=OFF", "LLAMA_BUILD_TESTS=OFF",
               "LLAMA_BUILD_EXAMPLES=OFF", "LLAMA_BUILD_SERVER=OFF", "LLAMA_BUILD_TOOLS=ON"]
    subprocess.run(["cmake", "-S", source, "-B", folder / "build", *("-D" + option for option in options)], check=True)
    subprocess.run(["cmake", "--build", folder / "build", "--target", "llama-bench", "--parallel"], check=True)
    return tool


class Peer:
    def __init__(self, tool, model, threads):
        self.command = [tool, "-m", model, "-t", str(threads), "-r", "1", "-o", "csv"]

    def run(self, *arguments):
        done = subprocess.run([*self.command, *arguments], capture_output=True, text=True, check=True)
        return float(list(csv.DictReader(io.StringIO(done.stdout)))[-1]["avg_ts"])

    def decode(self, past):
        return self.run("-p", "0", "-n", str(DECODED), "-d", str(past))

    def prefill(self, count):
        return self.run("-p", str(count), "-n", "0")


class Ours:
    def __init__(self, np, relax, model, artifact, threads, **options):
        self.np = np
        self.generator = relax.generate.Generator(model, artifact=artifact, threads=threads, **options)
        self.given = {info.name: np.zeros((0, 1, *map(int, info.dims[2:])), np.float32)
                      for info in self.generator.function.inputs[1:]}
        self.sessions = {}

    def start(self, count):
        """A session that has taken `count` tokens."""
        session, given = self.generator.function.session(self.generator.carried, self.generator.windows), self.given
        for at in range(0, count, CHUNK):
            tokens = self.np.arange(at, min(at + CHUNK, count), dtype=self.np.int32)[None] + 100
            session(tokens=tokens, **given)
            given = {}
        return session

    def decode(self, past):
        if past not in self.sessions:
            self.sessions[past] = self.start(past)
        session = self.sessions[past].fork()
        token = self.np.array([[1000]], self.np.int32)
        session(tokens=token)  # what a fork copies is not part of a step
        start = time.perf_counter()
        for _ in range(DECODED):
            session(tokens=token)
        return DECODED / (time.perf_counter() - start)

    def prefill(self, count):
        start = time.perf_counter()
        self.start(count)
        return count / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--llama-bench", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, metavar="FOLDER", help="build llama-bench there")
    parser.add_argument("--artifact", type=pathlib.Path, help="the compiled model, made when it is missing")
    parser.add_argument("--target", default="native", help="of the artifact when it is made")
    parser.add_argument("--activations", choices=["f32", "i8"], default="i8", help="of the artifact when it is made")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--past", default="16,128,512,2000")
    parser.add_argument("--prefill", default="16,128,512")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    sys.path.insert(0, str(ROOT / "build/python"))
    import numpy as np
    import relax
    tool = args.llama_bench or (build_llama(args.build) if args.build else None)
    numbers = lambda text: [int(part) for part in text.split(",") if part]  # noqa: E731
    cases = [("decode", past) for past in numbers(args.past)] + [("prefill", count) for count in numbers(args.prefill)]
    print("threads\tcase\trelax tokens/s\tllama.cpp tokens/s\tratio")
    with tempfile.TemporaryDirectory() as folder:
        artifact = args.artifact or pathlib.Path(folder) / "model.rlx"
        for threads in numbers(args.threads):
            ours = Ours(np, relax, args.model, artifact, threads, target=args.target, activations=args.activations)
            peer = tool and Peer(tool, args.model, threads)
            for name, size in cases:
                getattr(ours, name)(size)  # memory grows
                rates = ([], [])
                for _ in range(args.rounds):
                    rates[0].append(getattr(ours, name)(size))
                    if peer:
                        rates[1].append(getattr(peer, name)(size))
                mine = statistics.median(rates[0])
                other = statistics.median(rates[1]) if peer else float("nan")
                print(f"{threads}\t{name} {size}\t{mine:.1f}\t{other:.1f}\t{mine / other:.2f}", flush=True)


if __name__ == "__main__":
    main()
