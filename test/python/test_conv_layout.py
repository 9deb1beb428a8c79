# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Convolutions with channels last beside the same ones with channels first, and beside numpy."""
import itertools

import numpy as np
import pytest

# (out channels, in channels, kernel, stride, pad, dilation, groups): a stem, a depthwise one, a pointwise one, a
# dilated one, groups that stay as they are.
LAYERS = [(24, 3, 3, 2, 1, 1, 1), (24, 24, 3, 1, 1, 1, 24), (40, 24, 1, 1, 0, 1, 1), (40, 40, 3, 1, 2, 2, 1),
          (40, 40, 3, 1, 1, 1, 40), (40, 40, 3, 1, 1, 1, 4), (17, 40, 1, 1, 0, 1, 1)]
SIZES = [(1, 1, 1), (2, 31, 17), (0, 9, 9), (1, 64, 67), (3, 1, 8), (1, 2, 3)]


def filters(number):
    co, ci, k, _, _, _, g = LAYERS[number]
    return np.random.default_rng(number).integers(-1, 2, (co, ci // g, k, k)).astype(np.float32)


def code():
    """Layers in a row, a residual sum in the middle, a mean at the end; batch, height and width are symbols."""
    h, w = "((h - 1) floordiv 2 + 1)", "((w - 1) floordiv 2 + 1)"

    def kind(c):
        return f"tensor<?x{c}x?x?xf32, #relax_sym.shape<[n, {c}, {h}, {w}]>>"

    data, lines, last = [], [], ("%x", "tensor<?x3x?x?xf32, #relax_sym.shape<[n, 3, h, w]>>")
    for number, (co, ci, k, s, p, d, g) in enumerate(LAYERS):
        f = f"tensor<{co}x{ci // g}x{k}x{k}xf32>"
        data.append(f'relax.weight_data @w{number} : {f} = dense<"0x{filters(number).tobytes().hex()}"> : {f}')
        lines.append(f"%w{number} = relax.weight @w{number} : {f}")
        lines.append(f"%c{number} = relax.conv {last[0]}, %w{number} {{strides = array<i64: {s}, {s}>, pads = array<i64: {p}, {p}, {p}, {p}>, "
                     f"dilations = array<i64: {d}, {d}>, groups = {g} : i64}} : ({last[1]}, {f}) -> {kind(co)}")
        result = f"%c{number}"
        if number == 3:
            lines.append(f"%s = relax.add %c3, %r2 : ({kind(co)}, {kind(co)}) -> {kind(co)}")
            result = "%s"
        lines.append(f"%r{number} = relax.relu {result} : {kind(co)}")
        last = (f"%r{number}", kind(co))
    lines.append(f"return {last[0]} : {last[1]}")
    return "\n".join(data) + f"""
func.func @main(%x: tensor<?x3x?x?xf32, #relax_sym.shape<[n, 3, h, w]>> {{relax.name = "x"}}) -> ({last[1]} {{relax.name = "y"}})
    attributes {{relax_sym.scope = #relax_sym.scope<"h >= 1", "w >= 1">}} {{
  """ + "\n  ".join(lines) + "\n}\n"


def convolve(x, w, s, p, d, g):
    x = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p))).astype(np.float64)
    b, ci, h, width = x.shape
    co, cg, k, _ = w.shape
    oh, ow = (h - (k - 1) * d - 1) // s + 1, (width - (k - 1) * d - 1) // s + 1
    y = np.zeros((b, g, co // g, oh, ow))
    x, w = x.reshape(b, g, cg, h, width), w.astype(np.float64).reshape(g, co // g, cg, k, k)
    for i, j in itertools.product(range(k), range(k)):
        part = x[..., i * d:i * d + (oh - 1) * s + 1:s, j * d:j * d + (ow - 1) * s + 1:s]
        y += np.einsum("bgchw,goc->bgohw", part, w[..., i, j])
    return y.reshape(b, co, oh, ow)


def expected(x):
    values = []
    for number, (_, _, _, s, p, d, g) in enumerate(LAYERS):
        y = convolve(values[-1] if values else x, filters(number), s, p, d, g)
        values.append(np.maximum(y + values[2] if number == 3 else y, 0))
    return values[-1]


@pytest.fixture(scope="module", params=["layout", "no layout"])
def executable(request, relax, tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("layout")
    (folder / "in.mlir").write_text(code())
    options = [] if request.param == "layout" else ["--disable=layout"]
    done = tool("relax-compile", folder / "in.mlir", "-o", folder / "out.rlx", *options)
    assert done.returncode == 0, done.stderr
    return relax.load(folder / "out.rlx", threads=2)


def test_layers(executable):
    for n, h, w in SIZES:
        x = np.random.default_rng(h).integers(-1, 2, (n, 3, h, w)).astype(np.float32)
        y = expected(x)
        np.testing.assert_allclose(executable(x=x)["y"], y, rtol=1e-5, atol=1e-5 * np.abs(y).max(initial=1))


def test_layers_are_converted(relax):
    module = relax.Module.parse(code(), "layers.mlir")
    module.run("relax-simplify,relax-convert-conv-layout")
    text = str(module)
    # Groups of several channels stay, and what would have to be permuted before and after it by itself.
    assert text.count("relax.conv_channels_last") == 5, text
