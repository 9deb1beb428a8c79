# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Attention over caches of f32 and narrow types: around tiles of keys, large sizes and small ones again, 1 and 2 threads."""
import ml_dtypes
import numpy as np
import pytest

MODEL = """
#q = #relax_sym.shape<[1, 8, {queries}, 48]>
#k = #relax_sym.shape<[1, 2, n, 48]>
func.func @main(%q: tensor<1x8x{extent}x48x{type}, #q> {{relax.name = "q"}},
                %k: tensor<1x2x?x48x{type}, #k> {{relax.name = "k"}}, %v: tensor<1x2x?x48x{type}, #k> {{relax.name = "v"}})
    -> (tensor<1x8x{extent}x48x{type}, #q> {{relax.name = "y"}})
    attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %r = relax.attention %q, %k, %v {{{causal}}} : (tensor<1x8x{extent}x48x{type}, #q>, tensor<1x2x?x48x{type}, #k>,
      tensor<1x2x?x48x{type}, #k>) -> tensor<1x8x{extent}x48x{type}, #q>
  return %r : tensor<1x8x{extent}x48x{type}, #q>
}}
"""
DTYPES = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 257, 1031, 0, 1, 5]


def attend(q, k, v, causal):
    q, k, v = (array.astype(np.float64) for array in (q, k, v))
    queries, keys = q.shape[2], k.shape[2]
    if keys == 0:
        return np.zeros_like(q)
    scores = q.reshape(2, -1, 48) @ k[0].transpose(0, 2, 1) / np.sqrt(48)
    if causal:
        scores.reshape(8, queries, keys)[:, np.triu(np.ones((queries, keys), bool), 1)] = -np.inf
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    return (scores / scores.sum(-1, keepdims=True) @ v[0]).reshape(q.shape)


@pytest.mark.parametrize("name, queries, causal",
                         [("f32", "1", ""), ("bf16", "1", ""), ("f16", "s", ""), ("f32", "s", "causal"), ("bf16", "s", "causal")])
def test_attention(tool, tmp_path, name, queries, causal):
    text = MODEL.format(type=name, queries=queries, extent="?" if queries == "s" else 1, causal=causal)
    if queries == "1":
        text = text.replace("xf32, #q>", "xf32>").replace("xf16, #q>", "xf16>").replace("xbf16, #q>", "xbf16>")
    (tmp_path / "model.mlir").write_text(text)
    done = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.rlx")
    assert done.returncode == 0, done.stderr
    rng, files, cases = np.random.default_rng(11), [], []
    for index, keys in enumerate(SIZES):
        count = 1 if queries == "1" else keys if causal else (index * 5) % 19
        arrays = {"q": (1, 8, count, 48), "k": (1, 2, keys, 48), "v": (1, 2, keys, 48)}
        arrays = {key: rng.standard_normal(shape).astype(DTYPES[name]) for key, shape in arrays.items()}
        cases.append(arrays)
        np.savez(tmp_path / f"in{index}.npz",
                 **{key: array.view("V2") if name == "bf16" else array for key, array in arrays.items()})
        files += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
    results = {}
    for threads in ("1", "2"):
        done = tool("relax-run", tmp_path / "model.rlx", "--threads", threads, *files)
        assert done.returncode == 0, done.stderr
        for index, arrays in enumerate(cases):
            got = np.load(tmp_path / f"out{index}.npz")["y"].view(DTYPES[name])
            expected = attend(*arrays.values(), bool(causal))
            limit = {"f32": 2e-6, "f16": 1e-3, "bf16": 8e-3}[name] * max(1, np.abs(expected).max(initial=0))
            assert np.abs(got.astype(np.float64) - expected).max(initial=0) <= limit, SIZES[index]
            # No sum is divided: threads change nothing.
            assert np.array_equal(results.setdefault(index, got).view(np.uint8), got.view(np.uint8))
