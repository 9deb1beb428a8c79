# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Convolutions with constant filters, whose out channels are the columns of tiles, against numpy."""
import itertools

import numpy as np
import pytest

CODE = """
relax.weight_data @{name}_w : tensor<{w}x{t}> = dense<"0x{data}"> : tensor<{w}x{t}>
func.func @{name}(%x: tensor<?x{ci}x?x?x{t}, #relax_sym.shape<[b, {ci}, h, w]>>)
    -> tensor<?x{co}x?x?x{t}, #relax_sym.shape<[b, {co}, {oh}, {ow}]>>
    attributes {{relax_sym.scope = #relax_sym.scope<"h >= {least}", "w >= {least}">}} {{
  %w = relax.weight @{name}_w : tensor<{w}x{t}>
  %r = relax.conv %x, %w {{strides = array<i64: {s}, {s}>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: {d}, {d}>,
                           groups = {g} : i64}}
      : (tensor<?x{ci}x?x?x{t}, #relax_sym.shape<[b, {ci}, h, w]>>, tensor<{w}x{t}>)
      -> tensor<?x{co}x?x?x{t}, #relax_sym.shape<[b, {co}, {oh}, {ow}]>>
  %e = relax.relu %r : tensor<?x{co}x?x?x{t}, #relax_sym.shape<[b, {co}, {oh}, {ow}]>>
  return %e : tensor<?x{co}x?x?x{t}, #relax_sym.shape<[b, {co}, {oh}, {ow}]>>
}}
"""
# Out channels below, at and above a panel (24 with AVX2), filter, in channels, stride, dilation, groups.
CASES = {"first": (30, 7, 3, 2, 1, 1), "usual": (64, 3, 16, 1, 1, 1), "point": (24, 1, 40, 1, 1, 1), "few": (7, 3, 12, 1, 1, 1),
         "far": (49, 3, 5, 2, 2, 1), "groups": (60, 3, 8, 1, 1, 2), "long": (25, 3, 64, 1, 1, 1), "half": (33, 3, 9, 1, 1, 1)}
TYPES = {"half": ("f16", np.float16)}
# Images as large as the filter, of one row, of none; large, then small again.
SIZES = [(2, 31, 17), (1, 7, 7), (0, 9, 9), (1, 7, 64), (3, 9, 8), (1, 8, 7)]


def filters(name):
    co, k, ci, _, _, g = CASES[name]
    random = np.random.default_rng(len(name))
    return random.integers(-2, 3, (co, ci // g, k, k)).astype(TYPES.get(name, ("f32", np.float32))[1])


def code(name):
    co, k, ci, s, d, g = CASES[name]
    w = filters(name)
    reach = (k - 1) * d + 1
    extent = (lambda n: f"({n} - {reach}) floordiv {s} + 1") if s > 1 else (lambda n: f"{n} - {reach - 1}")
    return CODE.format(name=name, t=TYPES.get(name, ("f32", None))[0], w="x".join(map(str, w.shape)), data=w.tobytes().hex(),
                       ci=ci, co=co, oh=extent("h"), ow=extent("w"), s=s, d=d, g=g, least=reach)


def convolve(x, w, s, d, g):
    """In 64 bits: small integers, so that every sum is exact."""
    b, ci, h, width = x.shape
    co, cg, k, _ = w.shape
    oh, ow = (h - (k - 1) * d - 1) // s + 1, (width - (k - 1) * d - 1) // s + 1
    y = np.zeros((b, g, co // g, oh, ow))
    x, w = x.astype(np.float64).reshape(b, g, cg, h, width), w.astype(np.float64).reshape(g, co // g, cg, k, k)
    for i, j in itertools.product(range(k), range(k)):
        part = x[..., i * d:i * d + (oh - 1) * s + 1:s, j * d:j * d + (ow - 1) * s + 1:s]
        y += np.einsum("bgchw,goc->bgohw", part, w[..., i, j])
    return np.maximum(y.reshape(b, co, oh, ow), 0)


@pytest.fixture(scope="module", params=["cpu", "baseline"])
def executable(request, relax):
    module = relax.Module.parse("".join(map(code, CASES)), "conv.mlir")
    return relax.load(module.compile_to_bytes(functions=["*"], target=request.param), threads=2)


@pytest.mark.parametrize("name", CASES)
def test_convolution(executable, name):
    _, _, ci, s, d, g = CASES[name]
    w = filters(name)
    for b, h, width in SIZES:
        x = np.random.default_rng(h).integers(-2, 3, (b, ci, h, width)).astype(w.dtype)
        (actual,) = executable[name](x).values()
        np.testing.assert_array_equal(actual.astype(np.float64), convolve(x, w, s, d, g))
