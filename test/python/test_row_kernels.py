# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Kernels that finish one row before the next (relax-tile-rows) against numpy, at many sizes and with several threads."""
import numpy as np
import pytest

FUNCTION = """
func.func @{name}(%x: {type}) -> {type} attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %r = relax.{op} : ({type}) -> {type}
  return %r : {type}
}}
"""


def make(name, op, dims, element="f32"):
    plain = "x".join("?" if not d.isdigit() else d for d in dims)
    kind = f"tensor<{plain}x{element}, #relax_sym.shape<[{', '.join(dims)}]>>"
    return FUNCTION.format(name=name, op=op, type=kind)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def normalize(x):
    d = x - x.mean(-1, keepdims=True)
    return d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-5)


CASES = {
    "softmax": (make("softmax", "softmax %x {axis = 2 : i64}", "bst"), softmax, 3, np.float32, 1e-6),
    "softmax_half": (make("softmax_half", "softmax %x {axis = 2 : i64}", "bst", "f16"), softmax, 3, np.float16, 2e-3),
    "log_softmax": (make("log_softmax", "log_softmax %x {axis = 1 : i64}", "st"), lambda x: np.log(softmax(x)), 2,
                    np.float32, 1e-5),
    "softmax_middle": (make("softmax_middle", "softmax %x {axis = 1 : i64}", ["b", "5", "7"]),
                       lambda x: softmax(x, 1), (5, 7), np.float32, 1e-6),
    "softmax_columns": (make("softmax_columns", "softmax %x {axis = 0 : i64}", "st"), lambda x: softmax(x, 0), 2,
                        np.float32, 1e-6),
    "layer_norm": (make("layer_norm", "layer_norm %x {axes = array<i64: 1>}", ["n", "33"]), normalize, (33,), np.float32,
                   1e-5),
    "layer_norm_rows": (make("layer_norm_rows", "layer_norm %x {axes = array<i64: 2>}", "bst"), normalize, 3, np.float32,
                        1e-5),
}
# Large, then small again in one process.
SIZES = [(3, 67, 129), (1, 1, 1), (2, 0, 5), (0, 3, 4), (5, 7, 2), (1, 128, 31), (2, 3, 0), (17, 2, 64)]


def test_rows_of_nothing(relax):
    """A static extent of 0: rows without elements, and no rows."""
    module = relax.Module.parse("""
func.func @sum(%x: tensor<?x0x1xi64, #relax_sym.shape<[n, 0, 1]>>) -> tensor<i64> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = relax.sum %x {axes = array<i64: 0, 1, 2>} : (tensor<?x0x1xi64, #relax_sym.shape<[n, 0, 1]>>) -> tensor<i64>
  return %r : tensor<i64>
}
func.func @softmax(%x: tensor<?x0xf32, #relax_sym.shape<[n, 0]>>) -> tensor<?x0xf32, #relax_sym.shape<[n, 0]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = relax.softmax %x {axis = 1 : i64} : (tensor<?x0xf32, #relax_sym.shape<[n, 0]>>) -> tensor<?x0xf32, #relax_sym.shape<[n, 0]>>
  return %r : tensor<?x0xf32, #relax_sym.shape<[n, 0]>>
}
func.func @norm(%x: tensor<0x?x8xf32, #relax_sym.shape<[0, n, 8]>>) -> tensor<0x?x8xf32, #relax_sym.shape<[0, n, 8]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = relax.layer_norm %x {axes = array<i64: 2>} : (tensor<0x?x8xf32, #relax_sym.shape<[0, n, 8]>>) -> tensor<0x?x8xf32, #relax_sym.shape<[0, n, 8]>>
  return %r : tensor<0x?x8xf32, #relax_sym.shape<[0, n, 8]>>
}
""", "nothing.mlir")
    executable = relax.load(module.compile_to_bytes(functions=["*"]))
    for n in (3, 0, 1):
        assert executable["sum"](np.zeros((n, 0, 1), np.int64))["result0"] == 0
        assert executable["softmax"](np.zeros((n, 0), np.float32))["result0"].shape == (n, 0)
        assert executable["norm"](np.zeros((0, n, 8), np.float32))["result0"].shape == (0, n, 8)


@pytest.fixture(scope="module", params=[1, 3])
def executable(request, relax):
    module = relax.Module.parse("".join(code for code, *_ in CASES.values()), "rows.mlir")
    return relax.load(module.compile_to_bytes(functions=["*"]), threads=request.param)


@pytest.mark.parametrize("name", CASES)
def test_rows(executable, name):
    _, reference, rank, dtype, tolerance = CASES[name]
    random = np.random.default_rng(5)
    for size in SIZES:
        shape = size[-rank:] if isinstance(rank, int) else (size[1], *rank)
        x = (4 * random.standard_normal(shape)).astype(dtype)
        (actual,) = executable[name](x).values()
        assert actual.shape == shape
        if x.size:
            np.testing.assert_allclose(np.asarray(actual, np.float64), reference(x.astype(np.float64)), rtol=tolerance,
                                       atol=tolerance)
