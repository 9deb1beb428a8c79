# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Reshapes, slices, concatenations and permutations beside what computes: views, parts and moved reads give numpy's results."""
import numpy as np
import pytest

SIZES = [0, 1, 3, 31, 128, 257, 2, 1]


def shape(*dims):
    """A tensor type of f32; extents that are no numbers are symbolic."""
    text = "x".join(str(dim) if isinstance(dim, int) else "?" for dim in dims)
    names = f", #relax_sym.shape<[{', '.join(map(str, dims))}]>" if "?" in text else ""
    return f"tensor<{text}xf32{names}>"


def function(arguments, results, body, scope=""):
    """A model with named arguments and results."""
    given = ", ".join(f'%{name}: {type} {{relax.name = "{name}"}}' for name, type in arguments.items())
    made = ", ".join(f'{type} {{relax.name = "{name[1:]}"}}' for name, type in results.items())
    return (f"func.func @main({given}) -> ({made}) attributes {{relax_sym.scope = #relax_sym.scope<{scope}>}} {{\n{body}\n"
            f"  return {', '.join(results)} : {', '.join(results.values())}\n}}\n")


def run(tool, folder, model, cases, reference):
    """Compiles once; every case runs in one process, in order, so that small ones come after large ones."""
    (folder / "model.mlir").write_text(model)
    done = tool("relax-compile", folder / "model.mlir", "-o", folder / "model.rlx")
    assert done.returncode == 0, done.stderr
    rng, files, inputs = np.random.default_rng(11), [], []
    for index, shapes in enumerate(cases):
        inputs.append({name: rng.standard_normal(extents).astype(np.float32) for name, extents in shapes.items()})
        np.savez(folder / f"in{index}.npz", **inputs[-1])
        files += ["--inputs", folder / f"in{index}.npz", "--outputs", folder / f"out{index}.npz"]
    done = tool("relax-run", folder / "model.rlx", *files)
    assert done.returncode == 0, done.stderr
    for index, given in enumerate(inputs):
        got = np.load(folder / f"out{index}.npz")
        for name, expected in reference(**given).items():
            assert got[name].shape == expected.shape, (index, name)
            np.testing.assert_allclose(got[name], expected, rtol=1e-4, atol=1e-3, err_msg=f"case {index}, {name}")


def cut(name, source, axis, start, end, dims):
    """A line that gives a part of `source` along one axis."""
    made = [*dims[:axis], end - start, *dims[axis + 1:]]
    return (f"  %{name} = relax.slice %{source} {{axes = array<i64: {axis}>, starts = [#relax_sym.expr<{start}>], "
            f"ends = [#relax_sym.expr<{end}>], strides = array<i64: 1>}} : ({shape(*dims)}) -> {shape(*made)}\n")


ROTATE = f"""
  %p = relax.permute_dims %x {{permutation = array<i64: 1, 0, 2>}} : ({shape("n", 3, 8)}) -> {shape(3, "n", 8)}
{cut("lo", "p", 2, 0, 4, (3, "n", 8))}{cut("hi", "p", 2, 4, 8, (3, "n", 8))}  %neg = relax.negate %hi : {shape(3, "n", 4)}
  %turned = relax.concat %neg, %lo {{axis = 2 : i64}} : ({shape(3, "n", 4)}, {shape(3, "n", 4)}) -> {shape(3, "n", 8)}
  %a = relax.multiply %p, %cos : ({shape(3, "n", 8)}, {shape("n", 8)}) -> {shape(3, "n", 8)}
  %b = relax.multiply %turned, %sin : ({shape(3, "n", 8)}, {shape("n", 8)}) -> {shape(3, "n", 8)}
  %sum = relax.add %a, %b : ({shape(3, "n", 8)}, {shape(3, "n", 8)}) -> {shape(3, "n", 8)}
"""


def rotate(x, cos, sin):
    p = x.transpose(1, 0, 2)
    return p * cos + np.concatenate([-p[..., 4:], p[..., :4]], -1) * sin


