# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Generating text: a tiny random model with tiny vocabularies against numpy, and what can go wrong."""
import functools
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from gguf_models import Model, write_model

CONTEXT, VOCABULARY = 2000, 320
PIECES = ["\u2581", "a", "b", "c", "ab", "abc", "\u2581a", "\u2581ab", "é", "\u2581the"]
TEMPLATE = "{{ bos_token }}{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}{% endfor %}"


def sentencepiece(writer, template=None):
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *PIECES]
    types = [2, 3, 3] + [6] * 256 + [1] * len(PIECES)
    tokens += [f"<unused{i}>" for i in range(VOCABULARY - len(tokens))]
    types += [5] * (VOCABULARY - len(types))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(i) for i in range(VOCABULARY)])
    writer.add_token_types(types)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    if template:
        writer.add_chat_template(template)


def byte_level(writer):
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    names = {byte: chr(byte) for byte in printable}
    for byte in range(256):
        names.setdefault(byte, chr(256 + len(names) - len(printable)))
    tokens = [names[byte] for byte in range(256)] + ["ab", "abc", "<|im_end|>"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens + [f"[{i}]" for i in range(VOCABULARY - len(tokens))])
    writer.add_token_types([1] * 258 + [3] + [5] * (VOCABULARY - len(tokens)))
    writer.add_token_merges(["a b", "ab c"])


@pytest.fixture(scope="module")
def models(relax, tmp_path_factory):
    """Files with the same weights and different vocabularies, and their artifact."""
    folder = tmp_path_factory.mktemp("generate")
    options = {"formats": ("q8_0",), "layers": 1, "vocabulary": VOCABULARY, "context": CONTEXT}
    for name, describe in [("spm", sentencepiece), ("bytes", byte_level), ("chat", lambda writer: sentencepiece(writer, TEMPLATE)),
                           ("none", lambda writer: None)]:
        write_model(folder / f"{name}.gguf", "llama", describe=describe, **options)
    relax.gguf.compile_model(folder / "spm.gguf", folder / "model.rlx", facts=["batch == 1"])
    return folder


@pytest.fixture(scope="module")
def generator(relax, models):
    return relax.generate.Generator(models / "spm.gguf", artifact=models / "model.rlx")


def test_greedy_equals_numpy(relax, models, generator):
    tokens = generator.tokenizer.encode("abc ab")
    assert tokens[0] == 1 and len(tokens) == 4
    model, decode, want = Model.load(models / "spm.gguf"), generator.tokenizer.decoder(), ""
    for _ in range(12):
        token = int(model.run(np.array([tokens]))[0, -1].argmax())
        if token == 2:
            break
        tokens.append(token)
        want += decode(token)
    assert "".join(generator("abc ab", max_tokens=12)) == want + decode(None)
    assert generator.statistics.prompt_tokens == 4 and generator.statistics.reason in ("length", "stop")
    assert generator.compile_seconds == 0


def test_activations(relax, models, tmp_path):
    """Rounded to 8 bits unless it is asked for more; an artifact is as exact as asked, or made again."""
    artifact, tokens = tmp_path / "model.rlx", np.array([[1, 261, 5, 262, 7]], np.int32)
    want = Model.load(models / "spm.gguf").run(tokens)[0, -1]

    def error(seconds, **options):
        made = relax.generate.Generator(models / "spm.gguf", artifact=artifact, **options)
        assert (made.compile_seconds > 0) == seconds
        past = {name: np.zeros((0, 1, 2, 64), np.float32) for name in made.carried}
        got = made.function(tokens=tokens, **past)["logits"][0]
        return np.abs(got - want).max() / np.abs(want).max()

    rounded = error(True)
    assert 1e-4 < rounded < 0.05
    assert error(False) == error(False, activations="i8") == rounded
    assert error(True, activations="f32") < 1e-5
    # What is more exact than need be is used.
    assert error(False) < 1e-5 and error(False, activations="i8") < 1e-5


def test_sampling(relax, generator):
    def text(**options):
        return "".join(generator("ab", max_tokens=20, sampling=relax.generate.Sampling(**options)))

    assert text(temperature=1.0, seed=3) == text(temperature=1.0, seed=3)
    assert len({text(temperature=2.0, top_k=0, top_p=1.0, seed=seed) for seed in range(4)}) > 1
    assert text(temperature=1.0, top_k=1) == text()
    assert text(temperature=1.0, top_p=1e-6) == text()
    for name, value in [("temperature", -1), ("top_k", -1), ("top_p", 0), ("repetition_penalty", 0), ("penalty_window", -1)]:
        with pytest.raises(ValueError, match=name):
            relax.generate.Sampling(**{name: value})


