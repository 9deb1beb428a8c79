# Licensed under the Apache License, Version 2.0. See LICENSE.
"""relax.tensor_program: tensor programs written as loops in Python."""
import importlib.util
import math

import numpy as np
import pytest

SIZES = (0, 1, 2, 7, 31, 257, 3)


def test_reductions(relax):
    n, m, k = relax.dim("n"), relax.dim("m"), relax.dim("k")

    @relax.tensor_program
    def softmax(x: relax.In[n, m], y: relax.Out[n, m]):
        for i in range(n):
            top = -math.inf
            for j in range(m):
                top = max(top, x[i, j])
            total = 0.0
            for j in range(m):
                total += relax.exp(x[i, j] - top)
            for j in range(m):
                y[i, j] = relax.exp(x[i, j] - top) / total

    @relax.tensor_program
    def product(x: relax.In[n, k], w: relax.In[k, m], y: relax.Out[n, m]):
        for i, j in relax.grid(n, m):
            y[i, j] = 0.0
            for part in range(k):
                y[i, j] += x[i, part] * w[part, j]

    with relax.function() as f:
        x, w = f.input("x", (n, k)), f.input("w", (k, m))
        f.output(y=softmax(product(x.relu(), w) + 1))
    # Loops that are sums of elements are raised and fuse with what is before and behind.
    model = f.module.compile()
    assert len(model.kernels) <= 3
    alone, numbers = softmax.compile(), np.random.default_rng(0)
    for rows, columns, inner in ((0, 3, 2), (1, 1, 1), (7, 5, 0), (33, 257, 65), (2, 3, 4)):
        x, w = numbers.standard_normal((rows, inner), np.float32), numbers.standard_normal((inner, columns), np.float32)
        e = np.maximum(x, 0).astype(np.float64) @ w + 1
        e = np.exp(e - e.max(-1, keepdims=True))
        np.testing.assert_allclose(model(x, w)["y"], e / e.sum(-1, keepdims=True), rtol=2e-4, atol=1e-6)
        z = numbers.standard_normal((rows, columns), np.float32)
        e = np.exp(z - z.max(-1, keepdims=True))
        np.testing.assert_allclose(alone(z)["y"], e / e.sum(-1, keepdims=True), rtol=1e-5)