def test_rotation_of_halves(tool, tmp_path):
    arguments = {"x": shape("n", 3, 8), "cos": shape("n", 8), "sin": shape("n", 8)}
    cases = [{"x": (n, 3, 8), "cos": (n, 8), "sin": (n, 8)} for n in SIZES]
    run(tool, tmp_path, function(arguments, {"%sum": shape(3, "n", 8)}, ROTATE), cases,
        lambda x, cos, sin: {"sum": rotate(x, cos, sin)})


def test_rotation_behind_a_cache(tool, tmp_path):
    """Written into its place behind what was there; the cache is read again, too."""
    arguments = {"past": shape(3, "p", 8), "x": shape("n", 3, 8), "cos": shape("n", 8), "sin": shape("n", 8),
                 "w": shape(3, 5, 8)}
    body = ROTATE + f"""
  %keys = relax.concat %past, %sum {{axis = 1 : i64}} : ({shape(3, "p", 8)}, {shape(3, "n", 8)}) -> {shape(3, "p + n", 8)}
  %t = relax.permute_dims %keys {{permutation = array<i64: 0, 2, 1>}} : ({shape(3, "p + n", 8)}) -> {shape(3, 8, "p + n")}
  %q = relax.matmul %w, %t : ({shape(3, 5, 8)}, {shape(3, 8, "p + n")}) -> {shape(3, 5, "p + n")}
"""
    pairs = [(0, 0), (0, 1), (1, 0), (5, 3), (128, 1), (3, 64), (257, 2), (1, 1)]
    cases = [{"past": (3, p, 8), "x": (n, 3, 8), "cos": (n, 8), "sin": (n, 8), "w": (3, 5, 8)} for p, n in pairs]

    def reference(past, x, cos, sin, w):
        keys = np.concatenate([past, rotate(x, cos, sin)], 1)
        return {"keys": keys, "q": w @ keys.transpose(0, 2, 1)}
    run(tool, tmp_path, function(arguments, {"%keys": shape(3, "p + n", 8), "%q": shape(3, 5, "p + n")}, body), cases, reference)


def reshape(name, source, before, after):
    """Lines that give `source` another shape; %shape_of_x knows the symbols."""
    target = f"!relax.shape<[{', '.join(map(str, after))}]>"
    return (f"  %s{name} = relax.make_shape %known : (!relax.shape<[n, m]>) -> {target}\n"
            f"  %{name} = relax.reshape %{source}, %s{name} : ({shape(*before)}, {target}) -> {shape(*after)}\n")


KNOWN = f"  %known = relax.shape_of %x : {shape('n', 'm')} -> !relax.shape<[n, m]>\n"


def test_views(tool, tmp_path):
    """Views of an argument, of what is computed, of each other, returned, and read after their source is."""
    body = KNOWN + reshape("flat", "x", ("n", "m"), ("n * m",)) + f"""
  %e = relax.exp %flat : {shape("n * m")}
""" + reshape("back", "e", ("n * m",), ("m", "n")) + f"""
  %t = relax.permute_dims %back {{permutation = array<i64: 1, 0>}} : ({shape("m", "n")}) -> {shape("n", "m")}
  %u = relax.add %t, %x : ({shape("n", "m")}, {shape("n", "m")}) -> {shape("n", "m")}
  %c = relax.cos %u : {shape("n", "m")}
  %d = relax.sin %c : {shape("n", "m")}
""" + reshape("late", "e", ("n * m",), ("n", 1, "m")) + f"""
  %l = relax.expand_dims %d {{axes = array<i64: 1>}} : ({shape("n", "m")}) -> {shape("n", 1, "m")}
  %y = relax.multiply %late, %l : ({shape("n", 1, "m")}, {shape("n", 1, "m")}) -> {shape("n", 1, "m")}
""" + reshape("z", "y", ("n", 1, "m"), ("m", "n"))
    results = {"%z": shape("m", "n"), "%flat": shape("n * m"), "%back": shape("m", "n"), "%d": shape("n", "m")}
    cases = [{"x": pair} for pair in [(0, 3), (3, 0), (1, 1), (3, 5), (64, 33), (1, 257), (2, 2), (1, 1)]]

    def reference(x):
        n, m = x.shape
        e = np.exp(x.reshape(-1))
        d = np.sin(np.cos(e.reshape(m, n).T + x))
        return {"z": (e.reshape(n, m) * d).reshape(m, n), "flat": x.reshape(-1), "back": e.reshape(m, n), "d": d}
    run(tool, tmp_path, function({"x": shape("n", "m")}, results, body), cases, reference)


