# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Weights that relax-quantize-weights puts into blocks: numbers bit for bit and products, against numpy."""
import gguf
import numpy as np
import pytest

VOCABULARY, WIDTH, HIDDEN = 50, 96, 40


def weight(name, array):
    t = {"float32": "f32", "float16": "f16"}[array.dtype.name]
    shape = "x".join(map(str, array.shape))
    return f'relax.weight_data @{name} : tensor<{shape}x{t}> = dense<"0x{array.tobytes().hex()}"> : tensor<{shape}x{t}>\n'


# An embedding that is the last product as well, as language models have them; weights as (in, out), in f16, and one that stays.
FUNCTIONS = f"""
#i = #relax_sym.shape<[n]>
#x = #relax_sym.shape<[n, {WIDTH}]>
#xs = #relax_sym.shape<[b, n, {WIDTH}]>
#logits = #relax_sym.shape<[b, n, {VOCABULARY}]>
#h = #relax_sym.shape<[n, {HIDDEN}]>
func.func @rows(%i: tensor<?xi32, #i>) -> tensor<?x{WIDTH}xf32, #x> attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %w = relax.weight @tied : tensor<{VOCABULARY}x{WIDTH}xf32>
  %r = relax.take %w, %i {{axis = 0 : i64}} : (tensor<{VOCABULARY}x{WIDTH}xf32>, tensor<?xi32, #i>) -> tensor<?x{WIDTH}xf32, #x>
  return %r : tensor<?x{WIDTH}xf32, #x>
}}
func.func @logits(%x: tensor<?x?x{WIDTH}xf32, #xs>) -> tensor<?x?x{VOCABULARY}xf32, #logits> attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %w = relax.weight @tied : tensor<{VOCABULARY}x{WIDTH}xf32>
  %t = relax.permute_dims %w {{permutation = array<i64: 1, 0>}} : (tensor<{VOCABULARY}x{WIDTH}xf32>) -> tensor<{WIDTH}x{VOCABULARY}xf32>
  %r = relax.matmul %x, %t : (tensor<?x?x{WIDTH}xf32, #xs>, tensor<{WIDTH}x{VOCABULARY}xf32>) -> tensor<?x?x{VOCABULARY}xf32, #logits>
  return %r : tensor<?x?x{VOCABULARY}xf32, #logits>
}}
func.func @hidden(%x: tensor<?x{WIDTH}xf32, #x>) -> tensor<?x{HIDDEN}xf32, #h> attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %w = relax.weight @columns : tensor<{WIDTH}x{HIDDEN}xf16>
  %c = relax.astype %w {{dtype = f32}} : (tensor<{WIDTH}x{HIDDEN}xf16>) -> tensor<{WIDTH}x{HIDDEN}xf32>
  %r = relax.einsum %x, %c {{equation = "nk,km->nm"}} : (tensor<?x{WIDTH}xf32, #x>, tensor<{WIDTH}x{HIDDEN}xf32>) -> tensor<?x{HIDDEN}xf32, #h>
  return %r : tensor<?x{HIDDEN}xf32, #h>
}}
func.func @kept(%x: tensor<?x{HIDDEN}xf32, #h>) -> tensor<?x{WIDTH}xf32, #x> attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %w = relax.weight @odd : tensor<{HIDDEN}x{WIDTH}xf32>
  %r = relax.matmul %x, %w : (tensor<?x{HIDDEN}xf32, #h>, tensor<{HIDDEN}x{WIDTH}xf32>) -> tensor<?x{WIDTH}xf32, #x>
  return %r : tensor<?x{WIDTH}xf32, #x>
}}
"""


def quantized(rows, name):
    """What the blocks of `rows` stand for."""
    rows = rows.astype(np.float32)
    if name == "q8_0":
        kind = gguf.GGMLQuantizationType.Q8_0
        return gguf.quants.dequantize(gguf.quants.quantize(rows, kind), kind)
    blocks = rows.reshape(len(rows), -1, 32)
    scale = (np.abs(blocks).max(axis=-1, keepdims=True) / np.float32(7)).astype(np.float16).astype(np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(scale == 0, 7, blocks / scale + np.float32(7))
    q = np.clip(np.where(q - np.trunc(q) >= 0.5, np.trunc(q) + 1, np.trunc(q)), 0, 14)
    return ((q - 7).astype(np.float32) * scale).reshape(rows.shape)


@pytest.mark.parametrize("name", ["q4f16_1", "q8_0"])
def test_quantized(relax, tool, tmp_path, name):
    rng = np.random.default_rng(3)
    tied, columns, odd = (rng.normal(0, 1, shape).astype(dtype) for shape, dtype in [
        ((VOCABULARY, WIDTH), np.float32), ((WIDTH, HIDDEN), np.float16), ((HIDDEN, WIDTH), np.float32)])
    tied[3], tied[5, :32], tied[7] = 0, -1, tied[7] * 1e-7  # no factor, all alike, a factor that is hardly a number
    path = tmp_path / "model.mlir"
    path.write_text(weight("tied", tied) + weight("columns", columns) + weight("odd", odd) + FUNCTIONS)
    done = tool("relax-compile", path, "-o", tmp_path / "model.rlx", "--function=*", f"--quantize-weights={name}")
    assert done.returncode == 0, done.stderr
    functions = relax.load(tmp_path / "model.rlx")
    want = quantized(tied, name)
    np.testing.assert_array_equal(functions["rows"](np.arange(VOCABULARY, dtype=np.int32))["result0"], want)
    for batch, count in [(1, 1), (2, 5), (1, 33), (0, 3)]:
        x = rng.normal(0, 1, (batch, count, WIDTH)).astype(np.float32)
        np.testing.assert_allclose(functions["logits"](x)["result0"], x @ want.T, rtol=1e-5, atol=1e-5)
    x = rng.normal(0, 1, (9, WIDTH)).astype(np.float32)
    np.testing.assert_allclose(functions["hidden"](x)["result0"], x @ quantized(columns.T, name).T, rtol=1e-5, atol=1e-5)
    x = rng.normal(0, 1, (9, HIDDEN)).astype(np.float32)
    np.testing.assert_allclose(functions["kept"](x)["result0"], x @ odd, rtol=1e-5, atol=1e-5)
    # Fewer bits are stored: 4.5 or 8.5 for each number.
    plain = tool("relax-compile", path, "-o", tmp_path / "plain.rlx", "--function=*") if name == "q8_0" else None
    if plain:
        assert plain.returncode == 0
        saved = (tmp_path / "plain.rlx").stat().st_size - (tmp_path / "model.rlx").stat().st_size
        assert saved > (VOCABULARY * WIDTH * 4 + WIDTH * HIDDEN * 2) - (VOCABULARY + HIDDEN) * WIDTH * 34 // 32 - 12_000, saved


def test_unknown_format(tool, tmp_path):
    (tmp_path / "model.mlir").write_text(weight("tied", np.zeros((VOCABULARY, WIDTH), np.float32)) +
                                         weight("columns", np.zeros((WIDTH, HIDDEN), np.float16)) +
                                         weight("odd", np.zeros((HIDDEN, WIDTH), np.float32)) + FUNCTIONS)
    done = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.rlx", "--function=*", "--quantize-weights=int3")
    assert done.returncode == 1 and not (tmp_path / "model.rlx").exists()
    assert done.stderr == "relax-compile: error: there is no format 'int3' for weights, expected q4f16_1 or q8_0\n"
