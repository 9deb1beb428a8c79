# Licensed under the Apache License, Version 2.0. See LICENSE.
"""relax.function: functions with symbolic shapes written in Python; relax.Pipeline."""
import numpy as np
import pytest


@pytest.fixture(scope="module")
def built(relax):
    n, m = relax.dim("n"), relax.dim("m")
    assert n * 4 + 1 == 1 + 4 * n
    with relax.function("layers", facts=[n <= 1024, n % 2 == 0]) as f:
        x, w, i = f.input("x", (n, 4)), f.input("w", (4, 8)), f.input("i", (m,), "int64")
        h = (x @ w + 1).relu()
        f.output(hidden=h, total=x.sum(), pairs=x.reshape(-1, 2), first=h[0, None, :3], tail=x[1:], half=h[: n // 2],
                 odd=h[::3, -1], mean=h.mean(axis=-1, keepdims=True) / n, twice=f.concat([x, 2 * x]), turned=h.T,
                 mask=(x > 0).astype("float32"), chosen=f.where(x > 0, x, -1.0), rows=x.take(i, 0), best=h.argmax(1),
                 likely=h.softmax(-1), count=f.arange(n) * m, any=(x > 100).any())
    return f


def compute(x, w, i):
    n, h = len(x), np.maximum(x @ w + 1, 0)
    e = np.exp(h - h.max(-1, keepdims=True))
    return {"hidden": h, "total": x.sum(), "pairs": x.reshape(-1, 2), "first": h[0, None, :3], "tail": x[1:], "half": h[: n // 2],
            "odd": h[::3, -1], "mean": h.mean(-1, keepdims=True) / n, "twice": np.concatenate([x, 2 * x]), "turned": h.T,
            "mask": (x > 0).astype(np.float32), "chosen": np.where(x > 0, x, np.float32(-1)), "rows": x[i], "best": h.argmax(1),
            "likely": e / e.sum(-1, keepdims=True), "count": np.arange(n) * len(i), "any": (x > 100).any()}


def test_all_sizes(relax, built):
    function = built.module.compile()["layers"]
    assert str(function.outputs[2]) == "pairs: float32[n * 2, 2]"
    numbers = np.random.default_rng(0)
    for n, m in ((2, 0), (4, 3), (10, 1)):
        x, w = numbers.standard_normal((n, 4), np.float32), numbers.standard_normal((4, 8), np.float32)
        i = numbers.integers(0, n, m)
        results = function(x, w, i)
        for name, want in compute(x, w, i).items():
            want = np.asarray(want)
            assert results[name].shape == want.shape and results[name].dtype == want.dtype, name
            np.testing.assert_allclose(results[name], want, rtol=1e-5, atol=1e-5, err_msg=name)
    with pytest.raises(relax.RelaxError, match="n mod 2 == 0"):
        function(np.zeros((3, 4), np.float32), np.zeros((4, 8), np.float32), np.zeros(0, np.int64))


def test_places(relax):
    """A message of the compiler names the line in Python."""
    n, m = relax.dim("n"), relax.dim("m")
    with relax.function() as f:
        x = f.input("x", (n, 4))
        y = f.input("y", (m, 4))
        f.output(x + y)  # compared when it runs
    with pytest.raises(relax.RelaxError):
        f.module.compile()(np.zeros((2, 4), np.float32), np.zeros((3, 4), np.float32))
    with pytest.raises(relax.RelaxError) as caught, relax.function() as f:
        x = f.input("x", (n, 4))
        f.output(x.astype("int32").softmax(0))
    assert caught.value.diagnostics[0].file == __file__ and caught.value.diagnostics[0].line > 50


ERRORS = {
    "element types are expected to be equal, actual float32 and int64": lambda f, x, i: x + i,
    "a float beside elements of type int64": lambda f, x, i: i + 1.5,
    "extents are expected to be equal or 1, actual 4 and 3": lambda f, x, i: x + f.full((3,), 1.0),
    "inner extents are expected to be equal, actual 4 and 3": lambda f, x, i: x @ f.full((3, 2), 1.0),
    "axis 2 is out of range for rank 2": lambda f, x, i: x.sum(2),
    "3 indices for a tensor of rank 2": lambda f, x, i: x[0, 0, 0],
    "index 4 is out of range for extent 4": lambda f, x, i: x[:, 4],
    "more than one extent is -1": lambda f, x, i: x.reshape(-1, -1),
    "numbers of elements are expected to be equal, actual 6 and 4": lambda f, x, i: f.full((2, 3), 1.0).reshape(4),
    "is no order of 2 dimensions": lambda f, x, i: x.transpose(0, 0),
    "a step is expected to be a number of 1 or more, actual -1": lambda f, x, i: x[::-1],
    "element type 'complex64' is not supported": lambda f, x, i: x.astype("complex64"),
    "the size 'k' is not an extent of an input": lambda f, x, i: x.reshape(f.k, 4),
    "is not finished": lambda f, x, i: f.module,
    "has no output": lambda f, x, i: None,
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(relax, message):
    with pytest.raises(relax.RelaxError, match=message), relax.function() as f:
        f.k = relax.dim("k")
        ERRORS[message](f, f.input("x", (relax.dim("n"), 4)), f.input("i", (2,), "int64"))


def test_pipelines(relax, built):
    seen = []

    def count(module):
        seen.append(str(module).count("relax.matmul"))

    first = relax.Pipeline("relax-infer-shapes,canonicalize", count)
    pipeline = first + "relax-legalize-ops" + relax.Pipeline(count)
    assert repr(pipeline) == "Pipeline(relax-infer-shapes,canonicalize, count, relax-legalize-ops, count)"
    names = []
    module = pipeline(built.module.clone(), after=lambda name, text: names.append(name))
    assert seen == [1, 0] and "relax.call_tp" in str(module) and names.count("count") == 2 and "canonicalize" in names
    assert "relax.matmul" in str(built.module)
    # A function may give another module back.
    other = relax.Pipeline(lambda module: relax.Module.parse("module {}"))(built.module.clone())
    assert str(other).split() == ["module", "{", "}"]
