# Licensed under the Apache License, Version 2.0. See LICENSE.
# ruff: noqa: F811 (tests name the fixture that is imported)
"""Weights in blocks: every format bit for bit as the package gguf reads it, and products with such rows."""
import gguf
import numpy as np
import pytest
from gguf_models import FORMATS, random_blocks
from test_ops import Function, compiled, numbers, tensor  # noqa: F401 (a fixture)


def decoded(blocks, name):
    rows = blocks.reshape(*blocks.shape[:-2], blocks.shape[-2] * blocks.shape[-1]).view(np.uint8)
    if not rows.size:
        return np.zeros((*blocks.shape[:-2], blocks.shape[-2] * sizes(name)[0]), np.float32)
    return gguf.quants.dequantize(rows, FORMATS[name]).astype(np.float32)


def sizes(name):
    return gguf.GGML_QUANT_SIZES[FORMATS[name]]


@pytest.fixture
def formats(compiled):
    functions = []
    for name in FORMATS:
        count, size = sizes(name)
        function = Function("block_" + name, w=tensor("i8", "n", "m", size))
        function.op("numbers", "dequantize_block %w", ["w"], tensor("f32", "n", f"m * {count}"), f'{{format = "{name}"}}')
        functions.append(function)
        inner, attrs = 512 // count, f'{{format = "{name}"}}'
        function = Function("matmul_" + name, x=tensor("f32", "b", "s", 512), v=tensor("f32", 512), w=tensor("i8", 7, inner, size),
                            z=tensor("f32", "s", f"m * {count}"), u=tensor("i8", "n", "m", size))
        function.op("rows", "block_matmul %x, %w", ["x", "w"], tensor("f32", "b", "s", 7), attrs)
        function.op("row", "block_matmul %v, %w", ["v", "w"], tensor("f32", 7), attrs)
        function.op("any", "block_matmul %z, %u", ["z", "u"], tensor("f32", "s", "n"), attrs)
        functions.append(function)
    return compiled("blocks", functions)


@pytest.mark.parametrize("name", FORMATS)
def test_bit_for_bit(formats, name):
    cases = [random_blocks(name, n, m, seed=n) for n, m in [(3, 5), (1, 1), (0, 2), (2, 0), (17, 2)]]
    for blocks, got in zip(cases, formats("block_" + name, *({"w": blocks} for blocks in cases))):
        want = decoded(blocks, name)
        assert got["numbers"].shape == want.shape and got["numbers"].dtype == np.float32
        np.testing.assert_array_equal(got["numbers"].view(np.uint32), want.view(np.uint32))


@pytest.mark.parametrize("name", FORMATS)
def test_products(formats, name):
    count, _ = sizes(name)
    inputs = []
    for b, s, n, m in [(2, 3, 5, 1), (1, 1, 1, 2), (0, 2, 0, 1), (1, 5, 3, 0), (1, 15, 37, 1), (2, 8, 4, 3)]:
        inputs.append({"x": numbers("f32", b, s, 512), "v": numbers("f32", 512), "w": random_blocks(name, 7, 512 // count),
                       "z": numbers("f32", s, m * count), "u": random_blocks(name, n, m)})
    for given, got in zip(inputs, formats("matmul_" + name, *inputs)):
        for result, lhs, rhs in [("rows", "x", "w"), ("row", "v", "w"), ("any", "z", "u")]:
            rows = decoded(given[rhs], name).astype(np.float64)
            want = given[lhs].astype(np.float64) @ rows.T
            slack = np.abs(given[lhs].astype(np.float64)) @ np.abs(rows).T * 1e-6 + 1e-30
            assert got[result].shape == want.shape
            assert (np.abs(got[result] - want) <= slack).all(), result


def test_wrong_length(formats):
    given = {"x": numbers("f32", 1, 1, 512), "v": numbers("f32", 512), "w": random_blocks("q8_0", 7, 16), "z": numbers("f32", 1, 64),
             "u": random_blocks("q8_0", 3, 1)}
    formats("matmul_q8_0", given, fails="relax-run")
