# Licensed under the Apache License, Version 2.0. See LICENSE.
"""What becomes one launch and what does not, by name: each function against numpy at sizes 0, 1, odd, prime, large, then small again."""
import numpy as np
import pytest

N8, N = "tensor<?x8xf32, #relax_sym.shape<[n, 8]>>", "tensor<?xf32, #relax_sym.shape<[n]>>"
N5, N1 = "tensor<?x5xf32, #relax_sym.shape<[n, 5]>>", "tensor<?x1xf32, #relax_sym.shape<[n, 1]>>"


def binary(op, result, a, b, type_a, type_b, type_result):
    return f"  {result} = relax.{op} {a}, {b} : ({type_a}, {type_b}) -> {type_result}\n"


def same(op, result, a, b, type):
    return binary(op, result, a, b, type, type, type)


SUM = f"%s = relax.sum %a {{axes = array<i64: 1>}} : ({N8}) -> {N}\n"
IMAGE = "tensor<1x3x?x7xf32, #relax_sym.shape<[1, 3, n, 7]>>"
FILTERED = "tensor<1x4x?x7xf32, #relax_sym.shape<[1, 4, n, 7]>>"
TURNED = "tensor<8x?xf32, #relax_sym.shape<[8, n]>>"
FLAT = "tensor<?xf32, #relax_sym.shape<[n * 8]>>"
HEADS = "tensor<?x2x4xf32, #relax_sym.shape<[n, 2, 4]>>"
CAST = "tensor<?x8xf32, #relax_sym.shape<[m, 8]>>"
W, B = "tensor<8x5xf32>", "tensor<5xf32>"
MATMUL = binary("matmul", "%p", "%x", "%w", N8, W, N5)

N64, BLOCKS = "tensor<?x64xf32, #relax_sym.shape<[n, 64]>>", "tensor<5x2x34xi8>"


def decode(blocks):
    """Of q8_0: an f16 factor, then 32 numbers."""
    scale = np.ascontiguousarray(blocks[..., :2]).view(np.float16).astype(np.float64)
    return (scale * blocks[..., 2:]).reshape(len(blocks), -1)