def test_heads_that_share_rows(tool, tmp_path):
    """Each key head is read by three query heads, where it is."""
    body = f"""
  %one = relax.expand_dims %k {{axes = array<i64: 1>}} : ({shape(2, "t", 16)}) -> {shape(2, 1, "t", 16)}
  %shape = relax.shape_of %k : {shape(2, "t", 16)} -> !relax.shape<[2, t, 16]>
  %wide = relax.make_shape %shape : (!relax.shape<[2, t, 16]>) -> !relax.shape<[2, 3, t, 16]>
  %each = relax.broadcast_to %one, %wide : ({shape(2, 1, "t", 16)}, !relax.shape<[2, 3, t, 16]>) -> {shape(2, 3, "t", 16)}
  %long = relax.make_shape %shape : (!relax.shape<[2, t, 16]>) -> !relax.shape<[6, t, 16]>
  %heads = relax.reshape %each, %long : ({shape(2, 3, "t", 16)}, !relax.shape<[6, t, 16]>) -> {shape(6, "t", 16)}
  %turned = relax.permute_dims %heads {{permutation = array<i64: 0, 2, 1>}} : ({shape(6, "t", 16)}) -> {shape(6, 16, "t")}
  %scores = relax.matmul %q, %turned : ({shape(6, "s", 16)}, {shape(6, 16, "t")}) -> {shape(6, "s", "t")}
  %mixed = relax.matmul %scores, %heads : ({shape(6, "s", "t")}, {shape(6, "t", 16)}) -> {shape(6, "s", 16)}
"""
    pairs = [(0, 3), (1, 0), (1, 1), (3, 5), (40, 131), (1, 257), (2, 2)]
    cases = [{"q": (6, s, 16), "k": (2, t, 16)} for s, t in pairs]

    def reference(q, k):
        heads = np.repeat(k, 3, 0).astype(np.float64)
        scores = q @ heads.transpose(0, 2, 1)
        return {"scores": scores, "mixed": scores @ heads}
    results = {"%scores": shape(6, "s", "t"), "%mixed": shape(6, "s", 16)}
    model = function({"q": shape(6, "s", 16), "k": shape(2, "t", 16)}, results, body)
    run(tool, tmp_path, model, cases, reference)


@pytest.mark.parametrize("columns", [(4, 4, 8), (1, 7, 8)])
def test_parts_of_a_product(tool, tmp_path, columns):
    """One product whose columns are three results, each shaped and moved by its readers."""
    lines, start = [f"  %all = relax.matmul %x, %w : ({shape('n', 5)}, {shape(5, 16)}) -> {shape('n', 16)}"], 0
    for index, width in enumerate(columns):
        lines.append(cut(f"p{index}", "all", 1, start, start + width, ("n", 16)))
        lines.append(f"  %t{index} = relax.permute_dims %p{index} {{permutation = array<i64: 1, 0>}} : "
                     f"({shape('n', width)}) -> {shape(width, 'n')}")
        lines.append(f"  %r{index} = relax.exp %t{index} : {shape(width, 'n')}")
        start += width
    results = {f"%r{index}": shape(width, "n") for index, width in enumerate(columns)}
    edges = np.cumsum((0, *columns))
    run(tool, tmp_path, function({"x": shape("n", 5), "w": shape(5, 16)}, results, "\n".join(lines)),
        [{"x": (n, 5), "w": (5, 16)} for n in SIZES],
        lambda x, w: {f"r{i}": np.exp((x @ w)[:, edges[i]:edges[i + 1]].T) for i in range(3)})


TAKEN = f"""
  %taken = relax.take %t, %i {{axis = 0 : i64}} : ({shape("v", "d")}, tensor<?xi64, #relax_sym.shape<[n]>>) -> {shape("n", "d")}
  %scaled = relax.multiply %taken, %b : ({shape("n", "d")}, {shape("n", "d")}) -> {shape("n", "d")}
  %y = relax.add %scaled, %taken : ({shape("n", "d")}, {shape("n", "d")}) -> {shape("n", "d")}
"""


