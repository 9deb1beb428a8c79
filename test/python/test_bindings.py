# Licensed under the Apache License, Version 2.0. See LICENSE.
"""The Python package relax: an artifact as a function of numpy arrays."""
import sys

import numpy as np
import pytest


@pytest.fixture(scope="module")
def relax(root):
    sys.path.insert(0, str(root / "python-bindings"))
    import relax
    return relax


@pytest.fixture(scope="module")
def module(relax, tool, root, build, tmp_path_factory):
    artifact = tmp_path_factory.mktemp("bindings") / "matmul_relu.rlx"
    process = tool("relax-compile", root / "examples/matmul_relu.mlir", "-o", artifact)
    assert process.returncode == 0, process.stderr
    return relax.Module(artifact, runtime=str(build / "lib/librelax_runtime.so"))


def test_signature(module):
    assert module.inputs == {"x": (np.dtype("f4"), ("n", "4")), "w": (np.dtype("f4"), ("4", "8"))}
    assert module.outputs == {"y": (np.dtype("f4"), ("n", "8"))}


def test_sizes_in_one_process(module):
    w = np.arange(32, dtype=np.float32).reshape(4, 8) - 16
    kept = []
    for n in [5, 0, 1, 64, 3]:
        x = np.random.default_rng(n).standard_normal((n, 4), dtype=np.float32)
        # A view with strides is copied to a dense array.
        y = module(x=np.repeat(x, 2, axis=0)[::2], w=w)["y"]
        kept.append((y, np.maximum(x @ w, 0)))
    for y, want in kept:
        np.testing.assert_allclose(y, want, rtol=1e-5, atol=1e-5)


def test_errors_leave_it_usable(module, relax, build, tmp_path):
    w = np.ones((4, 8), np.float32)
    with pytest.raises(relax.RelaxError, match="rank"):
        module(x=np.ones(4, np.float32), w=w)
    with pytest.raises(relax.RelaxError, match="float64"):
        module(x=np.ones((2, 4)), w=w)
    with pytest.raises(relax.RelaxError, match="expected inputs"):
        module(x=w)
    (tmp_path / "bad.rlx").write_bytes(b"not an artifact")
    with pytest.raises(relax.RelaxError, match="bad.rlx"):
        relax.Module(tmp_path / "bad.rlx", runtime=str(build / "lib/librelax_runtime.so"))
    assert module(x=np.ones((2, 4), np.float32), w=w)["y"].tolist() == [[4.0] * 8] * 2