@pytest.mark.parametrize("vocabulary, top_k", [(40, 0), (1000, 5), (6400, 3), (6401, 7)])
def test_sampler_equals_numpy(relax, vocabulary, top_k):
    import random
    sampling = relax.generate.Sampling(temperature=0.7, top_k=top_k, top_p=0.9, repetition_penalty=1.5, seed=5)
    sampler, draws, rng = relax.generate.Sampler(vocabulary, sampling), random.Random(5), np.random.default_rng(0)
    for _ in range(20):
        logits = rng.normal(0, 1, vocabulary).astype(np.float32)
        seen = rng.integers(0, vocabulary, 10)
        scores = logits.astype(np.float64)
        scores[seen] = np.where(scores[seen] > 0, scores[seen] / 1.5, scores[seen] * 1.5)
        order = np.argsort(-scores)[:top_k or vocabulary]
        p = np.exp((scores[order] - scores[order[0]]) / 0.7)
        p /= p.sum()
        ends = np.cumsum(np.where(np.cumsum(p) - p < 0.9, p, 0))
        assert sampler(logits, list(seen)) == order[np.argmax(ends > np.float32(draws.random()) * ends[-1])]


def test_stop_text(generator):
    whole = "".join(generator("abc", max_tokens=20))
    stop = whole[3:5]
    assert "".join(generator("abc", max_tokens=20, stop=[stop, ""])) == whole[:whole.index(stop)]
    assert generator.statistics.reason == "stop"


def test_session(relax, generator):
    function, names = generator.function, generator.carried
    session = function.session(names)
    past = {name: np.zeros((0, 1, 2, 64), np.float32) for name in names}
    assert session.state == {}
    given = past
    for tokens in ([[1, 5, 7]], [[9]], [[3, 4]]):
        tokens = np.array(tokens, np.int32)
        want = function(tokens=tokens, **past)
        got = session(tokens=tokens, **given)
        assert list(got) == ["logits"]
        np.testing.assert_array_equal(got["logits"], want["logits"])
        past, given = {name: want[names[name]] for name in names}, {}
        for name, array in session.state.items():
            np.testing.assert_array_equal(array, past[name])
    # A call that fails changes nothing.
    with pytest.raises(relax.RelaxError, match="past \\+ seq"):
        session(tokens=np.zeros((1, CONTEXT), np.int32))
    one = np.array([[2]], np.int32)
    np.testing.assert_array_equal(session(tokens=one)["logits"], function(tokens=one, **past)["logits"])
    session.reset()
    with pytest.raises(TypeError, match="missing input 'past_key_0'"):
        session(tokens=one)
    with pytest.raises(KeyError, match="no output 'nothing'"):
        function.session({"past_key_0": "nothing"})
    with pytest.raises(TypeError, match="cannot become input"):
        function.session({"past_key_0": "logits"})


def test_cache_grows_in_place(generator):
    names = generator.carried
    session = generator.function.session(names)
    given = {name: np.zeros((0, 1, 2, 64), np.float32) for name in names}
    copied, steps = session.counters["copied_bytes"], []
    for token in range(50):
        session(tokens=np.array([[token]], np.int32), **given)
        given, now = {}, session.counters["copied_bytes"]
        steps.append(now - copied)
        copied = now
    row = 2 * 64 * 4
    # Doubled, or kept from earlier texts: keys and values are copied a few times, twice as many rows at most.
    assert sum(step > 0 for step in steps) <= 6 and sum(steps) <= 2 * 2 * 50 * row
    allocations = session.counters["allocations"]
    session.pop(30)
    for token in range(30):
        session(tokens=np.array([[token]], np.int32))
    assert session.counters["copied_bytes"] == copied and session.counters["allocations"] == allocations


def test_session_rows(relax, generator):
    names = generator.carried
    session = generator.function.session(names)
    with pytest.raises(ValueError, match="before the first call"):
        session.pop(1)
    session(tokens=np.array([[1, 2, 3]], np.int32), **{name: np.zeros((0, 1, 2, 64), np.float32) for name in names})
    with pytest.raises(ValueError, match="has 3 rows, 4 cannot be taken away"):
        session.pop(4)
    with pytest.raises(ValueError, match="-1 cannot be taken away"):
        session.pop(-1)
    state = session.state
    other = session.fork()
    one = np.array([[5]], np.int32)
    np.testing.assert_array_equal(session(tokens=one)["logits"], other(tokens=one)["logits"])
    session.pop(2)
    for name, array in session.state.items():
        np.testing.assert_array_equal(array[:2], state[name][:2])
        assert array.shape[0] == 2 and other.state[name].shape[0] == 4
    session.pop(2)
    session(tokens=np.array([[1, 2, 3]], np.int32))
    for name, array in session.state.items():
        np.testing.assert_array_equal(array, state[name])
    with pytest.raises(KeyError, match="no input 'nothing'"):
        generator.function.session(names, {"nothing": 3})
    with pytest.raises(ValueError, match="a window is expected"):
        generator.function.session(names, {"tokens": 3})


