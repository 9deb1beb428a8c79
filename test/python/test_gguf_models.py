# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Language models from GGUF at tiny random configurations: logits against numpy, and what a cache must not change."""
import re

import numpy as np
import pytest
from gguf_models import Model, write_model

# One format and one sequence for most of them.
ONE = {"formats": ("q8_0",)}
MODELS = {"llama": {}, "phi3": ONE, "qwen2": ONE, "qwen3": ONE, "qwen3moe": ONE, "gemma": ONE, "gemma2": ONE, "gemma3": ONE,
          "skewed": {**ONE, "layers": 1, "skew": 0.01, "experts": 4, "used": 1}}


def rename(text, name):
    """The body of a module whose functions and weights have `name` before their names."""
    aliases = dict(re.findall(r"^#(\w+) = (.*)$", text, re.MULTILINE))
    text = text[text.index("module {") + len("module {"):text.rindex("}")]
    text = re.sub(r"#(\w+)(?![\w.<])", lambda match: aliases.get(match[1], match[0]), text)
    return re.sub(r'@("?)(?=\w)', rf"@\1{name}_", text)


@pytest.fixture(scope="module")
def models(relax, tmp_path_factory):
    """name: (its function, the numpy model). All are in one artifact: kernels are shared, so that this stays cheap."""
    folder, texts, models = tmp_path_factory.mktemp("models"), [], {}
    for name, changes in MODELS.items():
        path = write_model(folder / f"{name}.gguf", "qwen3moe" if name == "skewed" else name, **changes)
        facts = ["batch == 1"] if changes else []
        texts.append(rename(str(relax.gguf.load(path, all_logits=True, facts=facts)), name))
        models[name] = Model.load(path)
    executable = relax.Module.parse("module {\n" + "\n".join(texts) + "}\n").compile(functions=["*"])
    return {name: (executable[f"{name}_main"], model) for name, model in models.items()}


@pytest.fixture(scope="module")
def compiled(relax, models):
    """The numpy model, step(tokens, past): logits and the past of the next step, and the first past."""
    function, model = models["llama"]

    def step(tokens, past, fails=None):
        if fails is not None:
            with pytest.raises(relax.RelaxError, match=fails):
                function(tokens=tokens.astype(np.int32), **past)
            return None, None
        results = function(tokens=tokens.astype(np.int32), **past)
        logits = results.pop("logits")
        return logits, {name.replace("present", "past"): array for name, array in results.items()}

    return model, step, lambda batch: empty_cache(model.config, batch)


def empty_cache(config, batch):
    return {f"past_{kind}_{layer}": np.zeros((0, batch, config["kv_heads"], config["length"]), np.float32)
            for layer in range(config["layers"]) for kind in ("key", "value")}


def tokens(batch, length):
    return np.random.default_rng(length).integers(0, 40, (batch, length))


def close(got, want):
    assert got.shape == want.shape
    if got.size:
        assert np.abs(got - want).max() <= 1e-4 * max(1.0, np.abs(want).max())


@pytest.mark.parametrize("batch, length", [(1, 1), (2, 7), (1, 20)])
def test_logits(compiled, batch, length):
    model, step, empty = compiled
    given = tokens(batch, length)
    logits, present = step(given, empty(batch))
    close(logits, model.run(given))
    for layer in range(model.config["layers"]):
        close(present[f"past_key_{layer}"], model.cache[2 * layer].transpose(2, 0, 1, 3))
        close(present[f"past_value_{layer}"], model.cache[2 * layer + 1].transpose(2, 0, 1, 3))


def test_steps_equal_one_prefill(compiled):
    model, step, empty = compiled
    given = tokens(2, 9)
    want = model.run(given)
    past, at = empty(2), 0
    for count in [4, 0, 1, 1, 3]:
        logits, past = step(given[:, at:at + count], past)
        close(logits, want[:, at:at + count])
        at += count


def test_no_sequences(compiled):
    _, step, empty = compiled
    logits, _ = step(tokens(0, 3), empty(0))
    assert logits.shape == (0, 3, 40)


def test_wrong_inputs(compiled):
    _, step, empty = compiled
    step(tokens(1, 65), empty(1), fails=r"past \+ seq <= 64")
    step(np.array([[1, 40]]), empty(1), fails="index")
    step(np.array([[1, -1]]), empty(1), fails="index")
    step(tokens(2, 3), empty(1), fails="batch")


def test_last_logits(tool, tmp_path):
    path = write_model(tmp_path / "model.gguf", "llama", layers=1, formats=("q8_0",))
    done = tool("relax-compile", path, "-o", tmp_path / "model.rlx", "--fact", "batch <= 2")
    assert done.returncode == 0, done.stderr
    cache = np.zeros((0, 2, 2, 64), np.float32)
    for length in (5, 0):
        given = tokens(2, length)
        np.savez(tmp_path / "in.npz", tokens=given.astype(np.int32), past_key_0=cache, past_value_0=cache)
        done = tool("relax-run", tmp_path / "model.rlx", "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
        if length == 0:
            assert done.returncode == 1 and "seq >= 1" in done.stderr
        else:
            assert done.returncode == 0, done.stderr
            close(np.load(tmp_path / "out.npz")["logits"], Model.load(path).run(given)[:, -1])


@pytest.mark.parametrize("architecture", ["phi3", "qwen2", "qwen3", "qwen3moe", "gemma", "gemma2", "gemma3"])
def test_architectures(relax, models, architecture):
    function, model = models[architecture]
    given = tokens(1, 9)
    want, cache = model.run(given), empty_cache(model.config, 1)
    close(function(tokens=given.astype(np.int32), **cache)["logits"], want)
    # Layers with a window hand on only what they see.
    windows = {info.name: model.config["window"] - 1 for info in function.inputs[1:] if info.dims[0] == "local"}
    assert bool(windows) == architecture.startswith(("gemma2", "gemma3"))

    def run(session, start, counts, cache):
        for count in counts:
            close(session(tokens=given[:, start:start + count].astype(np.int32), **cache)["logits"], want[:, start:start + count])
            start, cache = start + count, {}

    session = function.session({name: name.replace("past", "present") for name in cache}, windows)
    run(session, 0, [4, 1, 1], cache)
    assert all(array.shape[0] == min(6, windows.get(name, 6)) for name, array in session.state.items())
    other = session.fork()
    run(session, 6, [3], {})
    run(other, 6, [1, 2], {})
    if not windows:
        session.pop(5)
        run(session, 4, [2, 3], {})
        return
    # Too little of the past is an error, never another answer.
    session.pop(1)
    with pytest.raises(relax.RelaxError, match="local"):
        session(tokens=given[:, :1].astype(np.int32))


def test_skewed_experts(models):
    """All tokens may go to a few experts: the others see none."""
    (function, model), loads = models["skewed"], []
    for token in (3, 4, 5, 6):
        given = np.full((1, 6), token)
        close(function(tokens=given.astype(np.int32), **empty_cache(model.config, 1))["logits"], model.run(given))
        loads.append(tuple(model.loads))
    assert all(sum(load) == 6 and 0 in load for load in loads), loads
