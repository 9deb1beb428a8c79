# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Caches in pages: the same logits as without a cache, whatever the lengths, and what sequences share."""
import numpy as np
import pytest
from gguf_models import Model, write_model
from test_gguf_models import close, rename

PAGE = 4


@pytest.fixture(scope="module")
def models(relax, tmp_path_factory):
    """name: (its function with pages, the one without, the numpy model)."""
    folder, texts, models = tmp_path_factory.mktemp("models"), [], {}
    for name, layers in (("llama", 2), ("gemma2", 2)):
        path = write_model(folder / f"{name}.gguf", name, layers=layers, formats=("q8_0",))
        texts.append(rename(str(relax.gguf.load(path, all_logits=True, page_size=PAGE)), name))
        texts.append(rename(str(relax.gguf.load(path, all_logits=True)), f"whole_{name}"))
        models[name] = Model.load(path)
    executable = relax.Module.parse("module {\n" + "\n".join(texts) + "}\n").compile(functions=["*"])
    return {name: (executable[f"{name}_main"], executable[f"whole_{name}_main"], model) for name, model in models.items()}


def tokens(count, seed=0):
    return np.random.default_rng(seed).integers(0, 40, count)


def whole(function, model, given):
    """Logits with caches that are not in pages, token by token after the first three."""
    names = [info.name for info in function.inputs[1:]]
    past = {name: np.zeros((0, 1, model.config["kv_heads"], model.config["length"]), np.float32) for name in names}
    logits = []
    for part in [given[:3], *given[3:, None]]:
        results = function(tokens=part[None].astype(np.int32), **past)
        logits.append(results.pop("logits"))
        past = {name.replace("present", "past"): array for name, array in results.items()}
    return np.concatenate(logits, axis=1)


