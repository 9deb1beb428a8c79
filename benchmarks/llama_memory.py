#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""A language model in GGUF beside llama.cpp: start to first token, and proportional memory with a long text.

Each figure is of a process of its own, Python and numpy with relax or with libllama.so by ctypes (as in perplexity.py),
and both read the same file. Start: from the start of the process to the first token after a prompt of 16, from the
artifact and the GGUF file in the page cache. Memory: Pss of the process (shared pages divided by who has them, mapped
files included) after a text of --context tokens, which its context or caches hold. Rounds take turns; medians. Then
what the compiled model needs for activations: planned, the most that lives at one time, and each buffer by itself;
what compiling took, when --artifact was not there; and the bytes of weights of decoding against what one thread reads:

    .venv/bin/python3 benchmarks/llama_memory.py MODEL.gguf --build /tmp/llama [--artifact model.rlx] [--context 4096]
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from llama import build_llama

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROMPT, PIECE, DECODED = 16, 128, 16
# Calls of the compiled function: (batch, seq, past).
CALLS = [(1, 16, 0), (1, 128, 0), (1, 1, 128), (1, 1, 511), (1, 1, 2000)]


def read_tokens(count):
    return np.arange(count, dtype=np.int32) % 5000 + 100


class Ours:
    def __init__(self, args):
        sys.path.insert(0, str(ROOT / "build/python"))
        import relax
        self.generator = relax.generate.Generator(args.model, artifact=args.artifact, threads=args.threads)
        function = self.generator.function
        self.session = function.session(self.generator.carried, self.generator.windows)
        self.given = {info.name: np.zeros((0, 1, *map(int, info.dims[2:])), np.float32) for info in function.inputs[1:]}

    def take(self, tokens):
        for at in range(0, len(tokens), PIECE):
            logits = self.session(tokens=tokens[None, at:at + PIECE], **self.given)["logits"][0]
            self.given = {}
        return int(logits.argmax())


class Theirs:
    def __init__(self, args):
        from perplexity import Peer
        self.peer = Peer(args.build, args.library, args.model)
        api = self.peer.api
        options = api.llama_context_default_params()
        options.n_ctx = args.context
        options.n_threads = options.n_threads_batch = args.threads
        self.context, self.piece = api.llama_init_from_model(self.peer.model, options), options.n_batch

    def take(self, tokens):
        api = self.peer.api
        for at in range(0, len(tokens), self.piece):
            part = np.ascontiguousarray(tokens[at:at + self.piece])
            pointer = part.ctypes.data_as(api.ctypes.POINTER(api.llama_token))
            if api.llama_decode(self.context, api.llama_batch_get_one(pointer, len(part))):
                raise SystemExit("error: llama_decode fails")
        logits = api.llama_get_logits_ith(self.context, -1)
        return int(np.ctypeslib.as_array(logits, (self.peer.count,)).argmax())


def run_child(args):
    """In a process of its own: what --child names."""
    engine, what = args.child.split()
    run = {"relax": Ours, "llama.cpp": Theirs}[engine](args)
    if what == "start":
        run.take(read_tokens(PROMPT))
        print(time.time())
        return
    run.take(read_tokens(args.context - 1))
    text = pathlib.Path("/proc/self/smaps_rollup").read_text()
    sizes = dict(line.split(":", 1) for line in text.splitlines()[1:])
    print(*(int(sizes[name].split()[0]) / 1e3 * 1.024 for name in ("Pss", "Pss_Anon")))


def measure(args, engine, what):
    start = time.time()
    done = subprocess.run([sys.executable, __file__, args.model, "--artifact", args.artifact, "--build", args.build,
                           "--library", args.library, "--threads", str(args.threads), "--context", str(args.context),
                           "--child", f"{engine} {what}"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"llama_memory.py: {engine} {what}: {done.stderr[-2000:]}")
    numbers = [float(number) for number in done.stdout.split()]
    return [numbers[0] - start] if what == "start" else numbers


def print_activations(report):
    sys.path.insert(0, str(ROOT / "test/python"))
    from memory_plans import Plan
    print("\nactivations, MB of 1e6 bytes, without results\tplanned\tbound\tunplanned\treduction")
    for batch, seq, past in CALLS:
        sizes = {"batch": batch, "seq": seq, "past": past, "local": min(past, 511)}
        plan = Plan(report)
        planned, bound, unplanned = (count / 1e6 for count in (
            plan.get_bytes(sizes), plan.get_live_bytes(sizes), plan.get_unplanned_bytes(sizes)))
        print(f"batch {batch} seq {seq} past {past}\t{planned:.3f}\t{bound:.3f}\t{unplanned:.2f}\t"
              f"{100 * (1 - planned / unplanned):.1f} %")


def print_bandwidth(args):
    """Bytes of weights that decoding reads for each second, beside what numpy reads with the same number of threads."""
    bytes_read = args.model.stat().st_size  # all matrices, once; the embedding is the output matrix, too
    run, block = Ours(args), np.ones(1 << 28, np.uint8).view(np.int64)
    run.take(read_tokens(PROMPT))
    rates, reads = [], []
    for _ in range(args.rounds):
        start = time.perf_counter()
        for token in read_tokens(DECODED):
            run.take(np.array([token], np.int32))
        rates.append(DECODED * bytes_read / (time.perf_counter() - start) / 1e9)
        start = time.perf_counter()
        block.max()
        reads.append(block.nbytes / (time.perf_counter() - start) / 1e9)
    rate, read = statistics.median(rates), statistics.median(reads)
    print(f"\ndecode reads {rate:.1f} GB/s of weights; one thread of numpy {read:.1f} GB/s: {100 * rate / read:.0f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, metavar="FOLDER", required=True, help="llama.cpp is built there")
    parser.add_argument("--library", type=pathlib.Path, metavar="FOLDER", help="where libllama.so is (build/bin)")
    parser.add_argument("--artifact", type=pathlib.Path, help="the compiled model, made when it is missing")
    parser.add_argument("--context", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        return run_child(args)
    args.library = args.library or build_llama(args.build).parent
    with tempfile.TemporaryDirectory() as folder:
        args.artifact = args.artifact or pathlib.Path(folder) / "model.rlx"
        sys.path.insert(0, str(ROOT / "build/python"))
        import relax
        made = relax.generate.Generator(args.model, artifact=args.artifact)
        if made.compile_seconds:
            print(f"compiled in {made.compile_seconds:.1f} s")
        report = json.loads(made.executable.memory_report)["main"]
        del made
        print(f"{args.threads} threads\trelax\tllama.cpp\tratio")
        for what, names in [("start", ["first token, s"]), ("memory", ["Pss, MB", "  of it anonymous, MB"])]:
            rows = [([], []) for _ in names]
            for _ in range(args.rounds):
                for side, engine in enumerate(("relax", "llama.cpp")):
                    for row, number in zip(rows, measure(args, engine, what)):
                        row[side].append(number)
            for name, row in zip(names, rows):
                mine, other = map(statistics.median, row)
                print(f"{name}\t{mine:.2f}\t{other:.2f}\t{mine / other:.2f}", flush=True)
        print_activations(report)
        print_bandwidth(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