def test_conditions_and_types(relax):
    n, scale = relax.dim("n"), 3

    @relax.tensor_program(facts=[n <= 1000])
    def windows(x: relax.In[n], y: relax.Out[n], z: relax.Out[np.int64, n // 2], count: relax.Out[np.int32, 1]):
        """Neighbours, branches, positions."""
        above = 0
        for i in range(n):
            s = x[i] * scale
            if i > 0:
                s += x[i - 1]
            if i + 1 < n and x[i] > 0:
                s = s + x[i + 1]
                above += 1
            else:
                s -= 1
            y[i] = s if s >= 0 else -s
        for i in range(0, n // 2):
            z[i] = 2 * i + 1 if x[2 * i] < x[2 * i + 1] else i * i // 3
        count[0] = np.int32(above)

    model = windows.compile()
    for size in SIZES:
        x = np.random.default_rng(size).standard_normal(size).astype(np.float32)
        y, z, above = np.zeros_like(x), np.zeros(size // 2, np.int64), 0
        for i in range(size):
            s = x[i] * np.float32(3) + (x[i - 1] if i else np.float32(0))
            inside = i + 1 < size and x[i] > 0
            y[i] = abs(s + x[i + 1] if inside else s - 1)
            above += inside
        for i in range(size // 2):
            z[i] = 2 * i + 1 if x[2 * i] < x[2 * i + 1] else i * i // 3
        result = model(x)
        np.testing.assert_allclose(result["y"], y, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(result["z"], z)
        assert result["count"].dtype == np.int32 and result["count"][0] == above
    with pytest.raises(relax.RelaxError, match="n <= 1000"):
        model(np.zeros(1001, np.float32))


def test_loops_depend_on_loops(relax):
    n, m = relax.dim("n"), relax.dim("m")

    @relax.tensor_program
    def triangle(x: relax.In[np.float64, n, n], lengths: relax.In[np.int64, m], y: relax.Out[np.float64, n],
                 sums: relax.Out[np.float64, m]):
        for i in range(n):
            t = 0.0
            for j in range(i + 1):
                t += x[i, j]
            y[i] = math.sqrt(abs(t)) + float(i % 3) + 2.0 ** float(i - i)
        for i in range(m):
            t = 0.0
            for j in range(lengths[i]):
                t += x[j, j]
            sums[i] = t

    model = triangle.compile()
    for size in (0, 1, 5, 40, 2):
        x = np.random.default_rng(size).standard_normal((size, size))
        lengths = np.array([size, 0, size // 2])
        result = model(x, lengths)
        np.testing.assert_allclose(result["y"], np.sqrt(np.abs(np.tril(x).sum(-1))) + np.arange(size) % 3 + 1)
        np.testing.assert_allclose(result["sums"], [np.trace(x[:k, :k]) for k in lengths], atol=1e-12)
    # What a value decides is checked when it is used.
    with pytest.raises(relax.RelaxError, match="an index of x is out of range"):
        model(np.zeros((2, 2)), np.array([3]))


def test_indices_are_checked(relax):
    n, m, k = relax.dim("n"), relax.dim("m"), relax.dim("k")

    @relax.tensor_program
    def take(x: relax.In[n, m], i: relax.In[np.int64, k], y: relax.Out[k, m]):
        for a, b in relax.grid(k, m):
            y[a, b] = x[i[a], b]

    @relax.tensor_program
    def scatter(i: relax.In[np.int32, k], y: relax.Out[np.int32, 10]):
        for a in range(10):
            y[a] = 0
        for a in range(k):
            assert i[a] != 7, "seven is not allowed"
            y[i[a]] += 1

    with relax.function() as f:
        x, i = f.input("x", (2 * n, 4)), f.input("i", (k,), "int64")
        f.output(y=take(x.exp(), i) + 1)
    model, x = f.module.compile(), np.random.default_rng(0).random((6, 4), np.float32)
    np.testing.assert_allclose(model(x, np.array([5, 0]))["y"], np.exp(x)[[5, 0]] + 1, rtol=1e-6)
    for rows, index in ((3, 6), (3, -1), (0, 0)):
        with pytest.raises(relax.RelaxError, match="an index of x is out of range"):
            model(x[:2 * rows], np.array([index]))
    counts = scatter.compile()
    np.testing.assert_array_equal(counts(np.array([1, 9, 1], np.int32))["y"], [0, 2, 0, 0, 0, 0, 0, 0, 0, 1])
    np.testing.assert_array_equal(counts(np.zeros(0, np.int32))["y"], np.zeros(10))
    with pytest.raises(relax.RelaxError, match="an index of y is out of range"):
        counts(np.array([10], np.int32))
    with pytest.raises(relax.RelaxError, match="seven is not allowed"):
        counts(np.array([7], np.int32))


def test_calls(relax):
    n = relax.dim("n")

    @relax.tensor_program
    def positions(y: relax.Out[n, 2]):
        for i in range(n):
            y[i, 0] = i
            y[i, 1] = i * i

    @relax.tensor_program
    def half(x: relax.In[2 * n, n], y: relax.Out[n]):
        for i in range(n):
            y[i] = x[2 * i, i]

    with pytest.raises(relax.RelaxError, match="no In of positions shows the sizes n"):
        positions.compile()
    with relax.function() as f:
        x = f.input("x", (n, 3))
        f.output(y=positions(function=f, n=n + 1))
        with pytest.raises(TypeError, match=r"takes the sizes \['n'\]"):
            positions(function=f)
        with pytest.raises(TypeError, match="takes 1 tensors"):
            half()
        with pytest.raises(relax.RelaxError, match="dimension 0 of 'x' of half is expected to be 6, actual 4"):
            half(f.constant(np.zeros((4, 3), np.float32)))
        with pytest.raises(relax.RelaxError, match="expected to be f32 of rank 2, actual f32 of rank 1"):
            half(x[0])
    for size in (0, 1, 5):
        expected = np.arange(size + 1, dtype=np.float32)
        np.testing.assert_array_equal(f.module.compile()(np.zeros((size, 3), np.float32))["y"],
                                      np.stack([expected, expected * expected], -1))
    with relax.function() as f:
        f.output(y=half(f.input("x", (n, relax.dim("m")))))
    model = f.module.compile()
    np.testing.assert_array_equal(model(np.arange(8, dtype=np.float32).reshape(4, 2))["y"], [0, 5])
    with pytest.raises(relax.RelaxError):
        model(np.zeros((5, 2), np.float32))


@pytest.mark.parametrize("line, column, message", [
    ("y[i] = x[i, 0]", 16, "'x' has rank 1, 2 indices are given"),
    ("x[i] = 1", 9, "'x' is an input and is only read"),
    ("while True: pass", 9, "'while True:' is not understood here"),
    ("y[i] = unknown", 16, "'unknown' is not defined here"),
    ("y[i] = foo(x[i])", 16, "the function 'foo' is not understood"),
    ("y[i] += x", 17, "'x' is a buffer; an element of it needs indices"),
    ("y[0.5] = 1", 11, "an index is expected to be an integer, actual 0.5"),
    ("y[n] = 2.0", 9, "index n is out of range for extent n"),
    ("y[i] = x[i] @ x[i]", 16, "this operator is not understood for elements of type f32"),
    ("y[i] = x[i] + d[i]", 16, "element types f32 and f64 meet; convert one, as in np.float32(x)"),
    ("if x[i]: y[i] = 0", 9, "a condition is expected to be a comparison"),
    ("i = 3", 9, ""),
    ("for i in range(3): y[i] = 0", 13, "the loop variable 'i' is used for something else"),
    ("for j in range(3, 0, -1): y[i] = 0", 18, "a step is expected to be a number of 1 or more"),
    ("for j in [1, 2]: y[i] = 0", 18, "a loop over range(...) or relax.grid(...) is expected"),
    ("y[i] = 1 if x[i] > 'a' else 0", 28, "a number is expected, actual 'a'"),
])
def test_errors_have_places(relax, tmp_path, line, column, message):
    path = tmp_path / "program.py"
    path.write_text("import numpy as np\nimport relax\nn = relax.dim('n')\ndef foo(x): return x\n@relax.tensor_program\n"
                    "def p(x: relax.In[n], d: relax.In[np.float64, n], y: relax.Out[n]):\n    for i in range(n):\n"
                    f"        {line}\n")
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    if not message:
        return spec.loader.exec_module(module)
    with pytest.raises(relax.RelaxError) as caught:
        spec.loader.exec_module(module)
    assert str(caught.value) == f"{path}:8:{column}: error: {message}"
    assert (caught.value.diagnostics[0].line, caught.value.diagnostics[0].column) == (8, column)


def test_arguments(relax):
    n = relax.dim("n")
    with pytest.raises(relax.RelaxError, match="argument 'x' is expected to be annotated with In"):
        @relax.tensor_program
        def plain(x, y: relax.Out[n]):
            pass
    with pytest.raises(relax.RelaxError, match="a tensor program is expected to have an Out"):
        @relax.tensor_program
        def nothing(x: relax.In[n]):
            pass
    with pytest.raises(TypeError, match="an extent is expected to be an int or a size"):
        relax.In["float32", "n"]
    with pytest.raises(relax.RelaxError, match="relax.exp is for scalars of a relax.tensor_program"):
        relax.exp(1.0)
