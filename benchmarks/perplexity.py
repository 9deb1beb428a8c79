#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0. See LICENSE.
"""How well a language model in GGUF predicts: perplexity and greedy continuations beside llama.cpp and numpy.

The same tokens of benchmarks/perplexity.txt go through both (all at once in llama.cpp, in pieces of 64 here, so that
the caches take part), and ten prompts are continued by llama.cpp's most likely tokens. llama.cpp is its libllama.so,
built as benchmarks/llama.py does it (--build FOLDER) and called through the ctypes declarations of its sdist.
--numpy compares the first 96 tokens with the model of test/python in f64 on the dequantized weights (3 GB).
The status is 1 when the perplexities are not within 0.5 % or a continuation differs that should not:

    .venv/bin/python3 benchmarks/perplexity.py MODEL.gguf --build /tmp/llama [--artifact all.rlx] [--numpy]
"""
import argparse
import importlib
import os
import pathlib
import sys
import tempfile
import types

import numpy as np
from llama import build_llama

ROOT = pathlib.Path(__file__).resolve().parent.parent
PIECE, CONTINUED, EXACT, TOLERANCE, NOISE = 64, 24, 96, 0.005, 4.0
PROMPTS = ["The capital of France is", "Once upon a time there was a", "The three primary colours are",
           "Water boils at", "def fibonacci(n):\n", "Dear Sir or Madam,\n\nI am writing", "1, 2, 3, 4,",
           "Die Hauptstadt von Deutschland ist", "The best way to learn a language is",
           "In 1969, the first man on the moon"]


class Peer:
    """llama.cpp by its C interface: logits of all tokens of a sequence."""

    def __init__(self, folder, library, model):
        os.environ["LLAMA_CPP_LIB_PATH"] = str(library)
        declarations, = folder.glob("llama_cpp_python-*/llama_cpp")
        package = types.ModuleType("llama_cpp")  # without what its __init__ needs
        package.__path__ = [str(declarations)]
        sys.modules["llama_cpp"] = package
        self.api = api = importlib.import_module("llama_cpp.llama_cpp")
        self.log = api.llama_log_callback(lambda level, text, data: None)
        api.llama_log_set(self.log, None)
        api.llama_backend_init()
        self.model = api.llama_model_load_from_file(str(model).encode(), api.llama_model_default_params())
        if not self.model:
            raise SystemExit(f"error: llama.cpp does not load {model}")
        self.count = api.llama_vocab_n_tokens(api.llama_model_get_vocab(self.model))

    def logits(self, tokens):
        api, options = self.api, self.api.llama_context_default_params()
        options.n_ctx = options.n_batch = options.n_ubatch = len(tokens)
        context = api.llama_init_from_model(self.model, options)
        batch = api.llama_batch_init(len(tokens), 0, 1)
        batch.n_tokens = len(tokens)
        for at, token in enumerate(tokens):
            batch.token[at], batch.pos[at], batch.logits[at] = token, at, 1
            batch.n_seq_id[at], batch.seq_id[at][0] = 1, 0
        status = api.llama_decode(context, batch)
        if status:
            raise SystemExit(f"error: llama_decode gives {status}")
        found = np.ctypeslib.as_array(api.llama_get_logits(context), (len(tokens), self.count)).copy()
        api.llama_batch_free(batch)
        api.llama_free(context)
        return found


class Ours:
    def __init__(self, relax, model, artifact, activations):
        if not artifact.exists():
            relax.gguf.compile_model(model, artifact, facts=["batch == 1"], all_logits=True, target="native",
                                     activations=activations)
        generator = relax.generate.Generator(model, artifact=artifact)
        self.encode = generator.tokenizer.encode
        self.generator = generator

    def logits(self, tokens):
        function = self.generator.function
        given = {info.name: np.zeros((0, 1, *map(int, info.dims[2:])), np.float32) for info in function.inputs[1:]}
        session, found = function.session(self.generator.carried, self.generator.windows), []
        for at in range(0, len(tokens), PIECE):
            found.append(session(tokens=np.array([tokens[at:at + PIECE]], np.int32), **given)["logits"][0])
            given = {}
        return np.concatenate(found)


def perplexity(logits, tokens):
    """Of all tokens but the first, each after those before it."""
    losses = []
    for row, token in zip(logits[:-1], tokens[1:]):
        row = row.astype(np.float64) - row.max()
        losses.append(np.log(np.exp(row).sum()) - row[token])
    return float(np.exp(np.mean(losses)))


def continue_greedily(peer, tokens):
    """`tokens` and those that llama.cpp finds most likely, with its logits of all."""
    tokens = list(tokens)
    for _ in range(CONTINUED):
        tokens.append(int(peer.logits(tokens)[-1].argmax()))
    return tokens[:-1], peer.logits(tokens[:-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, metavar="FOLDER", required=True, help="llama.cpp is built there")
    parser.add_argument("--library", type=pathlib.Path, metavar="FOLDER", help="where libllama.so is (build/bin)")
    parser.add_argument("--artifact", type=pathlib.Path, help="the model with all logits, made when it is missing")
    parser.add_argument("--activations", choices=["f32", "i8"], default="i8", help="of the artifact when it is made")
    parser.add_argument("--numpy", action="store_true", help="the model in numpy as well")
    args = parser.parse_args()
    sys.path[:0] = [str(ROOT / "build/python"), str(ROOT / "test/python")]
    import relax
    peer = Peer(args.build, args.library or build_llama(args.build).parent, args.model)
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(relax, args.model, args.artifact or pathlib.Path(folder) / "model.rlx", args.activations)
        tokens = ours.encode((ROOT / "benchmarks/perplexity.txt").read_text(encoding="utf-8"))
        mine, other = ours.logits(tokens), peer.logits(tokens)
        first, second = perplexity(mine, tokens), perplexity(other, tokens)
        noise = NOISE * float(np.sqrt(np.mean((mine - other) ** 2)))
        ratio = first / second - 1
        print(f"perplexity of {len(tokens)} tokens: relax {first:.4f}, llama.cpp {second:.4f}, {100 * ratio:+.3f} %")
        print(f"logits: llama.cpp differs by {noise / NOISE:.4f} (root of the mean square), at most "
              f"{np.abs(mine - other).max():.4f}")
        if args.numpy:
            from gguf_models import Model
            front = tokens[:EXACT]
            exact = Model.load(args.model).run(np.array([front]))[0]
            print(f"numpy, {len(front)} tokens: logits up to {np.abs(exact).max():.1f}, perplexity "
                  f"{perplexity(exact, front):.4f}")
            for name, logits in [("relax", mine[:EXACT]), ("llama.cpp", other[:EXACT])]:
                print(f"  {name}: differs by {np.abs(exact - logits).max():.1e} at most, perplexity "
                      f"{perplexity(logits, front):.4f}")
            del exact
        places, equal, failed = 0, 0, abs(ratio) > TOLERANCE
        for prompt in PROMPTS:
            start = ours.encode(prompt)
            tokens, wanted = continue_greedily(peer, start)
            wanted, got = wanted[len(start) - 1:], ours.logits(tokens)[len(start) - 1:]
            for at, (row, other) in enumerate(zip(got, wanted)):
                places, same = places + 1, row.argmax() == other.argmax()
                equal += same
                margin = float(np.diff(np.sort(other)[-2:])[0])
                if not same:
                    print(f"{prompt!r}: token {at} differs, llama.cpp's margin is {margin:.4f}")
                    failed |= margin > noise
        print(f"greedy: {equal} of {places} tokens equal; those whose margin exceeds {noise:.4f} have to be")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
