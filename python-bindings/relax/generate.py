# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Text from a language model in GGUF: compiled once, then token by token.

    generator = relax.generate.Generator("model.gguf")
    for piece in generator("The capital of France is", max_tokens=20):
        print(piece, end="", flush=True)

`python -m relax.generate MODEL.gguf "PROMPT"`, which is the tool relax-generate, does that from the command line.
"""
import argparse
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

from . import gguf
from ._errors import RelaxError
from ._runtime import Executable
from ._sampler import Sampler, Sampling
from ._tokenizer import Tokenizer

__all__ = ["Generator", "Sampling", "Statistics"]

# Tokens of a prompt that go through the model together: a signal is answered between two of them.
_CHUNK = 128
# The operation that multiplies rounded activations.
_ROUNDED = "quantized_block_matmul"


@dataclasses.dataclass
class Statistics:
    """Of the last text: tokens and seconds of the prompt and of the answer, why it ended ("stop", "length" or
    "context"), bytes of the cache that were copied when it outgrew its memory, and memory for intermediate results."""
    prompt_tokens: int = 0
    prompt_seconds: float = 0.0
    answer_tokens: int = 0
    answer_seconds: float = 0.0
    reason: str = ""
    copied_bytes: int = 0
    arena_bytes: int = 0

    def __str__(self):
        def rate(tokens, seconds):
            speed = f" ({tokens / seconds:.1f} tokens/s)" if seconds > 0 else ""
            return f"{tokens} tokens in {seconds:.2f} s{speed}"

        # The first token of the answer comes from the prompt.
        return (f"prompt: {rate(self.prompt_tokens, self.prompt_seconds)}, answer: "
                f"{rate(max(self.answer_tokens - 1, 0), self.answer_seconds)}, ended by {self.reason}\n"
                f"cache: {self.copied_bytes} bytes copied to larger memory, arena: {self.arena_bytes} bytes")


def _compile(model, artifact, progress, target, activations):
    """In a process of its own, which a signal ends; the artifact is complete or not there."""
    artifact = pathlib.Path(artifact)
    with tempfile.TemporaryDirectory(prefix=".relax-", dir=artifact.parent) as folder:
        made = pathlib.Path(folder) / "model.rlx"
        command = [sys.executable, "-m", "relax.generate", "--compile-only", str(model), "--artifact", str(made),
                   "--target", target, "--activations", activations]
        paths = [str(pathlib.Path(__file__).parent.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
        try:
            while True:
                try:
                    _, text = process.communicate(timeout=1)
                    break
                except subprocess.TimeoutExpired:
                    progress(time.monotonic() - start)
        except BaseException:
            process.kill()
            process.wait()
            raise
        if process.returncode:
            raise RelaxError(text.strip().removeprefix("relax-generate: error: ") or
                             f"the compiler ended with status {process.returncode}", "compilation failed", [])
        made.replace(artifact)


class Generator:
    """A model, its vocabulary and its compiled function.

    artifact: where the compiled model is, or is put when it is not there or older than the model; without it, it is
    compiled anew. threads: of the runtime, 0 is one for each CPU. progress: called with the seconds that compiling has
    taken so far, once a second. target: what the model is compiled for (relax.gguf.compile_model); "native" is this
    CPU, and an artifact that does not run here is made again. activations: what weights in blocks are multiplied by,
    "i8" or "f32" (relax.gguf.load); without it "i8", or what the artifact has. One with "i8" is made again where
    "f32" is asked for.
    """

    def __init__(self, model, *, artifact=None, threads=0, progress=lambda seconds: None, target="native",
                 activations=None):
        self.metadata = gguf.read_metadata(model)
        self.tokenizer = Tokenizer(self.metadata)
        # The tokenizer has the vocabulary, which is long, in forms of its own.
        self.metadata = {key: value for key, value in self.metadata.items() if not isinstance(value, list)}
        architecture = self.metadata.get("general.architecture")
        self.context = self.metadata.get(f"{architecture}.context_length", 0)
        self.compile_seconds = 0.0
        self.statistics = Statistics()
        compiled = {"progress": progress, "target": target, "activations": activations or "i8"}
        start = time.monotonic()
        if artifact is None:
            with tempfile.TemporaryDirectory(prefix="relax-") as folder:
                path = pathlib.Path(folder) / "model.rlx"
                _compile(model, path, **compiled)
                self.compile_seconds = time.monotonic() - start
                self.executable = Executable(path, threads=threads)
        else:
            self.executable = self._open(model, pathlib.Path(artifact), threads, activations)
            if self.executable is None:
                _compile(model, artifact, **compiled)
                self.compile_seconds = time.monotonic() - start
                self.executable = Executable(artifact, threads=threads)
        self.function = self.executable["main"]
        self.carried = {info.name: info.name.replace("past_", "present_", 1) for info in self.function.inputs[1:]}
        # Local layers look back so far only; the import names what they keep.
        window = self.metadata.get(f"{architecture}.attention.sliding_window", 1)
        self.windows = {info.name: window - 1 for info in self.function.inputs[1:] if info.dims[0] == "local"}
        logits, count = int(self.function.outputs[0].dims[-1]), len(self.tokenizer.vocabulary.tokens)
        if logits < count:
            raise RelaxError(f"the model gives {logits} logits, its vocabulary has {count} tokens", "invalid model", [])
        self.logits = logits

    @staticmethod
    def _open(model, artifact, threads, activations):
        """The artifact when it can be used: not older than the model, made by this version, for such a CPU, and as
        exact as it is asked to be."""
        if not artifact.exists() or artifact.stat().st_mtime < os.stat(model).st_mtime:
            return None
        try:
            executable = Executable(artifact, threads=threads)
        except RelaxError:
            return None
        # The compiler names kernels after their operations.
        rounds = any(_ROUNDED in name for name in executable.kernels)
        return None if rounds and activations == "f32" else executable

    def apply_template(self, prompt):
        """`prompt` as what a user says, in the form that the model was trained for."""
        template = self.metadata.get("tokenizer.chat_template")
        if not template:
            raise RelaxError("the model has no chat template: it completes texts", "invalid model", [])
        try:
            import jinja2.sandbox
        except ImportError as error:
            raise ImportError("chat templates need the package jinja2: pip install it") from error
        environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)

        def refuse(message):
            raise jinja2.TemplateError(message)

        vocabulary = self.tokenizer.vocabulary
        special = {"bos_token": vocabulary.bos, "eos_token": vocabulary.eos}
        names = {name: vocabulary.tokens[token] for name, token in special.items() if token is not None}
        messages = [{"role": "user", "content": prompt}]
        try:
            return environment.from_string(template).render(messages=messages, add_generation_prompt=True,
                                                            raise_exception=refuse, **names)
        except jinja2.TemplateError as error:
            raise RelaxError(f"the chat template of the model: {error}", "invalid model", []) from error

    def __call__(self, prompt, *, max_tokens=256, chat=False, sampling=None, stop=()):
        """Yields pieces of text as they are made. `chat` puts the prompt into the model's template, `stop` holds texts
        at which the answer ends, `sampling` is a Sampling. `statistics` tells how it went."""
        text = self.apply_template(prompt) if chat else prompt
        tokens = self.tokenizer.encode(text)
        vocabulary = self.tokenizer.vocabulary
        # The template says how a text begins.
        if chat and vocabulary.adds_bos and tokens[1:2] == [vocabulary.bos]:
            tokens = tokens[1:]
        if not tokens:
            raise ValueError("the prompt is empty, and the model has no token that begins a text")
        if len(tokens) > self.context:
            raise ValueError(f"the prompt has {len(tokens)} tokens, the model's context is {self.context}")
        if max_tokens < 0:
            raise ValueError(f"max_tokens is expected to be at least 0, actual {max_tokens}")
        return self._pieces(tokens, max_tokens, sampling or Sampling(), tuple(filter(None, stop)))

    def _pieces(self, tokens, max_tokens, sampling, stop):
        statistics = self.statistics = Statistics(prompt_tokens=len(tokens), reason="length")
        sampler = Sampler(self.logits, sampling)
        session = self.function.session(self.carried, self.windows)
        copied = session.counters["copied_bytes"]
        start = time.monotonic()
        given = {info.name: np.zeros((0, 1, int(info.dims[2]), int(info.dims[3])), np.float32)
                 for info in self.function.inputs[1:]}
        for at in range(0, len(tokens), _CHUNK):
            logits = session(tokens=np.array([tokens[at:at + _CHUNK]], np.int32), **given)["logits"][0]
            given = {}
        statistics.prompt_seconds = time.monotonic() - start
        start = time.monotonic()
        decode, text, shown = self.tokenizer.decoder(), "", 0
        while statistics.answer_tokens < max_tokens:
            token = sampler(logits, tokens)
            if token in self.tokenizer.vocabulary.stops:
                statistics.reason = "stop"
                break
            if token >= len(self.tokenizer.vocabulary.tokens):
                raise RelaxError(f"the model chose token {token}, its vocabulary does not have it", "invalid model", [])
            tokens.append(token)
            statistics.answer_tokens += 1
            counters = session.counters
            statistics.copied_bytes = counters["copied_bytes"] - copied
            statistics.arena_bytes = counters["arena_bytes"]
            statistics.answer_seconds = time.monotonic() - start
            text += decode(token)
            ends = [place for place in (text.find(word) for word in stop) if place >= 0]
            if ends:
                text, statistics.reason = text[:min(ends)], "stop"
                break
            # What may become one of `stop` waits.
            waits = max((size for word in stop for size in range(1, len(word)) if text.endswith(word[:size])),
                        default=0)
            if len(text) - waits > shown:
                yield text[shown:len(text) - waits]
                shown = len(text) - waits
            if len(tokens) > self.context:
                statistics.reason = "context"
                break
            if statistics.answer_tokens < max_tokens:
                logits = session(tokens=np.array([[token]], np.int32))["logits"][0]
                statistics.answer_seconds = time.monotonic() - start
        if statistics.reason != "stop":
            text += decode(None)
        if len(text) > shown:
            yield text[shown:]


#===-----------------------------------------------------------------------===#
# Command line
#===-----------------------------------------------------------------------===#

def _parse(arguments):
    parser = argparse.ArgumentParser(prog="relax-generate",
                                     description="Continues a text with a language model in GGUF.")
    parser.add_argument("model", help="a GGUF file (architectures: docs/GGUF.md)")
    parser.add_argument("prompt", nargs="?", help="the text; without it, standard input")
    parser.add_argument("--artifact", metavar="FILE",
                        help="the compiled model: used, or made when it is missing or older than the model")
    parser.add_argument("--chat", action="store_true", help="put the prompt into the model's chat template")
    parser.add_argument("--max-tokens", type=int, default=256, metavar="N", help="length of the answer (%(default)s)")
    defaults = Sampling()
    for field in dataclasses.fields(Sampling):
        parser.add_argument("--" + field.name.replace("_", "-"), type=field.type, default=getattr(defaults, field.name),
                            metavar="X" if field.type is float else "N", help="(%(default)s)")
    parser.add_argument("--stop", action="append", default=[], metavar="TEXT",
                        help="the answer ends before it; may be repeated")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="0: one for each CPU")
    parser.add_argument("--stats", action="store_true", help="tokens per second, on standard error")
    parser.add_argument("--target", default="native", metavar="CPU,..",
                        help="what a model is compiled for, as of relax-compile (%(default)s: this CPU)")
    parser.add_argument("--activations", choices=["f32", "i8"],
                        help="what weights in blocks are multiplied by: i8, the default, is rounded to 8 bits")
    parser.add_argument("--compile-only", action="store_true", help="compile to --artifact, generate nothing")
    return parser.parse_args(arguments)


def _progress(seconds):
    if sys.stderr.isatty():
        print(f"\rcompiling the model: {seconds:.0f} s", end="", file=sys.stderr, flush=True)


def _run(options):
    if options.compile_only:
        if not options.artifact:
            raise ValueError("--compile-only needs --artifact")
        gguf.compile_model(options.model, options.artifact, facts=["batch == 1"], target=options.target,
                           activations=options.activations or "i8")
        return
    if options.prompt is None:
        try:
            options.prompt = sys.stdin.buffer.read().decode()
        except UnicodeDecodeError as error:
            raise ValueError(f"the prompt is not valid UTF-8: {error.reason} at byte {error.start}") from error
    sampling = Sampling(**{field.name: getattr(options, field.name) for field in dataclasses.fields(Sampling)})
    generator = Generator(options.model, artifact=options.artifact, threads=options.threads, progress=_progress,
                          target=options.target, activations=options.activations)
    if generator.compile_seconds and sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    pieces = generator(options.prompt, max_tokens=options.max_tokens, chat=options.chat, sampling=sampling,
                       stop=options.stop)
    for piece in pieces:
        sys.stdout.buffer.write(piece.encode(errors="replace"))
        sys.stdout.buffer.flush()
    print(flush=True)
    if options.stats:
        if generator.compile_seconds:
            print(f"compiled in {generator.compile_seconds:.1f} s", file=sys.stderr)
        print(generator.statistics, file=sys.stderr)


def main(arguments=None):
    """The tool: its exit status is 0, 1 after an error, 130 after Ctrl-C."""
    try:
        _run(_parse(arguments))
    except KeyboardInterrupt:
        print("\nrelax-generate: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (RelaxError, ValueError, OSError, ImportError, MemoryError) as error:
        print(f"relax-generate: error: {error or 'out of memory'}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
