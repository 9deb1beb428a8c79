# Licensed under the Apache License, Version 2.0. See LICENSE.
"""To IREE and from JAX, where they are installed: in the tests' environment, or in one of their own.

    python3 -m venv /tmp/others && /tmp/others/bin/pip install jax iree-base-compiler
    RELAX_OTHERS_PYTHON=/tmp/others/bin/python3 .venv/bin/python3 -m pytest test/python/test_other_compilers.py
"""
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

PYTHON = pathlib.Path(os.environ.get("RELAX_OTHERS_PYTHON", sys.executable))


def need(package):
    """The Python that has the package; without one the test is skipped."""
    if subprocess.run([PYTHON, "-c", f"import {package}"], capture_output=True).returncode:
        pytest.skip(f"{package} is not installed (RELAX_OTHERS_PYTHON names a Python that has it)")


MODEL = """
#n_4 = #relax_sym.shape<[n, 4]>
#n_8 = #relax_sym.shape<[n, 8]>
#m_n = #relax_sym.shape<[n * 2, 8]>
func.func @main(%x: tensor<?x4xf32, #n_4>, %w: tensor<4x8xf32>) -> (tensor<?x8xf32, #n_8>, tensor<?x8xf32, #m_n>)
    attributes {relax_sym.scope = #relax_sym.scope<"n >= 1">} {
  %0 = relax.matmul %x, %w : (tensor<?x4xf32, #n_4>, tensor<4x8xf32>) -> tensor<?x8xf32, #n_8>
  %1 = relax.softmax %0 {axis = 1 : i64} : (tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #n_8>
  %2 = relax.concat %0, %1 {axis = 0 : i64} : (tensor<?x8xf32, #n_8>, tensor<?x8xf32, #n_8>) -> tensor<?x8xf32, #m_n>
  return %1, %2 : tensor<?x8xf32, #n_8>, tensor<?x8xf32, #m_n>
}
"""


@pytest.mark.parametrize("options", ["", "{fuse=true}"])
def test_iree_compiles_what_leaves(tool, tmp_path, options):
    """relax-to-linalg gives what iree-compile accepts."""
    need("iree.compiler")
    (tmp_path / "model.mlir").write_text(MODEL)
    process = tool("relax-opt", tmp_path / "model.mlir", f"--pass-pipeline=builtin.module(relax-to-linalg{options})",
                   "-o", tmp_path / "plain.mlir")
    assert process.returncode == 0, process.stderr
    done = subprocess.run([PYTHON.parent / "iree-compile", "--iree-hal-target-device=local",
                           "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=generic",
                           tmp_path / "plain.mlir", "-o", tmp_path / "model.vmfb"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "model.vmfb").stat().st_size > 1000


# Exports a model with symbolic sizes as generic text, and what it gives at some sizes.
EXPORT = """
import sys
import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir

def layer_norm(x, g, b):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) * jax.lax.rsqrt(v + 1e-5) * g + b

def transformer(tokens, emb, wqkv, wo, w1, w2, g, b):
    n, x = tokens.shape[1], emb[tokens]
    q, k, v = jnp.split(layer_norm(x, g, b) @ wqkv, 3, axis=-1)
    q, k, v = (t.reshape(t.shape[0], n, 4, 4).transpose(0, 2, 1, 3) for t in (q, k, v))
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k) / 2.0
    s = jnp.where(jnp.arange(n)[:, None] >= jnp.arange(n)[None, :], s, -1e9)
    o = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s, axis=-1), v).transpose(0, 2, 1, 3).reshape(x.shape)
    x = x + o @ wo
    x = x + jax.nn.gelu(layer_norm(x, g, b) @ w1) @ w2
    return x @ emb.T, jnp.argmax(x @ emb.T, axis=-1)

def convnet(x, k1, k2, w, b):
    y = jax.lax.conv_general_dilated(x, k1, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = jax.lax.reduce_window(jax.nn.relu(y + b), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    y = jax.lax.conv_general_dilated(y, k2, (2, 2), [(1, 1), (1, 1)], dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.nn.log_softmax(jax.nn.silu(y).mean((1, 2)) @ w),

def inputs(name, b, n):
    numbers = np.random.default_rng(n)
    f = lambda *shape: numbers.standard_normal(shape).astype(np.float32) * 0.3
    if name == "transformer":
        return [numbers.integers(0, 20, (b, n)).astype(np.int32), f(20, 16), f(16, 48), f(16, 16), f(16, 32), f(32, 16), f(16), f(16)]
    return [f(b, n, n + 4, 3), f(3, 3, 3, 8), f(3, 3, 8, 6), f(6, 10), f(8)]

name, model, dims, constraints = {"transformer": ("transformer", transformer, "b, n", ()),
                                  "convnet": ("convnet", convnet, "b, h, w, 3", ("h >= 8", "w >= 8"))}[sys.argv[1]]
first, *others = inputs(name, 2, 12)
symbolic = jax.ShapeDtypeStruct(export.symbolic_shape(dims, constraints=constraints), first.dtype)
exported = export.export(jax.jit(model))(symbolic, *(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in others))
with mlir.make_ir_context():
    module = ir.Module.parse(exported.mlir_module())
    open("model.mlir", "w").write(module.operation.get_asm(print_generic_op_form=True, large_elements_limit=None))
for index, (b, n) in enumerate(((1, 8), (3, 13))):
    values = inputs(name, b, n)
    results = jax.jit(model)(*values)
    np.savez(f"{index}.npz", **{f"i{j}": x for j, x in enumerate(values)}, **{f"o{j}": x for j, x in enumerate(results)})
"""


@pytest.mark.parametrize("name", ["transformer", "convnet"])
def test_jax_export(relax, tool, tmp_path, name):
    """A model of JAX, exported once for all sizes, gives what JAX computes."""
    need("jax")
    done = subprocess.run([PYTHON, "-c", EXPORT, name], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "JAX_PLATFORMS": "cpu"})
    assert done.returncode == 0, done.stderr
    process = tool("relax-compile", tmp_path / "model.mlir", "-o", tmp_path / "model.rlx")
    assert process.returncode == 0, process.stderr
    function = relax.load(tmp_path / "model.rlx")["main"]
    for index in range(2):
        arrays = np.load(tmp_path / f"{index}.npz")
        results = function(*(arrays[f"i{j}"] for j in range(len(function.inputs))))
        for j, result in enumerate(results.values()):
            np.testing.assert_allclose(result, arrays[f"o{j}"], rtol=2e-5, atol=1e-5)
