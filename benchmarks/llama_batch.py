#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Several sequences at once in a language model in GGUF beside llama.cpp: tokens/s of decoding, of all together.

Three ways take turns, and medians are printed: caches in which all sequences have the same length, caches in pages
(PagedCache, what it does in Python included), and llama.cpp by ctypes (as in perplexity.py) with a sequence id each:

    .venv/bin/python3 benchmarks/llama_batch.py MODEL.gguf --build /tmp/llama [--artifacts FOLDER] [--batch 4]
"""
import argparse
import pathlib
import statistics
import sys
import tempfile
import time

import numpy as np
from llama import build_llama
from perplexity import Peer

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECODED, CHUNK, PAGE = 16, 128, 16


class Contiguous:
    def __init__(self, relax, args, artifact):
        if not artifact.exists():
            relax.gguf.compile_model(args.model, artifact, target="native", activations="i8")
        generator = relax.generate.Generator(args.model, artifact=artifact, threads=args.threads)
        self.session = generator.function.session(generator.carried, generator.windows)
        self.given = {info.name: np.zeros((0, args.batch, *map(int, info.dims[2:])), np.float32)
                      for info in generator.function.inputs[1:]}

    def step(self, tokens):
        self.session(tokens=tokens, **self.given)
        self.given = {}


class Paged:
    def __init__(self, relax, args, artifact):
        if not artifact.exists():
            relax.gguf.compile_model(args.model, artifact, page_size=PAGE, target="native", activations="i8")
        function = relax.Executable(artifact, threads=args.threads)["main"]
        self.cache = relax.gguf.PagedCache(function, pages=args.batch * (args.tokens // PAGE + 1))
        self.sequences = [self.cache.create() for _ in range(args.batch)]

    def step(self, tokens):
        self.cache.step(self.sequences, tokens)


class Theirs:
    def __init__(self, args):
        self.peer = Peer(args.build, args.library, args.model)
        api = self.peer.api
        options = api.llama_context_default_params()
        options.n_ctx, options.n_seq_max = args.batch * (args.tokens + 1), args.batch
        options.n_batch = options.n_ubatch = args.batch * CHUNK
        options.n_threads = options.n_threads_batch = args.threads
        self.context, self.place = api.llama_init_from_model(self.peer.model, options), 0
        self.batch = api.llama_batch_init(args.batch * CHUNK, 0, 1)

    def step(self, tokens):
        api, batch, seq = self.peer.api, self.batch, tokens.shape[1]
        batch.n_tokens = tokens.size
        for at, token in enumerate(tokens.reshape(-1)):
            batch.token[at], batch.pos[at] = int(token), self.place + at % seq
            batch.logits[at] = at % seq == seq - 1
            batch.n_seq_id[at], batch.seq_id[at][0] = 1, at // seq
        if api.llama_decode(self.context, batch):
            raise SystemExit("error: llama_decode fails")
        api.llama_get_logits(self.context)
        self.place += seq


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, metavar="FOLDER", required=True, help="llama.cpp is built there")
    parser.add_argument("--library", type=pathlib.Path, metavar="FOLDER", help="where libllama.so is (build/bin)")
    parser.add_argument("--artifacts", type=pathlib.Path, metavar="FOLDER", help="of the models, compiled when missing")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--past", type=int, default=128)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu", action="store_true", help="count seconds of CPUs: where other work takes them away")
    args = parser.parse_args()
    sys.path.insert(0, str(ROOT / "build/python"))
    import relax
    args.library = args.library or build_llama(args.build).parent
    clock = time.process_time if args.cpu else time.perf_counter
    args.tokens = args.past + (args.rounds + 1) * DECODED
    with tempfile.TemporaryDirectory() as folder:
        artifacts = args.artifacts or pathlib.Path(folder)
        ways = {"caches": Contiguous(relax, args, artifacts / "batch.rlx"),
                "pages": Paged(relax, args, artifacts / "pages.rlx"), "llama.cpp": Theirs(args)}
        rates, random = {name: [] for name in ways}, np.random.default_rng(0)
        prompt = random.integers(100, 5000, (args.batch, args.past), np.int32)
        token = random.integers(100, 5000, (args.batch, 1), np.int32)
        for way in ways.values():
            for at in range(0, args.past, CHUNK):
                way.step(prompt[:, at:at + CHUNK])
        for round in range(args.rounds + 1):
            for name, way in ways.items():
                start = clock()
                for _ in range(DECODED):
                    way.step(token)
                if round:  # memory grows in the first one
                    rates[name].append(args.batch * DECODED / (clock() - start))
    medians = {name: statistics.median(found) for name, found in rates.items()}
    print(f"batch {args.batch} after {args.past} tokens, {args.threads} threads: tokens/s\tto llama.cpp")
    for name, median in medians.items():
        print(f"{name}\t{median:.1f}\t{median / medians['llama.cpp']:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