@pytest.mark.parametrize("name", ["llama", "gemma2"])
def test_different_lengths(relax, models, name):
    """Around the ends of pages, alone and together."""
    function, contiguous, model = models[name]
    cache = relax.gguf.PagedCache(function, pages=20)
    lengths = [0, 1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE + 1]
    texts = [tokens(length + 2 * PAGE, seed=length) for length in lengths]
    wants = [model.run(text[None]) for text in texts]
    close(whole(contiguous, model, texts[4]), wants[4])
    sequences = [cache.create() for _ in lengths]
    for sequence, text, want, length in zip(sequences, texts, wants, lengths):
        close(cache.step([sequence], text[None, :length]), want[:, :length])
    done = 0
    for count in (1, 1, PAGE - 1, 0):
        given = np.stack([text[length + done:length + done + count] for text, length in zip(texts, lengths)])
        want = np.concatenate([want[:, length + done:length + done + count] for want, length in zip(wants, lengths)])
        close(cache.step(sequences, given), want)
        done += count
    assert [len(sequence) for sequence in sequences] == [length + done for length in lengths]
    assert 20 - cache.free_pages == sum(-(-len(sequence) // PAGE) for sequence in sequences)
    for sequence in sequences:
        sequence.free()
    assert cache.free_pages == 20
    assert cache.step([], np.zeros((0, 1), np.int32)).shape == (0, 1, 40)


def test_fork_and_pop(relax, models):
    function, _, model = models["llama"]
    cache = relax.gguf.PagedCache(function, pages=5)
    text, first, second = tokens(PAGE + 2), tokens(PAGE, 1), tokens(PAGE, 2)
    one = cache.create()
    cache.step([one], text[None])
    two = one.fork()
    assert two.pages == one.pages and cache.free_pages == 3
    # Both write to the page that they share: one of them copies it.
    want = np.concatenate([model.run(np.concatenate([text, more])[None])[:, -PAGE:] for more in (first, second)])
    close(cache.step([one, two], np.stack([first, second])), want)
    assert one.pages[0] == two.pages[0] and not set(one.pages[1:]) & set(two.pages[1:]) and cache.free_pages == 0
    one.pop(PAGE + 1)
    assert len(one) == PAGE + 1 and cache.free_pages == 1
    one.pop(1)
    assert len(one) == PAGE and len(one.pages) == 1 and cache.free_pages == 2
    want = model.run(np.concatenate([text[:PAGE], second[:1]])[None])[:, -1:]
    close(cache.step([one], second[None, :1]), want)
    two.free()
    one.free()
    assert cache.free_pages == 5


def test_exhausted(relax, models):
    function, _, model = models["llama"]
    cache = relax.gguf.PagedCache(function, pages=2)
    one, text = cache.create(), tokens(2 * PAGE + 1)
    with pytest.raises(relax.RelaxError, match="page pool is exhausted: 3 pages of 4 tokens are needed, 2 of 2 are free"):
        cache.step([one], text[None])
    assert len(one) == 0 and cache.free_pages == 2
    cache.step([one], text[None, :-PAGE])
    two = one.fork()
    # A copy of the shared page would be needed.
    with pytest.raises(relax.RelaxError, match="1 pages of 4 tokens are needed, 0 of 2"):
        cache.step([two], text[None, -PAGE:-PAGE + 1])
    two.free()
    close(cache.step([one], text[None, -PAGE:-1]), model.run(text[None, :-1])[:, -PAGE + 1:])


def test_wrong_calls(relax, models):
    function, contiguous, _ = models["llama"]
    cache, other = relax.gguf.PagedCache(function, pages=20), relax.gguf.PagedCache(function, pages=1)
    one = cache.create()
    for sequences, given, message in [([one, one], np.zeros((2, 1)), "twice"), ([one], np.zeros((2, 1)), "a row for each"),
                                      ([other.create()], np.zeros((1, 1)), "another cache"),
                                      ([one], np.full((1, 1), 40), "index"), ([one], np.zeros((1, 65)), "seq <= 64")]:
        with pytest.raises(relax.RelaxError, match=message):
            cache.step(sequences, given)
        assert len(one) == 0 and cache.free_pages == 20
    cache.step([one], np.zeros((1, 64)))
    with pytest.raises(relax.RelaxError, match="index"):
        cache.step([one], np.zeros((1, 1)))
    with pytest.raises(relax.RelaxError, match="pop of 65 tokens of a sequence of 64"):
        one.pop(65)
    one.free()
    with pytest.raises(relax.RelaxError, match="freed"):
        cache.step([one], np.zeros((1, 1)))
    with pytest.raises(relax.RelaxError, match="page_size"):
        relax.gguf.PagedCache(contiguous, pages=1)
    with pytest.raises(relax.RelaxError, match="a pool of 0 pages"):
        relax.gguf.PagedCache(function, pages=0)
    # A length that the pages do not hold, and a page that is not there.
    pools = cache._pools
    for table, length, message in [([[0]], 5, "index"), ([[0]], -1, "index"), ([[20]], 1, "index")]:
        with pytest.raises(relax.RelaxError, match=message):
            function(tokens=np.zeros((1, 1), np.int32), page_table=np.array(table), lengths=np.array([length]), **pools)


def test_page_size(tool, tmp_path):
    path = write_model(tmp_path / "model.gguf", "llama", layers=1, formats=("q8_0",))
    for size in ("-1", "65"):
        done = tool("relax-translate", "--import-gguf", path, f"--page-size={size}")
        assert done.returncode == 1 and f"a page size of {size}, expected 1 to 64" in done.stderr
    done = tool("relax-translate", "--import-gguf", path, "--page-size=8", "--fact=past <= 3")
    assert done.returncode == 1 and "names 'past', expected batch, seq, slots and pages" in done.stderr
    done = tool("relax-translate", "--import-gguf", path, "--page-size=8", "--fact=slots <= 3")
    assert done.returncode == 0 and "page_table" in done.stdout