def test_tokenizers(relax, models, generator):
    for name in ("spm", "bytes"):
        tokenizer = relax.generate.Tokenizer(relax.gguf.read_metadata(models / f"{name}.gguf"))
        for text in ("abc  ab\n", "é\u6f22\U0001f600 x", ""):
            tokens, decode = tokenizer.encode(text), tokenizer.decoder()
            got = "".join(map(decode, tokens)) + decode(None)
            assert got == (" " if name == "spm" and text else "") + text
    assert tokenizer.encode("abc") == [257] and tokenizer.encode("ab<|im_end|>") == [256, 258]
    assert tokenizer.vocabulary.stops == {258}
    # Half a character is shown when it is whole, or at the end.
    decode = tokenizer.decoder()
    assert [decode(token) for token in tokenizer.encode("é")] == ["", "é"]
    assert decode(tokenizer.encode("é")[0]) == "" and decode(None) == "\ufffd"


def test_pieces(relax):
    """What sentencepiece reads is what protobuf would have written."""
    from relax._tokenizer import Tokenizer, Vocabulary, _encode_pieces
    from sentencepiece.sentencepiece_model_pb2 import ModelProto
    tokens = ["", *("é" * size for size in (1, 55, 59, 60, 63, 64, 8000, 20000)), "<unk>"]
    kinds = [1, 2, 3, 4, 5, 6, 1, 1, 1, 3]
    metadata = {"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": tokens, "tokenizer.ggml.token_type": kinds,
                "tokenizer.ggml.scores": [-1.5 * i for i in range(len(tokens))]}
    pieces = ModelProto.FromString(_encode_pieces(Vocabulary(metadata), 9)).pieces
    assert [(piece.piece, piece.score, piece.type) for piece in pieces] == [
        (text, -1.5 * i, 2 if i == 9 else kind) for i, (text, kind) in enumerate(zip(tokens, kinds))]
    for kind in (0, 7, -1):
        with pytest.raises(relax.RelaxError, match=f"the vocabulary has a token of type {kind}, expected 1 to 6"):
            Tokenizer({**metadata, "tokenizer.ggml.token_type": [*kinds[:3], kind, *kinds[4:]]})