# name: inputs, result types, body, what is returned, numpy's results, launches
GROUPS = {
    "elementwise_chain": ([N8], [N8], f"  %a = relax.exp %x : {N8}\n  %b = relax.tanh %a : {N8}\n" +
                          same("multiply", "%r", "%b", "%a", N8), lambda x: np.tanh(np.exp(x)) * np.exp(x), 1),
    "broadcast": ([N8, "tensor<8xf32>"], [N8], same("add", "%a", "%w", "%w", "tensor<8xf32>") +
                  binary("add", "%b", "%x", "%a", N8, "tensor<8xf32>", N8) + f"  %r = relax.tanh %b : {N8}\n",
                  lambda x, w: np.tanh(x + 2 * w), 1),
    "injective": ([N8], [TURNED], f"  %a = relax.exp %x : {N8}\n  %b = relax.permute_dims %a {{permutation = array<i64: 1, 0>}} : "
                  f"({N8}) -> {TURNED}\n  %r = relax.tanh %b : {TURNED}\n", lambda x: np.tanh(np.exp(x)).T, 1),
    "producer_of_a_reduction": ([N8], [N], f"  %a = relax.exp %x : {N8}\n  " + SUM.replace("%s", "%r"),
                                lambda x: np.exp(x).sum(1), 1),
    "epilogue_of_a_reduction": ([N8], [N], f"  %a = relax.exp %x : {N8}\n  " + SUM + f"  %r = relax.log %s : {N}\n",
                                lambda x: np.log(np.exp(x).sum(1)), 1),
    "softmax": ([N8], [N8], f"  %r = relax.softmax %x {{axis = 1 : i64}} : ({N8}) -> {N8}\n",
                lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True), 1),
    "layer_norm": ([N8, "tensor<8xf32>", "tensor<8xf32>"], [N8],
                   f"  %r = relax.layer_norm %x scale(%w) bias(%v) {{axes = array<i64: 1>, epsilon = 1.0e-5 : f64}} : ({N8}, tensor<8xf32>, tensor<8xf32>) -> {N8}\n",
                   lambda x, w, v: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * w + v, 1),
    "epilogue_of_a_product": ([N8, W], [N5], MATMUL + f"  %r = relax.tanh %p : {N5}\n", lambda x, w: np.tanh(x @ w), 1),
    "scale_bias_relu": ([N8, W, B, B], [N5], MATMUL + binary("multiply", "%a", "%p", "%v", N5, B, N5) +
                        binary("add", "%b", "%a", "%u", N5, B, N5) + f"  %r = relax.relu %b : {N5}\n",
                        lambda x, w, v, u: np.maximum(x @ w * v + u, 0), 1),
    "epilogue_of_a_convolution": ([IMAGE, "tensor<4x3x1x1xf32>", "tensor<4x1x1xf32>"], [FILTERED],
                                  f"  %p = relax.conv %x, %w {{strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}} : ({IMAGE}, tensor<4x3x1x1xf32>) -> {FILTERED}\n" +
                                  binary("add", "%a", "%p", "%v", FILTERED, "tensor<4x1x1xf32>", FILTERED) +
                                  f"  %r = relax.relu %a : {FILTERED}\n",
                                  lambda x, w, v: np.maximum(np.einsum("bchw,oc->bohw", x, w[:, :, 0, 0]) + v, 0), 1),
    # The norm is one launch: a product would compute it for each column.
    "norm_into_a_product": ([N8, W], [N5], f"  %a = relax.rms_norm %x {{axes = array<i64: 1>}} : ({N8}) -> {N8}\n" +
                            binary("matmul", "%r", "%a", "%w", N8, W, N5),
                            lambda x, w: x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) @ w, 2),
    "dequantize_into_a_product": ([N64, BLOCKS], [N5],
                                  f"  %a = relax.dequantize_block %w {{format = \"q8_0\"}} : ({BLOCKS}) -> tensor<5x64xf32>\n"
                                  "  %b = relax.permute_dims %a {permutation = array<i64: 1, 0>} : (tensor<5x64xf32>) -> tensor<64x5xf32>\n" +
                                  binary("matmul", "%r", "%x", "%b", N64, "tensor<64x5xf32>", N5),
                                  lambda x, w: x @ decode(w).T, 1),
    # Numbers with one factor for each column are widened to a tensor; only blocks are decoded in the product.
    "factors_into_a_product": ([N8, "tensor<8x5xi8>", B], [N5], "  %a = relax.astype %w {dtype = f32} : (tensor<8x5xi8>) -> tensor<8x5xf32>\n" +
                               binary("multiply", "%b", "%a", "%v", W, B, W) + binary("matmul", "%r", "%x", "%b", N8, W, N5),
                               lambda x, w, v: x @ (w * v), 2),
    # What another group reads or the function gives is made by a launch of its own.
    "several_results": ([N8], [N8, N8], f"  %a = relax.exp %x : {N8}\n  %r = relax.tanh %a : {N8}\n" +
                        same("add", "%q", "%a", "%r", N8),
                        lambda x: (np.tanh(np.exp(x)), np.exp(x) + np.tanh(np.exp(x))), 3),
    "through_a_cast": ([N8, CAST], [CAST], f"  %a = relax.exp %x : {N8}\n  %c = relax.match_cast %a : {N8} to {CAST}\n" +
                       same("add", "%r", "%c", "%w", CAST), lambda x, w: np.exp(x) + w, 1),
    "through_a_reshape": ([N8], [HEADS], f"  %a = relax.exp %x : {N8}\n  %s = relax.shape_of %x : {N8} -> !relax.shape<[n, 8]>\n"
                          "  %t = relax.make_shape %s : (!relax.shape<[n, 8]>) -> !relax.shape<[n, 2, 4]>\n"
                          f"  %b = relax.reshape %a, %t : ({N8}, !relax.shape<[n, 2, 4]>) -> {HEADS}\n  %r = relax.tanh %b : {HEADS}\n",
                          lambda x: np.tanh(np.exp(x)).reshape(-1, 2, 4), 1),
    "through_views": ([N8], [FLAT], f"  %s = relax.shape_of %x : {N8} -> !relax.shape<[n, 8]>\n"
                      "  %t = relax.make_shape %s : (!relax.shape<[n, 8]>) -> !relax.shape<[n * 8]>\n"
                      f"  %b = relax.reshape %x, %t : ({N8}, !relax.shape<[n * 8]>) -> {FLAT}\n  %r = relax.tanh %b : {FLAT}\n",
                      lambda x: np.tanh(x).reshape(-1), 1),
}
SIZES = [0, 1, 9, 13, 3001, 2]


def write(name):
    inputs, results, body, _, _ = GROUPS[name]
    names = ["x", "w", "v", "u"]
    given = ", ".join(f"%{key}: {type}" for key, type in zip(names, inputs))
    types = ", ".join(results)
    return (f"func.func @{name}({given}) -> ({types}) attributes {{relax_sym.scope = #relax_sym.scope<>}} {{\n{body}"
            f"  return {', '.join(['%r', '%q'][:len(results)])} : {types}\n}}\n")


@pytest.fixture(scope="module")
def executable(relax):
    module = relax.Module.parse("".join(write(name) for name in GROUPS), "groups.mlir")
    return relax.load(module.compile_to_bytes(functions=["*"]))


def make(type, n, generator):
    """Values of a type, with n for its unknown extents."""
    if type == BLOCKS:
        blocks = generator.integers(-127, 128, (5, 2, 34)).astype(np.int8)
        blocks[..., :2] = np.full((5, 2, 1), 0.01, np.float16).view(np.int8)
        return blocks
    if type.endswith("i8>"):
        return generator.integers(-127, 128, (8, 5)).astype(np.int8)
    dims = type[len("tensor<"):].split("xf32")[0].split("x")
    return generator.standard_normal([n if dim == "?" else int(dim) for dim in dims]).astype(np.float32)


@pytest.mark.parametrize("name", GROUPS)
def test_group(executable, name):
    inputs, results, _, compute, launches = GROUPS[name]
    generator = np.random.default_rng(7)
    for n in SIZES:
        values = [make(type, n, generator) for type in inputs]
        before = executable.counters["kernel_launches"]
        got = list(executable[name](*values).values())
        assert executable.counters["kernel_launches"] - before == launches
        want = compute(*[value if value.dtype == np.int8 else value.astype(np.float64) for value in values])
        for a, b in zip(got, want if len(results) > 1 else [want], strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)
