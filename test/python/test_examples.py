# Licensed under the Apache License, Version 2.0. See LICENSE.
"""The programs of examples/, compiled once each and run at several sizes in one process, against numpy."""
import numpy as np
import pytest

SIZES = [7, 0, 1, 64, 2, 13, 1]


@pytest.fixture(scope="module")
def compiled(tool, root, tmp_path_factory):
    """compiled("sub") is the artifact of examples/sub.mlir."""
    folder = tmp_path_factory.mktemp("examples")

    def get(name):
        artifact = folder / f"{name}.rlx"
        if not artifact.exists():
            process = tool("relax-compile", root / "examples" / f"{name}.mlir", "-o", artifact)
            assert process.returncode == 0, process.stderr
        return artifact

    return get


def run(tool, artifact, tmp_path, cases, *options):
    """Runs all cases in one process; returns their outputs."""
    command = []
    for index, inputs in enumerate(cases):
        np.savez(tmp_path / f"in{index}.npz", **inputs)
        command += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
    process = tool("relax-run", artifact, *options, *command)
    assert process.returncode == 0, process.stderr
    outputs = []
    for index in range(len(cases)):
        with np.load(tmp_path / f"out{index}.npz") as arrays:
            outputs.append(dict(arrays))
    return outputs


def refuse(tool, artifact, tmp_path, inputs, *options):
    """One run that must fail; returns the message."""
    np.savez(tmp_path / "in.npz", **inputs)
    process = tool("relax-run", artifact, *options, "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
    assert process.returncode == 1
    assert not (tmp_path / "out.npz").exists()
    return process.stderr


def normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def test_matmul_relu(tool, compiled, tmp_path):
    cases = [{"x": normal(n, n, 4), "w": normal(100, 4, 8)} for n in SIZES]
    for case, outputs in zip(cases, run(tool, compiled("matmul_relu"), tmp_path, cases)):
        np.testing.assert_allclose(outputs["y"], np.maximum(case["x"] @ case["w"], 0), rtol=1e-5, atol=1e-6)
        assert outputs["y"].shape == (len(case["x"]), 8)


def test_matmul_relu_fact(tool, compiled, tmp_path):
    message = refuse(tool, compiled("matmul_relu"), tmp_path, {"x": normal(0, 4097, 4), "w": normal(1, 4, 8)})
    assert "n <= 4096" in message and "4097" in message


def test_sub(tool, compiled, tmp_path):
    cases = [{"x": normal(n, n, 4)} for n in SIZES]
    for case, outputs in zip(cases, run(tool, compiled("sub"), tmp_path, cases)):
        flat = case["x"].reshape(-1)
        np.testing.assert_array_equal(outputs["y"], np.concatenate([flat, flat, flat]))


def repeated(n, different):
    return np.random.default_rng(n).permutation(np.arange(n) % max(different, 1)).astype(np.float32)


def test_unique(tool, compiled, tmp_path):
    cases = [{"x": repeated(n, m)} for n, m in [(20, 5), (0, 0), (1, 1), (64, 64), (64, 1), (13, 7), (2, 2)]]
    for case, outputs in zip(cases, run(tool, compiled("unique"), tmp_path, cases)):
        np.testing.assert_allclose(outputs["y"], np.exp(np.unique(case["x"])), rtol=1e-6)


def test_unique_checked(tool, compiled, tmp_path):
    cases = [{"x": repeated(n, m), "y": normal(m, m)} for n, m in [(20, 5), (0, 0), (1, 1), (64, 64), (9, 3)]]
    for case, outputs in zip(cases, run(tool, compiled("unique_checked"), tmp_path, cases)):
        np.testing.assert_allclose(outputs["z"], np.exp(np.unique(case["x"])) + case["y"], rtol=1e-6, atol=1e-6)


def test_unique_cast_fails(tool, compiled, tmp_path):
    message = refuse(tool, compiled("unique_checked"), tmp_path, {"x": repeated(20, 5), "y": normal(0, 6)})
    assert "match_cast" in message and "5" in message and "6" in message


def test_relu_add_loops(tool, compiled, tmp_path):
    cases = [{"x": normal(n, n, 256)} for n in SIZES]
    for case, outputs in zip(cases, run(tool, compiled("relu_add_loops"), tmp_path, cases)):
        np.testing.assert_array_equal(outputs["y"], np.maximum(case["x"], 0) + np.float32(1))


def llm_inputs(batch, seq, past, heads=2, head_dim=8, vocab=11):
    random = np.random.default_rng(batch * 100 + seq * 10 + past)
    return {
        "table": normal(1, vocab, heads * head_dim),
        "ids": random.integers(0, vocab, (batch, seq)),
        "past": normal(2, batch, heads, past, head_dim).astype(np.float16),
    }


def llm_reference(table, ids, past):
    batch, heads, _, d = past.shape
    x = table[ids]
    q = x.reshape(batch, ids.shape[1], heads, d).transpose(0, 2, 1, 3)
    present = np.concatenate([past, q.astype(np.float16)], axis=2)
    keys = present.astype(np.float32)
    scores = q @ keys.transpose(0, 1, 3, 2) / np.sqrt(np.float32(d))
    if scores.size:
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
    out = (scores @ keys).transpose(0, 2, 1, 3).reshape(x.shape)
    return np.maximum(out, 0), present


@pytest.fixture(scope="module")
def library(build):
    return "--library", build / "lib/librelax_example_llm.so"


def test_llm_block(tool, compiled, library, tmp_path):
    sizes = [(2, 5, 0), (1, 1, 7), (3, 4, 9), (0, 2, 2), (2, 0, 3), (1, 1, 1), (2, 5, 0)]
    cases = [llm_inputs(*size) for size in sizes] + [llm_inputs(2, 3, 4, heads=1, head_dim=5)]
    for case, outputs in zip(cases, run(tool, compiled("llm_block"), tmp_path, cases, *library)):
        y, present = llm_reference(**case)
        np.testing.assert_allclose(outputs["y"], y, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(outputs["present"], present)
        assert outputs["present"].dtype == np.float16


def test_llm_block_signature(tool, compiled):
    """Says what it needs, without its libraries."""
    process = tool("relax-run", compiled("llm_block"), "--signature")
    assert process.returncode == 0, process.stderr
    assert process.stdout == """function main
input table: float32[vocab, head_dim * heads]
input ids: int64[batch, seq_len]
input past: float16[batch, heads, past_len, head_dim]
output y: float32[batch, seq_len, head_dim * heads]
output present: float16[batch, heads, past_len + seq_len, head_dim]
library function example_embedding
library function example_attention
"""


def test_llm_block_errors(tool, compiled, library, tmp_path):
    inputs = llm_inputs(2, 3, 4)
    message = refuse(tool, compiled("llm_block"), tmp_path, inputs)
    assert "example_embedding" in message or "example_attention" in message
    message = refuse(tool, compiled("llm_block"), tmp_path, {**inputs, "ids": inputs["ids"] + 11}, *library)
    assert "example_embedding" in message
    message = refuse(tool, compiled("llm_block"), tmp_path, {**inputs, "table": inputs["table"][:, 1:]}, *library)
    assert "table" in message and "15" in message and "16" in message