def test_vocabulary_texts(relax, models):
    from relax._tokenizer import _Texts
    texts = ["", "é", "", "\udcff half", "x" * 300, "\U0001f600", ""]
    packed = _Texts(texts)
    assert len(packed) == 7 and list(packed) == texts and [packed[i] for i in (6, 0, 3)] == ["", "", "\udcff half"]
    assert list(_Texts([])) == []
    metadata = relax.gguf.read_metadata(models / "spm.gguf")
    assert list(relax.generate.Tokenizer(metadata).vocabulary.tokens) == metadata["tokenizer.ggml.tokens"]


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_context(generator, monkeypatch):
    """2,000 tokens: memory stays flat, and the text ends where the context does."""
    with pytest.raises(ValueError, match="the prompt has 4002 tokens, the model's context is 2000"):
        generator("c b " * 1000)
    monkeypatch.setattr(generator.tokenizer.vocabulary, "stops", set())
    sizes = [resident_bytes() for _ in generator("a", max_tokens=2 * CONTEXT)]
    assert generator.statistics.reason == "context"
    assert generator.statistics.prompt_tokens + generator.statistics.answer_tokens == CONTEXT + 1
    # The cache has 2 KiB for each token, and is doubled.
    assert len(sizes) > 100 and sizes[-1] - sizes[len(sizes) // 10] < 2 * 2048 * CONTEXT + (4 << 20), sizes[::100]


def test_out_of_memory(relax, models, generator, monkeypatch, capsys):
    """A text that does not fit is an error; a shorter one goes on."""
    want = "".join(generator("abc", max_tokens=3))
    monkeypatch.setattr(relax.generate, "Executable", functools.partial(relax.Executable, memory_limit=300_000))
    small = relax.generate.Generator(models / "spm.gguf", artifact=models / "model.rlx")
    assert "".join(small("abc", max_tokens=3)) == want
    with pytest.raises(relax.RelaxError, match="exceed the memory limit of 300000 bytes"):
        "".join(small("c b " * 40))
    assert "".join(small("abc", max_tokens=3)) == want
    arguments = [str(models / "spm.gguf"), "c b " * 40, "--artifact", str(models / "model.rlx")]
    assert relax.generate.main(arguments) == 1
    text = capsys.readouterr().err
    assert text.startswith("relax-generate: error: ") and "memory limit" in text and text.count("\n") == 1


def test_empty_prompt(relax, models, generator):
    "".join(generator("", max_tokens=2))
    assert generator.statistics.prompt_tokens == 1
    with pytest.raises(ValueError, match="the prompt is empty"):
        relax.generate.Generator(models / "bytes.gguf", artifact=models / "model.rlx")("")


@pytest.fixture
def command(relax, models, capfdbinary):
    """The tool in this process: its status, what it prints and its message."""

    def run(*arguments):
        status = relax.generate.main([*map(str, arguments), "--artifact", str(models / "model.rlx")])
        out, err = capfdbinary.readouterr()
        return status, out, err.decode()

    return run


def test_command(build, models, generator):
    line = [build / "bin/relax-generate", models / "spm.gguf", "--artifact", models / "model.rlx", "--max-tokens", "5", "--stats"]
    done = subprocess.run([sys.executable, *line], input=b"abc", capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode() == "".join(generator("abc", max_tokens=5)) + "\n"
    assert b"tokens/s" in done.stderr and b"ended by" in done.stderr
    done = subprocess.run([sys.executable, *line], input=b"ab\xff", capture_output=True, timeout=120)
    assert done.returncode == 1 and not done.stdout
    assert done.stderr == b"relax-generate: error: the prompt is not valid UTF-8: invalid start byte at byte 2\n"


def test_chat(relax, command, models):
    chat = relax.generate.Generator(models / "chat.gguf", artifact=models / "model.rlx")
    assert chat.apply_template("abc") == "<s><user>abc"
    pieces = chat("abc", chat=True, max_tokens=1)
    "".join(pieces)
    assert chat.statistics.prompt_tokens == len(chat.tokenizer.encode("<user>abc"))
    status, _, message = command(models / "spm.gguf", "abc", "--chat")
    assert status == 1 and message == "relax-generate: error: the model has no chat template: it completes texts\n"


def test_bad_input(command, models):
    whole = (models / "spm.gguf").read_bytes()
    (models / "short.gguf").write_bytes(whole[:2000])
    (models / "text.gguf").write_text("hello")
    (models / "empty.gguf").write_bytes(b"")
    for name, message in [("short", "the file ends at byte 2000, in its metadata"), ("text", "not a GGUF file"),
                          ("empty", "not a GGUF file"), ("missing", "No such file"), ("none", "the model has no vocabulary")]:
        status, out, text = command(models / f"{name}.gguf", "abc")
        assert status == 1 and not out and text.startswith("relax-generate: error: ") and message in text and text.count("\n") == 1
    status, _, text = command(models / "spm.gguf", "abc\udcff")
    assert status == 1 and "the prompt is not valid Unicode" in text
    status, _, text = command(models / "spm.gguf", "abc", "--top-p", 2)
    assert status == 1 and "top_p is expected to be above 0 and at most 1, actual 2.0" in text


def test_truncated_weights(relax, models, tmp_path):
    whole = (models / "spm.gguf").read_bytes()
    (tmp_path / "cut.gguf").write_bytes(whole[:-1000])
    with pytest.raises(relax.RelaxError, match="cut.gguf") as caught:
        relax.generate.Generator(tmp_path / "cut.gguf")
    assert "Traceback" not in str(caught.value)
    with pytest.raises(relax.RelaxError):
        relax.generate.Generator(tmp_path / "cut.gguf", artifact=tmp_path / "cut.rlx")
    assert [path.name for path in tmp_path.iterdir()] == ["cut.gguf"]


@pytest.fixture
def interruptible():
    """A process in the background ignores the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_interrupt(relax, models, generator, capsys, monkeypatch, tmp_path, interruptible):
    # While it generates: the same generator goes on with another text.
    monkeypatch.setattr(relax.generate.Sampler, "__call__",
                        lambda self, logits, tokens: 7 if len(tokens) < 8 else signal.raise_signal(signal.SIGINT))
    arguments = [str(models / "spm.gguf"), "abc", "--artifact", str(models / "model.rlx")]
    assert relax.generate.main(arguments) == 130
    assert capsys.readouterr().err.endswith("relax-generate: interrupted\n")
    with pytest.raises(KeyboardInterrupt):
        "".join(generator("abc"))
    monkeypatch.undo()
    assert "".join(generator("abc", max_tokens=3)) == "".join(generator("abc", max_tokens=3))
    # While it compiles: nothing is left.
    threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
    assert relax.generate.main([*arguments[:2], "--artifact", str(tmp_path / "new.rlx")]) == 130
    assert list(tmp_path.iterdir()) == []