def test_gather_in_a_program(tool, tmp_path):
    """Rows of a table are read where they are scaled: numpy's results, and what is refused alone is refused here."""
    arguments = {"t": shape("v", "d"), "i": "tensor<?xi64, #relax_sym.shape<[n]>>", "b": shape("n", "d")}
    (tmp_path / "model.mlir").write_text(function(arguments, {"%y": shape("n", "d")}, TAKEN))
    done = tool("relax-compile", tmp_path / "model.mlir", "--emit=mlir", "--after=relax-verify-mixed", "-o", "-")
    assert done.stdout.count("relax.call_tp @") == 1, done.stdout + done.stderr
    done = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.rlx")
    assert done.returncode == 0, done.stderr
    rng, files, inputs = np.random.default_rng(5), [], []
    for index, (v, d, n) in enumerate([(4, 8, 0), (1, 1, 1), (7, 13, 17), (5000, 257, 1031), (3, 0, 2), (2, 3, 1)]):
        inputs.append((rng.standard_normal((v, d)).astype(np.float32), rng.integers(0, v, n),
                       rng.standard_normal((n, d)).astype(np.float32)))
        np.savez(tmp_path / f"in{index}.npz", **dict(zip("tib", inputs[-1])))
        files += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
    done = tool("relax-run", tmp_path / "model.rlx", *files)
    assert done.returncode == 0, done.stderr
    for index, (t, i, b) in enumerate(inputs):
        np.testing.assert_allclose(np.load(tmp_path / f"out{index}.npz")["y"], t[i] * b + t[i], rtol=1e-5, atol=1e-5)
    for place in [-1, 4, 2**40]:
        np.savez(tmp_path / "bad.npz", t=np.ones((4, 3), np.float32), i=np.array([0, place]), b=np.ones((2, 3), np.float32))
        done = tool("relax-run", tmp_path / "model.rlx", "--inputs", tmp_path / "bad.npz", "--outputs", tmp_path / "bad_out.npz")
        assert done.returncode != 0 and "index is out of range" in done.stderr, place


PADDED = """
  %p = relax.pad %x {{low = [#relax_sym.expr<0>, #relax_sym.expr<1>], high = [#relax_sym.expr<0>, #relax_sym.expr<2>], mode = "{mode}"}} : ({x}) -> {y}
  %y = relax.abs %p : {y}
"""


@pytest.mark.parametrize("mode", ["constant", "edge"])
def test_pad_in_a_program(tool, tmp_path, mode):
    """A padded copy is computed where it is read."""
    x, y = shape("n", 5), shape("n", 8)
    model = function({"x": x}, {"%y": y}, PADDED.format(mode=mode, x=x, y=y))
    run(tool, tmp_path, model, [{"x": (n, 5)} for n in SIZES], lambda x: {"y": np.abs(np.pad(x, ((0, 0), (1, 2)), mode))})
    done = tool("relax-compile", tmp_path / "model.mlir", "--emit=mlir", "--after=relax-verify-mixed", "-o", "-")
    assert done.stdout.count("relax.call_tp @") == 1, done.stdout + done.stderr


def test_strided_slice_in_a_program(tool, tmp_path):
    x, y = shape("n", 7), shape("n", 3)
    body = (f"  %s = relax.slice %x {{axes = array<i64: 1>, starts = [#relax_sym.expr<1>], ends = [#relax_sym.expr<7>], "
            f"strides = array<i64: 2>}} : ({x}) -> {y}\n  %y = relax.abs %s : {y}")
    run(tool, tmp_path, function({"x": x}, {"%y": y}, body), [{"x": (n, 7)} for n in SIZES], lambda x: {"y": np.abs(x[:, 1:7:2])})
    done = tool("relax-compile", tmp_path / "model.mlir", "--emit=mlir", "--after=relax-verify-mixed", "-o", "-")
    assert done.stdout.count("relax.call_tp @") == 1, done.stdout + done.stderr
